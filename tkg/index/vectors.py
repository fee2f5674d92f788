"""The vectors of a tenant's texts in one SQLite file, or in memory: a third projection of the ledger, made when it is asked.

Nothing is embedded when something is written: `bring_up` embeds what the ledger has and the file lacks, so that a slow or
absent embedder delays no write. A file holds vectors of one model and says which; another model is refused. The file holds
no text. A turn is embedded together with what was said just before it in its session and scope, so a vector can hold a part
of another text: once a text is erased, the file is destroyed and everything left is embedded anew.

A search looks at the rows of the visible scopes and kinds only. Of more than `RESCORED` rows, those whose signs agree with
the question's in most places are compared in full; of fewer, all.
"""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkg.errors import Damaged, DiskFull, EmbedderFailed, ModelMismatch, TkgError
from tkg.index.documents import Change, Document, changes, documents, erased
from tkg.index.port import Embedder, Vectors
from tkg.index.rows import APPLICATION, FORMAT, Rows, row_sum, signs_of, state_sum
from tkg.index.sqlite import connect, create, hash_at, remove_index
from tkg.model.entry import Entry

#: rows compared in full
RESCORED: Final = 1_024
#: entries embedded and written in one transaction
_BATCH: Final = 256
#: scores are compared at this grain, so that equal inputs order equally on every platform
_DIGITS: Final = 5
#: turns before a turn that are embedded with it, and characters of them: models read the beginning of a long text only
_EARLIER: Final = 2
_EARLIER_CHARACTERS: Final = 600
#: steps to the turns beside a turn, and what each adds to its lead; chosen on two dialogues (`benchmarks/locomo.py`)
_BESIDE: Final = ((-2, 0.2), (-1, 0.4), (1, 0.4), (2, 0.2))
#: a turn's lead is so many times as widely spread as that of a text without turns beside it
_SPREAD: Final = math.sqrt(1.0 + sum(weight**2 for _, weight in _BESIDE))
_SCHEMA: Final = """
BEGIN;
PRAGMA application_id = 0x746B6776;
PRAGMA user_version = 4;
CREATE TABLE state (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE scopes (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    slot TEXT NOT NULL,
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    marks INTEGER NOT NULL DEFAULT 0,
    session TEXT NOT NULL,
    turn INTEGER NOT NULL,
    signs BLOB NOT NULL,
    vector BLOB NOT NULL,
    sum BLOB NOT NULL
) STRICT;
CREATE INDEX in_session ON documents (session, turn) WHERE session <> '';
COMMIT;
"""
_ROWS: Final = "SELECT number, scope, kind, seq, marks, signs FROM documents ORDER BY number"
_FETCH: Final = """
SELECT documents.id, documents.slot, documents.vector, documents.session, documents.turn, documents.kind
FROM json_each(?) AS wanted CROSS JOIN documents ON documents.number = wanted.value
"""
_LAST_SAID: Final = """
SELECT documents.id, documents.seq FROM documents JOIN scopes ON scopes.number = documents.scope
WHERE documents.session <> '' AND documents.session = ? AND scopes.path = ? ORDER BY documents.turn DESC LIMIT ?
"""
_LAST_TURN: Final = "SELECT coalesce(max(turn), 0) FROM documents WHERE session <> '' AND session = ?"
#: what a damaged file leads to while it is taken in
_UNREADABLE: Final = (sqlite3.Error, KeyError, ValueError, TypeError, OverflowError)
_MARK: Final = "UPDATE documents SET marks = CASE WHEN ? THEN marks | ? ELSE marks & ~? END WHERE id = ?"


class Near(NamedTuple):
    """A text near a question.

    `cosine` is its own, `context` the best of its own and of the turns beside it. `lead` says how far these stand out among
    what was compared, in standard deviations: a turn seldom says by itself what it is about.
    """

    id: str
    slot: str
    cosine: float
    context: float
    lead: float


class VectorIndex:
    """One tenant's vectors.

    Args:
        path: their file; None keeps them in memory.
        embedder: makes them.
        entries: returns the ledger's entries after a sequence number.
    """

    def __init__(
        self,
        path: Path | None,
        embedder: Embedder,
        entries: Callable[[int], Iterable[Entry]],
        *,
        rescored: int = RESCORED,
    ) -> None:
        self._path, self._embedder, self._entries, self._rescored = path, embedder, entries, rescored
        self._connection: sqlite3.Connection | None = None
        self._rows = Rows(0)
        self._scopes: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self._applied, self._hash = 0, ""
        self._erased: frozenset[str] = frozenset()

    @property
    def model_id(self) -> str:
        """The model that makes the vectors."""
        return self._embedder.model_id

    @property
    def applied(self) -> int:
        """Sequence number of the last entry whose texts have vectors."""
        return self._applied

    def __len__(self) -> int:
        return len(self._rows)

    # --- reading ------------------------------------------------------------------------------------------------------

    def search(
        self, query: str, *, scopes: Sequence[str], kinds: Sequence[str], limit: int, as_of: int | None = None
    ) -> list[Near]:
        """Return what is nearest to `query` in meaning, in these scope paths (whole) and kinds; see `Index.search`.

        What leads most for its kind comes first, equals by cosine and id. `bring_up` comes first of all.

        Raises:
            EmbedderFailed: the question has no vector. Damaged: the file cannot be read.
        """
        rows = self._rows.visible(
            [self._scopes[path] for path in dict.fromkeys(scopes) if path in self._scopes],
            [self._kinds[kind] for kind in dict.fromkeys(kinds) if kind in self._kinds],
            as_of,
        )
        if not len(rows):
            return []
        asked = self._embedded([query], "embed_questions")[0]
        if not asked.any():
            return []
        near = self._rows.nearest(rows, signs_of(asked[None, :])[0], self._rescored)
        with self._using() as connection:
            found = connection.execute(_FETCH, (json.dumps(near.tolist()),)).fetchall()
        size = 2 * self._dimension()
        if len(found) != len(near) or not all(isinstance(row[2], bytes) and len(row[2]) == size for row in found):
            raise Damaged("the vectors are damaged; run `tkg rebuild`, nothing is lost")
        held = np.frombuffer(b"".join(row[2] for row in found), dtype="<f2").reshape(len(found), -1)
        cosine = np.round((held.astype(np.float32) @ asked).astype(float), _DIGITS)
        stands_out = _stands_out(cosine, [row[5] for row in found])
        places = {(row[3], row[4]): place for place, row in enumerate(found) if row[3]}
        hits: list[tuple[float, Near]] = []
        for place, row in enumerate(found):
            lead, context = float(stands_out[place]), float(cosine[place])
            for step, weight in _BESIDE if row[3] else ():
                if (other := places.get((row[3], row[4] + step))) is not None:
                    lead += weight * float(stands_out[other])
                    context = max(context, float(cosine[other]))
            near_it = Near(row[0], row[1], float(cosine[place]), context, round(lead, _DIGITS))
            hits.append((round(lead / (_SPREAD if row[3] else 1.0), _DIGITS), near_it))
        best = heapq.nsmallest(max(limit, 0), hits, key=lambda pair: (-pair[0], -pair[1].cosine, pair[1].id))
        return [hit for _, hit in best]

    # --- writing ------------------------------------------------------------------------------------------------------

    def bring_up(self, head: int) -> None:
        """Embed what the ledger has up to `head` and the file lacks; a file that is not this ledger's is made anew.

        Raises:
            ModelMismatch: the file holds vectors of another model.
            EmbedderFailed: the embedder is not to be had; what was embedded stays, the next call goes on.
            DiskFull: no space for them. Damaged: the place cannot be written.
        """
        if self._connection is None:
            self._open(head)
        if self._applied >= head:
            return
        left = iter(self._entries(self._applied))
        while batch := list(islice(left, _BATCH)):
            if self._holds(one for entry in batch for one in erased(entry)):
                self._begin_anew()
                left = iter(self._entries(0))
            else:
                self._apply(batch)

    def _holds(self, ids: Iterable[str]) -> bool:
        with self._using() as connection:
            return any(_number(connection, one) is not None for one in dict.fromkeys(ids))

    def _begin_anew(self) -> None:
        """Destroy what is embedded, since a part of it was erased."""
        self.close()
        if self._path is not None:
            remove_index(self._path)
        self._erased = frozenset(one for entry in self._entries(0) for one in erased(entry))
        self._lay_out()

    def close(self) -> None:
        """Release the file; the next use opens it again."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
        self._rows, self._scopes, self._kinds, self._applied, self._hash = Rows(0), {}, {}, 0, ""

    def _apply(self, batch: Sequence[Entry]) -> None:
        new: list[tuple[Document, int]] = []
        changed: list[Change] = []
        gone = self._erased.union(one for entry in batch for one in erased(entry))
        applied, digest = self._applied, self._hash
        for entry in batch:
            if entry.seq != applied + 1:
                raise Damaged(f"the vectors are at entry {applied} and were given {entry.seq}; run `tkg rebuild`")
            new.extend((one, entry.seq) for one in documents(entry) if one.text.strip() and one.id not in gone)
            changed.extend(changes(entry))
            applied, digest = entry.seq, entry.hash
        vectors = self._embedded(self._in_context([one for one, _ in new])) if new else None
        known = dict(self._scopes)
        with self._using() as connection:
            try:
                with _transaction(connection):
                    if vectors is not None:
                        self._add(connection, new, vectors)
                    for change in changed:
                        connection.execute(_MARK, (change.fallen, change.bit, change.bit, change.target))
                        self._rows.mark(_number(connection, change.target), change.bit, fallen=change.fallen)
                    said = [(str(applied), "applied"), (digest, "hash")]
                    connection.executemany("UPDATE state SET value = ? WHERE name = ?", said)
            except BaseException:
                self._scopes = known
                self.close()  # what is in memory may be ahead of the file
                raise
        self._applied, self._hash = applied, digest

    def _add(self, connection: sqlite3.Connection, new: Sequence[tuple[Document, int]], vectors: Vectors) -> None:
        (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM documents").fetchone()
        signs, held = signs_of(vectors), vectors.astype("<f2")
        rows = []
        turns: dict[str, int] = {}
        for place, (one, seq) in enumerate(new):
            number += 1
            scope = self._scope(connection, one.scope)
            if one.session and one.session not in turns:
                (turns[one.session],) = connection.execute(_LAST_TURN, (one.session,)).fetchone()
            turns[one.session] = turns.get(one.session, 0) + 1
            said = (number, one.id, one.kind, one.slot, scope, seq, one.session, turns[one.session])
            row = (*said, signs[place].tobytes(), held[place].tobytes())
            rows.append((*row, row_sum(row)))
        connection.executemany(
            "INSERT INTO documents (number, id, kind, slot, scope, seq, session, turn, signs, vector, sum) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        self._rows.extend([(row[0], row[4], self._kind(row[2]), row[5], 0, row[8]) for row in rows])

    def _scope(self, connection: sqlite3.Connection, path: str) -> int:
        if path not in self._scopes:
            connection.execute("INSERT INTO scopes (path) VALUES (?)", (path,))
            (self._scopes[path],) = connection.execute("SELECT number FROM scopes WHERE path = ?", (path,)).fetchone()
        return self._scopes[path]

    def _kind(self, kind: str) -> int:
        return self._kinds.setdefault(kind, len(self._kinds))

    def _in_context(self, new: Sequence[Document]) -> list[str]:
        """Return what is embedded for each text: a turn follows the end of what was said before it."""
        heard: dict[tuple[str, str], deque[str]] = {}
        texts = []
        for one in new:
            said = one.said or one.text
            if one.session:
                place = (one.session, one.scope)
                if place not in heard:
                    heard[place] = deque(self._last_said(*place), _EARLIER)
                texts.append("\n".join((*_end(heard[place]), said)))
                heard[place].append(said)
            else:
                texts.append(said)
        return texts

    def _last_said(self, session: str, scope: str) -> Iterator[str]:
        """Yield the last turns of a session in a scope, which the file knows and the ledger tells."""
        with self._using() as connection:
            rows = connection.execute(_LAST_SAID, (session, scope, _EARLIER)).fetchall()
        for identifier, seq in reversed(rows):
            entry = next(iter(self._entries(seq - 1)))
            yield from (one.said or one.text for one in documents(entry) if one.id == identifier)

    def _embedded(self, texts: Sequence[str], how: str = "embed") -> Vectors:
        """Return vectors of unit length, or say that the embedder failed: its own errors are not tkg's."""
        try:
            embed: Callable[[Sequence[str]], Vectors] = getattr(self._embedder, how, self._embedder.embed)
            rows = np.asarray(embed(texts), dtype=np.float32)
        except TkgError:
            raise
        except Exception as error:  # noqa: BLE001 - an embedder is the user's own code
            raise EmbedderFailed(f"the embedder failed ({type(error).__name__})") from None
        expected = (len(texts), self._dimension())
        if rows.shape != expected or not np.isfinite(rows).all():
            raise EmbedderFailed(f"the embedder answered {rows.shape} for {expected}, or what is no number")
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        found: Vectors = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        return found

    def _dimension(self) -> int:
        try:
            return self._embedder.dimension
        except TkgError:
            raise
        except Exception as error:  # noqa: BLE001 - an embedder is the user's own code
            raise EmbedderFailed(f"the embedder failed ({type(error).__name__})") from None

    # --- opening ------------------------------------------------------------------------------------------------------

    def _open(self, head: int) -> None:
        if self._path is not None and (self._path.exists() or self._path.is_symlink()):
            try:
                if self._take(self._path, head):
                    return
            except _UNREADABLE:
                self.close()
            remove_index(self._path)
        self._lay_out()

    def _lay_out(self) -> None:
        state = {"applied": "0", "hash": "", "model": self.model_id, "dimension": str(self._dimension())}
        state["sum"] = state_sum(state)

        def lay_out(connection: sqlite3.Connection) -> None:
            connection.executescript(_SCHEMA)
            connection.executemany("INSERT INTO state VALUES (?, ?)", sorted(state.items()))

        self._connection = create(self._path, lay_out, "the vectors")
        self._rows = Rows(int(state["dimension"]))

    def _take(self, path: Path, head: int) -> bool:
        """Take a file that is this ledger's; whose vectors are another model's is refused rather than thrown away."""
        if path.is_symlink() or not path.is_file():
            return False
        connection = connect(path)
        self._connection = connection
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (written,) = connection.execute("PRAGMA user_version").fetchone()
        state: dict[str, str] = {}
        if (application, written) == (APPLICATION, FORMAT):
            state = dict(connection.execute("SELECT name, value FROM state"))
        applied, digest = int(state.get("applied", -1)), state.get("hash")
        if not 0 <= applied <= head or hash_at(applied, self._entries) != digest:
            self.close()
            return False
        made, dimension = state["model"], int(state["dimension"])
        if made != self.model_id or dimension != self._dimension():
            self.close()
            raise ModelMismatch(
                f"the vectors in {path.name} were made by {made} ({dimension} numbers), not by {self.model_id} "
                f"({self._dimension()}); open the store with that model, or make them anew with `tkg rebuild`"
            )
        self._scopes = dict(connection.execute("SELECT path, number FROM scopes").fetchall())
        rows = connection.execute(_ROWS).fetchall()
        self._rows = Rows(dimension)
        self._rows.extend([(row[0], row[1], self._kind(row[2]), *row[3:]) for row in rows])
        self._applied, self._hash = applied, digest or ""
        return True

    def _using(self) -> _Using:
        assert self._connection is not None
        return _Using(self._connection)


class _Using:
    """Turns SQLite's errors into those of tkg."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            code = getattr(error, "sqlite_errorcode", None) or 0
            if code & 0xFF == sqlite3.SQLITE_FULL or code == sqlite3.SQLITE_IOERR_SHMSIZE:
                raise DiskFull("no space left for the vectors; free some space and ask again") from None
            raise Damaged("the vectors cannot be used; run `tkg rebuild`, nothing is lost") from None


def _end(texts: Iterable[str]) -> list[str]:
    """Return the end of what was said, so long that a model still reads what follows it."""
    whole = "\n".join(texts)[-_EARLIER_CHARACTERS:]
    return [whole] if whole else []


def _stands_out(cosine: NDArray[np.float64], kinds: Sequence[str]) -> NDArray[np.float64]:
    """Return how many standard deviations each cosine is above the mean of its kind: a claim is worded unlike a turn."""
    found = np.zeros_like(cosine)
    named = np.array(kinds)
    for kind in sorted(set(kinds)):
        some = named == kind
        spread = float(cosine[some].std())
        if spread > 0:
            found[some] = (cosine[some] - cosine[some].mean()) / spread
    return found


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


def _number(connection: sqlite3.Connection, identifier: str) -> int | None:
    row = connection.execute("SELECT number FROM documents WHERE id = ?", (identifier,)).fetchone()
    return None if row is None else int(row[0])
