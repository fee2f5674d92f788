"""The forget policy: what leaves recall, in which order, why, and what stays for audit."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.engines import ENGINES, engine_or_skip
from tkg.clock import ManualClock
from tkg.ids import SeededIds

pytestmark = pytest.mark.engine
POLICY = """
[forget]
archive_days = 60
most_in_use = 4
[forget.episode_days]
external = 90
human_stated = 30
[predicates.home]
cardinality = "one"
"""
WHO: dict[str, Any] = {"channel": "human_stated", "principal": "ana"}


class House:
    """A store with a policy and a clock."""

    def __init__(self, root: Path, engine: str, policy: str = POLICY) -> None:
        root.mkdir()
        (root / "tkg.toml").write_text(policy, encoding="utf-8")
        self.root, self.engine = root, engine
        self.clock, self.ids = ManualClock(datetime(2026, 1, 1, tzinfo=UTC)), SeededIds(3)
        self.memory = self.open()

    def open(self, **options: Any) -> tkg.Memory:
        return tkg.open(self.root, clock=self.clock, ids=self.ids, engine=self.engine, **options)

    def handle(self, **who: Any) -> Any:
        return self.memory.scope("acme", **(who or WHO))

    def say(self, subject: str, value: str, predicate: str = "home", **who: Any) -> str:
        evidence = tkg.Evidence(uri=f"{subject}/{value}", quote="so it says")
        verdict = self.handle(**who).propose(subject=subject, predicate=predicate, object=value, evidence=evidence)
        assert verdict.claim_id is not None
        return str(verdict.claim_id)

    def later(self, days: int) -> None:
        self.clock.advance(timedelta(days=days))

    def shown(self, query: str) -> set[str]:
        return {item.id for item in self.handle().recall(query, k=20, token_budget=9_000).items}


@pytest.fixture(params=ENGINES)
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    made = House(tmp_path / "store", engine_or_skip(request.param))
    yield made
    made.memory.close()


def test_an_episode_leaves_recall_after_its_time_and_stays_for_audit(house: House) -> None:
    said = house.handle().remember("Blue herring, again and again!", evidence=tkg.Evidence(uri="chat"))
    episode = str(said[0].artefact_id)
    assert episode in house.shown("blue herring")
    house.later(29)
    assert house.handle().maintain().archives == ()
    house.later(3)
    plan = house.handle().maintain()
    assert [(one.id, one.rule) for one in plan.archives] == [(episode, "expired")]
    assert plan.archives[0].why == "An episode of class human_stated leaves recall after 30 days."
    assert episode in house.shown("blue herring")  # the dry run changed nothing
    before = house.memory.tenant("acme").ledger.head.seq
    house.handle().maintain(dry_run=False)
    assert house.memory.tenant("acme").ledger.head.seq == before + 1
    assert episode not in house.shown("blue herring")
    told = house.handle().explain(episode)
    assert told.state == "archived" and told.content == "Blue herring, again and again!"
    assert plan.archives[0].why in {one.reason for one in told.decisions}
    assert house.handle().maintain(dry_run=False).archives == ()  # once is enough
    house.memory.close()
    house.memory = house.open()
    house.memory.rebuild("acme")
    assert episode not in house.shown("blue herring")
    assert episode in {item.id for item in house.handle().recall("blue herring", as_of=before).items}


def test_what_is_past_and_unused_leaves_and_the_answer_stays(house: House) -> None:
    first, second = house.say("Ada", "Ystad"), house.say("Ada", "Lund")
    other, used = house.say("Bo", "Kiel"), house.say("Bo", "Bonn")
    house.later(50)
    read = house.handle().recall("where was Bo at home", valid_at="2026-01-01", k=20)
    was_shown = other in {one.id for one in read.items}
    house.later(15)
    plan = house.handle().maintain()
    archived = {one.id for one in plan.archives}
    assert first in archived and second not in archived and used not in archived
    assert (other in archived) is not was_shown  # what was shown lately stays
    assert all(one.rule == "past" and "superseded" in one.why for one in plan.archives)
    house.handle().maintain(dry_run=False)
    assert house.handle().value("Ada", "home").value == "Lund"
    assert house.handle().explain(first).state == "superseded"


def test_the_order_under_pressure(house: House) -> None:
    agent: dict[str, Any] = {"channel": "trusted_tool", "principal": "loader"}
    names = ["weak", "weaker", "strong", "used", "checked", "held", "kept"]
    ids = {name: house.say(name, "x", "note", **(agent if name.startswith("weak") else WHO)) for name in names}
    house.handle().recall("note of used")
    house.handle(channel="human_verified", principal="olga").verify(ids["checked"])
    house.handle().quarantine(claim=ids["held"], reason="under investigation")
    house.handle(channel="human_verified", principal="counsel").hold(id=ids["kept"], reason="case 7")
    plan = house.handle().maintain()
    assert [one.id for one in plan.archives] == [ids["weak"], ids["weaker"], ids["strong"]]
    assert plan.archives[0].why.startswith("More than 4 in use: confidence 0.70, unverified, shown")
    first = house.handle().maintain(dry_run=False, limit=1)  # interrupted
    assert [one.id for one in first.archives] == [ids["weak"]]
    rest = house.handle().maintain(dry_run=False)
    assert [one.id for one in rest.archives] == [ids["weaker"], ids["strong"]]
    assert house.handle().maintain(dry_run=False).archives == ()
    assert house.handle().explain(ids["held"]).state == "quarantined"
    assert house.handle().explain(ids["kept"]).state == "active"
    assert house.handle().explain(ids["strong"]).state == "archived"


def test_a_legal_hold_keeps_what_is_over_its_time(house: House) -> None:
    said = house.handle().remember("Blue herring, again and again!", evidence=tkg.Evidence(uri="chat"))
    house.handle(channel="human_verified", principal="counsel").hold(source="chat", reason="case 7")
    house.later(40)
    plan = house.handle().maintain()
    assert plan.archives == () and [(one.id, one.why) for one in plan.stays] == [(said[0].artefact_id, "case 7")]


def test_who_may_and_what_a_reader_sees(house: House) -> None:
    house.say("Ada", "Ystad")
    with pytest.raises(tkg.TkgError) as caught:
        house.handle(channel="agent_inferred", principal="bot").maintain(dry_run=False)
    assert caught.value.code == "not_permitted"
    house.memory.close()
    house.memory = house.open(read_only=True)
    assert house.memory.scope("acme").maintain().in_use == 1
    house.memory.close()
    house.memory = house.open()
