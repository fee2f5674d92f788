"""A bounded run of `python -m tests.gate.fuzz`."""

from __future__ import annotations

from tests.gate import fuzz


def test_every_candidate_ends_in_a_verdict_or_a_named_error() -> None:
    found = fuzz.through_the_api(600)
    assert {one.partition(" ")[0] for one in found.ends} == {"verdict", "error"}
    assert found.ends["verdict accepted"] > 0
    assert found.ends["error invalid_text"] > 0
    assert sorted(found.taken)[int(0.99 * len(found.taken))] < 50  # of processor time, however busy the machine is


def test_every_command_ends_with_an_exit_code_of_the_list() -> None:
    ends = fuzz.through_the_command_line(25)
    assert ends["exit 0"] + ends["exit 3"] > 0
    assert ends["exit 2"] > 0
