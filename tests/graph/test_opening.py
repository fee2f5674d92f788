"""Opening a graph: kept when it is the ledger's, caught up when it is behind, made anew when it cannot be trusted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tests.graph.fuzz import failing_at
from tkg.errors import Damaged
from tkg.graph import bulk, projection, schema
from tkg.graph.kuzu import Engine
from tkg.graph.memory import MemoryGraph
from tkg.graph.projection import KuzuGraph, borrow_graph, open_graph
from tkg.model.artefact import Artefact
from tkg.model.claim import Justification
from tkg.model.entry import Entry
from tkg.model.scope import Channel
from tkg.testing.graph import counted, differences
from tkg.testing.histories import Histories

pytestmark = pytest.mark.engine


@pytest.fixture
def history() -> Histories:
    history = Histories(counted(7))
    history.grow(20)
    return history


def opened(path: Path | None, entries: list[Entry], *, guarded: bool = False) -> KuzuGraph:
    source = lambda seq: iter(entries[seq:])
    return open_graph(path, engine=engine_or_skip(CYPHER), ledger_entries=source, guarded=guarded)


def same(graph: KuzuGraph, history: Histories) -> bool:
    try:
        return differences(graph, MemoryGraph(history.entries), history, 3) == []
    finally:
        graph.close()


def test_a_new_graph_takes_everything(tmp_path: Path, history: Histories) -> None:
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening == ("created", 20, "")
    assert same(graph, history)


def test_one_that_is_current_is_kept(tmp_path: Path, history: Histories) -> None:
    opened(tmp_path / "graph", history.entries).close()
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening == ("current", 0, "")
    assert same(graph, history)


def test_one_that_is_behind_catches_up(tmp_path: Path, history: Histories) -> None:
    opened(tmp_path / "graph", history.entries[:12]).close()
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening == ("caught_up", 8, "")
    assert same(graph, history)


def test_one_that_is_ahead_of_the_ledger_is_made_anew(tmp_path: Path, history: Histories) -> None:
    opened(tmp_path / "graph", history.entries).close()
    graph = opened(tmp_path / "graph", history.entries[:12])
    assert graph.opening.outcome == "rebuilt" and "ahead" in graph.opening.reason
    assert graph.applied == 12
    graph.close()


def test_one_of_another_ledger_is_made_anew(tmp_path: Path, history: Histories) -> None:
    other = Histories(counted(8), tenant="other")
    other.grow(20)
    opened(tmp_path / "graph", other.entries).close()
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening.outcome == "rebuilt" and "another ledger" in graph.opening.reason
    assert same(graph, history)


def _text(path: Path) -> None:
    path.write_text("this is not a graph")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _header(path: Path) -> None:
    path.write_bytes(b"\xff" * 64 + path.read_bytes()[64:])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [_text, _header, _cut])
def test_a_damaged_file_is_made_anew(tmp_path: Path, history: Histories, damage: object) -> None:
    opened(tmp_path / "graph", history.entries).close()
    assert callable(damage)
    damage(tmp_path / "graph")
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening.outcome == "rebuilt" and graph.opening.reason
    assert same(graph, history)


def test_an_empty_file_is_filled(tmp_path: Path, history: Histories) -> None:
    _empty(tmp_path / "graph")
    assert same(opened(tmp_path / "graph", history.entries), history)


def test_a_graph_of_another_engine_or_version_is_made_anew(
    tmp_path: Path, history: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path / "graph", history.entries).close()
    monkeypatch.setattr(schema, "_identity", lambda engine: ("tkg graph", "another", "1"))
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening.outcome == "rebuilt" and "another engine" in graph.opening.reason
    assert same(graph, history)


def test_a_graph_of_another_schema_is_made_anew(
    tmp_path: Path, history: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path / "graph", history.entries).close()
    first = schema.migrations()[0]._replace(digest="changed")
    monkeypatch.setattr(schema, "migrations", lambda: (first,))
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening.outcome == "rebuilt" and "another schema" in graph.opening.reason
    assert same(graph, history)


def test_a_foreign_database_is_made_anew(tmp_path: Path, history: Histories) -> None:
    engine = Engine(tmp_path / "graph", engine_or_skip(CYPHER))
    for step in schema.migrations()[0].steps[:1]:
        engine.write(step)
    engine.close()
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening.outcome == "rebuilt"
    assert same(graph, history)


def test_a_bulk_load_that_was_interrupted_is_noticed_wherever_it_stopped(
    tmp_path: Path, history: Histories, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path / "graph", history.entries[:5]).close()
    monkeypatch.setattr(projection, "BULK", 3)
    reported = 0
    for call in (*range(1, 60, 6), 17, 18, 20):
        graph = opened(tmp_path / "graph", history.entries[: 5 + call // 8])
        with failing_at(call):
            try:
                graph.apply(history.entries)
            except Damaged:
                reported += 1
                graph.close()
        graph.close()
        again = opened(tmp_path / "graph", history.entries)
        assert again.opening.outcome in ("current", "caught_up", "rebuilt")
        assert same(again, history)
        (tmp_path / "graph").unlink()
    assert reported > 2


def test_when_the_ledger_fails_the_graph_is_kept(tmp_path: Path, history: Histories) -> None:
    opened(tmp_path / "graph", history.entries[:12]).close()

    def broken(seq: int) -> Iterator[Entry]:
        yield from history.entries[seq:14]
        raise Damaged("the ledger is damaged")

    with pytest.raises(Damaged, match="the ledger is damaged"):
        open_graph(tmp_path / "graph", engine=CYPHER, ledger_entries=broken)
    graph = opened(tmp_path / "graph", history.entries)
    assert graph.opening.outcome == "caught_up"
    assert same(graph, history)


@pytest.mark.parametrize(("chunk", "edges"), [(10**6, 1 << 30), (20, 1 << 30), (20, 4_000), (1, 0)])
def test_bulk_and_statements_make_the_same_graph(
    history: Histories, monkeypatch: pytest.MonkeyPatch, chunk: int, edges: int
) -> None:
    """In one piece, and in many whose edges wait for each other: all, a few kilobytes of them, or none."""
    monkeypatch.setattr(projection, "CHUNK", chunk)
    monkeypatch.setattr(bulk, "EDGE_BYTES", edges)
    monkeypatch.setattr(projection, "BULK_IN_MEMORY", 10**9)
    monkeypatch.setattr(projection, "BULK", 10**9)
    one = opened(None, history.entries)
    monkeypatch.setattr(projection, "BULK_IN_MEMORY", 0)
    other = opened(None, history.entries)
    assert differences(one, other, history) == []
    one.close()
    other.close()


def test_a_long_chain_is_followed_to_its_end() -> None:
    """Longer than the bound within which the traversals are cheap, and than the 30 at which a star would stop."""
    length = 400
    history = Histories(counted(3))
    history.grow(1)
    first = history.evidence[0].id if history.evidence else "evd_" + "0" * 26
    chain = [first, *(f"art_{place:026d}" for place in range(length))]
    entries = list(history.entries)
    for place in range(1, len(chain)):
        artefact = Artefact(
            id=chain[place], scope="acme", kind="summary", label=Channel.AGENT_INFERRED, observed_at=0, content="x"
        )
        reason = Justification(
            id=f"jst_{place:026d}",
            head=chain[place],
            requires=(chain[place - 1],),
            kind="derivation",
            channel=Channel.AGENT_INFERRED,
            origins=("org_" + "0" * 26,),
            observed_at=0,
        )
        entries.append(
            Entry(
                seq=len(entries) + 1,
                tx_time=len(entries),
                op="derive",
                scope="acme",
                records=(artefact, reason),
                prev="",
                hash=str(place),
            )
        )
    graph, reference = opened(None, entries), MemoryGraph(entries)
    for node in (chain[0], chain[1], chain[-1], chain[length // 2], chain[-100]):
        assert graph.ancestors(node) == reference.ancestors(node)
        assert graph.descendants(node) == reference.descendants(node)
        assert graph.cone(node) == reference.cone(node)
    assert graph.descendants(chain[0])[-1] == (chain[-1], length)
    graph.close()


def borrowed(path: Path, entries: list[Entry]) -> KuzuGraph | None:
    source = lambda seq: iter(entries[seq:])
    return borrow_graph(path, ledger_entries=source, head=len(entries), engine=engine_or_skip(CYPHER))


def names(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name != "graph.lock"}


def test_a_reader_borrows_a_file_at_rest_and_leaves_nothing_behind(tmp_path: Path, history: Histories) -> None:
    opened(tmp_path / "graph", history.entries).close()
    before = names(tmp_path)
    first, second = borrowed(tmp_path / "graph", history.entries), borrowed(tmp_path / "graph", history.entries)
    assert first is not None and second is not None
    assert first.opening == ("current", 0, "") and names(tmp_path) == before  # not even the copy has a name
    owner = opened(tmp_path / "graph", history.entries)  # who owns it is not in the way, nor are the readers
    assert owner.opening == ("current", 0, "")
    assert borrowed(tmp_path / "graph", history.entries) is None  # it is written now: no copy of that is to be trusted
    assert same(first, history) and same(second, history) and same(owner, history)
    assert sorted(names(tmp_path)) == sorted(before)


def test_what_is_not_as_it_was_closed_or_behind_is_not_borrowed(tmp_path: Path, history: Histories) -> None:
    path = tmp_path / "graph"
    assert borrowed(path, history.entries) is None
    opened(path, history.entries[:12]).close()
    assert borrowed(path, history.entries) is None and borrowed(path, history.entries[:11]) is None
    graph = borrowed(path, history.entries[:12])
    assert graph is not None  # the control
    graph.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert borrowed(path, history.entries[:12]) is None
    path.write_bytes(whole[: len(whole) // 2])
    assert borrowed(path, history.entries[:12]) is None
    assert sorted(names(tmp_path)) == ["graph", "graph.seal"]


def test_a_file_of_another_ledger_is_not_borrowed(tmp_path: Path, history: Histories) -> None:
    other = Histories(counted(8), tenant="other")
    other.grow(20)
    opened(tmp_path / "graph", other.entries).close()
    assert borrowed(tmp_path / "graph", history.entries) is None
