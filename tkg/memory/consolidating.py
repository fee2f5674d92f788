"""Consolidation: the episodes of a window become facts, every fact is checked, and the episodes are compressed.

Three steps, each with what is there already. The texts are read again, by the rules or by a model, and what was not
proposed before goes to the gate in the name of who said it then, never as more than that. Every claim of the scope is then
looked at: still true, superseded by what, ended, in dispute. Last, episodes of one session become one summary, as `maintain`
makes it, and leave recall. Nothing is decided by the reader: a fact that the text changes is changed because the gate let
the new one in and belief ranks it higher. One note in the ledger tells the whole job, and `undo` takes it back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from tkg.errors import Conflict, NotFound, NotPermitted, RequestError
from tkg.extractors import CONFIGURATION, Extractor, Rules, formats
from tkg.extractors.contract import Ahead
from tkg.ids import canonical, kind_of
from tkg.memory import remembering, revoking, writing
from tkg.memory.answers import Condensed
from tkg.memory.caller import Caller
from tkg.memory.closure import records
from tkg.memory.condensing import archived, condense, groups, tell, unarchive
from tkg.memory.consolidated import Consolidation, FactChecked, Undone
from tkg.memory.states import contested, state_of
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.model.artefact import Artefact
from tkg.model.document import Document, Extracted, Media, Modality
from tkg.model.evidence import Evidence, StoredEvidence
from tkg.model.instant import iso
from tkg.model.scope import Channel, Scope
from tkg.model.time import FOREVER, Instant, When, parse_when
from tkg.model.verdict import Note, Outcome, StatusChange, Verdict
from tkg.model.view import SlotClaim

#: what the note of a job is about, and the code of what a job writes
JOB: Final = "consolidation"
_MAY: Final = frozenset({Channel.SYSTEM_OF_RECORD, Channel.HUMAN_VERIFIED, Channel.HUMAN_STATED})
_PEOPLE: Final = (Channel.HUMAN_STATED, Channel.HUMAN_VERIFIED)
#: episodes of one session that make a summary, where the forget policy says nothing
_FEWEST: Final = 2
#: longest plain text that is one message, as when files are loaded
_MESSAGE: Final = 60_000
#: states in the words of the report
_FOUND: Final = {
    "active": "still true",
    "superseded": "superseded",
    "unverified": "unverified",
    "archived": "archived",
}


class Told(NamedTuple):
    """An episode with where its words can be fetched again, and the verdict it was written with."""

    episode: Artefact
    evidence: StoredEvidence
    uri: str
    verdict_id: str


def consolidate(
    tenant: Tenant,
    caller: Caller,
    *,
    since: When,
    until: When,
    extractor: Extractor | None,
    compress: bool,
    dry_run: bool,
) -> Consolidation:
    """See `Handle.consolidate`."""
    start, end = _window(since, until)
    if not dry_run:
        channel, _ = caller.stating()
        if channel not in _MAY:
            raise NotPermitted("consolidation takes a person or a system of record")
    told_there = list(_episodes(tenant, caller, start, end))
    verdicts = [] if dry_run else [one for each in told_there for one in _read_again(tenant, each, extractor)]
    checked = tuple(_check_all(tenant, caller, start, end))
    leaving = [one.episode.id for one in told_there]
    fewest = tenant.policies.forget.summarise_from or _FEWEST
    found = list(groups(tenant, caller, leaving, fewest)) if compress else []
    summaries = [tell(tenant, one) if dry_run else condense(tenant, caller, one) for one in found]
    gone = [
        one
        for group, made in zip(found, summaries, strict=True)
        if dry_run or made.outcome in (Outcome.ACCEPTED, Outcome.REINFORCED)
        for one in group.ids
    ]
    job = None if dry_run else _record(tenant, caller, told_there, verdicts, checked, summaries, gone)
    return Consolidation(
        job=job,
        episodes=len(told_there),
        verdicts=tuple(verdicts),
        checked=checked,
        summaries=tuple(summaries),
        archived=tuple(gone),
        done_at=None if dry_run else tenant.ledger.head.seq,
    )


def _window(since: When, until: When) -> tuple[Instant, Instant]:
    start = -FOREVER if since is None else parse_when(since).start
    end = FOREVER if until is None else parse_when(until).end
    if start >= end:
        raise RequestError("the window is empty: since must lie before until")
    return start, end


def _episodes(tenant: Tenant, caller: Caller, start: Instant, end: Instant) -> Iterator[Told]:
    """Yield the episodes of the caller's own scope in a window that stand and are in recall, in the order written."""
    for _, scope, record in records(tenant.ledger):
        if record["record"] != "artefact" or record["kind"] != "episode" or scope != caller.scope.path:
            continue
        view = tenant.graph.artefact(record["id"])
        if view is None or not view.artefact.content or not start <= view.artefact.observed_at < end:
            continue
        if not tenant.book.live(view.artefact.id) or archived(tenant, view.artefact.id):
            continue
        if (found := _told(tenant, view.artefact)) is not None:
            yield found


def _told(tenant: Tenant, episode: Artefact) -> Told | None:
    for verdict, _ in tenant.graph.verdicts(episode.id):
        said = None if verdict.evidence_id is None else tenant.graph.evidence(verdict.evidence_id)
        if verdict.kind == "episode" and said is not None and said.source.uri is not None:
            return Told(episode, said.evidence, said.source.uri, verdict.id)
    return None


def read_together(tenant: Tenant, episodes: Sequence[str], extractor: Extractor | None) -> list[Verdict]:
    """Read episodes that were only kept, several at once, and propose what they say in the name of who said it.

    Raises:
        ModelError: see the extractor; nothing was proposed.
    """
    views = [view for one in episodes if tenant.book.live(one) and (view := tenant.graph.artefact(one)) is not None]
    there = [one for view in views if view.artefact.content and (one := _told(tenant, view.artefact)) is not None]
    documents = [document for one in there if (document := _document(one)) is not None]
    chosen = extractor or tenant.extractor or Rules(known=tenant.policies.write.registry.predicates)
    ahead = Ahead(chosen, documents)
    return [verdict for one in there for verdict in _read_again(tenant, one, ahead)]


def _document(one: Told) -> Document | None:
    """Return an episode as it was read; settings are read exactly the first time, and there is nothing more in them."""
    meta, text = one.episode.meta or {}, one.episode.content or ""
    suffix = formats.SUFFIXES.get("." + one.uri.partition("#")[0].rpartition(".")[2].lower(), "text")
    if suffix in CONFIGURATION and meta.get("turn") is None and suffix != "json":
        return None
    page = suffix in ("markdown", "html", "pdf", "docx") or len(text) > _MESSAGE
    media: Media = "turn" if meta.get("turn") else "markdown" if page else "text"
    speaker = meta.get("speaker") or (one.evidence.principal if one.evidence.channel in _PEOPLE else None)
    return Document(
        text=text,
        uri=one.uri,
        version=one.evidence.version,
        media=media,
        observed_at=one.episode.observed_at,
        speaker=speaker,
        turn=meta.get("turn"),
        session=one.evidence.session,
    )


def _read_again(tenant: Tenant, one: Told, extractor: Extractor | None) -> Iterator[Verdict]:
    """Propose what an episode says and was not proposed from it before; yield the gate's verdicts."""
    document = _document(one)
    if document is None:
        return
    before = remembering.earlier(tenant, one.verdict_id)
    known, number = {verdict.candidate for verdict in before}, len(before)
    for found in remembering.read_with(tenant, extractor, document):
        if found.modality is not Modality.ASSERTED or not remembering.has_time(found):
            continue
        speaker = _speaker(one, found)
        proposal = remembering.proposal_of(found, _evidence(one))
        prepared = writing.prepare(tenant, speaker, proposal)
        statement = writing.statement_digest(tenant, prepared.claim.scope, prepared.claim, prepared.predicate.name)
        if statement in known:
            continue
        known.add(statement)
        verdict_id = remembering.numbered(tenant, one.verdict_id, number)
        number += 1
        yield writing.write(tenant, speaker, prepared, verdict_id, op="consolidate")


def _speaker(one: Told, found: Extracted) -> Caller:
    """Return who said it then: class, principal and session of the episode, never those of who consolidates."""
    tenant_id, _, user = one.episode.scope.partition("/")
    channel = min(one.evidence.channel, one.episode.label, key=lambda each: each.rank)
    if not found.stated:
        channel = min(channel, Channel.AGENT_INFERRED, key=lambda each: each.rank)
    scope = Scope(tenant=tenant_id, user=user or None)
    return Caller(scope, channel, one.evidence.principal or "unknown", one.evidence.session)


def _evidence(one: Told) -> Evidence:
    return Evidence(uri=one.uri, version=one.evidence.version, locator=one.evidence.locator)


# --- every fact -------------------------------------------------------------------------------------------------------


def _check_all(tenant: Tenant, caller: Caller, start: Instant, end: Instant) -> Iterator[FactChecked]:
    """Yield what is known of every claim of the scope that may hold in the window, in the order written."""
    for _, scope, record in records(tenant.ledger):
        if record["record"] != "claim" or scope != caller.scope.path:
            continue
        if (view := tenant.graph.claim(record["id"])) is None or view.claim.subject is None:
            continue
        if tenant.book.status(view.claim.id) in ("erased", "revoked", "rejected"):
            continue
        if view.claim.interval.from_lo < end and start < view.claim.interval.to_hi:
            yield check(tenant, view)


def check(tenant: Tenant, view: SlotClaim) -> FactChecked:
    """Return what is known of one claim now: its state in words, what brought it about, the evidence for that."""
    claim = view.claim
    showing = state_of(tenant, claim.id)
    backing = _live_evidence(tenant, view)
    last = max((one.observed_at for one in backing), default=None)
    said = f"said by {len({one.origin for one in backing})} origins, last on {(iso(last) or '')[:10]}"
    state = _FOUND.get(showing.state, showing.state)
    by: tuple[str, ...] = () if showing.by is None else (showing.by,)
    evidence = tuple(one.id for one in backing)
    over = showing.state == "expired" or (showing.state == "active" and claim.interval.to_hi <= tenant.now())
    if over:
        state, why = "ended", f"its time ended on {(iso(claim.interval.to_hi) or '')[:10]}"
    elif showing.state == "active" and contested(tenant, [view]):
        state, why = "in dispute", f"it is {said}, and a claim that stands contradicts it"
    elif showing.state == "active":
        why = f"it is {said}; nothing that stands says otherwise"
    elif showing.state == "superseded" and showing.by is not None:
        newer = tenant.graph.claim(showing.by)
        why = f"another claim took its place ({showing.code or 'by rank'})"
        evidence = () if newer is None else tuple(one.id for one in _live_evidence(tenant, newer))
    elif showing.state == "unverified":
        why = f"it is {said}, and nobody has confirmed it for longer than it counts"
    else:
        why = f"it is {showing.state}" + (f" ({showing.code})" if showing.code else "")
    return FactChecked(claim=claim.id, state=state, by=by, reason=why[0].upper() + why[1:] + ".", evidence=evidence)


def _live_evidence(tenant: Tenant, view: SlotClaim) -> list[StoredEvidence]:
    """Return the evidence that a claim stands on, in order."""
    found = []
    for one in dict.fromkeys(needed for backer in view.backers for needed in backer.justification.requires):
        if kind_of(one) == "evidence" and tenant.book.live(one) and (each := tenant.graph.evidence(one)) is not None:
            found.append(each.evidence)
    return found


# --- the job ----------------------------------------------------------------------------------------------------------


def _record(
    tenant: Tenant,
    caller: Caller,
    told_there: Sequence[Told],
    verdicts: Sequence[Verdict],
    checked: Sequence[FactChecked],
    summaries: Sequence[Condensed],
    gone: Sequence[str],
) -> str:
    """Let the compressed episodes leave recall and write the note of the job; return its id."""
    _, principal = caller.speaking()
    job = tenant.ids.new("nte")
    body = {
        "episodes": [one.episode.id for one in told_there],
        "verdicts": [one.id for one in verdicts],
        "evidence": [one.evidence_id for one in verdicts if one.evidence_id is not None],
        "checked": [one.model_dump(mode="json") for one in checked],
        "summaries": [one.id for one in summaries if one.id is not None],
        "archived": list(gone),
    }
    leaves = [
        StatusChange(
            id=tenant.ids.new("sta"),
            target=one,
            axis="storage",
            value="archived",
            code=JOB,
            reason="Compressed into the summary of its session.",
            actor=principal,
        )
        for one in gone
    ]
    tenant.commit(
        "consolidate", caller.scope.path, [*leaves, Note(id=job, about=JOB, body=canonical(body), actor=principal)]
    )
    return job


def undo(tenant: Tenant, caller: Caller, job: str, reason: str) -> Undone:
    """Take a job back: its summaries make room for their episodes again, and what it read is quarantined.

    See `Handle.undo_consolidation`.
    """
    caller.speaking()
    why = told(reason, "reason")
    body = _job(tenant, caller, job)
    back: list[str] = []
    for one in body["summaries"]:
        if not archived(tenant, one) and tenant.graph.artefact(one) is not None:
            back += unarchive(tenant, caller, one, why)
    out = [one for one in body["evidence"] if tenant.book.status(one) == "active"]
    for one in out:
        revoking.change(tenant, caller, revoking.Target(evidence=one), "quarantined", why)
    if not back and not out:
        raise Conflict("nothing of that job is left to take back")
    note = Note(
        id=tenant.ids.new("nte"), about=JOB, body=canonical({"undone": job, "reason": why}), actor=caller.principal
    )
    tenant.commit("consolidate_undo", caller.scope.path, [note])
    return Undone(job=job, episodes=tuple(back), evidence=tuple(out))


def _job(tenant: Tenant, caller: Caller, job: str) -> dict[str, list[str]]:
    """Return what a job did.

    Raises:
        NotFound: there is no such job in this scope.
    """
    for entry in tenant.ledger.read_since(0):
        if entry.op != "consolidate" or entry.scope != caller.scope.path:
            continue
        for record in entry.records:
            if isinstance(record, Note) and record.id == job and record.about == JOB and record.body is not None:
                found: dict[str, list[str]] = json.loads(record.body)
                return found
    raise NotFound("no such consolidation in this scope; `consolidate` printed the job's id")
