"""The text index in one SQLite file, or in memory: FTS5 finds, `tkg.index.rank` scores.

FTS5 holds, for each document, its different tokens, each with the number of its scope before it ("3zreport"): looking
a word up looks in the visible scopes and nowhere else. Beside it stand the documents with their token lists, and for
each scope how many documents hold a token, so that planning a query costs one look-up per word.

The file can be thrown away at any time. It is written with `synchronous = NORMAL`: after a power failure it may be
behind the ledger, never torn, and catches up.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Final

from tkg.errors import Damaged, DiskFull, StoreError
from tkg.index.documents import Change, Document, changes, documents, erased
from tkg.index.port import Beside, Hit, Named
from tkg.index.rank import POOL, Corpus, Scorer, best, plan
from tkg.index.words import TOKENS, name_keys, query_words, runs
from tkg.model.entry import Entry

#: entries applied in one transaction
_BATCH: Final = 1_000
#: beyond every sequence number
_END: Final = 2**62

_FIND: Final = """
SELECT documents.number, documents.id, documents.length, documents.tokens, documents.slot
FROM found CROSS JOIN documents ON documents.number = found.rowid
WHERE found MATCH ?
  AND documents.scope IN (SELECT value FROM json_each(?))
  AND documents.kind IN (SELECT value FROM json_each(?))
  AND (documents.marks = 0 OR ?)
  AND documents.seq <= ?
"""
_NEWEST: Final = _FIND + "ORDER BY found.rowid DESC LIMIT ?"

#: names of the query that something is called, longest first; then the predicates it names of one of them
_KNOWN: Final = """
SELECT run.value FROM json_each(?) AS run WHERE EXISTS (
    SELECT 1 FROM json_each(?) AS visible CROSS JOIN named ON named.scope = visible.value AND named.name = run.value
) ORDER BY run.key
"""
_SLOTS: Final = """
SELECT run.value FROM json_each(?) AS run WHERE EXISTS (
    SELECT 1 FROM json_each(?) AS visible
    CROSS JOIN named ON named.scope = visible.value AND named.name = ? AND named.predicate = run.value
) ORDER BY run.key
"""
# one scope at a time: the index then gives the newest first, and a name with many claims costs no more than one with few
_IN_SLOT: Final = """
SELECT documents.number, documents.id, documents.slot
FROM named CROSS JOIN documents ON documents.number = named.number
WHERE named.scope = ? AND named.name = ? AND named.predicate = ?
  AND (documents.marks = 0 OR ?)
  AND documents.seq <= ?
ORDER BY named.number DESC LIMIT ?
"""
_ABOUT: Final = """
SELECT DISTINCT named.number, documents.id, documents.slot
FROM named INDEXED BY newest_named CROSS JOIN documents ON documents.number = named.number
WHERE named.scope = ? AND named.name = ?
  AND (documents.marks = 0 OR ?)
  AND documents.seq <= ?
ORDER BY named.number DESC LIMIT ?
"""
_SESSION: Final = """
SELECT session, number FROM documents
WHERE id = ? AND session <> '' AND scope IN (SELECT value FROM json_each(?))
"""
_BEFORE: Final = """
SELECT id FROM documents INDEXED BY in_session
WHERE session <> '' AND session = ? AND number < ?
  AND scope IN (SELECT value FROM json_each(?)) AND (marks = 0 OR ?) AND seq <= ?
ORDER BY number DESC LIMIT 1
"""
_AFTER: Final = """
SELECT id FROM documents INDEXED BY in_session
WHERE session <> '' AND session = ? AND number > ?
  AND scope IN (SELECT value FROM json_each(?)) AND (marks = 0 OR ?) AND seq <= ?
ORDER BY number LIMIT 1
"""


class SqliteIndex:
    """One tenant's documents; made by `tkg.index.sqlite.open_index`. Safe to use from several threads.

    Args:
        connection: open on a database with the tables of an index; closed with this.
        name: the file, for messages.
        pool: documents a query looks at.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, *, pool: int = POOL) -> None:
        self._connection = connection
        self._name = name
        self._pool = pool
        self._guard = threading.RLock()
        state = dict(connection.execute("SELECT name, value FROM state").fetchall())
        self._applied = int(state["applied"])
        self._hash = str(state["hash"])
        self._unclean = state["unclean"] == "1"
        self._scopes: dict[str, int] = dict(connection.execute("SELECT path, number FROM scopes").fetchall())
        #: whether an older file was thrown away for this one
        self.made_anew = False
        if self._unclean:
            self._scrub()

    @property
    def applied(self) -> int:
        """Sequence number of the last entry applied."""
        return self._applied

    @property
    def hash(self) -> str:
        """Hash of the last entry applied; "" for an empty index."""
        return self._hash

    @property
    def connection(self) -> sqlite3.Connection:
        """The database, for checking what it holds."""
        return self._connection

    # --- reading ------------------------------------------------------------------------------------------------------

    def search(
        self, query: str, *, scopes: Sequence[str], kinds: Sequence[str], limit: int, as_of: int | None = None
    ) -> list[Hit]:
        """Return the best matches of any word of `query`, equal scores by id.

        Raises:
            Damaged: the file cannot be read.
        """
        words = query_words(query)
        with self._using():
            numbers = [self._scopes[path] for path in dict.fromkeys(scopes) if path in self._scopes]
            frequency = {word: self._frequency(word, numbers) for word in words}
            chosen = plan(frequency, self._pool)
            if not chosen.any_of:
                return []
            scorer = Scorer(frequency, self._corpus(numbers))
            given = (json.dumps(numbers), json.dumps(list(kinds)), as_of is not None, _END if as_of is None else as_of)
            any_of = _any(chosen.any_of, numbers)
            if chosen.limited:
                all_of = " AND ".join(f"({_any((word,), numbers)})" for word in chosen.all_of)
                rows = self._connection.execute(_NEWEST, (all_of, *given, self._pool)).fetchall()
                if len(rows) < limit:
                    rows += self._connection.execute(_NEWEST, (any_of, *given, self._pool)).fetchall()
                    rows = list({row[0]: row for row in rows}.values())
            else:
                rows = self._connection.execute(_FIND, (any_of, *given)).fetchall()
        score = scorer.score_listed
        return best(((identifier, score(tokens, length), slot) for _, identifier, length, tokens, slot in rows), limit)

    def named(self, query: str, *, scopes: Sequence[str], limit: int, as_of: int | None = None) -> list[Named]:
        """Return claims about what `query` names: first whole slots, then other claims; see the port.

        Raises:
            Damaged: the file cannot be read.
        """
        with self._using():
            places = [self._scopes[path] for path in dict.fromkeys(scopes) if path in self._scopes]
            numbers, said = json.dumps(places), json.dumps(runs(query))
            given = (as_of is not None, _END if as_of is None else as_of, limit)
            exact: dict[str, Named] = {}
            about: dict[str, Named] = {}
            for (name,) in self._connection.execute(_KNOWN, (said, numbers)).fetchall():
                for (predicate,) in self._connection.execute(_SLOTS, (said, numbers, name)).fetchall():
                    rows = [self._connection.execute(_IN_SLOT, (one, name, predicate, *given)) for one in places]
                    exact.update((one, Named(one, slot, True)) for one, slot in _newest(rows, limit))
                rows = [self._connection.execute(_ABOUT, (one, name, *given)) for one in places]
                about.update((one, Named(one, slot, False)) for one, slot in _newest(rows, limit) if one not in about)
        return [*exact.values(), *(one for one in about.values() if one.id not in exact)]

    def beside(self, ids: Iterable[str], *, scopes: Sequence[str], as_of: int | None = None) -> dict[str, Beside]:
        """Return the neighbours of episodes in their sessions; see the port.

        Raises:
            Damaged: the file cannot be read.
        """
        with self._using():
            numbers = json.dumps([self._scopes[path] for path in dict.fromkeys(scopes) if path in self._scopes])
            given = (numbers, as_of is not None, _END if as_of is None else as_of)
            found = {}
            for one in dict.fromkeys(ids):
                own = self._connection.execute(_SESSION, (one, numbers)).fetchone()
                if own is not None:
                    sides = [self._connection.execute(side, (*own, *given)).fetchone() for side in (_BEFORE, _AFTER)]
                    found[one] = Beside(*(side[0] if side else None for side in sides))
        return found

    def _frequency(self, word: str, numbers: Sequence[int]) -> int:
        total = 0
        for number in numbers:
            found = self._connection.execute(
                "SELECT documents FROM terms WHERE scope = ? AND term = ?", (number, word)
            ).fetchone()
            total += found[0] if found else 0
        return total

    def _corpus(self, numbers: Sequence[int]) -> Corpus:
        documents, tokens = self._connection.execute(
            "SELECT total(documents), total(tokens) FROM scopes WHERE number IN (SELECT value FROM json_each(?))",
            (json.dumps(numbers),),
        ).fetchone()
        return Corpus(int(documents), int(tokens))

    # --- writing ------------------------------------------------------------------------------------------------------

    def apply(self, entries: Iterable[Entry]) -> None:
        """Apply entries in order; entries already applied are skipped.

        Raises:
            Damaged: an entry is missing between, or the file cannot be written.
            DiskFull: no space; what was not applied is applied at the next opening.
        """
        left = iter(entries)
        while batch := list(islice(left, _BATCH)):
            with self._using():
                self._apply(batch)

    def _apply(self, batch: Sequence[Entry]) -> None:
        new: list[tuple[Document, int]] = []
        changed: list[Change] = []
        gone: list[str] = []
        applied, digest = self._applied, self._hash
        for entry in batch:
            if entry.seq <= applied:
                continue
            if entry.seq != applied + 1:
                raise Damaged(f"the text index is at entry {applied} and was given {entry.seq}; run `tkg rebuild`")
            new.extend((document, entry.seq) for document in documents(entry))
            changed.extend(changes(entry))
            gone.extend(erased(entry))
            applied, digest = entry.seq, entry.hash
        if applied == self._applied:
            return
        with self._transaction():
            self._add(new)
            for change in changed:
                self._connection.execute(
                    "UPDATE documents SET marks = CASE WHEN ? THEN marks | ? ELSE marks & ~? END WHERE id = ?",
                    (change.fallen, change.bit, change.bit, change.target),
                )
            removed = self._remove(gone)
            self._connection.executemany(
                "UPDATE state SET value = ? WHERE name = ?", [(str(applied), "applied"), (digest, "hash")]
            )
        self._applied, self._hash = applied, digest
        if removed:
            self._scrub()

    def _add(self, new: Sequence[tuple[Document, int]]) -> None:
        tokens = TOKENS.of([document.text for document, _ in new])
        rows, postings = [], []
        named: list[tuple[int, str, str, int]] = []
        terms: Counter[tuple[int, str]] = Counter()
        sizes: dict[int, list[int]] = {}
        (number,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM documents").fetchone()
        for (document, seq), found in zip(new, tokens, strict=True):
            if not found:
                continue
            number += 1
            scope = self._scope(document.scope)
            different = sorted(set(found))
            rows.append(
                (
                    number, document.id, document.kind, document.slot, scope, seq, len(found), _listed(found),
                    document.session,
                )
            )  # fmt: skip
            named.extend((scope, name, predicate, number) for name, predicate in name_keys(document.names))
            postings.append((number, _postings(scope, different)))
            terms.update((scope, token) for token in different)
            size = sizes.setdefault(scope, [0, 0])
            size[0] += 1
            size[1] += len(found)
        self._connection.executemany(
            "INSERT INTO documents (number, id, kind, slot, scope, seq, length, tokens, session) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        self._connection.executemany(
            "INSERT INTO named (scope, name, predicate, number) VALUES (?, ?, ?, ?)", sorted(named)
        )
        self._connection.executemany("INSERT INTO found (rowid, tokens) VALUES (?, ?)", postings)
        self._connection.executemany(
            "INSERT INTO terms (scope, term, documents) VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET documents = documents + excluded.documents",
            [(scope, token, count) for (scope, token), count in sorted(terms.items())],
        )
        self._connection.executemany(
            "UPDATE scopes SET documents = documents + ?, tokens = tokens + ? WHERE number = ?",
            [(count, length, scope) for scope, (count, length) in sorted(sizes.items())],
        )

    def _scope(self, path: str) -> int:
        if path not in self._scopes:
            self._connection.execute("INSERT INTO scopes (path, documents, tokens) VALUES (?, 0, 0)", (path,))
            (number,) = self._connection.execute("SELECT number FROM scopes WHERE path = ?", (path,)).fetchone()
            self._scopes[path] = number
        return self._scopes[path]

    def remove(self, ids: Iterable[str]) -> int:
        """Remove documents, text and all, for good; return how many there were.

        The file is rewritten, so that their words are gone from it: the time grows with the index.
        """
        wanted = list(ids)
        with self._using():
            with self._transaction():
                removed = self._remove(wanted)
            if removed:
                self._scrub()
            return removed

    def _remove(self, ids: Iterable[str]) -> int:
        removed = 0
        for identifier in dict.fromkeys(ids):
            row = self._connection.execute(
                "SELECT number, scope, length, tokens FROM documents WHERE id = ?", (identifier,)
            ).fetchone()
            if row is None:
                continue
            number, scope, length, tokens = row
            different = sorted(set(tokens.replace("|", " ").split()))
            self._connection.execute(
                "INSERT INTO found (found, rowid, tokens) VALUES ('delete', ?, ?)",
                (number, _postings(scope, different)),
            )
            self._connection.executemany(
                "UPDATE terms SET documents = documents - 1 WHERE scope = ? AND term = ?",
                [(scope, token) for token in different],
            )
            self._connection.executemany(
                "DELETE FROM terms WHERE scope = ? AND term = ? AND documents = 0",
                [(scope, token) for token in different],
            )
            self._connection.execute(
                "UPDATE scopes SET documents = documents - 1, tokens = tokens - ? WHERE number = ?", (length, scope)
            )
            self._connection.execute("DELETE FROM documents WHERE number = ?", (number,))
            self._connection.execute("DELETE FROM named WHERE number = ?", (number,))
            removed += 1
        if removed:
            self._connection.execute("UPDATE state SET value = '1' WHERE name = 'unclean'")
            self._unclean = True
        return removed

    def _scrub(self) -> None:
        """Rewrite the index so that removed words are in none of its files; until done, the next opening tries again."""
        # FTS5 keeps deleted words until the segments that hold them are merged
        self._connection.execute("INSERT INTO found (found) VALUES ('optimize')")
        self._connection.execute("VACUUM")
        (busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            self._connection.execute("UPDATE state SET value = '0' WHERE name = 'unclean'")
            self._unclean = False

    # --- holding and letting go -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Release the file; a second call does nothing."""
        with self._guard, suppress(sqlite3.ProgrammingError):
            self._connection.close()

    @contextmanager
    def _using(self) -> Iterator[None]:
        with self._guard:
            try:
                yield
            except sqlite3.Error as error:
                raise _told(error, self._name) from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        known = dict(self._scopes)
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            self._scopes = known
            with suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            raise


def _newest(rows: Iterable[Iterable[tuple[int, str, str]]], limit: int) -> list[tuple[str, str]]:
    """Return the newest (id, slot) of (number, id, slot) rows of several scopes."""
    found = sorted((row for some in rows for row in some), reverse=True)
    return [(identifier, slot) for _, identifier, slot in found[: max(limit, 0)]]


def _told(error: sqlite3.Error, name: str) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None) or 0
    if code & 0xFF == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_SHMSIZE:
        return DiskFull(f"no space left for the text index {name}; free some space, it catches up when it is opened")
    if isinstance(error, sqlite3.ProgrammingError):
        return StoreError(f"the text index {name} was closed; open the memory again", code="busy")
    return Damaged(f"the text index {name} cannot be used; run `tkg rebuild`, nothing is lost")


def _listed(tokens: Iterable[str]) -> str:
    """Return tokens so that ` token|` occurs as often as the token does."""
    return "".join(f" {token}|" for token in sorted(tokens))


def _postings(scope: int, tokens: Iterable[str]) -> str:
    return " ".join(f"{scope}z{token}" for token in tokens)


def _any(words: Iterable[str], numbers: Sequence[int]) -> str:
    """Return the FTS5 expression for any of these words in any of these scopes; each is quoted, so it is data."""
    return " OR ".join(f'"{number}z{word}"' for word in words for number in numbers)
