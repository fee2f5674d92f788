"""What a ledger's files say of their own form: the bytes of the header and the statements of the schema.

SQLite leaves out of the schema what a reader does not need (the checks of a table), and reads past bytes of the header that only
a writer looks at. A change there is found when somebody wants to write, so `verify`, which only reads, looks at them itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final, Literal

#: bytes of an SQLite header that are the same in every file tkg makes, by where they begin
_CONSTANT: Final = (
    (0, b"SQLite format 3\x00"),
    (20, b"\x00\x40\x20\x20"),  # no reserved bytes, and fractions that have only one value
    (44, b"\x00\x00\x00\x04"),  # format of the schema
    (48, bytes(8)),  # no suggested cache, no automatic vacuum
    (56, b"\x00\x00\x00\x01"),  # UTF-8
    (64, bytes(4)),  # no incremental vacuum
    (72, bytes(20)),  # kept for later
)
_JOURNALS: Final = (b"\x01\x01", b"\x02\x02")
_HEADER: Final = 100

_TABLES: Final = {
    "main": "SELECT CAST(type AS BLOB), CAST(name AS BLOB), CAST(tbl_name AS BLOB), CAST(sql AS BLOB) FROM main.sqlite_schema",
    "cold": "SELECT CAST(type AS BLOB), CAST(name AS BLOB), CAST(tbl_name AS BLOB), CAST(sql AS BLOB) FROM cold.sqlite_schema",
}


def differences(
    connection: sqlite3.Connection, path: Path, script: str, *, schema: Literal["main", "cold"] = "main"
) -> Iterator[str]:
    """Yield how a file's header and schema differ from what `script` makes.

    Args:
        connection: open on the file.
        path: the file.
        script: the statements that make its tables.
        schema: as what it is attached.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER)
    wrong = any(header[at : at + len(wanted)] != wanted for at, wanted in _CONSTANT)
    if wrong or header[18:20] not in _JOURNALS:
        yield f"the header of {path.name} is not one that tkg writes"
    found = set(connection.execute(_TABLES[schema]).fetchall())
    if found != _made(script):
        yield f"the tables of {path.name} are not declared as tkg declares them"


@cache
def _made(script: str) -> frozenset[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(script)
        return frozenset(connection.execute(_TABLES["main"]).fetchall())
