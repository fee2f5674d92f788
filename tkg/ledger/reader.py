"""Reading a ledger's file: in order, checked against the chain, beside a process that writes it."""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import Final

from tkg.errors import Busy, Damaged
from tkg.ids import chain_hash
from tkg.ledger import cold, layout
from tkg.ledger.codec import MAX_RECORDS, Content, decode_time, examine, opened, restore
from tkg.ledger.faults import translated
from tkg.ledger.file import SCHEMA
from tkg.ledger.port import Finding, Head, Row
from tkg.model.entry import Entry
from tkg.model.time import BEGINNING, Instant

#: entries read at a time; between two portions nothing is held
_PORTION: Final = 256
#: contents read at a time
_CONTENTS: Final = 4096

_SEALED: Final = """
SELECT place, id, CAST(text AS BLOB), salt FROM content WHERE place > ? AND text IS NOT NULL ORDER BY place LIMIT ?
"""

_Entry = tuple[int, bytes | None, bytes | None]
_Stored = tuple[int, bytes | None, bytes | None, bytes | None, bytes | None]

_open_readers: weakref.WeakSet[Reader] = weakref.WeakSet()
#: connections of the parent, which a forked child must neither use nor close
_inherited: list[sqlite3.Connection] = []


class Reader:
    """What can be asked of a ledger's file.

    Safe to use from several threads. After a fork only the process that opened it may use it.

    Args:
        connection: open on the file; closed with this.
        path: the file, for messages.
        sole: nobody else writes the file, so the newest entry may be remembered.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, *, sole: bool = False) -> None:
        self._connection = connection
        self._path = path
        self._sole = sole
        self._pid = os.getpid()
        self._guard = threading.RLock()
        self._open = True
        self._cold = False
        #: known newest entry; None means look
        self._head: Head | None = None
        _open_readers.add(self)

    @property
    def path(self) -> Path:
        """The database file."""
        return self._path

    @property
    def head(self) -> Head:
        """The newest entry.

        Raises:
            Damaged: it does not match its hash.
        """
        with self._using():
            if self._head is not None:
                return self._head
            found = self._connection.execute(
                "SELECT seq, CAST(body AS BLOB), CAST(hash AS BLOB) FROM entries ORDER BY seq DESC LIMIT 1"
            ).fetchone()
            head = Head(0, "", BEGINNING)
            if found is not None:
                row = _checked(*found)
                head = Head(row.seq, row.hash, decode_time(row.seq, row.body))
            if self._sole:
                self._head = head
            return head

    def read_since(self, seq: int) -> Iterator[Entry]:
        """Yield entries after `seq` in order, checking the chain; erased content reads as None.

        Entries appended while reading are yielded too.

        Raises:
            Damaged: an entry does not match the chain or its content; the message names its sequence number.
        """
        seq = max(seq, 0)
        prev = self._hash_of(seq)
        most = 1  # who wants one entry does not pay for many
        while portion := self._portion(seq, most):
            most = min(most * 8, _PORTION)
            for row, contents in portion:
                if isinstance(row, Damaged):
                    raise row
                if row.seq != seq + 1:
                    raise _missing(seq + 1)
                yield restore(row.seq, row.body, row.hash, prev, contents)
                seq, prev = row.seq, row.hash

    def rows(self, seq: int = 0) -> Iterator[Row]:
        """Yield sequence number, canonical body and hash of entries after `seq`.

        Raises:
            Damaged: an entry cannot be read.
        """
        seq = max(seq, 0)
        while portion := self._portion(seq, contents=False):
            for row, _ in portion:
                if isinstance(row, Damaged):
                    raise row
                if row.seq <= seq:
                    raise _missing(seq + 1)
                yield row
                seq = row.seq

    def seq_at(self, instant: Instant) -> int:
        """Return the newest sequence number whose `tx_time` is at or before `instant`; 0 before the first."""
        low, high = 0, self.head.seq
        while low < high:
            middle = (low + high + 1) // 2
            with self._using():
                found = self._connection.execute(
                    "SELECT seq, CAST(body AS BLOB), CAST(hash AS BLOB) FROM entries WHERE seq = ?", (middle,)
                ).fetchone()
            if found is None:
                raise _missing(middle)
            row = _checked(*found)
            if decode_time(row.seq, row.body) <= instant:
                low = middle
            else:
                high = middle - 1
        return low

    def content(self, commitment: str) -> str | None:
        """Return the sealed content behind a commitment, or None when it was removed.

        Raises:
            Damaged: what is stored does not match the commitment.
        """
        with self._using():
            asked = ("SELECT salt, CAST(text AS BLOB) FROM content WHERE commitment = ?", (commitment,))
            found = self._connection.execute(*asked).fetchone()
            if found is not None and self._moved(found[0]):
                found = self._connection.execute(*asked).fetchone()
        if found is None or found[1] is None:
            return None
        return opened(commitment, *found)

    def sealed(self) -> Iterator[tuple[str, str]]:
        """Yield record id and sealed content (JSON text) of every record that still has some, in order, unchecked."""
        after = -1
        while True:
            with self._using():
                given = (after, _CONTENTS)
                found = self._connection.execute(_SEALED, given).fetchall()
                if any(self._moved(salt) for _, _, _, salt in found):
                    found = self._connection.execute(_SEALED, given).fetchall()
            if not found:
                return
            after = found[-1][0]
            for _, identifier, text, _ in found:
                yield identifier, text.decode("utf-8", "replace")

    def _hash_of(self, seq: int) -> str:
        if seq == 0:
            return ""
        with self._using():
            found = self._connection.execute(
                "SELECT seq, CAST(body AS BLOB), CAST(hash AS BLOB) FROM entries WHERE seq = ?", (seq,)
            ).fetchone()
        if found is not None:
            return _checked(*found).hash
        if seq > self.head.seq:
            return ""
        raise _missing(seq)

    def _portion(
        self, seq: int, most: int = _PORTION, *, contents: bool = True
    ) -> list[tuple[Row | Damaged, list[Content]]]:
        """Return the next entries after `seq` with their content, as of one moment."""
        with self._using():
            entries, stored = self._read(seq, most, contents)
            if any(self._moved(salt) for _, _, _, salt, _ in stored):
                entries, stored = self._read(seq, most, contents)
        of_entry = {number: list(rows) for number, rows in groupby(stored, key=lambda row: row[0] // MAX_RECORDS)}
        out: list[tuple[Row | Damaged, list[Content]]] = []
        for number, body, digest in entries:
            try:
                out.append((_row(number, body, digest), [_content(*one) for one in of_entry.get(number, ())]))
            except UnicodeDecodeError:
                out.append((_unreadable(number), []))
        return out

    def _read(self, seq: int, most: int, contents: bool) -> tuple[list[_Entry], list[_Stored]]:
        with self._transaction("BEGIN"):
            entries: list[_Entry] = self._connection.execute(
                "SELECT seq, CAST(body AS BLOB), CAST(hash AS BLOB) FROM entries WHERE seq > ? ORDER BY seq LIMIT ?",
                (seq, most),
            ).fetchall()
            stored: list[_Stored] = []
            if contents and entries:
                stored = self._connection.execute(
                    "SELECT place, CAST(id AS BLOB), CAST(commitment AS BLOB), CAST(salt AS BLOB), CAST(text AS BLOB) "
                    "FROM content WHERE place >= ? AND place < ? ORDER BY place",
                    (entries[0][0] * MAX_RECORDS, (entries[-1][0] + 1) * MAX_RECORDS),
                ).fetchall()
        return entries, stored

    def _moved(self, salt: bytes | None) -> bool:
        """Take in the cold file where a row says its content was moved there; return whether to read again."""
        if salt != cold.MARK or self._cold:
            return False
        self.take_cold()
        return True

    def take_cold(self, *, read_only: bool = True) -> None:
        """Take in the cold file, which somebody may have made since this was opened.

        Raises:
            Damaged: it is missing, or not this ledger's.
        """
        with self._using():
            self._settle()
            cold.attach(self._connection, self._path, read_only=read_only)
            self._cold = True

    def verify(self) -> list[Finding]:
        """Check the file, the whole chain and all content; return what is wrong, empty when nothing is."""
        findings: list[Finding] = []
        with self._using():
            try:
                for (said,) in self._connection.execute("PRAGMA integrity_check(100)").fetchall():
                    if said != "ok":
                        findings.append(Finding(None, "structure", str(said)))
            except sqlite3.Error:
                findings.append(Finding(None, "structure", f"{self._path} cannot be checked: it is damaged"))
        try:
            findings.extend(Finding(None, "structure", said) for said in self._misdeclared())
            findings.extend(examine(self._everything(findings)))
            findings.extend(self._strays())
        except Damaged as error:
            findings.append(Finding(None, "structure", str(error)))
        return findings

    def _misdeclared(self) -> Iterator[str]:
        with self._using():
            yield from layout.differences(self._connection, self._path, SCHEMA)
            if self._cold:
                yield from layout.differences(self._connection, cold.place_of(self._path), cold.SCHEMA, schema="cold")

    def _everything(self, findings: list[Finding]) -> Iterator[tuple[Row, Sequence[Content]]]:
        seq = 0
        while portion := self._portion(seq):
            for row, contents in portion:
                if isinstance(row, Damaged):
                    seq += 1
                    findings.append(Finding(seq, "entry", str(row)))
                    continue
                if row.seq <= seq:
                    raise _missing(seq + 1)
                seq = row.seq
                yield row, contents

    def _strays(self) -> Iterator[Finding]:
        """Yield content that belongs to no entry."""
        with self._using():
            found = self._connection.execute(
                "SELECT place FROM content WHERE place / ? NOT IN (SELECT seq FROM entries) ORDER BY place LIMIT 100",
                (MAX_RECORDS,),
            ).fetchall()
        for (place,) in found:
            yield Finding(place // MAX_RECORDS, "content", f"content at place {place} belongs to no entry")

    def close(self) -> None:
        """Release the file; a second call does nothing."""
        if self._pid != os.getpid():
            return
        with self._guard:
            if self._open:
                self._open = False
                with translated(self._path):
                    self._connection.close()

    @contextmanager
    def _using(self) -> Iterator[None]:
        if self._pid != os.getpid():
            raise Busy(f"process {self._pid} opened {self._path}; after a fork, open it in the new process")
        with self._guard, translated(self._path):
            if not self._open:
                raise Busy(f"{self._path} was closed; open it again")
            yield

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._settle()
        self._connection.execute(begin)
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # whether a failed commit is in the file is for the file to say
            self._head = None
            with suppress(sqlite3.Error):
                self._settle()
            raise

    def _settle(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _missing(seq: int) -> Damaged:
    return Damaged(f"ledger entry {seq} is missing; run `tkg verify` and restore the ledger from a backup")


def _unreadable(seq: int) -> Damaged:
    return Damaged(f"ledger entry {seq}: it is not text; run `tkg verify` and restore the ledger from a backup")


def _row(seq: int, body: bytes | None, digest: bytes | None) -> Row | Damaged:
    try:
        return Row(seq, (body or b"").decode(), (digest or b"").decode())
    except UnicodeDecodeError:
        return _unreadable(seq)


def _checked(seq: int, body: bytes | None, digest: bytes | None) -> Row:
    row = _row(seq, body, digest)
    if isinstance(row, Damaged):
        raise row
    if chain_hash(row.body) != row.hash:
        raise Damaged(
            f"ledger entry {seq}: the body does not match its hash; run `tkg verify` and restore it from a backup"
        )
    return row


def _content(
    place: int, identifier: bytes | None, bound: bytes | None, salt: bytes | None, text: bytes | None
) -> Content:
    return Content(
        (identifier or b"").decode(),
        None if bound is None else bound.decode(),
        salt,
        None if text is None else text.decode(),
    )


def _after_fork() -> None:
    _inherited.extend(reader._connection for reader in list(_open_readers))


os.register_at_fork(after_in_child=_after_fork)
