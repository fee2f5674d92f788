"""Suspension: a claim waits where something it depends on no longer holds (design "Settled" 2).

Decided per (valid, known) after the order of rivals, and never fed back into support or into that order: a suspended
claim still cuts what it had superseded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.order import Order
from tkg.model.claim import Claim
from tkg.model.predicate import Predicate
from tkg.model.time import Instant
from tkg.model.view import SlotClaim


class Slot(NamedTuple):
    """A claim's slot with its declaration: enough to say whether the claim still holds."""

    claims: Sequence[SlotClaim]
    predicate: Predicate


#: finds the slot of a claim by the claim's id, for `depends_on`; None when the claim is not known
Lookup = Callable[[str], Slot | None]
#: the same, prepared
Slots = Mapping[str, Slot]


@dataclass
class Suspension:
    """Decides whether a claim waits because something it depends on no longer holds.

    A claim is suspended iff some claim that it depends on, in any number of steps, is quarantined or held, was cut at
    that instant, or has ended by then. Reachability, so that a ring of dependencies ends and decides nothing.
    """

    lookup: Lookup
    book: Book
    as_of: int = LATEST
    same: Same | None = None
    _orders: dict[str, tuple[Order, dict[str, int]] | None] = field(default_factory=dict)

    def _order(self, claim_id: str) -> tuple[Order, dict[str, int]] | None:
        if claim_id not in self._orders:
            slot = self.lookup(claim_id)
            found = None
            if slot is not None:
                order = Order(slot.claims, slot.predicate, self.book, self.as_of, self.same)
                found = order, {each.claim.id: index for index, each in enumerate(order.standings)}
            self._orders[claim_id] = found
        return self._orders[claim_id]

    def failed(self, antecedent: str, instant: Instant) -> bool:
        """Return whether this claim itself no longer holds at an instant."""
        if self.book.support(antecedent, self.as_of) == "suspended":
            return True
        found = self._order(antecedent)
        if found is None or antecedent not in found[1]:
            return self.book.support(antecedent, self.as_of) != "supported"
        order, index = found[0], found[1][antecedent]
        interval = order.standings[index].claim.interval
        return instant >= interval.to_hi or index in order.at(instant).cut

    def waits(self, claim: Claim, instant: Instant) -> bool:
        """Return whether the claim is suspended at an instant."""
        seen: set[str] = {claim.id}
        ahead = list(claim.depends_on)
        while ahead:
            antecedent = ahead.pop()
            if antecedent in seen:
                continue
            seen.add(antecedent)
            if self.failed(antecedent, instant):
                return True
            found = self._order(antecedent)
            if found is not None and antecedent in found[1]:
                ahead += found[0].standings[found[1][antecedent]].claim.depends_on
        return False

    def edges(self, claim: Claim) -> set[Instant]:
        """Return the instants at which a claim may begin or cease to wait."""
        edges: set[Instant] = set()
        seen, ahead = {claim.id}, list(claim.depends_on)
        while ahead:
            antecedent = ahead.pop()
            found = None if antecedent in seen else self._order(antecedent)
            seen.add(antecedent)
            if found is not None:
                order, places = found
                edges.update(order.edges())
                if antecedent in places:
                    ahead += order.standings[places[antecedent]].claim.depends_on
        return edges


def nowhere(_: str) -> Slot | None:
    """Return None: a look-up that knows no claim."""
    return None
