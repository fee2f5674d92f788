"""What goes into the gate beside the candidate, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.model.verdict import CheckResult, Outcome


@dataclass(frozen=True, slots=True)
class Assessment:
    """What belief found when the candidate was laid beside its slot.

    Attributes:
        outcome: what the decision table asks for.
        rule: row of the decision table, e.g. "row-9"; becomes the reason code.
        reason: one sentence for people.
        target: id of the claim that is reinforced, if one is.
    """

    outcome: Literal["accept", "reinforce", "hold", "quarantine", "reject"]
    rule: str
    reason: str
    target: str | None = None


@dataclass(frozen=True, slots=True)
class GateContext:
    """What is known about the write, none of it taken from the candidate's text.

    Attributes:
        channel: class of the handle.
        label: minimum class over what the session was exposed to in the taint window; at most `channel`.
        now: time of the write.
        predicate: the registry's answer for the candidate's predicate.
        system_of_record: the handle's channel is system_of_record and the uri is declared for predicate and scope.
        frozen: the scope, the subject or the predicate is frozen.
        echo: the session was shown it, it carries a recall stamp, or it is the agent's own output.
        tombstoned: an erased claim of the same content blocks evidence older than the erasure.
        has_evidence: something that can be fetched again was given.
        assessment: what belief found; None when nothing was compared.
        ambiguous: the subject's name where it matches several entities.
    """

    channel: Channel
    label: Channel
    now: Instant
    predicate: Predicate
    system_of_record: bool
    frozen: bool = False
    echo: bool = False
    tombstoned: bool = False
    has_evidence: bool = True
    assessment: Assessment | None = None
    ambiguous: str | None = None

    @property
    def rank(self) -> int:
        """Integrity the write is judged at: the lower of channel and label, 5 (system of record) to 0 (external)."""
        return min(self.channel.rank, self.label.rank)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate's answer: `code` is the reason of the check that decided, `stage` its name (empty where none objected),
    `checks` lists all of them in order.
    """

    outcome: Outcome
    code: str
    checks: tuple[CheckResult, ...]
    stage: str = ""
    #: millionths: the lower of the ladder's and the extractor's
    confidence: int | None = None
