"""Verify at use: claims of high consequence are checked against their source when recall is about to show them.

A verifier is asked for each such claim. What it sees now wins: a value that differs is proposed as the same source's own
later word and the mismatch is recorded as a contradiction. What was stored is not served any more: the evidence that the
source no longer bears out is taken out of the base, as `tkg verify --evidence` does. The observed value is served where the
gate takes it; where it must wait for a person (it would replace a value of high consequence), that is said. A source that cannot be
reached changes nothing and is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import yaml

from tkg.belief.state import REVERIFIED
from tkg.errors import TkgError
from tkg.memory import writing
from tkg.memory.caller import Caller
from tkg.memory.fetching import Limits, fetch
from tkg.memory.proposal import Proposal
from tkg.memory.replan import consequences, marks
from tkg.memory.reverifying import compare
from tkg.memory.tenant import Tenant
from tkg.model.claim import Claim, Conflict
from tkg.model.entry import Record
from tkg.model.evidence import Evidence
from tkg.model.time import to_datetime
from tkg.model.verdict import Outcome, StatusChange
from tkg.model.view import EvidenceView
from tkg.recall.model import RecallOutcome

#: values of a file are compared as text of at most this many characters
_LONGEST_VALUE = 4_096


class Observed(NamedTuple):
    """What a source says now.

    `state` is "same", "differs" (with `value`, where the source gives one), "gone" or "unreachable"; `why` is for people.
    """

    state: Literal["same", "differs", "gone", "unreachable"]
    value: str | None = None
    why: str = ""


class Verifier(Protocol):
    """Asks a source whether a claim still holds; None: not a source it knows. It bounds its own time."""

    def observe(self, claim: Claim, evidence: EvidenceView) -> Observed | None:
        """Return what the source of a claim says now."""
        ...


@dataclass(frozen=True)
class SourceVerifier:
    """Fetches the evidence again (file, git or HTTP, within `limits`) and looks for its quote or digest."""

    limits: Limits

    def observe(self, claim: Claim, evidence: EvidenceView) -> Observed | None:
        """Return whether the words are still there."""
        uri = evidence.source.uri
        if uri is None or (evidence.evidence.quote is None and not (evidence.evidence.version or "").startswith("sha")):
            return None
        state, why = compare(evidence.evidence, fetch(uri, self.limits))
        if state == "unreachable":
            return Observed("unreachable", why=why)
        if state in ("fresh", "moved"):
            return Observed("same", why=why)
        return Observed("gone", why=why or state)


@dataclass(frozen=True)
class YamlVerifier:
    """Reads the value at the evidence's locator (a JSON pointer such as `/mail/queue`) of a YAML or JSON file."""

    limits: Limits

    def observe(self, claim: Claim, evidence: EvidenceView) -> Observed | None:
        """Return the value that is there now."""
        uri, pointer = evidence.source.uri or "", evidence.evidence.locator or ""
        if Path(uri.partition("#")[0]).suffix not in (".yaml", ".yml", ".json") or not pointer.startswith("/"):
            return None
        found = fetch(uri, self.limits)
        if found.text is None:
            return Observed("gone" if found.state == "gone" else "unreachable", why=found.why)
        try:
            value = _at(yaml.safe_load(found.text), pointer)
        except (yaml.YAMLError, RecursionError):
            return Observed("unreachable", why="it cannot be read")
        except LookupError:
            return Observed("gone", why="no such path")
        if isinstance(value, dict | list):
            return Observed("gone", why="no single value at this path")
        text = value if isinstance(value, str) else str(value)
        return Observed("same") if text == claim.object else Observed("differs", text[:_LONGEST_VALUE])


@dataclass(frozen=True)
class CallableVerifier:
    """Asks a function of the embedding program for the current value of one predicate.

    Args:
        predicate: whose claims it answers for.
        ask: takes the subject and returns its value now, or None where it has none; an error means unreachable.
    """

    predicate: str
    ask: Callable[[str], str | None]

    def observe(self, claim: Claim, evidence: EvidenceView) -> Observed | None:
        """Return what the function says now."""
        if claim.predicate != self.predicate or claim.subject is None:
            return None
        value = self.ask(claim.subject)
        if value is None:
            return Observed("gone", why="it has no value")
        return Observed("same") if value == claim.object else Observed("differs", value[:_LONGEST_VALUE])


def _at(value: Any, pointer: str) -> object:
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            if not name.isdecimal() or int(name) >= len(value):
                raise LookupError(name)
            value = value[int(name)]
        elif isinstance(value, dict) and name in value:
            value = value[name]
        else:
            raise LookupError(name)
    return value


def verify(tenant: Tenant, caller: Caller, outcome: RecallOutcome, verifiers: Sequence[Verifier]) -> dict[str, str]:
    """Check the claims of high consequence among the items, record what was found, and return a remark for each.

    Args:
        tenant: the tenant, under its lock.
        caller: who reads.
        outcome: what recall would show.
        verifiers: asked in order; the first that knows the source answers.
    """
    remarks: dict[str, str] = {}
    for item in outcome.items:
        view = tenant.graph.claim(item.id) if item.kind == "claim" else None
        if view is None or not _weighty(tenant, view.claim):
            continue
        for backer in view.backers:
            evidence = tenant.graph.evidence(backer.justification.requires[0])
            if evidence is None or not tenant.book.live(evidence.evidence.id):
                continue
            seen = _observed(verifiers, view.claim, evidence)
            if seen is not None:
                remarks.update(_record(tenant, caller, view.claim, evidence, seen))
                break
    return remarks


def _weighty(tenant: Tenant, claim: Claim) -> bool:
    registry = tenant.policies.write.registry
    return "high" in (claim.consequence, registry.get(claim.predicate or "erased").consequence)


def _observed(verifiers: Sequence[Verifier], claim: Claim, evidence: EvidenceView) -> Observed | None:
    for verifier in verifiers:
        try:
            if (seen := verifier.observe(claim, evidence)) is not None:
                return seen
        except Exception as error:  # noqa: BLE001 - a plug-in's failure must not take recall down, and means: nothing is known
            return Observed("unreachable", why=type(error).__name__)
    return None


def _record(tenant: Tenant, caller: Caller, claim: Claim, evidence: EvidenceView, seen: Observed) -> dict[str, str]:
    if seen.state == "unreachable":
        return {claim.id: f"not verified now: the source cannot be reached ({seen.why or 'no reason given'})"}
    newer = None if seen.value is None else _proposed(tenant, caller, claim, evidence, seen.value)
    if seen.state == "same" or (newer is not None and newer[1] == claim.id):  # said in another form
        tenant.commit("verify_at_use", claim.scope, [_mark(tenant, claim.id, "fresh")])
        return {claim.id: "verified against its source now"}
    remarks = {claim.id: "its source no longer says this"}
    if newer is not None and newer[0] is Outcome.HELD:
        remarks = {claim.id: f"its source says {seen.value!r} now, which waits for a person as {newer[1]}"}
    elif newer is not None:
        remarks[newer[1]] = f"observed now instead of what was stored ({claim.id})"
    changes = {evidence.evidence.id: "quarantined"}
    records: list[Record] = [_mark(tenant, evidence.evidence.id, "changed" if seen.state == "differs" else "gone")]
    found = marks(
        tenant, consequences(tenant, changes), code=REVERIFIED, actor=caller.principal, reason=seen.why or None
    )
    tenant.commit("verify_at_use", claim.scope, [*records, *found])
    return remarks


def _proposed(
    tenant: Tenant, caller: Caller, claim: Claim, evidence: EvidenceView, value: str
) -> tuple[Outcome, str] | None:
    """Propose what the source says now as its own later word; return what the gate decided, and the new claim's id."""
    told = evidence.evidence
    now = tenant.now()
    source = Caller(caller.scope, told.channel, told.principal or caller.principal or "verifier", None)
    try:
        proposal = Proposal.read(
            subject=claim.subject,
            predicate=claim.predicate,
            object=value,
            observed_at=to_datetime(now),
            evidence=Evidence.build(uri=evidence.source.uri, locator=told.locator),
        )
        verdict = writing.write(tenant, source, writing.prepare(tenant, source, proposal), tenant.ids.new("vrd"))
    except TkgError:
        return None
    if verdict.claim_id is None or verdict.outcome not in (Outcome.ACCEPTED, Outcome.REINFORCED, Outcome.HELD):
        return None
    if verdict.claim_id == claim.id:
        return verdict.outcome, claim.id
    event = Conflict(
        id=tenant.ids.new("cfl"),
        left=min(claim.id, verdict.claim_id),
        right=max(claim.id, verdict.claim_id),
        overlap_from=now,
        overlap_to=claim.interval.valid_to or claim.interval.to_hi,
        pattern="observed",
        rule="verify-at-use",
    )
    tenant.commit("verify_at_use", claim.scope, [event])
    return verdict.outcome, verdict.claim_id


def _mark(tenant: Tenant, target: str, state: str) -> StatusChange:
    return StatusChange(id=tenant.ids.new("sta"), target=target, axis="verified", value=state, code=REVERIFIED)
