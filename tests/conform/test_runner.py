"""Running cases: those that hold pass on every store, those that do not fail and say what was found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tkg.conform import default_stores, load, run, run_case
from tkg.conform.cases import Case
from tkg.conform.report import document, line, summary, table
from tkg.errors import RequestError

HERE = Path(__file__).parent / "cases"
HOLD = load([HERE / "holds.yaml"])
FAIL = load([HERE / "fails.yaml"])
SLOW = {"killed-in-the-middle"}


@pytest.mark.parametrize("case", [case for case in HOLD if case.id not in SLOW], ids=lambda case: case.id)
def test_a_story_that_holds_passes(case: Case) -> None:
    assert run_case(case, "memory").reasons == ()


def test_the_stories_hold_on_every_store() -> None:
    chosen = [case.id for case in HOLD if case.id not in SLOW]

    results = list(run(HOLD, default_stores(), ids=chosen))

    assert [result.reasons for result in results if not result.passed] == []
    assert [result.store for result in results] == [*default_stores()] * len(chosen)


def test_a_killed_step_is_killed_at_each_point_and_the_story_still_holds() -> None:
    (case,) = [case for case in HOLD if case.id == "killed-in-the-middle"]

    assert run_case(case, "memory").reasons == ()


@pytest.mark.parametrize("case", FAIL, ids=lambda case: case.id)
def test_a_story_that_does_not_hold_fails_and_says_what_was_found(case: Case) -> None:
    result = run_case(case, "memory")

    assert not result.passed
    assert case.why in "\n".join(result.reasons)


def test_a_crash_of_the_engine_is_a_failure_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nought")

    monkeypatch.setattr("tkg.memory.handle.Handle.value", broken)

    result = run_case(HOLD[0], "memory")

    assert "crashed with ZeroDivisionError: by nought (test_runner.py" in result.reasons[0]


def test_cases_are_chosen_by_class_and_by_id() -> None:
    by_class = list(run(HOLD, ["memory"], classes=["gate", "temporal"]))
    by_id = list(run(HOLD, ["memory"], ids=["two-axes"]))

    assert [result.case.id for result in by_class] == ["two-axes", "refused-and-held"]
    assert [result.case.id for result in by_id] == ["two-axes"]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"stores": ["paper"]}, "unknown store paper"),
        ({"ids": ["none"]}, "no case has the id none"),
        ({"classes": ["recall"]}, "no case has the class recall"),
    ],
)
def test_a_choice_of_nothing_is_refused(chosen: dict[str, list[str]], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        list(run(HOLD, **{"stores": ["memory"], **chosen}))


def test_the_report_counts_and_names() -> None:
    results = [*run(HOLD, ["memory"], ids=["two-axes"]), *run(FAIL, ["memory"], ids=["wrong-value"])]

    assert summary(results) == "1 passed, 1 failed"
    assert table(results) == [("memory", "temporal", 1, 1)]
    assert line(results[0]) == "pass  memory   temporal      two-axes"
    assert line(results[1]).splitlines()[1] == "      expect: v is value '5', not '3'"
    assert document(results)["failed"] == 1
    assert document(results)["results"][1]["reasons"] == ["expect: v is value '5', not '3'"]


def test_the_same_case_gives_the_same_result() -> None:
    first, second = (run_case(FAIL[0], "memory") for _ in range(2))

    assert first.reasons == second.reasons
