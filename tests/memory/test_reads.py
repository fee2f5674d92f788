"""Nothing that fell is returned after its revocation was acknowledged (the long form: `python -m tests.memory.reads`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import tkg
from tests.engines import ENGINES, engine_or_skip
from tests.memory.reads import run


@pytest.mark.engine
@pytest.mark.parametrize("engine", ENGINES)
def test_no_read_after_the_acknowledgement_returns_what_fell(engine: str, tmp_path: Path) -> None:
    engine_or_skip(engine)
    with tkg.open(tmp_path / "store", engine=engine) as memory:
        trial = run(memory, reads=800)
    assert trial.found == []
    assert trial.seen["with something dead in reach"] > 200
    assert trial.seen["with an answer"] > 100 and trial.seen["taken back"] > 10 and trial.seen["recall"] > 10


def test_the_probe_finds_what_was_never_taken_back() -> None:
    with tkg.open(None, engine="memory") as memory:
        assert run(memory, reads=500, blind=True).found
