"""A store written by the first format opens as it did, and a newer one is refused with the command to run.

`tests/fixtures/format-1` was written by tkg 0.1.0 and is never written again.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import tkg
from tests.engines import CYPHER, engine_or_skip
from tests.house.sources import ROOT
from tkg.cli.main import main
from tkg.errors import NewerFormat
from tkg.memory.directory import folder_name

FIRST = ROOT / "tests" / "fixtures" / "format-1"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    shutil.copytree(FIRST, tmp_path / "store")
    return tmp_path / "store"


def ledger(store: Path) -> Path:
    return store / "tenants" / folder_name("acme") / "ledger.sqlite"


@pytest.mark.engine
@pytest.mark.parametrize("engine", ["memory", CYPHER])
def test_the_first_format_opens_and_says_what_it_said(store: Path, engine: str) -> None:
    with tkg.open(store, engine=engine_or_skip(engine)) as memory:
        acme = memory.scope("acme")
        assert acme.value("exception reports", "destination", valid_at="2026-03-01").value == "case-management queue"
        assert acme.value("exception reports", "destination", valid_at="2025-06-01").value == "settlement mailbox"
        assert memory.scope("acme", "ana").value("ana", "likes").values == ("short answers",)
        assert acme.value("ana", "likes").kind == "none"
        assert acme.value("reports", "format").kind == "none"
        assert [one.object for one in acme.review()] == ["Ben"]
        lines = [json.loads(line) for line in acme.export()]
        assert {one.get("record") for one in lines[1:]} >= {
            "source", "evidence", "claim", "justification", "verdict", "retrieval", "artefact", "status",
        }  # fmt: skip
        assert memory.verify().ok
        writer = memory.scope("acme", channel="human_stated", principal="ben")
        told = writer.propose(subject="x", predicate="y", object="z", evidence=tkg.Evidence(uri="n"))
        assert told.outcome == "accepted"
    with tkg.open(store, engine="memory", read_only=True) as memory:
        assert memory.verify().findings == ()


def test_a_newer_format_is_refused_with_the_command(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(ledger(store))) as connection:
        connection.executescript("PRAGMA user_version = 3; UPDATE meta SET value = '3' WHERE name = 'format'")
    with (
        tkg.open(store, engine="memory") as memory,
        pytest.raises(NewerFormat, match="run `pip install --upgrade tkg`"),
    ):
        memory.scope("acme").value("x", "y")
    assert main(["value", "--store", str(store), "--tenant", "acme", "--engine", "memory", "x", "y"]) == 4
    assert "pip install --upgrade tkg" in capsys.readouterr().err
    (store / "store.json").write_text('{"format": 2}')
    with pytest.raises(NewerFormat, match="run `pip install --upgrade tkg`"):
        tkg.open(store)
