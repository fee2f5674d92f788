"""Users of one tenant: what one of them names, decides, erases or calls a session never reaches another."""

from __future__ import annotations

import pytest

import tkg
from tkg.errors import Conflict, LegalHold, NotPermitted
from tkg.memory.handle import Handle
from tkg.model.artefact import Artefact
from tkg.model.scope import Channel
from tkg.model.verdict import Outcome


class House:
    """One tenant with two users."""

    def __init__(self) -> None:
        self.memory = tkg.open(None, engine="memory")
        self.memory.create_tenant("acme")

    def who(self, user: str | None, channel: str = "human_stated", session: str | None = None) -> Handle:
        return self.memory.scope("acme", user, channel=channel, principal=f"{user} {channel}", session=session)

    def said(self, user: str | None, subject: str, value: str, **more: object) -> str:
        made = self.who(user).propose(subject=subject, predicate="colour", object=value, **more)  # type: ignore[arg-type]
        assert made.claim_id is not None, made
        return made.claim_id


@pytest.fixture
def house() -> House:
    return House()


def test_a_known_uri_opens_no_other_users_text(house: House) -> None:
    shared = tkg.Evidence(uri="mail/7", quote="is")
    house.who("bob").remember("The safe is in the attic.", evidence=tkg.Evidence(uri="mail/7"))
    asked = house.who("ann", "external").propose(
        subject="ferry", predicate="colour", object="now red", modality="asserted", evidence=shared
    )
    assert asked.claim_id is not None and asked.outcome in (Outcome.HELD, Outcome.QUARANTINED)
    (waits,) = house.who("ann").review()
    assert waits.context is None
    assert "attic" in (house.who(None).review()[0].context or "")  # the control: the tenant's handle reads both
    other = house.said("ann", "ferry", "blue")
    assert "attic" not in house.who("ann").dispute(asked.claim_id, other).model_dump_json()


def test_edges_name_no_other_users_claims(house: House) -> None:
    common = house.said(None, "ferry", "red")
    needs = house.said("bob", "pier", "grey", depends_on=[common])
    assert needs not in house.who("ann").explain(common).model_dump_json()
    assert needs in house.who("bob").explain(common).model_dump_json()  # the control


@pytest.mark.parametrize("mentions", [False, True])
def test_an_erasure_takes_and_names_nothing_of_others(house: House, mentions: bool) -> None:
    common, theirs = house.said(None, "ferry", "red"), house.said("bob", "ferry", "green")
    note = house.who("bob").derive("summary", "the ferry is green", from_=[theirs])
    assert isinstance(note, Artefact)
    house.who("bob", "agent_inferred").recall("ferry colour")
    house.who("bob").freeze(subject="ferry", reason="the keel is looked at")
    own = house.said("ann", "ferry", "blue")
    before = [*house.who("bob").export()]
    plan = house.who("ann").plan_forget(subject="ferry", mentions=mentions)
    text = repr(plan)
    assert own in text and not any(one in text for one in (common, theirs, note.id, "green"))
    house.who("ann").forget(plan, subject="ferry", mentions=mentions, reason="asked")
    assert house.who("ann").explain(own).state == "erased"
    # the receipt, without names, stands in the tenant's books
    assert [one for one in house.who("bob").export() if '"op":"forgotten"' not in one] == before
    assert house.who(None).plan_forget(subject="ferry", mentions=True).erases  # the control: the tenant's reaches all
    assert theirs in repr(house.who(None).plan_forget(subject="ferry"))


def test_the_same_name_of_a_session_is_another_session(house: House) -> None:
    theirs = house.said("bob", "ferry", "green")
    house.who("bob", "agent_inferred", "default").recall("ferry colour")
    own = house.said("ann", "pier", "grey")
    note = house.who("ann", "agent_inferred", "default").derive("summary", "the pier is grey", from_=[own])
    assert isinstance(note, Artefact)
    assert house.who("ann").explain(note.id).rests_on == ((own,),)
    assert note.id not in repr(house.who("bob").plan_forget(claim=theirs))
    house.who("ann", "agent_inferred", "default").recall("pier colour")
    after = house.who("ann", "agent_inferred", "default").derive("summary", "grey, the pier", from_=[own])
    assert isinstance(after, Artefact)
    assert after.id in repr(house.who("ann").plan_forget(claim=own))  # the control


def test_another_users_turn_clears_no_taint(house: House) -> None:
    agent = house.who("ann", "agent_inferred", "default")
    house.who("ann", "external", "default").remember("The pier is grey.", evidence=tkg.Evidence(uri="page/1"))
    house.who("bob", "human_stated", "default").propose(subject="ferry", predicate="colour", object="green")
    own = house.said("ann", "pier", "grey")
    note = agent.derive("summary", "the pier is grey", from_=[own])
    assert getattr(note, "label", None) is Channel.EXTERNAL


@pytest.mark.parametrize("channel", ["agent_inferred", "external", "trusted_tool"])
@pytest.mark.parametrize("user", ["ann", None])
def test_only_people_freeze_thaw_hold_and_lift(house: House, channel: str, user: str | None) -> None:
    house.said(None, "ferry", "red")
    person, other = house.who(None), house.who(user, channel)
    for verb, undo in (("freeze", "thaw"), ("hold", "lift")):
        with pytest.raises(NotPermitted):
            getattr(other, verb)(subject="ferry", reason="so it is")
        getattr(person, verb)(subject="ferry", reason="case 7")
        with pytest.raises(NotPermitted):
            getattr(other, undo)(subject="ferry", reason="all well")
    with pytest.raises(LegalHold):
        person.forget(subject="ferry", reason="asked")
    assert person.propose(subject="ferry", predicate="colour", object="blue").outcome is Outcome.HELD


def test_a_users_freeze_and_hold_bind_that_user_alone(house: House) -> None:
    ann, bob, everybody = house.who("ann"), house.who("bob"), house.who(None)
    house.said("ann", "ferry", "blue")
    house.said("bob", "ferry", "green")
    bob.hold(subject="ferry", reason="bob's own case")
    bob.freeze(subject="ferry", reason="bob looks into it")
    assert ann.plan_forget(subject="ferry").held == ()
    assert ann.propose(subject="ferry", predicate="length", object="9").outcome is Outcome.ACCEPTED
    assert bob.propose(subject="ferry", predicate="length", object="9").outcome is Outcome.HELD
    with pytest.raises(Conflict):
        ann.lift(subject="ferry", reason="not hers")
    with pytest.raises(LegalHold):
        bob.forget(subject="ferry", reason="asked")
    everybody.hold(subject="ferry", reason="case 8")
    everybody.freeze(subject="ferry", reason="case 8")
    ann.thaw(subject="ferry", reason="hers only")
    assert ann.propose(subject="ferry", predicate="width", object="9").outcome is Outcome.HELD
    with pytest.raises(LegalHold):
        ann.forget(subject="ferry", reason="asked")
    common = house.said(None, "quay", "brown")
    with pytest.raises(NotPermitted):
        ann.hold(id=common, reason="not hers")


@pytest.mark.parametrize("channel", ["human_stated", "human_verified", "system_of_record"])
def test_one_user_takes_back_nothing_of_the_whole_tenant(house: House, channel: str) -> None:
    common = tkg.Evidence(uri="guide.md", quote="the ferry is red")
    shared = house.said(None, "ferry", "red", evidence=common)
    theirs = house.said("ann", "ferry", "blue", evidence=common)
    ann = house.who("ann", channel)
    words = next(one.id for one in house.who(None).lineage(shared).up if one.kind == "evidence")
    for attempt in (
        lambda: ann.plan_revoke(claim=shared),
        lambda: ann.plan_revoke(evidence=words),
        lambda: ann.quarantine(claim=shared, reason="I do not like it"),
        lambda: house.who("ann").verify(shared),
        lambda: ann.revoke(house.who(None, channel).plan_revoke(claim=shared), reason="with another's plan"),
    ):
        with pytest.raises(NotPermitted, match="whole tenant"):
            attempt()
    assert house.who(None).value("ferry", "colour").value == "red"
    # a source takes with it what the user has of it, and a look at what would fall is free
    assert ann.plan_revoke(source="guide.md").targets != ()
    assert shared in repr(ann.blast(shared))
    ann.revoke(ann.plan_revoke(source="guide.md"), reason="it is out of date")
    assert (ann.explain(theirs).state, ann.explain(shared).state) == ("revoked", "active")
    # the control: the tenant's handle takes it back, and only it brings it again
    house.who(None).quarantine(claim=shared, reason="looked at")
    with pytest.raises(NotPermitted, match="whole tenant"):
        ann.release(claim=shared, reason="it is right")
    house.who(None).release(claim=shared, reason="it is right")
    assert ann.value("ferry", "colour").value == "red"


def test_one_user_decides_nothing_of_the_whole_tenant(house: House) -> None:
    waits = house.who(None, "external").propose(
        subject="ferry", predicate="colour", object="green", evidence=tkg.Evidence(uri="web")
    )
    assert waits.claim_id is not None and waits.outcome is not Outcome.ACCEPTED
    ann = house.who("ann", "human_verified")
    for decide in (
        lambda: ann.decide(str(waits.claim_id), "accept", reason="seen it"),
        lambda: ann.decide_many([str(waits.claim_id)], "reject", reason="no"),
    ):
        with pytest.raises(NotPermitted, match="whole tenant"):
            decide()
    house.who(None, "human_verified").decide(waits.claim_id, "accept", reason="seen it")
    assert ann.value("ferry", "colour").value == "green"


def test_a_key_used_for_another_claim_is_refused(house: House) -> None:
    ann = house.who("ann")
    first = ann.propose(subject="ferry", predicate="colour", object="red", idempotency_key="7")
    again = ann.propose(subject="ferry", predicate="colour", object="red", idempotency_key="7")
    assert again.id == first.id  # the control: the same request is answered again
    for changed in ({"object": "blue"}, {"subject": "pier"}, {"predicate": "length"}, {"polarity": "negative"}):
        said = {"subject": "ferry", "predicate": "colour", "object": "red", "idempotency_key": "7"} | changed
        with pytest.raises(Conflict):
            ann.propose(**said)
