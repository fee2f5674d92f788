"""Contradictions for the person who settles them: both sides with their words, the row, and what each choice would do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tkg.belief import validity
from tkg.belief.table import classify
from tkg.errors import NotFound, RequestError
from tkg.memory.answers import Value
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of
from tkg.memory.findings import Choice, Dispute, Named, Side
from tkg.memory.inspecting import explain
from tkg.memory.questions import named
from tkg.memory.reading import Contradiction, contradictions, shown_answer
from tkg.memory.reviewing import context_of
from tkg.memory.revoking import Target, plan
from tkg.memory.slots import Slots
from tkg.memory.states import state_of
from tkg.memory.tenant import AsOf, Tenant
from tkg.memory.visible import visible_claim
from tkg.model.claim import Justification
from tkg.model.scope import Channel
from tkg.model.time import Instant, Interval, iso
from tkg.model.view import Backer, SlotClaim
from tkg.text import match_form

STATES = ("open", "possible", "settled", "all")


def disputes(
    tenant: Tenant,
    caller: Caller,
    *,
    state: str,
    subject: str | None,
    predicate: str | None,
    source: str | None,
    as_of: AsOf,
) -> list[Contradiction]:
    """See `Handle.disputes`."""
    if state not in STATES:
        raise RequestError(f"state must be one of {', '.join(STATES)}")
    unsettled = contradictions(tenant, caller, as_of=as_of, subject=subject, predicate=predicate)
    found = [] if state == "settled" else unsettled
    if state in ("open", "possible"):
        found = [one for one in found if one.certainty == ("definite" if state == "open" else "possible")]
    if state in ("settled", "all"):
        still = {(one.left, one.right) for one in unsettled}
        found = [*found, *_settled(tenant, caller, tenant.seq_of(as_of), still)]
    return [one for one in found if _asked(tenant, one, subject, predicate, source)]


def _asked(tenant: Tenant, one: Contradiction, subject: str | None, predicate: str | None, source: str | None) -> bool:
    if subject is not None and match_form(one.subject or "") != match_form(subject):
        return False
    if predicate is not None and match_form(one.predicate or "") != match_form(predicate):
        return False
    return source is None or any(source in _sources(tenant, side) for side in (one.left, one.right))


def _sources(tenant: Tenant, claim_id: str) -> set[str | None]:
    needed = {n for backer in tenant.graph.justifications(claim_id) for n in backer.justification.requires}
    return {view.source.uri for one in needed if (view := tenant.graph.evidence(one)) is not None}


def _settled(tenant: Tenant, caller: Caller, known: int, still: set[tuple[str, str]]) -> Iterator[Contradiction]:
    """Yield the conflicts that were recorded and are no longer open."""
    for conflict, seq in tenant.graph.conflicts():
        left, right = tenant.graph.claim(conflict.left), tenant.graph.claim(conflict.right)
        if left is None or right is None or seq > known or (conflict.left, conflict.right) in still:
            continue
        try:
            for one in (left, right):
                visible_claim(tenant, caller, one.claim.id)
        except NotFound:
            continue
        yield Contradiction(
            left=conflict.left,
            right=conflict.right,
            subject=left.claim.subject,
            predicate=left.claim.predicate,
            left_object=left.claim.object,
            right_object=right.claim.object,
            valid_from=iso(conflict.overlap_from),
            valid_to=iso(conflict.overlap_to),
            pattern=conflict.pattern,
            certainty="settled",
            rule=conflict.rule,
            scope=left.claim.scope,
        )


# -- one pair


def dispute(tenant: Tenant, caller: Caller, left_id: str, right_id: str) -> Dispute:
    """See `Handle.dispute`."""
    left, right = visible_claim(tenant, caller, left_id), visible_claim(tenant, caller, right_id)
    if left_id == right_id:
        raise RequestError("name two different claims")
    slots = Slots.around(tenant, left.claim.scope)
    together = left.claim.slot_id == right.claim.slot_id
    overlap = _overlap(left.claim.interval, right.claim.interval)
    probe = tenant.now() if overlap is None or overlap[0] <= tenant.now() < overlap[1] else overlap[0]
    row, reason = "", "They belong to different slots; each stands by itself."
    if together:
        later, earlier = (left, right) if (left.seq, left.claim.id) > (right.seq, right.claim.id) else (right, left)
        judged = classify(later, earlier, slots.declared(later.claim), tenant.book, same=slots.same)
        row, reason = judged.row, judged.reason
    return Dispute(
        subject=left.claim.subject,
        predicate=left.claim.predicate,
        scope=left.claim.scope,
        row=row,
        reason=reason,
        overlap_from=None if overlap is None else iso(overlap[0]),
        overlap_to=None if overlap is None else iso(overlap[1]),
        left=_side(tenant, caller, left),
        right=_side(tenant, caller, right),
        asked_at=iso(probe) or "",
        choices=tuple(_choices(tenant, caller, slots, left, right, probe, together=together)),
    )


def _overlap(one: Interval, other: Interval) -> tuple[Instant, Instant] | None:
    start, end = max(one.from_lo, other.from_lo), min(one.to_hi, other.to_hi)
    return (start, end) if start < end else None


def _side(tenant: Tenant, caller: Caller, view: SlotClaim) -> Side:
    claim, found = view.claim, explain(tenant, caller, view.claim.id)
    must = claim.interval.must
    return Side(
        id=claim.id,
        object=claim.object,
        polarity=claim.polarity,
        state=found.state,
        channel=label_of(tenant, claim.id),
        may_from=iso(claim.interval.from_lo),
        may_to=iso(claim.interval.to_hi),
        must_from=None if must is None else iso(must[0]),
        must_to=None if must is None else iso(must[1]),
        certain=must is not None,
        evidence=found.evidence,
        context=context_of(tenant, caller, claim.id),
    )


def _choices(
    tenant: Tenant,
    caller: Caller,
    slots: Slots,
    left: SlotClaim,
    right: SlotClaim,
    probe: Instant,
    *,
    together: bool,
) -> Iterator[Choice]:
    claims = slots.slot(left).claims
    yield Choice(
        what="leave it",
        command="",
        answer=_answer(tenant, slots, left, claims, probe),
        note="Recall shows both and says that they contradict each other.",
    )
    for keep, lose in ((left, right), (right, left)) if together else ():
        decided = [_decided(tenant, one) if one.claim.id == keep.claim.id else one for one in claims]
        yield Choice(
            what=f"keep {keep.claim.object or keep.claim.id}",
            command=f"tkg supersede {lose.claim.id} {keep.claim.id}",
            answer=_answer(tenant, slots, left, decided, probe),
            stale=_written_from(tenant, caller, lose),
            note="The other claim keeps its place before and after the time both share, and stays readable.",
        )
    for gone in (left, right):
        yield _withdrawal(tenant, caller, slots, gone, left, probe)


def _withdrawal(
    tenant: Tenant, caller: Caller, slots: Slots, gone: SlotClaim, left: SlotClaim, probe: Instant
) -> Choice:
    if state_of(tenant, gone.claim.id).state == "revoked":
        return Choice(what=f"withdraw {gone.claim.object or gone.claim.id}", command="", note="It is revoked already.")
    made = plan(tenant, caller, Target(claim=gone.claim.id), "revoked")
    rest = [one for one in slots.slot(left).claims if one.claim.id != gone.claim.id]
    return Choice(
        what=f"withdraw {gone.claim.object or gone.claim.id}",
        command=f"tkg revoke {gone.claim.id}",
        answer=_answer(tenant, slots, left, rest, probe),
        falls=tuple(named(tenant, caller, one.id) for one in (*made.falls, *made.suspended)),
        note="It counts as never having been right; what grew from it goes with it.",
    )


def _answer(tenant: Tenant, slots: Slots, view: SlotClaim, claims: Sequence[SlotClaim], probe: Instant) -> Value:
    declared = slots.slot(view).predicate
    found = validity.value([claims], declared, tenant.book, probe, lookup=slots.lookup, same=slots.same)
    return shown_answer(found)


def _decided(tenant: Tenant, view: SlotClaim) -> SlotClaim:
    """Return a claim as a person's decision for it would leave it."""
    support = Justification(
        id="planned",
        head=view.claim.id,
        requires=("planned",),
        channel=Channel.HUMAN_VERIFIED,
        origins=("planned",),
        observed_at=tenant.now(),
        slot_id=view.claim.slot_id,
    )
    return replace(view, backers=(*view.backers, Backer(support, tenant.ledger.head.seq + 1)))


def _written_from(tenant: Tenant, caller: Caller, view: SlotClaim) -> tuple[Named, ...]:
    """Return the texts written directly from a claim: they would be out of date."""
    near = (reach.id for reach in tenant.graph.descendants(view.claim.id) if reach.depth == 1)
    return tuple(named(tenant, caller, one) for one in near if tenant.graph.artefact(one) is not None)
