"""Text into memory: an episode for the text itself, and the gate's verdict on every claim found in it.

The episode is written last, under an id that its uri, turn and text always give. A process that dies on the way leaves
no episode, and repeating the call finds the claims it had already judged; when the episode is there, all is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tkg.errors import NotFound, RequestError
from tkg.extractors import extract
from tkg.gate import GateContext, Judgement, find_secret, judge_text
from tkg.ids import digest
from tkg.memory import writing
from tkg.memory.caller import Caller
from tkg.memory.proposal import Proposal
from tkg.memory.tenant import Tenant
from tkg.model.artefact import Artefact
from tkg.model.claim import Polarity
from tkg.model.document import Document, Extracted, Modality
from tkg.model.entry import Record
from tkg.model.evidence import Evidence
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import Instant, When, parse_when, to_datetime
from tkg.model.verdict import CheckResult, Outcome, StatusChange, Verdict
from tkg.text import MAX_NAME, MAX_TEXT, clean

if TYPE_CHECKING:
    from tkg.memory.store import Memory

_MEDIA = ("text", "markdown", "yaml", "json", "turn")
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

    @classmethod
    def read(cls, *, text: str, media: str, **fields: Any) -> Passage:
        """Check the fields; see `Handle.remember`."""
        if media not in _MEDIA:
            raise RequestError(f"media must be one of {', '.join(_MEDIA)}")
        if fields.get("observed_at") is not None:
            parse_when(fields["observed_at"])
        for name in ("speaker", "turn"):
            if fields.get(name) is not None:
                fields[name] = clean(fields[name], name, limit=MAX_NAME)
        return cls(text=text, media=media, **fields)


def remember(memory: Memory, caller: Caller, passage: Passage) -> list[Verdict]:
    """See `Handle.remember`."""
    channel, principal = caller.speaking()
    # one message keeps the field limit; a document may be as long as a document
    limit = MAX_PASSAGE if passage.media in ("markdown", "yaml", "json") else MAX_TEXT
    text = clean(passage.text, "text", limit=limit)
    if not memory.exists(caller.scope.tenant):
        if not memory.may_create(channel):
            raise NotFound("no such tenant; create it with memory.create_tenant(id) or check the spelling")
        if (refused := _secret(text)) is None:
            memory.create_tenant(caller.scope.tenant)
        else:
            return [_verdict(memory.ids.new("vrd"), "", caller, refused, None)]
    tenant = memory.tenant(caller.scope.tenant)
    with tenant.lock:
        return _remember(tenant, caller, passage, text, principal)


def _remember(tenant: Tenant, caller: Caller, passage: Passage, text: str, principal: str) -> list[Verdict]:
    observed = tenant.now() if passage.observed_at is None else parse_when(passage.observed_at).start
    evidence = passage.evidence or Evidence(uri=f"session:{caller.session}" if caller.session else f"said:{principal}")
    name = digest(text)
    episode_verdict = tenant.names.request(
        "vrd",
        caller.scope.path,
        "episode",
        evidence.uri,
        evidence.version or "",
        passage.turn or "",
        str(observed),
        name,
    )
    if (done := tenant.graph.verdict(episode_verdict)) is not None:
        return [done[0], *_earlier(tenant, episode_verdict)]
    judged = _judged(tenant, caller, text)
    if judged.outcome is Outcome.REJECTED:
        verdict = _verdict(episode_verdict, tenant.names.digest(text), caller, judged.checks[-1], None).model_copy(
            update={"code": judged.code, "checks": judged.checks}
        )
        tenant.commit("remember", caller.scope.path, [verdict])
        return [verdict]
    speaker = passage.speaker or (principal if caller.channel in _PEOPLE else None)
    document = Document(
        text=text,
        uri=evidence.uri,
        version=evidence.version,
        media=passage.media,  # type: ignore[arg-type]
        observed_at=observed,
        speaker=speaker,
        turn=passage.turn,
        session=caller.session,
    )
    found = extract(document, known=tuple(tenant.policies.write.registry.predicates))
    verdicts, hedged = [], False
    for number, candidate in enumerate(found):
        if candidate.modality is not Modality.ASSERTED:
            hedged = hedged or candidate.modality in (Modality.HEDGED, Modality.HABITUAL)
            if not (candidate.modality is Modality.HEDGED and caller.channel is Channel.AGENT_INFERRED):
                continue
        verdicts.append(_candidate(tenant, caller, candidate, evidence, _number(tenant, episode_verdict, number)))
    aside = judged.code if judged.outcome is Outcome.HELD else ""
    if hedged and caller.channel is Channel.AGENT_INFERRED:
        aside = aside or "threshold"
    return [_episode(tenant, caller, passage, text, evidence, observed, episode_verdict, aside), *verdicts]


def _judged(tenant: Tenant, caller: Caller, text: str) -> Judgement:
    """Let the gate judge the text as a whole: what may not be kept, and what waits for a person."""
    channel, _ = caller.speaking()
    context = GateContext(
        channel=channel,
        label=channel,
        now=tenant.now(),
        predicate=Predicate(name="episode"),
        system_of_record=False,
        frozen=tenant.book.frozen(caller.scope.visible),
    )
    return judge_text(text, context, tenant.policies.write)


def _number(tenant: Tenant, episode_verdict: str, number: int) -> str:
    return tenant.names.request("vrd", "extracted", episode_verdict, str(number))


def _earlier(tenant: Tenant, episode_verdict: str) -> list[Verdict]:
    """Return the verdicts on the claims of an episode that is already stored."""
    verdicts = []
    for number in range(1000):
        found = tenant.graph.verdict(_number(tenant, episode_verdict, number))
        if found is None:
            break
        verdicts.append(found[0])
    return verdicts


def _candidate(tenant: Tenant, caller: Caller, found: Extracted, evidence: Evidence, verdict_id: str) -> Verdict:
    if (before := tenant.graph.verdict(verdict_id)) is not None:
        return before[0]
    proposal = Proposal.read(
        subject=found.subject,
        predicate=found.predicate,
        object=found.object,
        polarity=Polarity(found.polarity),
        valid_from=found.valid_from,
        valid_to=found.valid_to,
        observed_at=to_datetime(found.observed_at),
        evidence=evidence.model_copy(update={"quote": found.quote, "locator": found.locator}),
        modality=found.modality,
    )
    return writing.write(tenant, caller, writing.prepare(tenant, caller, proposal), verdict_id)


def _secret(text: str) -> CheckResult | None:
    """Return the refusal when the text holds what must never be stored."""
    found = find_secret((text,))
    if found is None:
        return None
    reason = f"The text holds what is never stored: {found}."
    return CheckResult(check="never_store", outcome="reject", code="secret", reason=reason)


def _verdict(verdict_id: str, candidate: str, caller: Caller, check: CheckResult, evidence_id: str | None) -> Verdict:
    return Verdict(
        id=verdict_id,
        scope=caller.scope.path,
        outcome=Outcome.REJECTED if check.outcome == "reject" else Outcome.ACCEPTED,
        code=check.code,
        evidence_id=evidence_id,
        candidate=candidate,
        checks=(check,),
        principal=caller.principal,
        session=caller.session,
    )


def _episode(
    tenant: Tenant,
    caller: Caller,
    passage: Passage,
    text: str,
    evidence: Evidence,
    observed: Instant,
    verdict_id: str,
    aside: str,
) -> Verdict:
    """Write the episode; `aside` is why it stays out of default recall (an agent's hedge, an instruction)."""
    channel, _ = caller.speaking()
    quoteless = evidence.model_copy(update={"quote": None, "locator": passage.turn or evidence.locator})
    source, stored = writing.stored_evidence(tenant, caller, quoteless, channel, observed, system_of_record=False)
    meta = {key: value for key, value in (("speaker", passage.speaker), ("turn", passage.turn)) if value is not None}
    episode = Artefact(
        id=tenant.ids.new("art"),
        scope=caller.scope.path,
        kind="episode",
        label=channel,
        observed_at=observed,
        session_id=stored.session_id,
        content=text,
        meta=meta,
    )
    support = writing.said(tenant, caller, episode.id, stored, None)
    check = CheckResult(check="kind", outcome="pass", code="episode", reason="Recorded as an episode.")
    verdict = _verdict(verdict_id, tenant.names.digest(text), caller, check, stored.id).model_copy(
        update={"artefact_id": episode.id}
    )
    records: list[Record] = [*source, stored, episode, support, verdict]
    if aside:
        records.append(
            StatusChange(id=tenant.ids.new("sta"), target=episode.id, axis="status", value="held", code=aside)
        )
    tenant.commit("remember", caller.scope.path, records)
    return verdict
