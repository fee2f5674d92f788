"""Writing a few entries: prepared statements inside one transaction, as few of them as possible.

A record with the edges it nearly always has is one statement; everything else is a node and its edges, one statement
each. (One statement for a whole proposal was slower than four: what a statement costs grows faster than what is in it.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tkg.errors import Damaged
from tkg.graph.kuzu import Transaction
from tkg.graph.rows import OUTSIDE, SOURCE_RECORD, Edge, Row, body, edges, head_edges, name, node, statements
from tkg.model.artefact import Retrieval
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.verdict import Note, Verdict

#: names remembered before the memory of them starts again
_REMEMBERED: Final = 100_000
#: what a shape has already made of a record's edges
_MADE: Final[dict[str, frozenset[str]]] = {
    "claim": frozenset({"IN_SLOT", "SUBJECT", "OBJECT"}),
    "evidence": frozenset({"FROM_SOURCE", "BY", "IN_SESSION"}),
    "backing": frozenset({"HEAD", "IN_SLOT", "REQUIRES"}),
    "verdict": frozenset({"ABOUT"}),
    "retrieval": frozenset({"BY", "IN_SESSION"}),
}


#: records that are edges and nothing else
_EDGES: Final = (Supersession, Conflict, Refinement)


class Writer:
    """Adds entries inside transactions and remembers which names the graph has."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def write(self, transaction: Transaction, entry: Entry) -> None:
        """Add one entry.

        Raises:
            Damaged: it refers to something that is not there, or repeats an id.
        """
        _Adding(transaction, entry.seq, self._seen).add(entry.records)
        if len(self._seen) > _REMEMBERED:
            self._seen.clear()


class _Adding:
    """One entry on its way into the graph."""

    def __init__(self, transaction: Transaction, seq: int, seen: set[str]) -> None:
        self._transaction = transaction
        self._seq = seq
        self._seen = seen

    def add(self, records: Sequence[Record]) -> None:
        """Add all records: sources and names, nodes in an order in which what they hang on is there, then open ends."""
        for record in records:
            if isinstance(record, Source):
                self._name(SOURCE_RECORD.format(record.id), node(record, self._seq))
        left: list[Record] = [record for record in records if not isinstance(record, (Source, Note))]
        # a change may name what comes with it: that is no new name (an edge between claims is no node, so it is one)
        self._seen.update(record.id for record in left if not isinstance(record, _EDGES))
        self._names(left)
        reasons = [record for record in left if isinstance(record, Justification)]
        others = [record for record in left if not isinstance(record, Justification)]
        # verdicts and relations between claims come after the claims of the same entry
        others.sort(key=lambda record: record.record not in ("claim", "artefact", "evidence"))
        later: list[Edge] = []
        for record in others:
            later += self._record(record)
        slots = {record.id: record.slot_id for record in others if isinstance(record, Claim)}
        for reason in reasons:
            later += self._reason(reason, reason.slot_id or slots.get(reason.head))
        self._open_ends(later)

    # -- what has to be there first
    def _names(self, records: Iterable[Record]) -> None:
        for record in records:
            for edge in edges(record, self._seq):
                if edge.kind and edge.kind != OUTSIDE:
                    self._name(edge.target, name(edge))

    def _name(self, key: str, row: Row | None) -> None:
        if key not in self._seen and row is not None:
            if not self._transaction.run(statements("add")["has"], {"id": key}):
                self._transaction.run(statements("add")["Node"], row)
            self._seen.add(key)

    # -- records
    def _record(self, record: Record) -> list[Edge]:
        """Add a record with its edges; return those whose other end may not be there."""
        shape = self._shape(record)
        if shape is not None and self._transaction.run(statements("shapes")[shape[0]], shape[1]):
            made = _MADE[shape[0]]
        else:
            made = frozenset()
            row = node(record, self._seq)
            if row is not None:
                self._transaction.run(statements("add")["Node"], row)
        left = [edge for edge in edges(record, self._seq) if edge.relation not in made]
        for edge in left:
            if edge.kind != OUTSIDE:
                self._edge(edge)
        return [edge for edge in left if edge.kind == OUTSIDE]

    def _shape(self, record: Record) -> tuple[str, Row] | None:
        at: Row = {"id": record.id, "seq": self._seq}
        match record:
            case Claim():
                edge = next(edge for edge in edges(record, self._seq) if edge.relation == "IN_SLOT")
                ends: Row = {"slot_id": record.slot_id, "subject_id": record.subject_id, "object_id": record.object_id}
                return "claim", at | edge.properties | ends
            case StoredEvidence(session_id=str()):
                ends = {"source_id": record.source_id, "session_id": record.session_id}
                return "evidence", at | ends | {"principal_id": record.principal_id, "body": body(record)}
            case Verdict() if record.about is not None:
                return "verdict", at | {"about": record.about, "body": body(record)}
            case Retrieval(session_id=str()):
                ends = {"principal_id": record.principal_id, "session_id": record.session_id}
                return "retrieval", at | ends | {"body": body(record)}
        return None

    def _reason(self, record: Justification, slot_id: str | None) -> list[Edge]:
        """Add a justification at its head; return its edges whose other end may not be there."""
        if slot_id is None:
            slots = self._transaction.run(statements("about")["slot_of"], {"id": record.head})
            slot_id = slots[0][0] if slots else None
        if slot_id is not None and len(record.requires) == 1:
            parameters = {"id": record.id, "seq": self._seq, "body": body(record), "slot_id": slot_id}
            parameters |= {"head": record.head, "required": record.requires[0]}
            if self._transaction.run(statements("shapes")["backing"], parameters):
                return []
        row = node(record, self._seq)
        if row is not None:
            self._transaction.run(statements("add")["Node"], row)
        for edge in head_edges(record, self._seq, slot_id):
            self._edge(edge)
        return list(edges(record, self._seq))

    # -- edges
    def _edge(self, edge: Edge) -> None:
        if not self._transaction.run(statements("add")[edge.relation], edge.row):
            raise Damaged(f"entry {self._seq}: what {edge.relation} leads to is not there; run `tkg verify`")

    def _open_ends(self, left: list[Edge]) -> None:
        shown = [edge for edge in left if edge.relation == "SHOWED"]
        left = [edge for edge in left if edge.relation != "SHOWED"]
        while len(shown) >= 4 and shown[0].source == shown[3].source:
            four = dict(zip(("first", "second", "third", "fourth"), (edge.target for edge in shown[:4]), strict=True))
            if not self._transaction.run(statements("shapes")["showed"], {"id": shown[0].source, **four}):
                break
            shown = shown[4:]
        for edge in (*left, *shown):
            if not self._transaction.run(statements("add")[edge.relation], edge.row):
                self._name(edge.target, name(edge))
                self._edge(edge)
