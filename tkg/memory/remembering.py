"""Text into memory: an episode for the text itself, and the gate's verdict on every claim found in it.

The episode is written last, under an id that its uri, turn and text always give. A process that dies on the way leaves
no episode, and repeating the call finds the claims it had already judged; when the episode is there, all is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from tkg.belief.normalise import normalise
from tkg.errors import Conflict, InvalidInterval, NotFound, RequestError
from tkg.extractors import CONFIGURATION, Extractor, Limits, Rules, checked
from tkg.extractors.contract import reads
from tkg.gate import ECHO, Judgement, never_stored
from tkg.ids import digest
from tkg.memory import writing
from tkg.memory.caller import Caller
from tkg.memory.proposal import Proposal
from tkg.memory.repeating import OTHER_REQUEST, request_id, same_request
from tkg.memory.stamps import without_recalled
from tkg.memory.tenant import Tenant
from tkg.memory.texts import held, judge_written, verdict_on, written_label
from tkg.memory.told import beside
from tkg.memory.tombstones import for_claim, for_source, for_subject, for_text, is_older
from tkg.memory.trial import trial_tenant
from tkg.model.artefact import Artefact
from tkg.model.claim import Polarity
from tkg.model.document import Document, Extracted, Media, Modality
from tkg.model.entry import Record
from tkg.model.evidence import Evidence
from tkg.model.scope import Channel
from tkg.model.time import Instant, Interval, When, parse_observed, to_datetime
from tkg.model.verdict import Outcome, Verdict
from tkg.text import MAX_NAME, MAX_TEXT, clean

if TYPE_CHECKING:
    from tkg.memory.store import Memory

_MEDIA = get_args(Media)
_PEOPLE = (Channel.HUMAN_STATED, Channel.HUMAN_VERIFIED)
#: a folder of documents is read section by section, so one text may be long; candidates keep the usual field limits
MAX_PASSAGE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Passage:
    """A request to `remember`, checked for form."""

    text: str
    evidence: Evidence | None
    observed_at: When
    speaker: str | None
    turn: str | None
    media: str
    zone: str = "UTC"
    extractor: Extractor | None = None
    idempotency_key: str | None = None

    @classmethod
    def read(cls, *, text: str, media: str, **fields: Any) -> Passage:
        """Check the fields; see `Handle.remember`."""
        if media not in _MEDIA:
            raise RequestError(f"media must be one of {', '.join(_MEDIA)}")
        if fields.get("observed_at") is not None:
            parse_observed(fields["observed_at"])
        for name in ("speaker", "turn", "idempotency_key"):
            if fields.get(name) is not None:
                fields[name] = clean(fields[name], name, limit=MAX_NAME)
        return cls(text=text, media=media, **fields)


def remember(memory: Memory, caller: Caller, passage: Passage) -> list[Verdict]:
    """See `Handle.remember`."""
    channel, _ = caller.stating()
    # one message keeps the field limit; a document may be as long as a document
    limit = MAX_PASSAGE if passage.media in CONFIGURATION | {"markdown"} else MAX_TEXT
    text = clean(passage.text, "text", limit=limit)
    if not memory.exists(caller.scope.tenant):
        if not memory.may_create(channel):
            raise NotFound(
                "no such tenant; check the spelling, or make it: memory.create_tenant(id), `tkg init --tenant ID`"
            )
        judged = judge_written(trial_tenant(memory, caller.scope.tenant), caller, (text,), "episode", channel)
        if judged.outcome is Outcome.REJECTED:
            return [_refused(caller, judged, memory.ids.new("vrd"), "", channel)]
        memory.create_tenant(caller.scope.tenant)
    with memory.using(caller.scope.tenant) as tenant:
        return _remember(tenant, caller, passage, text)


def _answered(
    tenant: Tenant, caller: Caller, passage: Passage, text: str, evidence: Evidence, observed: Instant
) -> tuple[str, list[Verdict] | None]:
    """Return the id of the verdict on this request, and what was answered when it was made before.

    Raises:
        Conflict: its idempotency key was used for another text.
    """
    key = passage.idempotency_key
    if key is None:
        verdict_id = _request(tenant, caller, passage, evidence, observed, digest(text))
    else:
        verdict_id = request_id(tenant, caller, "remember", key)
    while (done := tenant.graph.verdict(verdict_id)) is not None:
        if key is not None and not same_request(done[0], tenant.names.digest(without_recalled(text)[0])):
            raise Conflict(OTHER_REQUEST)
        if done[0].artefact_id is None or tenant.book.status(done[0].artefact_id) != "erased":
            return verdict_id, [done[0], *earlier(tenant, verdict_id)]
        # what was written then is erased: asking again is another request
        verdict_id = tenant.names.request("vrd", "after erasure", verdict_id)
    return verdict_id, None


def _remember(tenant: Tenant, caller: Caller, passage: Passage, text: str) -> list[Verdict]:
    evidence, observed = _placed(tenant, caller, passage)
    episode_verdict, before = _answered(tenant, caller, passage, text, evidence, observed)
    if before is not None:
        return before
    label = written_label(tenant, caller)
    judged = judge_written(tenant, caller, (text,), "episode", label)
    names = (evidence.uri, *beside(evidence), passage.speaker or "", passage.turn or "")
    if (refusal := never_stored(names)).outcome == "reject":
        judged = replace(
            judged, outcome=Outcome.REJECTED, code=refusal.code, stage=refusal.check, checks=(*judged.checks, refusal)
        )
    text, dropped = without_recalled(text)
    if dropped and not text.strip():
        judged = replace(
            judged, outcome=Outcome.REJECTED, code="echo", stage="provenance", checks=(*judged.checks, ECHO)
        )
    found: Sequence[Extracted] = ()
    if judged.outcome is not Outcome.REJECTED:
        found = read_with(tenant, passage.extractor, _document(caller, passage, text, evidence, observed))
        if _was_erased(tenant, caller, passage, text, evidence, observed, found):
            judged = judge_written(tenant, caller, (text,), "episode", label, tombstoned=True)
    if judged.outcome is Outcome.REJECTED:
        verdict = _refused(caller, judged, episode_verdict, tenant.names.digest(text), label)
        tenant.commit("remember", caller.scope.path, [verdict])
        return [verdict]
    verdicts: list[Verdict] = []
    hedged = False
    for candidate in filter(has_time, found):
        if candidate.modality is not Modality.ASSERTED:
            hedged = hedged or candidate.modality in (Modality.HEDGED, Modality.HABITUAL)
            if not (candidate.modality is Modality.HEDGED and caller.channel is Channel.AGENT_INFERRED):
                continue
        verdict_id = numbered(tenant, episode_verdict, len(verdicts))
        verdicts.append(
            _candidate(tenant, caller, candidate, evidence, verdict_id, dated=passage.observed_at is not None)
        )
    aside = judged.code if judged.outcome is Outcome.HELD else ""
    if hedged and caller.channel is Channel.AGENT_INFERRED:
        aside = aside or "threshold"
    return [
        _episode(tenant, caller, passage, text, evidence, observed, episode_verdict, judged, label, aside),
        *verdicts,
    ]


def is_there(memory: Memory, caller: Caller, passage: Passage) -> bool:
    """Return whether remembering a passage again would change nothing."""
    if not memory.exists(caller.scope.tenant):
        return False
    with memory.using(caller.scope.tenant) as tenant:
        evidence, observed = _placed(tenant, caller, passage)
        done = tenant.graph.verdict(_request(tenant, caller, passage, evidence, observed, digest(passage.text)))
        return done is not None and (done[0].artefact_id is None or tenant.book.status(done[0].artefact_id) != "erased")


def document_of(tenant: Tenant, caller: Caller, passage: Passage) -> Document:
    """Return the document that an extractor is given for a passage."""
    return _document(caller, passage, passage.text, *_placed(tenant, caller, passage))


def _placed(tenant: Tenant, caller: Caller, passage: Passage) -> tuple[Evidence, Instant]:
    """Return where a passage can be fetched again, and when it was said."""
    observed = tenant.now() if passage.observed_at is None else parse_observed(passage.observed_at)
    own = f"session:{caller.session}" if caller.session else f"said:{caller.principal}"
    return passage.evidence or Evidence(uri=own), observed


def _document(caller: Caller, passage: Passage, text: str, evidence: Evidence, observed: Instant) -> Document:
    speaker = passage.speaker or (caller.principal if caller.channel in _PEOPLE else None)
    return Document(
        text=text,
        uri=evidence.uri,
        version=evidence.version,
        media=passage.media,  # type: ignore[arg-type]
        observed_at=observed,
        zone=passage.zone,
        speaker=speaker,
        turn=passage.turn,
        session=caller.session,
    )


def read_with(tenant: Tenant, extractor: Extractor | None, document: Document) -> list[Extracted]:
    """Return what an extractor finds in a document; None is the store's, else the rules, as for media it does not read."""
    chosen = extractor or tenant.extractor
    if chosen is None or not reads(chosen, document):
        chosen = Rules(known=tenant.policies.write.registry.predicates)
    return checked(document, chosen.extract(document), Limits())


def _was_erased(
    tenant: Tenant,
    caller: Caller,
    passage: Passage,
    text: str,
    evidence: Evidence,
    observed: Instant,
    found: Iterable[Extracted],
) -> bool:
    """Return whether the text, its source, or what it says was erased after it was written."""
    names, paths = tenant.names, tenant.visible(caller.scope)
    stones = [
        stone
        for path in paths
        for stone in (for_text(names, path, text), for_source(names, path, names.source(evidence.uri)))
    ]
    for name in tenant.tombstones.named_in(names, text):
        stones += [for_subject(names, path, names.entity(name)) for path in paths]
    for one in found:
        predicate = tenant.registry().get(one.predicate)
        value = names.entity(writing.meeting(one.object, normalise(one.object, predicate)))
        subject = names.entity(one.subject)
        for path in paths:
            stones += [for_claim(names, path, subject, predicate.name, value), for_subject(names, path, subject)]
    return is_older(tenant, caller, stones, None if passage.observed_at is None else observed)


def _request(tenant: Tenant, caller: Caller, passage: Passage, evidence: Evidence, observed: Instant, name: str) -> str:
    """Return the id of the verdict on an episode: the same bytes from the same source always get the same.

    A version says which bytes those are, whenever they are read; without one the time of saying belongs to them. Each
    class has its own, so that a person who confirms what a tool read is not taken for the tool.
    """
    when = "" if passage.evidence is not None and evidence.version is not None else str(observed)
    channel, _ = caller.speaking()
    parts = (channel.value, evidence.uri, evidence.version or "", passage.turn or "", when, name)
    return tenant.names.request("vrd", caller.scope.path, "episode", *parts)


def _refused(caller: Caller, judged: Judgement, verdict_id: str, candidate: str, label: Channel) -> Verdict:
    return verdict_on(caller, judged, verdict_id=verdict_id, candidate=candidate, kind="episode", label=label)


def numbered(tenant: Tenant, episode_verdict: str, number: int) -> str:
    """Return the id of the verdict on a text's n-th claim, by which erasure finds the claims of a text."""
    return tenant.names.request("vrd", "extracted", episode_verdict, str(number))


def earlier(tenant: Tenant, episode_verdict: str) -> list[Verdict]:
    """Return the verdicts on the claims of an episode that is already stored."""
    verdicts = []
    for number in range(1000):
        found = tenant.graph.verdict(numbered(tenant, episode_verdict, number))
        if found is None:
            break
        verdicts.append(found[0])
    return verdicts


def _start(found: Extracted) -> str | None:
    """Return since when a candidate holds. What is said to have ended before it was said began at a time nobody said.

    Raises:
        RequestError: it ends before it begins, or lies outside the calendar.
    """
    try:
        Interval.make(found.valid_from, found.valid_to, default_from=found.observed_at)
    except InvalidInterval:
        if found.valid_from is not None:
            raise
        Interval.make("..", found.valid_to, default_from=found.observed_at)
        return ".."
    return found.valid_from


def has_time(found: Extracted) -> bool:
    """Return whether a candidate's times make an interval; where they do not, the rest of the text still counts."""
    try:
        _start(found)
    except RequestError:
        return False
    return True


def proposal_of(found: Extracted, evidence: Evidence) -> Proposal:
    """Return what is proposed of a candidate, with the words it was found in as evidence."""
    return Proposal.read(
        subject=found.subject,
        predicate=found.predicate,
        object=found.object,
        polarity=Polarity(found.polarity),
        valid_from=_start(found),
        valid_to=found.valid_to,
        observed_at=to_datetime(found.observed_at),
        evidence=evidence.model_copy(
            update={"quote": found.quote, "locator": found.locator, "extractor": found.extractor}
        ),
        modality=found.modality,
    )


def _candidate(
    tenant: Tenant, caller: Caller, found: Extracted, evidence: Evidence, verdict_id: str, *, dated: bool
) -> Verdict:
    if (before := tenant.graph.verdict(verdict_id)) is not None:
        return before[0]
    if not found.stated and caller.channel is not None:  # what a model concluded is no word of who wrote the text
        caller = replace(caller, channel=min(caller.channel, Channel.AGENT_INFERRED, key=lambda one: one.rank))
    proposal = replace(proposal_of(found, evidence), dated=dated)
    return writing.write(tenant, caller, writing.prepare(tenant, caller, proposal), verdict_id)


def _episode(
    tenant: Tenant,
    caller: Caller,
    passage: Passage,
    text: str,
    evidence: Evidence,
    observed: Instant,
    verdict_id: str,
    judged: Judgement,
    label: Channel,
    aside: str,
) -> Verdict:
    """Write the episode; `aside` is why it stays out of default recall (an agent's hedge, an instruction)."""
    quoteless = evidence.model_copy(update={"quote": None, "locator": passage.turn or evidence.locator})
    source, stored = writing.stored_evidence(tenant, caller, quoteless, label, observed, system_of_record=False)
    meta = {key: value for key, value in (("speaker", passage.speaker), ("turn", passage.turn)) if value is not None}
    episode = Artefact(
        id=tenant.ids.new("art"),
        scope=caller.scope.path,
        kind="episode",
        label=label,
        observed_at=observed,
        session_id=stored.session_id,
        content=text,
        meta=meta,
    )
    support = writing.said(tenant, caller, episode.id, stored, None)
    verdict = verdict_on(
        caller,
        judged,
        verdict_id=verdict_id,
        candidate=tenant.names.digest(text),
        kind="episode",
        label=label,
        artefact_id=episode.id,
        evidence_id=stored.id,
        source_id=stored.source_id,
    )
    records: list[Record] = [*source, stored, episode, support, verdict]
    if aside:
        records.append(held(tenant, episode.id, aside))
    tenant.commit("remember", caller.scope.path, records)
    return verdict
