"""Contradictions that one slot does not show: patterns C4 to C7 of a claim with claims of other slots, and crowds.

The graph finds the claims (by object, or by subject and predicate), `tkg.belief.patterns` says whether they clash. Two
claims clash only in time that nothing has taken from either: what was superseded is out of the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from tkg.belief import multirange, patterns
from tkg.belief.assessed import Clash
from tkg.belief.compare import Comparison, compare_claims
from tkg.belief.multirange import Multirange
from tkg.belief.order import standing
from tkg.belief.sweep import crowds
from tkg.belief.validity import effective
from tkg.memory.slots import Slots
from tkg.model.claim import Polarity
from tkg.model.predicate import Predicate
from tkg.model.view import SlotClaim
from tkg.text import match_form

if TYPE_CHECKING:
    from tkg.memory.tenant import Tenant

#: what a person is told about a clash of each pattern
REASONS: Final = {
    "C4": "Another subject has this value, which can belong to one only; if both are one, say so with same_as.",
    "C5": "More values stand at one time than the predicate takes; a person decides.",
    "C6": "It cannot hold beside another claim about the same subject; a person decides.",
    "C7": "It breaks an order that the predicates declare; a person decides.",
    "C8": "The value is not of the declared type; a person decides.",
}
#: ends an entry of `excludes` that only means one object
_SAME_OBJECT: Final = " same object"


def excluded_names(predicate: Predicate) -> set[str]:
    """Return the predicates that cannot hold beside this one, in match form."""
    return {match_form(entry.removesuffix(_SAME_OBJECT)) for entry in predicate.excludes}


def ordered_names(predicate: Predicate) -> set[str]:
    """Return the predicates that this one's order rules speak of, in match form."""
    return {match_form(rule.name) for rule in predicate.order_rules}


def between(tenant: Tenant, slots: Slots, new: SlotClaim, old: SlotClaim) -> list[Clash]:
    """Return how two claims of different slots clash (C4, C6, C7), whichever of them declares it.

    Args:
        tenant: the open tenant.
        slots: how slots are read; its registry holds the declarations.
        new: one claim; it need not be in the store.
        old: another one.
    """
    book, as_of, found = tenant.book, slots.as_of, list[Clash]()
    for one, other in ((new, old), (old, new)):
        predicate = slots.declared(one.claim)
        if one.claim.polarity is Polarity.NEGATIVE or (here := standing(one, book, as_of)) is None or not here.live:
            return []
        named = match_form(other.claim.predicate or "")
        if match_form(one.claim.predicate or "") == named and one is new:
            found += patterns.shared_key(one, [other], predicate, book, as_of, same=slots.same)
        if named in excluded_names(predicate):
            found += patterns.excluded(one, [other], predicate, book, as_of)
        if named in ordered_names(predicate):
            found += patterns.out_of_order(one, [other], predicate, book, as_of)
    return [clash for clash in dict.fromkeys(found) if _shares_time(tenant, slots, new, old, clash)]


def _shares_time(tenant: Tenant, slots: Slots, new: SlotClaim, old: SlotClaim, clash: Clash) -> bool:
    mine, theirs = _effective(tenant, slots, new), _effective(tenant, slots, old)
    if clash.pattern == "C7":
        return bool(mine and theirs)
    return bool(multirange.intersect(mine, theirs))


def _effective(tenant: Tenant, slots: Slots, view: SlotClaim) -> Multirange:
    claims = slots.of(view)
    if all(one.claim.id != view.claim.id for one in claims):
        claims = [*claims, view]
    return effective(view, claims, slots.declared(view.claim), tenant.book, slots.as_of, same=slots.same)


def across(tenant: Tenant, slots: Slots, view: SlotClaim) -> list[Clash]:
    """Return how a claim clashes with claims of other slots that a reader in its scope sees, and in a crowd of its own.

    Args:
        tenant: the open tenant.
        slots: reads slots around the claim's scope.
        view: the claim; it need not be in the store.
    """
    claim = view.claim
    if claim.subject is None or claim.predicate is None:
        return []
    others: dict[str, SlotClaim] = {}
    predicate = slots.declared(claim)
    if predicate.inverse_functional:
        held = tenant.graph.holders(claim.object_id, match_form(claim.predicate))
        views = (tenant.graph.claim(one) for one in held)
        others |= {one.claim.id: one for one in views if one is not None and one.claim.scope in slots.visible}
    for name in _concerned(slots, predicate):
        for path in slots.visible:
            others |= {one.claim.id: one for one in slots.claims(path, claim.subject, name)}
    others.pop(claim.id, None)
    found = [clash for one in others.values() for clash in between(tenant, slots, view, one)]
    return sorted(dict.fromkeys([*found, *crowd(tenant, slots, view, slots.of(view), predicate)]))


def _concerned(slots: Slots, predicate: Predicate) -> list[str]:
    """Return the predicates whose claims about the same subject can clash with one of `predicate`."""
    mine = match_form(predicate.name)
    named = excluded_names(predicate) | ordered_names(predicate)
    for other in slots.registry.predicates.values():
        if mine in excluded_names(other) | ordered_names(other):
            named.add(match_form(other.name))
    return sorted(named - {mine})


def crowd(
    tenant: Tenant, slots: Slots, view: SlotClaim, others: Iterable[SlotClaim], predicate: Predicate
) -> list[Clash]:
    """Return, for a claim that stands among more values than its predicate takes, a clash with each other value (C5)."""
    claims: Sequence[SlotClaim] = [*(one for one in others if one.claim.id != view.claim.id), view]
    by_id = {one.claim.id: one.claim for one in claims}
    found: dict[tuple[str, str], Clash] = {}
    for each in crowds(claims, predicate, tenant.book, slots.as_of, same=slots.same):
        for other in each.claims if view.claim.id in each.claims else ():
            if other == view.claim.id:
                continue
            relation = compare_claims(view.claim, by_id[other], predicate, slots.same)
            if relation in (Comparison.EQUAL, Comparison.REFINES, Comparison.GENERALISES):
                continue
            left, right = sorted((view.claim.id, other))
            clash = Clash(left, right, each.valid_from, each.valid_to, "C5", "definite", "pattern-C5")
            found.setdefault((left, right), clash)
    return list(found.values())
