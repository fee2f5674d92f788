"""Who may take something back, or bring it back: nobody silences a voice of a higher class.

Below a person, only one's own words. A person: whatever is of no higher class than the person's channel, and one's own.
What a system of record said takes two: one person quarantines it, another revokes it. A verified person may lift either.
Beyond class there is scope (`visible.bound_node`): one user of a tenant takes back, decides and confirms in that user's
scope alone; what belongs to the whole tenant, only through the tenant's handle.
"""

from __future__ import annotations

from collections.abc import Iterable

from tkg.errors import NotPermitted
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of
from tkg.memory.tenant import Tenant
from tkg.model.evidence import StoredEvidence
from tkg.model.scope import Channel

_PEOPLE = Channel.HUMAN_STATED.rank
_VERIFIED = Channel.HUMAN_VERIFIED.rank


def check_taking_back(tenant: Tenant, caller: Caller, nodes: Iterable[str], status: str) -> None:
    """Refuse a change of status that the caller's class does not allow.

    Args:
        tenant: the open tenant.
        caller: who asks.
        nodes: claims, artefacts and evidence that would change.
        status: "revoked", "quarantined" or "active".

    Raises:
        NotPermitted: the class is too low, or a second person is needed; the message says which.
    """
    channel, principal = caller.speaking()
    for node in nodes:
        if _own(tenant, caller, node):
            continue
        found = label_of(tenant, node)
        if channel.rank < _PEOPLE:
            raise NotPermitted(
                f"{node} is another's; through the channel {channel.value} only one's own words can be taken back: "
                "ask a person"
            )
        if found is Channel.SYSTEM_OF_RECORD and channel.rank >= _VERIFIED:
            if status == "revoked" and not _second_person(tenant, node, principal):
                raise NotPermitted(
                    f"{node} comes from a system of record, which takes two people: quarantine it, and let another "
                    "person revoke it"
                )
        elif found.rank > channel.rank:
            raise NotPermitted(
                f"{node} is of class {found.value}; the channel {channel.value} cannot take it back: "
                f"ask somebody of that class, or dispute it with a claim of your own"
            )


def check_deciding(caller: Caller, what: str) -> None:
    """Refuse a decision that binds others' writes or erasures to anybody but a person or a system of record.

    Raises:
        NotPermitted: the channel is an agent's, a tool's or outside content's.
    """
    channel, _ = caller.speaking()
    if channel.rank < _PEOPLE:
        raise NotPermitted(f"{what} takes a person or a system of record, not the channel {channel.value}")


def _second_person(tenant: Tenant, node: str, principal: str) -> bool:
    last = tenant.book.last(node, "status")
    return last is not None and last.value == "quarantined" and last.actor not in (None, principal)


def _own(tenant: Tenant, caller: Caller, node: str) -> bool:
    """Return whether all that directly backs a node was said by the caller, through the same channel."""
    artefact = tenant.graph.artefact(node)
    said = _evidence(tenant, node)
    if not said:
        session = None if caller.session is None else tenant.names.session(caller.session)
        return artefact is not None and session is not None and artefact.artefact.session_id == session
    channel, principal = caller.speaking()
    mine = tenant.names.principal(principal)
    return all(one.principal_id == mine and one.channel.rank <= channel.rank for one in said)


def _evidence(tenant: Tenant, node: str) -> list[StoredEvidence]:
    view = tenant.graph.evidence(node)
    if view is not None:
        return [view.evidence]
    needed = {one for backer in tenant.graph.justifications(node) for one in backer.justification.requires}
    found = (tenant.graph.evidence(one) for one in sorted(needed))
    return [one.evidence for one in found if one is not None]
