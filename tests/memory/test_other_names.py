"""Erasing a subject follows its other names, where a live `same_as` claim says so, and tells them first."""

from __future__ import annotations

from pathlib import Path

import pytest

import tkg
from tests.memory.test_forgetting import Kitchen
from tkg.errors import RequestError


@pytest.fixture
def kitchen(tmp_path: Path) -> Kitchen:
    made = Kitchen(tmp_path / "store")
    made.other = made.say("A. Venn", "seat", "window-CANARY-5512", "note:seats")  # type: ignore[attr-defined]
    return made


def same(kitchen: Kitchen, user: str | None = None) -> str:
    return kitchen.say("A. Venn", "same_as", "Ada Venn", "note:names", user)


def test_other_names_are_told_and_go_as_well(kitchen: Kitchen) -> None:
    before = kitchen.handle().plan_forget(subject="Ada Venn")
    assert before.also == () and kitchen.other not in {one.id for one in before.erases}  # type: ignore[attr-defined]
    same(kitchen)
    plan = kitchen.handle().plan_forget(subject="Ada Venn")
    assert plan.also == ("A. Venn",)
    assert {one.id for one in plan.erases} >= {kitchen.ada, kitchen.other}  # type: ignore[attr-defined]
    with pytest.raises(RequestError, match="the reason holds words"):
        kitchen.handle().forget(plan, subject="Ada Venn", reason="A. Venn asked")
    done = kitchen.handle().forget(plan, subject="Ada Venn", reason="request 7")
    assert all(check.holds for check in kitchen.handle().verify_receipt(done.receipt, texts=["window-CANARY-5512"]))
    assert kitchen.handle().value("A. Venn", "seat").kind == "none"
    assert kitchen.handle().value("Rolf Teague", "allergic_to").value is not None  # others stay
    # what was said under the other name does not come back from older words
    again = kitchen.handle(channel="agent_inferred", principal="bot").propose(
        subject="A. Venn", predicate="seat", object="door", evidence=tkg.Evidence(uri="old", quote="A. Venn: door")
    )
    assert again.outcome == "rejected"


def test_a_name_that_was_taken_back_is_not_followed(kitchen: Kitchen) -> None:
    olga = kitchen.handle(channel="human_verified", principal="olga")
    olga.revoke(olga.plan_revoke(claim=same(kitchen)), reason="two people")
    plan = kitchen.handle().plan_forget(subject="Ada Venn")
    assert plan.also == () and kitchen.other not in {one.id for one in plan.erases}  # type: ignore[attr-defined]


def test_what_a_user_calls_somebody_decides_nothing_about_others_claims(kitchen: Kitchen) -> None:
    same(kitchen, "guest")
    mine = kitchen.say("A. Venn", "table", "four", "note:tables", "guest")
    plan = kitchen.handle().plan_forget(subject="Ada Venn")
    erased = {one.id for one in plan.erases}
    assert plan.also == ("A. Venn",) and mine in erased and kitchen.other not in erased  # type: ignore[attr-defined]
