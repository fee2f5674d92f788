"""The estimate of sources: it is the published method, favours who agrees elsewhere, and changes nothing."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tkg
from benchmarks.truth import truthfinder
from tests.engines import CYPHER, engine_or_skip
from tkg.belief.reliability import estimate
from tkg.clock import ManualClock
from tkg.errors import RequestError
from tkg.ids import SeededIds
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry

VOTES = st.dictionaries(
    st.sampled_from("abcdef"),
    st.dictionaries(st.sampled_from(["s1", "s2", "s3", "s4"]), st.sampled_from("xyz"), min_size=1),
    min_size=1,
)


@given(VOTES, st.randoms(use_true_random=False))
def test_it_is_truthfinder_whatever_the_order(votes: dict[str, dict[str, str]], rng: random.Random) -> None:
    found = estimate(votes)
    believed, trust = truthfinder(votes)
    assert found.trust == pytest.approx(trust, abs=5e-3)  # which stops after 20 rounds
    for slot, said in votes.items():
        favoured = found.favoured(slot, dict.fromkeys(said.values()))
        if favoured is not None and abs(found.belief[slot, favoured] - found.belief[slot, believed[slot]]) > 5e-3:
            raise AssertionError(f"{favoured} instead of {believed[slot]}")
    slots = list(votes)
    rng.shuffle(slots)
    assert estimate({slot: dict(reversed(votes[slot].items())) for slot in slots}) == found
    assert all(0 < one < 1 for one in (*found.trust.values(), *found.belief.values()))


def test_what_many_say_is_still_told_apart() -> None:
    votes = {f"s{n}": {f"w{m}": "x" for m in range(60)} for n in range(5)}
    votes["disputed"] = {f"w{m}": "x" if m < 31 else "y" for m in range(60)}
    found = estimate(votes)
    assert found.belief["disputed", "x"] == pytest.approx(found.belief["disputed", "y"])  # both all but certain
    assert found.favoured("disputed", {"x": 1, "y": 1}) == "x"
    votes["disputed"] = {f"w{m}": "x" if m % 2 else "y" for m in range(60)}
    assert estimate(votes).favoured("disputed", {"x": 1, "y": 1}) is None  # the control: as many on either side


def said(memory: tkg.Memory, principal: str, subject: str, value: str, **more: Any) -> str:
    handle = memory.scope("acme", channel="trusted_tool", principal=principal)
    verdict = handle.propose(
        subject=subject, predicate="height", object=value, valid_from="2020",
        evidence=tkg.Evidence(uri=f"site:{principal}", **more),
    )  # fmt: skip
    return str(verdict.claim_id)


@pytest.fixture(params=["memory", CYPHER])
def memory(request: pytest.FixtureRequest) -> Any:
    with tkg.open(
        None,
        clock=ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(milliseconds=1)),
        ids=SeededIds(3),
        engine=engine_or_skip(request.param),
        policies=Policies(write=WritePolicy(registry=Registry.of({"height": {"cardinality": "one"}}))),
    ) as opened:
        opened.create_tenant("acme")
        for number in range(6):
            for source in ("good", "fair", "fine"):
                said(opened, source, f"hill {number}", str(100 + number))
            said(opened, "poor", f"hill {number}", "7")
        said(opened, "good", "peak", "800")
        said(opened, "poor", "peak", "900")
        yield opened


@pytest.mark.engine
def test_who_agrees_elsewhere_is_favoured_and_nothing_changes(memory: Any) -> None:
    handle = memory.scope("acme")
    before = memory.tenant("acme").ledger.head
    found = handle.audit_sources()
    assert memory.tenant("acme").ledger.head == before
    assert handle.value("peak", "height").kind == "conflict"  # still: an estimate settles nothing
    assert {(one.principal, one.slots, one.disputed, one.agrees) for one in found.sources} == {
        ("poor", 7, 7, 0), ("fair", 6, 6, 6), ("fine", 6, 6, 6), ("good", 7, 7, 7),
    }  # fmt: skip
    assert found.sources[0].trust < 0.7 < found.sources[-1].trust and found.sources[0].uris == ("site:poor",)
    peak = next(one for one in found.favoured if one.subject == "peak")
    assert (peak.value, [value for value, _ in peak.scores], len(peak.claims)) == ("800", ["800", "900"], 2)
    assert handle.audit_sources("height") == found


@pytest.mark.engine
def test_what_fell_what_is_over_and_what_was_said_before_count_no_more(memory: Any) -> None:
    handle = memory.scope("acme", channel="human_verified", principal="olga")
    wrong = said(memory, "late", "peak", "700")
    assert len(next(one for one in handle.audit_sources().favoured if one.subject == "peak").scores) == 3
    handle.revoke(handle.plan_revoke(claim=wrong), reason="misread")
    assert {one.principal for one in handle.audit_sources().sources} == {"good", "fair", "fine", "poor"}
    assert handle.audit_sources(valid_at="2019").sources == ()
    said(memory, "poor", "peak", "800")  # it changed its mind
    assert [one for one in handle.audit_sources().favoured if one.subject == "peak"] == []
    with pytest.raises(RequestError, match="one value"):
        handle.audit_sources("colour")


def test_copies_of_one_original_are_one_voice(memory: Any) -> None:
    for number in range(3):
        said(memory, f"copy {number}", "peak", "900", copy_of="site:poor")
    peak = next(one for one in memory.scope("acme").audit_sources().favoured if one.subject == "peak")
    assert peak.value == "800"
