"""The differential fuzz, bounded; `python -m tests.graph.fuzz` runs it at length."""

from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tests.graph.fuzz import Fuzz, failing_at
from tkg.errors import TkgError
from tkg.testing.graph import differences

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("seed", [1, 2])
def test_the_graph_answers_like_the_reference_whatever_happens_to_it(tmp_path: Path, seed: int) -> None:
    fuzz = Fuzz(engine_or_skip(CYPHER), tmp_path, seed, every=11)
    fuzz.run(60)
    assert fuzz.found == []


def test_a_failure_at_any_engine_call_leaves_the_state_before_or_after(tmp_path: Path) -> None:
    fuzz = Fuzz(engine_or_skip(CYPHER), tmp_path, 5, every=7)
    fuzz.append()
    call, reported = 1, 0
    while call < 60:
        fuzz.history.grow(1)
        entry = fuzz.history.entries[-1]
        try:
            with failing_at(call):
                fuzz.graph.apply([entry])
        except TkgError as error:
            reported += 1
            assert error.code in ("damaged", "busy", "disk_full")
            fuzz.graph.close()
            fuzz.graph = fuzz._open()
            call += 1
        else:
            call = 60 if call > 25 else call + 1
        fuzz.reference.apply([entry])
        assert fuzz.graph.applied == entry.seq
    assert differences(fuzz.graph, fuzz.reference, fuzz.history, 5) == []
    assert reported > 5
    fuzz.graph.close()


def test_the_fuzz_can_find_a_difference(tmp_path: Path) -> None:
    fuzz = Fuzz(engine_or_skip(CYPHER), tmp_path, 3, every=1)
    fuzz.append()
    fuzz.history.grow(1)
    fuzz.reference.apply(fuzz.history.entries[-1:])  # the graph misses one entry
    fuzz.compare()
    fuzz.graph.close()
    assert fuzz.found
