"""The queue of actions: what died is never let go, in whatever order and from however many threads it is asked."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest

from tests.engines import ENGINES, engine_or_skip
from tests.memory.build import Stage
from tkg.errors import Conflict, Frozen, TkgError

pytestmark = pytest.mark.engine

VERBS = ("revoke", "quarantine", "release", "dispatch")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


class Model:
    """The evidence behind an action and the action itself, as a table of what may follow what."""

    def __init__(self) -> None:
        self.status, self.action = "active", "queued"

    def allows(self, verb: str) -> bool:
        """Take a step, or refuse it and stay."""
        if verb == "dispatch":
            if (self.status, self.action) != ("active", "queued"):
                return False
            self.action = "dispatched"
            return True
        allowed = {
            "revoke": ("active", "quarantined"),
            "quarantine": ("active",),
            "release": ("quarantined", "revoked"),
        }
        if self.status not in allowed[verb]:
            return False
        self.status = {"revoke": "revoked", "quarantine": "quarantined", "release": "active"}[verb]
        if verb == "revoke":
            self.action = {"queued": "cancelled", "dispatched": "compensation"}.get(self.action, self.action)
        return True


def queued(stage: Stage, number: int, *, twice: bool = False) -> tuple[str, str]:
    """Queue an action that rests on one claim; return the evidence and the action."""
    verdict = stage.tells("ana", f"order {number}", "approved_by", "Noor", uri=f"mail/{number}")
    if twice:
        stage.tells("bo", f"order {number}", "approved_by", "Noor", uri=f"note/{number}")
    made: Any = stage.by("agent", "agent_inferred").derive("action", f"Ship {number}.", from_=[verdict.claim_id or ""])
    return verdict.evidence_id or "", made.id


def attempt(stage: Stage, verb: str, evidence: str, action: str) -> bool:
    """Do one step on the store; return whether it was allowed."""
    warden = stage.by("cy", "human_verified")
    try:
        if verb == "dispatch":
            warden.dispatch(action)
        elif verb == "revoke":
            warden.revoke(warden.plan_revoke(evidence=evidence), reason="r")
        else:
            getattr(warden, verb)(evidence=evidence, reason="r")
    except Conflict:
        return False
    return True


def test_all_orders_of_revoke_quarantine_release_and_dispatch_to_depth_4(engine: str) -> None:
    """Figure 5: 256 orders of four steps hold every shorter one; each step is allowed exactly where the model allows it."""
    stage = Stage(engine=engine)
    dispatched = refused = 0
    orders = list(itertools.product(VERBS, repeat=4))
    for number, order in enumerate(orders):
        evidence, action = queued(stage, number)
        model = Model()
        for verb in order:
            allowed = model.allows(verb)
            assert attempt(stage, verb, evidence, action) is allowed, (order, verb)
            last = stage.memory.tenant("acme").book.last(action, "action")
            assert last is not None and last.value == model.action, (order, verb)
            dispatched += allowed and verb == "dispatch"
            refused += not allowed and verb == "dispatch"
    assert (len(orders), dispatched > 50, refused > 50) == (256, True, True)
    stage.memory.close()


def test_an_action_with_another_support_is_let_go_whatever_becomes_of_the_first() -> None:
    stage = Stage()
    for number, order in enumerate(itertools.product(VERBS[:3], repeat=3)):
        evidence, action = queued(stage, number, twice=True)
        for verb in order:
            attempt(stage, verb, evidence, action)
        assert attempt(stage, "dispatch", evidence, action), order


@pytest.mark.parametrize("what", [{}, {"subject": "order 1"}, {"predicate": "approved_by"}])
def test_what_is_frozen_is_not_let_go_until_it_thaws(engine: str, what: dict[str, str]) -> None:
    stage = Stage(engine=engine)
    _, action = queued(stage, 1)
    warden = stage.by("cy", "human_verified")
    warden.freeze(**what, reason="incident")
    with pytest.raises(Frozen):
        warden.dispatch(action)
    warden.thaw(**what, reason="over")
    assert warden.dispatch(action).id == action


def test_what_only_a_lower_class_supports_by_now_is_not_let_go() -> None:
    """The label is read when the action is let go, not when it was queued."""
    stage = Stage({"dock": {"consequence": "high"}})
    stage.says("ana", "Mill", "dock", "Noor", "human_verified", uri="mail/good")
    claim = stage.says("tool", "Mill", "dock", "Noor", "trusted_tool", uri="log/1")
    agent = stage.by("agent", "agent_inferred")
    first: Any = agent.derive("action", "Pay Noor.", from_=[claim], meta={"tool": "ship", "dock": "Noor"})
    second: Any = agent.derive("action", "Pay Noor.", from_=[claim], meta={"tool": "ship", "dock": "Noor"})
    teller = stage.by("teller", "trusted_tool")
    assert teller.dispatch(first.id).id == first.id
    stage.revoke(source="mail/good")
    assert stage.state(claim) == "active"
    with pytest.raises(TkgError) as caught:
        teller.dispatch(second.id)
    assert caught.value.code == "not_permitted"


def test_threads_that_race_for_an_action_never_let_it_go_after_its_revocation(engine: str) -> None:
    stage = Stage(engine=engine)
    actions = [queued(stage, number) for number in range(24)]
    went: dict[str, bool] = {}
    for evidence, action in actions:
        gate = threading.Barrier(2)

        def let_go(evidence: str = evidence, action: str = action, gate: threading.Barrier = gate) -> None:
            gate.wait()
            went[action] = attempt(stage, "dispatch", evidence, action)

        racer = threading.Thread(target=let_go)
        racer.start()
        gate.wait()
        assert attempt(stage, "revoke", evidence, action)
        racer.join()
        last = stage.memory.tenant("acme").book.last(action, "action")
        assert last is not None and last.value == ("compensation" if went[action] else "cancelled")
    assert len(went) == 24
    stage.memory.close()
