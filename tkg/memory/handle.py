"""The public face of a scope: each verb is a few lines that call one room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tkg.belief.mining import Suggestion
from tkg.errors import RequestError
from tkg.extractors.contract import Extractor
from tkg.memory import (
    auditing,
    changing,
    consolidating,
    deriving,
    inspecting,
    predicates,
    reading,
    remembering,
    revoking,
    skills,
    writing,
)
from tkg.memory.answers import Explanation, Lineage, Plan, Value
from tkg.memory.asking import Asking
from tkg.memory.auditing import AuditPage
from tkg.memory.care import Care
from tkg.memory.curating import Curating
from tkg.memory.gatekeeping import Gatekeeping
from tkg.memory.incidents import Incidents
from tkg.memory.predicates import DeclaredPredicate
from tkg.memory.proposal import Proposal
from tkg.memory.scheduling import Schedule
from tkg.memory.skills import SkillShown
from tkg.memory.tenant import AsOf
from tkg.model.artefact import Artefact
from tkg.model.display import Rows
from tkg.model.evidence import Evidence
from tkg.model.time import When
from tkg.model.verdict import Verdict
from tkg.model.view import RetrievalView


class Handle(Care, Curating, Asking, Gatekeeping, Incidents):
    """Memory as one caller may use it. Made by `Memory.scope`; holds no state of its own."""

    # -- writing

    def propose(
        self,
        *,
        subject: str,
        predicate: str,
        object: str,
        polarity: str = "positive",
        valid_from: When = None,
        valid_to: When = None,
        observed_at: When = None,
        evidence: Evidence | None = None,
        depends_on: Sequence[str] = (),
        modality: str = "asserted",
        idempotency_key: str | None = None,
        expected_digest: str | None = None,
    ) -> Verdict:
        """Propose one claim; the gate decides.

        Args:
            subject: what the claim is about.
            predicate: which attribute of it.
            object: the value.
            polarity: "positive", or "negative" for a denial.
            valid_from: when it began to hold (default: `observed_at`); a coarse date is kept coarse.
            valid_to: when it stops; a date, month or year is included, a timestamp is not; None until changed.
            observed_at: when the source said so (default: now).
            evidence: where this can be fetched again.
            depends_on: ids of claims without which this one is suspended.
            modality: how the sentence was meant; only "asserted" can become a claim.
            idempotency_key: repeating a request with the same key returns the first verdict; another claim is refused.
            expected_digest: `digest` of an earlier verdict on this slot; refused if the slot has changed since.

        Returns:
            The verdict with the outcome of every check; rejected candidates leave a verdict and no content.

        Raises:
            InvalidText, InvalidTime, InvalidInterval, InvalidPredicate, TooLarge: the request is malformed.
            NotFound: unknown tenant that this channel may not create, or an unknown id in `depends_on`.
            Conflict: `expected_digest` does not match, or the idempotency key was used for another claim.
            NotPermitted: the handle only reads.
        """
        proposal = Proposal.read(
            subject=subject,
            predicate=predicate,
            object=object,
            polarity=polarity,
            valid_from=valid_from,
            valid_to=valid_to,
            observed_at=observed_at,
            evidence=evidence,
            depends_on=depends_on,
            modality=modality,
            idempotency_key=idempotency_key,
            expected_digest=expected_digest,
        )
        if (refused := writing.found_tenant(self._memory, self._caller, proposal)) is not None:
            return refused
        with self._writing() as tenant:
            return writing.propose(tenant, self._caller, proposal)

    def propose_many(self, proposals: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        """Propose several claims in order, each judged after the ones before it; see `propose`.

        All proposals are checked before the first is written.
        """
        if not isinstance(proposals, list | tuple):
            raise RequestError("propose_many takes a list of mappings; see Handle.propose for their fields")
        read = [Proposal.from_mapping(fields) for fields in proposals]
        verdicts: list[Verdict] = Rows()
        for proposal in read:
            if (refused := writing.found_tenant(self._memory, self._caller, proposal)) is not None:
                verdicts.append(refused)
                continue
            with self._writing() as tenant:
                verdicts.append(writing.propose(tenant, self._caller, proposal))
        return verdicts

    def remember(
        self,
        text: str,
        *,
        evidence: Evidence | None = None,
        observed_at: When = None,
        speaker: str | None = None,
        turn: str | None = None,
        media: str = "text",
        extractor: Extractor | None = None,
        idempotency_key: str | None = None,
    ) -> list[Verdict]:
        """Record a text as an episode and propose the claims an extractor finds in it.

        Args:
            text: what was said or written.
            evidence: where it can be fetched again (default: the session).
            observed_at: when it was said; relative dates in it count from here (default: now).
            speaker: who said it; resolves "I".
            turn: id of the turn in its conversation.
            media: "text", "markdown", "turn", or a configuration's "yaml", "json", "toml", "ini", "env".
            extractor: what reads it (default: the store's, else the rules); see `tkg.extractors.extractor_named`.
            idempotency_key: as for `propose`; without one the same text of the same source and time is one request.

        Returns:
            First the verdict on the episode, then one for each candidate.

        Raises:
            As `propose`; and as the extractor, in which case nothing was written.
        """
        passage = remembering.Passage.read(
            text=text,
            evidence=evidence,
            observed_at=observed_at,
            speaker=speaker,
            turn=turn,
            media=media,
            extractor=extractor,
            idempotency_key=idempotency_key,
        )
        return Rows(remembering.remember(self._memory, self._caller, passage))

    def schedule(self, *, every: int = 8, extractor: Extractor | None = None) -> Schedule:
        """Return a schedule: its turns are kept at once and read together, every so many and at the end of its block.

        Args:
            every: turns that are read together; 0 reads all at the end.
            extractor: what reads them (default: the store's, else the rules); a model is asked once for all of them.
        """

        def read(episodes: list[str], reads: Extractor | None) -> list[Verdict]:
            with self._writing() as tenant:
                return consolidating.read_together(tenant, episodes, reads)

        return Schedule(self, every, extractor, read)

    def derive(
        self,
        kind: str,
        content: str | Mapping[str, Any],
        *,
        used: object = None,
        from_: Sequence[str] = (),
        alternatives: Sequence[Sequence[str]] = (),
        meta: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Artefact | Verdict:
        """Store what an agent made from memory, with edges to everything that was in its context.

        The antecedents are what this session was shown within the taint window, what `used` shows, and `from_`; they can
        only be added to. The label is the minimum class over all of them.

        Args:
            kind: "summary", "skill", "action" (queued until `dispatch`) or "claim".
            content: the text; for a claim a mapping with subject, predicate, object (and valid_from, valid_to); for a skill
                either, the mapping with name, description, preconditions, steps (each with do and tool), success_check.
            used: a result of `recall`, or several.
            from_: ids used besides.
            alternatives: for a claim: lists of ids, each enough by itself.
            meta: plain strings kept with the artefact (name of a skill, tool of an action).
            idempotency_key: repeating a request with the same key returns what was made first; another content is refused.

        Returns:
            The artefact; for a claim, and for a text that waits for a person (a skill no person proposed, a text shaped
            like an instruction), the gate's verdict with `artefact_id`.

        Raises:
            NotFound: an unknown id. RequestError: nothing it rests on, or an unknown kind.
            Conflict: something it rests on does not stand. Rejected: the text may not be kept.
        """
        with self._writing() as tenant:
            return deriving.derive(
                tenant,
                self._caller,
                kind,
                content,
                used=used,
                from_=from_,
                alternatives=alternatives,
                meta=meta,
                idempotency_key=idempotency_key,
            )

    def dispatch(self, action_id: str) -> Artefact:
        """Release a queued action, after checking support, label and freeze in the same transaction.

        Raises:
            Conflict: what it rests on no longer stands, or it is not queued. Frozen: its scope is frozen.
        """
        with self._writing() as tenant:
            return deriving.dispatch(tenant, self._caller, action_id)

    # -- reading

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        token_budget: int | None = None,
        valid_at: When = None,
        as_of: AsOf = None,
    ) -> reading.Recalled:
        """Return the few memories that bear on `query`, with their reasons; the read is recorded before it returns.

        Args:
            query: words.
            k: most items (default: the read policy's).
            token_budget: most tokens of `result.text`.
            valid_at: the time the question is about (default: now).
            as_of: answer as the store knew it then: a transaction number or a time (default: latest).

        Returns:
            `result.items`, `result.text` (a data block for the user turn) and `result.trace`.

        Raises:
            RequestError: `k` or `token_budget` is no number from 1.
            ModelMismatch: the store's vectors were made by another model than the embedder it was opened with.
        """
        with self._writing() as tenant:
            return reading.recall(
                tenant, self._caller, query, k=k, token_budget=token_budget, valid_at=valid_at, as_of=as_of
            )

    def value(self, subject: str, predicate: str, *, valid_at: When = None, as_of: AsOf = None) -> Value:
        """Return what is believed of (subject, predicate): one value, several, a conflict, suspended, or none.

        Args:
            subject: name of the subject.
            predicate: name of the predicate.
            valid_at: point of valid time (default: now).
            as_of: point of transaction time (default: latest).
        """
        with self._reading() as tenant:
            return reading.value(tenant, self._caller, subject, predicate, valid_at=valid_at, as_of=as_of)

    def timeline(self, subject: str, predicate: str, *, as_of: AsOf = None) -> list[reading.Segment]:
        """Return the history of (subject, predicate) over valid time, as known at `as_of`."""
        with self._reading() as tenant:
            return Rows(reading.timeline(tenant, self._caller, subject, predicate, as_of=as_of))

    def contradictions(self, *, as_of: AsOf = None) -> list[reading.Contradiction]:
        """Return the open contradictions a reader in this scope can see."""
        with self._reading() as tenant:
            return Rows(reading.contradictions(tenant, self._caller, as_of=as_of))

    def predicates(self, *, as_of: AsOf = None) -> list[DeclaredPredicate]:
        """Return the predicates: the declared ones with their declarations, then those that claims use undeclared.

        Args:
            as_of: as the ledger knew them then: a transaction number or a time (default: as the store was opened).
        """
        with self._reading() as tenant:
            return Rows(predicates.listing(tenant, as_of))

    def skills(self) -> list[SkillShown]:
        """Return the skills of this scope, the oldest first: whether each stands, and the folder it lies in."""
        with self._reading() as tenant:
            return Rows(skills.listing(tenant, self._caller, self._memory.skills))

    def suggest_predicates(self, *, least_support: int = 5, least_confidence: float = 0.95) -> list[Suggestion]:
        """Return declarations that what is stored speaks for, with support, confidence and examples.

        Nothing takes effect: a person writes what is right into `tkg.toml` (`tkg.belief.mining.as_toml` words it).

        Args:
            least_support: fewest cases that say something.
            least_confidence: least share of cases in which it holds, above 0 and up to 1.
        """
        with self._reading() as tenant:
            return predicates.suggestions(tenant, self._caller, least_support, least_confidence)

    def audit_contradictions(
        self,
        *,
        patterns: Sequence[str] | None = None,
        after: str | None = None,
        limit: int = 100,
        as_of: AsOf = None,
    ) -> AuditPage:
        """Return a page of what contradicts in this scope and all below it, within slots and across them.

        Args:
            patterns: "C1" to "C9" (default: all but C9, which lists what a narrower scope hides and is no contradiction).
            after: `next` of the page before.
            limit: findings after which a page ends; those of one slot stay together.
            as_of: as the store knew it then.
        """
        with self._reading() as tenant:
            return auditing.page(tenant, self._caller, tenant.seq_of(as_of), patterns, after, limit)

    def explain(self, identifier: str) -> Explanation:
        """Return what is stored about an id, its state, why, and every decision about it.

        Raises:
            NotFound: no such id in this tenant.
        """
        with self._reading() as tenant:
            return inspecting.explain(tenant, self._caller, identifier)

    def lineage(self, identifier: str) -> Lineage:
        """Return what an id rests on (up to sources) and what grew from it (down to actions)."""
        with self._reading() as tenant:
            return inspecting.lineage(tenant, self._caller, identifier)

    def exposure(self, identifier: str) -> list[RetrievalView]:
        """Return the reads that showed an id."""
        with self._reading() as tenant:
            return Rows(inspecting.exposure(tenant, self._caller, identifier))

    # -- taking back

    def plan_revoke(
        self,
        *,
        claim: str | None = None,
        evidence: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        version: str | None = None,
    ) -> Plan:
        """Return what would fall if one of these were revoked, what survives and by which support; writes nothing.

        Args:
            claim: id of a claim or artefact.
            evidence: id of a piece of evidence.
            source: uri of a source, with everything copied from it.
            session: name of a work session: what was written in it.
            principal: name of who said it.
            version: narrows `source` to what one version of it said.
        """
        with self._reading() as tenant:
            chosen = revoking.Target(
                claim=claim, evidence=evidence, source=source, session=session, principal=principal, version=version
            )
            return revoking.plan(tenant, self._caller, chosen, "revoked")

    def revoke(self, plan: Plan, *, reason: str) -> Plan:
        """Carry out a plan: status changes and everything they bring down, in one transaction.

        Args:
            plan: what `plan_revoke` returned.
            reason: why; kept with the decision.

        Raises:
            RequestError: `plan` is not a plan. NotPermitted: this class may not take that back.
            Conflict: what would fall has changed since the plan was made; plan again.
        """
        with self._writing() as tenant:
            return revoking.carry_out(tenant, self._caller, plan, reason)

    def quarantine(
        self,
        *,
        claim: str | None = None,
        evidence: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        version: str | None = None,
        reason: str,
    ) -> Plan:
        """Take something out of belief without destroying it; what rests on it is suspended. `release` undoes it."""
        with self._writing() as tenant:
            chosen = revoking.Target(
                claim=claim, evidence=evidence, source=source, session=session, principal=principal, version=version
            )
            return revoking.change(tenant, self._caller, chosen, "quarantined", reason)

    def release(
        self,
        *,
        claim: str | None = None,
        evidence: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        version: str | None = None,
        reason: str,
    ) -> Plan:
        """Lift a quarantine or a revocation; what rested on it stands again."""
        with self._writing() as tenant:
            chosen = revoking.Target(
                claim=claim, evidence=evidence, source=source, session=session, principal=principal, version=version
            )
            return revoking.change(tenant, self._caller, chosen, "active", reason)

    def supersede(self, old: str, new: str, *, reason: str) -> str:
        """Let claim `new` take the place of claim `old` where their times overlap, by a person's decision.

        The decision is evidence of class human_verified for `new` and can be revoked. Returns the id of the edge.

        Raises:
            NotFound: an unknown id. Conflict: different slots, or no common time.
        """
        with self._writing() as tenant:
            return changing.supersede(tenant, self._caller, old, new, reason)

    def freeze(self, *, subject: str | None = None, predicate: str | None = None, reason: str) -> None:
        """Hold every later write on a subject, a predicate, or (with neither) the whole scope."""
        with self._writing() as tenant:
            changing.freeze(tenant, self._caller, "frozen", subject, predicate, reason)

    def thaw(self, *, subject: str | None = None, predicate: str | None = None, reason: str) -> None:
        """Lift a freeze."""
        with self._writing() as tenant:
            changing.freeze(tenant, self._caller, "thawed", subject, predicate, reason)

    def verify(self, claim_id: str, *, evidence: Evidence | None = None) -> Verdict:
        """Confirm a claim as a person: evidence of class human_verified is added to it."""
        with self._writing() as tenant:
            return changing.verify(tenant, self._caller, claim_id, evidence)
