"""Taking back: what comes back, what waits for a person first, and that plan and commit are one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.engines import ENGINES, engine_or_skip
from tests.memory.build import Stage
from tkg.errors import Conflict, RequestError

pytestmark = pytest.mark.engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


PREDICATES: dict[str, dict[str, Any]] = {
    "desk": {"cardinality": "one"},
    "payee": {"cardinality": "one", "consequence": "high"},
}


def replaced(stage: Stage, predicate: str) -> tuple[str, str]:
    """Let one person say something, and a verified one replace it; return both claims."""
    old = stage.says("ana", "Mill", predicate, "old value")
    stage.later()
    new = stage.says("bo", "Mill", predicate, "new value", "human_verified")
    assert stage.holds("Mill", predicate) == ("new value",)
    return old, new


def test_a_value_comes_back_when_what_replaced_it_is_taken_back(engine: str) -> None:
    stage = Stage(PREDICATES, engine=engine)
    old, new = replaced(stage, "desk")
    plan = stage.by("cy", "human_verified").plan_revoke(claim=new)
    assert [(one.id, one.after) for one in plan.resurfaces] == [(old, "active")]
    assert stage.holds("Mill", "desk") == ("new value",)
    stage.by("cy", "human_verified").revoke(plan, reason="wrong")
    assert stage.holds("Mill", "desk") == ("old value",)
    events = [(one.what, one.code) for one in stage.memory.scope("acme").explain(old).decisions]
    assert ("review: resurfaced", "revoke") in events


def test_a_value_of_high_consequence_waits_for_a_person_before_it_comes_back(engine: str) -> None:
    stage = Stage(PREDICATES, engine=engine)
    old, new = replaced(stage, "payee")
    plan = stage.by("cy", "human_verified").plan_revoke(claim=new)
    assert [(one.id, one.after, one.code) for one in plan.resurfaces] == [(old, "held", "resurfaced")]
    done = stage.by("cy", "human_verified").revoke(plan, reason="wrong")
    assert done.resurfaces == plan.resurfaces
    assert stage.holds("Mill", "payee") == ()
    assert (stage.state(old), stage.state(new)) == ("held", "revoked")
    assert [one.id for one in stage.by("cy").review()] == [old]
    stage.by("cy", "human_verified").decide(old, "accept", reason="asked the mill")
    assert stage.holds("Mill", "payee") == ("old value",)


def test_what_waited_only_for_that_stands_as_before_when_the_revocation_is_undone(engine: str) -> None:
    stage = Stage(PREDICATES, engine=engine)
    old, new = replaced(stage, "payee")
    before = {one: stage.state(one) for one in (old, new)}
    stage.revoke(claim=new)
    released = stage.by("cy", "human_verified").release(claim=new, reason="it was right")
    assert old in [one.id for one in released.returns]
    assert {one: stage.state(one) for one in (old, new)} == before
    assert stage.holds("Mill", "payee") == ("new value",)


def test_quarantine_of_the_newer_value_lets_nothing_dangerous_back(engine: str) -> None:
    stage = Stage(PREDICATES, engine=engine)
    old, new = replaced(stage, "payee")
    stage.by("cy", "human_verified").quarantine(claim=new, reason="under review")
    assert (stage.holds("Mill", "payee"), stage.state(old)) == ((), "held")
    stage.by("cy", "human_verified").release(claim=new, reason="fine")
    assert (stage.holds("Mill", "payee"), stage.state(old)) == (("new value",), "superseded")


def test_what_comes_up_behind_a_held_value_is_held_as_well() -> None:
    stage = Stage(PREDICATES)
    first = stage.says("ana", "Mill", "payee", "first")
    made = [first]
    for number in (2, 3):
        stage.later()
        made.append(stage.says("ana", "Mill", "payee", f"value {number}", "human_verified"))
    assert stage.holds("Mill", "payee") == ("value 3",)
    plan = stage.by("dee", "human_verified").plan_revoke(claim=made[2])
    assert {one.id for one in plan.resurfaces} == {first, made[1]}
    stage.by("dee", "human_verified").revoke(plan, reason="wrong")
    assert stage.holds("Mill", "payee") == ()


def test_what_rests_on_a_held_value_waits_with_it() -> None:
    stage = Stage(PREDICATES)
    old, new = replaced(stage, "payee")
    summary: Any = stage.by("cy", "human_verified", session="s").derive("summary", "Pay the old one.", from_=[old])
    stage.revoke(claim=new)
    assert stage.state(old) == "held"
    assert stage.state(str(summary.id)) in ("suspended", "held")


def test_the_word_of_an_origin_that_withdraws_itself_lets_nothing_dangerous_back() -> None:
    stage = Stage(PREDICATES)
    old, new = replaced(stage, "payee")
    said = stage.memory.scope("acme").explain(new).valid_from
    stage.later()
    stage.tells("bo", "Mill", "payee", "new value", "human_verified", polarity="negative", valid_from=said)
    assert (stage.state(new), stage.state(old)) == ("revoked", "held")
    assert stage.holds("Mill", "payee") == ()


def test_a_plan_is_refused_when_something_else_would_come_back_by_now(engine: str) -> None:
    stage = Stage(PREDICATES, engine=engine)
    old, new = replaced(stage, "desk")
    handle = stage.by("cy", "human_verified")
    plan = handle.plan_revoke(claim=new)
    stage.revoke(claim=old)
    with pytest.raises(Conflict):
        handle.revoke(plan, reason="wrong")
    again = handle.plan_revoke(claim=new)
    assert again.resurfaces == ()
    handle.revoke(again, reason="wrong")


def test_one_version_of_a_document_is_taken_back_and_the_other_stays(engine: str) -> None:
    import tkg

    stage = Stage(PREDICATES, engine=engine)
    handle = stage.by("loader", "trusted_tool")
    for version, desk in (("1", "A1"), ("2", "B2")):
        stage.later()
        evidence = tkg.Evidence(uri="guide.md", version=version, quote=f"desk {desk}")
        handle.propose(subject="Mill", predicate="desk", object=desk, evidence=evidence)
    assert stage.holds("Mill", "desk") == ("B2",)
    stage.revoke(source="guide.md", version="2")
    assert stage.holds("Mill", "desk") == ("A1",)
    with pytest.raises(RequestError):
        handle.plan_revoke(session="s", version="2")


def _orders() -> Iterator[tuple[str, ...]]:
    for length in (1, 2, 3):
        yield from itertools.product(("revoke new", "release new", "quarantine new", "revoke old"), repeat=length)


def test_events_are_exactly_the_keys_whose_answer_changed_and_undoing_restores() -> None:
    """I10 and I3: whatever is done in whatever order, a claim comes back exactly where the answer says so."""
    for order in _orders():
        stage = Stage(PREDICATES)
        old, new = replaced(stage, "desk")
        ids = {"old": old, "new": new}
        for step in order:
            verb, _, which = step.partition(" ")
            handle, before = stage.by("cy", "human_verified"), stage.memory.scope("acme").value("Mill", "desk").claims
            try:
                if verb == "revoke":
                    done = handle.revoke(handle.plan_revoke(claim=ids[which]), reason="r")
                else:
                    done = getattr(handle, verb)(claim=ids[which], reason="r")
            except Conflict:
                continue
            after = stage.memory.scope("acme").value("Mill", "desk").claims
            came = {one for one in after if one not in before} - set(done.targets)
            assert {one.id for one in done.resurfaces} == came, (order, step)
        stage.memory.close()
