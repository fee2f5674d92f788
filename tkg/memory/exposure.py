"""What a session's exposure does to what it writes: the label falls to the least class it was shown, and an echo of
what it was shown is no evidence.
"""

from __future__ import annotations

from tkg.ids import kind_of
from tkg.memory.caller import Caller
from tkg.memory.sessions import Shown
from tkg.memory.tenant import Tenant
from tkg.model.scope import Channel
from tkg.model.view import SlotClaim
from tkg.text import match_form

#: channels whose words may only repeat what the session was shown; a person who repeats it vouches for it
_ECHOING = frozenset({Channel.AGENT_INFERRED, Channel.TRUSTED_TOOL, Channel.EXTERNAL})

_LEAST = min(Channel, key=lambda channel: channel.rank)


def least(*channels: Channel) -> Channel:
    """Return the channel of lowest integrity."""
    return min(channels, key=lambda channel: channel.rank)


def label_of(tenant: Tenant, node_id: str) -> Channel:
    """Return the class a node is acted on with: an artefact's label, evidence's class, a claim's best live backer."""
    kind = kind_of(node_id)  # what an id is of saves a read
    if kind != "evidence" and (artefact := tenant.graph.artefact(node_id)) is not None:
        return artefact.artefact.label
    if (evidence := tenant.graph.evidence(node_id)) is not None:
        return evidence.evidence.channel
    claim = tenant.graph.claim(node_id)
    backers = () if claim is None else claim.backers
    live = [b.justification for b in backers if all(tenant.book.live(one) for one in b.justification.requires)]
    return max((one.channel for one in live), key=lambda channel: channel.rank, default=Channel.EXTERNAL)


def label_of_session(tenant: Tenant, caller: Caller, *, default: Channel, whole: bool = False) -> Channel:
    """Return the least class a session was shown within the taint window.

    Args:
        tenant: the open tenant.
        caller: whose work session.
        default: answer for a session that was shown nothing.
        whole: take the whole session (skills and actions) whatever the policy says of claims and summaries.
    """
    since = tenant.policies.write.taint_since_human_turn and not whole
    shown = _shown(tenant, caller, since_human_turn=since)
    found = default
    for one in dict.fromkeys(one.id for one in shown):
        if found is _LEAST:  # it cannot fall further; a long session is not read to its end for each of its turns
            break
        found = least(found, label_of(tenant, one))
    return found


def shown_antecedents(tenant: Tenant, caller: Caller, *, whole: bool = False) -> tuple[str, ...]:
    """Return what this session was shown within the taint window: antecedents of whatever an agent writes in it.

    The read trace decides, not what the agent says it used. What did not stand when it was shown (a note about something
    suspended) is no antecedent.

    Args:
        tenant: the open tenant.
        caller: who writes.
        whole: take the whole session (skills and actions) whatever the policy says of claims and summaries.
    """
    if caller.session is None:
        return ()
    since = tenant.policies.write.taint_since_human_turn and not whole
    shown = _shown(tenant, caller, since_human_turn=since)
    return tuple(dict.fromkeys(one.id for one in shown if tenant.book.live(one.id, one.seq)))


def was_shown(
    tenant: Tenant, caller: Caller, rivals: tuple[SlotClaim, ...], object_norm: str | None, texts: tuple[str, str]
) -> bool:
    """Return whether a session repeats what it was shown.

    Args:
        tenant: the open tenant.
        caller: who writes; a person's own words are never an echo.
        rivals: claims of the slot.
        object_norm: normalised object of what is written.
        texts: subject and object as written, looked for in the texts (summaries, episodes) the session was shown.
    """
    if caller.session is None or caller.channel not in _ECHOING:
        return False
    shown = {one.id for one in _shown(tenant, caller, since_human_turn=False)}
    if any(rival.claim.id in shown and rival.claim.object_norm == object_norm for rival in rivals):
        return True
    words = [match_form(text) for text in texts]
    for one in sorted(one for one in shown if kind_of(one) not in ("claim", "evidence")):
        view = tenant.graph.artefact(one)
        if view is not None and view.artefact.content is not None:
            content = match_form(view.artefact.content)
            if all(word in content for word in words):
                return True
    return False


def _shown(tenant: Tenant, caller: Caller, *, since_human_turn: bool) -> list[Shown]:
    if caller.session is None:
        return []
    session = tenant.names.session(caller.session)
    return tenant.sessions.shown(session, caller.scope.path, since_human_turn=since_human_turn)
