"""The state of a node now, and questions about claims that need their slots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tkg.belief import state as belief
from tkg.belief.book import LATEST
from tkg.belief.sweep import contradictions
from tkg.memory.clashing import across
from tkg.memory.slots import Slots
from tkg.memory.tenant import Tenant
from tkg.model.view import SlotClaim


class Showing(NamedTuple):
    """A state in one word, what brought it about, and the code of the decision."""

    state: str
    by: str | None = None
    code: str = ""


def state_of(tenant: Tenant, node_id: str, as_of: int = LATEST) -> Showing:
    """Return the state of a claim, artefact or piece of evidence, now or as a transaction knew it.

    What runs out with time and not by a transaction (unverified) is told only of the latest.
    """
    if (view := tenant.graph.claim(node_id)) is not None:
        slots = Slots.around(tenant, view.claim.scope, as_of)
        slot = slots.slot(view)
        found = belief.state_of(
            view,
            slot.claims,
            slot.predicate,
            tenant.book,
            tenant.now(),
            as_of,
            lookup=slots.lookup,
            same=slots.same,
            unverified=as_of == LATEST
            and belief.lapsed(
                view, slots.declared(view.claim), tenant.book, tenant.policies.forget.ttl_days, tenant.written_by
            ),
        )
        if found.name in ("active", "expired", "unverified") and _archived(tenant, node_id, as_of):
            return Showing("archived", code=found.name)
        return Showing(found.name, found.by[0] if found.by else None, found.reason)
    if tenant.graph.artefact(node_id) is not None:
        if tenant.book.status(node_id, as_of) == "erased":
            return Showing("erased", code="forget")
        last = tenant.book.last(node_id, "action", as_of)
        if last is not None and last.value in ("cancelled", "compensation"):
            return Showing("revoked", code=last.value)  # a queue does not take back what it dropped
        backers = tenant.graph.justifications(node_id)
        stale = bool(stale_inputs(tenant, _claims(tenant, node_id), as_of))
        found = belief.artefact_state(node_id, backers[0] if backers else None, tenant.book, as_of, stale=stale)
        if found.name in ("active", "stale") and _archived(tenant, node_id, as_of):
            return Showing("archived", code=found.name)
        return Showing(found.name, found.by[0] if found.by else None, found.reason)
    support = tenant.book.support(node_id, as_of)
    status = tenant.book.status(node_id, as_of)
    return Showing(status if status != "active" else "active" if support == "supported" else support)


def _archived(tenant: Tenant, node_id: str, as_of: int) -> bool:
    last = tenant.book.last(node_id, "storage", as_of)
    return last is not None and last.value == "archived"


def _claims(tenant: Tenant, node_id: str) -> list[SlotClaim]:
    """Return the claims an artefact directly used."""
    used = (needed for backer in tenant.graph.justifications(node_id) for needed in backer.justification.requires)
    return [view for one in dict.fromkeys(used) if (view := tenant.graph.claim(one)) is not None]


def stale_inputs(tenant: Tenant, claims: Iterable[SlotClaim], as_of: int = LATEST) -> list[str]:
    """Return which claims have been superseded: what was written from them is out of date."""
    return [one.claim.id for one in claims if state_of(tenant, one.claim.id, as_of).state == "superseded"]


def contested(tenant: Tenant, claims: Iterable[SlotClaim]) -> list[str]:
    """Return which claims stand in an open contradiction."""
    found = []
    for one in claims:
        slots = Slots.around(tenant, one.claim.scope)
        slot = slots.slot(one)
        pairs = contradictions(slot.claims, slot.predicate, tenant.book, same=slots.same)
        inside = any(one.claim.id in (pair.left, pair.right) and pair.status == "open" for pair in pairs)
        if inside or any(clash.certainty == "definite" for clash in across(tenant, slots, one)):
            found.append(one.claim.id)
    return found
