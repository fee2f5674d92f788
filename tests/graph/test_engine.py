"""The engine module: who may open, what may be run, what errors mean, what is left after a failure."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tkg.errors import Busy, Damaged, DiskFull, TkgError, Unsupported
from tkg.graph.guard import discard
from tkg.graph.kuzu import Engine, available, translate
from tkg.queries import Query, load, names, parse

pytestmark = pytest.mark.engine

MAKE = parse("make", "CREATE NODE TABLE Thing(id STRING PRIMARY KEY, n INT64)")
ADD = parse("add", "// parameters: id, n\nCREATE (:Thing {id: $id, n: $n})")
ALL = parse("all", "MATCH (t:Thing) RETURN t.id, t.n ORDER BY t.id")
ONE = parse("one", "// parameters: id\nMATCH (t:Thing {id: $id}) RETURN t.n")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "graph", engine_or_skip(CYPHER))
    engine.write(MAKE)
    yield engine
    engine.close()


def test_a_file_is_open_once_in_a_process_by_whatever_name(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "other").symlink_to(tmp_path / "graph")
    for name in ("graph", "other", "./graph"):
        with pytest.raises(Busy, match=str(os.getpid())):
            Engine(tmp_path / name, CYPHER)
    engine.close()
    Engine(tmp_path / "graph", CYPHER).close()


def test_another_process_is_told_who_has_it(engine: Engine, tmp_path: Path) -> None:
    code = f"""
        from pathlib import Path
        from tkg.graph.kuzu import Engine
        try:
            Engine(Path({str(tmp_path / "graph")!r}), {CYPHER!r})
        except Exception as error:
            print(type(error).__name__, error)
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert found.stdout.startswith("Busy") and str(os.getpid()) in found.stdout


def test_the_lock_outlives_a_refused_second_opening(engine: Engine, tmp_path: Path) -> None:
    for _ in range(3):
        with pytest.raises(Busy):
            Engine(tmp_path / "graph", CYPHER)
    with engine.transaction() as transaction:
        transaction.run(ADD, {"id": "a", "n": 1})
    assert engine.read(ALL) == [("a", 1)]


def test_only_one_engine_can_be_loaded_and_the_other_is_refused() -> None:
    engine_or_skip(CYPHER)
    other = {"kuzu": "ladybug", "ladybug": "kuzu"}[CYPHER]
    Engine(None).close()
    assert available() == (CYPHER,)
    with pytest.raises(Unsupported, match=f"uses {CYPHER} already"):
        Engine(None, other)
    with pytest.raises(Unsupported, match="no engine"):
        Engine(None, "neo")


@pytest.mark.parametrize("parameters", [{}, {"id": "a", "n": 1}, {"ID": "a"}])
def test_the_parameters_are_exactly_the_querys(engine: Engine, parameters: dict[str, object]) -> None:
    with pytest.raises(Unsupported, match="parameter"):
        engine.read(ONE, parameters)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (:Thing {id: 'x'})",
        "MATCH (t:Thing) SET t.n = 3",
        "MATCH (t:Thing) DELETE t",
        "LOAD FROM '/etc/hostname' RETURN *",
        "COPY (MATCH (t:Thing) RETURN t.id) TO 'out.csv'",
        "ATTACH 'other' AS o (dbtype 'kuzu')",
        "INSTALL httpfs",
        "EXPORT DATABASE 'out'",
        "IMPORT DATABASE 'out'",
        "CALL show_tables() RETURN *",
        "CALL threads=1",
        "DROP TABLE Thing",
        "BEGIN TRANSACTION",
        "match (t:Thing) detach delete t",
    ],
)
def test_reading_cannot_write_load_or_call(engine: Engine, text: str) -> None:
    with pytest.raises(Unsupported, match="more than read"):
        engine.read(Query("q", text, "", frozenset(), (), False))


@pytest.mark.parametrize(
    "text",
    [
        "LOAD FROM '/etc/hostname' RETURN *",
        "COPY (MATCH (t:Thing) RETURN t.id) TO 'out.csv'",
        "ATTACH 'other' AS o (dbtype 'kuzu')",
        "MATCH (t:Thing) SET t.n = 3",
        "MATCH (t:Thing) DELETE t",
    ],
)
def test_writing_can_only_add(engine: Engine, text: str) -> None:
    with pytest.raises(TkgError):
        engine.write(Query("q", text, "", frozenset(), (), False))


@pytest.mark.parametrize("text", ["RETURN 1; RETURN 2", "RETURN 1; MATCH (n) DELETE n", ""])
def test_a_query_is_one_statement(text: str) -> None:
    with pytest.raises(Unsupported, match="exactly one"):
        parse("q", text)


def test_a_semicolon_in_a_text_is_a_text() -> None:
    assert parse("q", "RETURN 'a; b' AS x").text == "RETURN 'a; b' AS x"


def test_no_named_query_writes() -> None:
    engine = Engine(None, engine_or_skip(CYPHER))
    for name in names():
        with pytest.raises(TkgError) as caught:  # there are no tables; what matters is that it is not refused
            engine.read(load(name), dict.fromkeys(load(name).parameters, "x"))
        assert "more than read" not in str(caught.value)
    engine.close()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("IO exception: Could not set lock on file : /a/graph", Busy),
        ("Cannot start a new write transaction in the system. Only one write transaction at a time is allowed", Busy),
        ("Timeout waiting for active transactions to leave the system before checkpointing.", Busy),
        ("Interrupted.", Busy),
        ("IO exception: Cannot write to file. No space left on device", DiskFull),
        ("Buffer manager exception: Unable to allocate memory! The buffer pool is full", Unsupported),
        ("Buffer manager exception: Mmap for size 8796093022208 failed.", Unsupported),
        ("No more frame groups can be added to the allocator.", Unsupported),
        ("Runtime exception: The file is not a valid Kuzu database file!", Damaged),
        ("not a valid Lbug database file!", Damaged),
        ("Checksum verification failed, the WAL file is corrupted.", Damaged),
        ("Binder exception: Table Node does not exist.", Damaged),
        ("unordered_map::at", Damaged),
        ("", Damaged),
    ],
)
def test_what_an_engine_says_becomes_an_error_of_ours(said: str, kind: type[TkgError]) -> None:
    meaning = translate(RuntimeError(said), "here")
    assert type(meaning) is kind
    assert str(meaning).startswith("here: ")


def test_errors_of_the_system_too() -> None:
    assert type(translate(OSError(28, "No space left on device"), "here")) is DiskFull
    assert type(translate(IndexError("unordered_map::at"), "here")) is Damaged
    mine = Busy("mine")
    assert translate(mine, "here") is mine


def test_a_failed_transaction_closes_and_leaves_what_was_before(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "graph", engine_or_skip(CYPHER))
    engine.write(MAKE)
    with engine.transaction() as transaction:
        transaction.run(ADD, {"id": "a", "n": 1})
    with pytest.raises(Damaged, match="closed"), engine.transaction() as transaction:
        transaction.run(ADD, {"id": "b", "n": 2})
        transaction.run(ADD, {"id": "a", "n": 3})  # the key is taken
    with pytest.raises(Damaged, match="open it again"):
        engine.read(ALL)
    with pytest.raises(Damaged, match="open it again"), engine.transaction():
        pass
    again = Engine(tmp_path / "graph", CYPHER)
    assert again.read(ALL) == [("a", 1)]
    again.close()


def test_an_interruption_inside_a_transaction_closes_too(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "graph", engine_or_skip(CYPHER))
    engine.write(MAKE)
    with pytest.raises(KeyboardInterrupt), engine.transaction() as transaction:
        transaction.run(ADD, {"id": "b", "n": 2})
        raise KeyboardInterrupt
    again = Engine(tmp_path / "graph", CYPHER)
    assert again.read(ALL) == []
    again.close()


def test_readers_never_see_half_a_transaction(engine: Engine) -> None:
    stop, wrong = threading.Event(), []

    def look() -> None:
        while not stop.is_set():
            if len(engine.read(ALL)) % 2:
                wrong.append(True)

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(40):
        with engine.transaction() as transaction:
            transaction.run(ADD, {"id": f"a{number}", "n": number})
            transaction.run(ADD, {"id": f"b{number}", "n": number})
        if number % 10 == 9:
            engine.checkpoint()
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong and len(engine.read(ALL)) == 80


def test_values_come_back_as_they_went_in(engine: Engine) -> None:
    texts = ["", "'\"\\", "a; b", "é", "e\u0301", "漢字 🙂", "x" * 70_000, "$id", "line\nbreak"]
    numbers = [0, -1, 127, 128, 2**31, -(2**62), 253_402_300_800_000_000, None]
    with engine.transaction() as transaction:
        for place, text in enumerate(texts):
            transaction.run(ADD, {"id": text, "n": numbers[place % len(numbers)]})
    for place, text in enumerate(texts):
        assert engine.read(ONE, {"id": text}) == [(numbers[place % len(numbers)],)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork_it_refuses(engine: Engine) -> None:
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            engine.read(ALL)
            os.write(send, b"read")
        except Unsupported as error:
            os.write(send, str(error).encode())
        finally:
            os._exit(0)
    os.close(send)
    os.waitpid(child, 0)
    assert b"before a fork" in os.read(receive, 1000)
    os.close(receive)
    assert engine.read(ALL) == []


def test_discard_leaves_only_the_lock(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "graph", engine_or_skip(CYPHER))
    engine.write(MAKE)
    engine.abandon()
    assert (tmp_path / "graph.wal").exists()
    discard(tmp_path / "graph")
    assert [file.name for file in tmp_path.iterdir()] == ["graph.lock"]
