"""Texts before the gate: episodes, summaries, skills, actions. One context for all of them, and their verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from tkg.gate import GateContext, Judgement, judge_text
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of_session
from tkg.memory.tenant import Tenant
from tkg.model.entry import Record
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.verdict import Outcome, StatusChange, Verdict

#: channels whose own words carry the label of what the session was shown; a person vouches for their own
TAINTED = frozenset({Channel.AGENT_INFERRED, Channel.TRUSTED_TOOL, Channel.EXTERNAL})


def written_label(tenant: Tenant, caller: Caller) -> Channel:
    """Return the class of what a caller writes now: its channel's, lowered by what its session was shown."""
    channel, _ = caller.speaking()
    if caller.session is None or channel not in TAINTED:
        return channel
    return label_of_session(tenant, caller, default=channel)


def judge_written(
    tenant: Tenant, caller: Caller, texts: Sequence[str], kind: str, label: Channel, *, tombstoned: bool = False
) -> Judgement:
    """Let the gate judge a text as a whole: what may not be kept, and what waits for a person.

    Args:
        tenant: the open tenant.
        caller: who writes.
        texts: the text, and whatever is kept beside it.
        kind: kind of artefact.
        label: least class of everything that could have influenced it.
        tombstoned: an erasure blocks it.
    """
    channel, _ = caller.speaking()
    context = GateContext(
        channel=channel,
        label=label,
        now=tenant.now(),
        predicate=Predicate(name=kind),
        system_of_record=False,
        frozen=tenant.book.frozen(tenant.visible(caller.scope)),
        tombstoned=tombstoned,
    )
    return judge_text(texts, context, tenant.policies.write, kind)


def verdict_on(
    caller: Caller,
    judged: Judgement,
    *,
    verdict_id: str,
    candidate: str,
    kind: str,
    label: Channel,
    artefact_id: str | None = None,
    evidence_id: str | None = None,
    source_id: str | None = None,
) -> Verdict:
    """Return the verdict on a text; of a refused one it keeps the keyed digest `candidate` and no content."""
    return Verdict(
        id=verdict_id,
        scope=caller.scope.path,
        outcome=judged.outcome,
        code=judged.code,
        stage=judged.stage,
        kind=kind,
        channel=label,
        artefact_id=artefact_id,
        evidence_id=evidence_id,
        source_id=source_id,
        candidate=candidate,
        checks=judged.checks,
        principal=caller.principal,
        session=caller.session,
    )


def held(tenant: Tenant, artefact_id: str, code: str) -> Record:
    """Return the change of state that keeps a text out of use until a person decides."""
    return StatusChange(
        id=tenant.ids.new("sta"), target=artefact_id, axis="status", value=Outcome.HELD.value, code=code
    )
