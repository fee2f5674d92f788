"""Typed answers from named queries: one or two statements each, records parsed from their bodies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from tkg.errors import Damaged
from tkg.graph.kept import KeptHeads, KeptSlots
from tkg.graph.kuzu import Engine
from tkg.graph.port import KINDS
from tkg.graph.rows import SOURCE_RECORD
from tkg.ids import kind_of
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.base import Value
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Entry
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.verdict import StatusChange, Verdict
from tkg.model.view import ArtefactView, Backer, EvidenceView, Reach, RetrievalView, SlotClaim
from tkg.queries import load

T = TypeVar("T", bound=Value)

#: sources remembered, because every piece of evidence is shown with its source and sources are few
_SOURCES: Final = 1_000
#: claims and justifications remembered by their text: a claim and its slot are read one after the other, and a record
#: never changes
_PARSED: Final = 2_000
#: kind of the nodes between what was derived and what it rests on
_STEP: Final = "justification"
#: kinds of what a justification can have as its head
_HEADS: Final = frozenset({"claim", "artefact"})
#: bound of the traversals that are not `_deep`
_NEAR: Final = 300
#: kinds of the IN_SLOT of a claim, and of a justification of one
_POLARITIES: Final = frozenset({"positive", "negative"})
_BACKING: Final = "backing"
#: derived nodes up to which each is asked for its justifications; one query for all reads far more than they are
_FEW: Final = 30
#: claims from which reading all is faster than reading each
_MANY: Final = 1_000
#: edges that are counted -> what they are called in `KINDS`
_EDGE_KINDS: Final = {"CONFLICTS_WITH": "conflict", "REFINES": "refinement", "SUPERSEDES": "supersession"}


class Reads:
    """The reading half of `tkg.graph.port.Graph` on an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sources: dict[str, Source] = {}
        self._parsed: dict[str, Claim | Justification] = {}
        self._kept, self._heads = KeptSlots(), KeptHeads()
        self._records_read: dict[str, tuple[str, Any, int]] = {}

    # -- helpers
    def ask(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Run a named query and return its rows as dictionaries: for investigations and the command line.

        Raises:
            NotFound: there is no such query.
            Unsupported: the parameters are not the query's.
        """
        query = load(name)
        return [dict(zip(query.columns, row, strict=True)) for row in self._rows(name, **parameters)]

    def _rows(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._engine.read(load(name), parameters)

    def _records(self, kind: type[T], name: str, **parameters: Any) -> list[tuple[T, int]]:
        """Return records with their transactions, in order, each once."""
        found = {body: seq for seq, body in self._rows(name, **parameters)}
        return _sorted((self._parse(kind, body), seq) for body, seq in found.items())

    def _changed(self, entries: Sequence[Entry]) -> None:
        """Forget of what was read whatever these entries, which can be read from now on, have changed."""
        self._kept.changed(entries)
        self._heads.changed(entries)

    def _forget(self) -> None:
        """Forget all slots, claims and texts that were read: a load that can be read from now on changed too many."""
        self._kept.forget()
        self._heads.forget()

    def _record(self, kind: type[T], key: str) -> tuple[T, int] | None:
        """Return one record that never changes; an id that names another kind is not looked for."""
        self._engine.check_open()
        wanted = str(kind.model_fields["record"].default)
        known = self._records_read.get(key)
        if known is None:
            if kind_of(key) not in (None, wanted):
                return None
            rows = self._rows("record", id=key)
            if not rows or rows[0][0] != wanted:
                return None
            if len(self._records_read) >= _PARSED:
                self._records_read.clear()
            known = self._records_read[key] = (wanted, self._parse(kind, rows[0][2]), rows[0][1])
        return (known[1], known[2]) if known[0] == wanted else None

    def _parse(self, kind: type[T], body: Any) -> T:
        known = self._parsed.get(body)
        if isinstance(known, kind):
            return known
        try:
            record = kind.model_validate_json(body)
        except ValueError:
            raise Damaged(f"{self._engine.where}: a record in the graph is not readable; run `tkg rebuild`") from None
        if isinstance(record, (Claim, Justification)):
            if len(self._parsed) >= _PARSED:
                self._parsed.clear()
            self._parsed[body] = record
        return record

    def _ids(self, name: str, **parameters: Any) -> list[str]:
        found = dict(self._rows(name, **parameters))
        return sorted(found, key=lambda key: (found[key], key))

    def _backers(self, rows: Iterable[tuple[Any, ...]]) -> list[Backer]:
        pairs = _sorted(
            (self._parse(Justification, body), seq) for body, seq in {body: seq for seq, body in rows}.items()
        )
        return [Backer(record, seq) for record, seq in pairs]

    # -- claims
    def slot(self, slot_id: str) -> list[SlotClaim]:
        """All claims of one slot, whatever their state."""
        self._engine.check_open()
        known, changes = self._kept.slot(slot_id), self._kept.changes
        if known is not None:
            return list(known)
        found = self._slot(self._rows("slot", id=slot_id))
        self._kept.keep(slot_id, found, changes)
        return found

    def _slot(self, rows: Sequence[tuple[Any, ...]]) -> list[SlotClaim]:
        """Return the claims of one slot from its edges: kind, transaction, record."""
        claims = _sorted((self._parse(Claim, body), seq) for edge, seq, body in rows if edge in _POLARITIES)
        backers: dict[str, list[Backer]] = {record.id: [] for record, _ in claims}
        for backer in self._backers((seq, body) for edge, seq, body in rows if edge == _BACKING):
            backers.setdefault(backer.justification.head, []).append(backer)
        return [SlotClaim(record, seq, tuple(backers[record.id])) for record, seq in claims]

    def claim(self, claim_id: str) -> SlotClaim | None:
        """One claim with its justifications."""
        self._engine.check_open()
        known = self._kept.claim(claim_id) or self._heads.claim(claim_id)
        if known is not None or kind_of(claim_id) not in (None, "claim"):
            return known
        changes = self._heads.changes
        found = self._view(self._rows("claim", id=claim_id))
        if found is not None:
            self._heads.keep(claim_id, found, changes)
        return found

    def _view(self, rows: Sequence[tuple[Any, ...]]) -> SlotClaim | None:
        """Return a claim from its edges: kind, transaction, record."""
        claims = [(self._parse(Claim, body), seq) for edge, seq, body in rows if edge in _POLARITIES]
        backers = self._backers((seq, body) for edge, seq, body in rows if edge is None)
        return SlotClaim(claims[0][0], claims[0][1], tuple(backers)) if claims else None

    def claims(self, claim_ids: Collection[str]) -> dict[str, Claim]:
        """Several claims by id, without what backs them."""
        if len(claim_ids) <= _MANY:
            views = (self.claim(one) for one in claim_ids)
            return {view.claim.id: view.claim for view in views if view is not None}
        wanted = set(claim_ids)
        return {key: self._parse(Claim, body) for key, body in self._rows("all_claims") if key in wanted}

    def shared_slots(self) -> set[str]:
        """Ids of slots that hold more than one claim."""
        return {row[0] for row in self._rows("shared_slots")}

    def mentions(self, entity_id: str, limit: int) -> list[str]:
        """Ids of the newest `limit` claims about this entity, newest first."""
        return [row[0] for row in self._rows("mentions", id=entity_id, limit=limit)]

    def dependents(self, claim_id: str) -> list[str]:
        """Ids of claims that name this one in `depends_on`."""
        return self._ids("dependents", id=claim_id)

    def dependencies(self) -> list[tuple[str, str]]:
        """Every (claim, claim it depends on)."""
        return sorted((claim, other) for claim, other in self._rows("dependencies"))

    def supersessions(self, claim_id: str) -> list[tuple[Supersession, int]]:
        """Supersession edges in which the claim wins or loses."""
        return self._records(Supersession, "supersessions", id=claim_id)

    def conflicts(self, claim_id: str | None = None) -> list[tuple[Conflict, int]]:
        """Recorded conflicts of a claim, or all."""
        if claim_id is None:
            return self._records(Conflict, "all_conflicts")
        return self._records(Conflict, "conflicts", id=claim_id)

    def refinements(self, claim_id: str) -> list[tuple[Refinement, int]]:
        """Refinement edges in which the claim is the finer or the coarser."""
        return self._records(Refinement, "refinements", id=claim_id)

    def clashes(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        """Pairs of positive claims of one slot that may overlap and differ; see the port."""
        pairs = [(left, right) for left, right in self._rows("clashes", after=after, limit=limit)]
        if len(pairs) < limit or not pairs:
            return pairs
        last = pairs[-1][0]  # a page never ends in the middle of a first id: the next one begins after it
        whole = [(left, right) for left, right in self._rows("clashes_of_claim", id=last)]
        return [pair for pair in pairs if pair[0] != last] + whole

    def skills(self) -> list[str]:
        """Ids of the skills."""
        views = (self.artefact(key) for key in self._ids("skills"))
        return [view.artefact.id for view in views if view is not None and view.artefact.kind == "skill"]

    # -- predicates
    def predicates(self) -> list[tuple[str, int]]:
        """Each predicate with the number of its claims."""
        return sorted((name, int(n)) for name, n in self._rows("predicates"))

    def claims_of(self, predicate: str, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of the claims of a predicate, a page."""
        return [row[0] for row in self._rows("claims_of_predicate", predicate=predicate, after=after, limit=limit)]

    def views_of(self, predicate: str, after: str = "", limit: int = 1000) -> list[SlotClaim]:
        """The claims of a predicate with what backs them, a page."""
        rows = defaultdict[str, list[tuple[Any, ...]]](list)
        for claim_id, *row in self._rows("views_of_predicate", predicate=predicate, after=after, limit=limit):
            rows[claim_id].append(tuple(row))
        found = (self._view(rows[claim_id]) for claim_id in sorted(rows))
        return [view for view in found if view is not None]

    def holders(self, object_id: str, predicate: str) -> list[str]:
        """Ids of the claims of a predicate with this object."""
        return self._ids("holders", id=object_id, predicate=predicate)

    def rival_slots(self, predicate: str, after: str = "", limit: int = 1000) -> dict[str, list[SlotClaim]]:
        """The slots of a predicate with several claims, a page."""
        self._engine.check_open()
        changes, rows = self._kept.changes, defaultdict[str, list[tuple[Any, ...]]](list)
        for slot_id, *row in self._rows("rival_slots", predicate=predicate, after=after, limit=limit):
            rows[slot_id].append(tuple(row))
        found = {slot_id: self._slot(rows[slot_id]) for slot_id in sorted(rows)}
        for slot_id, claims in found.items():
            self._kept.keep(slot_id, claims, changes)
        return found

    def denied_slots(self, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of the slots in which something is denied, a page."""
        return [row[0] for row in self._rows("denied_slots", after=after, limit=limit)]

    def shared_objects(
        self, predicate: str, after: tuple[str, str] = ("", ""), limit: int = 1000
    ) -> list[tuple[str, str]]:
        """Pairs of claims of a predicate with one object and different subjects, a page."""
        rows = self._rows("shared_objects", predicate=predicate, left=after[0], right=after[1], limit=limit)
        return [(left, right) for left, right in rows]

    def same_subject(
        self, predicate: str, other: str, after: tuple[str, str] = ("", ""), limit: int = 1000
    ) -> list[tuple[str, str]]:
        """Pairs of claims of two predicates about one subject, a page."""
        rows = self._rows("same_subject", predicate=predicate, other=other, left=after[0], right=after[1], limit=limit)
        return [(left, right) for left, right in rows]

    # -- support
    def justification(self, justification_id: str) -> Backer | None:
        """One justification."""
        found = self._backers(self._rows("justification", id=justification_id))
        return found[0] if found else None

    def justifications(self, head: str) -> list[Backer]:
        """All justifications of a claim or artefact."""
        self._engine.check_open()
        if kind_of(head) not in (None, *_HEADS):
            return []
        slot_claim = self._kept.claim(head)
        known = self._heads.backers(head) if slot_claim is None else slot_claim.backers
        if known is not None:
            return list(known)
        changes = self._heads.changes
        found = self._backers(self._rows("justifications", id=head))
        self._heads.keep(head, found, changes)
        return found

    def cone(self, node_id: str) -> list[Backer]:
        """Every justification of the node and of every node derived from it."""
        derived, deep = self._far("descendants", node_id)
        heads = [node_id, *(key for key, kind, _ in derived if kind != _STEP)]
        if len(heads) <= _FEW:
            rows = [row for head in heads for row in self._rows("justifications", id=head)]
        else:
            rows = self._rows("justifications", id=node_id)
            rows += (row for row in self._rows("cone_deep" if deep else "cone", id=node_id) if row[1] is not None)
        return self._backers(rows)

    def basis(self, node_id: str) -> list[Backer]:
        """Every justification of the node and of everything that it rests on."""
        below, deep = self._far("ancestors", node_id)
        heads = [node_id, *(key for key, kind, _ in below if kind in _HEADS)]
        if len(heads) <= _FEW:
            rows = [row for head in heads for row in self._rows("justifications", id=head)]
        else:
            rows = self._rows("justifications", id=node_id)
            rows += (row for row in self._rows("basis_deep" if deep else "basis", id=node_id) if row[1] is not None)
        return self._backers(rows)

    def ancestors(self, node_id: str) -> list[Reach]:
        """What a node rests on, nearest first."""
        return _reach(self._far("ancestors", node_id)[0])

    def descendants(self, node_id: str) -> list[Reach]:
        """What grew from a node, nearest first."""
        return _reach(self._far("descendants", node_id)[0])

    def _far(self, name: str, key: str) -> tuple[list[tuple[Any, ...]], bool]:
        """Run a traversal up to the bound within which it is cheap and, where something lies at it, beyond.

        Args:
            name: of the query; the one beyond has the same name and `_deep`.
            key: where it begins.

        Returns:
            Its rows, and whether it went beyond.
        """
        rows = self._rows(name, id=key)
        if any(row[2] >= _NEAR for row in rows):
            return self._rows(f"{name}_deep", id=key), True
        return rows, False

    # -- evidence, artefacts, reads
    def evidence(self, evidence_id: str) -> EvidenceView | None:
        """One piece of evidence with its source."""
        found = self._record(StoredEvidence, evidence_id)
        if found is None:
            return None
        record, seq = found
        source = self.source(record.source_id)
        if source is None:
            raise Damaged(f"{self._engine.where}: evidence without its source; run `tkg rebuild`")
        return EvidenceView(record, source, seq)

    def source(self, source_id: str) -> Source | None:
        """One source."""
        if source_id not in self._sources:
            found = self._record(Source, SOURCE_RECORD.format(source_id))
            if found is None:
                return None
            if len(self._sources) >= _SOURCES:
                self._sources.clear()
            self._sources[source_id] = found[0]
        return self._sources.get(source_id)

    def evidence_from(self, owner_id: str) -> list[str]:
        """Ids of evidence from a source, session or principal."""
        return self._ids("evidence_from", id=owner_id)

    def copies(self, source_id: str) -> list[str]:
        """Ids of evidence that says it was copied from this source."""
        return self._ids("copies", id=source_id)

    def artefact(self, artefact_id: str) -> ArtefactView | None:
        """One artefact."""
        found = self._record(Artefact, artefact_id)
        return None if found is None else ArtefactView(*found)

    def retrieval(self, retrieval_id: str) -> RetrievalView | None:
        """One read."""
        found = self._record(Retrieval, retrieval_id)
        return None if found is None else RetrievalView(*found)

    def exposures(self, node_id: str) -> list[RetrievalView]:
        """Reads that showed a node."""
        return [RetrievalView(*found) for found in self._records(Retrieval, "exposures", id=node_id)]

    def exposed_ancestors(self, node_id: str) -> list[tuple[str, RetrievalView]]:
        """Reads that showed something the node rests on."""
        return self._exposed("ancestors", "poison_chain", node_id)

    def exposed_descendants(self, node_id: str) -> list[tuple[str, RetrievalView]]:
        """Reads that showed something that grew from the node."""
        return self._exposed("descendants", "blast_radius", node_id)

    def _exposed(self, way: str, name: str, key: str) -> list[tuple[str, RetrievalView]]:
        reached, deep = self._far(way, key)
        nodes = [node for node, kind, _ in reached if kind != _STEP]
        if len(nodes) <= _FEW:
            rows = [(node, *row) for node in nodes for row in self._rows("exposures", id=node)]
        else:
            rows = [row for row in self._rows(f"{name}_deep" if deep else name, id=key) if row[2] is not None]
        found = [(node, RetrievalView(self._parse(Retrieval, body), seq)) for node, seq, body in rows]
        return sorted(found, key=lambda pair: (pair[1].seq, pair[1].retrieval.id, pair[0]))

    def session_reads(self, session_id: str) -> list[RetrievalView]:
        """Reads made in a session."""
        return [RetrievalView(*found) for found in self._records(Retrieval, "session_reads", id=session_id)]

    def session_artefacts(self, session_id: str) -> list[str]:
        """Ids of artefacts written in a session."""
        return self._ids("session_artefacts", id=session_id)

    # -- decisions
    def verdict(self, verdict_id: str) -> tuple[Verdict, int] | None:
        """One verdict."""
        return self._record(Verdict, verdict_id)

    def verdicts(self, about: str) -> list[tuple[Verdict, int]]:
        """Verdicts about a claim or artefact."""
        return self._records(Verdict, "verdicts", id=about)

    def changes(self, target: str | None = None) -> Iterator[tuple[StatusChange, int]]:
        """Status changes of one target, or of all."""
        if target is None:
            return iter(self._records(StatusChange, "all_changes"))
        return iter(self._records(StatusChange, "changes", id=target))

    def changed(self, after: int, upto: int) -> list[str]:
        """Ids of what some transactions wrote or changed; see the port."""
        return sorted({row[0] for row in self._rows("changed", after=after, upto=upto)})

    def identifiers(self, prefix: str, after: str, limit: int) -> list[str]:
        """Ids that begin with a prefix; see the port."""
        return [row[0] for row in self._rows("identifiers", prefix=prefix, after=after, limit=limit)]

    def counts(self) -> dict[str, int]:
        """Number of nodes and edges by kind, in alphabetical order."""
        found = {_EDGE_KINDS.get(kind, kind): int(n) for kind, n in self._rows("counts")}
        return {kind: found.get(kind, 0) for kind in KINDS}


def _sorted(pairs: Iterable[tuple[T, int]]) -> list[tuple[T, int]]:
    def key(pair: tuple[Any, int]) -> tuple[int, str]:
        return pair[1], pair[0].id

    return sorted(pairs, key=key)


def _reach(rows: Iterable[tuple[Any, ...]]) -> list[Reach]:
    found = (Reach(key, steps // 2) for key, kind, steps in rows if kind != _STEP)
    return sorted(found, key=lambda reach: (reach.depth, reach.id))
