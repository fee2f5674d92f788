"""Idempotency keys of `remember`, `derive` and `decide`: asking again changes nothing, and a key is of one request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.errors import Conflict, Rejected
from tkg.ids import SeededIds
from tkg.memory.handle import Handle


@pytest.fixture
def memory() -> Any:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(seconds=1))
    with tkg.open(None, clock=clock, ids=SeededIds(3), engine="memory") as opened:
        opened.create_tenant("acme")
        yield opened


def who(memory: tkg.Memory, channel: str = "human_stated", principal: str = "ana", user: str | None = None) -> Handle:
    return memory.scope("acme", user, channel=channel, principal=principal, session="s")


def head(memory: tkg.Memory) -> int:
    return memory.tenant("acme").ledger.head.seq


def test_a_text_told_again_with_its_key_is_the_same_episode(memory: tkg.Memory) -> None:
    ana = who(memory)
    first = ana.remember("Ada lives in Lund.", idempotency_key="k1")
    seq = head(memory)
    again = ana.remember("Ada lives in Lund.", idempotency_key="k1")
    assert [one.id for one in again] == [one.id for one in first] and again[0].artefact_id == first[0].artefact_id
    assert head(memory) == seq
    with pytest.raises(Conflict, match="key"):
        ana.remember("Ada lives in Kiel.", idempotency_key="k1")
    # the control: without a key the same words at another time are said again
    assert ana.remember("Ada lives in Lund.")[0].artefact_id != first[0].artefact_id
    # and the key of another principal, scope or verb is another key
    assert who(memory, principal="bo").remember("Ada lives in Kiel.", idempotency_key="k1")[0].artefact_id
    assert who(memory, user="ana").remember("Ada lives in Oslo.", idempotency_key="k1")[0].artefact_id


def basis(memory: tkg.Memory) -> str:
    made = who(memory).propose(
        subject="Ada", predicate="home", object="Lund", evidence=tkg.Evidence(uri="mail/1", quote="Ada lives in Lund.")
    )
    return str(made.claim_id)


MADE: dict[str, tuple[str, Any, Any]] = {
    "summary": ("summary", "Ada is in Lund.", "Ada is in Kiel."),
    "action": ("action", "mail the keys to Lund", "mail the keys to Kiel"),
    "skill": ("skill", "To reach Ada, write to Lund.", "To reach Ada, write to Kiel."),
    "claim": (
        "claim",
        {"subject": "Ada", "predicate": "country", "object": "Sweden"},
        {"subject": "Ada", "predicate": "country", "object": "Germany"},
    ),
}


@pytest.mark.parametrize("kind", MADE)
def test_what_is_derived_again_with_its_key_is_made_once(memory: tkg.Memory, kind: str) -> None:
    name, content, other = MADE[kind]
    agent, claim = who(memory, "agent_inferred", "agent"), basis(memory)
    ask: Callable[[Any], Any] = lambda said: agent.derive(name, said, from_=[claim], idempotency_key="k1")
    first = ask(content)
    seq = head(memory)
    again = ask(content)
    assert again.id == first.id and head(memory) == seq
    with pytest.raises(Conflict, match="key"):
        ask(other)
    # also once what it rests on is gone: the answer is what was made then
    person = who(memory, "human_verified", "bo")
    person.revoke(person.plan_revoke(claim=claim), reason="wrong")
    assert ask(content).id == first.id
    with pytest.raises(Conflict):
        agent.derive(name, content, from_=[claim])


def test_other_meta_is_another_request_and_a_refusal_stays_one(memory: tkg.Memory) -> None:
    agent, claim = who(memory, "agent_inferred", "agent"), basis(memory)
    agent.derive("action", "mail", from_=[claim], meta={"tool": "mail.send"}, idempotency_key="k1")
    with pytest.raises(Conflict, match="key"):
        agent.derive("action", "mail", from_=[claim], meta={"tool": "payments.pay"}, idempotency_key="k1")
    for _ in range(2):
        with pytest.raises(Rejected):
            agent.derive("summary", "the password is Kestrel!Banana7", from_=[claim], idempotency_key="k2")
    refused = [
        one for one in memory.tenant("acme").ledger.read_since(0) if one.op == "derive" and len(one.records) == 1
    ]
    assert len(refused) == 1


def held(memory: tkg.Memory) -> str:
    outside = who(memory, "external", "web")
    return str(
        outside.propose(
            subject="Ada", predicate="home", object="Ystad", evidence=tkg.Evidence(uri="web/1", quote="Ada moved.")
        ).claim_id
    )


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_a_decision_made_again_with_its_key_is_one(memory: tkg.Memory, decision: str) -> None:
    claim, person = held(memory), who(memory, "human_verified", "bo")
    first = person.decide(claim, decision, reason="looked", idempotency_key="k1")
    seq = head(memory)
    again = person.decide(claim, decision, reason="looked", idempotency_key="k1")
    assert (again.status, again.done_at, again.targets) == (first.status, first.done_at, first.targets)
    assert head(memory) == seq
    with pytest.raises(Conflict, match="key"):
        person.decide(claim, "reject" if decision == "accept" else "accept", reason="looked", idempotency_key="k1")
    with pytest.raises(Conflict):  # the control: without the key it is decided already
        person.decide(claim, decision, reason="looked")
    # taken back, it waits again; the repeated request still undoes nothing
    person.decide(claim, "reopen", reason="again", idempotency_key="k2")
    assert person.decide(claim, decision, reason="looked", idempotency_key="k1").done_at == first.done_at
    assert memory.scope("acme").explain(claim).state == "held"
