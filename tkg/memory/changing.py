"""Decisions of people: superseding, freezing, verifying."""

from __future__ import annotations

from tkg.errors import Conflict, NotPermitted, Rejected
from tkg.memory import writing
from tkg.memory.authority import check_deciding
from tkg.memory.caller import Caller
from tkg.memory.replan import support_changes
from tkg.memory.tenant import Tenant
from tkg.memory.told import beside, secret_in, told
from tkg.memory.visible import bound_node, visible_claim
from tkg.model.claim import Justification, Supersession
from tkg.model.entry import Record
from tkg.model.evidence import Evidence
from tkg.model.scope import Channel
from tkg.model.verdict import CheckResult, Outcome, StatusChange, Verdict
from tkg.model.view import SlotClaim
from tkg.text import MAX_NAME, clean

_PEOPLE = frozenset({Channel.HUMAN_STATED, Channel.HUMAN_VERIFIED})


def person(caller: Caller, what: str) -> str:
    """Return the principal of a person's handle.

    Raises:
        NotPermitted: the channel is not a person's.
    """
    channel, principal = caller.speaking()
    if channel not in _PEOPLE:
        raise NotPermitted(f"{what} takes a person: open a handle with channel human_stated or human_verified")
    return principal


def decision_evidence(
    tenant: Tenant, caller: Caller, claim: SlotClaim, uri: str, quote: str | None, evidence: Evidence | None = None
) -> tuple[list[Record], Justification]:
    """Return the records of a person's decision as evidence of class human_verified for a claim."""
    offered = evidence or Evidence(uri=uri, quote=quote)
    if (found := secret_in((offered.uri, offered.quote or "", *beside(offered)))) is not None:
        raise Rejected(f"the evidence holds what is never stored ({found}); nothing was written: take it out")
    now = tenant.now()
    source, stored = writing.stored_evidence(
        tenant, caller, offered, Channel.HUMAN_VERIFIED, now, system_of_record=False
    )
    support = Justification(
        id=tenant.ids.new("jst"),
        head=claim.claim.id,
        requires=(stored.id,),
        channel=Channel.HUMAN_VERIFIED,
        origins=(stored.origin,),
        observed_at=now,
        slot_id=claim.claim.slot_id,
    )
    return [*source, stored, support], support


def supersede(tenant: Tenant, caller: Caller, old: str, new: str, reason: str) -> str:
    """See `Handle.supersede`."""
    principal = person(caller, "superseding")
    reason = told(reason, "reason")
    loser, winner = visible_claim(tenant, caller, old), visible_claim(tenant, caller, new)
    bound_node(tenant, caller, old)
    if loser.claim.slot_id != winner.claim.slot_id or old == new:
        raise Conflict("only another claim of the same subject, predicate and scope can take a claim's place")
    start = max(loser.claim.interval.valid_from, winner.claim.interval.valid_from)
    end = min(loser.claim.interval.valid_to, winner.claim.interval.valid_to)
    if start >= end:
        raise Conflict("the two claims share no time, so neither takes the other's place")
    if not tenant.book.live(new):
        raise Conflict("the claim that should take over does not stand; release or verify it first")
    records, support = decision_evidence(tenant, caller, winner, f"decision:{principal}", reason)
    edge = Supersession(
        id=tenant.ids.new("sup"),
        winner=new,
        loser=old,
        portion_from=start,
        portion_to=end,
        rule="decided",
        decided_by=principal,
    )
    records += support_changes(tenant, [support], {}, tenant.ledger.head.seq + 1)
    tenant.commit("supersede", winner.claim.scope, [*records, edge])
    return edge.id


def freeze(tenant: Tenant, caller: Caller, value: str, subject: str | None, predicate: str | None, reason: str) -> None:
    """See `Handle.freeze`: later writes on the target are held, and queued actions about it are not dispatched."""
    check_deciding(caller, "freezing and thawing")
    targets = []
    if subject is not None:
        targets.append(tenant.names.entity(clean(subject, "subject", limit=MAX_NAME)))
    if predicate is not None:
        targets.append(tenant.names.predicate(clean(predicate, "predicate", limit=MAX_NAME)))
    targets = [tenant.names.within(caller.scope.path, one) for one in targets]
    changes = [
        StatusChange(
            id=tenant.ids.new("sta"),
            target=target,
            axis="freeze",
            value=value,
            code="freeze" if value == "frozen" else "thaw",
            reason=told(reason, "reason"),
            actor=caller.principal,
        )
        for target in targets or [caller.scope.path]
    ]
    tenant.commit("freeze" if value == "frozen" else "thaw", caller.scope.path, changes)


def verify(tenant: Tenant, caller: Caller, claim_id: str, evidence: Evidence | None) -> Verdict:
    """See `Handle.verify`."""
    principal = person(caller, "verifying")
    bound_node(tenant, caller, claim_id)
    claim = visible_claim(tenant, caller, claim_id)
    if tenant.book.status(claim_id) != "active":
        raise Conflict("only a claim that stands can be verified; decide or release it first")
    records, support = decision_evidence(tenant, caller, claim, f"verification:{principal}", None, evidence)
    records += support_changes(tenant, [support], {}, tenant.ledger.head.seq + 1)
    check = CheckResult(check="verification", outcome="reinforce", code="verified", reason="Confirmed by a person.")
    fresh = StatusChange(
        id=tenant.ids.new("sta"), target=claim_id, axis="verified", value="fresh", code="verified", actor=principal
    )
    verdict = Verdict(
        id=tenant.ids.new("vrd"),
        scope=claim.claim.scope,
        outcome=Outcome.REINFORCED,
        code="verified",
        claim_id=claim_id,
        evidence_id=support.requires[0],
        candidate=tenant.names.digest("verify", claim_id),
        checks=(check,),
        principal=principal,
        session=caller.session,
    )
    tenant.commit("verify", claim.claim.scope, [*records, fresh, verdict])
    return verdict
