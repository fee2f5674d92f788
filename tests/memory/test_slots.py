"""What belongs to a slot: the other end of a predicate, other names of a subject, and clashes with other slots."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import ENGINES, engine_or_skip
from tests.memory.build import Stage
from tkg.errors import InvalidPredicate
from tkg.model.predicate import Registry

pytestmark = pytest.mark.engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


PARTNERS = {"partner_of": {"symmetric": True}, "employs": {"inverse_of": "works_for"}, "works_for": {}}


def test_a_symmetric_claim_from_the_other_end_is_the_same_claim_with_more_evidence(engine: str) -> None:
    stage = Stage(PARTNERS, engine=engine)
    forward = stage.says("ana", "Mill", "partner_of", "Press")
    backward = stage.tells("bo", "Press", "partner_of", "Mill")
    assert (backward.outcome, backward.claim_id) == ("reinforced", forward)
    assert stage.holds("Mill", "partner_of") == ("Press",)
    assert stage.holds("Press", "partner_of") == ("Mill",)
    stage.revoke(source="mail/ana")
    assert stage.holds("Press", "partner_of") == ("Mill",)
    stage.revoke(source="mail/bo")
    assert stage.holds("Press", "partner_of") == () == stage.holds("Mill", "partner_of")


def test_an_inverse_predicate_answers_from_its_other_end(engine: str) -> None:
    stage = Stage(PARTNERS, engine=engine)
    claim = stage.says("ana", "Mill", "employs", "Noor Haddad")
    assert stage.holds("Noor Haddad", "works_for") == ("Mill",)
    again = stage.tells("bo", "Noor Haddad", "works_for", "Mill")
    assert (again.outcome, again.claim_id) == ("reinforced", claim)
    assert stage.holds("Noor Haddad", "partner_of") == ()


def test_two_names_are_one_entity_while_the_claim_that_says_so_stands(engine: str) -> None:
    stage = Stage({"desk": {"cardinality": "one"}, "boss": {"cardinality": "one", "datatype": "entity"}}, engine=engine)
    full = stage.says("ana", "Noor Haddad", "desk", "C4")
    before = stage.memory.tenant("acme").ledger.head.seq
    merge = stage.says("ana", "N. Haddad", "same_as", "Noor Haddad")
    assert stage.holds("N. Haddad", "desk") == ("C4",)
    assert stage.holds("N. Haddad", "desk", as_of=before) == ()
    stage.says("bo", "Ida", "boss", "Noor Haddad")
    agreed = stage.tells("cy", "Ida", "boss", "N. Haddad")
    assert agreed.outcome == "reinforced"
    moved = stage.says("ana", "N. Haddad", "desk", "F2")
    assert stage.holds("Noor Haddad", "desk") == ("F2",)
    assert (stage.state(full), stage.state(moved)) == ("superseded", "active")
    stage.revoke(claim=merge)
    assert stage.holds("Noor Haddad", "desk") == ("C4",)
    assert stage.holds("N. Haddad", "desk") == ("F2",)


def test_what_one_user_calls_the_same_is_the_same_for_nobody_else() -> None:
    stage = Stage({"desk": {"cardinality": "one"}})
    stage.says("ana", "Noor Haddad", "desk", "C4")
    stage.says("ana", "N. Haddad", "same_as", "Noor Haddad", user="ana")
    assert stage.holds("N. Haddad", "desk", user="ana") == ("C4",)
    assert stage.holds("N. Haddad", "desk", user="bo") == () == stage.holds("N. Haddad", "desk")


def test_recall_follows_another_name_of_one_entity() -> None:
    stage = Stage({"desk": {"cardinality": "one"}})
    old = stage.says("ana", "Noor Haddad", "desk", "C4")
    stage.says("ana", "N. Haddad", "same_as", "Noor Haddad")
    stage.later()
    new = stage.says("ana", "N. Haddad", "desk", "F2")
    shown = [item.id for item in stage.by("ana").recall("desk of Noor Haddad", k=10).items]
    assert new in shown and old not in shown


CLASHING = {
    "passport_number": {"inverse_functional": True},
    "retired_from": {"excludes": ["employed_by"]},
    "employed_by": {"cardinality": "one"},
    "started_at": {"datatype": "date"},
    "ended_at": {"datatype": "date", "order": ["after started_at"]},
    "on_call": {"cardinality": 2},
    "tenure": {"values": [["tenant|renter", "owner"]]},
}


@pytest.mark.parametrize(
    ("first", "second", "pattern"),
    [
        (("Ana", "passport_number", "X 123"), ("Bo", "passport_number", "x 123"), "C4"),
        (("Ana", "employed_by", "Mill"), ("Ana", "retired_from", "Press"), "C6"),
        (("Ana", "retired_from", "Press"), ("Ana", "employed_by", "Mill"), "C6"),
        (("Ana", "started_at", "2025-05"), ("Ana", "ended_at", "2024-05"), "C7"),
        (("Ana", "ended_at", "2024-05"), ("Ana", "started_at", "2025-05"), "C7"),
    ],
)
def test_a_clash_with_another_slot_is_recorded_named_and_decided_by_a_person(
    engine: str, first: tuple[str, str, str], second: tuple[str, str, str], pattern: str
) -> None:
    stage = Stage(CLASHING, engine=engine)
    one = stage.says("ana", *first)
    verdict = stage.tells("bo", *second)
    assert verdict.outcome == "accepted"
    named = {check.check: check.code for check in verdict.checks or ()}
    assert named["contradiction"] == f"pattern-{pattern}"
    shown = stage.memory.scope("acme").explain(verdict.claim_id or "")
    assert [(edge.edge, edge.other, edge.rule) for edge in shown.edges] == [
        ("conflicts_with", one, f"pattern-{pattern}")
    ]
    assert (stage.state(one), shown.state) == ("active", "active")


def test_more_values_than_a_predicate_takes_clash(engine: str) -> None:
    stage = Stage(CLASHING, engine=engine)
    first, second = stage.says("ana", "pager", "on_call", "Ida"), stage.says("bo", "pager", "on_call", "Noor")
    assert stage.memory.scope("acme").explain(second).edges == ()
    third = stage.tells("cy", "pager", "on_call", "Ola")
    shown = stage.memory.scope("acme").explain(third.claim_id or "")
    assert sorted((edge.other, edge.rule) for edge in shown.edges) == sorted(
        [(first, "pattern-C5"), (second, "pattern-C5")]
    )


def test_what_was_superseded_excludes_nothing() -> None:
    stage = Stage(CLASHING)
    stage.says("ana", "Ana", "employed_by", "Mill", valid_from="2026-01-01")
    stage.says("ana", "Ana", "employed_by", "Press", valid_from="2026-02-01", valid_to="2026-02")
    stage.says("ana", "Ana", "employed_by", "Dock", valid_from="2026-03-01")
    calm = stage.tells("ana", "Ana", "retired_from", "Mill", valid_from="2026-02-01", valid_to="2026-02-10")
    rules = [edge.other for edge in stage.memory.scope("acme").explain(calm.claim_id or "").edges]
    press = stage.memory.scope("acme").value("Ana", "employed_by", valid_at="2026-02-05").claims
    assert rules == list(press)


def test_a_value_of_another_type_waits_for_a_person(engine: str) -> None:
    stage = Stage(CLASHING, engine=engine)
    verdict = stage.tells("ana", "Ana", "started_at", "some day soon")
    assert (verdict.outcome, verdict.code) == ("quarantined", "pattern-C8")
    assert stage.holds("Ana", "started_at") == ()
    assert [one.id for one in stage.by("bo").review()] == [verdict.claim_id]
    assert stage.tells("ana", "Ana", "started_at", "2025-05").outcome == "accepted"


def test_names_of_a_predicate_that_differ_only_in_writing_are_one(engine: str) -> None:
    stage = Stage({"lives_in": {"cardinality": "one"}}, engine=engine)
    stage.says("ana", "Ana", "lives_in", "Lisbon")
    stage.later()
    stage.says("ana", "Ana", "Lives_In", "Berlin")
    assert stage.holds("Ana", "LIVES_IN") == ("Berlin",)
    with pytest.raises(InvalidPredicate):
        Registry.of({"lives_in": {}, "Lives_In": {}})


def test_aliases_are_known_again_after_reopening(tmp_path: Path, engine: str) -> None:
    stage = Stage({"desk": {"cardinality": "one"}}, engine=engine, path=tmp_path / "store", graph_file_above=-1)
    stage.says("ana", "Noor Haddad", "desk", "C4")
    stage.says("ana", "N. Haddad", "same_as", "Noor Haddad")
    stage.reopen()
    assert stage.holds("N. Haddad", "desk") == ("C4",)
    stage.memory.close()


def test_a_replay_reads_by_the_declarations_of_its_day(tmp_path: Path, engine: str) -> None:
    stage = Stage({}, engine=engine, path=tmp_path / "store")
    stage.says("ana", "Ana", "lives_in", "Lisbon")
    stage.later()
    stage.says("ana", "Ana", "lives_in", "Berlin")
    then = stage.memory.tenant("acme").ledger.head.seq
    assert stage.holds("Ana", "lives_in") == ("Lisbon", "Berlin")
    stage.reopen({"lives_in": {"cardinality": "one"}})
    assert stage.holds("Ana", "lives_in") == ("Berlin",)
    assert stage.holds("Ana", "lives_in", as_of=then) == ("Lisbon", "Berlin")
    declared = stage.memory.tenant("acme").ledger.head.seq
    assert declared == then + 1
    stage.reopen()
    assert stage.memory.tenant("acme").ledger.head.seq == declared
    stage.reopen({})
    assert stage.holds("Ana", "lives_in") == ("Lisbon", "Berlin")
    assert stage.holds("Ana", "lives_in", as_of=declared) == ("Berlin",)
    stage.memory.close()
