"""Reading case files: what is not of the written form is refused with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tkg.conform.cases import load, parse_case
from tkg.errors import NotFound, RequestError

HERE = Path(__file__).parent / "cases"
CLAIM = {"claim": {"as": "c", "scope": "reed", "subject": "a", "predicate": "b", "object": "c"}}


def case(**changed: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "id": "x",
        "class": "recall",
        "clock": "2026-01-01T09:00:00Z",
        "steps": [CLAIM],
        "expect": [{"of": "c", "state": "active"}],
    }
    whole.update(changed)
    return {key: value for key, value in whole.items() if value is not None}


def test_the_files_beside_this_test_are_read() -> None:
    cases = load([HERE / "holds.yaml", HERE / "fails.yaml"])

    assert len(cases) > 20
    assert cases[0].labels == {"first", "moved", "known_now", "known_then", "line"}
    assert all(each.why for each in cases)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": None}, "id is missing"),
        ({"class": "weather"}, "class is one of"),
        ({"clock": "2026-01-01T09:00:00"}, "clock is a timestamp with zone"),
        ({"clock": "soon"}, "clock is a timestamp with zone"),
        ({"stepz": []}, "a case does not take stepz"),
        ({"steps": []}, "steps is a list with at least one entry"),
        ({"expect": None}, "expect is missing"),
        ({"steps": ["claim"]}, r"steps\[0\]: a step is a mapping"),
        ({"steps": [{"fly": {}}]}, "unknown verb fly"),
        ({"steps": [{"claim": {}, "text": {}}]}, "exactly one verb, this has 2"),
        ({"steps": [{"at": "2026-01-01"}]}, "exactly one verb, this has 0"),
        ({"steps": [{"claim": {"subjekt": "x"}}]}, "claim does not take subjekt"),
        ({"steps": [{"claim": ["x"]}]}, "claim takes a mapping"),
        ({"steps": [{"concurrent": {}}]}, "concurrent takes a list of lists"),
        ({"steps": [CLAIM, CLAIM]}, "a label is used once; used again: c"),
        ({"steps": [CLAIM, {"restart": {}, "as": 7}]}, "a label is a word"),
        ({"expect": [{"of": "d", "state": "active"}]}, r"expect\[0\]: no step is labelled d"),
        ({"expect": [{"of": "c", "returns": ["zz"]}]}, "no step is labelled zz"),
        ({"expect": [{"of": "c", "returns": "c"}]}, "returns takes a list"),
        ({"expect": [{"of": "c", "stat": "active"}]}, "does not take stat"),
        ({"expect": [{"of": "c"}]}, "says what should be"),
        ({"expect": ["c"]}, "an expectation is a mapping"),
        ({"control": [{"any_of": [[{"of": "zz", "none": True}]]}]}, r"any_of\[0\]\[0\]: no step is labelled zz"),
    ],
)
def test_a_mistake_is_refused_with_its_place(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_case(case(**changed), "some.yaml")


def test_a_whole_case_is_taken() -> None:
    assert parse_case(case()).id == "x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "not YAML"),
        ("a: 1", "a case file is a list of cases"),
        ("just text", "a case file is a list of cases"),
        ("- !!python/object/apply:os.getcwd []", "not YAML"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)

    with pytest.raises(RequestError, match=message):
        load([file])


def test_a_missing_file_and_a_repeated_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such file"):
        load([tmp_path / "none.yaml"])
    with pytest.raises(RequestError, match="an id names one case; used again"):
        load([HERE / "holds.yaml", HERE / "holds.yaml"])


def test_a_lone_surrogate_is_read(tmp_path: Path) -> None:
    file = tmp_path / "half.yaml"
    file.write_text(
        '- {id: h, class: robustness, clock: 2026-01-01T09:00:00Z, steps: [{text: {as: t, body: "a\\ud800b"}}],'
        " expect: [{error: invalid_text, of: t}]}"
    )

    (found,) = load([file])

    assert found.steps[0].body["body"] == "a\ud800b"
