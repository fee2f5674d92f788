"""SQLite's errors become ours, and a failure at any call leaves the state before or the state after."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tkg.clock import ManualClock
from tkg.errors import Busy, Damaged, DiskFull, RequestError, StoreError, TkgError, TooLarge
from tkg.ids import RandomIds
from tkg.ledger.faults import TABLE, translate, translate_os, translated
from tkg.ledger.sqlite import SqliteLedger, open_ledger, verify_ledger
from tkg.testing.ledger import START, claim_draft, note, one

PATH = Path("some/ledger.sqlite")
IDS = RandomIds(ManualClock(START))


def failure(name: str) -> sqlite3.Error:
    error = sqlite3.OperationalError("made up")
    error.sqlite_errorcode = getattr(sqlite3, name)
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("SQLITE_FULL", DiskFull, "nothing was written"),
        ("SQLITE_BUSY", Busy, "try again"),
        ("SQLITE_BUSY_SNAPSHOT", Busy, "try again"),
        ("SQLITE_LOCKED", Busy, "try again"),
        ("SQLITE_PROTOCOL", Busy, "try again"),
        ("SQLITE_CORRUPT", Damaged, "tkg verify"),
        ("SQLITE_CORRUPT_INDEX", Damaged, "tkg verify"),
        ("SQLITE_NOTADB", Damaged, "not an SQLite database"),
        ("SQLITE_IOERR", Damaged, "check the disk"),
        ("SQLITE_IOERR_WRITE", Damaged, "check the disk"),
        ("SQLITE_READONLY", RequestError, "permissions"),
        ("SQLITE_READONLY_DIRECTORY", RequestError, "permissions"),
        ("SQLITE_CANTOPEN", RequestError, "permissions"),
        ("SQLITE_PERM", RequestError, "permissions"),
        ("SQLITE_AUTH", RequestError, "permissions"),
        ("SQLITE_CONSTRAINT_UNIQUE", RequestError, "never used twice"),
        ("SQLITE_TOOBIG", TooLarge, "split it"),
        ("SQLITE_NOMEM", StoreError, "out of memory"),
        ("SQLITE_ERROR", Damaged, "tkg verify"),
        ("SQLITE_MISUSE", Damaged, "tkg verify"),
    ],
)
def test_each_error_says_what_to_do(name: str, kind: type[TkgError], says: str) -> None:
    told = translate(failure(name), PATH)
    assert type(told) is kind and says in str(told) and "made up" not in str(told)


def test_the_table_is_whole() -> None:
    assert len(TABLE) == 14 and all(code < 256 for code in TABLE)
    assert type(translate(sqlite3.ProgrammingError("no code"), PATH)) is Damaged
    assert type(translate(sqlite3.DataError("string longer than INT_MAX bytes"), PATH)) is TooLarge


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EACCES, RequestError),
        (errno.EROFS, RequestError),
        (errno.ENOTDIR, RequestError),
        (errno.EIO, Damaged),
        (errno.EMFILE, Busy),
        (errno.ENOMEM, StoreError),
    ],
)
def test_errors_of_the_operating_system_too(number: int, kind: type[TkgError]) -> None:
    assert type(translate_os(OSError(number, "x"), PATH)) is kind


def test_what_sqlite_quotes_does_not_leak_through_the_cause() -> None:
    with pytest.raises(Damaged) as caught, translated(PATH):
        raise sqlite3.OperationalError("Could not decode to UTF-8 column 'text' with text 'secret'")
    assert "secret" not in str(caught.value) and caught.value.__suppress_context__


def test_a_message_that_quotes_damaged_bytes_is_damage() -> None:
    with pytest.raises(Damaged) as caught, translated(PATH):
        b"secret \xef\x41".decode()
    assert "secret" not in str(caught.value)


class Failing:
    """A connection whose n-th call fails, before it does anything or after it did."""

    def __init__(self, real: sqlite3.Connection, at: int, *, after: bool, name: str) -> None:
        self.real, self.at, self.after, self.name = real, at, after, name
        self.calls = 0

    def _run(self, call: Any, statement: str, values: Sequence[Any]) -> Any:
        self.calls += 1
        if self.calls == self.at and not self.after:
            raise failure(self.name)
        result = call(statement, values)
        if self.calls == self.at:
            raise failure(self.name)
        return result

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        return self._run(self.real.execute, statement, values)

    def executemany(self, statement: str, values: Sequence[Any]) -> Any:
        return self._run(self.real.executemany, statement, values)

    @property
    def in_transaction(self) -> bool:
        return self.real.in_transaction

    def close(self) -> None:
        self.real.close()


def new(path: Path) -> SqliteLedger:
    clock = ManualClock(START)
    ledger = open_ledger(path, "acme", clock, IDS, create=True)
    ledger.append([one(note(IDS))])
    return ledger


@pytest.mark.parametrize("name", ["SQLITE_FULL", "SQLITE_IOERR_FSYNC", "SQLITE_BUSY"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_failure_at_any_call_of_an_append_leaves_before_or_after(tmp_path: Path, name: str, after: bool) -> None:
    at, finished = 0, False
    while not finished:
        at += 1
        with closing(new(tmp_path / str(at) / "ledger.sqlite")) as ledger:
            before = list(ledger.rows())
            real = ledger._connection
            failing = Failing(real, at, after=after, name=name)
            ledger._connection = failing  # type: ignore[assignment]
            try:
                ledger.append([claim_draft(IDS), one(note(IDS))])
                finished = failing.calls < at
            except TkgError as error:
                assert type(error) is type(translate(failure(name), PATH))
            ledger._connection = real
            rows = list(ledger.rows())
            assert rows[:1] == before and len(rows) in (1, 3)
            assert (len(rows) == 3) or not finished
            assert ledger.verify() == [] and ledger.head.seq == len(rows)
            ledger.append([one(note(IDS))])  # the ledger goes on where the file says
            assert ledger.head.seq == len(rows) + 1 and ledger.verify() == []
            place = ledger.path
        assert verify_ledger(place, "acme") == []
    assert at > 4


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_failure_at_any_call_of_a_removal_is_finished_later(tmp_path: Path, after: bool) -> None:
    at, finished = 0, False
    while not finished:
        at += 1
        path = tmp_path / str(at) / "ledger.sqlite"
        with closing(new(path)) as ledger:
            secret = note(IDS, "violet elephant " * 400)
            ledger.append([one(secret)])
            real = ledger._connection
            failing = Failing(real, at, after=after, name="SQLITE_IOERR")
            ledger._connection = failing  # type: ignore[assignment]
            try:
                ledger.remove_content([secret.id])
                finished = failing.calls < at
            except TkgError:
                pass
            ledger._connection = real
            assert ledger.verify() == []
            ledger.remove_content([secret.id])
            assert b"violet elephant" not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert at > 5


def test_an_interruption_rolls_back(tmp_path: Path) -> None:
    with closing(new(tmp_path / "ledger.sqlite")) as ledger:
        real = ledger._connection

        class Interrupted(Failing):
            def executemany(self, statement: str, values: Sequence[Any]) -> Any:
                super().executemany(statement, values)
                raise KeyboardInterrupt

        ledger._connection = Interrupted(real, 0, after=False, name="SQLITE_FULL")  # type: ignore[assignment]
        with pytest.raises(KeyboardInterrupt):
            ledger.append([one(note(IDS))])
        ledger._connection = real
        assert ledger.head.seq == 1 and ledger.verify() == []
        ledger.append([one(note(IDS))])


def test_a_full_disk_writes_nothing_and_the_ledger_goes_on_when_there_is_space(tmp_path: Path) -> None:
    with closing(new(tmp_path / "ledger.sqlite")) as ledger:
        # SQLite's own limit on the number of pages raises the very error that a full disk raises
        (pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
        ledger._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(DiskFull, match="nothing was written"):
            ledger.append([one(note(IDS)), one(note(IDS, "x" * 50_000))])
        assert ledger.head.seq == 1 and [row.seq for row in ledger.rows()] == [1]
        ledger._connection.execute("PRAGMA max_page_count = 1000000")
        ledger.append([one(note(IDS, "x" * 50_000))])
        assert ledger.head.seq == 2 and ledger.verify() == []
