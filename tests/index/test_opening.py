"""An index is used when it is certain to belong to the ledger, and made anew otherwise."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tkg.errors import Damaged, DiskFull, StoreError
from tkg.index.sqlite import SqliteIndex, open_index
from tkg.model.entry import Entry
from tkg.testing.index import KINDS, artefact, claim, entry, found, status

HISTORY = [entry(n, claim(f"clm_{n}", f"subject{n}", "place", "office")) for n in range(1, 11)]


class Source:
    """A ledger that counts what is read of it."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries, self.read = entries, 0

    def __call__(self, seq: int) -> Iterator[Entry]:
        for one in self.entries[seq:]:
            self.read += 1
            yield one


def opened(path: Path, entries: list[Entry]) -> tuple[SqliteIndex, int]:
    source = Source(entries)
    index = open_index(path, source, head=len(entries))
    return index, source.read


def build(path: Path, entries: list[Entry] = HISTORY) -> None:
    opened(path, entries)[0].close()


def edit(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as editor:
        editor.execute(statement)
        editor.commit()


def test_a_whole_index_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(path)
    index, read = opened(path, HISTORY)
    with closing(index):
        assert read == 1 and index.applied == 10  # the one entry whose hash is compared
        assert len(found(index, "office")) == 10
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_index_that_is_behind_catches_up(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(path, HISTORY[:6])
    index, read = opened(path, HISTORY)
    with closing(index):
        assert read == 5 and len(found(index, "office")) == 10


def _link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to(path.with_name("other"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"something else " * 1000),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + bytes(path.stat().st_size - 4096)),
        lambda path: edit(path, "PRAGMA user_version = 9"),
        lambda path: edit(path, "PRAGMA application_id = 9"),
        lambda path: edit(path, "DROP TABLE state"),
        lambda path: edit(path, "DELETE FROM state WHERE name = 'hash'"),
        lambda path: edit(path, "UPDATE state SET value = 'x' WHERE name = 'applied'"),
        lambda path: edit(path, "UPDATE state SET value = '11' WHERE name = 'applied'"),
        lambda path: edit(path, "UPDATE state SET value = '3.0' WHERE name = 'sqlite'"),
        lambda path: edit(path, "UPDATE state SET value = 'another' WHERE name = 'hash'"),
        _link,
    ],
    ids=[
        "empty",
        "text",
        "cut",
        "zeros",
        "newer",
        "foreign",
        "table",
        "row",
        "number",
        "ahead",
        "sqlite",
        "hash",
        "link",
    ],
)
def test_in_any_doubt_it_is_made_anew(tmp_path: Path, spoil: Callable[[Path], Any]) -> None:
    path = tmp_path / "index.sqlite"
    build(path)
    spoil(path)
    index, read = opened(path, HISTORY)
    with closing(index):
        assert read >= 10 and index.applied == 10 and len(found(index, "office")) == 10
        assert not path.is_symlink()


def test_ahead_of_the_ledger_or_of_another_history_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(path)
    index, _ = opened(path, HISTORY[:4])
    with closing(index):
        assert index.applied == 4 and len(found(index, "office")) == 4
    other = [entry(n, claim(f"clm_{n}", "other", "place", "garden"), branch="b") for n in range(1, 7)]
    index, _ = opened(path, other)
    with closing(index):
        assert found(index, "office") == [] and len(found(index, "garden")) == 6
    index, _ = opened(path, [])
    with closing(index):
        assert index.applied == 0 and found(index, "garden") == []


def test_damage_found_later_names_the_file_and_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    build(path, [entry(n, artefact(f"art_{n}", f"word{n} office " * 40)) for n in range(1, 200)])
    with closing(opened(path, [entry(n) for n in range(1, 200)])[0]) as index:
        content = path.read_bytes()
        path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
        index._connection.execute("PRAGMA shrink_memory")
        with pytest.raises(Damaged, match="tkg rebuild"):
            for n in range(1, 200):
                found(index, f"word{n} office")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match="cannot be made"):
        opened(tmp_path / "nowhere" / "index.sqlite", HISTORY)


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(DiskFull, match="free some space"):
        opened(tmp_path / "index.sqlite", HISTORY)


def test_a_closed_index_says_so() -> None:
    index = open_index(None, lambda seq: HISTORY[seq:], head=10)
    index.close()
    with pytest.raises(StoreError, match="closed"):
        found(index, "office")


@pytest.mark.parametrize("how", ["erased", "removed"])
def test_removed_words_are_in_none_of_its_files(tmp_path: Path, how: str) -> None:
    path = tmp_path / "index.sqlite"
    entries = [entry(n, artefact(f"art_{n}", f"plain{n} " * n + "office garden")) for n in range(1, 400)]
    for n in (3, 200, 399):
        entries[n - 1] = entry(n, artefact(f"art_{n}", "xylophone qwertzuiop " * n))

    def seen() -> bool:
        # FTS5 stores what a word adds to the one before it: its end is enough to find it
        written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        return b"lophon" in written or b"ertzuiop" in written

    index, _ = opened(path, entries)
    with closing(index):
        assert seen()
        ids = [f"art_{n}" for n in (3, 200, 399)]
        if how == "erased":
            index.apply([entry(400, *(status(one, "status", "erased") for one in ids))])
        else:
            assert index.remove(ids) == 3
        assert not seen()
        assert (
            found(index, "xylophone") == []
            and len(index.search("office", scopes=["acme"], kinds=KINDS, limit=999)) == 396
        )
    assert not seen()


def test_searching_while_another_thread_applies(tmp_path: Path) -> None:
    index, _ = opened(tmp_path / "index.sqlite", HISTORY)

    def apply() -> None:
        for n in range(11, 200):
            index.apply([entry(n, claim(f"clm_{n}", f"subject{n}", "place", "office"))])

    def count() -> int:
        return len(index.search("office", scopes=["acme"], kinds=KINDS, limit=999))

    with closing(index), ThreadPoolExecutor(1) as other:
        applying = other.submit(apply)
        counts = [count() for _ in range(100)]
        applying.result()
        assert counts == sorted(counts) and count() == 199
