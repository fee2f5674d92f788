"""Promotion: a person makes what one scope believes a matter of a wider one, with a reason. Nothing else widens a scope.

What is promoted to the global tenant every tenant reads, from a copy in its own ledger (`replicating`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tkg.errors import Conflict, NotFound, NotPermitted, Rejected, RequestError
from tkg.ids import kind_of
from tkg.memory import writing
from tkg.memory.answers import Explanation, GlobalClaim
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.inspecting import explain
from tkg.memory.proposal import Proposal
from tkg.memory.replicating import copied
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import visible_claim
from tkg.model.claim import Claim, Justification
from tkg.model.evidence import Evidence
from tkg.model.scope import GLOBAL, Channel, Scope
from tkg.model.time import iso
from tkg.model.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from tkg.memory.store import Memory

LEVELS: Final = ("tenant", "global")
#: uri of the evidence that a promotion is
_URI: Final = "promotion:{}"


def everybodys(memory: Memory) -> list[GlobalClaim]:
    """Return every claim that is global and stands, oldest first, with who promoted it and who has copied it."""
    if not memory.exists(GLOBAL):
        return []
    copies = {name: _copies(memory, name) for name in memory.tenants() if name != GLOBAL}
    reader = Caller(Scope(tenant=GLOBAL), None, None, None)
    with memory.using(GLOBAL) as tenant:
        found = [
            record.id
            for entry in tenant.ledger.read_since(0)
            for record in entry.records
            if isinstance(record, Claim) and tenant.book.live(record.id)
        ]
        return [_shown(explain(tenant, reader, one), copies) for one in found]


def _copies(memory: Memory, name: str) -> set[str]:
    with memory.beside(name) as ledger:
        return set(copied(ledger))


def _shown(found: Explanation, copies: Mapping[str, Collection[str]]) -> GlobalClaim:
    said = (one for one in found.evidence if (one.uri or "").startswith(_URI.format("")))
    by = dict.fromkeys(one.principal for one in said if one.principal is not None)
    held = tuple(name for name, ids in copies.items() if found.id in ids)
    return GlobalClaim(**found.model_dump(), promoted_by=tuple(by), copied_by=held)


def copied_here(tenant: Tenant, caller: Caller) -> list[GlobalClaim]:
    """Return the global claims that a tenant has copied and that stand here, oldest first."""
    ids = (one for one in copied(tenant.ledger) if kind_of(one) == "claim" and tenant.book.live(one))
    return [GlobalClaim(**explain(tenant, caller, one).model_dump()) for one in ids]


def promote(memory: Memory, tenant: Tenant, caller: Caller, claim_id: str, to: str, reason: str) -> Verdict:
    """See `Handle.promote`."""
    channel, principal = caller.speaking()
    person(caller, "a promotion")
    reason = told(reason, "reason")
    if to not in LEVELS:
        raise RequestError("a claim is promoted to tenant or to global")
    view = visible_claim(tenant, caller, claim_id)
    claim, scope = view.claim, Scope.parse(view.claim.scope)
    if scope.tenant == GLOBAL:
        raise Conflict("the claim is global already")
    if to == "tenant" and scope.user is None:
        raise Conflict("the claim belongs to the tenant already")
    if to == "global" and scope.user is not None:
        raise Conflict("what one user believes goes to the tenant first, and from there to everybody")
    if to == "global" and channel is not Channel.HUMAN_VERIFIED:
        raise NotPermitted("only a verified person promotes to everybody")
    if not tenant.book.live(claim_id):
        raise Conflict("only a claim that stands can be promoted")
    if claim.subject is None or claim.predicate is None or claim.object is None:
        raise NotFound("the claim's words were erased; there is nothing left to read, propose it anew")
    proposal = Proposal.read(
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        polarity=claim.polarity,
        valid_from=iso(claim.interval.valid_from) or "..",
        evidence=Evidence(uri=_URI.format(claim_id), quote=reason),
    )
    if to == "tenant":
        wider = replace(caller, scope=Scope(tenant=scope.tenant), channel=Channel.HUMAN_VERIFIED)
        return _write(tenant, wider, proposal, claim, rests_on=claim_id)
    memory.create_tenant(GLOBAL)
    wider = Caller(Scope(tenant=GLOBAL), Channel.HUMAN_VERIFIED, f"{scope.tenant}/{principal}", None)
    with memory.using(GLOBAL) as everybody:
        return _write(everybody, wider, proposal, claim, rests_on=None)


def _write(tenant: Tenant, caller: Caller, proposal: Proposal, claim: Claim, *, rests_on: str | None) -> Verdict:
    """Let the gate judge the claim in its wider scope and write it: by the person's word, and by what it came from.

    In the same tenant it rests on the narrower claim as well, so that it falls when that is revoked.
    """
    prepared = writing.prepare(tenant, caller, proposal)
    fresh = prepared.claim.model_copy(update={"interval": claim.interval})
    made: tuple[Justification, ...] = prepared.justifications
    if rests_on is not None:
        made = tuple(one.model_copy(update={"requires": (*one.requires, rests_on)}) for one in made)
    verdict = writing.write(
        tenant, caller, replace(prepared, claim=fresh, justifications=made), tenant.ids.new("vrd"), op="promote"
    )
    if verdict.outcome is Outcome.REJECTED:
        raise Rejected(f"the gate refused it in the wider scope ({verdict.code})")
    return verdict
