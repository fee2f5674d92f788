"""Stores and callers for readable tests of the facade."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tkg
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.model.verdict import Verdict

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


class Stage:
    """One store with a clock that is set by hand."""

    def __init__(
        self,
        predicates: dict[str, dict[str, Any]] | None = None,
        *,
        engine: str = "memory",
        path: Path | None = None,
        **options: Any,
    ) -> None:
        self.clock = ManualClock(START)
        self.engine, self.path, self.options = engine, path, options
        self.ids = SeededIds(11)
        self.predicates = predicates or {}
        self.memory = self._open()

    def _open(self) -> tkg.Memory:
        registry = tkg.Registry.of(self.predicates)
        return tkg.open(
            self.path,
            clock=self.clock,
            ids=self.ids,
            engine=self.engine,
            policies=tkg.Policies(write=tkg.WritePolicy(registry=registry)),
            **self.options,
        )

    def reopen(self, predicates: dict[str, dict[str, Any]] | None = None) -> None:
        """Close and open again, with other declarations where some are given (a store in memory cannot be reopened)."""
        self.memory.close()
        self.predicates = self.predicates if predicates is None else predicates
        self.memory = self._open()

    def by(
        self, who: str, channel: str = "human_stated", user: str | None = None, session: str | None = None
    ) -> Handle:
        """Return the handle of a speaker."""
        return self.memory.scope("acme", user, channel=channel, principal=who, session=session)

    def says(
        self, who: str, subject: str, predicate: str, value: str, channel: str = "human_stated", **more: Any
    ) -> str:
        """Let somebody say something and return the id of the claim it became or reinforced."""
        verdict = self.tells(who, subject, predicate, value, channel, **more)
        assert verdict.claim_id is not None, verdict
        return verdict.claim_id

    def tells(
        self, who: str, subject: str, predicate: str, value: str, channel: str = "human_stated", **more: Any
    ) -> Verdict:
        """Let somebody say something and return the verdict."""
        uri = more.pop("uri", f"mail/{who}")
        evidence = tkg.Evidence(uri=uri, quote=f"{subject} {predicate} {value}", copy_of=more.pop("copy_of", None))
        handle = self.by(who, channel, more.pop("user", None), more.pop("session", None))
        return handle.propose(subject=subject, predicate=predicate, object=value, evidence=evidence, **more)

    def later(self, days: int = 1) -> None:
        """Let days pass."""
        self.clock.advance(timedelta(days=days))

    def holds(self, subject: str, predicate: str, user: str | None = None, **when: Any) -> tuple[str, ...]:
        """Return the values that are believed."""
        return self.memory.scope("acme", user).value(subject, predicate, **when).values

    def state(self, identifier: str) -> str:
        """Return the state of a node in one word."""
        return self.memory.scope("acme").explain(identifier).state

    def revoke(self, **target: str) -> Any:
        """Revoke at once what a target names."""
        handle = self.by("warden", "human_verified")
        return handle.revoke(handle.plan_revoke(**target), reason="it was wrong")
