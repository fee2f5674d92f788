"""Working notes: they last as long as their run, are found again after a crash, and become memory in no way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.errors import NotPermitted, Rejected, RequestError, TooLarge
from tkg.ids import SeededIds
from tkg.memory.handle import Handle

START = datetime(2026, 3, 1, tzinfo=UTC)
TEXT = "ask the Larch lead about zanthoxylum"


def opened(path: Path | None, clock: ManualClock | None = None, *, read_only: bool = False) -> tkg.Memory:
    clock = clock or ManualClock(START, timedelta(milliseconds=1))
    memory = tkg.open(path, clock=clock, ids=SeededIds(3), engine="memory", read_only=read_only)
    if not read_only:
        memory.create_tenant("acme")
    return memory


def agent(
    memory: tkg.Memory, session: str | None = "run-7", user: str | None = None, principal: str = "agent"
) -> Handle:
    return memory.scope("acme", user, channel="agent_inferred", principal=principal, session=session)


def holding(path: Path, text: str = "zanthoxylum") -> list[str]:
    return [one.name for one in path.rglob("*") if one.is_file() and text.encode() in one.read_bytes()]


@pytest.mark.parametrize("filed", [True, False])
def test_a_run_keeps_its_notes_until_it_ends(tmp_path: Path, filed: bool) -> None:
    with opened(tmp_path / "s" if filed else None) as memory:
        run = agent(memory)
        head = memory.tenant("acme").ledger.head.seq
        run.note("next", "ask Bo")
        run.note("done", "read the guide")
        run.note("next", TEXT)
        assert run.notes() == {"next": TEXT, "done": "read the guide"}
        # they are nowhere else: not in the ledger, not recalled, not exported
        assert memory.tenant("acme").ledger.head.seq == head
        assert agent(memory, "run-8").recall("who is the Larch lead").items == ()
        assert "zanthoxylum" not in "\n".join(memory.scope("acme").export())
        assert run.end_run() == 2
        assert run.notes() == {} and run.end_run() == 0
    assert holding(tmp_path) == []


def test_another_run_user_or_principal_reads_none_of_it() -> None:
    with opened(None) as memory:
        agent(memory).note("next", TEXT)
        for other in (
            agent(memory, "run-8"),
            agent(memory, user="ana"),
            agent(memory, principal="other"),
            memory.scope("acme", session="run-7"),
        ):
            assert other.notes() == {}
        assert agent(memory).notes() == {"next": TEXT}


def test_a_run_that_died_finds_its_notes_again_and_ending_it_destroys_them(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    agent(memory).note("next", TEXT)
    memory.close()  # nothing was ended
    with opened(tmp_path) as again:
        assert agent(again).notes() == {"next": TEXT}
        assert holding(tmp_path) != []
        assert again.verify().ok and again.doctor() is not None
        agent(again).end_run()
    assert holding(tmp_path) == []


def test_a_run_that_nobody_ended_is_over_after_a_day(tmp_path: Path) -> None:
    clock = ManualClock(START)
    with opened(tmp_path, clock) as memory:
        agent(memory).note("next", TEXT)
        clock.set(START + timedelta(hours=24))
        assert agent(memory).notes() == {"next": TEXT}
        clock.set(START + timedelta(hours=24, seconds=1))
        assert agent(memory).notes() == {}
        agent(memory, "run-8").note("a", "b")  # whoever keeps a note next clears it away
        assert holding(tmp_path) == []


def test_no_backup_has_them_and_an_erasure_reaches_them(tmp_path: Path) -> None:
    with opened(tmp_path / "s") as memory:
        person = memory.scope("acme", channel="human_verified", principal="ana")
        said = person.remember("The Larch lead grows zanthoxylum.", evidence=tkg.Evidence(uri="mail/1"))
        agent(memory).note("next", "The Larch lead grows zanthoxylum.")
        memory.backup(tmp_path / "b")
        assert not [name for name in holding(tmp_path / "b") if name.startswith("working-")]
        person.forget(artefact=said[0].artefact_id, reason="asked")
        assert agent(memory).notes() == {}
    assert not [name for name in holding(tmp_path / "s") if name.startswith("working-")]


def test_what_is_refused() -> None:
    with opened(None) as memory:
        with pytest.raises(RequestError, match="session"):
            agent(memory, None).note("next", TEXT)
        with pytest.raises(Rejected):
            agent(memory).note("next", "the password is Kestrel!Banana7")
        with pytest.raises(NotPermitted):
            memory.scope("acme", session="run-7").note("next", TEXT)
        for number in range(200):
            agent(memory).note(f"n{number}", "x")
        with pytest.raises(TooLarge):
            agent(memory).note("one more", "x")
        assert len(agent(memory).notes()) == 200


def test_a_damaged_file_is_no_notes_and_goes(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        agent(memory).note("next", TEXT)
        (file,) = tmp_path.rglob("working-*.json")
        file.write_text('{"at": "now", "notes"')
        assert agent(memory).notes() == {}
        agent(memory).note("again", "x")
        assert agent(memory).notes() == {"again": "x"}
