"""Comparing a graph with the ledger, row by row: everything that should be there is, and nothing else is."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tkg.graph import schema
from tkg.graph.kuzu import Engine
from tkg.graph.rows import OUTSIDE, SOURCE_RECORD, Edge, edges, head_edges, name, node, statements
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source

#: rows named in a report, per table
_NAMED: Final = 5
_SPACE: Final = 1 << 64

Values = tuple[Any, ...]


class _Expected:
    """The rows that entries stand for, in the order of the schema's columns."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._slots: dict[str, str] = {}

    def rows(self, entry: Entry) -> Iterator[tuple[str, Values]]:
        """Yield (table, values) of one entry."""
        records: list[Record] = []
        for record in entry.records:
            if isinstance(record, Source) and SOURCE_RECORD.format(record.id) in self._ids:
                continue
            records.append(record)
            row = node(record, entry.seq)
            if row is not None:
                self._ids.add(row["id"])
                yield "Node", tuple(row.values())
            if isinstance(record, Claim):
                self._slots[record.id] = record.slot_id
        found = [edge for record in records for edge in self._edges(record, entry.seq)]
        for outside in (False, True):
            for edge in found:
                if edge.kind and (edge.kind == OUTSIDE) is outside and edge.target not in self._ids:
                    self._ids.add(edge.target)
                    yield "Node", tuple(name(edge).values())
        for edge in found:
            yield edge.relation, tuple(edge.row.values())

    def _edges(self, record: Record, seq: int) -> Iterator[Edge]:
        if isinstance(record, Justification):
            yield from head_edges(record, seq, record.slot_id or self._slots.get(record.head))
        yield from edges(record, seq)


def compare_graph(engine: Engine, entries: Iterable[Entry]) -> list[str]:
    """Return how the graph differs from what these entries stand for: one sentence per table, ids but no content.

    A table is summed up first (a hash per row, added up), so memory stays small where all is well.

    Args:
        engine: open on the graph.
        entries: those that the graph has applied, from the first.
    """
    wanted: Counter[str] = Counter()
    expected = _Expected()
    kept = list(entries)
    for entry in kept:
        for table, values in expected.rows(entry):
            wanted[table] = (wanted[table] + _number(values)) % _SPACE
    wrong = []
    for table in statements("whole"):
        total = 0
        for row in engine.sweep(statements("whole")[table]):
            total = (total + _number(tuple(row))) % _SPACE
        if total != wanted[table]:
            wrong.append(_told(engine, table, kept))
    applied, digest = schema.last(engine, "applied")
    if (applied, digest) != ((kept[-1].seq, kept[-1].hash) if kept else (0, "")):
        wrong.append(f"it says that it ends at entry {applied}, with another hash")
    return wrong


def _number(values: Values) -> int:
    text = repr(tuple(int(one) if isinstance(one, int) else one for one in values))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1


def _told(engine: Engine, table: str, entries: Iterable[Entry]) -> str:
    expected, missing = _Expected(), Counter[tuple[int, str]]()
    for entry in entries:
        for of, values in expected.rows(entry):
            if of == table:
                missing[_number(values), str(values[0])] += 1
    more: Counter[str] = Counter()
    for row in engine.sweep(statements("whole")[table]):
        key = (_number(tuple(row)), str(row[0]))
        if missing[key] > 0:
            missing[key] -= 1
        else:
            more[key[1]] += 1
    absent: Counter[str] = Counter()
    for (_, identifier), count in missing.items():
        if count > 0:
            absent[identifier] += count
    return (
        f"{table}: {absent.total()} rows missing or changed{_some(absent)}, "
        f"{more.total()} that should not be there{_some(more)}"
    )


def _some(ids: Counter[str]) -> str:
    shown = [one[:80] if one.isascii() and one.isprintable() else "unreadable" for one in sorted(ids)[:_NAMED]]
    return f" ({', '.join(shown)}{', …' if len(ids) > _NAMED else ''})" if shown else ""
