"""Both axes at once: which value was believed when, for which time, as rectangles with four times each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.suspension import Lookup
from tkg.belief.validity import Answer, Segment, timeline
from tkg.model.predicate import Predicate
from tkg.model.time import Instant
from tkg.model.view import SlotClaim


class Rectangle(NamedTuple):
    """An answer, the valid time it speaks of, and the transactions `[tx_from, tx_to)` in which it was believed."""

    valid_from: Instant
    valid_to: Instant
    tx_from: int
    tx_to: int
    answer: Answer


def moments(layers: Iterable[Sequence[SlotClaim]], book: Book, others: Iterable[str] = ()) -> list[int]:
    """Return, in order, the transactions at which the answer of a slot may change.

    Args:
        layers: the claims of the slot in each visible scope.
        book: all status changes.
        others: further nodes whose changes matter (antecedents of `depends_on`).
    """
    found, nodes = set[int](), set(others)
    for claims in layers:
        for view in claims:
            found |= {view.seq, *(backer.seq for backer in view.backers)}
            nodes |= {view.claim.id, *view.claim.depends_on}
            nodes |= {needed for backer in view.backers for needed in backer.justification.requires}
    found |= {seq for node in nodes for seq, _ in book.history(node)}
    return sorted(found)


def _related(views: Iterable[SlotClaim], lookup: Lookup | None) -> list[SlotClaim]:
    """Return the slots of everything that some claims depend on, in any number of steps."""
    found: list[SlotClaim] = []
    ahead, seen = [needed for view in views for needed in view.claim.depends_on], set[str]()
    while ahead and lookup is not None:
        needed = ahead.pop()
        slot = None if needed in seen else lookup(needed)
        seen.add(needed)
        if slot is not None:
            found += slot.claims
            ahead += [a for view in slot.claims if view.claim.id == needed for a in view.claim.depends_on]
    return found


def rectangles(
    layers: Sequence[Sequence[SlotClaim]],
    predicate: Predicate,
    book: Book,
    as_of: int = LATEST,
    *,
    lookup: Lookup | None = None,
    same: Same | None = None,
) -> list[Rectangle]:
    """Return the whole story of a slot up to a transaction, ordered by what was known first.

    A rectangle ends on the transaction axis where the same stretch of valid time got another answer.
    """
    related = _related([view for claims in layers for view in claims], lookup)
    steps = [seq for seq in moments([*layers, related], book) if seq <= as_of]
    done: list[Rectangle] = []
    open_now: dict[Segment, int] = {}
    for seq in steps:
        segments = timeline(layers, predicate, book, seq, lookup=lookup, same=same)
        still = set(segments)
        for segment, since in list(open_now.items()):
            if segment not in still:
                done.append(Rectangle(segment.valid_from, segment.valid_to, since, seq, segment.answer))
                del open_now[segment]
        for segment in segments:
            open_now.setdefault(segment, seq)
    end = LATEST
    done += [Rectangle(s.valid_from, s.valid_to, since, end, s.answer) for s, since in open_now.items()]
    return sorted(done, key=lambda r: (r.tx_from, r.valid_from, r.tx_to))


__all__ = ["Rectangle", "moments", "rectangles"]
