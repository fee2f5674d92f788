"""How states, kinds and values look: by shape, hatching and word as well as by colour, so that grey print tells the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from tkg.model.time import YEAR_ONE, parse_when, to_datetime


class Look(NamedTuple):
    """Fill, edge and hatching of an area; `sign` goes before the word of a state."""

    fill: str
    edge: str
    line: str
    hatch: str
    sign: str


#: lightness falls from active to revoked, so that the order survives without colour
STATES: Final[Mapping[str, Look]] = {
    "active": Look("#e3f2e6", "#1b7837", "solid", "", "✓"),
    "stale": Look("#fff3cd", "#8a6d00", "dashed", "", "~"),
    "unverified": Look("#fff3cd", "#8a6d00", "dotted", "", "?"),
    "held": Look("#fdebd0", "#a04000", "dashed", "..", "‖"),
    "suspended": Look("#fdebd0", "#a04000", "dashed", "", "‖"),
    "quarantined": Look("#fad7a0", "#a04000", "dashdot", "//", "‖"),
    "superseded": Look("#d6e4f0", "#21618c", "solid", "\\\\", "↷"),
    "expired": Look("#d5d8dc", "#424949", "dotted", "\\\\", "↷"),
    "rejected": Look("#e6b0aa", "#78281f", "solid", "xx", "✗"),
    "revoked": Look("#e6b0aa", "#78281f", "solid", "xx", "✗"),
    "unsupported": Look("#e6b0aa", "#78281f", "solid", "xx", "✗"),
    "erased": Look("#aeb6bf", "#17202a", "dotted", "xx", "∅"),
}
OTHER: Final = Look("#ffffff", "#555555", "solid", "", "·")

#: fills and hatches of values, in the order in which they first held
VALUES: Final = (
    ("#a6cee3", ""),
    ("#fdbf6f", "//"),
    ("#b2df8a", ".."),
    ("#cab2d6", "\\\\"),
    ("#fb9a99", "xx"),
    ("#ffff99", "--"),
    ("#d9d9d9", "++"),
)

#: marker of each kind of node
MARKS: Final[Mapping[str, str]] = {
    "source": "s",
    "evidence": "o",
    "claim": "D",
    "episode": "v",
    "summary": "h",
    "skill": "^",
    "action": ">",
    "answer": "p",
}


def look(state: str) -> Look:
    """Return how a state looks."""
    return STATES.get(state, OTHER)


def values_of(words: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return (fill, hatch) for each value, in the order given."""
    return {word: VALUES[place % len(VALUES)] for place, word in enumerate(dict.fromkeys(words))}


def moment(text: str | None) -> datetime | None:
    """Read an ISO 8601 time as the answers give them; None stays None (an open end).

    A picture's axis begins in the year 1: what lies before stands at its edge.
    """
    if text is None:
        return None
    return to_datetime(max(parse_when(text).start, YEAR_ONE))
