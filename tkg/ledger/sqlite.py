"""The ledger in one SQLite file: WAL, `synchronous = FULL`, one writer process, readers beside it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

from tkg.clock import Clock
from tkg.errors import Busy, Damaged, DiskFull
from tkg.files import break_seal, put_seal, seal_place
from tkg.ids import Ids
from tkg.ledger import cold, file
from tkg.ledger.codec import MAX_RECORDS, Written, compose, duplicate
from tkg.ledger.faults import translated
from tkg.ledger.lock import WriterLock
from tkg.ledger.port import Finding, Head
from tkg.ledger.reader import Reader
from tkg.model.entry import Draft, Entry
from tkg.model.scope import check_segment
from tkg.model.time import to_instant

#: bytes of a ledger above which closing it does not read it whole to seal it
SEAL_UP_TO: Final = 512 << 20


class SqliteLedger(Reader):
    """One tenant's ledger in a file; made by `open_ledger`.

    Args:
        connection: open on the file; closed with this.
        path: the file.
        meta: what the file says of itself.
        lock: the right to write; None reads only.
        clock: says transaction times.
        ids: makes salts.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        meta: dict[str, str],
        lock: WriterLock | None,
        clock: Clock,
        ids: Ids,
    ) -> None:
        super().__init__(connection, path, sole=lock is not None)
        self._tenant = meta["tenant"]
        self._key = bytes.fromhex(meta["key"])
        self._compact = meta["compact"] == "1"
        self._lock = lock
        self._clock = clock
        self._ids = ids
        self._sealed = True  # until the first write, the seal the file was opened with holds

    @property
    def tenant(self) -> str:
        """The tenant's id."""
        return self._tenant

    @property
    def key(self) -> bytes:
        """The tenant's secret key for keyed ids."""
        return self._key

    @property
    def read_only(self) -> bool:
        """Whether another process may be writing this ledger, and this one never does."""
        return self._lock is None

    @property
    def pending_removal(self) -> bool:
        """Whether content was removed and the file has not been rewritten since."""
        return self._compact

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._using():
            if self._lock is None:
                raise Busy(f"the ledger of tenant {self._tenant} was opened read-only; open it for writing")
            yield

    def close(self) -> None:
        """Release the file and the writer's lock; a second call does nothing."""
        was_open = self._open and self._lock is not None and self._pid == os.getpid()
        try:
            super().close()
            if was_open:
                self._seal()
        finally:
            if self._lock is not None:
                self._lock.release()

    def _seal(self) -> None:
        """Seal the closed file, while the lock is held; not where a reader still keeps the log. No seal is no damage."""
        log = file.companions(self._path)[0]
        with suppress(OSError):
            whole = not log.exists() or log.stat().st_size == 0
            for one in (self._path, cold.place_of(self._path)):
                kept = self._sealed and seal_place(one).exists()
                if whole and not kept and one.exists() and one.stat().st_size <= SEAL_UP_TO:
                    put_seal(one)

    def _unseal(self) -> None:
        if self._sealed:
            break_seal(self._path)
            break_seal(cold.place_of(self._path))
            self._sealed = False

    def append(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """Append operations in one transaction that is on disk when this returns.

        Raises:
            DiskFull: no space; nothing was written.
            Busy: opened read-only, closed, or another process wrote.
            RequestError: a record id is already in the ledger.
        """
        with self._writing():
            if not drafts:
                return ()
            self._unseal()
            head = self.head
            written = compose(head, drafts, self._clock, self._ids)
            try:
                with self._transaction("BEGIN IMMEDIATE"):
                    self._insert(head, written)
            except sqlite3.IntegrityError:
                raise self._taken(written) from None
            last = written[-1].entry
            self._head = Head(last.seq, last.hash, last.tx_time)
            return tuple(one.entry for one in written)

    def _insert(self, head: Head, written: Sequence[Written]) -> None:
        found = self._connection.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
        if (found or (0, "")) != head[:2]:
            # the lock file was removed under a running owner: SQLite still lets only one of the two go on
            raise Busy(f"another process appended to tenant {self._tenant}; close it there and open this one again")
        self._connection.executemany(
            "INSERT INTO entries (seq, body, hash) VALUES (?, ?, ?)",
            [(one.entry.seq, one.body, one.entry.hash) for one in written],
        )
        self._connection.executemany(
            "INSERT INTO main.content (place, id, commitment, salt, text) VALUES (?, ?, ?, ?, ?)",
            [
                (one.entry.seq * MAX_RECORDS + place, *content)
                for one in written
                for place, content in enumerate(one.contents)
            ],
        )

    def _taken(self, written: Sequence[Written]) -> Exception:
        """Return the error that names the record id of `written` that is in the ledger already."""
        for one in written:
            for content in one.contents:
                if self._connection.execute("SELECT 1 FROM content WHERE id = ?", (content.id,)).fetchone():
                    return duplicate(content.id)
        return Damaged(f"{self._path} does not accept its next entry; run `tkg verify` and restore it from a backup")

    def remove_content(self, ids: Iterable[str]) -> int:
        """Remove the sealed content of these records for good; return how many had any.

        The file is rewritten, so that the bytes are gone from it and from its log: the time grows with the ledger,
        not with what is removed. Where the rewriting fails, the content is already out of every read, and the next
        removal or opening finishes it.

        Raises:
            DiskFull: the content is removed, and there is no space to rewrite the file.
            Busy: the content is removed, and a reader in another process keeps the log; or opened read-only.
        """
        wanted = sorted(set(ids))  # drawn before the transaction: they may come from reading this very ledger
        with self._writing():
            self._unseal()
            removed, pending = 0, self._compact
            self._compact = True  # after a failed commit it is not known whether there is something to finish
            with self._transaction("BEGIN IMMEDIATE"):
                for identifier in wanted:
                    removed += self._connection.execute(
                        "UPDATE main.content SET salt = NULL, text = NULL WHERE id = ? AND text IS NOT NULL",
                        (identifier,),
                    ).rowcount
                if removed:
                    self._connection.execute("UPDATE meta SET value = '1' WHERE name = 'compact'")
            self._compact = pending or removed > 0
            self.compact()
            return removed

    def archive(self, ids: Iterable[str]) -> int:
        """Move the sealed content of these records to the cold file, where every read finds it; return how many moved.

        Both files are rewritten, so the time grows with the ledger. A run that is interrupted loses nothing and moves the
        rest when it is repeated.

        Raises:
            DiskFull: no space; what was not moved stays where it is.
            Busy: opened read-only, or a reader in another process keeps the log.
        """
        wanted = sorted(set(ids))
        with self._writing():
            if not self._cold:
                if not any(self._holds(one) for one in wanted):
                    return 0
                cold.make(self._path, self._key)
                self.take_cold(read_only=False)
            self._unseal()
            with self._transaction("BEGIN IMMEDIATE"):
                places = cold.copy(self._connection, wanted)
            if places:
                with self._transaction("BEGIN IMMEDIATE"):
                    cold.mark(self._connection, places)
                self._compact = True
                self.compact()
            return len(places)

    def archived(self, ids: Iterable[str]) -> int:
        """Return of how many of these records the content lies in the cold file."""
        wanted = sorted(set(ids)) if self._cold else []
        asked = "SELECT count(*) FROM main.content WHERE id = ? AND salt = x''"
        with self._using():
            return sum(self._connection.execute(asked, (one,)).fetchone()[0] for one in wanted)

    def _holds(self, identifier: str) -> bool:
        found = self._connection.execute(
            "SELECT 1 FROM main.content WHERE id = ? AND text IS NOT NULL", (identifier,)
        ).fetchone()
        return found is not None

    def compact(self) -> None:
        """Finish removals: rewrite the file and empty its log; nothing to do when none is pending.

        Raises:
            DiskFull: no space to rewrite the file.
            Busy: a reader in another process keeps the log.
        """
        with self._writing():
            if not self._compact:
                return
            self._unseal()
            try:
                with cold.lifted(self._connection) if self._cold else nullcontext():
                    if self._cold:
                        cold.finish(self._connection)
                    self._connection.execute("VACUUM")
            except sqlite3.Error as error:
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_FULL:
                    raise
                raise DiskFull(
                    f"the content is removed, but there is no space to rewrite {self._path}: free as much as the file "
                    "is large and open it again"
                ) from None
            (busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                raise Busy(f"the content is removed, but a reader keeps the log of {self._path}: end it and open again")
            self._connection.execute("UPDATE meta SET value = '0' WHERE name = 'compact'")
            self._compact = False


def open_ledger(
    path: str | os.PathLike[str],
    tenant: str,
    clock: Clock,
    ids: Ids,
    *,
    read_only: bool = False,
    create: bool = False,
) -> SqliteLedger:
    """Open a tenant's ledger.

    Args:
        path: the database file; its folder is made with it.
        tenant: whose ledger it is; a file of another tenant is refused.
        clock: says transaction times.
        ids: makes the tenant's key and the salts.
        read_only: read beside a running owner; nothing is ever written, and no lock is taken.
        create: make the ledger where there is none.

    Raises:
        InvalidScope: the tenant id is not one.
        NotFound: there is no ledger and `create` is False.
        Busy: another process, or this one, has it open for writing.
        NewerFormat: a newer version of tkg wrote it.
        Damaged: the file is not a ledger, or not this tenant's.
        RequestError: a symbolic link, not a file, or no permission.
    """
    check_segment(tenant, "tenant")
    place = Path(path).absolute()
    file.check_path(place)
    present = file.check_present(place, create=create and not read_only)
    if read_only:
        return _opened(place, tenant, None, clock, ids)
    with translated(place):
        if not present:
            file.make_folder(place.parent)
        lock = WriterLock(place.with_name(place.name + ".lock"), tenant)
    try:
        if not file.check_present(place, create=create):
            file.make(place, tenant, ids.key(), to_instant(clock.now()))
        ledger = _opened(place, tenant, lock, clock, ids)
    except BaseException:
        lock.release()
        raise
    with suppress(Busy, DiskFull):
        ledger.compact()
    return ledger


def _opened(path: Path, tenant: str, lock: WriterLock | None, clock: Clock, ids: Ids) -> SqliteLedger:
    with translated(path):
        connection = file.connect(path, read_only=lock is None)
        try:
            meta = file.read_meta(connection, path, tenant)
            ledger = SqliteLedger(connection, path, meta, lock, clock, ids)
            if meta["format"] == str(cold.FORMAT):
                ledger.take_cold(read_only=lock is None)
            elif lock is not None:
                cold.discard(path)
            _ = ledger.head  # the newest entry must be whole before anything is built on it
        except BaseException:
            connection.close()
            raise
    return ledger


def verify_ledger(path: str | os.PathLike[str], tenant: str | None = None) -> list[Finding]:
    """Check a ledger's file and return what is wrong, empty when nothing is; also of a file that cannot be opened.

    Args:
        path: the database file; it is only read, beside a running owner too.
        tenant: whose ledger it should be; None accepts any.

    Raises:
        NotFound: there is no such file.
        NewerFormat: a newer version of tkg wrote it.
        RequestError: a symbolic link, not a file, or no permission.
    """
    place = Path(path).absolute()
    file.check_path(place)
    file.check_present(place, create=False)
    findings: list[Finding] = []
    try:
        with translated(place):
            reader = Reader(file.connect(place, read_only=True), place)
    except Damaged as error:
        return [Finding(None, "file", str(error))]
    with closing(reader):
        try:
            meta = file.read_meta(reader._connection, place, tenant)
            if meta["format"] == str(cold.FORMAT):
                reader.take_cold()
        except Damaged as error:
            findings.append(Finding(None, "meta", str(error)))
        return findings + reader.verify()
