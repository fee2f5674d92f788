"""Who may let an action go: what could have influenced it, and the second factor for what matters (semantics 5.5).

An action is of high impact when its tool has a word of the write policy's `high_impact_tools` in its name, or when it
rests on a claim whose predicate has high consequence or steers an agent. Then

(a) everything that was in its context must be at least of the class of a trusted tool, and
(b) each such claim, and for each argument a claim that has it for its value, needs a second factor: a person verified it,
    or two independent trusted origins say so. An action without arguments needs that of all that was in its context.

One that names no tool may be of any impact, so nothing from outside may stand behind it. All others pass. Whoever
dispatches through the channel human_verified is the second factor: a person who was shown the action and answers for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tkg.belief.label import second_factor
from tkg.errors import NotPermitted
from tkg.gate import steers
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of
from tkg.memory.tenant import Tenant
from tkg.model.artefact import Artefact
from tkg.model.scope import Channel
from tkg.model.view import SlotClaim
from tkg.text import match_form

_WORD: Final = re.compile(r"[^\W_]+")
_CURE: Final = "let a person verify it, or dispatch it through the channel human_verified"


def check_authority(
    tenant: Tenant, caller: Caller, action: Artefact, exposed: Sequence[str], grounds: Sequence[SlotClaim]
) -> None:
    """Refuse an action that too low a class could have influenced.

    Args:
        tenant: the open tenant.
        caller: who dispatches.
        action: the queued action; its `meta` holds the tool and the arguments.
        exposed: ids of all that was in its context, which is what its justification requires.
        grounds: the claims it grew from, near and far.

    Raises:
        NotPermitted: its label or the support of a claim behind it does not reach; the message names the id.
    """
    if caller.channel is Channel.HUMAN_VERIFIED:
        return
    meta = action.meta or {}
    tool = meta.get("tool", "").casefold()
    heavy = [view for view in grounds if weighty(tenant, view)]
    if not heavy and tenant.policies.write.high_impact_tools.isdisjoint(_WORD.findall(tool)):
        if not tool.strip():
            _label(tenant, exposed, Channel.AGENT_INFERRED, "an action that names no tool")
        return
    _label(tenant, exposed, Channel.TRUSTED_TOOL, "an action of high impact")
    for view in heavy:
        if not _confirmed(tenant, view):
            raise _unconfirmed(view.claim.id)
    arguments = {name: value for name, value in meta.items() if name != "tool"}
    if arguments:
        values = {match_form(view.claim.object or "") for view in grounds if _confirmed(tenant, view)}
        for name, value in arguments.items():
            if match_form(value) not in values:
                raise NotPermitted(
                    f"{name} of an action of high impact is the value of no claim behind it that a person has verified "
                    f"or two independent sources support; {_CURE}"
                )
        return
    for one in exposed:
        claim = tenant.graph.claim(one)
        if not (_confirmed(tenant, claim) if claim else label_of(tenant, one).rank >= Channel.HUMAN_VERIFIED.rank):
            raise _unconfirmed(one)


def _unconfirmed(node: str) -> NotPermitted:
    return NotPermitted(
        f"an action of high impact rests on {node}, which nobody has verified and no second independent source supports; "
        f"{_CURE}"
    )


def weighty(tenant: Tenant, view: SlotClaim) -> bool:
    """Return whether a claim's predicate has high consequence or decides whom or what an agent follows."""
    name = view.claim.predicate or ""
    write = tenant.policies.write
    return "high" in (view.claim.consequence, write.registry.get(name).consequence) or steers(name, write)


def _confirmed(tenant: Tenant, view: SlotClaim) -> bool:
    return second_factor(
        one for one in view.backers if all(tenant.book.live(needed) for needed in one.justification.requires)
    )


def _label(tenant: Tenant, exposed: Iterable[str], least: Channel, what: str) -> None:
    """Refuse when something in the exposure is below a class.

    A claim counts with its best standing support: what a person has verified is no longer of the class it came in.
    """
    for one in exposed:
        found = label_of(tenant, one)
        if found.rank < least.rank:
            raise NotPermitted(f"{what} rests on {one}, which is of class {found.value}; {_CURE}")
