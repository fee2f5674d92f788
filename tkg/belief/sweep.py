"""Contradictions of one slot, found from the definition: open, possible, or settled by the order.

The graph finds slots in which values differ (`Graph.clashes`); this decides which pairs are contradictions under the
registry. Two claims contradict each other openly where both stand at one instant, nothing cuts either, and they
cannot both hold there. The sweep visits every instant at which the answer may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.order import Order, exclusive
from tkg.model.claim import Polarity
from tkg.model.predicate import Predicate
from tkg.model.time import Certainty, Instant
from tkg.model.view import SlotClaim

Status = Literal["open", "possible", "settled"]


class Contradiction(NamedTuple):
    """Two live claims that cannot both hold; `[overlap_from, overlap_to)` is the time they may share.

    `settled`: the order decides between them wherever they meet. `possible`: whether they meet, or differ, is not
    known. `pattern` is that of semantics 3.3.
    """

    left: str
    right: str
    overlap_from: Instant
    overlap_to: Instant
    pattern: str
    status: Status


def _pattern(order: Order, one: int, other: int) -> str:
    a, b = order.standings[one].claim, order.standings[other].claim
    if a.polarity is not b.polarity:
        return "C2"
    return "C3" if order.predicate.limit != 1 and exclusive(a, b, order.predicate) else "C1"


def contradictions(
    claims: Sequence[SlotClaim],
    predicate: Predicate,
    book: Book,
    as_of: int = LATEST,
    *,
    same: Same | None = None,
    settled: bool = False,
) -> list[Contradiction]:
    """Return the contradictions among the claims of one slot, by the ids of the pairs.

    Args:
        claims: all claims of the slot.
        predicate: its declaration.
        book: all status changes.
        as_of: transaction.
        same: which entities are one.
        settled: also return pairs that the order decides.
    """
    order = Order(claims, predicate, book, as_of, same)
    if (
        predicate.limit != 1
        and not predicate.exclusive
        and not any(s.claim.polarity is Polarity.NEGATIVE for s in order.standings)
    ):
        return []
    made = []
    for a, b, status in _pairs(order, settled):
        one, other = order.standings[a].claim, order.standings[b].claim
        start = max(one.interval.from_lo, other.interval.from_lo)
        end = min(one.interval.to_hi, other.interval.to_hi)
        left, right = sorted((one.id, other.id))
        made.append(Contradiction(left, right, start, end, _pattern(order, a, b), status))
    return sorted(made)


def _pairs(order: Order, settled: bool) -> Iterator[tuple[int, int, Status]]:
    """Yield the pairs of live claims that contradict each other, and how; pairs that the order decides on request.

    Where a claim stands is a number with one bit for each edge, so that pairs that never stand together cost next to nothing.
    """
    live = [index for index, each in enumerate(order.standings) if each.live]
    if len(live) < 2:
        return
    sure, up = dict.fromkeys(live, 0), dict.fromkeys(live, 0)
    for place, edge in enumerate(order.edges()):
        point, bit = order.at(edge), 1 << place
        for index in point.maximal.keys() & sure.keys():
            sure[index] |= bit
            up[index] |= bit
        for index in point.possible.keys() & up.keys():
            up[index] |= bit
    for a, b in combinations(live, 2):
        together = up[a] & up[b]
        if not together and not (settled and _meet(order, a, b)):
            continue
        clear = order.contradicts(a, b)
        if clear or order.unclear(a, b):
            yield a, b, "open" if clear and sure[a] & sure[b] else "possible" if together else "settled"


def _meet(order: Order, a: int, b: int) -> bool:
    one, other = order.standings[a].claim.interval, order.standings[b].claim.interval
    return one.overlap(other) is not Certainty.NONE


class Crowd(NamedTuple):
    """Pattern C5: more values at one time than the predicate takes."""

    valid_from: Instant
    valid_to: Instant
    claims: tuple[str, ...]


def crowds(
    claims: Sequence[SlotClaim], predicate: Predicate, book: Book, as_of: int = LATEST, *, same: Same | None = None
) -> list[Crowd]:
    """Return the stretches of valid time in which more than the predicate's number of values stand.

    Neighbouring stretches with the same claims are one.
    """
    limit = predicate.limit
    if limit is None or limit == 1:
        return []
    order = Order(claims, predicate, book, as_of, same)
    edges, found = order.edges(), list[Crowd]()
    for start, end in pairwise(edges):
        point = order.at(start)
        values: list[int] = []
        members: list[str] = []
        for index in sorted(point.maximal):
            each = order.standings[index]
            if not each.live or each.claim.polarity is Polarity.NEGATIVE:
                continue
            members.append(each.claim.id)
            if not any(order.relation(index, other) in _AGREE for other in values):
                values.append(index)
        if len(values) <= limit:
            continue
        crowd = tuple(sorted(members))
        if found and found[-1].valid_to == start and found[-1].claims == crowd:
            found[-1] = found[-1]._replace(valid_to=end)
        else:
            found.append(Crowd(start, end, crowd))
    return found


_AGREE = ("equal", "refines", "generalises")
