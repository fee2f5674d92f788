"""The verbs of an investigation, as a part of `Handle`: each is a few lines that call one room. Nothing is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager

from tkg.errors import RequestError
from tkg.ids import kind_of
from tkg.memory import comparing, disputes, naming, questions
from tkg.memory.caller import Caller
from tkg.memory.findings import Believed, Blast, Diff, Dispute, PoisonChain, SinglePoints, Why, WhyNot
from tkg.memory.reading import Contradiction
from tkg.memory.revoking import Target
from tkg.memory.tenant import AsOf, Tenant
from tkg.model.display import Rows


class Asking(ABC):
    """Questions about what is stored: why, why not, what would fall, where it came from, what changed."""

    _caller: Caller

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Tenant]: ...

    def find(self, prefix: str) -> str:
        """Return the one full id in this scope that begins with `prefix`.

        Args:
            prefix: the beginning of the id of a claim, artefact, piece of evidence or read; a full id is returned as
                it is when it names something in this scope.

        Raises:
            NotFound: nothing in this scope begins with it.
            RequestError: several do; the message lists them.
        """
        with self._reading() as tenant:
            return naming.find(tenant, self._caller, prefix)

    def short(self, identifiers: list[str]) -> dict[str, str]:
        """Return for each id the shortest beginning, of at least 12 characters, that no other id in the store has."""
        with self._reading() as tenant:
            return naming.short(tenant, identifiers)

    def history(self, subject: str, predicate: str, *, as_of: AsOf = None) -> list[Believed]:
        """Return both axes of (subject, predicate): what was believed when, for which valid time.

        Args:
            subject: name of the subject.
            predicate: name of the predicate.
            as_of: only up to this transaction or time (default: latest).
        """
        with self._reading() as tenant:
            return Rows(comparing.history(tenant, self._caller, subject, predicate, as_of=as_of))

    def diff(self, before: AsOf, after: AsOf = None) -> Diff:
        """Return what is believed differently at two points of transaction time.

        Args:
            before: a transaction number or a time.
            after: the other one (default: latest).

        Raises:
            InvalidTime: unreadable.
            TooLarge: more was written between them than can be told at once; name two that are nearer to each other.
        """
        with self._reading() as tenant:
            return comparing.diff(tenant, self._caller, before, after)

    def why(self, identifier: str, *, k: int = 5, as_of: AsOf = None) -> Why:
        """Return up to `k` minimal sets of evidence that each carry a node by themselves, the smallest first.

        Args:
            identifier: a claim, artefact or piece of evidence.
            k: most sets.
            as_of: as known at this transaction or time (default: latest).

        Raises:
            NotFound: no such id in this scope.
        """
        with self._reading() as tenant:
            return questions.why(tenant, self._caller, identifier, k=k, as_of=as_of)

    def why_not(self, identifier: str, *, as_of: AsOf = None) -> WhyNot:
        """Return what is missing for a node to stand, for each of its justifications.

        Raises:
            NotFound: no such id in this scope.
        """
        with self._reading() as tenant:
            return questions.why_not(tenant, self._caller, identifier, as_of=as_of)

    def single_points(self, identifier: str, *, as_of: AsOf = None) -> SinglePoints:
        """Return the evidence whose loss alone would take a node down.

        Raises:
            NotFound: no such id in this scope.
        """
        with self._reading() as tenant:
            return questions.single_points(tenant, self._caller, identifier, as_of=as_of)

    def blast(
        self,
        identifier: str | None = None,
        *,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
    ) -> Blast:
        """Return what would fall if something were revoked, and which reads, sessions and actions it reached.

        Args:
            identifier: a claim, artefact or piece of evidence; or name one of the others:
            source: uri of a source. session: name of a session. principal: name of a principal.

        Raises:
            NotFound: nothing in this scope comes from it. RequestError: not exactly one target.
        """
        claim, evidence = identifier, None
        if identifier is not None and kind_of(identifier) == "evidence":
            claim, evidence = None, identifier
        target = Target(claim=claim, evidence=evidence, source=source, session=session, principal=principal)
        if [source, session, principal, identifier].count(None) != 3:
            raise RequestError("name exactly one of an id, source, session or principal")
        with self._reading() as tenant:
            return questions.blast(tenant, self._caller, target)

    def poison_chain(self, identifier: str) -> PoisonChain:
        """Return a node and everything it rests on, with class, source, first exposure and the decisions about each.

        Raises:
            NotFound: no such id in this scope.
        """
        with self._reading() as tenant:
            return questions.poison_chain(tenant, self._caller, identifier)

    def disputes(
        self,
        state: str = "open",
        *,
        subject: str | None = None,
        predicate: str | None = None,
        source: str | None = None,
        as_of: AsOf = None,
    ) -> list[Contradiction]:
        """Return contradictions by state, subject, predicate and source.

        Args:
            state: "open", "possible" (bounds or values leave it open), "settled" (recorded, and decided since), or "all".
            subject: only about this subject.
            predicate: only of this predicate.
            source: only where one side rests on evidence from this uri.
            as_of: as known at this transaction or time (default: latest).
        """
        with self._reading() as tenant:
            return Rows(
                disputes.disputes(
                    tenant, self._caller, state=state, subject=subject, predicate=predicate, source=source, as_of=as_of
                )
            )

    def dispute(self, left: str, right: str) -> Dispute:
        """Return two claims that contradict each other, side by side, with the row that applies and what each choice does.

        Raises:
            NotFound: no such claim in this scope. RequestError: one claim twice.
        """
        with self._reading() as tenant:
            return disputes.dispute(tenant, self._caller, left, right)
