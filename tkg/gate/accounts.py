"""What the gate did, in figures: where candidates stopped, and what mistakes cost. Pure: values in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, Literal

from tkg.gate.checks import CHECKS
from tkg.model.base import Value
from tkg.model.display import Parts
from tkg.model.policy import LossWeights, WritePolicy
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.verdict import CheckResult, Outcome

#: checks in the order of the gate; `routed` stands before them: texts that never were claims
STAGES: Final = ("routed", *(check.__name__ for check in CHECKS))
#: kinds that take the semantic path; all else is recorded as what happened or what was made
SEMANTIC: Final = frozenset({"claim", "procedure"})
_HUMAN: Final = Channel.HUMAN_STATED.rank
_STANDS: Final = frozenset({Outcome.ACCEPTED, Outcome.REINFORCED})


@dataclass(frozen=True, slots=True)
class Recorded:
    """One decision of the gate as the ledger keeps it; of what was refused it holds no word.

    Attributes:
        id: id of the verdict.
        candidate: keyed digest of what was said: equal for equal candidates.
        kind: claim, procedure, or kind of artefact.
        outcome, code, stage: what was decided, why, and by which check (empty: none objected).
        channel: class it was judged at.
        consequence: of its predicate.
        confidence: millionths; None for texts.
        checks: every check's outcome; empty where content was erased.
        at: transaction time, in microseconds.
        session, source_id, predicate_id, about: who, from where, of what, and the node written.
    """

    id: str
    candidate: str
    kind: str
    outcome: Outcome
    code: str
    stage: str
    channel: Channel
    consequence: Literal["low", "high"] = "low"
    confidence: int | None = None
    checks: tuple[CheckResult, ...] = ()
    at: int = 0
    seq: int = 0
    scope: str = ""
    session: str | None = None
    source_id: str | None = None
    predicate_id: str | None = None
    about: str | None = None


class Stage(Value):
    """One step of the funnel: how many came, and how many stopped here and how."""

    name: str
    entering: int
    routed: int = 0
    rejected: int = 0
    merged: int = 0
    held: int = 0

    @property
    def leaving(self) -> int:
        """How many went on."""
        return self.entering - self.routed - self.rejected - self.merged - self.held

    def _display_(self) -> Parts:
        stopped = {how: f"{getattr(self, how):,}" for how in ("routed", "rejected", "merged", "held")}
        return {
            "stage": self.name.replace("_", " "),
            "came": f"{self.entering:,}",
            **stopped,
            "went on": f"{self.leaving:,}",
        }


def funnel(decisions: Iterable[Recorded]) -> tuple[Stage, ...]:
    """Return where candidates stopped, check by check in the order of the gate; what leaves the last was accepted."""
    stopped: Counter[tuple[str, str]] = Counter()
    total = 0
    for one in decisions:
        total += 1
        if one.kind not in SEMANTIC:
            stopped["routed", "routed"] += 1
        elif one.outcome is Outcome.REJECTED:
            stopped[one.stage, "rejected"] += 1
        elif one.outcome is Outcome.REINFORCED:
            stopped[one.stage, "merged"] += 1
        elif one.outcome in (Outcome.HELD, Outcome.QUARANTINED):
            stopped[one.stage, "held"] += 1
    found, entering = [], total
    for name in STAGES:
        parts = {how: stopped[name, how] for how in ("routed", "rejected", "merged", "held")}
        found.append(Stage(name=name, entering=entering, **parts))
        entering = found[-1].leaving
    return tuple(found)


def wilson(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval (Wilson) of a share; (0, 1) where nothing was looked at."""
    if n == 0:
        return 0.0, 1.0
    share, room = hits / n, z * z / n
    middle, half = share + room / 2, z * sqrt(share * (1 - share) / n + room / (4 * n))
    low, high = (middle - half) / (1 + room), (middle + half) / (1 + room)
    return (0.0 if hits == 0 else low), (1.0 if hits == n else high)


# -- what mistakes cost


class Mistakes(Value):
    """Counts of one kind and consequence: accepted and should not have been, the reverse, and sent to a person."""

    false_accepts: int = 0
    false_rejects: int = 0
    reviews: int = 0

    def cost(self, weights: LossWeights) -> float:
        """Return the loss under these weights."""
        return (
            self.false_accepts * weights.false_accept
            + self.false_rejects * weights.false_reject
            + self.reviews * weights.review
        )


class Loss(Value):
    """The loss of a policy over a set of decisions, with what it is made of; `unknown` had no label of its own."""

    total: float
    by_kind: Mapping[str, Mistakes]
    judged: int
    unknown: int
    uncomparable: int = 0


def loss(decisions: Iterable[Recorded], right: Mapping[str, bool], weights: Callable[[str, str], LossWeights]) -> Loss:
    """Return what the mistakes among decisions cost.

    Args:
        decisions: the gate's decisions.
        right: candidate (keyed digest) -> whether it should be believed, as far as somebody or later events said.
        weights: for a kind and a consequence.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    judged = unknown = 0
    for one in decisions:
        if one.kind not in SEMANTIC:
            continue
        counted = counts.setdefault((one.kind, one.consequence), Counter())
        if one.outcome in (Outcome.HELD, Outcome.QUARANTINED):
            counted["reviews"] += 1
        elif one.candidate not in right:
            unknown += 1
            continue
        elif one.outcome in _STANDS and not right[one.candidate]:
            counted["false_accepts"] += 1
        elif one.outcome is Outcome.REJECTED and right[one.candidate]:
            counted["false_rejects"] += 1
        judged += 1
    made = {key: Mistakes(**found) for key, found in sorted(counts.items())}
    total = sum(each.cost(weights(*key)) for key, each in made.items())
    return Loss(
        total=total, by_kind={"/".join(key): each for key, each in made.items()}, judged=judged, unknown=unknown
    )


# -- the same candidates under another policy


def rejudge(one: Recorded, policy: WritePolicy, predicate: Predicate | None, *, steering: bool) -> Recorded | None:
    """Return a recorded decision as another policy would have made it; None where the record cannot tell.

    What depends on the words was found when they were there and is taken over; what depends on the policy (who waits,
    how sure is sure enough, what is live, whether text rules count) is decided anew.

    Args:
        one: the decision.
        policy: the other policy.
        predicate: that policy's declaration of the predicate; None where it is not declared.
        steering: the predicate is among that policy's steering ones.
    """
    if not one.checks or one.kind not in SEMANTIC:
        return None if one.kind in SEMANTIC else one
    rules = next((c for c in one.checks if c.check == "instruction_shape"), None)
    if policy.text_rules and rules is not None and rules.code == "off":
        return None
    declared = predicate or Predicate(name="undeclared", declared=False)
    fresh = tuple(_again(check, one, policy, declared, steering) for check in one.checks)
    for word, outcome in (
        ("reject", Outcome.REJECTED),
        ("hold", Outcome.HELD),
        ("quarantine", Outcome.QUARANTINED),
        ("reinforce", Outcome.REINFORCED),
    ):
        for check in fresh:
            if check.outcome == word:
                return replace(one, outcome=outcome, code=check.code, stage=check.check, checks=fresh)
    return replace(one, outcome=Outcome.ACCEPTED, code="ok", stage="", checks=fresh)


def _again(check: CheckResult, one: Recorded, policy: WritePolicy, predicate: Predicate, steering: bool) -> CheckResult:
    """Return one check's result under another policy."""
    if check.code == "not_run":
        return check
    rank = one.channel.rank
    if check.check == "kind":
        waits = (
            (one.kind in policy.held_kinds and rank < _HUMAN)
            or rank <= max((channel.rank for channel in policy.held_channels), default=-1)
            or (predicate.consequence == "high" and rank < policy.high_consequence_least.rank)
            or (steering and rank < _HUMAN)
        )
        words = policy.text_rules and check.outcome == "hold" and check.reason.startswith("It is a constraint")
        if waits or words:
            return check.model_copy(update={"outcome": "hold", "code": "needs_review"})
        return check.model_copy(update={"outcome": "pass", "code": "ok"})
    if check.check == "durability" and (predicate.live or check.code == "look_it_up"):
        live = {"outcome": "reject", "code": "look_it_up"} if predicate.live else {"outcome": "pass", "code": "ok"}
        return check.model_copy(update=live)
    if check.check == "instruction_shape" and not policy.text_rules:
        return check.model_copy(update={"outcome": "pass", "code": "off"})
    if check.check == "confidence" and one.confidence is not None and (check.code == "ok" or _below(check)):
        sure = min(policy.ladder.get(one.channel, 0), one.confidence) >= policy.least_confidence
        return check.model_copy(update={"outcome": "pass" if sure else "reject", "code": "ok" if sure else "threshold"})
    return check


def _below(check: CheckResult) -> bool:
    return check.code == "threshold" and check.reason.startswith("The confidence is below")
