"""Comparing a text index on disk with one made anew from the ledger: what it holds, and what it answers.

A changed byte need not show in what a table lists: a search goes down a tree and through offsets that listing never touches.
So every look-up that recall makes is asked of both, in a copy of the file in memory, where FTS5 can check itself as well.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from tkg.errors import TkgError
from tkg.index.sqlite import open_index
from tkg.model.entry import Entry

#: what a table holds, with names instead of numbers, which depend on what was removed
_TABLES: Final = {
    "documents": (
        "SELECT id, kind, slot, path, seq, marks, length, documents.tokens, session FROM documents "
        "JOIN scopes ON scopes.number = documents.scope"
    ),
    "scopes": "SELECT path, documents, tokens FROM scopes WHERE documents > 0",
    "terms": "SELECT path, term, terms.documents FROM terms JOIN scopes ON scopes.number = terms.scope",
    "named": (
        "SELECT path, name, predicate, id FROM named JOIN scopes ON scopes.number = named.scope "
        "LEFT JOIN documents ON documents.number = named.number"
    ),
    "found": (
        "SELECT scopes.path, substr(words.term, instr(words.term, 'z') + 1), words.doc FROM words "
        "LEFT JOIN scopes ON scopes.number = CAST(substr(words.term, 1, instr(words.term, 'z') - 1) AS INTEGER)"
    ),
    "order": "SELECT id, row_number() OVER (ORDER BY number) FROM documents",
}


class _Lookup(NamedTuple):
    """A look-up as recall or removal makes it: what it is asked with, and the statement; both tell names, not numbers."""

    keys: str
    ask: str


_LOOKUPS: Final = {
    "documents": _Lookup(
        "SELECT id FROM documents",
        "SELECT number IS NOT NULL, kind, slot, seq, marks, length, tokens, session FROM documents WHERE id = ?",
    ),
    "terms": _Lookup(
        "SELECT path, term FROM terms JOIN scopes ON scopes.number = terms.scope",
        "SELECT terms.documents FROM scopes CROSS JOIN terms ON terms.scope = scopes.number WHERE path = ? AND term = ?",
    ),
    "named": _Lookup(
        "SELECT DISTINCT path, name, predicate FROM named JOIN scopes ON scopes.number = named.scope",
        "SELECT documents.id FROM scopes CROSS JOIN named ON named.scope = scopes.number "
        "CROSS JOIN documents ON documents.number = named.number "
        "WHERE path = ? AND name = ? AND predicate = ? ORDER BY named.number DESC",
    ),
    "newest named": _Lookup(
        "SELECT DISTINCT path, name FROM named JOIN scopes ON scopes.number = named.scope",
        "SELECT documents.id FROM scopes CROSS JOIN named INDEXED BY newest_named ON named.scope = scopes.number "
        "CROSS JOIN documents ON documents.number = named.number WHERE path = ? AND name = ? ORDER BY named.number DESC",
    ),
    "names of a document": _Lookup(
        "SELECT id FROM documents",
        "SELECT path, name, predicate FROM documents CROSS JOIN named INDEXED BY numbered "
        "ON named.number = documents.number CROSS JOIN scopes ON scopes.number = named.scope "
        "WHERE documents.id = ? ORDER BY 1, 2, 3",
    ),
    "sessions": _Lookup(
        "SELECT DISTINCT session FROM documents WHERE session <> ''",
        "SELECT id FROM documents INDEXED BY in_session WHERE session <> '' AND session = ? ORDER BY number",
    ),
}
_WORDS: Final = (
    "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid",
    "SELECT rowid FROM found WHERE found MATCH ? ORDER BY rowid DESC",
)
_UNREADABLE: Final = (sqlite3.Error, KeyError, ValueError, TypeError, OverflowError)


def _contents(connection: sqlite3.Connection) -> dict[str, set[tuple[object, ...]]]:
    """Return what each table holds, whatever the order of its rows."""
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'found', 'row')")
    return {name: set(connection.execute(asked).fetchall()) for name, asked in _TABLES.items()}


class _Words:
    """What the words of an index find, in both directions: the documents by name."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._scopes: dict[str, int] = dict(connection.execute("SELECT path, number FROM scopes").fetchall())
        (most,) = connection.execute("SELECT coalesce(max(number), 0) FROM documents").fetchone()
        self._names: dict[int, str] = {}
        for number in range(1, most + 1):
            # one by one, as a search goes from what it found to the document
            row = connection.execute("SELECT id FROM documents WHERE number = ?", (number,)).fetchone()
            if row is not None:
                self._names[number] = row[0]

    def find(self, path: str, term: str) -> list[list[str | None]]:
        asked = f'"{self._scopes[path]}z{term}"'
        return [[self._names.get(row) for (row,) in self._connection.execute(how, (asked,))] for how in _WORDS]


def _answers(found: sqlite3.Connection, expected: sqlite3.Connection) -> Iterator[str]:
    """Yield how the answers of two indexes differ."""
    for name, (keys, ask) in _LOOKUPS.items():
        differs = sum(
            found.execute(ask, key).fetchall() != expected.execute(ask, key).fetchall()
            for key in expected.execute(keys).fetchall()
        )
        if differs:
            yield f"{name}: {differs} look-ups answer otherwise"
    words, wanted = _Words(found), _Words(expected)
    terms = expected.execute(_LOOKUPS["terms"].keys).fetchall()
    differs = sum(words.find(*key) != wanted.find(*key) for key in terms)
    if differs:
        yield f"words: {differs} of {len(terms)} find other documents"


def _differences(found: sqlite3.Connection, expected: sqlite3.Connection) -> Iterator[str]:
    held, wanted = _contents(found), _contents(expected)
    same = True
    for name in _TABLES:
        missing, more = len(wanted[name] - held[name]), len(held[name] - wanted[name])
        if missing or more:
            same = False
            yield f"{name}: {missing} rows missing or changed, {more} that should not be there"
    if same:
        yield from _answers(found, expected)


def _sound(connection: sqlite3.Connection) -> bool:
    """Return whether SQLite and FTS5 find nothing wrong with the structure of a copy, which may be written."""
    connection.execute("PRAGMA cell_size_check = ON")
    if connection.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
        return False
    connection.execute("INSERT INTO found (found) VALUES ('integrity-check')")
    return True


def _copied(path: Path) -> sqlite3.Connection:
    """Return a copy of a file in memory."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, isolation_level=None)) as disk:
            disk.backup(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def compare_index(path: Path, entries: Callable[[int], Iterable[Entry]]) -> tuple[int, list[str]]:
    """Return the transaction an index has applied, and how it differs from one made from the same entries.

    Everything it holds is compared, and every answer it could give to one word, one name or one session. It needs memory
    for two copies of the index.

    Args:
        path: its file; it is only read.
        entries: returns the ledger's entries after a sequence number.

    Returns:
        The transaction (0 where it cannot be read) and one sentence per difference, without content.
    """
    try:
        with closing(_copied(path)) as found:
            if not _sound(found):
                return 0, ["its structure is damaged"]
            state: dict[str, Any] = dict(found.execute("SELECT name, value FROM state").fetchall())
            applied = int(state["applied"])
            with closing(open_index(None, lambda seq: _until(entries, seq, applied), head=applied)) as fresh:
                if fresh.applied != applied or fresh.hash != state["hash"]:
                    return applied, ["it belongs to another ledger, or is ahead of this one"]
                return applied, list(_differences(found, fresh.connection))
    except _UNREADABLE:
        return 0, ["it cannot be read"]
    except TkgError as error:
        return 0, [str(error)]


def _until(entries: Callable[[int], Iterable[Entry]], seq: int, last: int) -> Iterable[Entry]:
    for entry in entries(seq):
        if entry.seq > last:
            return
        yield entry
