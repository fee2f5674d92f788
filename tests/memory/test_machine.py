"""The facade on every real store equals the facade on the reference."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.engines import ENGINES, engine_or_skip
from tests.memory.machine import machine_for


@pytest.mark.engine
@pytest.mark.parametrize("engine", ENGINES)
def test_a_real_store_answers_like_the_reference_whatever_is_done(engine: str) -> None:
    engine_or_skip(engine)
    profile = settings()
    run_state_machine_as_test(
        machine_for(engine), settings=settings(max_examples=min(profile.max_examples, 30), stateful_step_count=20)
    )
