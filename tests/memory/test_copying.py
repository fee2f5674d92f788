"""A backup taken while somebody writes is a commit boundary, and what is restored is what was backed up."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import tkg
from tests.memory.test_checking import fill, verify, write
from tkg.errors import Damaged, NotFound, NotPermitted, RequestError
from tkg.memory import copying
from tkg.memory.copying import backup, restore


def entries(path: Path) -> list[str]:
    with tkg.open(path, engine="memory", read_only=True) as memory:
        return [row.hash for row in memory.tenant("acme").ledger.rows()]


def test_a_backup_while_writing_is_a_commit_boundary(tmp_path: Path) -> None:
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        write(memory, 0, 3)
        stop = threading.Event()

        def go_on() -> None:
            acme = memory.scope("acme", channel="human_stated", principal="ana")
            number = 100
            while not stop.is_set():
                acme.propose(subject=f"pump {number}", predicate="state", object="on", evidence=tkg.Evidence(uri="log"))
                number += 1

        writer = threading.Thread(target=go_on)
        writer.start()
        try:
            made = [backup(tmp_path / "m", tmp_path / f"copy{number}") for number in range(6)]
        finally:
            stop.set()
            writer.join()
    whole = entries(tmp_path / "m")
    sizes = [one.tenants[0].entries for one in made]
    assert sizes == sorted(sizes) and sizes[-1] > sizes[0], "nothing was written between"
    for number, one in enumerate(made):
        restore(tmp_path / f"copy{number}", tmp_path / f"again{number}")
        assert entries(tmp_path / f"again{number}") == whole[: one.tenants[0].entries]
        assert verify(tmp_path / f"again{number}").ok


def test_what_is_restored_goes_on_and_is_the_same(tmp_path: Path) -> None:
    folder = fill(tmp_path / "m")
    (tmp_path / "m" / "tkg.toml").write_text('[predicates.pressure]\ncardinality = "one"\n')
    (folder / "receipts").mkdir()
    (folder / "receipts" / "r1.json").write_text("{}")
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        memory.backup(tmp_path / "copy")
    names = {one.name for one in (tmp_path / "copy").rglob("*") if one.is_file()}
    assert names == {"store.json", "tkg.toml", "head.key", "head.json", "r1.json", "ledger.sqlite", "backup.json"}
    restore(tmp_path / "copy", tmp_path / "again")
    assert entries(tmp_path / "again") == entries(tmp_path / "m")
    with tkg.open(tmp_path / "again", engine="memory") as memory:
        assert memory.scope("acme").value("pump 3", "pressure").value == "3 bar"
        write(memory, 50, 2)
    assert verify(tmp_path / "again").ok


def test_targets_that_hold_something_are_refused(tmp_path: Path) -> None:
    fill(tmp_path / "m")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").write_text("x")
    for target in (tmp_path / "full", tmp_path / "m", tmp_path / "m" / "inside", tmp_path / "full" / "kept"):
        with pytest.raises(RequestError):
            backup(tmp_path / "m", target)
    with pytest.raises(NotFound):
        backup(tmp_path / "nowhere", tmp_path / "copy")
    backup(tmp_path / "m", tmp_path / "copy")
    with pytest.raises(RequestError):
        restore(tmp_path / "copy", tmp_path / "full")
    with pytest.raises(NotFound):
        restore(tmp_path / "m", tmp_path / "again")
    with tkg.open(None, engine="memory") as memory, pytest.raises(NotPermitted):
        memory.backup(tmp_path / "x")


@pytest.mark.parametrize("place", [100, 5000, -1])
def test_a_changed_backup_is_refused_and_leaves_nothing(tmp_path: Path, place: int) -> None:
    fill(tmp_path / "m")
    made = backup(tmp_path / "m", tmp_path / "copy")
    ledger = tmp_path / "copy" / "tenants" / made.tenants[0].folder / "ledger.sqlite"
    content = bytearray(ledger.read_bytes())
    content[place] ^= 1
    ledger.write_bytes(content)
    with pytest.raises(Damaged, match="take another backup"):
        restore(tmp_path / "copy", tmp_path / "again")
    assert not (tmp_path / "again").exists() and not (tmp_path / "again.new").exists()
    (tmp_path / "copy" / "backup.json").write_text("[]")
    with pytest.raises(Damaged):
        restore(tmp_path / "copy", tmp_path / "again")


def test_a_damaged_store_is_not_backed_up_as_if_it_were_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fill(tmp_path / "m")
    content = (folder / "ledger.sqlite").read_bytes().replace(b'"propose"', b'"PROPOSE"', 1)
    (folder / "ledger.sqlite").write_bytes(content)
    with pytest.raises(Damaged):
        backup(tmp_path / "m", tmp_path / "copy")
    assert not (tmp_path / "copy").exists() and not (tmp_path / "copy.new").exists()

    def torn(*_: object) -> None:
        raise OSError(28, "No space left on device")

    good = fill(tmp_path / "good").parent.parent
    monkeypatch.setattr(copying, "write_whole", torn)
    with pytest.raises(tkg.TkgError) as caught:
        backup(good, tmp_path / "copy")
    assert caught.value.code == "disk_full" and not (tmp_path / "copy.new").exists()
