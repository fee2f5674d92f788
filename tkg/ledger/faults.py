"""SQLite's errors, told by what the caller can do. The only place in the ledger where they are read."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tkg.errors import Busy, Damaged, DiskFull, RequestError, StoreError, TkgError, TooLarge

_REPAIR: Final = "run `tkg verify` and restore the ledger from a backup"


def _full(path: Path) -> TkgError:
    return DiskFull(f"no space left for {path}; nothing was written: free some space and try again")


def _busy(path: Path) -> TkgError:
    return Busy(f"{path} is in use by another process; try again")


def _damaged(path: Path) -> TkgError:
    return Damaged(f"{path} is damaged; {_REPAIR}")


def _foreign(path: Path) -> TkgError:
    return Damaged(f"{path} is not a ledger (not an SQLite database); {_REPAIR}")


def _device(path: Path) -> TkgError:
    return Damaged(f"the disk failed to read or write {path}; nothing was acknowledged: check the disk, then {_REPAIR}")


def _denied(path: Path) -> TkgError:
    return RequestError(
        f"{path} cannot be opened or written; check the permissions of the file and its folder, and whether the disk is mounted "
        "read-only: what only reads works there"
    )


def _taken(path: Path) -> TkgError:
    return RequestError("a record id is already in the ledger; ids are never used twice")


def _large(path: Path) -> TkgError:
    return TooLarge("the operation is larger than a ledger entry can be; split it")


def _memory(path: Path) -> TkgError:
    return StoreError(f"out of memory while using {path}; nothing was written", code="busy")


#: primary result code of SQLite -> the error of tkg
TABLE: Final[dict[int, Callable[[Path], TkgError]]] = {
    sqlite3.SQLITE_FULL: _full,
    sqlite3.SQLITE_BUSY: _busy,
    sqlite3.SQLITE_LOCKED: _busy,
    sqlite3.SQLITE_PROTOCOL: _busy,
    sqlite3.SQLITE_CORRUPT: _damaged,
    sqlite3.SQLITE_NOTADB: _foreign,
    sqlite3.SQLITE_IOERR: _device,
    sqlite3.SQLITE_READONLY: _denied,
    sqlite3.SQLITE_CANTOPEN: _denied,
    sqlite3.SQLITE_PERM: _denied,
    sqlite3.SQLITE_AUTH: _denied,
    sqlite3.SQLITE_CONSTRAINT: _taken,
    sqlite3.SQLITE_TOOBIG: _large,
    sqlite3.SQLITE_NOMEM: _memory,
}


def translate(error: sqlite3.Error, path: Path) -> TkgError:
    """Return the error of tkg for an error of SQLite; what is not in the table counts as damage."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if isinstance(error, sqlite3.DataError) and code is None:
        return _large(path)
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:  # the memory that readers and the writer share is a file as well
        return _full(path)
    return TABLE.get(-1 if code is None else code & 0xFF, _damaged)(path)


def translate_os(error: OSError, path: Path) -> TkgError:
    """Return the error of tkg for an error of the operating system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(path)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG):
        return _denied(path)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return Busy(f"{path} cannot be opened: too many files are open; close some and try again")
    if error.errno == errno.ENOMEM:
        return _memory(path)
    return _device(path)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the operating system inside the block into those of tkg.

    The cause is not chained: SQLite quotes undecodable text in its messages, and content must not leave that way.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error, path) from None
    except UnicodeDecodeError:  # Python's own, when SQLite's message quotes damaged bytes of the schema
        raise _damaged(path) from None
    except OSError as error:
        raise translate_os(error, path) from None
