"""How a skill did when it was run: what a run says of it, and since when. Pure.

A run that failed demotes: each failure in a row halves the skill's weight, and after `ReadPolicy.skill_failures` in a row
it is not shown. Only a verified run (told by a tool or a person, not by the agent that ran it) ends the row, and promotes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tkg.belief.book import LATEST, Book

AXIS: Final = "run"
FAILED: Final = "failed"
VERIFIED: Final = "verified"
#: told by the agent that ran it: kept, and proof of nothing
SUCCEEDED: Final = "succeeded"


class Runs(NamedTuple):
    """What the runs of a skill say: failures since the last verified one, and whether there was one at all."""

    failures: int = 0
    verified: int = 0
    last: str | None = None


def runs(book: Book, skill: str, as_of: int = LATEST) -> Runs:
    """Return what the runs up to a transaction say."""
    if book.last(skill, AXIS, as_of) is None:
        return Runs()
    told = [change.value for seq, change in book.history(skill) if change.axis == AXIS and seq <= as_of]
    failures = 0
    for value in told:
        failures = 0 if value == VERIFIED else failures + (value == FAILED)
    return Runs(failures, told.count(VERIFIED), told[-1])
