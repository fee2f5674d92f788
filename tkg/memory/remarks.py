"""What stands against a claim that is still there: who disagrees, and whether its own source has denied it since."""

from __future__ import annotations

from tkg.belief.table import denied_since
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.claim import Polarity
from tkg.model.view import SlotClaim


def against(tenant: Tenant, caller: Caller, view: SlotClaim, by: str | None) -> tuple[str, ...]:
    """Return a sentence for each claim in sight that denies this one or says otherwise, those of its own source first.

    Args:
        tenant: whose store.
        caller: who asks; what he may not see is not told.
        view: the claim.
        by: what brought its state about, as `state_of` tells.
    """
    claim, book = view.claim, tenant.book
    others = [
        clash.right if clash.left == claim.id else clash.left
        for clash, _ in tenant.graph.conflicts(claim.id)
        if book.live(clash.left) and book.live(clash.right)
    ]
    cuts = [cut.winner for cut, _ in tenant.graph.supersessions(claim.id) if cut.loser == claim.id]
    denials = [one for one in (*cuts, *_named(by)) if book.live(one)]
    own, rest = [], []
    for one in dict.fromkeys((*others, *denials)):
        other = tenant.graph.claim(one)
        if other is None or not reaches(caller, other.claim.scope):
            continue
        if denied_since(other, view):
            own.append(f"Its own source has denied it since, in {one}.")
        elif one in others:
            denies = other.claim.polarity is Polarity.NEGATIVE and other.claim.object_id == claim.object_id
            said = "denies it" if denies else f"says {other.claim.object!r}" if other.claim.object else "says otherwise"
            rest.append(f"It is in conflict with {one}, which {said}.")
    return (*own, *rest)


def _named(by: str | None) -> list[str]:
    return [by] if by is not None and by.startswith("clm_") else []
