"""Comparing a text index on disk with one made anew from the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tkg.errors import TkgError
from tkg.index.sqlite import open_index
from tkg.model.entry import Entry

#: what a table holds, with names instead of numbers, which depend on what was removed
_TABLES: Final = {
    "documents": (
        "SELECT id, kind, slot, path, seq, marks, length, documents.tokens FROM documents "
        "JOIN scopes ON scopes.number = documents.scope"
    ),
    "scopes": "SELECT path, documents, tokens FROM scopes WHERE documents > 0",
    "terms": "SELECT path, term, terms.documents FROM terms JOIN scopes ON scopes.number = terms.scope",
    "found": (
        "SELECT id, substr(postings.term, instr(postings.term, 'z') + 1) FROM postings "
        "LEFT JOIN documents ON documents.number = postings.doc"
    ),
}


def _contents(connection: sqlite3.Connection) -> dict[str, set[tuple[object, ...]]]:
    """Return what each table holds, whatever the order of its rows."""
    connection.execute("CREATE VIRTUAL TABLE temp.postings USING fts5vocab('main', 'found', 'instance')")
    return {name: set(connection.execute(asked).fetchall()) for name, asked in _TABLES.items()}


def compare_index(path: Path, entries: Callable[[int], Iterable[Entry]]) -> tuple[int, list[str]]:
    """Return the transaction an index has applied, and how it differs from one made from the same entries.

    Args:
        path: its file, which nobody writes meanwhile; it is only read.
        entries: returns the ledger's entries after a sequence number.

    Returns:
        The transaction (0 where it cannot be read) and one sentence per difference, without content.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA cell_size_check = ON")
            said = [one for (one,) in connection.execute("PRAGMA integrity_check(5)").fetchall() if one != "ok"]
            if said:
                return 0, ["its structure is damaged"]
            state = dict(connection.execute("SELECT name, value FROM state").fetchall())
            applied = int(state["applied"])
            with closing(open_index(None, lambda seq: _until(entries, seq, applied), head=applied)) as fresh:
                if fresh.applied != applied or fresh.hash != state["hash"]:
                    return applied, ["it belongs to another ledger, or is ahead of this one"]
                expected = _contents(fresh.connection)
            found = _contents(connection)
    except (sqlite3.Error, KeyError, ValueError, TypeError, OverflowError):
        return 0, ["it cannot be read"]
    except TkgError as error:
        return 0, [str(error)]
    wrong = []
    for name in _TABLES:
        missing, more = len(expected[name] - found[name]), len(found[name] - expected[name])
        if missing or more:
            wrong.append(f"{name}: {missing} rows missing or changed, {more} that should not be there")
    return applied, wrong


def _until(entries: Callable[[int], Iterable[Entry]], seq: int, last: int) -> Iterable[Entry]:
    for entry in entries(seq):
        if entry.seq > last:
            return
        yield entry
