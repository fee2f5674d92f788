"""Opening: what is not a ledger of this tenant is refused with one sentence, and a torn creation leaves nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tkg.clock import ManualClock
from tkg.errors import Busy, Damaged, InvalidScope, NewerFormat, NotFound, RequestError
from tkg.ids import RandomIds
from tkg.ledger import file
from tkg.ledger.sqlite import SqliteLedger, open_ledger, verify_ledger
from tkg.testing.ledger import START, note, one

IDS = RandomIds(ManualClock(START))


def opened(path: Path, tenant: str = "acme", **options: bool) -> SqliteLedger:
    return open_ledger(path, tenant, ManualClock(START), IDS, **options)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "acme" / "ledger.sqlite"


def edit(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as editor:
        editor.execute(statement)
        editor.commit()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_ledger_is_not_made_unless_asked(path: Path) -> None:
    for options in ({}, {"read_only": True}, {"read_only": True, "create": True}):
        with pytest.raises(NotFound, match="no ledger at"):
            opened(path, **options)
    assert not path.parent.exists()
    with pytest.raises(NotFound):
        verify_ledger(path)


def test_everything_is_for_the_owner_only(path: Path) -> None:
    old = os.umask(0)
    try:
        with closing(opened(path, create=True)) as ledger:
            ledger.append([one(note(IDS))])
            assert {mode(file) for file in path.parent.iterdir()} == {0o600}
            assert len(list(path.parent.iterdir())) == 4  # database, log, shared memory, lock
            assert mode(path.parent) == mode(path.parent.parent) == 0o700
            assert file.is_private(path)
    finally:
        os.umask(old)


def test_the_file_is_as_durable_as_promised(path: Path) -> None:
    with closing(opened(path, create=True)) as ledger:
        asked = ("journal_mode", "synchronous", "secure_delete", "user_version")
        said = [ledger._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
        assert said == ["wal", 2, 1, 1]  # the second format is that of a ledger with a cold file
        strict = ledger._connection.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table'")
        assert {name: kept for name, kept in strict if not name.startswith("sqlite_")} == {
            "meta": 1,
            "entries": 1,
            "content": 1,
        }


def test_creating_what_is_there_opens_it(path: Path) -> None:
    with closing(opened(path, create=True)) as ledger:
        ledger.append([one(note(IDS))])
        key = ledger.key
    with closing(opened(path, create=True)) as ledger:
        assert ledger.key == key and ledger.head.seq == 1


def test_a_newer_format_names_who_wrote_it(path: Path) -> None:
    opened(path, create=True).close()
    edit(path, f"PRAGMA user_version = {file.FORMAT + 1}")
    edit(path, f"UPDATE meta SET value = '{file.FORMAT + 1}' WHERE name = 'format'")
    edit(path, "UPDATE meta SET value = '9.8.7' WHERE name = 'written_by'")
    before = path.read_bytes()
    for options in ({}, {"read_only": True}):
        with pytest.raises(NewerFormat, match=rf"format {file.FORMAT + 1}, written by tkg 9\.8\.7.*upgrade tkg"):
            opened(path, **options)
    with pytest.raises(NewerFormat):
        verify_ledger(path)
    assert path.read_bytes() == before


def test_another_tenants_ledger_is_refused(path: Path) -> None:
    opened(path, "acme-corp", create=True).close()
    with pytest.raises(Damaged, match="tenant acme-corp, not of acme"):
        opened(path, "acme")
    assert [finding.kind for finding in verify_ledger(path, "acme")] == ["meta"]
    with pytest.raises(InvalidScope):
        opened(path, "../acme-corp")


def _foreign(path: Path) -> None:
    path.unlink()
    edit(path, "CREATE TABLE entries (seq, body, hash)")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"once upon a time " * 500),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:1000]),
        lambda path: path.write_bytes(b"x" + path.read_bytes()[1:]),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096)),
        _foreign,
        lambda path: edit(path, "DROP TABLE meta"),
        lambda path: edit(path, "DROP TABLE entries"),
        lambda path: edit(path, "DELETE FROM meta WHERE name = 'key'"),
        lambda path: edit(path, "UPDATE meta SET value = 'zz' WHERE name = 'key'"),
        lambda path: edit(path, "PRAGMA user_version = 0"),
        lambda path: edit(path, "PRAGMA user_version = 99"),  # and nothing else says so
        lambda path: edit(path, "UPDATE entries SET body = 'x' || body"),
        lambda path: edit(path, "UPDATE entries SET body = CAST(x'ff00ff' AS TEXT)"),
    ],
    ids=[
        "text",
        "empty",
        "cut",
        "header",
        "pages",
        "foreign",
        "meta",
        "entries",
        "key",
        "hex",
        "format",
        "later format",
        "body",
        "utf8",
    ],
)
def test_what_is_not_a_whole_ledger_is_refused_and_left_alone(path: Path, spoil: Callable[[Path], Any]) -> None:
    with closing(opened(path, create=True)) as ledger:
        ledger.append([one(note(IDS))])
    spoil(path)
    before = path.read_bytes()
    for options in ({}, {"create": True}, {"read_only": True}):
        with pytest.raises(Damaged, match="tkg verify|restore"):
            opened(path, **options)
    assert path.read_bytes() == before
    assert verify_ledger(path) != []
    # the lock is free again
    path.unlink()
    opened(path, create=True).close()


def test_links_and_folders_are_refused(tmp_path: Path) -> None:
    real = tmp_path / "real" / "ledger.sqlite"
    opened(real, create=True).close()
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "ledger.sqlite").symlink_to(real)
    (tmp_path / "folder").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").mkdir()
    (tmp_path / "dangling" / "ledger.sqlite").symlink_to(tmp_path / "nowhere")
    for place in ("link", "folder", "dangling"):
        for options in ({}, {"create": True}, {"read_only": True}):
            with pytest.raises(RequestError, match="symbolic link"):
                opened(tmp_path / place / "ledger.sqlite", **options)
    (tmp_path / "dir" / "ledger.sqlite").mkdir(parents=True)
    with pytest.raises(RequestError, match="not a file"):
        opened(tmp_path / "dir" / "ledger.sqlite", create=True)
    with pytest.raises(RequestError, match="permissions"):
        opened(real / "below" / "ledger.sqlite", create=True)
    assert not (tmp_path / "nowhere").exists()


def test_a_lost_database_beside_its_log_is_not_replaced_by_an_empty_one(path: Path) -> None:
    with closing(opened(path, create=True)) as ledger:
        ledger.append([one(note(IDS))])
        log = path.with_name(path.name + "-wal")
        kept = log.read_bytes()
    path.unlink()
    log.write_bytes(kept)
    for options in ({}, {"create": True}, {"read_only": True}):
        with pytest.raises(Damaged, match="is missing and"):
            opened(path, **options)


STEPS = ["unlink", "open", "connect", "fsync", "rename"]


@pytest.mark.parametrize("step", STEPS)
def test_a_creation_torn_at_any_step_is_done_again(path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def die(*args: object, **kwargs: object) -> None:
        raise Killed

    if step == "unlink":
        monkeypatch.setattr(Path, "unlink", die)
    elif step == "connect":
        monkeypatch.setattr(file, "connect", die)
    else:
        real = getattr(os, step)

        def dying(*args: Any, **kwargs: Any) -> Any:
            if step == "fsync" or ".sqlite.new" in str(args[0]):
                raise Killed
            return real(*args, **kwargs)

        path.parent.mkdir(parents=True)  # the folder's own fsync is not the step that is meant
        monkeypatch.setattr(os, step, dying)
    with pytest.raises(Killed):
        opened(path, create=True)
    monkeypatch.undo()
    assert not path.exists()
    with pytest.raises(NotFound):
        opened(path)
    with closing(opened(path, create=True)) as ledger:
        ledger.append([one(note(IDS))])
        assert ledger.verify() == []
    assert {one.name for one in path.parent.iterdir()} == {"ledger.sqlite", "ledger.sqlite.lock", "ledger.sqlite.seal"}


def test_a_closed_ledger_says_so(path: Path) -> None:
    ledger = opened(path, create=True)
    ledger.close()
    for ask in (lambda: ledger.head, lambda: ledger.append([]), lambda: list(ledger.read_since(0)), ledger.verify):
        with pytest.raises(Busy, match="closed"):
            ask()
