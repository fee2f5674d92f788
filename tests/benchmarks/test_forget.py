"""The benchmark of erasing, on a small store: what it counts is checked, how fast it is, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

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
