"""The benchmarks of erasing and of the guard, on a small store: what is counted is checked, how fast it is, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import guard
from benchmarks.catalogue import BENCHMARKS
from benchmarks.forget import measure
from benchmarks.stores import build
from tests.engines import CYPHER, engine_or_skip


@pytest.mark.engine
def test_it_erases_a_subject_and_finds_nothing_left(tmp_path: Path) -> None:
    assert "forget" in BENCHMARKS
    build(tmp_path / "store", 60)
    found = measure(base=str(tmp_path / "store"), engine=engine_or_skip(CYPHER), count=60)
    assert found["nodes"] > 1 and found["hits"] == 0
    assert found["erase"] > 0 and found["rebuild"] > 0 and found["megabytes"] > 0


@pytest.mark.engine
def test_the_guard_is_measured_on_a_whole_file(tmp_path: Path) -> None:
    assert "guard" in BENCHMARKS
    build(tmp_path / "store", 60)
    found = guard.measure(base=str(tmp_path / "store"), engine=engine_or_skip(CYPHER))
    assert all(found[key] > 0 for key in ("open", "seal", "child", "verify", "compared", "megabytes"))
