"""From records to rows: which nodes and edges a record stands for. Both ways of writing use it.

A node is (table, row), an edge (relation, table and id of both ends, properties). The order of a row's keys is the order of
the table's columns in `migrations/`, because bulk loads go by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from tkg.errors import NotFound
from tkg.ids import kind_of
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.base import Value
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.verdict import StatusChange, Verdict
from tkg.queries import Query, parse_many

#: tables of what another tenant may keep, by relation, in the order in which they are tried
OPEN: Final[dict[str, tuple[str, ...]]] = {
    "REQUIRES": ("Evidence", "Claim", "Artefact"),
    "SHOWED": ("Claim", "Artefact", "Evidence"),
    "DEPENDS_ON": ("Claim",),
    "ABOUT": ("Claim",),
    "COPY_OF": ("Source",),
}
#: tables whose nodes are only a name
NAMES: Final = frozenset({"Entity", "Slot", "Session", "Principal", "Target", "Outside"})
_TABLE_OF: Final = {"evidence": "Evidence", "claim": "Claim", "artefact": "Artefact", "source": "Source"}

#: kind of record -> its table
_TABLES: Final = {
    "source": "Source",
    "evidence": "Evidence",
    "claim": "Claim",
    "justification": "Justification",
    "artefact": "Artefact",
    "retrieval": "Retrieval",
    "verdict": "Verdict",
    "status": "State",
}
#: kind of record -> its edges: to a table this tenant has (relation, table, field), and with an open end (relation, field)
_LINKS: Final[dict[str, tuple[tuple[tuple[str, str, str], ...], tuple[tuple[str, str], ...]]]] = {
    "evidence": (
        (
            ("FROM_SOURCE", "Source", "source_id"),
            ("BY", "Principal", "principal_id"),
            ("IN_SESSION", "Session", "session_id"),
        ),
        (("COPY_OF", "copy_of"),),
    ),
    "claim": (
        (("IN_SLOT", "Slot", "slot_id"), ("SUBJECT", "Entity", "subject_id"), ("OBJECT", "Entity", "object_id")),
        (("DEPENDS_ON", "depends_on"),),
    ),
    "artefact": ((("IN_SESSION", "Session", "session_id"),), ()),
    "retrieval": (
        (("BY", "Principal", "principal_id"), ("IN_SESSION", "Session", "session_id")),
        (("SHOWED", "shown"),),
    ),
    "verdict": ((), (("ABOUT", "claim_id"),)),
    "status": ((("CHANGED", "Target", "target"),), ()),
    "justification": ((), (("REQUIRES", "requires"),)),
}

Row = dict[str, Any]


class Edge(NamedTuple):
    """One edge; `target_table` is empty for an open end that has not been looked for."""

    relation: str
    source_table: str
    source: str
    target_table: str
    target: str
    properties: Row

    @property
    def statement(self) -> str:
        """Name of the statement that adds it, in `statements/`."""
        return f"{self.relation}_{self.source_table}_{self.target_table}"


@cache
def statements(file: str) -> dict[str, Query]:
    """Return the statements of `statements/<file>.cypher` by name."""
    folder = files("tkg.graph").joinpath("statements", f"{file}.cypher")
    if not folder.is_file():
        raise NotFound(f"there are no statements {file!r}")
    return parse_many(folder.read_text("utf-8"))


def body(record: Value) -> str:
    """Return the record as JSON without default values."""
    return record.model_dump_json(exclude_defaults=True)


def candidates(relation: str, target: str) -> tuple[str, ...]:
    """Return the tables in which an open end may be, the likeliest alone where its id says what it is."""
    table = _TABLE_OF.get(kind_of(target) or "")
    tables = OPEN[relation]
    return (table,) if table in tables else tables


def claim_row(record: Claim, seq: int) -> Row:
    """Return the row of a claim."""
    span = record.interval
    return {
        "id": record.id,
        "seq": seq,
        "scope": record.scope,
        "subject": record.subject,
        "predicate": record.predicate,
        "object": record.object,
        "object_norm": record.object_norm,
        "object_type": record.object_type,
        "polarity": record.polarity.value,
        "from_lo": span.from_lo,
        "from_hi": span.from_hi,
        "to_lo": span.to_lo,
        "to_hi": span.to_hi,
    }


def evidence_row(record: StoredEvidence, seq: int) -> Row:
    """Return the row of a piece of evidence."""
    return {
        "id": record.id,
        "seq": seq,
        "channel": record.channel.value,
        "origin": record.origin,
        "observed_at": record.observed_at,
        "body": body(record),
    }


def justification_row(record: Justification, seq: int) -> Row:
    """Return the row of a justification; its record lies on its HEAD."""
    return {"id": record.id, "seq": seq, "kind": record.kind, "channel": record.channel.value}


def verdict_row(record: Verdict, seq: int) -> Row:
    """Return the row of a verdict."""
    return {
        "id": record.id,
        "seq": seq,
        "outcome": record.outcome.value,
        "code": record.code,
        "body": body(record),
    }


def node(record: Record, seq: int) -> tuple[str, Row] | None:
    """Return the table and row of a record, or None for one that is an edge or nothing in the graph."""
    match record:
        case Source():
            return "Source", {"id": record.id, "seq": seq, "uri": record.uri, "body": body(record)}
        case StoredEvidence():
            return "Evidence", evidence_row(record, seq)
        case Claim():
            return "Claim", claim_row(record, seq)
        case Justification():
            return "Justification", justification_row(record, seq)
        case Artefact():
            row = {"id": record.id, "seq": seq, "kind": record.kind, "label": record.label.value, "body": body(record)}
            return "Artefact", row
        case Retrieval():
            return "Retrieval", {"id": record.id, "seq": seq, "as_of": record.as_of, "body": body(record)}
        case Verdict():
            return "Verdict", verdict_row(record, seq)
        case StatusChange():
            row = {"id": record.id, "seq": seq, "axis": record.axis, "value": record.value, "code": record.code}
            return "State", row | {"body": body(record)}
    return None


def edges(record: Record, seq: int) -> Iterator[Edge]:
    """Yield the edges a record stands for, but for those to a justification's head (`head_edges`)."""
    if isinstance(record, (Supersession, Conflict, Refinement)):
        yield _between_claims(record, seq)
        return
    names, others = _LINKS.get(record.record, ((), ()))
    source = _TABLES.get(record.record, "")
    at: Row = {"seq": seq}
    for relation, table, field in names:
        target = getattr(record, field)
        if target is not None:
            properties = at | {"body": body(record)} if relation == "IN_SLOT" else at
            yield Edge(relation, source, record.id, table, target, properties)
    for relation, field in others:
        targets = getattr(record, field)
        for target in dict.fromkeys((targets,) if isinstance(targets, str) else targets or ()):
            yield Edge(relation, source, record.id, "", target, at)


def _between_claims(record: Supersession | Conflict | Refinement, seq: int) -> Edge:
    properties: Row = {"seq": seq}
    match record:
        case Supersession():
            properties |= {"portion_from": record.portion_from, "portion_to": record.portion_to, "rule": record.rule}
            relation, source, target = "SUPERSEDES", record.winner, record.loser
        case Conflict():
            properties |= {"pattern": record.pattern, "rule": record.rule}
            relation, source, target = "CONFLICTS_WITH", record.left, record.right
        case Refinement():
            relation, source, target = "REFINES", record.finer, record.coarser
    return Edge(relation, "Claim", source, "Claim", target, properties | {"body": body(record)})


def head_edges(record: Justification, seq: int, table: str, slot_id: str) -> Iterator[Edge]:
    """Yield the edges between a justification and its head.

    Args:
        record: the justification.
        seq: its transaction.
        table: Claim or Artefact.
        slot_id: the claim's slot; empty for an artefact.
    """
    properties: Row = {"seq": seq, "body": body(record)}
    yield Edge("HEAD", table, record.head, "Justification", record.id, properties)
    if table == "Claim":
        yield Edge("BACKS", "Justification", record.id, "Slot", slot_id, properties)


def shortcut(record: Justification, seq: int) -> Edge | None:
    """Return the edge from a claim to the evidence that alone justifies it."""
    if record.kind != "evidence" or len(record.requires) != 1:
        return None
    return Edge("SUPPORTED_BY", "Claim", record.head, "Evidence", record.requires[0], {"seq": seq})
