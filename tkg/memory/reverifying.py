"""`tkg verify --evidence`: do the sources still say what was relied on?

Each piece of evidence is fetched again and gets a state on its `verified` axis: fresh (the words are where they were),
moved (they are elsewhere in the document), changed (the document is there without them), gone, or unreachable (nothing is
known). What rests on changed or gone evidence alone is suspended: the evidence is taken out of the base, as by a quarantine,
until it is found fresh again or a person releases it. Unreachable changes nothing.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from tkg.belief.state import REVERIFIED
from tkg.errors import RequestError
from tkg.memory.answers import EvidenceReport, Rechecked
from tkg.memory.fetching import Fetched, Limits, fetch
from tkg.memory.replan import consequences, marks
from tkg.memory.tenant import Tenant
from tkg.model.entry import Record
from tkg.model.evidence import StoredEvidence
from tkg.model.verdict import StatusChange

#: code of the changes it makes
CODE: Final = REVERIFIED
#: microseconds after which the same answer is recorded again: so often it extends a time to live
_AGAIN: Final = 86_400_000_000
_LINE: Final = re.compile(r"^(?:line|l)=?\s*(\d+)$", re.IGNORECASE)
_CHARS: Final = re.compile(r"^chars=(\d+)-(\d+)$")
_DIGEST: Final = re.compile(r"^(?:sha256:)?([0-9a-f]{64})$")
#: lines from the one named in which a quote may stand
_LINES: Final = 40
_BAD: Final = frozenset({"changed", "gone"})


def reverify(
    tenant: Tenant,
    limits: Limits,
    *,
    most: int | None,
    seconds: float | None,
    within: Callable[[str], bool] = lambda scope: True,
    record: bool = True,
) -> EvidenceReport:
    """Fetch what evidence rests on and record what was found; those looked at longest ago come first.

    Args:
        tenant: the tenant, open for writing.
        limits: what may be fetched.
        most: documents at most (None: all).
        seconds: no document is begun after so long (None: all).
        within: in which scopes.
        record: False only says what would be recorded.

    Raises:
        RequestError: a limit below 1.
    """
    if (most is not None and most < 1) or (seconds is not None and seconds <= 0):
        raise RequestError("a budget is at least one document and more than no time")
    began, known = time.monotonic(), dict[str, Fetched]()
    items: list[Rechecked] = []
    due, without = _due(tenant, within)
    for place, (evidence, uri) in enumerate(due):
        bare = uri.partition("#")[0]
        if bare not in known:
            spent = seconds is not None and time.monotonic() - began > seconds
            if spent or (most is not None and len(known) >= most):
                return EvidenceReport(items=tuple(items), without=without, left=len(due) - place)
            known[bare] = fetch(uri, limits)
        items.append(record_again(tenant, evidence, uri, known[bare], record))
    return EvidenceReport(items=tuple(items), without=without)


def _due(tenant: Tenant, within: Callable[[str], bool]) -> tuple[list[tuple[StoredEvidence, str]], int]:
    """Return the evidence to look at, longest ago first, and how much there is nothing to compare with."""
    found: list[tuple[int, StoredEvidence, str]] = []
    without = 0
    for evidence in _all(tenant):
        if not within(evidence.scope):
            continue
        view = tenant.graph.evidence(evidence.id)
        uri = None if view is None else view.source.uri
        if uri is None or not (tenant.book.status(evidence.id) == "active" or outside_the_base(tenant, evidence.id)):
            continue
        if evidence.quote is None and not _DIGEST.match(evidence.version or ""):
            without += 1
            continue
        looked = [seq for seq, one in tenant.book.history(evidence.id) if one.axis == "verified"]
        found.append((max(looked, default=0), evidence, uri))
    found.sort(key=lambda one: one[0])  # among those never looked at, the oldest
    return [(evidence, uri) for _, evidence, uri in found], without


def _all(tenant: Tenant) -> Iterator[StoredEvidence]:
    for entry in tenant.ledger.read_since(0):
        yield from (one for one in entry.records if isinstance(one, StoredEvidence))


def outside_the_base(tenant: Tenant, evidence_id: str) -> bool:
    """Return whether it was this that took the evidence out of the base."""
    last = tenant.book.last(evidence_id, "status")
    return last is not None and last.value == "quarantined" and last.code == CODE


def compare(evidence: StoredEvidence, found: Fetched) -> tuple[str, str]:
    """Return the state of evidence against a document, and why."""
    if found.text is None:
        return found.state, found.why
    digest = _DIGEST.match(evidence.version or "")
    if evidence.quote is None:
        same = digest is not None and hashlib.sha256(found.text.encode()).hexdigest() == digest[1]
        return ("fresh", "") if same else ("changed", "another digest")
    if evidence.quote in _located(evidence.locator, found.text):
        return "fresh", ""
    if _flat(evidence.quote) in _flat(found.text):
        return "moved", "the words are elsewhere in the document"
    return "changed", "the words are not in the document"


def _located(locator: str | None, text: str) -> str:
    """Return the part of a document that a locator names; all of it where it names a part that cannot be told."""
    if locator is not None and (line := _LINE.match(locator.strip())):
        lines = text.splitlines(keepends=True)
        return "".join(lines[int(line[1]) - 1 :][:_LINES]) if int(line[1]) >= 1 else ""
    if locator is not None and (chars := _CHARS.match(locator.strip())):
        return text[int(chars[1]) : int(chars[2])]
    return text


def _flat(text: str) -> str:
    return " ".join(text.split())


def record_again(tenant: Tenant, evidence: StoredEvidence, uri: str, found: Fetched, record: bool = True) -> Rechecked:
    """Record what looking at evidence again found, with all it brings about; without `record` only say it."""
    state, why = compare(evidence, found)
    last = tenant.book.last(evidence.id, "verified")
    before = "" if last is None else last.value
    out = outside_the_base(tenant, evidence.id)
    changes: dict[str, str] = {}
    if state in _BAD and not out:
        changes = {evidence.id: "quarantined"}
    elif state in ("fresh", "moved") and out:
        changes = {evidence.id: "active"}
    shown = Rechecked(evidence=evidence.id, scope=evidence.scope, uri=uri, state=state, before=before, why=why)
    if state == before and not changes and not _old(tenant, evidence.id):
        return shown
    if not record:
        plan = consequences(tenant, changes)
        return shown.model_copy(update={"suspended": tuple(plan.suspended), "returned": tuple(plan.returned)})
    records: list[Record] = [_mark(tenant, evidence.id, state)]
    if state in ("fresh", "moved"):
        records += [_mark(tenant, claim, "fresh") for claim in _claims_on(tenant, evidence.id)]
    if not changes:
        tenant.commit("reverify", evidence.scope, records)
        return shown.model_copy(update={"recorded": True})
    plan = consequences(tenant, changes)
    tenant.commit(
        "reverify", evidence.scope, [*records, *marks(tenant, plan, code=CODE, actor=None, reason=why or None)]
    )
    return shown.model_copy(
        update={"recorded": True, "suspended": tuple(plan.suspended), "returned": tuple(plan.returned)}
    )


def _old(tenant: Tenant, evidence_id: str) -> bool:
    looked = [seq for seq, one in tenant.book.history(evidence_id) if one.axis == "verified"]
    return max(looked, default=0) <= tenant.written_by(_AGAIN)


def remark(tenant: Tenant, evidence: StoredEvidence, state: str) -> None:
    """Record a state of evidence that changes nothing else."""
    tenant.commit("reverify", evidence.scope, [_mark(tenant, evidence.id, state)])


def _mark(tenant: Tenant, target: str, state: str) -> StatusChange:
    return StatusChange(id=tenant.ids.new("sta"), target=target, axis="verified", value=state, code=CODE)


def _claims_on(tenant: Tenant, evidence_id: str) -> list[str]:
    """Return the claims that evidence supports by itself: their time to live counts from now."""
    backers = tenant.graph.cone(evidence_id)
    return list(
        dict.fromkeys(
            one.justification.head
            for one in backers
            if one.justification.requires == (evidence_id,) and tenant.graph.claim(one.justification.head) is not None
        )
    )
