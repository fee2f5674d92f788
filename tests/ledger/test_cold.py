"""What is moved to the cold file is whole there, found by every reader, and gone from both files when it is removed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.ledger.test_erasure import IDS, bytes_of, opened, secrets_among_others
from tkg.clock import ManualClock
from tkg.errors import Damaged, NewerFormat
from tkg.files import seal_state
from tkg.ledger import cold, file
from tkg.ledger.sqlite import SqliteLedger, open_ledger, verify_ledger
from tkg.testing.ledger import START


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with sixty secrets, none of them moved yet."""
    place = tmp_path / "acme" / "ledger.sqlite"
    with closing(opened(place, create=True)) as ledger:
        secrets_among_others(ledger)
    return place


def violet(ledger: SqliteLedger) -> list[str]:
    return [one for one, text in ledger.sealed() if "violet" in text]


def test_moved_bytes_are_in_the_cold_file_only(path: Path) -> None:
    with closing(opened(path)) as ledger:
        entries = list(ledger.read_since(0))
        assert ledger.archive(violet(ledger)) == 60 and ledger.verify() == []
    assert b"violet" not in path.read_bytes() and cold.place_of(path).read_bytes().count(b"violet elephant") >= 60
    assert seal_state(path) == seal_state(cold.place_of(path)) == "sealed"
    assert not cold.place_of(path).stat().st_mode & 0o077
    with closing(opened(path)) as ledger:
        assert list(ledger.read_since(0)) == entries
    assert verify_ledger(path, "acme") == []


def test_removed_from_the_cold_file_is_gone_from_every_file(path: Path) -> None:
    with closing(opened(path)) as ledger:
        ids = violet(ledger)
        ledger.archive(ids[:40])
        assert ledger.remove_content(ids) == 60
        assert b"violet" not in bytes_of(path.parent) and ledger.verify() == []


def test_a_reader_from_before_finds_what_was_moved_meanwhile(path: Path) -> None:
    with closing(open_ledger(path, "acme", ManualClock(START), IDS, read_only=True)) as reader:
        entries, sealed = list(reader.read_since(0)), list(reader.sealed())
        reading = reader.read_since(0)
        first = next(reading)
        with closing(opened(path)) as ledger:
            ledger.archive(violet(ledger))
            assert [first, *reading] == entries and list(reader.sealed()) == sealed
            assert list(reader.read_since(0)) == entries


@pytest.mark.parametrize("step", ["make", "copy", "mark"])
def test_a_kill_between_the_steps_loses_nothing_and_leaves_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """The run ends right after a step; an erasure that comes next takes what lies in the cold file already."""
    ledger = opened(path)
    entries, ids = list(ledger.read_since(0)), violet(ledger)
    after = {"make": "copy", "copy": "mark"}.get(step)

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    if after is None:
        monkeypatch.setattr(SqliteLedger, "compact", dies)
    else:
        monkeypatch.setattr(cold, after, dies)
    with pytest.raises(KeyboardInterrupt):
        ledger.archive(ids)
    ledger.close()
    monkeypatch.undo()
    with closing(opened(path)) as ledger:
        assert list(ledger.read_since(0)) == entries and ledger.verify() == []
        ledger.remove_content(ids)
        assert b"violet" not in bytes_of(path.parent)
        assert ledger.verify() == []


def test_a_cold_file_that_is_missing_or_anothers_is_damage(path: Path, tmp_path: Path) -> None:
    with closing(opened(path)) as ledger:
        ledger.archive(violet(ledger))
    other = tmp_path / "other" / "ledger.sqlite"
    with closing(opened(other, create=True)) as ledger:
        secrets_among_others(ledger)
        ledger.archive(violet(ledger))
    place = cold.place_of(path)
    whole = place.read_bytes()
    place.write_bytes(cold.place_of(other).read_bytes())
    with pytest.raises(Damaged, match="belongs to another ledger"):
        opened(path)
    place.unlink()
    with pytest.raises(Damaged, match="is missing"):
        opened(path)
    assert verify_ledger(path, "acme")
    place.write_bytes(whole)
    assert verify_ledger(path, "acme") == []
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("DELETE FROM moved WHERE place = (SELECT max(place) FROM moved)")
        connection.commit()
    (said,) = verify_ledger(path, "acme")
    assert "half there" in said.detail
    with closing(opened(path)) as ledger, pytest.raises(Damaged, match="half there"):
        list(ledger.read_since(0))


def test_a_ledger_that_does_not_find_its_own_key_is_damage(path: Path) -> None:
    """The index over the names in `meta` is damaged, its rows are not: an error of tkg, none of Python."""
    with closing(opened(path)) as ledger:
        ledger.archive(violet(ledger))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'content_commitment'")
        connection.execute("UPDATE meta SET name = 'kex' WHERE name = 'key'")
        connection.commit()
    with pytest.raises(Damaged):
        opened(path)
    assert verify_ledger(path, "acme")


def test_an_older_version_refuses_instead_of_reading_it_as_erased(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(path)) as ledger:
        ledger.archive(violet(ledger))
    monkeypatch.setattr(file, "FORMAT", 1)
    with pytest.raises(NewerFormat, match="pip install --upgrade tkg"):
        opened(path)
