"""The one module that touches the graph engine: kuzu, or its maintained fork ladybug.

It opens, reads, writes, loads, checkpoints and closes, and it keeps the engines' traps away from everybody else:

* one `Engine` per file in a process, by real path, and one process per file, by a lock of our own beside it: the
  engines let one process open a file twice, and closing one of the two drops the engine's own lock;
* one writing connection under a lock, never used again after a failed BEGIN, and no rollback: whatever fails closes
  the database without a checkpoint, so that the next opening replays a clean log;
* one statement a call, with exactly its parameters: several in one text crash kuzu, a missing one silently keeps its
  previous value, and a text that loads, copies or attaches files is refused where only reading is meant;
* checkpoints when the log is large and at close, never while somebody reads;
* never used after a fork, where the engines hang;
* one engine per process: the two cannot be loaded together, and trying crashes the interpreter at its end.

Results are plain tuples. Every error of an engine leaves here as a `TkgError`.
"""

from __future__ import annotations

import errno
import fcntl
import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from re import IGNORECASE, compile
from typing import Any, Final

from tkg.errors import Busy, Damaged, DiskFull, TkgError, Unsupported
from tkg.queries import Query

Row = tuple[Any, ...]
Parameters = Mapping[str, Any]

#: what an engine loads first; where one is loaded, the other cannot be
_NATIVE: Final = {"ladybug": "ladybug._lbug", "kuzu": "kuzu._kuzu"}
#: bytes of memory for pages; a graph in memory must fit in it
BUFFER_POOL: Final = 512 << 20
#: bytes of address space; kuzu spends 8 MiB of it on every checkpoint and crashes at the end of it
MAX_SIZE: Final = 64 << 30
#: checkpoints after which a kuzu database is no longer checkpointed until it is opened again
_MAX_CHECKPOINTS: Final = 6_000
#: bytes of log after which a transaction is followed by a checkpoint
_LARGE_LOG: Final = 16 << 20
#: longest path in edges; an unbounded star would silently stop at 30, and the engines count in 16 bits
_MAX_DEPTH: Final = "CALL var_length_extend_max_depth=60000"
#: seconds to wait for readers before closing or checkpointing
_PATIENCE: Final = 30.0

_WRITES: Final = compile(
    r"\b(CREATE|MERGE|SET|DELETE|DETACH|DROP|ALTER|COPY|LOAD|ATTACH|INSTALL|UNINSTALL|EXPORT|IMPORT|USE|CALL|BEGIN|COMMIT"
    r"|ROLLBACK|CHECKPOINT)\b",
    IGNORECASE,
)
_TABLES: Final = compile(r"\s*CALL show_tables\(\)\s+RETURN [\w, ]+")
_FORBIDDEN: Final = compile(
    r"\b(LOAD|ATTACH|INSTALL|UNINSTALL|EXPORT|IMPORT|USE|SET|DELETE|DETACH|DROP)\b|\bTO\s*'", IGNORECASE
)


@lru_cache(maxsize=1_000)
def _only_reads(text: str) -> bool:
    return not _WRITES.search(text) or _TABLES.fullmatch(text) is not None


@lru_cache(maxsize=1_000)
def _only_adds(text: str) -> bool:
    return not _FORBIDDEN.search(text)


#: what an engine says -> what it means, in order; anything else is damage
_MEANINGS: Final[tuple[tuple[str, type[TkgError], str], ...]] = (
    ("Could not set lock on file", Busy, "another process has the graph open; close it there"),
    ("Only one write transaction", Busy, "another transaction is writing to the graph; try again"),
    ("Timeout waiting for active transactions", Busy, "the graph is being read; try again"),
    ("Interrupted", Busy, "the query took too long and was stopped; try again or ask for less"),
    ("No space left on device", DiskFull, "the disk is full; free some space, then open the tenant again"),
    ("Disk quota exceeded", DiskFull, "the disk quota is used up; free some space, then open the tenant again"),
    ("buffer pool is full", Unsupported, "the graph needs more memory than its buffer pool; keep it in a file or raise it"),
    ("Mmap for size", Unsupported, "too many graphs are open in this process; close some"),
    ("No more frame groups", Unsupported, "the graph has used up its address space; close it and open it again"),
)  # fmt: skip


def translate(error: BaseException, where: str) -> TkgError:
    """Return what an engine's error means to the caller.

    Args:
        error: what the engine raised.
        where: the file, or "the graph in memory".
    """
    if isinstance(error, TkgError):
        return error
    text = str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{where}: the disk is full; free some space, then open the tenant again")
    for said, kind, meaning in _MEANINGS:
        if said.casefold() in text.casefold():
            return kind(f"{where}: {meaning}")
    first = text.strip().splitlines()[0][:200] if text.strip() else type(error).__name__
    return Damaged(f"{where}: the graph cannot be used ({first}); run `tkg rebuild`")


def available(engine: str = "auto") -> tuple[str, ...]:
    """Return the engines this process can use for `engine`, the preferred one first."""
    loaded = tuple(name for name, native in _NATIVE.items() if native in sys.modules)
    names = loaded or tuple(name for name in _NATIVE if importlib.util.find_spec(name) is not None)
    return tuple(name for name in names if engine in ("auto", name))


def _driver(engine: str) -> tuple[str, Any]:
    """Import an engine and return its name and module.

    Raises:
        Unsupported: it is not installed, or the other one is loaded already.
    """
    if engine not in ("auto", *_NATIVE):
        raise Unsupported(f"there is no engine {str(engine)[:40]!r}; pass auto, kuzu or ladybug")
    names = available(engine)
    if not names:
        loaded = available()
        if loaded and _NATIVE[loaded[0]] in sys.modules:
            raise Unsupported(
                f"this process uses {loaded[0]} already and cannot load {engine} beside it; start another"
            )
        extra = "tkg[ladybug]" if engine == "ladybug" else "tkg"
        raise Unsupported(f"the engine {engine} is not installed; pip install '{extra}'")
    try:
        return names[0], importlib.import_module("ladybug" if names[0] == "ladybug" else "kuzu")
    except (ImportError, OSError) as error:
        raise Unsupported(f"the engine {names[0]} does not load here ({type(error).__name__}); pass another") from None


class _FileLock:
    """The right of this process to one file: `flock` on a file beside it that names the process."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._fd, 20, 0).decode("ascii", "replace").strip()
            os.close(self._fd)
            raise Busy(
                f"process {holder or '(unknown)'} has the graph {path.with_suffix('')} open; close it there"
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        os.close(self._fd)


_open: dict[str, Engine] = {}
_open_lock = threading.Lock()


class Engine:
    """One open graph database.

    Args:
        path: the file; None: in memory.
        engine: kuzu, ladybug, or auto (the one this process has loaded, else ladybug where installed, else kuzu).
        buffer_pool: bytes of memory for pages.
        max_size: bytes of address space.

    Raises:
        Busy: this or another process has the file open.
        Damaged: the file is not one of this engine's, or is broken.
        Unsupported: the engine is not there.
    """

    def __init__(
        self,
        path: Path | None,
        engine: str = "auto",
        *,
        buffer_pool: int = BUFFER_POOL,
        max_size: int = MAX_SIZE,
    ) -> None:
        self.name, self._driver = _driver(engine)
        self.path = path
        self.where = "the graph in memory" if path is None else str(path)
        self._pid = os.getpid()
        self._key = "" if path is None else os.path.realpath(path)
        self._lock: _FileLock | None = None
        self._claim()
        try:
            self._database = self._driver.Database(
                ":memory:" if path is None else self._key,
                buffer_pool_size=buffer_pool,
                max_num_threads=min(4, os.cpu_count() or 1),
                max_db_size=max_size,
                auto_checkpoint=False,
            )
            self.version = str(self._driver.Database.get_version())
        except Exception as error:
            self._release()
            raise translate(error, self.where) from error
        self._state = threading.Condition()
        self._reading = 0
        self._exclusive = False
        self._writing = threading.RLock()
        self._writer: Any = None
        self._idle: list[Any] = []
        self._prepared: dict[tuple[int, str, frozenset[str]], Any] = {}
        self._checkpoints = 0
        self._closed: str | None = None
        #: closed after a checkpoint: nothing is left in the log
        self.clean = False

    # -- the right to the file
    def _claim(self) -> None:
        if self.path is None:
            return
        with _open_lock:
            if self._key in _open:
                raise Busy(f"process {self._pid} (this one) has the graph {self.path} open; use that one or close it")
            try:
                self._lock = _FileLock(self.path.with_name(self.path.name + ".lock"))
            except OSError as error:
                raise translate(error, self.where) from None
            _open[self._key] = self

    def _release(self) -> None:
        with _open_lock:
            if _open.get(self._key) is self:
                del _open[self._key]
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    # -- running one statement
    def check_open(self) -> None:
        """Raise what a statement would raise.

        Raises:
            Unsupported: the engine was opened before a fork.
            Damaged: it is closed.
        """
        if self._pid != os.getpid():
            raise Unsupported("the graph was opened before a fork; open it again in this process")
        if self._closed is not None:
            raise Damaged(f"{self.where}: {self._closed}")

    def _connect(self) -> Any:
        connection = self._driver.Connection(self._database)
        connection.execute(_MAX_DEPTH)
        return connection

    def _execute(self, connection: Any, query: Query, parameters: Parameters) -> list[Row]:
        """Run one statement on a connection and fetch what it returns."""
        if parameters.keys() != query.parameters:
            wrong = ", ".join(sorted(parameters.keys() ^ query.parameters))
            raise Unsupported(f"query {query.name}: missing or unknown parameter: {wrong}")
        result = connection.execute(self._statement(connection, query, parameters), dict(parameters))
        rows = []
        try:
            while result.has_next():
                rows.append(tuple(result.get_next()))
        finally:
            result.close()
        return rows

    def _statement(self, connection: Any, query: Query, parameters: Parameters) -> Any:
        """Return the prepared statement (kuzu prepares a text anew, with a second fsync; ladybug keeps it by itself)."""
        if self.name != "kuzu" or not parameters or "rows" in parameters:
            return query.text
        # a parameter keeps the type of its first value, and NULL is a type of its own
        key = (id(connection), query.text, frozenset(name for name, value in parameters.items() if value is None))
        if key not in self._prepared:
            self._prepared[key] = self._driver.PreparedStatement(connection, query.text, dict(parameters))
        return self._prepared[key]

    def _drop(self, connection: Any) -> None:
        for key in [key for key in self._prepared if key[0] == id(connection)]:
            del self._prepared[key]
        connection.close()

    # -- reading
    def read(self, query: Query, parameters: Parameters | None = None) -> list[Row]:
        """Run a query that only reads and return its rows. May be called from several threads at once.

        Raises:
            Unsupported: the text could write, load or call something, or the parameters are not the query's.
        """
        if not _only_reads(query.text):
            raise Unsupported(f"query {query.name} does more than read")
        with self._state:
            self.check_open()
            self._state.wait_for(lambda: not self._exclusive)
            self.check_open()
            connection = self._idle.pop() if self._idle else None
            self._reading += 1
        healthy = False
        try:
            if connection is None:
                connection = self._connect()
            rows = self._execute(connection, query, parameters or {})
            healthy = True
            return rows
        except Exception as error:
            raise translate(error, self.where) from error
        finally:
            with self._state:
                self._reading -= 1
                if healthy:
                    self._idle.append(connection)
                self._state.notify_all()

    def sweep(self, query: Query) -> Iterator[Row]:
        """Yield the rows of a query without parameters one by one: for whole tables. A checkpoint waits until it is done.

        Raises:
            Unsupported: the text does more than read.
        """
        if not _only_reads(query.text):
            raise Unsupported(f"query {query.name} does more than read")
        with self._state:
            self.check_open()
            self._state.wait_for(lambda: not self._exclusive)
            self.check_open()
            self._reading += 1
        try:
            connection = self._connect()
            try:
                result = connection.execute(query.text)
                while result.has_next():
                    yield tuple(result.get_next())
                result.close()
            finally:
                connection.close()
        except Exception as error:
            raise translate(error, self.where) from error
        finally:
            with self._state:
                self._reading -= 1
                self._state.notify_all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep readers out and wait until those inside are done."""
        with self._state:
            self._exclusive = True
            calm = self._state.wait_for(lambda: self._reading == 0, _PATIENCE)
        try:
            if not calm:
                raise Busy(f"{self.where}: the graph is being read; try again")
            yield
        finally:
            with self._state:
                self._exclusive = False
                self._state.notify_all()

    # -- writing
    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """One transaction: committed at the end; whatever is raised inside, or by the engine, closes the database.

        Raises:
            Damaged, DiskFull: the transaction did not go through; the database is closed and can be opened again, with
                the transaction whole or not there.
        """
        with self._writing:
            self.check_open()
            try:
                if self._writer is None:
                    self._writer = self._connect()
                self._execute(self._writer, _BEGIN, {})
                yield Transaction(self)
                self._execute(self._writer, _COMMIT, {})
            except BaseException as error:
                self.abandon()
                if not isinstance(error, Exception):
                    raise
                raise _failed(error, self.where) from error
            self._checkpoint_if_large()

    def write(self, query: Query, parameters: Parameters | None = None) -> None:
        """Run one statement by itself: a migration, a mark, a bulk load. A failure closes the database."""
        with self._writing:
            self.check_open()
            try:
                if self._writer is None:
                    self._writer = self._connect()
                self.run(query, parameters or {})
            except BaseException as error:
                self.abandon()
                if not isinstance(error, Exception):
                    raise
                raise _failed(error, self.where) from error

    def run(self, query: Query, parameters: Parameters) -> list[Row]:
        """Run a statement on the writing connection; only from inside `transaction` or `write`."""
        if not _only_adds(query.text):
            raise Unsupported(f"query {query.name} does more than add")
        return self._execute(self._writer, query, parameters)

    # -- checkpoints
    def _checkpoint_if_large(self) -> None:
        if self.path is not None:
            try:
                size = os.stat(f"{self._key}.wal").st_size
            except FileNotFoundError:
                return
            if size > _LARGE_LOG:
                self.checkpoint()

    def checkpoint(self) -> bool:
        """Move the log into the file; return whether that was done (not while somebody keeps reading)."""
        if self.path is None or self._checkpoints >= _MAX_CHECKPOINTS:
            return False
        with self._writing:
            self.check_open()
            try:
                with self._alone():
                    if self._writer is None:
                        self._writer = self._connect()
                    self._execute(self._writer, _CHECKPOINT, {})
            except Exception as error:
                meaning = translate(error, self.where)
                if isinstance(meaning, Busy):
                    return False
                self.abandon()
                raise meaning from error
            self._checkpoints += 1
            return True

    # -- the end
    def close(self) -> None:
        """Checkpoint and close; a second call does nothing."""
        if self._pid != os.getpid() or self._closed is not None:
            return
        with self._writing:
            done = self.checkpoint()
            self.clean = self._shut("the graph is closed; open it again") and done

    def abandon(self) -> None:
        """Close without a checkpoint: the file keeps its log, and the next opening replays what was committed."""
        if self._pid != os.getpid() or self._closed is not None:
            return
        self._shut("the graph was closed after a failure; open it again")

    def _shut(self, why: str) -> bool:
        """Close the database; return whether the engine did so without complaint."""
        with self._writing:
            with self._state:
                self._closed = why
                self._exclusive = True
                self._state.wait_for(lambda: self._reading == 0, _PATIENCE)
            try:
                with suppress(Exception):  # whatever it says, the file is left to the next opening
                    # a fresh connection: the writing one may be inside a transaction that failed
                    last = self._driver.Connection(self._database)
                    last.execute("CALL force_checkpoint_on_close=false").close()
                    last.close()
                    for connection in (*self._idle, *([] if self._writer is None else [self._writer])):
                        self._drop(connection)
                    self._database.close()
                    return True
                return False
            finally:
                self._idle, self._writer = [], None
                self._prepared.clear()
                with self._state:
                    self._exclusive = False
                    self._state.notify_all()
                self._release()


class Transaction:
    """What can be done inside `Engine.transaction`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def run(self, query: Query, parameters: Parameters) -> list[Row]:
        """Run one statement and return its rows."""
        return self._engine.run(query, parameters)


def _failed(error: Exception, where: str) -> TkgError:
    """Return what a failed write means: out of space, or a graph that has to be opened again."""
    meaning = translate(error, where)
    return meaning if isinstance(meaning, DiskFull) else Damaged(f"{meaning} (the graph was closed)")


_BEGIN: Final = Query("begin", "BEGIN TRANSACTION", "", frozenset(), (), False)
_COMMIT: Final = Query("commit", "COMMIT", "", frozenset(), (), False)
_CHECKPOINT: Final = Query("checkpoint", "CHECKPOINT", "", frozenset(), (), False)
