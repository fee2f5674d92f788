"""The store a story plays in: clock, ids, handles, and what each labelled step was answered with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from tkg.clock import ManualClock
from tkg.errors import TkgError
from tkg.ids import Ids, SeededIds
from tkg.memory.handle import Handle
from tkg.memory.opening import open_memory
from tkg.memory.store import Memory
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.scope import Scope
from tkg.model.time import parse_when, to_datetime
from tkg.model.verdict import Verdict


class NotAvailable(Exception):
    """The engine has no such verb (yet): the case fails, whatever it expects."""


@dataclass
class Answer:
    """What a step was answered with.

    `ids` are the nodes its label stands for: a claim, an artefact, a read; for a text its episode and its claims.
    """

    verb: str
    scope: object = None
    ids: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    episode: str | None = None
    result: Any = None
    error: str | None = None
    message: str = ""

    @classmethod
    def refused(cls, verb: str, scope: object, error: TkgError) -> Answer:
        """Return the answer of a step that raised."""
        return cls(verb, scope, error=error.code, message=str(error))


@dataclass
class World:
    """A fresh store under `root`, opened when first used and after each restart.

    Args:
        root: directory of the store.
        engine: "memory", "kuzu" or "ladybug".
        clock: set by hand.
        predicates: declarations, as in a case.
        seed: for ids.
    """

    root: Path
    engine: str
    clock: ManualClock
    predicates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    seed: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.ids: Ids = SeededIds(self.seed)
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The open store."""
        if self._memory is None:
            policies = Policies(write=WritePolicy(registry=Registry.of(self.predicates)))
            self._memory = open_memory(self.root, clock=self.clock, ids=self.ids, engine=self.engine, policies=policies)
        return self._memory

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def set_clock(self, at: str | date | datetime) -> None:
        """Move the clock to the time of a step."""
        self.clock.set(to_datetime(parse_when(at).start))

    def handle(
        self,
        scope: object,
        *,
        channel: str | None = None,
        principal: str | None = None,
        session: str | None = None,
    ) -> Handle:
        """Return a handle for a scope as a case writes it (`tenant[/user]`, or something malformed).

        Raises:
            ScopeRequired, InvalidScope: as `Memory.scope`.
        """
        parsed = Scope.parse(scope)
        return self.memory.scope(
            tenant=parsed.tenant, user=parsed.user, channel=channel, principal=principal, session=session
        )

    def ids_of(self, label: str) -> tuple[str, ...]:
        """Return the ids a label stands for; a word that is no label (or stands for nothing) stands for itself."""
        answer = self.answers.get(label)
        return answer.ids if answer is not None and answer.ids else (label,)
