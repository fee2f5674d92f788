"""Memory as a fixture of somebody else's tests: seed, act, assert, reset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tkg.conform import Story, story
from tkg.errors import RequestError


def claim(label: str, value: str, **more: Any) -> dict[str, Any]:
    return {
        "as": label,
        "scope": "reed",
        "channel": "human_stated",
        "principal": "oda",
        "subject": "Tug Elna",
        "predicate": "berth",
        "object": value,
        "evidence": {"uri": f"n:{label}"},
        **more,
    }


@pytest.fixture
def memory() -> Iterator[Story]:
    with story(predicates={"berth": {"cardinality": "one"}}) as told:
        yield told


def test_seed_act_assert(memory: Story) -> None:
    memory.step(claim=claim("old", "3"))
    agent = memory.handle("reed", channel="human_stated", principal="oda")
    verdict = agent.propose(subject="Tug Elna", predicate="berth", object="5")
    assert verdict.claim_id is not None
    memory.name("new", verdict.claim_id)

    memory.expect(of="old", state="superseded", by="new")
    memory.step(value={"as": "v", "scope": "reed", "subject": "Tug Elna", "predicate": "berth"})
    memory.expect(of="v", value="5")
    memory.expect(any_of=[[{"of": "v", "value": "3"}], [{"of": "v", "value": "5"}]])


def test_what_does_not_hold_is_an_assertion_error(memory: Story) -> None:
    memory.step(claim=claim("old", "3"))

    with pytest.raises(AssertionError, match="old is active, not revoked"):
        memory.expect(of="old", state="revoked")
    with pytest.raises(AssertionError, match="none of the alternatives"):
        memory.expect(any_of=[[{"of": "old", "state": "revoked"}]])


def test_the_clock_is_set_by_steps(memory: Story) -> None:
    memory.step(at="2026-03-01", claim=claim("c", "3"))
    memory.step(
        value={"as": "before", "scope": "reed", "subject": "Tug Elna", "predicate": "berth", "valid_at": "2026-02-28"}
    )

    memory.expect(of="before", none=True)


def test_reset_leaves_nothing(memory: Story) -> None:
    memory.step(claim=claim("old", "3"))
    memory.reset()

    assert memory.step(recall={"as": "q", "scope": "reed", "query": "berth"}).error == "not_found"


def test_a_refusal_is_an_answer(memory: Story) -> None:
    assert memory.step(recall={"query": "berth"}).error == "scope_required"


def test_steps_that_need_a_runner_are_refused(memory: Story) -> None:
    with pytest.raises(RequestError, match="case files"):
        memory.step(kill={"during": "propose"})


def test_an_unknown_store_is_refused() -> None:
    with pytest.raises(RequestError, match="unknown store"), story("paper"):
        pass
