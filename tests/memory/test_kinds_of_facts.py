"""Facts about systems belong to the tenant, facts about people to a user; nothing moves there by itself."""

from __future__ import annotations

import pytest

import tkg

REGISTRY = tkg.Registry.of({"runs_on": {"about": "system"}, "likes": {"about": "person"}})


@pytest.mark.parametrize(
    ("predicate", "user", "scope"),
    [
        ("runs_on", "ana", "acme"),
        ("Runs_On", "ana", "acme"),
        ("likes", "ana", "acme/ana"),
        ("likes", None, "acme"),
        ("colour", "ana", "acme/ana"),
        ("colour", None, "acme"),
    ],
)
def test_the_kind_of_a_fact_says_where_it_belongs(predicate: str, user: str | None, scope: str) -> None:
    policies = tkg.Policies(write=tkg.WritePolicy(registry=REGISTRY))
    with tkg.open(None, engine="memory", policies=policies) as memory:
        memory.create_tenant("acme")
        handle = memory.scope("acme", user, channel="human_stated", principal="ana", session="s")
        where = handle.for_kind_of(predicate)
        assert (where.scope.path, where.caller.channel, where.caller.principal) == (scope, "human_stated", "ana")
        verdict = where.propose(subject="Larch", predicate=predicate, object="Redis", evidence=tkg.Evidence(uri="m"))
        assert verdict.scope == scope and verdict.outcome == "accepted"


@pytest.mark.parametrize(
    ("predicate", "user", "code"),
    [
        ("runs_on", "ana", "belongs_to_tenant"),
        ("likes", None, "belongs_to_user"),
        ("runs_on", None, "ok"),
        ("likes", "ana", "ok"),
        ("colour", "ana", "ok"),
    ],
)
def test_a_fact_in_another_scope_stays_there_and_the_verdict_says_so(
    predicate: str, user: str | None, code: str
) -> None:
    policies = tkg.Policies(write=tkg.WritePolicy(registry=REGISTRY))
    with tkg.open(None, engine="memory", policies=policies) as memory:
        memory.create_tenant("acme")
        handle = memory.scope("acme", user, channel="human_stated", principal="ana")
        verdict = handle.propose(subject="Larch", predicate=predicate, object="Redis", evidence=tkg.Evidence(uri="m"))
        assert verdict.outcome == "accepted" and verdict.scope == handle.scope.path
        assert [one.code for one in verdict.checks or () if one.check == "scope_and_channel"] == [code]
