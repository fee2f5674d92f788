"""What holds when: the value of a slot at (valid time, transaction), and views over valid time.

`value` is the definition (semantics 1.4 and 2.3, design "Settled" 1, 2, 4, 5, 6): the maximal claims under the order
of `tkg.belief.order`, then scope shadowing, refinement, equal values as one, and suspension last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from tkg.belief import multirange
from tkg.belief.answer import Answer, Candidate, Kind, resolve
from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.multirange import Multirange
from tkg.belief.order import Order
from tkg.belief.suspension import Lookup, Slot, Suspension, nowhere
from tkg.model.claim import Claim
from tkg.model.predicate import Predicate
from tkg.model.time import FOREVER, Instant
from tkg.model.view import SlotClaim


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
        certain: list[Candidate] = []
        perhaps: list[Candidate] = []
        for layer, order in enumerate(self.orders):
            point = order.at(instant)
            certain += [Candidate(order.standings[i], rank, layer) for i, rank in point.maximal.items()]
            perhaps += [Candidate(order.standings[i], rank, layer) for i, rank in point.possible.items()]
        # erased claims have done their work in the order: they cut, and are neither values nor rivals
        certain = [each for each in certain if each.standing.live]
        perhaps = [each for each in perhaps if each.standing.live]
        suspended = {c.claim.id for c in (*certain, *perhaps) if self._waits(c.claim, instant)}
        answer = resolve(certain, self.predicate, self._same, suspended)
        if not perhaps:
            return answer
        possible = tuple(sorted(each.claim.id for each in perhaps))
        if answer.kind == "none":
            maybe = resolve(perhaps, self.predicate, self._same, suspended)
            if maybe.kind != "none":
                return replace(maybe, certainty="possible", possible=possible)
        return replace(answer, possible=possible)

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
