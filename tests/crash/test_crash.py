"""A bounded run of each harness; `make crash` runs them for long."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.crash import shim
from tests.crash.work import check, prepare
from tests.engines import CYPHER, engine_or_skip
from tests.house.sources import ROOT

pytestmark = pytest.mark.slow

NEEDS_SHIM = pytest.mark.skipif(not shim.possible(), reason="needs Linux with glibc and a C compiler")


def harness(*words: str) -> dict[str, Any]:
    """Run a harness in a process of its own: it forks, which a process with an open graph must not do."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=570,
        check=False,
    )
    assert done.stdout.strip(), done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_kills_on_the_reference() -> None:
    found = harness("kill", "--number", "40", "--seconds", "60")
    assert found["wrong"] == [] and found["checked"] == found["kills"] >= 5 and found["acknowledged"] > 5


@pytest.mark.engine
def test_kills_on_the_engine() -> None:
    found = harness("kill", "--number", "8", "--seconds", "60", "--engine", engine_or_skip(CYPHER))
    assert found["wrong"] == [] and found["checked"] == found["kills"] >= 2


@NEEDS_SHIM
def test_every_kind_of_failure_in_every_operation() -> None:
    found = harness("faults", "--number", "1", "--seconds", "90")
    assert found["wrong"] == [] and found["total"] >= 10
    # positive control: the failures reached the operations
    assert sum(count for outcome, count in found["outcomes"].items() if outcome != "done") > found["total"] // 3


@NEEDS_SHIM
def test_states_after_a_power_cut() -> None:
    found = harness("states", "--number", "60", "--seconds", "60")
    assert found["wrong"] == [] and found["states"] >= 10 and found["syncs"] > 20


@NEEDS_SHIM
def test_a_disk_that_ignores_syncs_is_found() -> None:
    found = harness("states", "--number", "40", "--seconds", "60", "--deaf")
    assert any("is lost" in one or "cannot be opened" in one for one in found["wrong"])


def test_damaged_ledgers_and_indexes() -> None:
    found = harness("damage", "--number", "150", "--seconds", "60")
    assert found["wrong"] == [] and found["found"] > found["damages"] // 3


@pytest.mark.engine
def test_damaged_graph_files() -> None:
    found = harness("damage", "--number", "40", "--seconds", "60", "--engine", engine_or_skip(CYPHER))
    assert found["wrong"] == [] and found["found"] == found["damages"] >= 30


def test_the_check_finds_what_is_lost(tmp_path: Path) -> None:
    prepare(tmp_path / "store", "memory")
    assert check(tmp_path / "store", "memory", []) == []
    assert check(tmp_path / "store", "memory", [(3, "x" * 64)]) == ["acknowledged entry 3 is lost"]
    (told,) = check(tmp_path / "store", "memory", [], before=99)
    assert told.startswith("99 entries were there")
