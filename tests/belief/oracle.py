"""A replay oracle for both axes: the meaning of a slot written out as plainly as possible, sharing no code with belief.

A history is a list of events. To answer (valid, known) the oracle replays the events up to `known` into a handful of
dictionaries and applies the definition by nested loops over everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Rank = tuple[bool, int]

#: child -> parent of the values that refine each other
TREE = {"a1": "a", "a2": "a"}


@dataclass(frozen=True)
class Say:
    """One assertion: an origin, in one class, at a time, with one piece of evidence."""

    origin: str
    rank: Rank
    observed: int
    seq: int
    evidence: str


@dataclass
class Fact:
    """One claim of a history."""

    name: str
    slot: str
    layer: int
    value: str
    negative: bool
    bounds: tuple[int, int, int, int]
    seq: int
    says: list[Say] = field(default_factory=list)
    depends: tuple[str, ...] = ()

    def holds(self, at: int) -> bool | None:
        from_lo, from_hi, to_lo, to_hi = self.bounds
        if at < from_lo or at >= to_hi:
            return False
        return True if from_hi <= at < to_lo else None


@dataclass
class Event:
    """A status given to a claim or a piece of evidence in one transaction."""

    seq: int
    target: str
    status: str


@dataclass
class History:
    """Claims and status changes in transaction order, over one or two slots; slots named in `many` take many values."""

    facts: list[Fact]
    events: list[Event]
    many: frozenset[str] = frozenset()

    @property
    def last(self) -> int:
        return max(
            [f.seq for f in self.facts] + [s.seq for f in self.facts for s in f.says] + [e.seq for e in self.events]
        )


@dataclass(frozen=True)
class Seen:
    """What the oracle answers: kind, values, values that wait, and whether the bounds leave it open."""

    kind: str
    values: frozenset[str] = frozenset()
    previously: frozenset[str] = frozenset()
    possible: bool = False


def _finer(one: str, other: str) -> bool:
    return TREE.get(one) == other


def share(one: Fact, other: Fact) -> bool:
    """Whether two claims certainly share some time."""
    return max(one.bounds[1], other.bounds[1]) < min(one.bounds[2], other.bounds[2])


def clash(one: Fact, other: Fact, many: bool) -> bool:
    if one.negative and other.negative:
        return False
    if one.negative != other.negative:
        denied, said = (one, other) if one.negative else (other, one)
        return said.value == denied.value or _finer(said.value, denied.value)
    same = one.value == other.value or _finer(one.value, other.value) or _finer(other.value, one.value)
    return not many and not same


class Replay:
    """The state of a history as one transaction knew it."""

    def __init__(self, history: History, known: int) -> None:
        self.history, self.known = history, known
        self.facts = [f for f in history.facts if f.seq <= known]
        self.names = {f.name: f for f in self.facts}
        self.status: dict[str, str] = {}
        self.before_erasure: dict[str, str] = {}
        for event in history.events:
            if event.seq > known:
                continue
            if event.status == "erased":
                self.before_erasure.setdefault(event.target, self.status.get(event.target, "active"))
                self.status[event.target] = "erased"
            else:
                self.before_erasure[event.target] = event.status
                self.status[event.target] = event.status
        self.live_set, self.hoped = self._fixpoint({"active"}), self._fixpoint({"active", "held", "quarantined"})

    def is_erased(self, target: str) -> bool:
        return self.status.get(target) == "erased" and self.before_erasure.get(target, "active") == "active"

    def _fixpoint(self, base: set[str]) -> set[str]:
        found: set[str] = set()
        while True:
            more = {
                f.name
                for f in self.facts
                if f.name not in found
                and self.status.get(f.name, "active") in base
                and any(s.seq <= self.known and self.status.get(s.evidence, "active") in base for s in f.says)
                and all(a in found for a in f.depends)
            }
            if not more:
                return found
            found |= more

    def counted(self, fact: Fact) -> list[Say]:
        """The assertions that take part in the order for a claim; none when it takes no part."""
        if self.status.get(fact.name, "active") != "active" and not self.is_erased(fact.name):
            return []
        for antecedent in fact.depends:
            if antecedent not in self.hoped and not self.is_erased(antecedent):
                return []
        return [
            s
            for s in fact.says
            if s.seq <= self.known and (self.status.get(s.evidence, "active") == "active" or self.is_erased(s.evidence))
        ]

    def live(self, fact: Fact) -> bool:
        """Whether a claim may be a value: it stands, or only waits for what it depends on."""
        if self.status.get(fact.name, "active") != "active" or not self.counted(fact):
            return False
        if any(self.is_erased(a) for a in fact.depends):
            return False
        return any(s.seq <= self.known and self.status.get(s.evidence, "active") == "active" for s in fact.says)

    def _rank(self, fact: Fact, at: int) -> Rank | None:
        """The authority left to a claim at an instant once every origin backs only its latest assertion there."""
        left: list[Rank] = []
        many = fact.slot in self.history.many
        for mine in self.counted(fact):
            if any(
                (s.origin, s.rank) == (mine.origin, mine.rank) and (s.observed, s.seq) > (mine.observed, mine.seq)
                for s in self.counted(fact)
            ):
                continue
            moved = any(
                (s.origin, s.rank) == (mine.origin, mine.rank) and (s.observed, s.seq) > (mine.observed, mine.seq)
                for other in self.facts
                if (other.slot, other.layer) == (fact.slot, fact.layer) and other.holds(at) is True
                if clash(fact, other, many) and share(fact, other)
                for s in self.counted(other)
            )
            if not moved:
                left.append(mine.rank)
        return max(left) if left else None

    def cut(self, fact: Fact, at: int) -> bool:
        own = self._rank(fact, at)
        if own is None:
            return True
        for other in self.facts:
            if (other.slot, other.layer) == (fact.slot, fact.layer) and other.holds(at) is True:
                rank = self._rank(other, at)
                if (
                    rank is not None
                    and rank > own
                    and share(fact, other)
                    and clash(fact, other, fact.slot in self.history.many)
                ):
                    return True
        return False

    def waits(self, fact: Fact, at: int, path: tuple[str, ...] = ()) -> bool:
        for name in fact.depends:
            if name in path:
                continue
            antecedent = self.names[name]
            if name not in self.live_set or at >= antecedent.bounds[3]:
                return True
            if antecedent.holds(at) is not False and self.cut(antecedent, at):
                return True
            if self.waits(antecedent, at, (*path, name)):
                return True
        return False

    def answer(self, slot: str, at: int, layers: tuple[int, ...]) -> Seen:
        """What the slot holds at an instant; `layers` has the narrowest scope first."""
        here = [f for f in self.facts if f.slot == slot and f.layer in layers and self.live(f)]
        sure = [f for f in here if f.holds(at) is True and not self.cut(f, at)]
        found = self._resolve(slot, sure, at)
        if found.kind == "none":
            maybe = [f for f in here if f.holds(at) is None and not self.cut(f, at)]
            other = self._resolve(slot, maybe, at)
            if other.kind != "none":
                return Seen(other.kind, other.values, other.previously, True)
        return found

    def _resolve(self, slot: str, pool: list[Fact], at: int) -> Seen:
        many = slot in self.history.many
        ranks = {f.name: self._rank(f, at) or (False, -1) for f in pool}
        seen = [
            f
            for f in pool
            if not any(
                clash(f, g, many)
                and (
                    (g.layer < f.layer and ranks[g.name] >= ranks[f.name])
                    or (g.layer > f.layer and ranks[g.name] > ranks[f.name])
                )
                for g in pool
            )
        ]
        positive = [f for f in seen if not f.negative]
        waiting = [f for f in positive if self.waits(f, at)]
        firm = [f for f in positive if f not in waiting]

        def finest(group: list[Fact]) -> list[Fact]:
            if many:
                return group
            return [
                f
                for f in group
                if not any(
                    (_finer(g.value, f.value) and ranks[g.name] >= ranks[f.name])
                    or (_finer(f.value, g.value) and ranks[g.name] > ranks[f.name])
                    for g in group
                )
            ]

        firm, waiting = finest(firm), finest(waiting)
        if not firm:
            if not waiting:
                return Seen("none")
            return Seen("suspended", frozenset(), frozenset(f.value for f in waiting))
        values = frozenset(f.value for f in firm)
        denied = {
            v for v in values if any(f.value == v and g.negative and clash(f, g, many) for f in firm for g in seen)
        }
        if (not many and len(values) > 1) or denied == values:
            return Seen("conflict", values)
        return Seen("value" if len(values) == 1 else "values", values)
