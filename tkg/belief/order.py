"""The order of rivals on one slot (design "Settled" 1; semantics 2.3).

At one point of valid time:

1. Each origin backs only its latest assertion there. A claim whose every backing assertion is followed by a later one
   *of the same origin and class* for a contradicting value is cut. Class belongs to the key, so that an inference
   never displaces a statement of the person it was inferred from.
2. What is left compares by (declared system of record, class) of its highest remaining backer: a claim is cut by a
   contradicting one of higher rank.

Claims that nothing cuts are maximal. Both steps look at assertions only, never at what is cut, so there is no
recursion and exactly one answer, whatever the order of arrival. An erased claim still cuts and is never a value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Comparison, Same, compare_claims
from tkg.model.claim import Claim, Justification, Polarity
from tkg.model.instant import duration
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import Certainty, Instant
from tkg.model.view import Backer, SlotClaim

#: (declared system of record, integrity of the class): compared lexicographically
Rank = tuple[bool, int]
NO_RANK: Rank = (False, -1)

_INFERRED = Channel.AGENT_INFERRED.rank


class Assertion(NamedTuple):
    """That an origin, in one class, said this at a time."""

    origin: str
    rank: Rank
    observed_at: Instant
    seq: int

    @property
    def key(self) -> tuple[str, Rank]:
        """Whose recency it competes in."""
        return self.origin, self.rank


def rank_of(justification: Justification) -> Rank:
    """Return the authority of one justification; what was derived never ranks above an inference."""
    if justification.kind == "derivation":
        return False, min(justification.channel.rank, _INFERRED)
    return justification.system_of_record, justification.channel.rank


def assertions_of(backer: Backer) -> list[Assertion]:
    """Return what a justification asserts, once for each of its origins."""
    made, rank = backer.justification, rank_of(backer.justification)
    return [Assertion(origin, rank, made.observed_at, backer.seq) for origin in made.origins or (made.id,)]


@dataclass(frozen=True, slots=True)
class Standing:
    """A claim that takes part in the order: live, or an erased one whose cut remains."""

    claim: Claim
    seq: int
    live: bool
    assertions: tuple[Assertion, ...]

    @property
    def rank(self) -> Rank:
        """The highest authority behind the claim, wherever in time."""
        return max((assertion.rank for assertion in self.assertions), default=NO_RANK)


def _erased(target: str, book: Book, as_of: int) -> bool:
    return book.status(target, as_of) == "erased" and book.before_erasure(target, as_of) == "active"


def backs(backer: Backer, book: Book, as_of: int = LATEST) -> bool:
    """Return whether a justification stands: written by then, and everything it requires stands."""
    return backer.seq <= as_of and all(book.live(needed, as_of) for needed in backer.justification.requires)


def standing(view: SlotClaim, book: Book, as_of: int = LATEST) -> Standing | None:
    """Return how a claim takes part in the order at a transaction; None when it does not.

    A claim that waits only because of its `depends_on` takes part: suspension is decided after the order.
    """
    claim = view.claim
    if view.seq > as_of:
        return None
    status = book.status(claim.id, as_of)
    if status != "active" and not _erased(claim.id, book, as_of):
        return None
    if any(book.support(a, as_of) == "unsupported" and not _erased(a, book, as_of) for a in claim.depends_on):
        return None
    live, counted = False, []
    for backer in view.backers:
        if backs(backer, book, as_of):
            live = True
        elif backer.seq > as_of or not all(
            book.live(needed, as_of) or _erased(needed, book, as_of) for needed in backer.justification.requires
        ):
            continue
        counted += assertions_of(backer)
    if not counted:
        return None
    fallen = any(_erased(a, book, as_of) for a in claim.depends_on)
    return Standing(claim, view.seq, live and status == "active" and not fallen, tuple(counted))


def newer(one: Assertion, other: Assertion, epsilon: int = 0) -> bool:
    """Return whether one assertion follows another of the same origin and class; at one time the later write does."""
    if one.observed_at == other.observed_at:
        return one.seq > other.seq
    return one.observed_at > other.observed_at + epsilon


#: origin, class and side of the slot -> what was said there and the claim it was said for
_Said = dict[tuple[str, Rank, object], list[tuple[Assertion, int]]]


class Point(NamedTuple):
    """The order at one instant: indices into `Order.standings`, by rank where it matters."""

    #: certainly covering claims that nothing cuts, live or not, with the rank they keep there
    maximal: dict[int, Rank]
    #: certainly or possibly covering claims that are cut, with one claim that cuts each
    cut: dict[int, int]
    #: possibly covering claims that nothing certain cuts
    possible: dict[int, Rank]


class Order:
    """All claims of one slot at one transaction, ready to be asked about any instant of valid time."""

    def __init__(
        self,
        views: Iterable[SlotClaim],
        predicate: Predicate,
        book: Book,
        as_of: int = LATEST,
        same: Same | None = None,
    ) -> None:
        self.predicate = predicate
        self._same = same
        found = (standing(view, book, as_of) for view in views)
        self.standings: list[Standing] = sorted((s for s in found if s is not None), key=lambda s: (s.seq, s.claim.id))
        self.epsilon = duration(predicate.epsilon)
        self._edges: list[Instant] | None = None
        self._relations: dict[tuple[int, int], Comparison] = {}
        #: what no instant changes is worked out once: it is asked about at every one
        self._takes: dict[tuple[int, int], bool] = {}
        self._last: dict[int, list[Assertion]] = {}
        self._bounds = [each.claim.interval.bounds for each in self.standings]
        self._one = predicate.limit == 1
        # Positive claims of a multi-valued predicate live side by side unless denied or listed as exclusive: then only
        # claims of opposite polarity are rivals, and without denials there are none.
        self._only_denials = not self._one and not predicate.exclusive
        self._quiet = self._only_denials and all(s.claim.polarity is Polarity.POSITIVE for s in self.standings)
        #: everything that was said, the latest first
        self._said = sorted(
            ((said, index) for index, each in enumerate(self.standings) for said in each.assertions),
            key=lambda item: (-item[0].observed_at, -item[0].seq, item[1]),
        )

    def _side(self, index: int) -> object:
        """Return which of the lists of possible rivals a claim belongs to."""
        return self.standings[index].claim.polarity if self._only_denials else None

    def _facing(self, index: int) -> object:
        """Return the list in which a claim's rivals are."""
        if not self._only_denials:
            return None
        positive = self.standings[index].claim.polarity is Polarity.POSITIVE
        return Polarity.NEGATIVE if positive else Polarity.POSITIVE

    def relation(self, one: int, other: int) -> Comparison:
        """Return how the object of one claim relates to the other's."""
        if one == other:
            return Comparison.EQUAL
        found = self._relations.get((one, other))
        if found is None:
            a, b = self.standings[one].claim, self.standings[other].claim
            found = compare_claims(a, b, self.predicate, self._same)
            self._relations[one, other], self._relations[other, one] = found, found.swapped
        return found

    def contradicts(self, one: int, other: int) -> bool:
        """Return whether two claims cannot both hold at one instant."""
        a, b = self.standings[one].claim, self.standings[other].claim
        return contradictory(a, b, self.predicate, lambda: self.relation(one, other))

    def may_take(self, winner: int, loser: int) -> bool:
        """Return whether a claim that certainly holds somewhere may take that time from another.

        Only where both certainly share some time: what only possibly overlaps is never decided (semantics 2.2).
        """
        found = self._takes.get((winner, loser))
        if found is None:
            a, b = self.standings[winner].claim.interval, self.standings[loser].claim.interval
            found = a.overlap(b) is Certainty.DEFINITE and self.contradicts(loser, winner)
            self._takes[winner, loser] = found
        return found

    def unclear(self, one: int, other: int) -> bool:
        """Return whether nobody can say if two claims contradict: their values cannot be compared."""
        a, b = self.standings[one].claim, self.standings[other].claim
        if a.polarity is not b.polarity:
            return self.relation(one, other) is Comparison.UNKNOWN
        return self._one and a.polarity is Polarity.POSITIVE and self.relation(one, other) is Comparison.UNKNOWN

    def _said_by(self, certain: set[int]) -> _Said:
        """Return what each origin says in each class by claims that certainly hold, its latest words first."""
        found: _Said = {}
        for said, index in self._said:
            if index in certain:
                found.setdefault((*said.key, self._side(index)), []).append((said, index))
        return found

    def _displaced(self, index: int, own: Assertion, said_by: _Said) -> int | None:
        """Return a certain claim by which the same origin moved on from `own`, or None."""
        for said, other in said_by.get((*own.key, self._facing(index)), ()):
            if (said.observed_at, said.seq) <= (own.observed_at, own.seq):
                return None
            if newer(said, own, self.epsilon) and self.may_take(other, index):
                return other
        return None

    def _latest(self, index: int) -> list[Assertion]:
        """Return the last thing that each origin said for a claim in each class, the lowest class first."""
        found = self._last.get(index)
        if found is None:
            latest: dict[tuple[str, Rank], Assertion] = {}
            for assertion in self.standings[index].assertions:
                kept = latest.get(assertion.key)
                if kept is None or (assertion.observed_at, assertion.seq) > (kept.observed_at, kept.seq):
                    latest[assertion.key] = assertion
            found = self._last[index] = [latest[key] for key in sorted(latest, key=lambda item: (item[1], item[0]))]
        return found

    def _backing(self, index: int, said_by: _Said) -> tuple[Rank | None, int]:
        """Return the rank that is left to a claim, or None and the claim that took its last backer."""
        left: Rank | None = None
        by = index
        for own in self._latest(index):
            mover = self._displaced(index, own, said_by)
            if mover is None:
                left = own.rank if left is None else max(left, own.rank)
            else:
                by = mover
        return left, by

    def at(self, instant: Instant) -> Point:
        """Return which claims stand and which are cut at one instant of valid time."""
        certain, perhaps = set[int](), list[int]()
        for index, (from_lo, from_hi, to_lo, to_hi) in enumerate(self._bounds):
            if from_hi <= instant < to_lo:
                certain.add(index)
            elif from_lo <= instant < to_hi:
                perhaps.append(index)
        if self._quiet:
            return Point(
                {index: self.standings[index].rank for index in sorted(certain)},
                {},
                {index: self.standings[index].rank for index in perhaps},
            )
        return self._point(certain, perhaps)

    def _point(self, certain: set[int], perhaps: Sequence[int]) -> Point:
        ranks: dict[int, Rank] = {}
        cut: dict[int, int] = {}
        said_by = self._said_by(certain)
        for index in (*sorted(certain), *perhaps):
            left, by = self._backing(index, said_by)
            if left is None:
                cut[index] = by
            else:
                ranks[index] = left
        strong: dict[object, list[int]] = {}
        for other in sorted((i for i in ranks if i in certain), key=lambda i: (ranks[i], -i), reverse=True):
            strong.setdefault(self._side(other), []).append(other)
        for index, rank in ranks.items():
            for other in strong.get(self._facing(index), ()):
                if ranks[other] <= rank:
                    break
                if self.may_take(other, index):
                    cut[index] = other
                    break
        return Point(
            {i: ranks[i] for i in sorted(certain) if i not in cut},
            cut,
            {i: ranks[i] for i in perhaps if i not in cut},
        )

    def cutters(self, index: int, instant: Instant) -> list[int]:
        """Return every claim that cuts this one at an instant, for the explanation; empty when it stands there."""
        if not self._bounds[index][0] <= instant < self._bounds[index][3]:
            return []
        certain = {i for i, (_, from_hi, to_lo, _) in enumerate(self._bounds) if from_hi <= instant < to_lo}
        rivals = [other for other in sorted(certain) if other != index and self.may_take(other, index)]
        if not rivals:
            return []
        said_by = self._said_by(certain)
        left, _ = self._backing(index, said_by)
        if left is None:
            return [other for other in rivals if self._moves_on(other, index)]
        return [other for other in rivals if (rank := self._backing(other, said_by)[0]) is not None and rank > left]

    def _moves_on(self, other: int, index: int) -> bool:
        """Return whether an origin of one claim said the other later."""
        return any(
            said.key == mine.key and newer(said, mine, self.epsilon)
            for mine in self.standings[index].assertions
            for said in self.standings[other].assertions
        )

    def edges(self) -> list[Instant]:
        """Return, in order, every instant at which the answer may change."""
        if self._edges is None:
            self._edges = sorted({bound for each in self.standings for bound in each.claim.interval.bounds})
        return self._edges

    def edges_in(self, start: Instant, end: Instant) -> list[Instant]:
        """Return the edges in `[start, end)`."""
        edges = self.edges()
        return edges[bisect_left(edges, start) : bisect_left(edges, end)]


def contradictory(a: Claim, b: Claim, predicate: Predicate, relation: object) -> bool:
    """Return whether two claims of one slot cannot both hold at one instant.

    Args:
        a: one claim.
        b: the other.
        predicate: the declaration of their predicate.
        relation: called for the comparison of `a`'s object with `b`'s, only when it matters.
    """
    assert callable(relation)
    if a.polarity is not b.polarity:
        found = relation()
        # denying a value denies every finer one; denying the finer says nothing about the coarser
        finer = Comparison.REFINES if a.polarity is Polarity.POSITIVE else Comparison.GENERALISES
        return found in (Comparison.EQUAL, finer)
    if a.polarity is Polarity.NEGATIVE:
        return False
    if predicate.limit == 1:
        return relation() is Comparison.DIFFERENT
    return exclusive(a, b, predicate)


def exclusive(a: Claim, b: Claim, predicate: Predicate) -> bool:
    """Return whether the registry lists two values as excluding each other (pattern C3)."""
    one, other = a.object_norm, b.object_norm
    if one is None or other is None or one == other:
        return False
    one, other = predicate.names.get(one, one), predicate.names.get(other, other)
    return one != other and any(one in group and other in group for group in predicate.exclusive)
