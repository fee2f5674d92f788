"""Facts into a store and contradictions out of it: what the benchmarks of contradiction share.

Every fact has an origin of its own and the same class, so that nothing is settled by rank and everything that cannot hold
together is reported. A fact is flagged when a claim of it contradicts a claim of another fact for certain.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import tkg
from tkg.clock import ManualClock
from tkg.errors import InvalidInterval
from tkg.ids import SeededIds
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry

TENANT: Final = "bench"
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Entered:
    """What became of facts, by their number: their claims, and what was not taken and why."""

    facts: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    refused: dict[int, str] = field(default_factory=dict)

    def take(self, claim_id: str, fact: int) -> None:
        """Note that a claim says what a fact says."""
        self.facts[claim_id].add(fact)

    def pairs(self, contradictions: Iterable[tuple[str, str]]) -> set[tuple[int, int]]:
        """Return the pairs of facts behind pairs of claims."""
        return {
            (min(a, b), max(a, b))
            for left, right in contradictions
            for a in self.facts.get(left, ())
            for b in self.facts.get(right, ())
            if a != b
        }


@contextmanager
def store(engine: str, declared: Mapping[str, Mapping[str, Any]]) -> Iterator[tkg.Memory]:
    """Open a store in memory with declared predicates and an empty tenant."""
    memory = tkg.open(
        None,
        clock=ManualClock(NOW, timedelta(milliseconds=1)),
        ids=SeededIds(6),
        engine=engine,
        policies=Policies(write=WritePolicy(registry=Registry.of(declared))),
    )
    with memory:
        memory.create_tenant(TENANT)
        yield memory


def enter(memory: tkg.Memory, entered: Entered, number: int, claims: Iterable[Mapping[str, Any]], uri: str) -> None:
    """Propose the claims of one fact, said by an origin of its own."""
    handle = memory.scope(tenant=TENANT, channel="trusted_tool", principal=f"origin-{number}")
    for claim in claims:
        try:
            verdict = handle.propose(**claim, evidence=tkg.Evidence(uri=uri))
        except InvalidInterval:
            entered.refused[number] = "its interval ends before it begins"
            continue
        if verdict.claim_id is None:
            entered.refused[number] = f"the gate: {verdict.code}"
        else:
            entered.take(verdict.claim_id, number)


def certain(memory: tkg.Memory) -> dict[tuple[str, str], str]:
    """Return the pairs of claims that contradict each other for certain, with the pattern.

    Those of one slot come from the audit, those across slots were recorded when the later of the two was written.
    """
    handle = memory.scope(tenant=TENANT)
    found = {(one.left, one.right): one.pattern for one in handle.contradictions() if one.certainty == "definite"}
    for conflict, _ in memory.tenant(TENANT).graph.conflicts():
        if conflict.certainty == "definite" and conflict.pattern not in ("C1", "C2", "C3"):
            found.setdefault((conflict.left, conflict.right), conflict.pattern)
    return found


def ratio(hits: int, n: int) -> float:
    """Return a share; 0 of nothing is 0."""
    return hits / n if n else 0.0


def f1(dropped: set[int], false: set[int]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of what was dropped."""
    hits = len(dropped & false)
    precision, recall = ratio(hits, len(dropped)), ratio(hits, len(false))
    return precision, recall, ratio(2 * hits, len(dropped) + len(false))


def examples(kinds: Mapping[str, Sequence[str]], most: int = 2) -> dict[str, dict[str, Any]]:
    """Return each kind with its number and a few examples, the most frequent first."""
    counted = Counter({kind: len(shown) for kind, shown in kinds.items()})
    return {kind: {"n": n, "examples": list(kinds[kind][:most])} for kind, n in counted.most_common()}
