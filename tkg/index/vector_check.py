"""Comparing a file of vectors with its ledger: which texts have one, where they stand, and whether any was changed.

A vector cannot be computed here (that takes the model), so each row carries a sum over itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tkg.errors import TkgError
from tkg.index.documents import changes, documents, erased
from tkg.index.rows import APPLICATION, FORMAT, row_sum, state_sum
from tkg.index.sqlite import hash_at
from tkg.model.entry import Entry

_STANDS: Final = (
    "SELECT documents.id, kind, slot, scopes.path, seq, marks, session FROM documents "
    "LEFT JOIN scopes ON scopes.number = documents.scope"
)
_ROWS: Final = "SELECT number, id, kind, slot, scope, seq, session, turn, signs, vector, sum FROM documents"
_UNREADABLE: Final = (sqlite3.Error, KeyError, ValueError, TypeError, OverflowError)

_Standing = dict[str, tuple[str, str, str, int, int, str]]


def compare_vectors(path: Path, entries: Callable[[int], Iterable[Entry]]) -> tuple[int, list[str]]:
    """Return the transaction a file of vectors has applied, and how it differs from what the ledger says.

    Args:
        path: its file; it is only read.
        entries: returns the ledger's entries after a sequence number.

    Returns:
        The transaction (0 where it cannot be read) and one sentence per difference, without content.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)) as held:
            held.execute("PRAGMA cell_size_check = ON")
            if held.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
                return 0, ["its structure is damaged"]
            form = (*held.execute("PRAGMA application_id").fetchone(), *held.execute("PRAGMA user_version").fetchone())
            if form != (APPLICATION, FORMAT):
                return 0, ["it is no file of vectors that this version makes"]
            state: dict[str, str] = dict(held.execute("SELECT name, value FROM state").fetchall())
            applied = int(state["applied"])
            if hash_at(applied, entries) != state["hash"]:
                return applied, ["it belongs to another ledger, or is ahead of this one"]
            return applied, _differences(held, _expected(entries, applied)) + _changed(held, state)
    except _UNREADABLE:
        return 0, ["it cannot be read"]
    except TkgError as error:
        return 0, [str(error)]


def model_of(path: Path) -> str | None:
    """Return the model that made the vectors in a file; None where it does not say."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as held:
            row = held.execute("SELECT value FROM state WHERE name = 'model'").fetchone()
    except _UNREADABLE:
        return None
    return None if row is None else str(row[0])


def _expected(entries: Callable[[int], Iterable[Entry]], applied: int) -> _Standing:
    standing: _Standing = {}
    for entry in entries(0):
        if entry.seq > applied:
            break
        for one in documents(entry):
            if one.text.strip():
                standing[one.id] = (one.kind, one.slot, one.scope, entry.seq, 0, one.session)
        for change in changes(entry):
            if (held := standing.get(change.target)) is not None:
                marks = held[4] | change.bit if change.fallen else held[4] & ~change.bit
                standing[change.target] = (*held[:4], marks, held[5])
        for identifier in erased(entry):
            standing.pop(identifier, None)
    return standing


def _differences(held: sqlite3.Connection, expected: _Standing) -> list[str]:
    found = {row[0]: row[1:] for row in held.execute(_STANDS)}
    wrong = []
    missing, more = len(expected.keys() - found.keys()), len(found.keys() - expected.keys())
    if missing or more:
        wrong.append(f"{missing} texts have no vector, {more} vectors belong to no text")
    moved = sum(row != expected.get(identifier, row) for identifier, row in found.items())
    if moved:
        wrong.append(f"{moved} vectors stand otherwise than the ledger says")
    return wrong


def _changed(held: sqlite3.Connection, state: Mapping[str, str]) -> list[str]:
    changed = sum(row_sum(row[:-1]) != row[-1] for row in held.execute(_ROWS))
    wrong = [f"{changed} vectors were changed"] if changed else []
    return wrong if state["sum"] == state_sum(state) else [*wrong, "what it says of its model was changed"]
