"""What a consolidation answers."""

from __future__ import annotations

from tkg.memory.answers import Condensed
from tkg.model.base import Value
from tkg.model.verdict import Verdict


class FactChecked(Value):
    """One claim that was looked at: its state in words, what brought that about, why, and the evidence for it."""

    claim: str
    state: str
    by: tuple[str, ...] = ()
    reason: str
    evidence: tuple[str, ...] = ()


class Consolidation(Value):
    """What a consolidation did, or would do (then `job` and `done_at` are None, and nothing was read again).

    `verdicts` are the gate's on what the texts say beyond what was read before, `checked` every claim of the window,
    `summaries` what the episodes in `archived` were compressed into.
    """

    job: str | None
    episodes: int
    verdicts: tuple[Verdict, ...] = ()
    checked: tuple[FactChecked, ...] = ()
    summaries: tuple[Condensed, ...] = ()
    archived: tuple[str, ...] = ()
    done_at: int | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many claims are in which state."""
        found: dict[str, int] = {}
        for one in self.checked:
            found[one.state] = found.get(one.state, 0) + 1
        return dict(sorted(found.items()))


class Undone(Value):
    """What came of taking a consolidation back: episodes in recall again, evidence out of belief."""

    job: str
    episodes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
