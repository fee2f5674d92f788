"""From the checks to one outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tkg.gate.checks import (
    CHECKS,
    TOMBSTONE,
    believed,
    contradiction,
    duplicates,
    hint,
    never_store,
    never_stored,
    path,
    standing,
)
from tkg.gate.values import GateContext, Judgement
from tkg.model.document import Candidate
from tkg.model.policy import WritePolicy
from tkg.model.verdict import CheckResult, Outcome

_LADDER = (
    ("reject", Outcome.REJECTED),
    ("hold", Outcome.HELD),
    ("quarantine", Outcome.QUARANTINED),
    ("reinforce", Outcome.REINFORCED),
)


def _conclude(checks: list[CheckResult]) -> Judgement:
    """The first reject decides; then the first hold, quarantine, reinforcement; else it is accepted."""
    for word, outcome in _LADDER:
        for result in checks:
            if result.outcome == word:
                return Judgement(outcome=outcome, code=result.code, checks=tuple(checks), stage=result.check)
    return Judgement(outcome=Outcome.ACCEPTED, code="ok", checks=tuple(checks))


def judge_text(
    texts: str | Sequence[str], context: GateContext, policy: WritePolicy, kind: str = "episode"
) -> Judgement:
    """Judge a whole text before it is kept as an episode, summary, skill or action: what may not be kept, what waits.

    Only the checks that apply to text without a subject and predicate run: scope_and_channel, kind (a skill that no
    person proposed waits for one), never_store (rejects, code "secret"), instruction_shape (holds below a person, code
    "instruction"; a note for a person) and provenance (tombstone). What a text *says* is judged claim by claim.

    Args:
        texts: the text, or the text and what is kept beside it (the name of a skill, the arguments of an action).
        context: who writes, with the label of the whole exposure.
        policy: the write policy.
        kind: kind of artefact.
    """
    every = (texts,) if isinstance(texts, str) else tuple(texts)
    results = [standing(context), path(kind, context, policy), never_stored(every)]
    if results[-1].outcome != "reject":
        results.append(hint(every, context, policy))
        if context.tombstoned:
            results.append(TOMBSTONE)
    return _conclude(results)


def judge(candidate: Candidate, context: GateContext, policy: WritePolicy) -> Judgement:
    """Run every check in order and return the outcome; never raises on any text.

    After never_store refused, no later check sees the content: they are listed as "not_run". Once anything refused,
    belief's sentences, which may name values, are left out as well.
    """
    results: list[CheckResult] = []
    sealed = refused = False
    for check in CHECKS:
        if sealed:
            results.append(
                CheckResult(
                    check=check.__name__, outcome="note", code="not_run", reason="Not run: the content was refused."
                )
            )
            continue
        seen = context
        if refused and check in (duplicates, contradiction) and context.assessment is not None:
            seen = replace(context, assessment=replace(context.assessment, reason="Compared with the slot."))
        result = check(candidate, seen, policy)
        results.append(result)
        refused = refused or result.outcome == "reject"
        sealed = check is never_store and result.outcome == "reject"
    return replace(_conclude(results), confidence=believed(candidate, context, policy))
