"""What a graph is: a projection of the ledger that answers questions about claims and can be thrown away.

Two implementations: `tkg.graph.memory` (plain dicts, the reference) and `tkg.graph.projection` (Cypher from `queries/`, on
kuzu or ladybug). Both are proved by `tkg.testing.GraphContract`, and a differential test compares every method.
All lists are ordered by transaction, then id, unless said otherwise. Unknown ids give None or an empty list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, Protocol

from tkg.model.claim import Claim, Conflict, Refinement, Supersession
from tkg.model.entry import Entry
from tkg.model.evidence import Source
from tkg.model.verdict import StatusChange, Verdict
from tkg.model.view import ArtefactView, Backer, EvidenceView, Reach, RetrievalView, SlotClaim

#: what `counts` counts: kinds of nodes, and of the edges between claims
KINDS: Final = (
    "artefact",
    "claim",
    "conflict",
    "entity",
    "evidence",
    "justification",
    "outside",
    "principal",
    "refinement",
    "retrieval",
    "session",
    "slot",
    "source",
    "status",
    "supersession",
    "verdict",
)


class Graph(Protocol):
    """Append-only projection of one tenant's ledger."""

    @property
    def applied(self) -> int:
        """Sequence number of the last entry applied; 0 for an empty graph."""
        ...

    def apply(self, entries: Iterable[Entry]) -> None:
        """Apply entries in order; each entry whole or not at all. Entries already applied are skipped.

        Raises:
            Damaged: the graph could not take a valid entry; it was closed and must be reopened or rebuilt.
        """
        ...

    # -- claims
    def slot(self, slot_id: str) -> list[SlotClaim]:
        """All claims of one slot, whatever their state."""
        ...

    def claim(self, claim_id: str) -> SlotClaim | None:
        """One claim with its justifications."""
        ...

    def claims(self, claim_ids: Collection[str]) -> dict[str, Claim]:
        """Several claims by id, without what backs them; ids that are no claim's are left out.

        Many at once are read by a sweep.
        """
        ...

    def shared_slots(self) -> set[str]:
        """A sweep: ids of slots that hold more than one claim."""
        ...

    def mentions(self, entity_id: str, limit: int) -> list[str]:
        """Ids of the newest `limit` claims whose subject or object is this entity, newest first."""
        ...

    def dependents(self, claim_id: str) -> list[str]:
        """Ids of claims that name this one in `depends_on`."""
        ...

    def dependencies(self) -> list[tuple[str, str]]:
        """A sweep: every (claim, claim it depends on), ordered."""
        ...

    def supersessions(self, claim_id: str) -> list[tuple[Supersession, int]]:
        """Supersession edges in which the claim wins or loses, each with its transaction."""
        ...

    def conflicts(self, claim_id: str | None = None) -> list[tuple[Conflict, int]]:
        """Recorded conflicts of a claim, or (a sweep) all of the tenant's."""
        ...

    def refinements(self, claim_id: str) -> list[tuple[Refinement, int]]:
        """Refinement edges in which the claim is the finer or the coarser."""
        ...

    def clashes(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        """A sweep: pairs of positive claims of one slot whose intervals may overlap and whose normalised objects differ.

        Pairs are (smaller id, larger id), ordered, from after `after` (a pair's first id) on; belief decides which
        of them are contradictions under the registry.
        """
        ...

    def skills(self) -> list[str]:
        """A sweep: ids of the skills, whatever became of them."""
        ...

    # -- predicates: sweeps for audits, and what is needed to find a claim from its other end; a predicate is named in
    # the form in which names are compared (`tkg.text.match_form`)
    def predicates(self) -> list[tuple[str, int]]:
        """A sweep: each predicate with the number of its claims, by name."""
        ...

    def claims_of(self, predicate: str, after: str = "", limit: int = 1000) -> list[str]:
        """A sweep: ids of the claims of a predicate, in order, a page from after `after` on."""
        ...

    def views_of(self, predicate: str, after: str = "", limit: int = 1000) -> list[SlotClaim]:
        """A sweep: the claims of a predicate with what backs them, by id, a page from after `after` on."""
        ...

    def holders(self, object_id: str, predicate: str) -> list[str]:
        """Ids of the claims of a predicate whose object is this entity."""
        ...

    def rival_slots(self, predicate: str, after: str = "", limit: int = 1000) -> dict[str, list[SlotClaim]]:
        """A sweep: the slots of a predicate that hold more than one claim, by id and in order, a page from after `after`.

        Each comes with all its claims, as `slot` gives them.
        """
        ...

    def denied_slots(self, after: str = "", limit: int = 1000) -> list[str]:
        """A sweep: ids of the slots in which something is denied, in order, a page from after `after` on."""
        ...

    def shared_objects(
        self, predicate: str, after: tuple[str, str] = ("", ""), limit: int = 1000
    ) -> list[tuple[str, str]]:
        """A sweep: pairs of claims of a predicate that say the same object of different subjects, smaller id first.

        In order, a page from after the pair `after` on.
        """
        ...

    def same_subject(
        self, predicate: str, other: str, after: tuple[str, str] = ("", ""), limit: int = 1000
    ) -> list[tuple[str, str]]:
        """A sweep: pairs of a claim of `predicate` and a claim of `other` about one subject, a page as above."""
        ...

    # -- support
    def justification(self, justification_id: str) -> Backer | None:
        """One justification."""
        ...

    def justifications(self, head: str) -> list[Backer]:
        """All justifications of a claim or artefact."""
        ...

    def cone(self, node_id: str) -> list[Backer]:
        """Every justification of every node derived, in any number of steps, from this one, and of the node itself.

        Includes alternatives that do not go through the node: enough to decide what stands without it.
        """
        ...

    def basis(self, node_id: str) -> list[Backer]:
        """Every justification of the node and of everything that it rests on, in any number of steps."""
        ...

    def ancestors(self, node_id: str) -> list[Reach]:
        """Evidence, claims and artefacts that a node rests on, nearest first, each at its least depth."""
        ...

    def descendants(self, node_id: str) -> list[Reach]:
        """Claims and artefacts that grew from a node, nearest first, each at its least depth."""
        ...

    # -- evidence, artefacts, reads
    def evidence(self, evidence_id: str) -> EvidenceView | None:
        """One piece of evidence with its source."""
        ...

    def source(self, source_id: str) -> Source | None:
        """One source."""
        ...

    def evidence_from(self, owner_id: str) -> list[str]:
        """Ids of evidence from a source, session or principal (by its keyed id)."""
        ...

    def copies(self, source_id: str) -> list[str]:
        """Ids of evidence that says it was copied from this source."""
        ...

    def artefact(self, artefact_id: str) -> ArtefactView | None:
        """One artefact."""
        ...

    def retrieval(self, retrieval_id: str) -> RetrievalView | None:
        """One read."""
        ...

    def exposures(self, node_id: str) -> list[RetrievalView]:
        """Reads that showed a node."""
        ...

    def exposed_ancestors(self, node_id: str) -> list[tuple[str, RetrievalView]]:
        """(node, read) for each read that showed something the node rests on; the node itself is not among them."""
        ...

    def exposed_descendants(self, node_id: str) -> list[tuple[str, RetrievalView]]:
        """(node, read) for each read that showed something that grew from the node; the node is not among them."""
        ...

    def session_reads(self, session_id: str) -> list[RetrievalView]:
        """Reads made in a session."""
        ...

    def session_artefacts(self, session_id: str) -> list[str]:
        """Ids of artefacts written in a session."""
        ...

    # -- decisions
    def verdict(self, verdict_id: str) -> tuple[Verdict, int] | None:
        """One verdict."""
        ...

    def verdicts(self, about: str) -> list[tuple[Verdict, int]]:
        """Verdicts about a claim or artefact."""
        ...

    def changes(self, target: str | None = None) -> Iterator[tuple[StatusChange, int]]:
        """Status changes of one target, or (a sweep) of all."""
        ...

    def changed(self, after: int, upto: int) -> list[str]:
        """A sweep: ids, in order, of what the transactions after `after` and up to `upto` wrote or changed.

        Claims, artefacts and evidence that were written, heads of new justifications, targets of status changes.
        """
        ...

    def identifiers(self, prefix: str, after: str, limit: int) -> list[str]:
        """A sweep: the first `limit` ids of claims, artefacts, evidence and reads, in order, that begin with a prefix.

        Args:
            prefix: how the ids begin.
            after: only ids behind this one.
            limit: most ids.
        """
        ...

    def counts(self) -> dict[str, int]:
        """Number of nodes and edges for each of `KINDS`."""
        ...

    def close(self) -> None:
        """Release the engine; a file graph is checkpointed first."""
        ...
