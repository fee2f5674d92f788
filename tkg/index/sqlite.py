"""Opening a text index: taken as it is when it belongs to the ledger, made anew when there is any doubt."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from errno import EACCES, ENOSPC, EPERM, EROFS
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tkg.errors import Damaged, DiskFull, RequestError
from tkg.index.fts import SqliteIndex
from tkg.index.rank import POOL
from tkg.model.entry import Entry

__all__ = ["SqliteIndex", "open_index", "remove_index"]

#: an index of another format is made anew (`PRAGMA user_version`)
FORMAT: Final = 3
#: "tkgi": marks an SQLite file as a text index (`PRAGMA application_id`)
APPLICATION: Final = 0x746B6769

_DENIED: Final = frozenset({EACCES, EPERM, EROFS})

# Tokens come from `tkg.index.words`, stemmed and folded: the tokenizer here only takes them apart at the spaces.
# Positions and sizes are not kept: scoring does not ask FTS5.
_SCHEMA: Final = """
BEGIN;
PRAGMA application_id = 0x746B6769;
PRAGMA user_version = 3;
CREATE TABLE state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE scopes (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    documents INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    slot TEXT NOT NULL,
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    marks INTEGER NOT NULL DEFAULT 0,
    length INTEGER NOT NULL,
    tokens TEXT NOT NULL,
    session TEXT NOT NULL
) STRICT;
CREATE INDEX in_session ON documents (session, number) WHERE session <> '';
CREATE TABLE named (
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    predicate TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (scope, name, predicate, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX newest_named ON named (scope, name, number);
CREATE INDEX numbered ON named (number);
CREATE TABLE terms (
    scope INTEGER NOT NULL,
    term TEXT NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (scope, term)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE found USING fts5 (
    tokens,
    content = '',
    detail = none,
    columnsize = 0,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
);
COMMIT;
"""


def open_index(
    path: str | os.PathLike[str] | None,
    entries: Callable[[int], Iterable[Entry]],
    *,
    head: int,
    pool: int = POOL,
) -> SqliteIndex:
    """Open a tenant's index and bring it up to its ledger.

    An index that is damaged, foreign, of another format, ahead of the ledger, or of a ledger with another history is
    removed and made anew.

    Args:
        path: its file; None keeps it in memory.
        entries: returns the ledger's entries after a sequence number.
        head: the ledger's newest sequence number.
        pool: documents a query looks at.

    Raises:
        DiskFull: no space for it.
        Damaged: the place cannot be written; or the ledger itself is damaged.
    """
    place = None if path is None else Path(path).absolute()
    index = None if place is None else _existing(place, entries, head, pool)
    if index is None:
        there = place is not None and place.exists()
        index = _fresh(place, pool)
        index.made_anew = there
    try:
        index.apply(entries(index.applied))
    except BaseException:
        index.close()
        raise
    return index


def _existing(path: Path, entries: Callable[[int], Iterable[Entry]], head: int, pool: int) -> SqliteIndex | None:
    """Return the index at `path` where it belongs to this ledger."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        connection = connect(path)
    except (sqlite3.Error, UnicodeDecodeError):  # the latter where a message quotes damaged bytes
        return None
    index: SqliteIndex | None = None
    try:
        if _is_index(connection):
            found = SqliteIndex(connection, str(path), pool=pool)
            if found.applied <= head and hash_at(found.applied, entries) == found.hash:
                index = found
    except (sqlite3.Error, KeyError, ValueError):
        return None
    finally:
        if index is None:
            connection.close()
    return index


def _is_index(connection: sqlite3.Connection) -> bool:
    application = connection.execute("PRAGMA application_id").fetchone()
    written = connection.execute("PRAGMA user_version").fetchone()
    if (application, written) != ((APPLICATION,), (FORMAT,)):
        return False
    # another SQLite may fold and stem otherwise
    made = connection.execute("SELECT value FROM state WHERE name = 'sqlite'").fetchone()
    return bool(made == (sqlite3.sqlite_version,))


def hash_at(seq: int, entries: Callable[[int], Iterable[Entry]]) -> str | None:
    """Return the hash of a ledger's entry; "" for the beginning, None where there is no such entry."""
    if seq == 0:
        return ""
    return next((entry.hash for entry in entries(seq - 1)), None)


def _fresh(path: Path | None, pool: int) -> SqliteIndex:
    connection = create(path, _lay_out, "the text index")
    return SqliteIndex(connection, "in memory" if path is None else str(path), pool=pool)


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.executescript(_SCHEMA)
    state = {"applied": "0", "hash": "", "sqlite": sqlite3.sqlite_version, "unclean": "0"}
    connection.executemany("INSERT INTO state VALUES (?, ?)", sorted(state.items()))


def create(path: Path | None, lay_out: Callable[[sqlite3.Connection], None], what: str) -> sqlite3.Connection:
    """Make a new file, and return it open.

    Args:
        path: the file; what lies there is removed; None keeps it in memory.
        lay_out: makes its tables and what they hold first.
        what: what it is, for errors.

    Raises:
        DiskFull: no space for it. RequestError, Damaged: the place cannot be written.
    """
    name = f"{what} {'in memory' if path is None else path}"
    try:
        if path is None:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        else:
            remove_index(path)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            connection = connect(path)
        try:
            lay_out(connection)
        except BaseException:
            connection.close()
            raise
        return connection
    except (sqlite3.Error, OSError) as error:
        code = getattr(error, "sqlite_errorcode", None) or 0
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE) or getattr(error, "errno", 0) == ENOSPC:
            raise DiskFull(f"no space left for {name}; free some space and open it again") from None
        if code & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or getattr(error, "errno", 0) in _DENIED:
            raise RequestError(
                f"{name} cannot be made: check the folder's permissions, and whether the disk is mounted "
                "read-only; what only reads works there"
            ) from None
        raise Damaged(
            f"{name} cannot be made ({type(error).__name__}); check the folder's permissions and space"
        ) from None


def remove_index(path: Path) -> None:
    """Remove an index and everything beside it that belongs to it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def connect(path: Path) -> sqlite3.Connection:
    """Open a file of this kind, with what is deleted overwritten."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=rw", uri=True, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA cache_size = -16384")  # 16 MB, taken as needed: a query touches many pages
    except BaseException:
        with suppress(sqlite3.Error):
            connection.close()
        raise
    return connection
