"""The cold file of a ledger: content of what left recall, out of the ledger's own file and still in every read.

A row of `content` then keeps an empty salt as its mark, and the content lies in `archive.sqlite` beside the ledger, under the
same place. Whoever reads goes through a view that puts the two together, so the chain, audit, replay, export and erasure see
one ledger. The cold file is written and synced before the mark is set, and a mark without content is damage: what was erased
has neither. Removing sets the row to erased first; what the cold file still holds of it goes when the removal is finished.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tkg.errors import Damaged
from tkg.files import break_seal, sync_folder
from tkg.ids import digest

NAME: Final = "archive.sqlite"
#: "tkga": marks an SQLite file as a cold file (`PRAGMA application_id`)
APPLICATION: Final = 0x746B6761
#: format of a ledger that has one; an older tkg would read what is in it as erased
FORMAT: Final = 2
#: salt of a row whose content lies in the cold file
MARK: Final = b""

SCHEMA: Final = """
PRAGMA application_id = 0x746B6761;
PRAGMA user_version = 1;
CREATE TABLE ledger (
    digest TEXT NOT NULL
) STRICT;
CREATE TABLE moved (
    place INTEGER PRIMARY KEY,
    salt BLOB NOT NULL,
    text TEXT NOT NULL
) STRICT;
"""
# a row that is marked and not there reads as half there, which every reader refuses
_VIEW: Final = """
CREATE TEMP VIEW content AS SELECT
    hot.place AS place,
    hot.id AS id,
    hot.commitment AS commitment,
    CASE WHEN hot.salt = x'' THEN moved.salt ELSE hot.salt END AS salt,
    CASE WHEN hot.salt = x'' THEN coalesce(moved.text, 'null') ELSE hot.text END AS text
FROM main.content AS hot LEFT JOIN cold.moved AS moved ON moved.place = hot.place
"""


def place_of(ledger: Path) -> Path:
    """Return where the cold file of a ledger lies."""
    return ledger.with_name(NAME)


def make(ledger: Path, key: bytes) -> None:
    """Make an empty cold file, whole or not at all."""
    place = place_of(ledger)
    fresh = place.with_name(place.name + ".new")
    fresh.unlink(missing_ok=True)
    os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript("BEGIN;" + SCHEMA + "COMMIT;")
        connection.execute("INSERT INTO ledger VALUES (?)", (digest(key.hex()),))
    fd = os.open(fresh, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    os.rename(fresh, place)
    sync_folder(place.parent)


def discard(ledger: Path) -> None:
    """Remove a cold file that nothing was moved to yet: a run that ended before the first mark. The lock must be held."""
    place = place_of(ledger)
    for one in (place, place.with_name(place.name + "-journal"), place.with_name(place.name + ".new")):
        one.unlink(missing_ok=True)
    break_seal(place)


def attach(connection: sqlite3.Connection, ledger: Path, *, read_only: bool) -> None:
    """Put the cold file of a ledger beside it, and the view of both in front of its content.

    Raises:
        Damaged: it is not there, or belongs to another ledger.
    """
    place = place_of(ledger)
    if place.is_symlink() or not place.is_file():
        raise Damaged(
            f"{place} is missing, which holds content of {ledger.name}; restore the tenant's ledger from a backup"
        )
    (asked,) = connection.execute("PRAGMA query_only").fetchone()
    connection.execute("PRAGMA query_only = OFF")
    try:
        how = "ro" if read_only else "rw"
        connection.execute("ATTACH ? AS cold", (f"file:{quote(str(place.absolute()))}?mode={how}",))
        try:
            _check(connection, place)
            if not read_only:
                # EXTRA: the folder is synced too, else a power cut may bring the journal back and undo what the mark relies on
                connection.execute("PRAGMA cold.synchronous = EXTRA")
                connection.execute("PRAGMA cold.secure_delete = ON")
            connection.execute(_VIEW)
        except BaseException:
            connection.execute("DETACH cold")
            raise
    finally:
        if asked:
            connection.execute("PRAGMA query_only = ON")


def _check(connection: sqlite3.Connection, place: Path) -> None:
    (application,) = connection.execute("PRAGMA cold.application_id").fetchone()
    if application != APPLICATION:
        raise Damaged(f"{place} is not the cold file of a ledger; restore the tenant's ledger from a backup")
    # all rows, as `read_meta` reads them: a look-up by name goes through an index, which may be damaged
    key = dict(connection.execute("SELECT name, value FROM meta").fetchall()).get("key", "")
    if connection.execute("SELECT digest FROM cold.ledger").fetchall() != [(digest(key),)]:
        raise Damaged(f"{place} belongs to another ledger; restore the tenant's ledger from a backup")


def copy(connection: sqlite3.Connection, ids: Iterable[str]) -> list[int]:
    """Copy the content of records to the cold file, in the caller's transaction on it; return their places."""
    found = []
    for one in ids:
        row = connection.execute(
            "SELECT place, salt, text FROM main.content WHERE id = ? AND length(salt) > 0", (one,)
        ).fetchone()
        if row is not None:
            connection.execute("INSERT OR REPLACE INTO cold.moved (place, salt, text) VALUES (?, ?, ?)", row)
            found.append(row[0])
    return found


def mark(connection: sqlite3.Connection, places: Iterable[int]) -> None:
    """Mark rows as moved, and the ledger as one with a cold file, in the caller's transaction."""
    connection.execute("PRAGMA user_version = 2")
    connection.execute("UPDATE meta SET value = ? WHERE name = 'format'", (str(FORMAT),))
    connection.executemany(
        "UPDATE main.content SET salt = x'', text = '' WHERE place = ? AND length(salt) > 0", [(one,) for one in places]
    )
    connection.execute("UPDATE meta SET value = '1' WHERE name = 'compact'")


@contextmanager
def lifted(connection: sqlite3.Connection) -> Iterator[None]:
    """Take the view away for a while: SQLite rewrites a file by names, and the view's would get in the way."""
    connection.execute("DROP VIEW temp.content")
    try:
        yield
    finally:
        connection.execute(_VIEW)


def finish(connection: sqlite3.Connection) -> None:
    """Remove from the cold file what the ledger does not say lies there, and rewrite it."""
    gone = connection.execute(
        "DELETE FROM cold.moved WHERE place NOT IN (SELECT place FROM main.content WHERE salt = x'')"
    ).rowcount
    if gone:
        connection.execute("VACUUM cold")
