"""The write path: one proposal through the gate into the ledger, in one transaction.

Everything is computed before the append (ids, edges, states, what a new support brings back), so that applying an
entry to the graph is only inserting rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tkg.belief.assessed import Assessed
from tkg.belief.contradiction import assess
from tkg.belief.normalise import Normal, normalise
from tkg.belief.patterns import ill_typed
from tkg.errors import Conflict, InvalidTime, NotFound
from tkg.gate import Assessment, GateContext, Judgement, judge
from tkg.ids import canonical, digest
from tkg.memory.ambiguity import ambiguous
from tkg.memory.caller import Caller
from tkg.memory.clashing import REASONS, across
from tkg.memory.exposure import shown_antecedents, was_shown
from tkg.memory.pointers import pointer
from tkg.memory.proposal import Proposal
from tkg.memory.replan import born, support_changes
from tkg.memory.replay import Replay, replayed
from tkg.memory.resurfacing import follow
from tkg.memory.slots import Slots
from tkg.memory.stamps import own_word, recalled
from tkg.memory.tenant import Tenant
from tkg.memory.texts import written_label
from tkg.memory.told import beside
from tkg.memory.tombstones import erased_before
from tkg.memory.trial import trial_tenant
from tkg.memory.visible import visible_claim
from tkg.model.claim import Claim, Justification
from tkg.model.document import Candidate
from tkg.model.entry import Record
from tkg.model.evidence import Evidence, Source, StoredEvidence
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import Instant, Interval, parse_observed
from tkg.model.verdict import Outcome, StatusChange, Verdict
from tkg.model.view import Backer, SlotClaim

if TYPE_CHECKING:
    from tkg.memory.deriving import Basis
    from tkg.memory.store import Memory

#: types whose values are equal exactly when their normal forms are
_ALIKE = frozenset({"boolean", "email", "enum", "url", "version"})
#: rows under which the slot itself found nothing that a person must look at
_QUIET = frozenset({"row-0", "row-1", "row-2", "row-3", "row-4", "row-5"})
#: outcomes under which the candidate becomes a claim of its own
_OWN_CLAIM = (Outcome.ACCEPTED, Outcome.HELD, Outcome.QUARANTINED)
#: what belief found -> what the gate is told; a withdrawal or a closing is an acceptance with edges
_ASKS: dict[str, Literal["accept", "reinforce", "hold", "quarantine"]] = {
    "accept": "accept",
    "withdraw": "accept",
    "close": "accept",
    "reinforce": "reinforce",
    "hold": "hold",
    "quarantine": "quarantine",
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A proposal resolved against a tenant: ids, interval, class, and the rows it would write.

    `support` holds source and evidence (empty for what is derived), `label` the class after the session's exposure.
    """

    candidate: Candidate
    predicate: Predicate
    channel: Channel
    label: Channel
    support: tuple[Record, ...]
    evidence: StoredEvidence | None
    claim: Claim
    justifications: tuple[Justification, ...]
    rivals: tuple[SlotClaim, ...]
    echo: bool
    ambiguous: str | None
    frozen: bool
    tombstoned: bool
    seq: int
    slots: Slots

    @property
    def view(self) -> SlotClaim:
        """The claim as belief would see it once written."""
        return SlotClaim(self.claim, self.seq, tuple(Backer(one, self.seq) for one in self.justifications))


def found_tenant(memory: Memory, caller: Caller, proposal: Proposal) -> Verdict | None:
    """Bring the caller's tenant into being if this proposal would be accepted there.

    Returns:
        None when the tenant exists now; the verdict when the proposal was rejected, in which case nothing was written.

    Raises:
        NotFound: the tenant does not exist and this channel may not create one.
    """
    if memory.exists(caller.scope.tenant):
        return None
    channel, _ = caller.stating()
    if not memory.may_create(channel):
        raise NotFound(
            "no such tenant; check the spelling, or make it: memory.create_tenant(id), `tkg init --tenant ID`"
        )
    verdict = propose(trial_tenant(memory, caller.scope.tenant), caller, proposal)
    if verdict.outcome is Outcome.REJECTED:
        return verdict
    memory.create_tenant(caller.scope.tenant)
    return None


def propose(tenant: Tenant, caller: Caller, proposal: Proposal) -> Verdict:
    """Judge a proposal and write what the gate allows; see `Handle.propose`."""
    _, principal = caller.stating()
    verdict_id = tenant.ids.new("vrd")
    if proposal.idempotency_key is not None:
        verdict_id = tenant.names.request("vrd", caller.scope.path, principal, proposal.idempotency_key)
        if (before := tenant.graph.verdict(verdict_id)) is not None:
            name = Slots(tenant, tenant.visible(caller.scope)).registry.get(proposal.predicate).name
            if before[0].candidate != statement_digest(tenant, caller.scope.path, proposal, name):
                raise Conflict("this idempotency key was used for another claim; use a new key for a new request")
            return before[0]
    prepared = prepare(tenant, caller, proposal)
    if proposal.expected_digest is not None and proposal.expected_digest != slot_digest(tenant, prepared.rivals):
        raise Conflict("the slot has changed since that digest was taken; read it again and repeat the request")
    return write(tenant, caller, prepared, verdict_id)


def statement_digest(tenant: Tenant, scope: str, said: Proposal | Claim, predicate: str) -> str:
    """Return the keyed digest of a statement: all that is kept of a refused one, and what a repeated request must match."""
    return tenant.names.digest(scope, said.subject or "", predicate, said.object or "", said.polarity)


def prepare(tenant: Tenant, caller: Caller, proposal: Proposal, basis: Basis | None = None) -> Prepared:
    """Resolve a proposal: ids, interval, class from the channel and the session's exposure, and its rivals.

    Args:
        tenant: the open tenant.
        caller: who speaks.
        proposal: what is proposed.
        basis: what it is derived from, for an inferred claim; else it rests on the proposal's evidence.
    """
    channel, _ = caller.speaking()
    now, names = tenant.now(), tenant.names
    observed = now if proposal.observed_at is None else parse_observed(proposal.observed_at)
    if observed > now + tenant.policies.write.future_skew_seconds * 1_000_000:
        raise InvalidTime("observed_at lies in the future; pass the time at which the source said so")
    for other in proposal.depends_on:
        visible_claim(tenant, caller, other)
    slots = Slots(tenant, tenant.visible(caller.scope))
    predicate = slots.registry.get(proposal.predicate)
    claim = _claim(tenant, caller, proposal, predicate, observed)
    label = written_label(tenant, caller) if basis is None else basis.label
    rivals = tuple(slots.claims(claim.scope, proposal.subject, predicate.name))
    support: tuple[Record, ...] = ()
    evidence = None
    if basis is None:
        offered = proposal.evidence or Evidence(uri=_own_uri(caller))
        record = channel is Channel.SYSTEM_OF_RECORD and offered.uri.partition("#")[0] in predicate.system_of_record
        source, evidence = stored_evidence(tenant, caller, offered, label, observed, system_of_record=record)
        support = (*source, evidence)
        justifications: Sequence[Justification] = [said(tenant, caller, claim.id, evidence, claim.slot_id)]
    else:
        justifications = basis.justifications(tenant, claim.id, claim.slot_id, observed)
    return Prepared(
        candidate=_candidate(proposal, caller.scope.path, observed),
        predicate=predicate,
        channel=channel,
        label=label,
        support=support,
        evidence=evidence,
        claim=claim,
        justifications=tuple(justifications),
        rivals=rivals,
        echo=_echo(tenant, caller, proposal, claim, rivals) if basis is None else recalled(proposal.object),
        ambiguous=ambiguous(tenant, caller, proposal.subject),
        frozen=tenant.book.frozen(
            {*tenant.visible(caller.scope)}
            | names.decided(tenant.visible(caller.scope), (claim.subject_id, names.predicate(proposal.predicate)))
        ),
        tombstoned=erased_before(
            tenant,
            caller,
            claim,
            uri=None if basis is not None else (proposal.evidence or Evidence(uri=_own_uri(caller))).uri,
            observed=observed if proposal.dated else None,
        ),
        seq=tenant.ledger.head.seq + 1,
        slots=slots,
    )


def _echo(tenant: Tenant, caller: Caller, proposal: Proposal, claim: Claim, rivals: tuple[SlotClaim, ...]) -> bool:
    """Return whether the memory's own voice comes back: shown in this session, or quoted from a block of recall."""
    quote = None if proposal.evidence is None else proposal.evidence.quote
    if recalled(quote) or recalled(proposal.object):
        return True
    return was_shown(tenant, caller, rivals, claim.object_norm, (proposal.subject, proposal.object))


def _own_uri(caller: Caller) -> str:
    return f"session:{caller.session}" if caller.session else f"said:{caller.principal}"


def _claim(tenant: Tenant, caller: Caller, proposal: Proposal, predicate: Predicate, observed: Instant) -> Claim:
    names, scope = tenant.names, caller.scope.path
    normal = normalise(proposal.object, predicate)
    return Claim(
        id=tenant.ids.new("clm"),
        scope=scope,
        slot_id=names.slot(scope, proposal.subject, predicate.name),
        subject_id=names.entity(proposal.subject),
        # values that are equal only when they are written alike once normalised meet in one node
        object_id=names.entity(meeting(proposal.object, normal)),
        object_type=normal.type,
        polarity=proposal.polarity,
        interval=Interval.make(proposal.valid_from, proposal.valid_to, default_from=observed),
        consequence=predicate.consequence,
        depends_on=proposal.depends_on,
        subject=proposal.subject,
        predicate=predicate.name,
        object=proposal.object,
        object_norm=normal.norm,
    )


def meeting(text: str, normal: Normal) -> str:
    """Return the name of the node in which equal values meet."""
    return normal.norm if normal.type in _ALIKE else text


def _candidate(proposal: Proposal, scope: str, observed: Instant) -> Candidate:
    return Candidate(
        scope=scope,
        subject=proposal.subject,
        predicate=proposal.predicate,
        object=proposal.object,
        polarity=proposal.polarity,
        modality=proposal.modality,
        valid_from=None if proposal.valid_from is None else str(proposal.valid_from),
        valid_to=None if proposal.valid_to is None else str(proposal.valid_to),
        observed_at=observed,
        quote=None if proposal.evidence is None else proposal.evidence.quote,
        uri=None if proposal.evidence is None else proposal.evidence.uri,
        beside=beside(proposal.evidence),
    )


def stored_evidence(
    tenant: Tenant, caller: Caller, offered: Evidence, channel: Channel, observed: Instant, *, system_of_record: bool
) -> tuple[tuple[Source, ...], StoredEvidence]:
    """Return the records of a piece of evidence: its source if that is new, and itself.

    A copy has the origin of what it was copied from, so that it never counts as another witness.
    """
    _, principal = caller.speaking()
    names = tenant.names
    source = Source(id=tenant.source_id(offered.uri), uri=offered.uri, owner=offered.owner)
    copied = None if offered.copy_of is None else tenant.source_id(offered.copy_of)
    origin = names.origin(principal)
    if copied is not None and (originals := tenant.graph.evidence_from(copied)):
        original = tenant.graph.evidence(originals[0])
        origin = origin if original is None else original.evidence.origin
    evidence = StoredEvidence(
        id=tenant.ids.new("evd"),
        scope=caller.scope.path,
        source_id=source.id,
        channel=channel,
        system_of_record=system_of_record,
        origin=origin,
        principal_id=names.principal(principal),
        session_id=None if caller.session is None else names.session(caller.session),
        observed_at=observed,
        copy_of=copied,
        version=offered.version,
        quote=offered.quote,
        locator=offered.locator,
        extractor=offered.extractor,
        principal=principal,
        session=caller.session,
    )
    known = tenant.graph.source(source.id) is not None
    return (() if known else (source,)), evidence


def said(tenant: Tenant, caller: Caller, head: str, evidence: StoredEvidence, slot_id: str | None) -> Justification:
    """Return the justification of what was said or written, by its evidence.

    What an agent says in a session also rests on what the session was shown, so that it falls with it.
    """
    shown = shown_antecedents(tenant, caller) if caller.channel is Channel.AGENT_INFERRED else ()
    return Justification(
        id=tenant.ids.new("jst"),
        head=head,
        requires=(evidence.id, *(one for one in shown if tenant.book.live(one))),
        kind="derivation" if shown else "evidence",
        channel=evidence.channel,
        system_of_record=evidence.system_of_record,
        origins=(evidence.origin,),
        observed_at=evidence.observed_at,
        slot_id=slot_id,
    )


def write(tenant: Tenant, caller: Caller, prepared: Prepared, verdict_id: str, *, op: str = "propose") -> Verdict:
    """Let the gate judge what was prepared and commit the verdict with whatever it allows."""
    found = _assess(tenant, prepared)
    before = replayed(tenant, prepared)
    judged = judge(prepared.candidate, _context(tenant, prepared, found, before), tenant.policies.write)
    claim_id: str | None
    evidence_id = None if prepared.evidence is None else prepared.evidence.id
    if before is not None and before.kept is not None and judged.outcome is not Outcome.REJECTED:
        records: list[Record] = []
        claim_id, evidence_id = before.kept, before.evidence_id
    else:
        records, claim_id = _records(tenant, prepared, found, judged)
    claim = prepared.claim
    verdict = Verdict(
        id=verdict_id,
        scope=claim.scope,
        outcome=judged.outcome,
        code=judged.code,
        stage=judged.stage,
        claim_id=claim_id,
        evidence_id=None if claim_id is None else evidence_id,
        channel=min(prepared.channel, prepared.label, key=lambda one: one.rank),
        consequence=claim.consequence,
        confidence=judged.confidence,
        source_id=None if prepared.evidence is None else prepared.evidence.source_id,
        predicate_id=tenant.names.predicate(claim.predicate or ""),
        candidate=statement_digest(tenant, claim.scope, claim, claim.predicate or ""),
        checks=judged.checks,
        principal=caller.principal,
        session=caller.session,
    )
    records += pointer(tenant, prepared.candidate, prepared.predicate, prepared.label, judged)
    tenant.commit(op, claim.scope, [*records, verdict])
    if before is not None and before.kept is not None:
        return verdict.model_copy(update={"digest": slot_digest(tenant, prepared.rivals)})
    return verdict.model_copy(update={"digest": slot_digest(tenant, _after(prepared, judged, found))})


def _assess(tenant: Tenant, prepared: Prepared) -> Assessed:
    """Lay the claim beside its slot, then beside what other slots hold against it.

    A clash across slots never supersedes anything: it is recorded and named, unless the slot itself asks for more. A
    value that the declared type cannot read stays out of belief until a person has looked.
    """
    view, predicate, slots = prepared.view, prepared.predicate, prepared.slots
    found = assess(view, prepared.rivals, predicate, tenant.book, label=prepared.label, same=slots.same)
    if found.outcome == "reinforce":
        return found
    if predicate.declared and ill_typed(prepared.claim.object or "", predicate) is not None:
        return replace(found, outcome="quarantine", row="pattern-C8", reason=REASONS["C8"])
    if clashes := across(tenant, slots, view):
        found = replace(found, clashes=(*found.clashes, *clashes))
        if found.outcome == "accept" and found.row in _QUIET:
            found = replace(found, row=clashes[0].row, reason=REASONS[clashes[0].pattern])
    return found


def _context(tenant: Tenant, prepared: Prepared, found: Assessed, before: Replay | None) -> GateContext:
    return GateContext(
        channel=prepared.channel,
        label=prepared.label,
        now=tenant.now(),
        predicate=prepared.predicate,
        system_of_record=any(one.system_of_record for one in prepared.justifications),
        frozen=prepared.frozen,
        tombstoned=prepared.tombstoned,
        echo=prepared.echo,
        has_evidence=_has_evidence(prepared),
        assessment=before.assessment
        if before is not None
        else Assessment(outcome=_ASKS[found.outcome], rule=found.row, reason=found.reason, target=found.target),
        ambiguous=prepared.ambiguous,
    )


def _has_evidence(prepared: Prepared) -> bool:
    """Return whether something was named that can be fetched again; an agent's own words are not that."""
    if prepared.evidence is None:  # derived: it rests on what it was derived from
        return True
    if prepared.candidate.uri is None:
        return False
    return prepared.channel.rank >= Channel.TRUSTED_TOOL.rank or not own_word(prepared.candidate.uri)


def _records(tenant: Tenant, prepared: Prepared, found: Assessed, judged: Judgement) -> tuple[list[Record], str | None]:
    """Return what an outcome writes, and the claim it is about."""
    if judged.outcome is Outcome.REJECTED:
        return [], None
    if judged.outcome is Outcome.REINFORCED and found.target is not None:
        target = tenant.graph.claim(found.target)
        # what is reinforced may lie in another slot: under another name, or stated from the other end
        slot_id = prepared.claim.slot_id if target is None else target.claim.slot_id
        added = [one.model_copy(update={"head": found.target, "slot_id": slot_id}) for one in prepared.justifications]
        records: list[Record] = [*prepared.support, *added, *found.records(tenant.ids)]
        if not (changes := _withdrawn(found)):
            return records + support_changes(tenant, added, {}, prepared.seq), found.target
        fresh = [Backer(one, prepared.seq) for one in added]
        return records + follow(tenant, changes, fresh).records(tenant, code="withdrawn", actor=None), found.target
    records = [*prepared.support, prepared.claim, *prepared.justifications, *found.records(tenant.ids)]
    records += born(tenant, prepared.claim)
    if judged.outcome in (Outcome.HELD, Outcome.QUARANTINED):
        records.append(
            StatusChange(
                id=tenant.ids.new("sta"),
                target=prepared.claim.id,
                axis="status",
                value=judged.outcome.value,
                code=judged.code,
            )
        )
    elif changes := _withdrawn(found):
        records += follow(tenant, changes, new=prepared.view).records(tenant, code="withdrawn", actor=None)
    return records, prepared.claim.id


def _withdrawn(found: Assessed) -> dict[str, str]:
    """Return the evidence an origin took back by denying the whole of what it had said (row 11)."""
    return {evidence: "revoked" for one in found.withdraws for evidence in one.evidence}


def _after(prepared: Prepared, judged: Judgement, found: Assessed) -> Iterable[SlotClaim]:
    """Return the slot as it is once the outcome is written, without reading it again."""
    if judged.outcome in _OWN_CLAIM:
        return (*prepared.rivals, prepared.view)
    if judged.outcome is not Outcome.REINFORCED:
        return prepared.rivals
    added = prepared.view.backers
    return tuple(
        SlotClaim(one.claim, one.seq, (*one.backers, *added)) if one.claim.id == found.target else one
        for one in prepared.rivals
    )


def slot_digest(tenant: Tenant, claims: Iterable[SlotClaim]) -> str:
    """Return the digest of a slot's state: which claims, backed by what, and whether each stands."""
    state = [
        [one.claim.id, tenant.book.support(one.claim.id), *(backer.justification.id for backer in one.backers)]
        for one in claims
    ]
    return digest(canonical(sorted(state)))
