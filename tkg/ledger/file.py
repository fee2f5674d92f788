"""The file of a ledger: making it, opening it, and knowing whether it is one.

A ledger is made under another name, synced, and renamed into place, so a file at its path is always whole. Reading the
format never writes.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Mapping
from contextlib import closing, suppress
from importlib import metadata
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tkg.errors import Damaged, NewerFormat, NotFound, RequestError
from tkg.files import sync_folder
from tkg.ledger import cold
from tkg.ledger.faults import translated

#: formats this version reads (`PRAGMA user_version`): 1, and 2 with a cold file beside it (`tkg.ledger.cold`), which a
#: ledger gets with the first content that is moved there
FORMAT: Final = cold.FORMAT
_FIRST: Final = 1
#: "tkgl": marks an SQLite file as a ledger (`PRAGMA application_id`)
APPLICATION: Final = 0x746B676C

# `place` is seq * 2**20 + the record's place in the entry, so one range of it holds the records of a range of entries.
# Erased content leaves its row with neither salt nor text: what is gone on purpose and what is lost look different.
SCHEMA: Final = """
PRAGMA application_id = 0x746B676C;
PRAGMA user_version = 1;
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE TABLE content (
    place INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    commitment TEXT,
    salt BLOB,
    text TEXT,
    CHECK ((salt IS NULL) = (text IS NULL)),
    CHECK (commitment IS NOT NULL OR text IS NULL)
) STRICT;
CREATE INDEX content_commitment ON content (commitment) WHERE commitment IS NOT NULL;
"""

#: seconds SQLite waits for a lock (readers during a checkpoint, recovery after a crash)
WAIT: Final = 5.0


def version() -> str:
    """Return the version of tkg that is installed."""
    try:
        return metadata.version("tkg")
    except metadata.PackageNotFoundError:
        return "unknown"


def check_path(path: Path) -> None:
    """Refuse a path that leads elsewhere than it says.

    Raises:
        RequestError: the file, its folder or its log is a symbolic link, or the file is not a regular one.
    """
    for part in (path.parent, path, *companions(path)):
        if part.is_symlink():
            raise RequestError(f"{part} is a symbolic link; pass the place it points to")
    with translated(path):
        if path.exists() and not path.is_file():
            raise RequestError(f"{path} is not a file")


def companions(path: Path) -> tuple[Path, Path]:
    """Return the write-ahead log and the shared-memory file of a database."""
    return path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")


def check_present(path: Path, *, create: bool) -> bool:
    """Return whether the file is there.

    Raises:
        NotFound: it is not, and `create` is False.
        Damaged: it is not, and its write-ahead log is: a new file there would take in the old log.
    """
    with translated(path):
        if path.exists():
            return True
        log = companions(path)[0]
        if log.exists() and log.stat().st_size:  # a reader may leave an empty one
            raise Damaged(f"{path} is missing and {log.name} is there; restore the ledger from a backup")
    if not create:
        raise NotFound(f"there is no ledger at {path}; create the tenant first")
    return False


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, for the owner only (0700)."""
    missing = [folder, *folder.parents]
    for one in reversed([each for each in missing if not each.exists()]):
        with suppress(FileExistsError):
            one.mkdir(mode=0o700)
            sync_folder(one.parent)


def make(path: Path, tenant: str, key: bytes, created: int) -> None:
    """Make an empty ledger at `path`; the caller holds the writer's lock.

    A run that was killed leaves a file under another name, which the next run removes.
    """
    fresh = path.with_name(path.name + ".new")
    with translated(path):
        for left in (fresh, *companions(fresh), fresh.with_name(fresh.name + "-journal")):
            left.unlink(missing_ok=True)
        os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        with closing(connect(fresh)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript("BEGIN;" + SCHEMA + "COMMIT;")
            rows = {
                "compact": "0",
                "created": str(created),
                "format": str(_FIRST),
                "key": key.hex(),
                "tenant": tenant,
                "written_by": version(),
            }
            connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(rows.items()))
        fd = os.open(fresh, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(fresh, path)
        sync_folder(path.parent)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the database file, which must exist; transactions are begun and ended by statements."""
    connection = _open(path, "mode=ro" if read_only else "mode=rw")
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if read_only:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        else:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
    except sqlite3.OperationalError as error:
        connection.close()
        code = getattr(error, "sqlite_errorcode", None) or 0
        log = companions(path)[0]
        denied = code & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not read_only or not (denied or code == sqlite3.SQLITE_IOERR_SHMSIZE):
            raise
        if log.exists() and log.stat().st_size:
            if denied:
                raise
            return _alone(path)
        # a disk that is full or cannot be written: nothing can be made beside the file. It is whole without a log; what
        # somebody should change meanwhile, the chain shows
        connection = _open(path, "mode=ro&immutable=1")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _alone(path: Path) -> sqlite3.Connection:
    """Open a database with a log on a full disk, where the memory that connections share has no room, to read it.

    SQLite keeps that memory to itself where nobody else has the database open; somebody who has it has made room already.
    """
    connection = _open(path, "mode=rw")
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _open(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{how}",
        uri=True,
        timeout=WAIT,
        isolation_level=None,
        check_same_thread=False,
    )


def read_meta(connection: sqlite3.Connection, path: Path, tenant: str | None) -> dict[str, str]:
    """Return what the file says of itself, after checking that it is a ledger this version can read.

    Args:
        connection: open on the file.
        path: for messages.
        tenant: whose ledger it must be; None accepts any.

    Raises:
        NewerFormat: a newer version wrote it.
        Damaged: it is something else, or another tenant's.
    """
    with translated(path):
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (written,) = connection.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION:
            raise Damaged(f"{path} is an SQLite database but not a ledger; restore the ledger from a backup")
        # tables may change with the format, `meta` never does
        rows: dict[str, str] = dict(connection.execute("SELECT name, value FROM meta").fetchall())
    if written > FORMAT and rows.get("format") == str(written):  # a changed byte says so in one place only
        raise NewerFormat(
            f"{path} has format {written}, written by tkg {rows.get('written_by', 'unknown')}; this is tkg {version()}, "
            f"which reads up to format {FORMAT}: run `pip install --upgrade tkg`"
        )
    _check_meta(rows, path, written)
    if tenant is not None and rows["tenant"] != tenant:
        raise Damaged(f"{path} is the ledger of tenant {rows['tenant']}, not of {tenant}; put it back in its place")
    return rows


def _check_meta(rows: Mapping[str, str], path: Path, written: int) -> None:
    try:
        whole = written in (_FIRST, FORMAT) and written == int(rows["format"]) and len(bytes.fromhex(rows["key"])) == 32
        int(rows["created"])
        whole = whole and bool(rows["tenant"]) and rows["compact"] in ("0", "1")
    except (KeyError, ValueError):
        whole = False
    if not whole:
        raise Damaged(f"{path} does not say whose ledger it is; run `tkg verify` and restore it from a backup")


def is_private(path: Path) -> bool:
    """Return whether nobody but the owner may read or write the file."""
    return not stat.S_IMODE(path.stat().st_mode) & 0o077
