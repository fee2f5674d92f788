"""What is removed is gone from every file, not only from every answer."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tkg.clock import ManualClock
from tkg.errors import Busy
from tkg.ids import RandomIds
from tkg.ledger.sqlite import SqliteLedger, open_ledger, verify_ledger
from tkg.model.verdict import Note
from tkg.testing.ledger import START, claim_draft, note, one

IDS = RandomIds(ManualClock(START))


def opened(path: Path, *, create: bool = False) -> SqliteLedger:
    return open_ledger(path, "acme", ManualClock(START), IDS, create=create)


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def secrets_among_others(ledger: SqliteLedger) -> list[Note]:
    """Write secrets small and large, between others, so that pages are split and merged around them."""
    secrets = []
    for number in range(60):
        secrets.append(note(IDS, f"violet elephant {number} " * (1 if number % 3 else 900)))
        ledger.append([one(secrets[-1]), claim_draft(IDS), one(note(IDS, "plain " * (number * 7)))])
    return secrets


def test_removed_bytes_are_in_no_file(tmp_path: Path) -> None:
    with closing(opened(tmp_path / "acme" / "ledger.sqlite", create=True)) as ledger:
        secrets = secrets_among_others(ledger)
        folder = ledger.path.parent
        assert bytes_of(folder).count(b"violet elephant") >= 60  # they can be found while they are there
        assert ledger.remove_content(secret.id for secret in secrets) == 60
        assert b"violet" not in bytes_of(folder)
        assert b"plain plain" in bytes_of(folder)
        assert ledger.verify() == []
    assert b"violet" not in bytes_of(folder)


def test_a_reader_that_keeps_the_log_is_told_and_the_next_opening_finishes(tmp_path: Path) -> None:
    path = tmp_path / "acme" / "ledger.sqlite"
    with closing(opened(path, create=True)) as ledger:
        secrets = secrets_among_others(ledger)
        ledger._connection.execute("PRAGMA busy_timeout = 50")
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchone()
        with pytest.raises(Busy, match="the content is removed, but a reader"):
            ledger.remove_content([secrets[0].id])
        assert next(ledger.read_since(0)).records[0].model_dump()["body"] is None
        reader.execute("ROLLBACK")
        reader.close()
    with closing(opened(path)):
        assert b"violet elephant 0 " not in bytes_of(path.parent)
        assert b"violet elephant 1 " in bytes_of(path.parent)
    assert verify_ledger(path) == []


def test_a_kill_between_removing_and_rewriting_is_finished_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "acme" / "ledger.sqlite"
    ledger = opened(path, create=True)
    secrets = secrets_among_others(ledger)
    monkeypatch.setattr(SqliteLedger, "compact", lambda self: None)
    ledger.remove_content([secret.id for secret in secrets])
    ledger.close()
    monkeypatch.undo()
    opened(path).close()
    assert b"violet" not in bytes_of(path.parent)
