"""Contradictions of one slot, found from the definition: open, possible, or settled by the order.

The graph finds slots in which values differ (`Graph.clashes`); this decides which pairs are contradictions under the
registry. Two claims contradict each other openly where both stand at one instant, nothing cuts either, and they
cannot both hold there. The sweep visits every instant at which the answer may change.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.order import Order, exclusive
from tkg.model.claim import Polarity
from tkg.model.predicate import Predicate
from tkg.model.time import Certainty, Instant
from tkg.model.view import SlotClaim

Status = Literal["open", "possible", "settled"]

_WORSE: dict[Status, int] = {"settled": 0, "possible": 1, "open": 2}


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
    live = [index for index, each in enumerate(order.standings) if each.live]
    pairs = {
        (a, b)
        for place, a in enumerate(live)
        for b in live[place + 1 :]
        if order.standings[a].claim.interval.overlap(order.standings[b].claim.interval) is not Certainty.NONE
        and (order.contradicts(a, b) or order.unclear(a, b))
    }
    found: dict[tuple[int, int], Status] = dict.fromkeys(pairs, "settled")
    for edge in order.edges() if pairs else ():
        point = order.at(edge)
        up = [index for index in (*point.maximal, *point.possible) if order.standings[index].live]
        for place, a in enumerate(sorted(up)):
            for b in sorted(up)[place + 1 :]:
                if (a, b) not in pairs:
                    continue
                sure = a in point.maximal and b in point.maximal and order.contradicts(a, b)
                status: Status = "open" if sure else "possible"
                if _WORSE[status] > _WORSE[found[a, b]]:
                    found[a, b] = status
    made = []
    for (a, b), status in found.items():
        if status == "settled" and not settled:
            continue
        one, other = order.standings[a].claim, order.standings[b].claim
        start = max(one.interval.from_lo, other.interval.from_lo)
        end = min(one.interval.to_hi, other.interval.to_hi)
        left, right = sorted((one.id, other.id))
        made.append(Contradiction(left, right, start, end, _pattern(order, a, b), status))
    return sorted(made)


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
