"""The promises in plain words, through the facade, on the reference and on a real store."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines import ENGINES, engine_or_skip
from tests.memory.build import Stage

pytestmark = pytest.mark.engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


def test_what_was_true_on_a_day_and_what_was_known_on_a_day_are_two_questions(engine: str) -> None:
    """Two days asked about, two days of knowing: four answers."""
    stage = Stage({"lives_in": {"cardinality": "one"}}, engine=engine)
    stage.says("ottilie", "Ottilie", "lives_in", "Berlin", valid_from="2026-01-01")
    stage.later()
    known_early = stage.clock.now().isoformat()
    stage.later(60)
    stage.says("ottilie", "Ottilie", "lives_in", "Lisbon", valid_from="2026-04-11")
    stage.later()
    known_late = stage.clock.now().isoformat()
    answers = {
        (true_on, known): stage.holds("Ottilie", "lives_in", valid_at=true_on, as_of=known)
        for true_on in ("2026-02-20", "2026-04-21")
        for known in (known_early, known_late)
    }
    assert answers == {
        ("2026-02-20", known_early): ("Berlin",),
        ("2026-02-20", known_late): ("Berlin",),
        ("2026-04-21", known_early): ("Berlin",),
        ("2026-04-21", known_late): ("Lisbon",),
    }


def test_a_diamond_stands_on_either_side_and_falls_when_both_are_gone(engine: str) -> None:
    """One root, two claims from it, one conclusion that either carries; then two roots."""
    stage = Stage(engine=engine)
    left, right = stage.says("ana", "Mill", "open", "yes"), stage.says("bo", "Mill", "staffed", "yes")
    agent = stage.by("agent", "agent_inferred")
    top: Any = agent.derive(
        "claim",
        {"subject": "Mill", "predicate": "delivers", "object": "today"},
        alternatives=[[left], [right]],
    )
    assert stage.holds("Mill", "delivers") == ("today",)
    plan = stage.by("cy", "human_verified").plan_revoke(source="mail/ana")
    assert [one.id for one in plan.falls] == [left]
    ((survivor, kept_by),) = [(one.id, one.kept_by) for one in plan.survives]
    assert survivor == top.claim_id and len(kept_by) == 1
    stage.revoke(source="mail/ana")
    assert stage.holds("Mill", "delivers") == ("today",)
    stage.revoke(source="mail/bo")
    assert (stage.holds("Mill", "delivers"), stage.state(top.claim_id)) == ((), "revoked")


def test_a_summary_of_a_claim_never_keeps_that_claim_alive(engine: str) -> None:
    """The agent reads, sums up, reads its summary and says it again: a ring with nothing under it falls as a whole."""
    stage = Stage(engine=engine)
    claim = stage.says("ana", "depot 3", "opens_at", "03:30")
    agent = stage.by("agent", "agent_inferred", session="s1")
    before = stage.memory.scope("acme").explain(claim)
    for turn in range(3):
        shown = agent.recall("when does depot 3 open", k=10)
        agent.derive("summary", f"Round {turn}: depot 3 opens at 03:30.", used=shown)
        agent.propose(subject="depot 3", predicate="opens_at", object="03:30")
    after = stage.memory.scope("acme").explain(claim)
    assert (after.confidence, after.independent_origins) == (before.confidence, before.independent_origins)
    plan = stage.by("cy", "human_verified").plan_revoke(source="mail/ana")
    assert {one.kind for one in plan.falls} == {"claim", "summary"}
    stage.revoke(source="mail/ana")
    assert stage.holds("depot 3", "opens_at") == ()
    assert agent.recall("when does depot 3 open", k=10).items == ()


def test_copies_of_one_original_are_one_witness_and_fall_with_it(engine: str) -> None:
    stage = Stage(engine=engine)
    claim = stage.says("ana", "lighthouse", "height", "47 m", uri="wiki/1")
    alone = stage.memory.scope("acme").explain(claim)
    for number in range(5):
        again = stage.says(
            f"mirror {number}", "lighthouse", "height", "47 m", "trusted_tool", uri=f"copy/{number}", copy_of="wiki/1"
        )
        assert again == claim
    copied = stage.memory.scope("acme").explain(claim)
    assert copied.independent_origins == alone.independent_origins == 1
    assert copied.confidence == alone.confidence
    other = stage.says("bo", "lighthouse", "height", "47 m", uri="survey/2")
    assert (other, stage.memory.scope("acme").explain(claim).independent_origins) == (claim, 2)
    stage.revoke(source="survey/2")
    stage.revoke(source="wiki/1")
    assert (stage.holds("lighthouse", "height"), stage.state(claim)) == ((), "revoked")


def test_undo_the_poison_and_the_good_fact_is_back_and_the_day_11_replay_still_shows_the_poison(engine: str) -> None:
    stage = Stage({"invoice_desk": {"cardinality": "one"}}, engine=engine)
    good = stage.says("ana", "Acorn Paper", "invoice_desk", "Mill Lane", valid_from="2026-03-01")
    stage.later(10)
    poison = stage.says("ana", "Acorn Paper", "invoice_desk", "Gull Wharf", valid_from="2026-03-01", uri="mail/stolen")
    agent = stage.by("agent", "agent_inferred", session="s1")
    shown = agent.recall("invoice desk of Acorn Paper")
    summary: Any = agent.derive("summary", "Acorn Paper wants its invoices at Gull Wharf.", used=shown)
    queued: Any = agent.derive("action", "Send the invoice to Gull Wharf.", used=shown)
    day_11 = stage.clock.now().isoformat()
    assert (stage.holds("Acorn Paper", "invoice_desk"), stage.state(good)) == (("Gull Wharf",), "superseded")
    stage.later(3)
    stage.revoke(source="mail/stolen")
    assert (stage.holds("Acorn Paper", "invoice_desk"), stage.state(good)) == (("Mill Lane",), "active")
    states = [stage.state(one) for one in (poison, summary.id, queued.id)]
    assert states == ["revoked", "revoked", "revoked"]
    assert stage.memory.scope("acme").explain(queued.id).code == "cancelled"
    assert stage.holds("Acorn Paper", "invoice_desk", as_of=day_11) == ("Gull Wharf",)
    assert [read.retrieval.session for read in stage.memory.scope("acme").exposure(poison)] == ["s1"]


def test_what_is_done_to_a_scope_a_subject_or_a_predicate_is_undone_by_thawing_it(engine: str) -> None:
    stage = Stage(engine=engine)
    stage.says("ana", "Mill", "desk", "A1")
    warden = stage.by("cy", "human_verified")
    for what in ({}, {"subject": "Mill"}, {"predicate": "desk"}):
        warden.freeze(**what, reason="incident 7")
        frozen = stage.tells("ana", "Mill", "desk", f"B{len(what)}")
        assert (frozen.outcome, frozen.code) == ("held", "frozen")
        if what:
            elsewhere = stage.tells("ana", "Press", "door", f"open since {sorted(what)}")
            assert elsewhere.outcome == "accepted"
        warden.thaw(**what, reason="closed")
        assert stage.tells("ana", "Mill", "desk", f"C{sorted(what)}").outcome == "accepted"
