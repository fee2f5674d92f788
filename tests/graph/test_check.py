"""Comparing a graph with the ledger: whatever was written agrees, whatever was changed does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tests.house.sources import ROOT
from tkg.graph.kuzu import Engine
from tkg.graph.memory import MemoryGraph
from tkg.graph.projection import open_graph
from tkg.graph.rows import statements
from tkg.queries import parse
from tkg.testing.graph import counted
from tkg.testing.histories import Histories


def test_whole_tables_are_those_of_the_schema() -> None:
    schema = "".join(one.read_text("utf-8") for one in sorted((ROOT / "tkg/graph/migrations").glob("*.cypher")))
    wanted = {}
    for kind, name, columns in re.findall(r"^CREATE (NODE|REL) TABLE (\w+)\((.*)\);", schema, re.MULTILINE):
        named = [one.split()[0] for one in columns.split(", ") if not one.startswith("FROM ")]
        wanted[name] = named if kind == "NODE" else ["id", "id", *named]
    wanted.pop("Mark")
    found = {
        name: re.findall(r"\b[nabe]\.(\w+)", query.text.partition("RETURN")[2])
        for name, query in statements("whole").items()
    }
    assert found == wanted


@pytest.mark.engine
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("most", [10_000, 3], ids=["statements", "bulk"])
def test_a_graph_agrees_with_its_ledger_however_it_was_written(
    seed: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tkg.graph import projection

    monkeypatch.setattr(projection, "BULK_IN_MEMORY", most)
    monkeypatch.setattr(projection, "BULK", most)
    history = Histories(counted(seed))
    history.grow(40)
    entries = history.entries
    graph = open_graph(None, engine=engine_or_skip(CYPHER), ledger_entries=lambda seq: iter(entries[seq:30]))
    graph.apply(entries)
    assert graph.compare(lambda seq: entries[seq:]) == []
    graph.close()
    reference = MemoryGraph(entries)
    assert reference.compare(lambda seq: entries[seq:]) == []
    assert reference.compare(lambda seq: entries[seq:-1]) != []


@pytest.mark.engine
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE (:Node {id: 'clm_more', kind: 'claim', seq: 3, body: NULL})",
        "MATCH (a:Node {kind: 'claim'})-[:IN_SLOT]->(b:Node) WITH a, b LIMIT 1 CREATE (a)-[:SHOWED]->(b)",
        "CREATE (:Mark {number: 999999, kind: 'applied', seq: 77, value: 'x'})",
    ],
)
def test_what_the_ledger_does_not_hold_is_told(tmp_path: Path, statement: str) -> None:
    history = Histories(counted(5))
    history.grow(30)
    entries = history.entries
    graph = open_graph(tmp_path / "g", engine=engine_or_skip(CYPHER), ledger_entries=lambda seq: iter(entries[seq:]))
    assert graph.compare(lambda seq: entries[seq:]) == []
    engine: Engine = graph._engine
    engine.write(parse("more", f"// parameters: none\n{statement}"))
    (told,) = graph.compare(lambda seq: entries[seq:])
    assert re.match(
        r"Node: 0 rows missing or changed, 1 that|SHOWED: 0 rows .* 1 that|it says that it ends at entry 77", told
    )
    graph.close()


@pytest.mark.engine
def test_a_lost_row_is_told_by_its_id() -> None:
    history = Histories(counted(6))
    history.grow(30)
    entries = history.entries
    graph = open_graph(None, engine=engine_or_skip(CYPHER), ledger_entries=lambda seq: iter(entries[seq:]))
    fuller = Histories(counted(6))
    fuller.grow(30)
    extra = next(one for one in fuller.entries if one.records)
    changed = extra.model_copy(
        update={"records": (*extra.records, entries[-1].records[0].model_copy(update={"id": "src_x"}))}
    )
    told = graph.compare(lambda seq: [changed if one.seq == extra.seq else one for one in entries])
    assert told and any("src_x" in one for one in told)
    graph.close()
