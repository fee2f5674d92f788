"""Writing many entries: Arrow tables, copied whole, nodes before edges.

Each copy is a transaction of its own, because a copy inside a longer one leaves broken keys when the process is killed.
So the load is announced first and the applied entry is written last; a graph with an announcement it never reached was
interrupted, and is made anew.

Nodes are copied chunk by chunk. Edges wait until all nodes are there, or until they fill `EDGE_BYTES`: a copy into a table
that has edges already rewrites most of it, so many copies would cost as the square of what is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pyarrow as pa

from tkg.errors import Damaged
from tkg.graph.kuzu import Engine
from tkg.graph.rows import OUTSIDE, SOURCE_RECORD, Edge, Row, edges, head_edges, name, node, statements
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source

#: records loaded at once: bounds the memory, and a copy costs tens of milliseconds however short it is
CHUNK: Final = 200_000
#: bytes of edges that wait to be copied together
EDGE_BYTES: Final = 1 << 30
_INTEGERS: Final = frozenset({"seq", "from_lo", "to_hi"})


class Loader:
    """Loads entries into a graph, chunk by chunk, and knows every id there is; `connect` ends a load."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ids: set[str] = {row[0] for row in engine.read(statements("copy")["ids"])}
        self._slots: dict[str, str] = {}
        self._nodes = _Tables()
        self._edges = _Tables()
        self._waiting: dict[str, list[pa.Table]] = {}

    def load(self, entries: Iterable[Entry]) -> None:
        """Load a chunk of entries but for edges that wait; the caller announces it before and marks it after `connect`."""
        for entry in entries:
            records = [record for record in entry.records if self._node(record, entry.seq)]
            found = [edge for record in records for edge in self._edges_of(record, entry.seq)]
            for outside in (False, True):  # a name keeps the kind of its first mention; what is outside comes last
                for edge in found:
                    if edge.kind and (edge.kind == OUTSIDE) is outside:
                        self._name(edge)
            for edge in found:
                self._edges.add(edge.relation, edge.row)
        for table, rows in self._nodes.take():
            self._engine.write(statements("copy")[table], {"rows": rows})
        for table, rows in self._edges.take():
            self._waiting.setdefault(table, []).append(rows)
        if sum(rows.nbytes for some in self._waiting.values() for rows in some) > EDGE_BYTES:
            self.connect()

    def connect(self) -> None:
        """Copy the edges that wait."""
        while self._waiting:
            table = next(iter(self._waiting))
            self._engine.write(statements("copy")[table], {"rows": pa.concat_tables(self._waiting.pop(table))})

    def _node(self, record: Record, seq: int) -> bool:
        """Take in a record's node; return whether its edges are wanted: not those of a source known already."""
        if isinstance(record, Source) and SOURCE_RECORD.format(record.id) in self._ids:
            return False
        row = node(record, seq)
        if row is not None:
            self._ids.add(row["id"])
            self._nodes.add("Node", row)
        if isinstance(record, Claim):
            self._slots[record.id] = record.slot_id
        return True

    def _name(self, edge: Edge) -> None:
        if edge.target not in self._ids:
            self._ids.add(edge.target)
            self._nodes.add("Node", name(edge))

    def _edges_of(self, record: Record, seq: int) -> Iterator[Edge]:
        if isinstance(record, Justification):
            if record.head not in self._ids:
                raise Damaged(f"entry {seq}: what justification {record.id} is for is not there; run `tkg verify`")
            yield from head_edges(record, seq, self._slot_of(record))
        yield from edges(record, seq)

    def _slot_of(self, record: Justification) -> str | None:
        slot_id = record.slot_id or self._slots.get(record.head)
        if slot_id is None:
            slots = self._engine.read(statements("about")["slot_of"], {"id": record.head})
            return str(slots[0][0]) if slots else None
        return slot_id


class _Tables:
    """Rows on their way into tables, kept column by column: a row by itself costs ten times what it holds."""

    def __init__(self) -> None:
        self._columns: dict[str, dict[str, list[Any]]] = {}

    def add(self, table: str, row: Row) -> None:
        """Add a row; all rows of a table have the same keys in the same order."""
        columns = self._columns.get(table)
        if columns is None:
            columns = self._columns[table] = {key: [] for key in row}
        for key, value in row.items():
            columns[key].append(value)

    def take(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield each table, the columns in the order of the keys, and forget it."""
        while self._columns:
            table = next(iter(self._columns))
            columns = self._columns.pop(table)
            kinds = {key: pa.int64() if key in _INTEGERS else pa.string() for key in columns}
            yield table, pa.table({key: pa.array(values, kinds[key]) for key, values in columns.items()})
