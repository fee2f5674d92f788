"""Promotion: a person makes what one scope believes a matter of a wider one, with a reason. Nothing else widens a scope."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tkg.errors import Conflict, NotFound, NotPermitted, Rejected, RequestError
from tkg.memory import writing
from tkg.memory.answers import Explanation
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.inspecting import explain
from tkg.memory.proposal import Proposal
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


def everybodys(memory: Memory) -> list[Explanation]:
    """Return every claim that is global and stands, oldest first."""
    if not memory.exists(GLOBAL):
        return []
    tenant, reader = memory.tenant(GLOBAL), Caller(Scope(tenant=GLOBAL), None, None, None)
    with tenant.lock:
        found = [
            record.id
            for entry in tenant.ledger.read_since(0)
            for record in entry.records
            if isinstance(record, Claim) and tenant.book.live(record.id)
        ]
        return [explain(tenant, reader, one) for one in found]


def promote(memory: Memory, tenant: Tenant, caller: Caller, claim_id: str, to: str, reason: str) -> Verdict:
    """See `Handle.promote`."""
    channel, principal = caller.speaking()
    person(caller, "a promotion")
    reason = told(reason, "reason")
    if to not in LEVELS:
        raise RequestError("a claim is promoted to tenant or to global")
    view = visible_claim(tenant, caller, claim_id)
    claim, scope = view.claim, Scope.parse(view.claim.scope)
    if to == "tenant" and scope.user is None:
        raise Conflict("the claim belongs to the tenant already")
    if to == "global" and scope.user is not None:
        raise Conflict("what one user believes goes to the tenant first, and from there to everybody")
    if to == "global" and channel is not Channel.HUMAN_VERIFIED:
        raise NotPermitted("only a verified person promotes to everybody")
    if not tenant.book.live(claim_id):
        raise Conflict("only a claim that stands can be promoted")
    if claim.subject is None or claim.predicate is None or claim.object is None:
        raise NotFound("the claim's words were erased")
    proposal = Proposal.read(
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        polarity=claim.polarity,
        valid_from=iso(claim.interval.valid_from) or "..",
        evidence=Evidence(uri=f"promotion:{claim_id}", quote=reason),
    )
    if to == "tenant":
        wider = replace(caller, scope=Scope(tenant=scope.tenant), channel=Channel.HUMAN_VERIFIED)
        return _write(tenant, wider, proposal, claim, rests_on=claim_id)
    memory.create_tenant(GLOBAL)
    everybody = memory.tenant(GLOBAL)
    wider = Caller(Scope(tenant=GLOBAL), Channel.HUMAN_VERIFIED, f"{scope.tenant}/{principal}", None)
    with everybody.lock:
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
