"""What laying a claim beside its slot shows: values that `tkg.belief.contradiction` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from tkg.belief.table import Judgement
from tkg.ids import Ids
from tkg.model.claim import Conflict, Refinement, Supersession
from tkg.model.time import Instant

Outcome = Literal["accept", "reinforce", "hold", "quarantine", "withdraw", "close"]


class Cut(NamedTuple):
    """A supersession to record: `winner` takes `[portion_from, portion_to)` of `loser`."""

    winner: str
    loser: str
    portion_from: Instant
    portion_to: Instant
    row: str


class Clash(NamedTuple):
    """A conflict to record."""

    left: str
    right: str
    overlap_from: Instant
    overlap_to: Instant
    pattern: str
    certainty: Literal["definite", "possible"]
    row: str


class Finer(NamedTuple):
    """A refinement to record."""

    finer: str
    coarser: str


class Withdrawal(NamedTuple):
    """A claim that its own origin denies for its whole time, and what backed it on that origin's word.

    `whole`: nothing else backs it, so that the claim itself is withdrawn.
    """

    claim: str
    justifications: tuple[str, ...]
    evidence: tuple[str, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class Assessed:
    """What laying a claim beside its slot showed.

    `target` is the claim that is reinforced. `row` and `reason` name the row of the decision table that counted.
    Edges are to be written whatever the outcome (for "reinforce" they are edges of `target`): they count only while
    their winner stands.
    """

    outcome: Outcome
    row: str
    reason: str
    target: str | None = None
    cuts: tuple[Cut, ...] = ()
    clashes: tuple[Clash, ...] = ()
    finer: tuple[Finer, ...] = ()
    withdraws: tuple[Withdrawal, ...] = ()
    closes: tuple[str, ...] = ()
    judgements: tuple[Judgement, ...] = ()

    def records(self, ids: Ids, decided_by: str = "gate") -> list[Supersession | Conflict | Refinement]:
        """Return the edges as records, in a fixed order."""
        made: list[Supersession | Conflict | Refinement] = []
        for cut in self.cuts:
            made.append(
                Supersession(
                    id=ids.new("sup"),
                    winner=cut.winner,
                    loser=cut.loser,
                    portion_from=cut.portion_from,
                    portion_to=cut.portion_to,
                    rule=cut.row,
                    decided_by=decided_by,
                )
            )
        for clash in self.clashes:
            made.append(
                Conflict(
                    id=ids.new("cfl"),
                    left=clash.left,
                    right=clash.right,
                    overlap_from=clash.overlap_from,
                    overlap_to=clash.overlap_to,
                    pattern=clash.pattern,
                    certainty=clash.certainty,
                    rule=clash.row,
                )
            )
        return made + [Refinement(id=ids.new("ref"), finer=f.finer, coarser=f.coarser) for f in self.finer]
