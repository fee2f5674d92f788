"""The verbs around the gate, as a part of `Handle`: the review queue, promotion, and the gate's figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from tkg.gate.accounts import Loss
from tkg.memory import accounting, drifting, examining, promoting, reliability, reviewing, working
from tkg.memory.answers import GlobalClaim, Plan, Waiting
from tkg.memory.caller import Caller
from tkg.memory.replicating import announce
from tkg.memory.tenant import Tenant
from tkg.model.display import Rows
from tkg.model.policy import WritePolicy
from tkg.model.scope import GLOBAL
from tkg.model.time import When, parse_when
from tkg.model.verdict import Verdict

if TYPE_CHECKING:
    from tkg.memory.handle import Handle
    from tkg.memory.store import Memory


class Gatekeeping(ABC):
    """What waits for a person and what a person decides; what the gate did and whether it was right."""

    _memory: Memory
    _caller: Caller

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Tenant]: ...

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Tenant]: ...

    def review(self) -> list[Waiting]:
        """Return what waits for a person, oldest first: source, words in context, rivals, and what each choice does."""
        with self._reading() as tenant:
            return Rows(reviewing.review(tenant, self._caller))

    def decide(
        self,
        candidate: str,
        decision: str,
        *,
        reason: str = "",
        changes: Mapping[str, Any] | None = None,
        into: str | None = None,
        seconds: float | None = None,
        idempotency_key: str | None = None,
    ) -> Plan:
        """Decide about what waits; an acceptance is recorded as evidence of class human_verified.

        Args:
            candidate: id of the claim, skill, summary or action.
            decision: "accept"; "reject"; "edit" (a corrected claim takes its place); "merge" (it says the same as
                another claim, which gains its evidence); "reopen" (take the last decision back).
            reason: why; required for what has high consequence.
            changes: for an edit: new subject, predicate, object, valid_from or valid_to.
            into: for a merge: id of the claim that says the same.
            seconds: how long the review took, for the figures of the queue.
            idempotency_key: repeating a decision with the same key returns what it did, also once it was taken back.

        Raises:
            NotPermitted: not a person's channel, or the proposer itself. Conflict: it is not waiting.
            RequestError: an unknown decision, or one without what it needs.
        """
        with self._writing() as tenant:
            return reviewing.decide(
                tenant,
                self._caller,
                candidate,
                decision,
                reason,
                changes=changes,
                into=into,
                seconds=seconds,
                idempotency_key=idempotency_key,
            )

    def decide_many(self, candidates: Sequence[str], decision: str, *, reason: str) -> list[Plan]:
        """Accept or reject several candidates at once.

        Raises:
            NotPermitted: an acceptance of something of high consequence, or of what agents follow (skills, actions): those
                are accepted one by one. Nothing is decided then.
        """
        with self._writing() as tenant:
            return Rows(reviewing.decide_many(tenant, self._caller, candidates, decision, reason))

    def promote(self, claim: str, *, to: str = "tenant", reason: str) -> Verdict:
        """Make a claim of a user the tenant's, or one of the tenant's everybody's ("global"), as a person.

        The wider claim is judged by the gate in its new scope, rests on the person's word, and within the tenant on the
        claim it came from.

        Args:
            claim: id of the claim.
            to: "tenant" or "global".
            reason: why others should read it.

        Raises:
            NotPermitted: not a person; for "global" not a verified one. Conflict: it does not stand, or has that scope.
            Rejected: the gate refused it there.
        """
        with self._writing() as tenant:
            verdict = promoting.promote(self._memory, tenant, self._caller, claim, to, reason)
        if to == GLOBAL:
            announce(self._memory)
        return verdict

    def note(self, name: str, text: str) -> None:
        """Keep a working note for as long as this run lasts; the same name again writes over it.

        It is no memory: nothing recalls it, it is in no export or backup, and no other run, user or principal reads it. A
        run whose process died finds it again; it is gone after `end_run`, or `working_hours` after the run's last note.

        Args:
            name: what the note is called.
            text: the note.

        Raises:
            RequestError: the handle has no session. TooLarge: too many notes. Rejected: it holds what is never stored.
        """
        with self._writing() as tenant:
            working.keep(tenant, self._caller, name, text)

    def notes(self) -> dict[str, str]:
        """Return the working notes of this run, in the order in which their names were first used."""
        with self._reading() as tenant:
            return working.read(tenant, self._caller)

    def end_run(self) -> int:
        """End this run: its working notes are destroyed. Return how many there were."""
        with self._writing() as tenant:
            return working.end(tenant, self._caller)

    def for_kind_of(self, predicate: str) -> Handle:
        """Return a handle in the scope where facts of this kind belong by default: systems → tenant, people → user.

        The predicate's declaration says what its facts are about (`about = "system"` or `"person"`); one that does not say,
        and one about people through a handle without a user, stay in this handle's scope. Channel, principal and session
        are this handle's. The program that holds the handle chooses this, never a text.
        """
        caller = self._caller
        about = self._memory.policies.write.registry.get(predicate).about
        user = None if about == "system" else caller.scope.user
        return self._memory.scope(
            caller.scope.tenant, user, channel=caller.channel, principal=caller.principal, session=caller.session
        )

    def global_claims(self) -> list[GlobalClaim]:
        """Return everything that is global and stands, each put there by a person. It should be little.

        Through a handle of `global` each says who promoted it and which tenants have copied it by now; a tenant's handle
        shows what that tenant copied, and of others nothing.
        """
        if self._caller.scope.tenant == GLOBAL:
            return Rows(promoting.everybodys(self._memory))
        with self._reading() as tenant:
            return Rows(promoting.copied_here(tenant, self._caller))

    def gate_figures(self, *, since: When = None, until: When = None) -> accounting.GateFigures:
        """Return what the gate did and what came of it: funnel, rates, mistakes, reads, erasures, the review queue.

        Args:
            since: only what was decided and read from then on (default: all).
            until: only what was decided and read before then (a date, month or year: up to its end).

        Raises:
            InvalidTime: unreadable.
        """
        begin = None if since is None else parse_when(since).start
        granule = None if until is None else parse_when(until)
        end = None if granule is None else granule.start if granule.grain == "instant" else granule.end
        with self._reading() as tenant:
            return accounting.gate_figures(tenant, self._caller, accounting.Window(begin, end))

    def audit(self, *, most: int = 20, sample: int = 10, seed: int = 0) -> examining.Audit:
        """Return what a person should look at: the twenty most shown claims and how each is known, and what is weak.

        Args:
            most: items listed of each kind of weakness; all are counted.
            sample: refused decisions drawn to be marked with `audit_mark`.
            seed: the same seed draws the same.
        """
        with self._reading() as tenant:
            return examining.examine(tenant, self._caller, most=most, sample=sample, seed=seed)

    def audit_sample(self, which: str = "rejected", size: int = 50, *, seed: int = 0) -> list[accounting.Sampled]:
        """Draw decisions at random ("rejected" or "accepted") for a person to mark with `audit_mark`.

        Args:
            which: the side to look at.
            size: most decisions.
            seed: the same seed draws the same from the same ledger.
        """
        with self._reading() as tenant:
            return Rows(accounting.sample(tenant, self._caller, which, size, seed))

    def audit_mark(self, verdict: str, *, right: bool, reason: str = "") -> None:
        """Say as a person whether a decision of the gate was right; the figures count it.

        Args:
            verdict: id of the decision, or of the claim or text that it let in.
            right: whether it was right.
            reason: why.
        """
        with self._writing() as tenant:
            accounting.mark(tenant, self._caller, verdict, right, reason)

    def audit_drift(self, *, record: bool = True) -> drifting.Drift:
        """Return how writing has changed and what stands out; new alarms become ledger entries.

        Args:
            record: write new alarms down; a read-only store cannot.
        """
        with self._writing() if record else self._reading() as tenant:
            return drifting.drift(tenant, self._caller, record=record)

    def audit_sources(self, predicate: str | None = None, *, valid_at: When = None) -> reliability.Reliability:
        """Estimate how far sources may be trusted from how they agree, and what that would favour where they differ.

        TruthFinder (Yin, Han and Yu, 2008) over the slots that hold one value; an origin counts once in each, with what it
        said last. A suggestion for a person: nothing is changed, and belief never reads it.

        Args:
            predicate: only this one (default: every declared predicate of one value).
            valid_at: claims that hold then (default: now).

        Raises:
            RequestError: the predicate may have several values.
        """
        with self._reading() as tenant:
            return reliability.reliability(tenant, self._caller, predicate, valid_at)

    def compare_policies(self, policies: Mapping[str, WritePolicy]) -> dict[str, Loss]:
        """Return what the recorded candidates would have cost under each policy, with that policy's weights.

        What was believed and not withdrawn counts as right, what was withdrawn as wrong; a mark overrides both.
        """
        with self._reading() as tenant:
            return accounting.compare(tenant, self._caller, policies)
