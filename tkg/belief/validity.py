"""What holds when: the value of a slot at (valid time, transaction), and views over valid time.

`value` is the definition (semantics 1.4 and 2.3, design "Settled" 1, 2, 4, 5, 6): the maximal claims under the order
of `tkg.belief.order`, then scope shadowing, refinement, equal values as one, and suspension last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from tkg.belief import multirange
from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Comparison, Same, compare_claims
from tkg.belief.multirange import Multirange
from tkg.belief.order import Order, Rank, Standing, contradictory
from tkg.belief.suspension import Lookup, Slot, Suspension, nowhere
from tkg.model.claim import Claim, Polarity
from tkg.model.predicate import Predicate
from tkg.model.time import FOREVER, Instant
from tkg.model.view import SlotClaim

Kind = Literal["value", "values", "conflict", "none", "suspended"]


@dataclass(frozen=True)
class Answer:
    """What a slot holds at one point.

    `values` are objects as they were written, `claims` the claims that say so (several for one value count as one),
    in the order written. `certainty` is "possible" where the bounds or the comparison leave it open. `previously`
    holds the values that wait when `kind` is suspended; `suspended`, `contested` and `possible` are ids of claims.
    """

    kind: Kind
    values: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    certainty: Literal["definite", "possible"] = "definite"
    previously: tuple[str, ...] = ()
    suspended: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()

    @property
    def value(self) -> str | None:
        """The one value, or None."""
        return self.values[0] if self.kind == "value" else None


NOTHING = Answer("none")


class _Candidate(NamedTuple):
    """A maximal claim of one layer (0 is the narrowest scope)."""

    standing: Standing
    rank: Rank
    layer: int

    @property
    def claim(self) -> Claim:
        return self.standing.claim


def _collide(a: _Candidate, b: _Candidate, predicate: Predicate, same: Same | None) -> bool:
    def relation() -> Comparison:
        return compare_claims(a.claim, b.claim, predicate, same)

    if contradictory(a.claim, b.claim, predicate, relation):
        return True
    both = a.claim.polarity is b.claim.polarity is Polarity.POSITIVE
    return both and predicate.limit == 1 and relation() is Comparison.UNKNOWN


def _against(one: _Candidate, pool: list[_Candidate], predicate: Predicate, same: Same | None) -> Iterator[_Candidate]:
    """Yield the claims of a pool that cannot hold beside one of them, or cannot be told to."""
    only_denials = predicate.limit != 1 and not predicate.exclusive
    for other in pool:
        if only_denials and other.claim.polarity is one.claim.polarity:
            continue
        if other is not one and _collide(one, other, predicate, same):
            yield other


def _shadowed(pool: list[_Candidate], predicate: Predicate, same: Same | None) -> list[_Candidate]:
    """Drop what another scope hides: the narrower unless the wider one has the higher rank (design "Settled" 4)."""
    if len({each.layer for each in pool}) < 2:
        return pool

    def hidden(one: _Candidate) -> bool:
        return any(
            other.rank >= one.rank if other.layer < one.layer else other.rank > one.rank
            for other in _against(one, pool, predicate, same)
            if other.layer != one.layer
        )

    return [one for one in pool if not hidden(one)]


def _finest(pool: list[_Candidate], predicate: Predicate, same: Same | None) -> list[_Candidate]:
    """Keep of two values that agree the finer, unless only a lower rank knows it."""
    if predicate.limit is None:
        return pool

    def outdone(one: _Candidate, other: _Candidate) -> bool:
        relation = compare_claims(other.claim, one.claim, predicate, same)
        if relation is Comparison.REFINES:
            return other.rank >= one.rank
        return relation is Comparison.GENERALISES and other.rank > one.rank

    return [one for one in pool if not any(outdone(one, other) for other in pool if other is not one)]


#: types whose values are equal only when their norms are, so that they can be looked up instead of compared
_EXACT: Final = frozenset({"text", "enum", "boolean", "url", "email", "version"})


def _groups(pool: list[_Candidate], predicate: Predicate, same: Same | None) -> list[list[_Candidate]]:
    """Group claims of equal values, in the order written."""
    groups: list[list[_Candidate]] = []
    known: dict[object, list[_Candidate]] = {}
    others: list[list[_Candidate]] = []
    for each in pool:
        claim = each.claim
        exact = claim.object_type in _EXACT and claim.object_norm is not None
        keys: tuple[object, ...] = (
            (claim.object_id, (claim.object_type, claim.object_norm)) if exact else (claim.object_id,)
        )
        group = next((known[key] for key in keys if key in known), None)
        if group is None and not exact:
            like = (g for g in others if compare_claims(g[0].claim, claim, predicate, same) is Comparison.EQUAL)
            group = next(like, None)
        if group is None:
            group = []
            groups.append(group)
            if not exact:
                others.append(group)
        group.append(each)
        for key in keys:
            known.setdefault(key, group)
    return groups


def _shown(groups: list[list[_Candidate]]) -> tuple[str, ...]:
    return tuple(group[0].claim.object or "" for group in groups)


def _ids(groups: list[list[_Candidate]]) -> tuple[str, ...]:
    return tuple(each.claim.id for group in groups for each in group)


def _answer(pool: list[_Candidate], predicate: Predicate, same: Same | None, suspended: set[str]) -> Answer:
    """Turn maximal claims of all layers into an answer."""
    pool = _shadowed(pool, predicate, same)
    positive = [each for each in pool if each.claim.polarity is Polarity.POSITIVE]
    positive.sort(key=lambda each: (each.layer, each.standing.seq, each.claim.id))
    disputes = [(one, other) for one in positive for other in _against(one, pool, predicate, same)]
    contested = {each.claim.id for pair in disputes for each in pair}
    denied = {one.claim.id for one, other in disputes if other.claim.polarity is Polarity.NEGATIVE}
    waiting = _finest([each for each in positive if each.claim.id in suspended], predicate, same)
    groups = _groups(_finest([e for e in positive if e.claim.id not in suspended], predicate, same), predicate, same)
    waits = tuple(sorted(each.claim.id for each in waiting))
    if not groups:
        if not waiting:
            return NOTHING
        before = _groups(waiting, predicate, same)
        return Answer("suspended", (), _ids(before), previously=_shown(before), suspended=waits)
    values, claims = _shown(groups), _ids(groups)
    in_dispute = tuple(sorted(contested - suspended))
    limit = predicate.limit
    open_question = all(group[0].claim.id in denied for group in groups)
    if (limit is not None and len(groups) > limit) or open_question or (limit is None and _clash(groups, predicate)):
        unclear = limit == 1 and not _definite(groups, predicate, same) and not open_question
        disputed = tuple(sorted({*in_dispute, *claims}))
        return Answer(
            "conflict", values, claims, "possible" if unclear else "definite", suspended=waits, contested=disputed
        )
    kind: Kind = "value" if len(groups) == 1 else "values"
    return Answer(kind, values, claims, suspended=waits, contested=in_dispute)


def _clash(groups: list[list[_Candidate]], predicate: Predicate) -> bool:
    """Return whether every value of a multi-valued predicate excludes another one."""
    return (
        bool(predicate.exclusive)
        and len(groups) > 1
        and all(
            any(_collide(one[0], other[0], predicate, None) for other in groups if other is not one) for one in groups
        )
    )


def _definite(groups: list[list[_Candidate]], predicate: Predicate, same: Same | None) -> bool:
    return any(
        compare_claims(one[0].claim, other[0].claim, predicate, same) is Comparison.DIFFERENT
        for place, one in enumerate(groups)
        for other in groups[place + 1 :]
    )


class Layers:
    """The slots of one subject and predicate in all visible scopes at one transaction, the narrowest scope first."""

    def __init__(
        self,
        layers: Sequence[Sequence[SlotClaim]],
        predicate: Predicate,
        book: Book,
        as_of: int = LATEST,
        lookup: Lookup | None = None,
        same: Same | None = None,
    ) -> None:
        self.predicate = predicate
        self.orders = [Order(claims, predicate, book, as_of, same) for claims in layers]
        self._same = same
        self._suspension = Suspension(lookup or nowhere, book, as_of, same)

    def _waits(self, claim: Claim, instant: Instant) -> bool:
        return bool(claim.depends_on) and self._suspension.waits(claim, instant)

    def at(self, instant: Instant) -> Answer:
        """Return the answer at one instant of valid time."""
        certain: list[_Candidate] = []
        perhaps: list[_Candidate] = []
        for layer, order in enumerate(self.orders):
            point = order.at(instant)
            certain += [_Candidate(order.standings[i], rank, layer) for i, rank in point.maximal.items()]
            perhaps += [_Candidate(order.standings[i], rank, layer) for i, rank in point.possible.items()]
        # erased claims have done their work in the order: they cut, and are neither values nor rivals
        certain = [each for each in certain if each.standing.live]
        perhaps = [each for each in perhaps if each.standing.live]
        suspended = {c.claim.id for c in (*certain, *perhaps) if self._waits(c.claim, instant)}
        answer = _answer(certain, self.predicate, self._same, suspended)
        possible = tuple(sorted(each.claim.id for each in perhaps))
        if answer.kind == "none" and perhaps:
            answer = _answer(perhaps, self.predicate, self._same, suspended)
            if answer.kind != "none":
                return Answer(**{**vars(answer), "certainty": "possible", "possible": possible})
        return answer if not possible else Answer(**{**vars(answer), "possible": possible})

    def edges(self) -> list[Instant]:
        """Return, in order, every instant at which the answer may change by these claims' own bounds."""
        edges = {edge for order in self.orders for edge in order.edges()}
        for order in self.orders:
            for each in order.standings:
                edges |= self._suspension.edges(each.claim)
        return sorted(edges)


def value(
    layers: Sequence[Sequence[SlotClaim]],
    predicate: Predicate,
    book: Book,
    valid_at: Instant,
    as_of: int = LATEST,
    *,
    lookup: Lookup | None = None,
    same: Same | None = None,
) -> Answer:
    """Return what a slot holds at (`valid_at`, `as_of`).

    Args:
        layers: the claims of the slot in each visible scope, the narrowest scope first.
        predicate: its declaration.
        book: all status changes of the tenant.
        valid_at: instant of valid time.
        as_of: transaction; only claims, backers and changes up to it count.
        lookup: finds the slot of a claim named in `depends_on`.
        same: which entities are one at that transaction.
    """
    return Layers(layers, predicate, book, as_of, lookup, same).at(valid_at)


def effective(
    claim: SlotClaim,
    claims: Sequence[SlotClaim],
    predicate: Predicate,
    book: Book,
    as_of: int = LATEST,
    *,
    same: Same | None = None,
) -> Multirange:
    """Return the time a claim possibly covers and no other claim of its slot takes from it.

    Empty when the claim does not stand. Portions of winners that are live or erased are subtracted.
    """
    order = Order(claims, predicate, book, as_of, same)
    for index, each in enumerate(order.standings):
        if each.claim.id == claim.claim.id and each.live:
            return multirange.subtract((claim.claim.interval.may,), cut_of(order, index))
    return ()


def cut_of(order: Order, index: int) -> Multirange:
    """Return the time that other claims of the slot take from one, as disjoint ascending ranges."""
    start, end = order.standings[index].claim.interval.may
    edges = order.edges_in(start, end)
    taken = [(edge, after) for edge, after in pairwise([*edges, end]) if index in order.at(edge).cut]
    return multirange.union(taken)


class Segment(NamedTuple):
    """A stretch of valid time with one answer."""

    valid_from: Instant
    valid_to: Instant
    answer: Answer


def timeline(
    layers: Sequence[Sequence[SlotClaim]],
    predicate: Predicate,
    book: Book,
    as_of: int = LATEST,
    *,
    lookup: Lookup | None = None,
    same: Same | None = None,
    coalesce: bool = True,
) -> list[Segment]:
    """Return the answers over all valid time as one transaction knew them; stretches without an answer are left out.

    With `coalesce` neighbouring stretches of equal answers are one, with the claims of both (a view only: stored claims
    are never merged).
    """
    view = Layers(layers, predicate, book, as_of, lookup, same)
    edges = [edge for edge in view.edges() if edge < FOREVER]
    segments: list[Segment] = []
    for start, end in pairwise([*edges, FOREVER]):
        answer = view.at(start)
        if answer.kind == "none":
            continue
        last = segments[-1] if segments else None
        if coalesce and last is not None and last.valid_to == start and _alike(last.answer, answer):
            segments[-1] = Segment(last.valid_from, end, _joined(last.answer, answer))
        else:
            segments.append(Segment(start, end, answer))
    return segments


def _alike(one: Answer, other: Answer) -> bool:
    return (one.kind, one.values, one.certainty, one.previously) == (
        other.kind,
        other.values,
        other.certainty,
        other.previously,
    )


def _joined(one: Answer, other: Answer) -> Answer:
    def both(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
        return a + tuple(each for each in b if each not in a)

    return Answer(
        one.kind,
        one.values,
        both(one.claims, other.claims),
        one.certainty,
        one.previously,
        both(one.suspended, other.suspended),
        both(one.contested, other.contested),
        both(one.possible, other.possible),
    )


__all__ = [
    "Answer",
    "Kind",
    "Layers",
    "Lookup",
    "Segment",
    "Slot",
    "cut_of",
    "effective",
    "timeline",
    "value",
]
