"""Who may let an action go, and who may take something back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle

POLICIES = tkg.Policies(
    write=tkg.WritePolicy(
        held_channels=(),
        registry=tkg.Registry.of(
            {
                "account": {"cardinality": "one", "consequence": "high"},
                "price": {"cardinality": "one", "system_of_record": "prices.yaml"},
            }
        ),
    )
)


@pytest.fixture
def memory() -> Iterator[tkg.Memory]:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(milliseconds=1))
    with tkg.open(None, clock=clock, ids=SeededIds(2), engine="memory", policies=POLICIES) as store:
        store.create_tenant("acme")
        yield store


def by(memory: tkg.Memory, channel: str, principal: str, session: str = "s") -> Handle:
    return memory.scope(tenant="acme", channel=channel, principal=principal, session=session)


def said(handle: Handle, subject: str, predicate: str, value: str, uri: str = "note") -> str:
    verdict = handle.propose(
        subject=subject,
        predicate=predicate,
        object=value,
        evidence=tkg.Evidence(uri=uri, quote=f"It says {value}, in {uri}"),
    )
    assert verdict.claim_id is not None, verdict
    return verdict.claim_id


def queued(memory: tkg.Memory, *from_: str, **meta: str) -> str:
    made = by(memory, "agent_inferred", "bot", "work").derive("action", "do it", from_=from_, meta=meta)
    return made.id


def refused(call: Any) -> str:
    with pytest.raises(tkg.TkgError) as caught:
        call()
    return caught.value.code


# -- acting


def test_a_payment_goes_only_to_what_a_person_verified(memory: tkg.Memory) -> None:
    runner = by(memory, "trusted_tool", "runner")
    known = said(by(memory, "human_verified", "dora"), "Orla Print", "account", "acct-1")
    assert refused(lambda: runner.dispatch(queued(memory, known, tool="pay", target="acct-2"))) == "not_permitted"
    assert runner.dispatch(queued(memory, known, tool="payments.pay", target="acct-1")).kind == "action"


def test_two_independent_sources_are_a_second_factor_and_one_is_not(memory: tkg.Memory) -> None:
    runner = by(memory, "trusted_tool", "runner")
    known = said(by(memory, "trusted_tool", "ledger"), "Orla Print", "account", "acct-1", "ledger.csv")
    assert refused(lambda: runner.dispatch(queued(memory, known, tool="pay", target="acct-1"))) == "not_permitted"
    said(by(memory, "human_stated", "ana", "t"), "Orla Print", "account", "acct-1", "letter")
    runner.dispatch(queued(memory, known, tool="pay", target="acct-1"))


@pytest.mark.parametrize("channel", ["external", "agent_inferred"])
def test_what_is_low_in_the_context_stops_an_action_of_high_impact(memory: tkg.Memory, channel: str) -> None:
    runner = by(memory, "trusted_tool", "runner")
    known = said(by(memory, "human_verified", "dora"), "Orla Print", "account", "acct-1")
    low = said(by(memory, channel, "stranger", "web"), "Orla Print", "founded_in", "1981")
    action = queued(memory, known, low, tool="pay", target="acct-1")
    assert refused(lambda: runner.dispatch(action)) == "not_permitted"
    assert by(memory, "human_verified", "dora").dispatch(action).id == action


def test_an_action_without_arguments_needs_a_second_factor_for_all_that_it_rests_on(memory: tkg.Memory) -> None:
    runner = by(memory, "trusted_tool", "runner")
    known = said(by(memory, "human_verified", "dora"), "Orla Print", "colour", "blue")
    single = said(by(memory, "trusted_tool", "ledger"), "Orla Print", "size", "A4")
    assert refused(lambda: runner.dispatch(queued(memory, known, single, tool="send"))) == "not_permitted"
    runner.dispatch(queued(memory, known, tool="send"))


def test_a_claim_of_high_consequence_makes_the_action_one_whatever_its_tool(memory: tkg.Memory) -> None:
    runner = by(memory, "trusted_tool", "runner")
    single = said(by(memory, "trusted_tool", "ledger"), "Orla Print", "account", "acct-1")
    assert refused(lambda: runner.dispatch(queued(memory, single, tool="calendar"))) == "not_permitted"
    plain = said(by(memory, "trusted_tool", "ledger"), "Orla Print", "size", "A4")
    runner.dispatch(queued(memory, plain, tool="calendar"))


def test_an_action_that_names_no_tool_rests_on_nothing_from_outside(memory: tkg.Memory) -> None:
    runner = by(memory, "trusted_tool", "runner")
    outside = said(by(memory, "external", "stranger", "web"), "Orla Print", "size", "A4")
    inside = said(by(memory, "trusted_tool", "ledger"), "Orla Print", "shape", "square")
    assert refused(lambda: runner.dispatch(queued(memory, outside))) == "not_permitted"
    runner.dispatch(queued(memory, outside, tool="calendar"))
    runner.dispatch(queued(memory, inside))


# -- taking back


@pytest.mark.parametrize("channel", ["external", "agent_inferred", "trusted_tool"])
def test_below_a_person_only_ones_own_words_are_taken_back(memory: tkg.Memory, channel: str) -> None:
    other = said(by(memory, "external", "stranger", "web"), "Orla Print", "size", "A4")
    caller = by(memory, channel, "eve", "eve")
    plan = caller.plan_revoke(claim=other)
    assert refused(lambda: caller.revoke(plan, reason="mine now")) == "not_permitted"
    assert refused(lambda: caller.quarantine(claim=other, reason="mine now")) == "not_permitted"
    own = said(caller, "Orla Print", "shape", "square")
    caller.revoke(caller.plan_revoke(claim=own), reason="wrong")
    assert caller.explain(own).state == "revoked"
    assert caller.explain(other).state == "active"


def test_a_person_takes_back_what_is_of_no_higher_class(memory: tkg.Memory) -> None:
    tool = said(by(memory, "trusted_tool", "ledger"), "Orla Print", "size", "A4")
    verified = said(by(memory, "human_verified", "dora"), "Orla Print", "shape", "square")
    ana = by(memory, "human_stated", "ana", "a")
    assert refused(lambda: ana.quarantine(claim=verified, reason="no")) == "not_permitted"
    ana.revoke(ana.plan_revoke(claim=tool), reason="wrong sheet")
    by(memory, "human_verified", "eli").quarantine(claim=verified, reason="no")
    assert refused(lambda: ana.release(claim=verified, reason="yes")) == "not_permitted"


def test_a_system_of_record_is_taken_back_by_two_people(memory: tkg.Memory) -> None:
    price = said(by(memory, "system_of_record", "prices", "sync"), "Bolt", "price", "4", "prices.yaml")
    dora, eli = by(memory, "human_verified", "dora", "d"), by(memory, "human_verified", "eli", "e")
    assert refused(lambda: dora.revoke(dora.plan_revoke(claim=price), reason="wrong")) == "not_permitted"
    dora.quarantine(claim=price, reason="wrong")
    assert refused(lambda: dora.revoke(dora.plan_revoke(claim=price), reason="wrong")) == "not_permitted"
    eli.revoke(eli.plan_revoke(claim=price), reason="seen: wrong")
    assert eli.explain(price).state == "revoked"


# -- coming back


def test_a_value_of_high_consequence_that_comes_back_waits_for_a_person(memory: tkg.Memory) -> None:
    ana, dora = by(memory, "human_stated", "ana", "a"), by(memory, "human_verified", "dora", "d")
    old = said(ana, "Orla Print", "account", "acct-1", "letter/1")
    new = said(dora, "Orla Print", "account", "acct-2", "letter/2")
    assert dora.value("Orla Print", "account").value == "acct-2"
    plan = dora.plan_revoke(claim=new)
    assert [(one.id, one.after) for one in plan.resurfaces] == [(old, "held")]
    dora.revoke(plan, reason="the letter was forged")
    assert dora.value("Orla Print", "account").kind == "none"
    assert not [one for one in dora.recall("account of Orla Print").items if one.kind == "claim"]
    assert (dora.explain(old).state, [one.id for one in dora.review()]) == ("held", [old])
    by(memory, "human_verified", "eli", "e").decide(old, "accept", reason="asked the bank")
    assert dora.value("Orla Print", "account").value == "acct-1"


def test_it_stops_waiting_when_the_newer_one_returns(memory: tkg.Memory) -> None:
    ana, dora = by(memory, "human_stated", "ana", "a"), by(memory, "human_verified", "dora", "d")
    old = said(ana, "Orla Print", "account", "acct-1", "letter/1")
    new = said(dora, "Orla Print", "account", "acct-2", "letter/2")
    before = (dora.value("Orla Print", "account").value, dora.explain(old).state)
    dora.quarantine(claim=new, reason="asked about")
    assert dora.explain(old).state == "held"
    dora.release(claim=new, reason="it was right")
    assert (dora.value("Orla Print", "account").value, dora.explain(old).state) == before


def test_what_stood_below_waits_as_well_and_other_values_come_back_at_once(memory: tkg.Memory) -> None:
    bot, ana, dora = (
        by(memory, "trusted_tool", "ledger", "l"),
        by(memory, "human_stated", "ana", "a"),
        by(memory, "human_verified", "dora", "d"),
    )
    lowest = said(bot, "Orla Print", "account", "acct-0", "ledger")
    old = said(ana, "Orla Print", "account", "acct-1", "letter/1")
    new = said(dora, "Orla Print", "account", "acct-2", "letter/2")
    dora.revoke(dora.plan_revoke(claim=new), reason="forged")
    waiting = {one for one in (lowest, old) if dora.explain(one).state == "held"}
    assert waiting >= {old}
    assert dora.value("Orla Print", "account").kind == "none"
    plain = said(ana, "Orla Print", "size", "A4", "letter/3")
    assert dora.explain(plain).state == "active"
