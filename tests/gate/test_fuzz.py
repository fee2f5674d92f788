"""A bounded run of `python -m tests.gate.fuzz`, and what it once found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import tkg
from tests.gate import fuzz
from tkg.memory.handle import Handle


def faults(outcome: fuzz.Outcome) -> dict[str, list[str]]:
    found = {kind: [how for how in ends if how.startswith("FAULT")] for kind, ends in outcome.ends.items()}
    return {kind: hows for kind, hows in found.items() if hows}


def test_every_candidate_ends_in_a_verdict_or_a_named_error() -> None:
    found = fuzz.through_the_api(600)
    assert faults(found) == {}
    assert set(found.ends) == {*fuzz.REQUESTS, "plain"}
    every = sum(found.ends.values(), Counter[str]())
    assert every["verdict accepted"] > 0 and every["verdict rejected"] > 0
    assert every["error invalid_text"] > 0 and every["error invalid_request"] > 0
    structured = [one for kind, taken in found.taken.items() if kind.startswith("propose") for one in taken]
    assert fuzz.at(structured, 0.5) < fuzz.LIMIT  # of processor time, however busy the machine is


def test_every_command_ends_with_an_exit_code_of_the_list() -> None:
    found = fuzz.through_the_command_line(40)
    assert faults(found) == {}
    ends = sum(found.ends.values(), Counter[str]())
    assert ends["exit 0"] + ends["exit 3"] > 0
    assert ends["exit 2"] > 0


def test_a_fault_is_told_as_one() -> None:
    def broken() -> Any:
        raise KeyError("x")

    assert fuzz.end(broken) == "FAULT KeyError at outside"


def test_growth_is_that_of_the_second_half() -> None:
    assert fuzz.growth([5, 90, 100, 100, 100, 100, 100, 100, 100, 100], 10_000) == 0
    assert fuzz.growth([1.0 * n for n in range(10)], 20_000) == pytest.approx(5)


DEEP: Any = ["SENTINEL"]
for _ in range(5_000):
    DEEP = [DEEP]
LOOP: Any = []
LOOP.append(LOOP)
SAID = {"subject": "Depot 1", "predicate": "stores", "object": "crates"}

ASKED: dict[str, Callable[[Handle, Any], Any]] = {
    **{
        f"propose {name}": lambda handle, value, name=name: handle.propose(**{**SAID, name: value})
        for name in (
            *SAID,
            "polarity",
            "modality",
            "valid_from",
            "valid_to",
            "observed_at",
            "evidence",
            "idempotency_key",
            "expected_digest",
        )
    },
    "one dependency": lambda handle, value: handle.propose(**SAID, depends_on=[value]),
    "several claims": lambda handle, value: handle.propose_many(value if isinstance(value, dict) else [value]),
    "uri": lambda handle, value: handle.propose(**SAID, evidence=tkg.Evidence(uri=value)),
    "owner": lambda handle, value: handle.propose(**SAID, evidence=tkg.Evidence(uri="a", owner=value)),
    "text": lambda handle, value: handle.remember(value),
    "speaker": lambda handle, value: handle.remember("Ada lives in Lund.", speaker=value),
    "kind": lambda handle, value: handle.derive(value, "text", from_=["x"]),
    "content": lambda handle, value: handle.derive("summary", value, from_=["x"]),
    "claim": lambda handle, value: handle.derive("claim", value, from_=["x"]),
    "meta": lambda handle, value: handle.derive("summary", "text", from_=["x"], meta=[value]),  # type: ignore[arg-type]
    "one of meta": lambda handle, value: handle.derive("summary", "text", from_=["x"], meta={"name": value}),
    "from": lambda handle, value: handle.derive("summary", "text", from_=[value]),
    "alternatives": lambda handle, value: handle.derive("claim", SAID, alternatives=[value]),
    "query": lambda handle, value: handle.recall(value),
}


#: a list, an object, a number, bytes, a thing of Python's: none of them is text
VALUES: tuple[Any, ...] = (DEEP, LOOP, {"a": {"SENTINEL": [1]}}, [{}], 7, b"x", object())


@pytest.mark.parametrize("asked", ASKED)
def test_what_is_nested_in_any_field_is_refused_by_name_and_not_repeated(asked: str) -> None:
    with tkg.open(None, engine="memory") as memory:
        memory.create_tenant("acme")
        handle = memory.scope("acme", channel="human_stated", principal="ana")
        head = memory.tenant("acme").ledger.head.seq
        for value in VALUES:
            with pytest.raises(tkg.TkgError) as caught:
                ASKED[asked](handle, value)
            assert "SENTINEL" not in str(caught.value) and len(str(caught.value)) < 300
        assert memory.tenant("acme").ledger.head.seq == head


@pytest.mark.parametrize("field", ["tenant", "user", "channel", "principal", "session"])
def test_a_handle_is_not_made_of_it_either(field: str) -> None:
    who: dict[str, Any] = {"tenant": "acme", "user": "ana", "channel": "human_stated", "principal": "ana"}
    with tkg.open(None, engine="memory") as memory:
        for value in VALUES:
            with pytest.raises(tkg.TkgError):
                memory.scope(**{**who, field: value})


def test_evidence_that_is_wrong_repeats_nothing_of_what_it_was_given() -> None:
    with pytest.raises(tkg.TkgError, match="evidence") as caught:
        tkg.Evidence(uri={"hunter2": "hunter2"})  # type: ignore[arg-type]
    assert "hunter2" not in str(caught.value)
