"""A plan over many claims reads them together; what it says must be what reading each by itself says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import tkg
from tests.engines import ENGINES, engine_or_skip
from tkg.clock import ManualClock
from tkg.graph import reads
from tkg.ids import SeededIds
from tkg.memory import resurfacing
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.verdict import Verdict

MANY = 40


@pytest.mark.engine
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("together", [False, True])
def test_what_falls_and_what_resurfaces_is_named(
    engine: str, together: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "_MANY", 5 if together else 1_000)
    monkeypatch.setattr(resurfacing, "_FEW", 5 if together else 1_000)
    policies = Policies(write=WritePolicy(registry=Registry.of({"owner": {"cardinality": "one"}})))
    with tkg.open(
        tmp_path / "store",
        clock=ManualClock(datetime(2026, 1, 1, tzinfo=UTC), timedelta(seconds=1)),
        ids=SeededIds(1),
        engine=engine_or_skip(engine),
        policies=policies,
    ) as memory:
        memory.create_tenant("acme")
        tool = memory.scope(tenant="acme", channel="trusted_tool", principal="loader")
        agent = memory.scope(tenant="acme", channel="agent_inferred", principal="agent")
        old = tool.propose(subject="desk 7", predicate="owner", object="ana", evidence=tkg.Evidence(uri="a.txt"))
        new = tool.propose(subject="desk 7", predicate="owner", object="bo", evidence=tkg.Evidence(uri="b.txt"))
        grown = [
            agent.derive(
                "claim", {"subject": f"room {n}", "predicate": "seats", "object": "bo"}, from_=[new.claim_id or ""]
            )
            for n in range(MANY)
        ]
        ana = memory.scope(tenant="acme", channel="human_verified", principal="ana")
        plan = ana.plan_revoke(claim=new.claim_id)
        assert {one.id for one in plan.falls} == {one.claim_id for one in grown if isinstance(one, Verdict)}
        assert {one.label for one in plan.falls} == {f"room {n} · seats: bo" for n in range(MANY)}
        assert [(one.id, one.before) for one in plan.resurfaces] == [(old.claim_id, "superseded")]
        done = ana.revoke(plan, reason="wrong desk")
        assert done.resurfaces == plan.resurfaces
        assert tool.value("desk 7", "owner").value == "ana"
