"""What waits for a person: what is shown of it, every decision, and taking one back."""

from __future__ import annotations

import pytest

from tests.memory.test_gate import World, evidence
from tkg.errors import Conflict, NotPermitted, RequestError
from tkg.model.verdict import Verdict

PAGE = "The depot has moved. The opening hour of the depot is 06:00. Ask at the gate."


def depot() -> tuple[World, str, str]:
    """A believed opening hour, and a page's that waits."""
    world = World(opens_at={"cardinality": "one"})
    ana = world.who("human_stated", "ana")
    known = ana.propose(subject="depot", predicate="opens_at", object="05:00", evidence=evidence("notice")).claim_id
    web = world.who("external", "web")
    web.remember(PAGE, evidence=evidence("page", "7", None))
    held = web.propose(
        subject="depot", predicate="opens_at", object="06:00",
        evidence=evidence("page", "7", "The opening hour of the depot is 06:00."),
    )  # fmt: skip
    assert held.outcome in ("held", "quarantined")
    return world, known or "", held.claim_id or ""


def test_a_candidate_is_shown_with_its_words_in_context_its_rival_and_what_each_choice_does() -> None:
    world, known, held = depot()
    world.later(hours=30)
    ben = world.who("human_verified", "ben")
    one = next(each for each in ben.review() if each.id == held)
    assert (
        one.context is not None and one.context.startswith("The depot has moved") and "Ask at the gate" in one.context
    )
    assert [(rival.id, rival.object) for rival in one.rivals] == [(known, "05:00")]
    assert "06:00" in one.on_accept and one.age_seconds in (107_999, 108_000) and one.waits_because
    before = ben.value("depot", "opens_at").values
    ben.decide(held, "accept", reason="rang them")
    assert before == ("05:00",) and ben.value("depot", "opens_at").values == ("06:00",)
    assert one.on_accept == "The answer changes from 05:00 to 06:00."


def test_a_decision_can_be_taken_back_and_is_a_persons_evidence() -> None:
    world, known, held = depot()
    ben = world.who("human_verified", "ben")
    ben.decide(held, "accept", reason="rang them")
    accepted = ben.explain(held)
    assert accepted.channel == "human_verified" and accepted.evidence[-1].quote == "rang them"
    ben.decide(held, "reopen", reason="rang the wrong depot")
    assert ben.explain(held).state == "held" and held in {one.id for one in ben.review()}
    assert ben.value("depot", "opens_at").values == ("05:00",)
    ben.decide(held, "reject")
    assert ben.explain(held).state == "rejected" and held not in {one.id for one in ben.review()}
    ben.decide(held, "reopen")
    assert ben.explain(held).state == "held"
    with pytest.raises(Conflict):
        ben.decide(known, "reopen")


def test_an_edit_takes_the_candidates_place() -> None:
    world, _, held = depot()
    ben = world.who("human_stated", "ben")
    for wrong in ({}, {"colour": "red"}):
        with pytest.raises(RequestError):
            ben.decide(held, "edit", changes=wrong)
    made = ben.decide(held, "edit", changes={"object": "06:30"}, reason="half past")
    assert made.targets[0] == held and ben.explain(held).state == "rejected"
    assert ben.value("depot", "opens_at").values == ("06:30",)
    assert ben.explain(made.targets[1]).channel == "human_verified"


def test_a_merge_moves_the_evidence_and_never_joins_opposites() -> None:
    world, known, _ = depot()
    web, ben = world.who("external", "web"), world.who("human_verified", "ben")
    same = (
        web.propose(subject="the depot", predicate="opens_at", object="5 am", evidence=evidence("blog")).claim_id or ""
    )
    denial = web.propose(
        subject="The Depot", predicate="opens_at", object="5", polarity="negative", evidence=evidence("blog")
    )
    with pytest.raises(Conflict):
        ben.decide(denial.claim_id or "", "merge", into=known)
    with pytest.raises(RequestError):
        ben.decide(same, "merge")
    ben.decide(same, "merge", into=known, reason="the same hour")
    assert ben.explain(same).state == "rejected"
    assert {one.uri for one in ben.explain(known).evidence} == {"notice", "blog"}


def test_nobody_approves_their_own_and_agents_approve_nothing() -> None:
    world = World(pays_into={"consequence": "high"})
    ben, web = world.who("human_verified", "ben"), world.who("external", "ben")
    own = web.propose(subject="acme", predicate="pays_into", object="account 7", evidence=evidence()).claim_id or ""
    with pytest.raises(NotPermitted):
        ben.decide(own, "accept", reason="mine")
    for channel in ("agent_inferred", "trusted_tool", "external", "system_of_record"):
        with pytest.raises(NotPermitted):
            world.who(channel, "x").decide(own, "accept", reason="go on")
    ana = world.who("human_verified", "ana")
    with pytest.raises(RequestError):
        ana.decide(own, "accept")  # high consequence: no reason, no acceptance
    ana.decide(own, "accept", reason="seen the contract")
    assert ana.value("acme", "pays_into").values == ("account 7",)


def test_what_has_high_consequence_is_never_accepted_in_bulk() -> None:
    world = World(pays_into={"consequence": "high"})
    web, ana = world.who("external", "web"), world.who("human_verified", "ana")

    def said(predicate: str, value: str) -> str:
        return web.propose(subject="acme", predicate=predicate, object=value, evidence=evidence(value)).claim_id or ""

    low, other, high = said("colour", "red"), said("motto", "onward"), said("pays_into", "account 7")
    with pytest.raises(NotPermitted):
        ana.decide_many([low, high], "accept", reason="all good")
    assert {one.id for one in ana.review()} == {low, other, high}
    ana.decide_many([low, other], "accept", reason="all good")
    assert ana.value("acme", "colour").values == ("red",)
    ana.decide_many([high], "reject", reason="spam")
    assert ana.review() == []


def test_what_lost_its_ground_no_longer_waits() -> None:
    world, _, held = depot()
    ana, agent = world.who("human_verified", "ana"), world.who("agent_inferred", "agent")
    claim = (
        ana.propose(subject="door", predicate="opens_with", object="a key", evidence=evidence("note")).claim_id or ""
    )
    skill = agent.derive("skill", "Take the key.", from_=[claim])
    assert isinstance(skill, Verdict) and {one.id for one in ana.review()} >= {held, skill.artefact_id}
    for source in ("note", "page"):
        ana.revoke(ana.plan_revoke(source=source), reason="forged")
    assert ana.review() == []
    assert [ana.explain(one).state for one in (skill.artefact_id or "", held)] == ["revoked", "revoked"]
