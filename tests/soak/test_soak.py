"""A bounded run of the workloads, and that a torn transaction is seen; `make soak` runs them for long."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tests.soak.run import look, soak

pytestmark = pytest.mark.slow


def test_no_anomaly(tmp_path: Path) -> None:
    found = soak(tmp_path / "store", engine="memory", ops=2000, seed=3, seconds=40)
    assert found["wrong"] == [] and found["operations"] > 300
    assert look(tmp_path / "store", "memory") == []


@pytest.mark.engine
def test_no_anomaly_on_the_engine(tmp_path: Path) -> None:
    found = soak(tmp_path / "store", engine=engine_or_skip(CYPHER), ops=800, seed=4, seconds=40)
    assert found["wrong"] == [] and found["operations"] > 50


def test_a_torn_transfer_is_seen(tmp_path: Path) -> None:
    found = soak(tmp_path / "store", engine="memory", ops=20_000, seed=5, seconds=40, torn=True)
    assert found["wrong"] and all("bank at" in one for one in found["wrong"])
