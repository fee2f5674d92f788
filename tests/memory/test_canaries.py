"""Canaries in every kind of field: all found before, none after, in any file and encoding.

Bounded; `python -m tests.memory.canaries --claims 20` plants a thousand, and its default ten times that.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tests.memory.canaries import WAYS, run

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("engine", ["memory", CYPHER])
def test_no_canary_is_left(tmp_path: Path, engine: str) -> None:
    found = run(tmp_path / "store", engine_or_skip(engine), claims=4, graph_file_above=-1)
    assert found.canaries >= 250
    assert found.before == found.canaries  # the control: the same search finds every one
    assert found.in_archive > 10 and found.in_copies == found.canaries  # and where else it lay
    assert found.after == found.in_base64 == 0
    assert found.receipts == len(WAYS) and found.survivors_changed == 0
