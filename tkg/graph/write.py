"""Writing a few entries: prepared statements inside one transaction, as few of them as possible.

What nearly always comes together (a claim, its evidence, the justification between them, the verdict) is one statement;
everything else is a node and its edges, one statement each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from tkg.errors import Damaged
from tkg.graph.kuzu import Transaction
from tkg.graph.rows import (
    NAMES,
    Edge,
    body,
    candidates,
    claim_row,
    edges,
    evidence_row,
    head_edges,
    justification_row,
    node,
    shortcut,
    statements,
    verdict_row,
)
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.verdict import Note, Verdict

#: names remembered before the memory of them starts again
_REMEMBERED: Final = 100_000


class Writer:
    """Adds entries inside transactions and remembers which names the graph has."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

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

    def __init__(self, transaction: Transaction, seq: int, seen: set[tuple[str, str]]) -> None:
        self._transaction = transaction
        self._seq = seq
        self._seen = seen

    def add(self, records: Sequence[Record]) -> None:
        """Add all records: names, nodes, then the edges that may lead to any of them."""
        for record in records:
            if isinstance(record, Source):
                self._source(record)
        left: list[Record] = [record for record in records if not isinstance(record, (Source, Note))]
        self._names(left)
        left, later = self._shapes(left)
        for record in left:
            self._node(record)
        for record in left:
            if not isinstance(record, Justification):
                later += edges(record, self._seq)
        # the slot of a claim is looked up for its justification: edges to what is surely there come first
        for edge in later:
            if edge.target_table:
                self._edge(edge)
        for record in left:
            if isinstance(record, Justification):
                self._justification(record)
        for edge in later:
            if not edge.target_table:
                self._edge(edge)

    # -- what has to be there first
    def _source(self, record: Source) -> None:
        if ("Source", record.id) in self._seen:
            return
        if not self._transaction.run(statements("about")["has_source"], {"id": record.id}):
            self._node(record)
        self._seen.add(("Source", record.id))

    def _names(self, records: Iterable[Record]) -> None:
        for record in records:
            for edge in edges(record, self._seq):
                if edge.target_table in NAMES:
                    self._name(edge.target_table, edge.target)

    def _name(self, table: str, key: str) -> None:
        if (table, key) not in self._seen:
            self._transaction.run(statements("nodes")[table], {"id": key})
            self._seen.add((table, key))

    # -- several at once
    def _shapes(self, records: list[Record]) -> tuple[list[Record], list[Edge]]:
        """Add what comes in a usual shape; return the records that did not, and edges still to be made."""
        evidence = {record.id: record for record in records if isinstance(record, StoredEvidence)}
        claims = {record.id: record for record in records if isinstance(record, Claim)}
        verdicts = {r.claim_id: r for r in records if isinstance(r, Verdict) and r.claim_id is not None}
        done: set[str] = set()
        later: list[Edge] = []
        for record in records:
            if not isinstance(record, Justification) or record.slot_id is None or record.kind != "evidence":
                continue
            proof = evidence.get(record.requires[0]) if len(record.requires) == 1 else None
            verdict = verdicts.get(record.head)
            if proof is None or verdict is None or proof.session_id is None or {proof.id, verdict.id} & done:
                continue
            claim = claims.get(record.head)
            if claim is None:
                self._reinforcement(record, proof, verdict)
            elif claim.id not in done and claim.slot_id == record.slot_id:
                self._proposal(claim, record, proof, verdict)
                later += (edge for edge in edges(claim, self._seq) if edge.relation == "DEPENDS_ON")
                done.add(claim.id)
            else:
                continue
            later += (edge for edge in edges(proof, self._seq) if edge.relation == "COPY_OF")
            done |= {record.id, proof.id, verdict.id}
        return [record for record in records if record.id not in done], later

    def _proposal(self, claim: Claim, record: Justification, proof: StoredEvidence, verdict: Verdict) -> None:
        parameters = self._support(record, proof, verdict) | _prefixed("c_", claim_row(claim, self._seq))
        parameters |= {"subject_id": claim.subject_id, "object_id": claim.object_id, "c_body": body(claim)}
        self._shape("proposal", parameters)

    def _reinforcement(self, record: Justification, proof: StoredEvidence, verdict: Verdict) -> None:
        self._shape("reinforcement", self._support(record, proof, verdict) | {"claim_id": record.head})

    def _support(self, record: Justification, proof: StoredEvidence, verdict: Verdict) -> dict[str, Any]:
        return {
            "seq": self._seq,
            "slot_id": record.slot_id,
            "source_id": proof.source_id,
            "principal_id": proof.principal_id,
            "session_id": proof.session_id,
            "j_body": body(record),
            **_prefixed("e_", evidence_row(proof, self._seq)),
            **_prefixed("j_", justification_row(record, self._seq)),
            **_prefixed("v_", verdict_row(verdict, self._seq)),
        }

    def _shape(self, name: str, parameters: dict[str, Any]) -> None:
        if len(self._transaction.run(statements("shapes")[name], parameters)) != 1:
            raise self._missing(f"a {name} hangs on")

    # -- one by one
    def _node(self, record: Record) -> None:
        found = node(record, self._seq)
        if found is not None:
            self._transaction.run(statements("nodes")[found[0]], found[1])

    def _justification(self, record: Justification) -> None:
        slot_id = record.slot_id
        if slot_id is None:
            slots = self._transaction.run(statements("about")["slot_of"], {"id": record.head})
            slot_id = slots[0][0] if slots else None
        table = "Artefact" if slot_id is None else "Claim"
        for edge in head_edges(record, self._seq, table, slot_id or ""):
            self._edge(edge)
        for edge in edges(record, self._seq):
            self._edge(edge)
        extra = shortcut(record, self._seq)
        if extra is not None and table == "Claim":
            self._transaction.run(statements("edges")[extra.statement], _ends(extra))  # evidence elsewhere has none

    def _edge(self, edge: Edge) -> None:
        if edge.target_table:
            if len(self._transaction.run(statements("edges")[edge.statement], _ends(edge))) != 1:
                raise self._missing(f"{edge.relation} leads to")
            return
        for table in candidates(edge.relation, edge.target):
            found = edge._replace(target_table=table)
            if self._transaction.run(statements("edges")[found.statement], _ends(found)):
                return
        self._name("Outside", edge.target)
        self._edge(edge._replace(target_table="Outside"))

    def _missing(self, what: str) -> Damaged:
        return Damaged(f"entry {self._seq}: something that {what} is not there; run `tkg verify`")


def _prefixed(prefix: str, row: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}{key}": value for key, value in row.items() if key != "seq"}


def _ends(edge: Edge) -> dict[str, Any]:
    return {"source": edge.source, "target": edge.target, **edge.properties}
