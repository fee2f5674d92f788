"""Everything remembered about somebody or something, told in plain sentences to the person concerned; and correcting it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from typing import Final

from tkg.errors import Conflict, NotFound, NotPermitted
from tkg.memory import changing, revoking, writing
from tkg.memory.answers import EvidenceShown
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.inspecting import decisions, shown_evidence
from tkg.memory.moments import written_at
from tkg.memory.proposal import Proposal
from tkg.memory.remarks import against
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import bound_node, reaches, visible_claim
from tkg.model.base import Value as Frozen
from tkg.model.evidence import Evidence
from tkg.model.scope import GLOBAL
from tkg.model.time import FOREVER, iso
from tkg.model.verdict import Verdict
from tkg.model.view import ArtefactView, SlotClaim
from tkg.text import MAX_NAME, clean

_ALL: Final = 1 << 30
_WHO: Final = {
    "system_of_record": "a system of record",
    "human_verified": "a person who checked it",
    "human_stated": "a person",
    "trusted_tool": "a tool",
    "agent_inferred": "an agent that inferred it",
    "external": "somebody outside",
}
_NOW: Final = {
    "active": "It is believed now.",
    "superseded": "Something newer has taken its place.",
    "held": "It waits for a person and is not used.",
    "quarantined": "It was taken out of use, and can be brought back.",
    "suspended": "It is not used, because something it depends on no longer holds.",
    "revoked": "It was taken back and is not used.",
    "rejected": "It was refused and is not used.",
    "expired": "It held for a time that is over.",
    "unverified": "It is out of use until somebody verifies it.",
    "archived": "It is kept, and out of use.",
    "stale": "What it was written from has changed since.",
}
#: of what stands and is denied or said otherwise by something that stands as well
_DISPUTED: Final = "It is in dispute; a person has to decide."
_KIND: Final = {
    "episode": "A text that was read",
    "summary": "A summary that was made from it",
    "skill": "A way of doing things that was made from it",
    "action": "An action that was made from it",
    "answer": "An answer that was made from it",
    "pointer": "A hint where to look something up",
}


class Told(Frozen):
    """One thing that is remembered: the sentence, since when, from where, whether it is used, and who was shown it."""

    id: str
    kind: str
    sentence: str
    source: str
    state: str
    use: str
    written: str | None
    scope: str
    reads: int
    evidence: tuple[EvidenceShown, ...] = ()
    remarks: tuple[str, ...] = ()


class Remembered(Frozen):
    """Everything remembered about a subject: claims that name it, newest first, and texts made from them."""

    subject: str
    claims: tuple[Told, ...]
    texts: tuple[Told, ...]


def about(tenant: Tenant, caller: Caller, subject: str) -> Remembered:
    """See `Handle.about`."""
    name = clean(subject, "subject", limit=MAX_NAME)
    found = tenant.graph.mentions(tenant.names.entity(name), _ALL)
    views = [
        view for one in found if (view := tenant.graph.claim(one)) is not None and reaches(caller, view.claim.scope)
    ]
    views = [one for one in views if one.claim.object is not None]
    if not views:
        raise NotFound("nothing is remembered about that subject in this scope; names are compared whole")
    texts: dict[str, ArtefactView] = {}
    for view in views:
        for needed in [view.claim.id, *(one.id for one in _direct(tenant, view))]:
            for reach in tenant.graph.descendants(needed):
                text = tenant.graph.artefact(reach.id)
                if text is not None and text.artefact.content is not None and reaches(caller, text.artefact.scope):
                    texts[reach.id] = text
    times = written_at(tenant, (*(one.seq for one in views), *(one.seq for one in texts.values())))
    return Remembered(
        subject=name,
        claims=tuple(_claim(tenant, caller, one, times.get(one.seq)) for one in views),
        texts=tuple(_text(tenant, caller, one, times.get(one.seq)) for one in texts.values()),
    )


def _direct(tenant: Tenant, view: SlotClaim) -> tuple[EvidenceShown, ...]:
    needed = dict.fromkeys(one for backer in view.backers for one in backer.justification.requires)
    return shown_evidence(tenant, [one for one in needed if one.startswith("evd_")])


def _claim(tenant: Tenant, caller: Caller, view: SlotClaim, written: str | None) -> Told:
    claim = view.claim
    evidence = _direct(tenant, view)
    no = "not " if claim.polarity == "negative" else ""
    predicate = (claim.predicate or "").replace("_", " ")
    ends = "" if claim.interval.valid_to >= FOREVER else f" until {day(iso(claim.interval.valid_to))}"
    since = f", from {day(iso(claim.interval.valid_from))}{ends}"
    found = state_of(tenant, claim.id)
    remarks = against(tenant, caller, view, found.by)
    use = _use(tenant, claim.id, found.state)
    return Told(
        id=claim.id,
        kind="claim",
        sentence=f"{claim.subject}: {predicate} is {no}{claim.object}{since}.",
        source=said(evidence),
        state=found.state,
        use=_DISPUTED if found.state == "active" and remarks else use,
        written=written,
        scope=claim.scope,
        reads=_reads(tenant, caller, claim.id),
        evidence=evidence,
        remarks=remarks,
    )


def _text(tenant: Tenant, caller: Caller, view: ArtefactView, written: str | None) -> Told:
    text, state = view.artefact, state_of(tenant, view.artefact.id).state
    return Told(
        id=text.id,
        kind=text.kind,
        sentence=f"{_KIND[text.kind]}: “{text.content}”",
        source=f"Written on {day(written)} by {_WHO.get(text.label, text.label)}.",
        state=state,
        use=_use(tenant, text.id, state),
        written=written,
        scope=text.scope,
        reads=_reads(tenant, caller, text.id),
    )


def _use(tenant: Tenant, node: str, state: str) -> str:
    why = next(
        (one.reason for one in reversed(decisions(tenant, node)) if one.reason and one.what.startswith("status")), None
    )
    told_of = _NOW.get(state, f"It is {state}.")
    return told_of if state == "active" or why is None else f"{told_of} The reason given: {why}."


def _reads(tenant: Tenant, caller: Caller, node: str) -> int:
    return sum(reaches(caller, one.retrieval.scope) for one in tenant.graph.exposures(node))


def said(evidence: Iterable[EvidenceShown]) -> str:
    """Return who said something where and when, a sentence for each piece of evidence."""
    found = []
    for one in evidence:
        place = ", ".join(p for p in (one.uri, f"version {one.version}" if one.version else "", one.locator) if p)
        who = _WHO.get(one.channel, one.channel)
        found.append(
            f"Said by {one.principal or 'somebody'} ({who}) in {place or 'a place that was erased'}, on {day(one.observed_at)}."
        )
    return " ".join(found) or "It was derived from other claims."


def day(text: str | None) -> str:
    """Return a time as people write a date."""
    if text is None:
        return "an unknown day"
    at = date.fromisoformat(text[:10])
    return f"{at.day} {at:%B} {at.year}"


def correct(
    tenant: Tenant, caller: Caller, claim_id: str, value: str, reason: str, evidence: Evidence | None
) -> Verdict:
    """See `Handle.correct`."""
    principal = person(caller, "correcting")
    reason = told(reason, "reason")
    wrong = visible_claim(tenant, caller, claim_id).claim
    if wrong.scope == GLOBAL:
        bound_node(tenant, caller, claim_id)
    if wrong.scope != caller.scope.path:
        raise NotPermitted(f"it belongs to {wrong.scope}; correct it through a handle of that scope (--user)")
    if wrong.subject is None or wrong.predicate is None:
        raise NotFound("the claim's words were erased; there is nothing left to read, propose it anew")
    proposal = Proposal.read(
        subject=wrong.subject,
        predicate=wrong.predicate,
        object=value,
        valid_from=iso(wrong.interval.valid_from),
        evidence=evidence or Evidence(uri=f"correction:{principal}", quote=reason),
    )
    verdict = writing.propose(tenant, caller, proposal)
    if verdict.claim_id is None or not tenant.book.live(verdict.claim_id) or verdict.claim_id == claim_id:
        return verdict
    cuts = tenant.graph.supersessions(claim_id)
    if not any(cut.winner == verdict.claim_id for cut, _ in cuts if cut.loser == claim_id):
        with suppress(Conflict):  # the two share no time
            changing.supersede(tenant, caller, claim_id, verdict.claim_id, reason)
    if state_of(tenant, claim_id).state == "active":  # many values may stand side by side: the wrong one goes
        plan = revoking.plan(tenant, caller, revoking.Target(claim=claim_id), "revoked")
        revoking.carry_out(tenant, caller, plan, reason)
    return verdict
