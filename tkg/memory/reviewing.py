"""What waits for a person: the queue with what a decision needs, and the decision itself, which can be taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple

from tkg.belief import validity
from tkg.errors import Conflict, NotPermitted, Rejected, RequestError
from tkg.ids import canonical, kind_of
from tkg.memory import writing
from tkg.memory.answers import Plan, Rival, Waiting
from tkg.memory.caller import Caller
from tkg.memory.changing import decision_evidence, person
from tkg.memory.inspecting import explain, label
from tkg.memory.proposal import Proposal
from tkg.memory.repeating import OTHER_REQUEST, request_id
from tkg.memory.replan import consequences, marks, support_changes
from tkg.memory.resurfacing import follow
from tkg.memory.slots import Slots
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import bound_node, owns, reaches, scope_of, visible_claim, visible_node
from tkg.model.claim import Justification
from tkg.model.entry import Record
from tkg.model.evidence import Evidence
from tkg.model.scope import GLOBAL, Channel
from tkg.model.time import iso
from tkg.model.verdict import Note, Outcome, StatusChange
from tkg.model.view import Backer, SlotClaim

DECISIONS: Final = ("accept", "reject", "edit", "merge", "reopen")
#: fields of a claim that an edit may change
EDITABLE: Final = ("subject", "predicate", "object", "valid_from", "valid_to")
#: characters of an episode shown on each side of a quote
_AROUND: Final = 240
#: pieces of evidence of a source that are looked through for the episode a quote stands in
_LOOKED_AT: Final = 25


# -- the queue


def queue(tenant: Tenant, caller: Caller) -> list[tuple[int, str]]:
    """Return (transaction, id) of everything that waits for a person in the caller's reach, oldest first."""
    found: list[tuple[int, str]] = []
    for one in (*tenant.book.targets("status", "held"), *tenant.book.targets("status", "quarantined")):
        if not _waits(tenant, one) or tenant.book.support(one) == "unsupported":
            continue
        claim, text = tenant.graph.claim(one), tenant.graph.artefact(one)
        if claim is not None and claim.claim.scope == GLOBAL and not owns(caller, GLOBAL):
            continue  # what is global waits for a person there
        if claim is not None and reaches(caller, claim.claim.scope):
            found.append((claim.seq, one))
        # an episode is a record of what happened: what it says is decided claim by claim
        elif text is not None and text.artefact.kind != "episode" and reaches(caller, text.artefact.scope):
            found.append((text.seq, one))
    return sorted(found)


def review(tenant: Tenant, caller: Caller) -> list[Waiting]:
    """See `Handle.review`."""
    return [waiting(tenant, caller, one) for _, one in queue(tenant, caller)]


def waiting(tenant: Tenant, caller: Caller, identifier: str) -> Waiting:
    """Return a candidate with what a decision needs: why it waits, its words in context, its rivals, what would follow."""
    found = explain(tenant, caller, identifier)
    claim = tenant.graph.claim(identifier)
    reasons = (c.reason for d in found.decisions for c in d.checks if c.outcome in ("hold", "quarantine"))
    last = tenant.book.last(identifier, "status")
    held_at = next((seq for seq, change in reversed(tenant.book.history(identifier)) if change is last), 0)
    since = _time_of(tenant, held_at)
    return Waiting(
        **found.model_dump(),
        waits_because=" ".join(dict.fromkeys(reasons)) or found.code,
        consequence="low" if claim is None else claim.claim.consequence,
        since=iso(since),
        age_seconds=max(0, (tenant.now() - since) // 1_000_000),
        context=context_of(tenant, caller, identifier),
        rivals=() if claim is None else tuple(_rivals(tenant, claim)),
        on_accept=_on_accept(tenant, caller, claim, identifier),
        on_reject="It stays out of use; its words and this decision are kept, and the same words will not wait again.",
    )


def _time_of(tenant: Tenant, seq: int) -> int:
    return next((entry.tx_time for entry in tenant.ledger.read_since(seq - 1)), tenant.now()) if seq else tenant.now()


def _waits(tenant: Tenant, identifier: str) -> bool:
    """Return whether a person's decision is awaited (a person's own quarantine is lifted with `release`)."""
    status = tenant.book.status(identifier)
    if status != "quarantined":
        return status == "held"
    last = tenant.book.last(identifier, "status")
    return last is not None and last.actor is None


def context_of(tenant: Tenant, caller: Caller, identifier: str) -> str | None:
    """Return the words around the quote a candidate rests on, from an episode the caller reaches; None where there is none."""
    for backer in tenant.graph.justifications(identifier):
        for required in backer.justification.requires:
            view = tenant.graph.evidence(required) if kind_of(required) == "evidence" else None
            if view is None or view.evidence.quote is None:
                continue
            for text in _episodes(tenant, caller, view.source.id):
                at = text.find(view.evidence.quote)
                if at >= 0:
                    end = at + len(view.evidence.quote)
                    return text[max(0, at - _AROUND) : end + _AROUND]
    return None


def _episodes(tenant: Tenant, caller: Caller, source_id: str) -> Iterator[str]:
    # a source is one node for the whole tenant: whoever names its uri must not read what others kept of it
    said = (one for one in tenant.graph.evidence_from(source_id) if reaches(caller, scope_of(tenant, one) or ""))
    for evidence in islice(said, _LOOKED_AT):
        for reach in tenant.graph.descendants(evidence):
            view = tenant.graph.artefact(reach.id)
            if view is None or view.artefact.kind != "episode" or not reaches(caller, view.artefact.scope):
                continue
            if view.artefact.content is not None:
                yield view.artefact.content


def _rivals(tenant: Tenant, claim: SlotClaim) -> Iterator[Rival]:
    for one in Slots.around(tenant, claim.claim.scope).of(claim):
        if one.claim.id == claim.claim.id or not tenant.book.live(one.claim.id):
            continue
        yield Rival(
            id=one.claim.id,
            object=one.claim.object,
            polarity=one.claim.polarity,
            channel=max((b.justification.channel for b in one.backers), key=lambda c: c.rank, default=Channel.EXTERNAL),
            valid_from=iso(one.claim.interval.valid_from),
            valid_to=iso(one.claim.interval.valid_to),
            said_by=label(tenant, one.backers[0].justification.requires[0]) if one.backers else None,
        )


def _on_accept(tenant: Tenant, caller: Caller, claim: SlotClaim | None, identifier: str) -> str:
    """Return in one sentence what accepting would do to the answer, by the same belief that will give it."""
    if claim is None:
        return "It comes into use, with your decision as its second signature."
    slots = Slots.around(tenant, claim.claim.scope)
    slot, now, seq = slots.slot(claim), tenant.now(), tenant.ledger.head.seq + 1
    vouched = Backer(
        Justification(
            id="jst_planned",
            head=identifier,
            requires=("evd_planned",),
            channel=Channel.HUMAN_VERIFIED,
            origins=(tenant.names.origin(caller.principal or "reviewer"),),
            observed_at=now,
            slot_id=claim.claim.slot_id,
        ),
        seq,
    )
    after = [replace(c, backers=(*c.backers, vouched)) if c.claim.id == identifier else c for c in slot.claims]
    change = StatusChange(id="sta_planned", target=identifier, axis="status", value="active")
    book = tenant.book.copy_with([(change, seq)])
    at = min(max(now, claim.claim.interval.valid_from), claim.claim.interval.valid_to - 1)
    old = validity.value([slot.claims], slot.predicate, tenant.book, at, lookup=slots.lookup, same=slots.same)
    new = validity.value([after], slot.predicate, book, at, lookup=slots.lookup, same=slots.same)
    if (old.kind, old.values) == (new.kind, new.values):
        return f"The answer stays {_answer(old)}."
    return f"The answer changes from {_answer(old)} to {_answer(new)}."


def _answer(found: validity.Answer) -> str:
    if not found.values:
        return "nothing" if found.kind == "none" else found.kind
    return f"{'a conflict of ' if found.kind == 'conflict' else ''}{' / '.join(found.values)}"


# -- decisions


def decide(
    tenant: Tenant,
    caller: Caller,
    identifier: str,
    decision: str,
    reason: str,
    *,
    changes: Mapping[str, Any] | None = None,
    into: str | None = None,
    seconds: float | None = None,
    idempotency_key: str | None = None,
) -> Plan:
    """See `Handle.decide`."""
    principal = person(caller, "a decision")
    if decision not in DECISIONS:
        raise RequestError(f"the decision is one of {', '.join(DECISIONS)}")
    if (decision == "edit") is not bool(changes) or (decision == "merge") is not (into is not None):
        raise RequestError("an edit takes changes={field: value}, a merge into=ID, and no other decision takes either")
    bound_node(tenant, caller, identifier)
    shown = told(reason, "reason") if reason else None
    request = None
    if idempotency_key is not None:
        request = request_id(tenant, caller, "decide", idempotency_key, kind="nte")
        asked = tenant.names.digest(
            identifier, decision, into or "", canonical({name: str(one) for name, one in (changes or {}).items()})
        )
        if (before := _decided_before(tenant, identifier, request, asked)) is not None:
            return before
        request = f"{request} {asked}"
    how = _How(seconds, request)
    if decision == "reopen":
        return _reopen(tenant, caller, identifier, principal, shown, how)
    status = tenant.book.status(identifier)
    if not _waits(tenant, identifier):
        raise Conflict(f"the candidate is {status}; only one that waits can be decided")
    claim = tenant.graph.claim(identifier)
    if decision in ("accept", "edit", "merge"):
        proposers = {verdict.principal for verdict, _ in tenant.graph.verdicts(identifier)}
        if principal in proposers:
            raise NotPermitted("the proposer cannot approve it; another person must")
        if shown is None and claim is not None and claim.claim.consequence == "high":
            raise RequestError("a decision for a claim of high consequence needs a reason")
    if decision == "edit":
        return _edit(tenant, caller, _must_be_claim(claim), principal, shown, changes or {}, how)
    if decision == "merge":
        return _merge(tenant, caller, _must_be_claim(claim), principal, shown, into or "", how)
    return _settle(tenant, caller, identifier, claim, decision == "accept", principal, shown, how)


def decide_many(tenant: Tenant, caller: Caller, identifiers: Sequence[str], decision: str, reason: str) -> list[Plan]:
    """See `Handle.decide_many`."""
    person(caller, "a decision")
    if decision not in ("accept", "reject"):
        raise RequestError("several candidates are accepted or rejected; the rest is decided one by one")
    for one in identifiers:
        bound_node(tenant, caller, one)
        view = tenant.graph.claim(one)
        acts = view is None or view.claim.consequence == "high"
        if decision == "accept" and acts:
            raise NotPermitted("what has high consequence, and what agents follow, is accepted one by one")
    return [decide(tenant, caller, one, decision, reason) for one in dict.fromkeys(identifiers)]


def _must_be_claim(claim: SlotClaim | None) -> SlotClaim:
    if claim is None:
        raise RequestError("only a claim can be edited or merged; reject the text and have it written anew")
    return claim


class _How(NamedTuple):
    """How long a decision took, and the request it answers (its keyed id and what was asked)."""

    seconds: float | None
    request: str | None


def _decided_before(tenant: Tenant, identifier: str, request: str, asked: str) -> Plan | None:
    """Return what a request did when it was made before.

    Raises:
        Conflict: the key was used for another decision about this candidate.
    """
    for seq, change in tenant.book.history(identifier):
        entry = next(iter(tenant.ledger.read_since(seq - 1))) if change.axis == "status" else None
        for record in () if entry is None else entry.records:
            if not isinstance(record, Note) or record.about != "review" or record.body is None:
                continue
            body = json.loads(record.body)
            known, _, what = str(body.get("request", "")).partition(" ")
            if known == request and what != asked:
                raise Conflict(OTHER_REQUEST)
            if known == request:
                return Plan(status=body["status"], targets=(identifier,), planned_at=seq - 1, done_at=seq)
    return None


def _settle(
    tenant: Tenant,
    caller: Caller,
    identifier: str,
    claim: SlotClaim | None,
    accepted: bool,
    principal: str,
    reason: str | None,
    how: _How,
) -> Plan:
    records: list[Record] = []
    added: list[Justification] = []
    if accepted and claim is not None:
        records, support = decision_evidence(tenant, caller, claim, f"review:{identifier}", reason)
        added = [support]
    elif accepted:  # an artefact has one justification; the decision stands beside it and can be taken back as well
        offered = Evidence(uri=f"review:{identifier}", quote=reason)
        source, stored = writing.stored_evidence(
            tenant, caller, offered, Channel.HUMAN_VERIFIED, tenant.now(), system_of_record=False
        )
        records = [*source, stored]
    changes = {identifier: "active" if accepted else "rejected"}
    seq = tenant.ledger.head.seq + 1
    found = consequences(tenant, changes, [Backer(one, seq) for one in added])
    records += marks(tenant, found, code="approved" if accepted else "refused", actor=principal, reason=reason)
    return _commit(tenant, caller, identifier, records, changes[identifier], how)


def _edit(
    tenant: Tenant,
    caller: Caller,
    claim: SlotClaim,
    principal: str,
    reason: str | None,
    changes: Mapping[str, Any],
    how: _How,
) -> Plan:
    """Let a person's corrected claim take the candidate's place; the original words stay its evidence."""
    if unknown := set(changes) - set(EDITABLE):
        raise RequestError(f"{min(unknown)!r} cannot be edited; only {', '.join(EDITABLE)}")
    one = claim.claim
    if one.subject is None or one.predicate is None or one.object is None:
        raise Conflict("the candidate's words were erased; reject it")
    fields: dict[str, Any] = {"subject": one.subject, "predicate": one.predicate, "object": one.object}
    fields |= {"polarity": one.polarity, "valid_from": iso(one.interval.valid_from) or ".."}
    old = next((v for v in map(tenant.graph.evidence, claim.backers[0].justification.requires) if v is not None), None)
    quote = reason if old is None or old.evidence.quote is None else old.evidence.quote
    proposal = Proposal.read(**{**fields, **changes, "evidence": Evidence(uri=f"review:{one.id}", quote=quote)})
    reviewer = replace(caller, channel=Channel.HUMAN_VERIFIED)
    prepared = writing.prepare(tenant, reviewer, proposal)
    if not {"valid_from", "valid_to"} & set(changes):
        prepared = replace(prepared, claim=prepared.claim.model_copy(update={"interval": one.interval}))
    verdict = writing.write(tenant, reviewer, prepared, tenant.ids.new("vrd"))
    if verdict.outcome is Outcome.REJECTED:
        raise Rejected(f"the edited claim was refused ({verdict.code}); nothing was decided")
    note = f"replaced by {verdict.claim_id}" if reason is None else f"replaced by {verdict.claim_id}: {reason}"
    found = consequences(tenant, {one.id: "rejected"})
    records = marks(tenant, found, code="edited", actor=principal, reason=note)
    made = _commit(tenant, caller, one.id, records, "rejected", how)
    return made.model_copy(update={"targets": (one.id, verdict.claim_id or "")})


def _merge(
    tenant: Tenant,
    caller: Caller,
    claim: SlotClaim,
    principal: str,
    reason: str | None,
    into: str,
    how: _How,
) -> Plan:
    """Let the candidate's evidence back another claim that a person says is the same; the candidate goes."""
    bound_node(tenant, caller, into)
    target = visible_claim(tenant, caller, into)
    if target.claim.polarity != claim.claim.polarity:
        raise Conflict("an assertion and a denial are never the same claim")
    if target.claim.id == claim.claim.id or not tenant.book.live(into):
        raise Conflict("the claim to merge into must be another one that stands")
    seq = tenant.ledger.head.seq + 1
    added = [
        backer.justification.model_copy(
            update={"id": tenant.ids.new("jst"), "head": into, "slot_id": target.claim.slot_id}
        )
        for backer in claim.backers
    ]
    records: list[Record] = [*added, *support_changes(tenant, added, {}, seq)]
    found = consequences(tenant, {claim.claim.id: "rejected"})
    note = f"the same as {into}" if reason is None else f"the same as {into}: {reason}"
    records += marks(tenant, found, code="merged", actor=principal, reason=note)
    made = _commit(tenant, caller, claim.claim.id, records, "rejected", how)
    return made.model_copy(update={"targets": (claim.claim.id, into)})


def _reopen(tenant: Tenant, caller: Caller, identifier: str, principal: str, reason: str | None, how: _How) -> Plan:
    """Take a decision back: its evidence is revoked, and the candidate waits again."""
    last = tenant.book.last(identifier, "status")
    if last is None or last.code not in ("approved", "refused", "edited"):
        raise Conflict("no decision of a review stands on it; revoke or release it instead")
    made = tenant.graph.evidence_from(tenant.names.source(f"review:{identifier}"))
    changes = {one: "revoked" for one in made if last.code == "approved" and tenant.book.status(one) == "active"}
    changes[identifier] = "held"
    found = follow(tenant, changes)
    records = found.records(tenant, code="reopened", actor=principal, reason=reason)
    return _commit(tenant, caller, identifier, records, "held", how)


def _commit(tenant: Tenant, caller: Caller, identifier: str, records: Sequence[Record], status: str, how: _How) -> Plan:
    spent = None if how.seconds is None else max(0, min(round(how.seconds * 1000), 86_400_000))
    body = {"candidate": identifier, "status": status, "milliseconds": spent}
    note = Note(
        id=tenant.ids.new("nte"),
        about="review",
        body=canonical(body if how.request is None else {**body, "request": how.request}),
        actor=caller.principal,
    )
    scope = visible_node(tenant, caller, identifier)
    entry = tenant.commit("decide", scope, [*records, note])
    return Plan(status=status, targets=(identifier,), planned_at=entry.seq - 1, done_at=entry.seq)
