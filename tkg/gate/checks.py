"""The eleven checks, in order. Each is pure, looks at (candidate, context, policy), and says what it found.

Sentences name fields and reasons, never the candidate's content. Severity never falls when the class falls: what holds
or refuses a higher class holds or refuses every lower one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from tkg.errors import TkgError
from tkg.gate.instructions import find_instruction, find_request
from tkg.gate.secrets import find_secret
from tkg.gate.shape import (
    bare_pronoun,
    constraint,
    everybody,
    narrative,
    one_off,
    predicate_words,
    preference,
    run_scoped,
)
from tkg.gate.values import GateContext
from tkg.model.document import Candidate, Modality
from tkg.model.policy import WritePolicy
from tkg.model.scope import GLOBAL, Channel, Scope
from tkg.model.verdict import CheckResult

Check = Callable[[Candidate, GateContext, WritePolicy], CheckResult]

_HUMAN: Final = Channel.HUMAN_STATED.rank
_TOOL: Final = Channel.TRUSTED_TOOL.rank
_AGENT: Final = Channel.AGENT_INFERRED.rank


def _texts(candidate: Candidate) -> tuple[str, ...]:
    """All fields as one text, the predicate's words before its value, parted by a sign that no pattern crosses.

    Every field also stands alone: "passphrase: correct-horse" ends with its value, and no longer does once other words
    follow it on the line.
    """
    statement = f"{candidate.subject} {predicate_words(candidate.predicate)}: {candidate.object}"
    return (
        "\n|\n".join((statement, candidate.predicate, candidate.quote or "", candidate.uri or "")),
        candidate.subject,
        candidate.object,
        candidate.quote or "",
        candidate.uri or "",
    )


def scope_and_channel(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Who is calling and where: a well-formed scope, nothing frozen, and nobody but a person writes for everybody."""
    name = "scope_and_channel"
    try:
        scope = Scope.parse(candidate.scope)
    except TkgError as error:
        return CheckResult(
            check=name, outcome="reject", code=error.code, reason="The scope is not tenant or tenant/user."
        )
    if scope.tenant == GLOBAL and context.rank < Channel.HUMAN_VERIFIED.rank:
        return CheckResult(
            check=name,
            outcome="reject",
            code="not_permitted",
            reason="Only a promotion by a person writes for everybody.",
        )
    found = standing(context)
    return found if found.outcome != "pass" else belongs(scope, context)


def belongs(scope: Scope, context: GateContext) -> CheckResult:
    """Note where a fact of this kind belongs by default; nothing is moved: only a person's promotion widens a scope."""
    name, about = "scope_and_channel", context.predicate.about
    if about == "system" and scope.user is not None:
        reason = "A fact about a system belongs to the tenant: a person promotes it (`tkg promote`)."
        return CheckResult(check=name, outcome="note", code="belongs_to_tenant", reason=reason)
    if about == "person" and scope.user is None:
        reason = "A fact about a person belongs to a user: propose it in that user's scope."
        return CheckResult(check=name, outcome="note", code="belongs_to_user", reason=reason)
    return CheckResult(check=name, outcome="pass")


def standing(context: GateContext) -> CheckResult:
    """Return what freezes and the session's exposure mean for any write."""
    name = "scope_and_channel"
    if context.frozen:
        return CheckResult(
            check=name, outcome="hold", code="frozen", reason="The scope, the subject or the predicate is frozen."
        )
    if context.label.rank < context.channel.rank:
        return CheckResult(
            check=name,
            outcome="note",
            code="label",
            reason=f"Judged as {context.label.value}: the session was shown content of that class.",
        )
    return CheckResult(check=name, outcome="pass")


def kind(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Which path it takes: procedures that no person proposed, and what documents say, wait for a person."""
    name = "kind"
    waits = path(candidate.kind, context, policy)
    if waits.outcome != "pass":
        return waits
    if context.rank <= max((channel.rank for channel in policy.held_channels), default=-1):
        return CheckResult(
            check=name,
            outcome="hold",
            code="needs_review",
            reason="What a source of this class says waits for a person.",
        )
    if context.predicate.consequence == "high" and context.rank < policy.high_consequence_least.rank:
        return CheckResult(
            check=name,
            outcome="hold",
            code="needs_review",
            reason="The predicate has high consequence and the class is low: a person decides.",
        )
    if context.rank < _HUMAN and steers(candidate.predicate, policy):
        return CheckResult(
            check=name,
            outcome="hold",
            code="needs_review",
            reason="The predicate decides whom or what an agent follows: a person decides.",
        )
    if policy.text_rules and preference(candidate.predicate) and constraint(candidate.object):
        return CheckResult(
            check=name,
            outcome="hold",
            code="needs_review",
            reason="It is a constraint and no preference: propose it as a procedure, or let a person decide.",
        )
    return CheckResult(check=name, outcome="pass")


def path(kind: str, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Return whether something of this kind waits for a person whoever wrote it below one: procedures, skills."""
    if kind in policy.held_kinds and context.rank < _HUMAN:
        return CheckResult(
            check="kind", outcome="hold", code="needs_review", reason=f"A {kind} that no person proposed waits for one."
        )
    return CheckResult(check="kind", outcome="pass", code="ok" if kind in ("claim", "procedure") else kind)


def steers(predicate: str, policy: WritePolicy) -> bool:
    """Return whether a predicate decides whom or what an agent follows, declared or not."""
    return predicate_words(predicate).replace(" ", "_") in policy.steering


def shape(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """One asserted, self-contained statement about one entity that can be named."""
    name = "shape"
    wrong = candidate.modality not in {Modality.ASSERTED, Modality.HEDGED, Modality.INSTRUCTION}
    if wrong and candidate.kind == "claim":
        return CheckResult(
            check=name,
            outcome="reject",
            code="not_asserted",
            reason="The sentence does not assert it; the episode keeps it.",
        )
    if bare_pronoun(candidate.subject):
        return CheckResult(
            check=name, outcome="reject", code="pronoun", reason="The subject is a pronoun; name what it stands for."
        )
    if candidate.kind == "claim" and (narrative(candidate.object) or narrative(candidate.subject)):
        return CheckResult(
            check=name,
            outcome="reject",
            code="narrative",
            reason="It tells a story of several clauses; keep it as an episode.",
        )
    if context.ambiguous is not None:
        return CheckResult(
            check=name, outcome="hold", code="ambiguous", reason="The subject's name fits several entities; say which."
        )
    return CheckResult(check=name, outcome="pass")


def durability(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Will it hold tomorrow? Live state is looked up where it lives, observations of one run stay in their episode."""
    name = "durability"
    if context.predicate.live:
        return CheckResult(
            check=name,
            outcome="reject",
            code="look_it_up",
            reason="The predicate is live: ask its own system instead of remembering the answer.",
        )
    found = {run_scoped(text) for text in (candidate.subject, candidate.object, candidate.quote or "")}
    anchored = candidate.valid_from is not None or candidate.valid_to is not None
    if "strong" in found and not anchored:
        return CheckResult(
            check=name,
            outcome="reject",
            code="run_scoped",
            reason="It speaks of the moment it was written in; keep it as an episode.",
        )
    if "weak" in found or "strong" in found:
        return CheckResult(
            check=name,
            outcome="reject" if context.rank < _HUMAN and not anchored else "note",
            code="run_scoped",
            reason="It speaks of the moment it was written in.",
        )
    return CheckResult(check=name, outcome="pass")


def generality(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Does it say more than one run, and no more than was seen?"""
    name = "generality"
    if one_off(candidate.subject):
        return CheckResult(
            check=name,
            outcome="reject" if context.rank <= _AGENT else "note",
            code="one_off",
            reason="The subject belongs to a single run.",
        )
    if everybody(candidate.subject):
        return CheckResult(
            check=name,
            outcome="hold" if context.rank <= _AGENT else "note",
            code="needs_review",
            reason="It speaks for everybody.",
        )
    return CheckResult(check=name, outcome="pass")


def never_store(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Credentials, payment instruments and government identifiers are refused, not masked."""
    return never_stored((*_texts(candidate), *candidate.beside))


def never_stored(texts: tuple[str, ...]) -> CheckResult:
    """Return the refusal where one of `texts` holds a secret; it names the kind and repeats nothing."""
    found = find_secret(texts)
    if found is not None:
        return CheckResult(
            check="never_store", outcome="reject", code="secret", reason=f"A field holds what is never stored: {found}."
        )
    return CheckResult(check="never_store", outcome="pass")


def instruction_shape(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Text that tells its reader what to do is no fact: held below a person, noted for a person."""
    name = "instruction_shape"
    if candidate.kind == "claim" and candidate.modality is Modality.INSTRUCTION:
        return CheckResult(
            check=name, outcome="reject", code="instruction", reason="The sentence is an instruction, not a fact."
        )
    strong = hint(_texts(candidate), context, policy)
    if strong.outcome != "pass" or not policy.text_rules or candidate.kind != "claim":
        return strong
    found = find_request(candidate.object)
    if found is None:
        return strong
    outcome: Literal["hold", "note"] = "hold" if context.rank <= _AGENT else "note"
    return CheckResult(check=name, outcome=outcome, code="instruction", reason=f"A hint: {found}.")


def hint(texts: tuple[str, ...], context: GateContext, policy: WritePolicy) -> CheckResult:
    """Return what the text rules say of `texts`: a hold below a person, a note for a person."""
    name = "instruction_shape"
    if not policy.text_rules:
        return CheckResult(check=name, outcome="pass", code="off", reason="Text rules are off.")
    found = find_instruction(texts)
    if found is None:
        return CheckResult(check=name, outcome="pass")
    outcome: Literal["hold", "note"] = "hold" if context.rank < _HUMAN else "note"
    return CheckResult(check=name, outcome=outcome, code="instruction", reason=f"A hint: {found}.")


#: what was erased stays erased
TOMBSTONE: Final = CheckResult(
    check="provenance",
    outcome="reject",
    code="tombstone",
    reason="The same content was erased after this evidence was made.",
)


#: the memory's own voice is no evidence
ECHO: Final = CheckResult(
    check="provenance",
    outcome="reject",
    code="echo",
    reason="The session was shown it by this memory; an echo is no evidence.",
)


def provenance(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Evidence that can be fetched again, is not the memory's own voice, not erased, and not from the future."""
    name = "provenance"
    if context.echo:
        return ECHO if context.rank <= _HUMAN else ECHO.model_copy(update={"outcome": "note"})
    if context.tombstoned:
        return TOMBSTONE
    if candidate.observed_at > context.now + policy.future_skew_seconds * 1_000_000:
        return CheckResult(check=name, outcome="reject", code="invalid_time", reason="observed_at lies in the future.")
    if not context.has_evidence:
        return CheckResult(
            check=name,
            outcome="reject" if context.rank <= _AGENT else "hold" if context.rank <= _TOOL else "note",
            code="no_evidence",
            reason="No evidence was given that can be fetched again.",
        )
    return CheckResult(check=name, outcome="pass")


def confidence(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Is the source sure, and is its class enough for what it brings?"""
    name = "confidence"
    if candidate.modality is Modality.HEDGED:
        return CheckResult(
            check=name, outcome="reject", code="threshold", reason="The sentence is hedged; the episode keeps it."
        )
    if not context.has_evidence and context.rank <= _AGENT:
        return CheckResult(
            check=name,
            outcome="reject",
            code="threshold",
            reason="A source of this class is not believed without evidence.",
        )
    if believed(candidate, context, policy) < policy.least_confidence:
        return CheckResult(
            check=name, outcome="reject", code="threshold", reason="The confidence is below the threshold."
        )
    return CheckResult(check=name, outcome="pass")


def believed(candidate: Candidate, context: GateContext, policy: WritePolicy) -> int:
    """Return the confidence in millionths: the lower of the ladder's for the class and the extractor's."""
    return min(candidate.confidence, policy.ladder.get(_lowest(context), 0))


def _lowest(context: GateContext) -> Channel:
    return min(context.channel, context.label, key=lambda channel: channel.rank)


def duplicates(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """Is it known already? Then the claim gains evidence and no second claim is made."""
    found = context.assessment
    if found is not None and found.outcome in ("reinforce", "reject"):
        return CheckResult.build(check="duplicates", outcome=found.outcome, code=found.rule, reason=found.reason)
    return CheckResult(check="duplicates", outcome="pass")


def contradiction(candidate: Candidate, context: GateContext, policy: WritePolicy) -> CheckResult:
    """What belief found when it was laid beside its slot."""
    found = context.assessment
    if found is None or found.outcome in ("reinforce", "reject"):
        return CheckResult(check="contradiction", outcome="pass")
    outcome = "note" if found.outcome == "accept" else found.outcome
    return CheckResult.build(check="contradiction", outcome=outcome, code=found.rule, reason=found.reason)


#: all checks in the order of the design
CHECKS: Final[tuple[Check, ...]] = (
    scope_and_channel,
    kind,
    shape,
    durability,
    generality,
    never_store,
    instruction_shape,
    provenance,
    confidence,
    duplicates,
    contradiction,
)
