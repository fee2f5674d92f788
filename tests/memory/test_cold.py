"""What left recall: its content in the cold file, in audit, export, backup and replay as before, and gone when erased."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.engines import ENGINES, engine_or_skip
from tests.memory.test_maintaining import House
from tkg.errors import Conflict, NotFound, NotPermitted
from tkg.ledger.cold import NAME
from tkg.memory.copying import restore
from tkg.memory.directory import folder_name

pytestmark = pytest.mark.engine
POLICY = """
[forget]
archive_days = 60
summarise_from = 3
[forget.episode_days]
human_stated = 30
agent_inferred = 400
[predicates.home]
cardinality = "one"
"""
TURNS = (
    "The blue herring smokes badly in wet weather. It was a long day.",
    "We should smoke the blue herring with alder, says Bo.",
    "Bo also asked about lunch.",
    "Alder it is for the herring, from the second shed.",
)


def folder(house: House) -> Path:
    return house.root / "tenants" / folder_name("acme")


def chat(house: House, session: str = "ses-1", turns: tuple[str, ...] = TURNS, **who: Any) -> list[str]:
    """Remember some turns and return the episodes."""
    handle = house.memory.scope("acme", channel="human_stated", principal="ana", session=session, **who)
    said = []
    for number, text in enumerate(turns):
        evidence = tkg.Evidence(uri=f"chat/{session}")
        (first, *_) = handle.remember(text, evidence=evidence, speaker="Ana", turn=str(number))
        said.append(str(first.artefact_id))
    return said


@pytest.fixture(params=ENGINES)
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    made = House(tmp_path / "store", engine_or_skip(request.param), POLICY)
    yield made
    made.memory.close()


def aged(house: House) -> list[str]:
    """Leave a store in which two turns of a person's chat are over their time and in the cold file."""
    said = chat(house, turns=TURNS[:2])
    house.say("Ada", "Ystad")
    house.later(31)
    done = house.handle().maintain(dry_run=False)
    assert {one.id for one in done.archives} == set(said) and done.moved >= 2
    return said


def test_it_leaves_recall_and_the_ledgers_file_but_not_audit(house: House) -> None:
    said = aged(house)
    handle = house.handle()
    assert not house.shown("blue herring") & set(said)
    assert TURNS[0] in str(handle.explain(said[0]).content)
    lines = list(handle.export())
    assert any("smokes badly" in line for line in lines)
    assert house.memory.verify().ok
    house.memory.close()
    assert b"smokes badly" not in (folder(house) / "ledger.sqlite").read_bytes()
    assert b"smokes badly" in (folder(house) / NAME).read_bytes()
    house.memory = house.open()
    house.memory.rebuild("acme")
    assert list(house.handle().export()) == lines and not house.shown("blue herring") & set(said)
    assert house.handle().maintain(dry_run=False).moved == 0  # once is enough
    house.memory.close()
    house.memory = house.open(read_only=True)
    assert TURNS[0] in str(house.memory.scope("acme").explain(said[0]).content)
    assert house.memory.verify().ok


def test_a_backup_and_an_archive_carry_it(house: House, tmp_path: Path) -> None:
    said = aged(house)
    lines = list(house.handle().export(portable=True))
    house.memory.backup(tmp_path / "copy")
    restore(tmp_path / "copy", tmp_path / "restored")
    with tkg.open(tmp_path / "restored", engine="memory", clock=house.clock) as memory:
        assert list(memory.scope("acme").export(portable=True)) == lines and memory.verify().ok
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "tkg.toml").write_text(POLICY, encoding="utf-8")  # its predicates are the policy's
    with tkg.open(tmp_path / "other", engine="memory", clock=house.clock) as memory:
        memory.import_archive(lines)
        assert list(memory.scope("acme").export(portable=True)) == lines
        assert TURNS[0] in str(memory.scope("acme").explain(said[0]).content)
    cut = tmp_path / "copy" / "tenants" / folder_name("acme") / NAME
    cut.write_bytes(cut.read_bytes()[:-1])
    with pytest.raises(tkg.TkgError, match="changed or cut"):
        restore(tmp_path / "copy", tmp_path / "again")


def test_erasing_takes_it_from_the_cold_file(house: House) -> None:
    aged(house)
    officer = house.handle(channel="human_verified", principal="olga")
    assert b"smokes badly" in (folder(house) / NAME).read_bytes()
    done = officer.forget(source="chat/ses-1", reason="asked")
    assert not any(b"smokes badly" in one.read_bytes() for one in house.root.rglob("*") if one.is_file())
    row = next(one for one in done.receipt["per_store"] if one["store"] == "archive")
    assert row["before_count"] >= 2 and row["after_count"] == 0 and row["hits_before"] > 0 and row["hits"] == 0
    assert all(check.holds for check in officer.verify_receipt(done.receipt))
    assert house.memory.verify().ok


def test_episodes_of_a_session_become_one_summary_that_rests_on_them(house: House) -> None:
    said, other = chat(house), chat(house, "ses-2", ("Nothing of interest here.", "Nor here."))
    house.later(31)
    plan = house.handle().maintain()
    (planned,) = plan.summaries
    assert planned.sources == tuple(said) and planned.id is None and planned.label == "agent_inferred"
    kept = planned.content.splitlines()
    assert kept[0] == "Ana: The blue herring smokes badly in wet weather."  # words that were said, in their order
    assert any("alder" in line.lower() for line in kept)
    before = house.memory.tenant("acme").ledger.head.seq
    done = house.handle().maintain(dry_run=False)
    (made,) = done.summaries
    assert made.id is not None and made.outcome == "accepted" and made.content == planned.content
    assert house.memory.tenant("acme").ledger.head.seq == before + 1 + len(said) + len(other)
    told = house.handle().explain(made.id)
    assert told.kind == "summary" and told.rests_on == (tuple(said),)
    shown = house.shown("blue herring alder")
    assert made.id in shown and not shown & set(said)
    assert house.handle().maintain(dry_run=False).summaries == ()
    # what it rests on takes it along
    house.handle(channel="human_verified", principal="olga").forget(artefact=said[0], reason="asked")
    assert house.handle().explain(made.id).state == "erased"


def test_it_is_taken_back(house: House) -> None:
    said = chat(house)
    house.later(31)
    (made,) = house.handle().maintain(dry_run=False).summaries
    assert made.id is not None
    assert set(house.handle().unarchive(made.id, "we need the words")) == set(said)
    shown = house.shown("blue herring alder")
    assert set(said) & shown and made.id not in shown
    assert house.handle().maintain().archives == ()  # their time began anew
    house.later(31)
    again = house.handle().maintain(dry_run=False)
    assert {one.id for one in again.archives} >= set(said) and len(again.summaries) == 1
    assert house.handle().unarchive(said[0], "this one") == (said[0],)
    with pytest.raises(Conflict, match="it is in recall"):
        house.handle().unarchive(said[0], "this one")
    with pytest.raises(NotPermitted):
        house.handle(channel="agent_inferred", principal="bot").unarchive(said[1], "please")


def test_what_a_user_said_is_summarised_by_that_user_only(house: House) -> None:
    said = chat(house, user="ana")
    house.later(31)
    assert house.handle().maintain().summaries == ()
    own = house.memory.scope("acme", "ana", channel="human_stated", principal="ana")
    (made,) = own.maintain(dry_run=False).summaries
    assert made.id is not None and own.explain(made.id).scope == "acme/ana"
    with pytest.raises(NotFound):
        house.memory.scope("acme", "bo", channel="human_stated", principal="bo").unarchive(said[0], "mine")
