"""Labels: who could have influenced a text, and the second factor for what matters (semantics 1.3 and 5.5).

A label is the minimum class over everything a session was exposed to; alternatives never improve it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.model.view import Backer

_TRUSTED: Final = Channel.TRUSTED_TOOL.rank


def least(channels: Iterable[Channel], default: Channel) -> Channel:
    """Return the lowest class of several, or `default` when there is none."""
    return min(channels, key=lambda channel: channel.rank, default=default)


class Exposure(NamedTuple):
    """One thing a session was shown or told, and when."""

    id: str
    channel: Channel
    at: Instant


def window(
    exposures: Iterable[Exposure], *, until: Instant, human_turns: Iterable[Instant] = (), whole_session: bool
) -> tuple[Exposure, ...]:
    """Return the exposures that taint something written at `until`.

    Args:
        exposures: everything the session was exposed to.
        until: when it was written.
        human_turns: when a person spoke in the session.
        whole_session: True for skills and actions; False for claims and summaries, which start anew at the last human
            turn.
    """
    since = None if whole_session else max((turn for turn in human_turns if turn <= until), default=None)
    kept = (each for each in exposures if each.at <= until and (since is None or each.at >= since))
    return tuple(sorted(kept, key=lambda each: (each.at, each.id)))


def label_of(exposures: Iterable[Exposure], own: Channel, *, session: bool = True) -> Channel:
    """Return the label of what was written under these exposures by the channel `own`.

    Without a work session the trace is missing, so the label is at most `agent_inferred`.
    """
    found = least((each.channel for each in exposures), own)
    capped = least((found, own), own)
    return capped if session else least((capped, Channel.AGENT_INFERRED), capped)


def second_factor(backers: Iterable[Backer], label: Channel | None = None) -> bool:
    """Return whether a claim may replace a value of high consequence.

    (a) Nothing below a trusted tool in the whole exposure, and (b) a person has verified it, or two independent
    origins of at least that class say so. One system of record is one origin.

    Args:
        backers: the claim's justifications.
        label: the lowest class of the whole exposure; by default that of the backers themselves.
    """
    made = [backer.justification for backer in backers if backer.justification.kind == "evidence"]
    strong = [each for each in made if each.channel.rank >= _TRUSTED]
    exposed = least((each.channel for each in strong), Channel.EXTERNAL) if label is None else label
    if exposed.rank < _TRUSTED:
        return False
    if any(each.channel is Channel.HUMAN_VERIFIED for each in strong):
        return True
    return len({origin for each in strong for origin in each.origins}) >= 2
