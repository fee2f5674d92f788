"""From records to rows: which nodes and edges a record stands for. Both ways of writing use it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from tkg.model.base import Value
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Record
from tkg.queries import Query, parse_many
from tkg.text import match_form

Row = dict[str, Any]

#: a source is a name that evidence may mention before the source is recorded, so its record is a node of its own
SOURCE_RECORD: Final = "{}:record"
#: kind of a node whose record another tenant keeps (what is global is read, shown and relied on everywhere)
OUTSIDE: Final = "outside"

#: kind of record -> its edges: relation, field that holds the other end, kind of the node made there at its first
#: mention; empty: the other end is a record that must be there
_EDGES: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "evidence": (
        ("FROM_SOURCE", "source_id", "place"),
        ("BY", "principal_id", "principal"),
        ("IN_SESSION", "session_id", "session"),
        ("COPY_OF", "copy_of", "place"),
    ),
    "claim": (
        ("IN_SLOT", "slot_id", "slot"),
        ("SUBJECT", "subject_id", "entity"),
        ("OBJECT", "object_id", "entity"),
        ("DEPENDS_ON", "depends_on", OUTSIDE),
    ),
    "justification": (("REQUIRES", "requires", OUTSIDE),),
    "artefact": (("IN_SESSION", "session_id", "session"),),
    "retrieval": (
        ("BY", "principal_id", "principal"),
        ("IN_SESSION", "session_id", "session"),
        ("SHOWED", "shown", OUTSIDE),
    ),
    "verdict": (("ABOUT", "about", OUTSIDE),),
    "status": (("ABOUT", "target", "target"),),
}
#: records whose body lies on an edge
_ON_AN_EDGE: Final = frozenset({"claim", "justification"})


class Edge(NamedTuple):
    """One edge, and the kind of node its target becomes where it is not there; empty: it has to be there."""

    relation: str
    source: str
    target: str
    kind: str
    properties: Row

    @property
    def row(self) -> Row:
        """The row of a table of edges: both ends, then the properties in the order of the schema."""
        return {"source": self.source, "target": self.target, **self.properties}


@cache
def statements(file: str) -> dict[str, Query]:
    """Return the statements of `statements/<file>.cypher` by name."""
    return parse_many(files("tkg.graph").joinpath("statements", f"{file}.cypher").read_text("utf-8"))


def body(record: Value) -> str:
    """Return the record as JSON without default values."""
    return record.model_dump_json(exclude_defaults=True)


def node(record: Record, seq: int) -> Row | None:
    """Return the node of a record, or None for one that is an edge or nothing in the graph."""
    if isinstance(record, (Supersession, Conflict, Refinement)) or record.record == "note":
        return None
    key = SOURCE_RECORD.format(record.id) if record.record == "source" else record.id
    text = None if record.record in _ON_AN_EDGE else body(record)
    return {"id": key, "kind": record.record, "seq": seq, "body": text}


def name(edge: Edge) -> Row:
    """Return the node of an edge's target, made because it was mentioned."""
    return {"id": edge.target, "kind": edge.kind, "seq": None, "body": None}


def edges(record: Record, seq: int) -> Iterator[Edge]:
    """Yield the edges a record stands for, but for those to a justification's head (`head_edges`)."""
    if isinstance(record, Supersession):
        yield Edge("SUPERSEDES", record.winner, record.loser, "", {"seq": seq, "body": body(record)})
    elif isinstance(record, Conflict):
        yield Edge("CONFLICTS_WITH", record.left, record.right, "", {"seq": seq, "body": body(record)})
    elif isinstance(record, Refinement):
        yield Edge("REFINES", record.finer, record.coarser, "", {"seq": seq, "body": body(record)})
    for relation, field, kind in _EDGES.get(record.record, ()):
        targets = getattr(record, field)
        for target in dict.fromkeys((targets,) if isinstance(targets, str) else targets or ()):
            yield Edge(relation, record.id, target, kind, _properties(relation, record, seq))


def _properties(relation: str, record: Record, seq: int) -> Row:
    if isinstance(record, Claim):
        if relation == "IN_SLOT":
            return at_slot(record.polarity.value, seq, body(record), record)
        if relation in ("SUBJECT", "OBJECT"):
            return {"seq": seq, "claim": record.id, "predicate": form_of(record)}
    return {}


def form_of(claim: Claim) -> str | None:
    """Return the form in which a claim's predicate is compared; None for an erased claim."""
    return None if claim.predicate is None else match_form(claim.predicate)


def at_slot(kind: str, seq: int, text: str, claim: Claim | None = None) -> Row:
    """Return the properties of an IN_SLOT: of a claim, or (kind backing) of a justification of one."""
    return {
        "kind": kind,
        "seq": seq,
        "predicate": None if claim is None else form_of(claim),
        "object_norm": None if claim is None else claim.object_norm,
        "from_lo": None if claim is None else claim.interval.from_lo,
        "to_hi": None if claim is None else claim.interval.to_hi,
        "body": text,
    }


def head_edges(record: Justification, seq: int, slot_id: str | None) -> Iterator[Edge]:
    """Yield the edges from a justification's head and, where that is a claim, to its slot."""
    text = body(record)
    yield Edge("HEAD", record.head, record.id, "", {"seq": seq, "body": text})
    if slot_id is not None:
        yield Edge("IN_SLOT", record.id, slot_id, "", at_slot("backing", seq, text))
