"""Declarations: in TOML, in sets that come with tkg, listed with their versions, and mined from what is stored."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tkg
from tests.memory.build import Stage
from tkg.belief.mining import Suggestion, as_toml, most_at_once
from tkg.errors import RequestError
from tkg.memory.settings import read_policies, shipped
from tkg.model.predicate import Registry


def filled() -> Stage:
    stage = Stage({"skill": {"cardinality": "many"}})
    for number in range(8):
        who = f"person {number}"
        stage.says("ana", who, "badge", f"badge {number}")
        stage.says("ana", who, "hired", f"20{10 + number}-05")
        stage.says("ana", who, "left", f"20{15 + number}-06")
        stage.says("ana", who, "skill", "welding")
        stage.says("ana", who, "skill", "first aid")
        stage.says("ana", who, "peer_of", f"person {number ^ 1}")
    return stage


def test_what_is_stored_speaks_for_declarations_and_none_takes_effect() -> None:
    stage = filled()
    found = {(one.predicate, one.key): one for one in stage.memory.scope("acme").suggest_predicates()}
    assert found["badge", "cardinality"].value == '"one"'
    assert found["badge", "inverse_functional"].holds == 8
    assert found["hired", "datatype"].value == '"date"'
    assert found["hired", "order"].value == '["before left"]'
    assert found["peer_of", "symmetric"].confidence == 1.0
    assert ("skill", "cardinality") not in found and ("skill", "inverse_functional") not in found
    assert ("badge", "datatype") not in found
    assert not stage.memory.scope("acme").predicates()[1].declared
    read = tomllib.loads(as_toml(found.values()))["predicates"]
    assert Registry.of(read).get("hired").order == ("before left",)


def test_one_exception_lowers_the_confidence_and_is_shown() -> None:
    stage = filled()
    stage.says("ana", "person 3", "badge", "badge 99")
    low = stage.memory.scope("acme").suggest_predicates(least_confidence=0.5)
    (badge,) = (one for one in low if (one.predicate, one.key) == ("badge", "cardinality"))
    assert (badge.support, badge.holds, badge.against) == (8, 7, ("person 3: badge 3, badge 99",))
    strict = stage.memory.scope("acme").suggest_predicates()
    assert ("badge", "cardinality") not in {(one.predicate, one.key) for one in strict}


@pytest.mark.parametrize("empty", ["2026/2025", "2026-03-15/2026"])
def test_an_interval_that_is_none_is_a_value_that_is_no_date(empty: str) -> None:
    stage = filled()
    stage.says("ana", "person 9", "hired", empty)
    low = stage.memory.scope("acme").suggest_predicates(least_confidence=0.5)
    (hired,) = (one for one in low if (one.predicate, one.key) == ("hired", "datatype"))
    assert (hired.value, hired.support, hired.holds) == ('"date"', 9, 8)


def test_a_revoked_claim_speaks_for_nothing() -> None:
    stage = filled()
    stage.revoke(source="mail/ana")
    assert stage.memory.scope("acme").suggest_predicates() == []


@pytest.mark.parametrize("wrong", [{"least_support": 0}, {"least_confidence": 0.0}, {"least_confidence": 1.5}])
def test_bounds_that_say_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(RequestError):
        filled().memory.scope("acme").suggest_predicates(**wrong)  # type: ignore[arg-type]


@given(st.text(min_size=1, max_size=12))
def test_any_name_is_a_key_of_the_table(name: str) -> None:
    text = as_toml([Suggestion(name, "symmetric", "true", 5, 5, (), ())])
    assert tomllib.loads(text)["predicates"] == {name: {"symmetric": True}}


def test_a_value_after_the_end_of_another_is_no_second_value_at_once() -> None:
    stage = Stage()
    stage.says("ana", "Ana", "city", "Lisbon", valid_from="2026-01-01", valid_to="2026-01")
    stage.says("ana", "Ana", "city", "Berlin", valid_from="2026-02-01")
    graph = stage.memory.tenant("acme").graph
    claims = [view.claim for one in graph.claims_of("city") if (view := graph.claim(one)) is not None]
    assert (len(claims), most_at_once(claims)) == (2, 1)


def test_the_sets_that_come_with_tkg_are_sound_and_taken_by_name(tmp_path: Path) -> None:
    file = tmp_path / "tkg.toml"
    file.write_text('shipped = ["people", "accounts"]\n[predicates.lives_in]\ncardinality = "many"\n', encoding="utf-8")
    registry = read_policies(file).write.registry
    assert registry.get("same_as").symmetric and registry.get("payee").consequence == "high"
    assert registry.get("lives_in").limit is None
    assert not registry.get("team_lead").declared
    assert sum(len(part.predicates) for part in shipped().values()) > 30
    for part in shipped().values():
        named = {rule.split(" ", 1)[1] for one in part.predicates.values() for rule in one.order}
        named |= {one.inverse_of for one in part.predicates.values() if one.inverse_of}
        assert named <= set(part.predicates)


def test_the_sets_that_come_with_tkg_use_the_names_that_are_read_from_text(tmp_path: Path) -> None:
    tmp_path.joinpath("tkg.toml").write_text('shipped = ["people", "work"]\n', encoding="utf-8")
    with tkg.open(tmp_path, engine="memory") as memory:
        handle = memory.scope("acme", channel="human_stated", principal="ana")
        handle.remember("Ana Reed works for Initech. Ana Reed lives in Leeds.", speaker="ana")
        assert handle.value("Initech", "employs").value == "Ana Reed"
        undeclared = [one.name for one in handle.predicates() if not one.declared]
        assert undeclared == [] and handle.value("Ana Reed", "lives_in").value == "Leeds"


@pytest.mark.parametrize("text", ['shipped = ["no such set"]', "shipped = true", 'shiped = ["people"]'])
def test_a_set_that_is_not_there_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "tkg.toml").write_text(text, encoding="utf-8")
    with pytest.raises(RequestError):
        read_policies(tmp_path / "tkg.toml")


def test_versions_of_a_declaration_are_listed_with_their_transactions(tmp_path: Path) -> None:
    stage = Stage({"city": {"cardinality": "one"}}, path=tmp_path / "store")
    stage.says("ana", "Ana", "city", "Lisbon")
    first = stage.memory.scope("acme").predicates()
    stage.reopen({"city": {"cardinality": 2}})
    handle = stage.memory.scope("acme")
    second = handle.predicates()
    assert [(one.keys, one.since, one.versions, one.claims) for one in (*first, *second)] == [
        ({"cardinality": "one"}, 1, 1, 1),
        ({"cardinality": 2}, 3, 2, 1),
    ]
    assert handle.predicates(as_of=first[0].since)[0].keys == {"cardinality": "one"}
    stage.memory.close()
