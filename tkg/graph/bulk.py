"""Writing many entries: Arrow tables, copied whole, nodes before edges.

Each copy is a transaction of its own, because a copy inside a longer one leaves broken keys when the process is killed.
So the load is announced first and the applied entry is written last; a graph with an announcement it never reached was
interrupted, and is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pyarrow as pa

from tkg.errors import Damaged
from tkg.graph.kuzu import Engine
from tkg.graph.rows import NAMES, OPEN, Edge, candidates, edges, head_edges, node, shortcut, statements
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source
from tkg.model.verdict import Note

#: records loaded at once: bounds the memory, and a copy costs tens of milliseconds however short it is
CHUNK: Final = 200_000
_INTEGERS: Final = frozenset({"seq", "observed_at", "from_lo", "from_hi", "to_lo", "to_hi", "as_of", "portion_from", "portion_to"})  # fmt: skip
_OPEN_TABLES: Final = tuple(dict.fromkeys(table for tables in OPEN.values() for table in tables))


class Loader:
    """Loads entries into a graph, chunk by chunk, and knows every id there is."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ids: dict[str, set[str]] = {}
        for table in (*sorted(NAMES), *_OPEN_TABLES):
            self._ids[table] = {row[0] for row in engine.read(statements("ids")[table])}
        self._slots: dict[str, str] = {}
        self._nodes = _Tables()
        self._edges = _Tables()

    def load(self, entries: Iterable[Entry]) -> None:
        """Load a chunk of entries, all of it; the caller announces it before and marks it after."""
        fresh: list[tuple[Record, int]] = []
        for entry in entries:
            for record in entry.records:
                if isinstance(record, Note) or (isinstance(record, Source) and record.id in self._ids["Source"]):
                    continue
                fresh.append((record, entry.seq))
                self._node(record, entry.seq)
        for record, seq in fresh:
            self._connect(record, seq)
        for tables in (self._nodes, self._edges):
            for name, table in tables.take():
                self._engine.write(statements("copies")[name], {"rows": table})
        self._slots.clear()

    def _node(self, record: Record, seq: int) -> None:
        found = node(record, seq)
        if found is None:
            return
        table, row = found
        self._nodes.add(table, row)
        if table in self._ids:
            self._ids[table].add(record.id)
        if isinstance(record, Claim):
            self._slots[record.id] = record.slot_id

    def _connect(self, record: Record, seq: int) -> None:
        if isinstance(record, Justification):
            table = "Claim" if record.head in self._ids["Claim"] else "Artefact"
            slot_id = self._slot_of(record) if table == "Claim" else ""
            for edge in head_edges(record, seq, table, slot_id):
                self._edge(edge)
            extra = shortcut(record, seq)
            if extra is not None and table == "Claim" and extra.target in self._ids["Evidence"]:
                self._edge(extra)
        for edge in edges(record, seq):
            if not edge.target_table:
                edge = edge._replace(target_table=self._table_of(edge))
            if edge.target_table in NAMES and edge.target not in self._ids[edge.target_table]:
                self._ids[edge.target_table].add(edge.target)
                self._nodes.add(edge.target_table, {"id": edge.target})
            self._edge(edge)

    def _edge(self, edge: Edge) -> None:
        self._edges.add(edge.statement, {"source": edge.source, "target": edge.target, **edge.properties})

    def _table_of(self, edge: Edge) -> str:
        tables = candidates(edge.relation, edge.target)
        return next((table for table in tables if edge.target in self._ids[table]), "Outside")

    def _slot_of(self, record: Justification) -> str:
        slot_id = record.slot_id or self._slots.get(record.head)
        if slot_id is None:
            slots = self._engine.read(statements("about")["slot_of"], {"id": record.head})
            if not slots:
                raise Damaged(f"justification {record.id} has a head that is not there; run `tkg verify`")
            slot_id = str(slots[0][0])
        return slot_id


class _Tables:
    """Rows on their way into tables, kept column by column: a row by itself costs ten times what it holds."""

    def __init__(self) -> None:
        self._columns: dict[str, dict[str, list[Any]]] = {}

    def add(self, table: str, row: dict[str, Any]) -> None:
        """Add a row; all rows of a table have the same keys in the same order."""
        columns = self._columns.get(table)
        if columns is None:
            columns = self._columns[table] = {key: [] for key in row}
        for key, value in row.items():
            columns[key].append(value)

    def take(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield each table, the columns in the order of the keys, and forget it."""
        while self._columns:
            name = next(iter(self._columns))
            columns = self._columns.pop(name)
            kinds = {key: pa.int64() if key in _INTEGERS else pa.string() for key in columns}
            yield name, pa.table({key: pa.array(values, kinds[key]) for key, values in columns.items()})
