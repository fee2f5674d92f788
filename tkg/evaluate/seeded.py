"""Stores with planted facts: the same for the same seed, made anew for every case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from tkg.clock import ManualClock
from tkg.errors import RequestError
from tkg.ids import SeededIds, digest
from tkg.index.port import Embedder
from tkg.memory.at_use import Verifier
from tkg.memory.handle import Handle
from tkg.memory.opening import open_memory
from tkg.memory.store import Memory
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry

TENANT: Final = "trial"
OTHER: Final = "other"
USER: Final = "ana"
_NOW: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)
_PREDICATES: Final = ("destination", "owner", "door code", "opening hour", "supplier", "budget")
_KINDS: Final = ("depot", "printer", "report", "account", "vehicle", "studio")
#: what a tool is asked about before it is shown
CHECKED: Final = "door code"


@dataclass(frozen=True)
class Planted:
    """One fact: what it says, the question it answers, and the id of its claim."""

    subject: str
    predicate: str
    value: str
    question: str
    id: str = ""


@dataclass(frozen=True)
class Seeded:
    """A store with facts of ours, of another user and of another tenant under the same names, and questions without a fact."""

    memory: Memory
    clock: ManualClock
    facts: tuple[Planted, ...]
    foreign: tuple[str, ...]
    unanswerable: tuple[str, ...]

    def by(self, channel: str = "agent_inferred", principal: str = "agent", session: str | None = None) -> Handle:
        """Return a handle on the scope whose facts these are."""
        return self.memory.scope(TENANT, USER, channel=channel, principal=principal, session=session)


def _planted(seed: int, count: int) -> list[Planted]:
    names = [f"{kind} {number}" for number in range(count) for kind in _KINDS]
    pairs = [(name, predicate) for name in names for predicate in _PREDICATES[:-1]]
    # in the order of digests: nothing is left to chance, and every seed gives another order
    mixed = sorted((digest(f"{seed} {name} {predicate}"), name, predicate) for name, predicate in pairs)
    return [
        Planted(subject, predicate, f"value{int(mark[:12], 16):015}", f"What is the {predicate} of {subject}?")
        for mark, subject, predicate in mixed[:count]
    ]


@contextmanager
def seeded(
    seed: int, count: int = 40, *, verifiers: Sequence[Verifier] = (), embedder: Embedder | None = None
) -> Iterator[Seeded]:
    """Open a fresh store with `count` planted facts; it is gone afterwards, whatever the case did to it.

    Args:
        seed: the same seed plants the same facts, with the same ids, at the same times.
        count: facts of ours; as many of another user and of another tenant.
        verifiers: as for `tkg.open`.
        embedder: as for `tkg.open`.

    Raises:
        RequestError: count is no number from 2.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= 10_000:
        raise RequestError("count is a number of facts from 2 to 10000")
    clock = ManualClock(_NOW, timedelta(milliseconds=1))
    registry = Registry.of(
        {name: {"cardinality": "one", "consequence": "high" if name == CHECKED else "low"} for name in _PREDICATES}
    )
    policies = Policies(write=WritePolicy(registry=registry))
    with open_memory(
        None,
        clock=clock,
        ids=SeededIds(seed),
        engine="memory",
        policies=policies,
        verifiers=verifiers,
        embedder=embedder,
    ) as memory:
        facts = [_plant(memory, one) for one in _planted(seed, count)]
        foreign = []
        for tenant, user in ((TENANT, "ben"), (OTHER, USER)):
            handle = memory.scope(tenant, user, channel="human_stated", principal=user)
            for number, one in enumerate(facts):
                foreign.append(f"secret{tenant}{user}{number:05}")
                handle.propose(subject=one.subject, predicate=one.predicate, object=foreign[-1])
        known = {(one.subject, one.predicate) for one in facts}
        unknown = [
            f"What is the {predicate} of {one.subject}?"
            for one in facts
            for predicate in _PREDICATES
            if (one.subject, predicate) not in known
        ]
        yield Seeded(memory, clock, tuple(facts), tuple(foreign), tuple(dict.fromkeys(unknown))[:count])


def _plant(memory: Memory, fact: Planted) -> Planted:
    handle = memory.scope(TENANT, USER, channel="human_stated", principal=USER)
    verdict = handle.propose(subject=fact.subject, predicate=fact.predicate, object=fact.value)
    assert verdict.claim_id is not None
    return Planted(fact.subject, fact.predicate, fact.value, fact.question, verdict.claim_id)
