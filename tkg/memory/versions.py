"""A new version of a document: what became of every claim that an older version was evidence for.

Still there (the words stand where they stood), moved (they stand elsewhere), changed (the new version says something else
in their place) or gone. A claim whose place another one of the new version took keeps its past: until then the document
said so. What is gone without that is suspended, as by `tkg verify --evidence`, until the words are found again or a person
releases the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from tkg.ids import kind_of
from tkg.memory.caller import Caller
from tkg.memory.fetching import Fetched
from tkg.memory.reverifying import compare, outside_the_base, record_again, remark
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.model.base import Value
from tkg.model.evidence import StoredEvidence
from tkg.model.scope import Channel
from tkg.model.time import Instant

#: may renew what another principal read
_ANY: frozenset[Channel] = frozenset({Channel.SYSTEM_OF_RECORD, Channel.HUMAN_VERIFIED})


class ClaimRenewed(Value):
    """What became of one claim of an older version; `by` is the claim that took its place."""

    claim: str
    evidence: str
    version: str | None
    state: Literal["still there", "moved", "changed", "gone"]
    #: state of the claim now
    now: str = ""
    by: str | None = None
    says: str = ""


class Renewed(NamedTuple):
    """A document as it is now."""

    uri: str
    version: str
    text: str
    observed_at: Instant


def renew(tenant: Tenant, caller: Caller, now: Renewed) -> list[ClaimRenewed]:
    """Compare what older versions of a document are evidence for with the text it has now, and record what is found.

    Call it once the new version was read. Only what the caller's principal read before (any principal's for a person who
    verified, and for a system of record), of no higher class than the caller's, in the same scope, is compared; an older
    version read late renews nothing.

    Args:
        tenant: the tenant, open for writing.
        caller: who read the new version.
        now: the document.
    """
    found: list[ClaimRenewed] = []
    for evidence in _older(tenant, caller, now):
        found += _one(tenant, evidence, now)
    return found


def _older(tenant: Tenant, caller: Caller, now: Renewed) -> Iterator[StoredEvidence]:
    """Yield the quotes of older versions that were not compared with this one yet."""
    channel, principal = caller.speaking()
    mine = tenant.names.principal(principal)
    views = [
        view
        for source in tenant.sources_of(now.uri)
        for one in tenant.graph.evidence_from(source)
        if (view := tenant.graph.evidence(one)) is not None and view.evidence.scope == caller.scope.path
    ]
    read = min((view.seq for view in views if view.evidence.version == now.version), default=0)
    for view in views:
        one = view.evidence
        if one.version is None or one.version == now.version or one.quote is None or one.observed_at > now.observed_at:
            continue
        if one.channel.rank > channel.rank or (one.principal_id != mine and channel not in _ANY):
            continue
        last = tenant.book.last(one.id, "verified")
        looked = max((seq for seq, each in tenant.book.history(one.id) if each.axis == "verified"), default=0)
        if last is not None and looked > read:
            continue
        if tenant.book.status(one.id) == "active" or outside_the_base(tenant, one.id):
            yield one


def _one(tenant: Tenant, evidence: StoredEvidence, now: Renewed) -> Iterator[ClaimRenewed]:
    state, _ = compare(evidence, Fetched(now.text))
    claims = _claims(tenant, evidence.id)
    if state in ("fresh", "moved"):
        record_again(tenant, evidence, now.uri, Fetched(now.text))
        for claim in claims:
            yield _told(tenant, claim, evidence, "still there" if state == "fresh" else "moved")
        return
    heirs = {claim: _heir(tenant, claim, now.version) for claim in claims}
    if claims and all(heir is not None for heir in heirs.values()):
        remark(tenant, evidence, "changed")
        for claim in claims:
            yield _told(tenant, claim, evidence, "changed", by=heirs[claim])
        return
    record_again(tenant, evidence, now.uri, Fetched(now.text))
    for claim in claims:
        heir = heirs[claim]
        yield _told(tenant, claim, evidence, "gone" if heir is None else "changed", by=heir)


def _claims(tenant: Tenant, evidence_id: str) -> list[str]:
    """Return the claims that rest on a piece of evidence."""
    heads = (
        one.justification.head for one in tenant.graph.cone(evidence_id) if evidence_id in one.justification.requires
    )
    return [one for one in dict.fromkeys(heads) if kind_of(one) == "claim"]


def _heir(tenant: Tenant, claim: str, version: str) -> str | None:
    """Return the claim that took a claim's place, if it rests on the new version."""
    showing = state_of(tenant, claim)
    if showing.state != "superseded" or showing.by is None:
        return None
    for backer in tenant.graph.justifications(showing.by):
        for one in backer.justification.requires:
            view = tenant.graph.evidence(one) if kind_of(one) == "evidence" else None
            if view is not None and view.evidence.version == version:
                return showing.by
    return None


def _told(
    tenant: Tenant,
    claim: str,
    evidence: StoredEvidence,
    state: Literal["still there", "moved", "changed", "gone"],
    by: str | None = None,
) -> ClaimRenewed:
    view = tenant.graph.claim(claim)
    said = "" if view is None else f"{view.claim.subject} {view.claim.predicate} {view.claim.object}"
    now = state_of(tenant, claim).state
    return ClaimRenewed(
        claim=claim, evidence=evidence.id, version=evidence.version, state=state, now=now, by=by, says=said
    )
