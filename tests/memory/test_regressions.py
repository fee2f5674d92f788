"""Reads that showed what was revoked later become acceptance cases, and the cases hold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

import tkg
from tkg.clock import ManualClock
from tkg.conform.cases import load
from tkg.conform.runner import run_case
from tkg.ids import SeededIds
from tkg.memory.handle import Handle

ASKED = "where do exception reports go"


@pytest.fixture
def handle() -> Iterator[Handle]:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(seconds=1))
    with tkg.open(None, clock=clock, ids=SeededIds(4), engine="memory") as memory:
        yield memory.scope("acme", "ana", channel="human_stated", principal="ana")


def _told(handle: Handle, value: str) -> str:
    verdict = handle.propose(
        subject="exception reports", predicate="go to", object=value, evidence=tkg.Evidence(uri=f"mail:{value}")
    )
    assert verdict.claim_id is not None
    return verdict.claim_id


def test_a_read_of_what_was_revoked_later_becomes_a_case_that_holds(handle: Handle, tmp_path: Path) -> None:
    wrong, right = _told(handle, "south"), _told(handle, "north")
    assert {item.id for item in handle.recall(ASKED).items} == {wrong, right}
    assert handle.regressions() == []
    handle.revoke(handle.plan_revoke(claim=wrong), reason="made up")

    (case,) = handle.regressions()

    assert [step["claim"]["object"] for step in case["steps"] if "claim" in step] == ["south", "north"]
    assert case["expect"] == [{"of": "after", "excludes": ["c1"]}]
    file = tmp_path / "regressions.yaml"
    file.write_text(yaml.safe_dump([case], sort_keys=False, allow_unicode=True), encoding="utf-8")
    (read,) = load([file])
    assert run_case(read, "memory").reasons == ()


def test_reads_of_other_scopes_and_of_what_stands_make_no_case(handle: Handle) -> None:
    claim = _told(handle, "south")
    handle.recall(ASKED)
    other = handle._memory.scope("acme", "ben", channel="human_stated", principal="ben")
    handle.revoke(handle.plan_revoke(claim=claim), reason="made up")
    assert other.regressions() == []
    assert len(handle.regressions()) == 1
    handle.release(claim=claim, reason="it was right")
    assert handle.regressions() == []


def test_the_newest_read_of_a_question_counts_and_what_was_erased_is_left_out(handle: Handle) -> None:
    claim = _told(handle, "south")
    handle.recall(ASKED)
    handle.recall(ASKED)
    handle.revoke(handle.plan_revoke(claim=claim), reason="made up")
    assert len(handle.regressions()) == 1
