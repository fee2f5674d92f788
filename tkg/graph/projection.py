"""The graph on kuzu or ladybug: every answer is a named query from `queries/`, every write only adds.

`open_graph` opens a file (or a graph in memory), checks that it is this ledger's, brings it up to date, and makes it anew
when it cannot be trusted: the ledger is the truth, the graph can always be thrown away.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, count, islice, takewhile
from pathlib import Path
from typing import Final, Literal, NamedTuple

from tkg.errors import Damaged, TkgError
from tkg.files import break_seal, copy_sealed, put_seal
from tkg.graph import schema
from tkg.graph.bulk import CHUNK, Loader
from tkg.graph.check import compare_graph
from tkg.graph.guard import check_file, discard, logs_of
from tkg.graph.kuzu import BUFFER_POOL, MAX_SIZE, Engine, translate
from tkg.graph.reads import Reads
from tkg.graph.write import Writer
from tkg.model.entry import Entry

#: records from which a bulk load is faster than statements: its copies take tens of milliseconds each in a file, a few
#: in memory; but in memory each leaves megabytes behind, so there it is for filling an empty graph
BULK: Final = 1_500
BULK_IN_MEMORY: Final = 100
#: records written by statements in one transaction: what a transaction has not committed stays in the buffer pool
STATEMENTS: Final = 300

#: numbers the copies of this process
_COPIES: Final = count(1)

#: the ledger's `read_since`: entries after a sequence number
Source = Callable[[int], Iterable[Entry]]


class Opening(NamedTuple):
    """What opening a graph found and did."""

    outcome: Literal["created", "current", "caught_up", "rebuilt"]
    #: entries applied while opening
    entries: int
    #: why the old graph was not kept; empty unless rebuilt
    reason: str = ""


class KuzuGraph(Reads):
    """`tkg.graph.port.Graph` on an engine. Open it with `open_graph`."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._writer = Writer()
        self._sealed = False
        #: a copy for one reader: nothing of it is kept
        self.borrowed = False
        self.opening = Opening("created", 0)
        if schema.is_empty(engine):
            schema.create(engine)
        schema.check(engine)
        self._applied, self._hash = schema.last(engine, "applied")
        if schema.last(engine, "announced")[0] > self._applied:
            raise Damaged(f"{engine.where}: a bulk load was interrupted; run `tkg rebuild`")

    @property
    def applied(self) -> int:
        """Sequence number of the last entry applied."""
        return self._applied

    @property
    def engine(self) -> str:
        """Name of the engine: kuzu or ladybug."""
        return self._engine.name

    # -- writing
    def apply(self, entries: Iterable[Entry]) -> None:
        """Apply entries in order; those already applied are skipped. A few go in one transaction, many by bulk load.

        Raises:
            Damaged: the graph could not take a valid entry; it was closed and must be opened again.
            DiskFull: no space; likewise.
        """
        waiting = self._fresh(entries)
        first, records = [], 0
        most = BULK_IN_MEMORY if self._engine.path is None and self._applied == 0 else BULK
        for entry in waiting:
            first.append(entry)
            records += len(entry.records)
            if records > most:
                self._load(chain(first, waiting))
                return
        for piece in _pieces(iter(first), STATEMENTS):
            with self._engine.transaction() as transaction:
                for entry in piece:
                    self._writer.write(transaction, entry)
                schema.mark(transaction, "applied", piece[-1].seq, piece[-1].hash)
            self._applied, self._hash = piece[-1].seq, piece[-1].hash
            self._changed(piece)

    def _fresh(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        last = self._applied
        for entry in entries:
            if entry.seq <= last:
                continue
            if entry.seq != last + 1:
                raise Damaged(f"entry {entry.seq} does not follow {last}; run `tkg rebuild`")
            last = entry.seq
            yield entry

    def _load(self, entries: Iterator[Entry]) -> None:
        loader, last = Loader(self._engine), None
        try:
            for piece in _pieces(entries, CHUNK):
                last = piece[-1]
                schema.mark(self._engine, "announced", last.seq, "")
                loader.load(piece)
                self._engine.checkpoint()  # in ladybug what is not checkpointed stays in the buffer pool
            loader.connect()
            self._forget()
            # before the mark: ladybug's log can lose copied edges and keep what came after them
            if not self._engine.checkpoint() and self._engine.path is not None and self._engine.name != "kuzu":
                raise Damaged(f"{self._engine.where}: readers kept the graph from being saved; open it again")
        except BaseException:
            self._engine.abandon()
            raise
        if last is not None:
            schema.mark(self._engine, "applied", last.seq, last.hash)
            self._applied, self._hash = last.seq, last.hash

    def verify(self, source: Source) -> None:
        """Make sure that the last entry applied is the ledger's.

        Raises:
            Damaged: the graph is ahead of the ledger, or another ledger's.
        """
        if self._applied == 0:
            return
        entry = next(iter(islice(source(self._applied - 1), 1)), None)
        if entry is None or entry.seq != self._applied:
            raise Damaged(f"{self._engine.where}: the graph is ahead of the ledger; run `tkg rebuild`")
        if entry.hash != self._hash:
            raise Damaged(f"{self._engine.where}: the graph belongs to another ledger; run `tkg rebuild`")

    def checkpoint(self) -> bool:
        """Move the engine's log into its file now; return whether that was done (not while somebody reads)."""
        return self._engine.checkpoint()

    def close(self) -> None:
        """Release the engine; a file is checkpointed and sealed."""
        if self.borrowed:
            self._engine.abandon()
            return
        self._engine.close()
        path = self._engine.path
        if path is not None and self._engine.clean and not self._sealed:
            self._sealed = True
            with suppress(OSError):  # without a seal the next opening looks at it in a process of its own
                if not any(one.exists() and one.stat().st_size for one in logs_of(path)):
                    put_seal(path)

    def compare(self, source: Source) -> list[str]:
        """Return how the graph differs from the ledger up to the entry it has applied; empty where it agrees."""
        return compare_graph(self._engine, takewhile(lambda entry: entry.seq <= self._applied, source(0)))


def _pieces(entries: Iterator[Entry], most: int) -> Iterator[list[Entry]]:
    piece: list[Entry] = []
    records = 0
    for entry in entries:
        piece.append(entry)
        records += len(entry.records)
        if records >= most:
            yield piece
            piece, records = [], 0
    if piece:
        yield piece


class _Ledger:
    """The ledger's entries, and whether it was the ledger that failed: then the graph is not to blame."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.failed = False

    def __call__(self, seq: int) -> Iterator[Entry]:
        try:
            yield from self._source(seq)
        except GeneratorExit:
            raise
        except BaseException:
            self.failed = True
            raise


def open_graph(
    path: Path | None,
    *,
    ledger_entries: Source,
    engine: str = "auto",
    buffer_pool: int = BUFFER_POOL,
    max_size: int = MAX_SIZE,
    guarded: bool = True,
) -> KuzuGraph:
    """Open a graph and bring it up to date; make it anew when it is damaged, foreign or ahead of the ledger.

    Args:
        path: the file, made if missing; None: in memory.
        ledger_entries: the ledger's `read_since`.
        engine: kuzu, ladybug, or auto.
        buffer_pool: bytes of memory for pages; a graph in memory must fit in it.
        max_size: bytes of address space.
        guarded: look at a file that was not closed cleanly in a process of its own first (`tkg.graph.guard`).

    Returns:
        The graph; its `opening` says what was done and why.

    Raises:
        Busy: this or another process has the file open.
        Unsupported: the engine is not there.
        Damaged: the ledger cannot be read, or holds an entry that no graph can take.
        DiskFull: no space.
    """
    reason = ""
    while True:
        ledger = _Ledger(ledger_entries)
        try:
            if path is not None:
                check_file(path, engine, alone=guarded)
                break_seal(path)
            return _opened(
                path, ledger, reason, lambda: Engine(path, engine, buffer_pool=buffer_pool, max_size=max_size)
            )
        except OSError as error:
            raise translate(error, str(path)) from None
        except Damaged as error:
            if path is None or reason or ledger.failed:
                raise
            reason = str(error)
            discard(path)


def borrow_graph(
    path: Path, *, ledger_entries: Source, head: int, engine: str = "auto", buffer_pool: int = BUFFER_POOL
) -> KuzuGraph | None:
    """Open a copy of a graph file that was closed cleanly and has applied everything, or return None.

    For a reader beside whoever owns the file: nothing is locked, and as soon as the copy is open it has no name any more,
    so that nothing of it is left behind.

    Args:
        path: the file.
        ledger_entries: the ledger's `read_since`.
        head: the newest entry of the ledger.
        engine: kuzu, ladybug, or auto.
        buffer_pool: bytes of memory for pages.
    """
    copy = path.with_name(f"{path.name}.reading-{os.getpid()}-{next(_COPIES)}.new")
    opened: Engine | None = None
    try:
        if not copy_sealed(path, copy):
            return None
        opened = Engine(copy, engine, buffer_pool=buffer_pool)
        graph = KuzuGraph(opened)
        graph.verify(ledger_entries)
        if graph.applied != head:
            opened.abandon()
            return None
        graph.borrowed, graph.opening = True, Opening("current", 0)
        return graph
    except (OSError, TkgError):  # whatever it is, the graph can be made from the ledger
        if opened is not None:
            opened.abandon()
        return None
    finally:
        for one in (copy, *logs_of(copy), copy.with_name(f"{copy.name}.lock")):
            with suppress(OSError):
                one.unlink(missing_ok=True)


def _opened(path: Path | None, ledger: _Ledger, reason: str, start: Callable[[], Engine]) -> KuzuGraph:
    new = path is None or not path.exists()
    engine = start()
    try:
        graph = KuzuGraph(engine)
        graph.verify(ledger)
        before = graph.applied
        graph.apply(ledger(before))
    except TkgError:
        engine.abandon()
        raise
    except BaseException:
        engine.abandon()
        raise
    done = graph.applied - before
    outcome: Literal["created", "current", "caught_up", "rebuilt"]
    outcome = "rebuilt" if reason else "created" if new else "caught_up" if done else "current"
    graph.opening = Opening(outcome, done, reason)
    return graph
