"""Decisions of people: superseding, freezing, reviewing, verifying."""

from __future__ import annotations

from tkg.errors import Conflict, NotPermitted
from tkg.memory import writing
from tkg.memory.answers import Explanation, Plan
from tkg.memory.caller import Caller
from tkg.memory.inspecting import explain
from tkg.memory.replan import consequences, marks, support_changes
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, visible_claim
from tkg.model.claim import Justification, Supersession
from tkg.model.entry import Record
from tkg.model.evidence import Evidence
from tkg.model.scope import Channel
from tkg.model.verdict import CheckResult, Outcome, StatusChange, Verdict
from tkg.model.view import Backer, SlotClaim
from tkg.text import MAX_NAME, MAX_TEXT, clean

_PEOPLE = frozenset({Channel.HUMAN_STATED, Channel.HUMAN_VERIFIED})


def _person(caller: Caller, what: str) -> str:
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
    principal = _person(caller, "superseding")
    reason = clean(reason, "reason", limit=MAX_TEXT)
    loser, winner = visible_claim(tenant, caller, old), visible_claim(tenant, caller, new)
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
    caller.speaking()
    targets = []
    if subject is not None:
        targets.append(tenant.names.entity(clean(subject, "subject", limit=MAX_NAME)))
    if predicate is not None:
        targets.append(tenant.names.predicate(clean(predicate, "predicate", limit=MAX_NAME)))
    changes = [
        StatusChange(
            id=tenant.ids.new("sta"),
            target=target,
            axis="freeze",
            value=value,
            code="freeze" if value == "frozen" else "thaw",
            reason=clean(reason, "reason", limit=MAX_TEXT),
            actor=caller.principal,
        )
        for target in targets or [caller.scope.path]
    ]
    tenant.commit("freeze" if value == "frozen" else "thaw", caller.scope.path, changes)


def review(tenant: Tenant, caller: Caller) -> list[Explanation]:
    """See `Handle.review`."""
    waiting = [
        *tenant.book.targets("status", "held"),
        *(one for one in tenant.book.targets("status", "quarantined") if _by_gate(tenant, one)),
    ]
    claims = [view for one in waiting if (view := tenant.graph.claim(one)) and reaches(caller, view.claim.scope)]
    return [explain(tenant, caller, view.claim.id) for view in sorted(claims, key=lambda one: (one.seq, one.claim.id))]


def _by_gate(tenant: Tenant, claim_id: str) -> bool:
    """Return whether the gate put a claim in quarantine (a person's quarantine is lifted with `release`)."""
    last = tenant.book.last(claim_id, "status")
    return last is not None and last.actor is None


def decide(tenant: Tenant, caller: Caller, claim_id: str, decision: str, reason: str) -> Plan:
    """See `Handle.decide`."""
    principal = _person(caller, "a decision")
    if decision not in ("accept", "reject"):
        raise Conflict("the decision is accept or reject")
    claim = visible_claim(tenant, caller, claim_id)
    status = tenant.book.status(claim_id)
    if status != "held" and not (status == "quarantined" and _by_gate(tenant, claim_id)):
        raise Conflict(f"the candidate is {status}; only one that waits can be decided")
    proposers = {verdict.principal for verdict, _ in tenant.graph.verdicts(claim_id)}
    if decision == "accept" and principal in proposers:
        raise NotPermitted("the proposer cannot approve it; another person must")
    shown = clean(reason, "reason", limit=MAX_TEXT) if reason else None
    records: list[Record] = []
    added = []
    if decision == "accept":
        records, support = decision_evidence(tenant, caller, claim, f"review:{claim_id}", shown)
        added = [support]
    changes = {claim_id: "active" if decision == "accept" else "rejected"}
    seq = tenant.ledger.head.seq + 1
    found = consequences(tenant, changes, [Backer(one, seq) for one in added])
    code = "approved" if decision == "accept" else "refused"
    records += marks(tenant, found, code=code, actor=principal, reason=shown)
    entry = tenant.commit("decide", claim.claim.scope, records)
    return Plan(status=changes[claim_id], targets=(claim_id,), planned_at=seq - 1, done_at=entry.seq)


def verify(tenant: Tenant, caller: Caller, claim_id: str, evidence: Evidence | None) -> Verdict:
    """See `Handle.verify`."""
    principal = _person(caller, "verifying")
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
