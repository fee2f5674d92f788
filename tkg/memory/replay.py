"""The same bytes from the same source are the same evidence: reading them again adds nothing, and undoes no decision.

A version says which bytes those are. Without one a person may say the same again on another day, and a source that
changed its mind in between says something new; only what nothing came between is a repetition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tkg.gate import Assessment
from tkg.ids import kind_of
from tkg.memory.tenant import Tenant
from tkg.model.evidence import StoredEvidence
from tkg.model.scope import Channel
from tkg.model.view import SlotClaim

if TYPE_CHECKING:
    from tkg.memory.writing import Prepared

_PEOPLE = (Channel.HUMAN_STATED, Channel.HUMAN_VERIFIED)
#: newest justifications of a claim that are looked at
_BACKERS = 200


class Replay(NamedTuple):
    """A piece of evidence that is there already, and what the gate is told of it.

    `kept` is the claim it speaks for; None when the candidate is written anew (and waits for a person).
    """

    evidence_id: str
    assessment: Assessment
    kept: str | None


def replayed(tenant: Tenant, prepared: Prepared) -> Replay | None:
    """Return the earlier reading of what is proposed, or None when it is new evidence."""
    fresh = prepared.evidence
    if fresh is None or (fresh.version is None and fresh.quote is None):
        return None
    for rival in prepared.rivals:
        if not _same_statement(prepared, rival):
            continue
        for seq, old in _evidence(tenant, rival):
            if not _same_bytes(old, fresh):
                continue
            if fresh.version is None and not _repeated(prepared, fresh, old, rival, seq):
                continue
            return _answer(tenant, rival, old)
    return None


def _same_statement(prepared: Prepared, rival: SlotClaim) -> bool:
    """Return whether a rival says the same of the same time; a start nobody gave is the time of reading."""
    claim, other = prepared.claim, rival.claim
    timeless = prepared.candidate.valid_from is None and prepared.candidate.valid_to is None
    return (claim.object_norm, claim.polarity) == (other.object_norm, other.polarity) and (
        timeless or claim.interval == other.interval
    )


def _evidence(tenant: Tenant, claim: SlotClaim) -> Iterator[tuple[int, StoredEvidence]]:
    for backer in claim.backers[-_BACKERS:]:
        for required in backer.justification.requires:
            if kind_of(required) == "evidence" and (view := tenant.graph.evidence(required)) is not None:
                yield view.seq, view.evidence


def _same_bytes(old: StoredEvidence, fresh: StoredEvidence) -> bool:
    return (old.source_id, old.version, old.quote, old.locator, old.copy_of) == (
        fresh.source_id,
        fresh.version,
        fresh.quote,
        fresh.locator,
        fresh.copy_of,
    ) and old.channel.rank >= fresh.channel.rank


def _repeated(prepared: Prepared, fresh: StoredEvidence, old: StoredEvidence, rival: SlotClaim, seq: int) -> bool:
    """Return whether bytes without a version are a repetition: read at the same time, or by a machine that said nothing
    else of the slot since.
    """
    if fresh.observed_at == old.observed_at:
        return True
    if fresh.channel in _PEOPLE:
        return False
    return not any(
        backer.seq > seq and fresh.origin in backer.justification.origins
        for other in prepared.rivals
        if other.claim.id != rival.claim.id
        for backer in other.backers
    )


def _answer(tenant: Tenant, rival: SlotClaim, old: StoredEvidence) -> Replay:
    status = tenant.book.status(rival.claim.id)
    if status == "rejected":
        found = Assessment("reject", "decided", "A person has refused this reading of the same words.", rival.claim.id)
        return Replay(old.id, found, None)
    if status == "revoked" or tenant.book.status(old.id) == "revoked":
        found = Assessment("hold", "revoked_before", "The same words of the same source were revoked.", rival.claim.id)
        return Replay(old.id, found, None)
    asks = "hold" if status == "held" else "quarantine" if status == "quarantined" else "reinforce"
    found = Assessment(asks, "replay", "The same words of the same source are its evidence already.", rival.claim.id)  # type: ignore[arg-type]
    return Replay(old.id, found, rival.claim.id)
