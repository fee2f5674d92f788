"""One writer per tenant: a lock file beside the database, held with `flock` and naming the process that holds it.

The kernel drops the lock with the process, however it ends, so nothing is ever repaired by hand. The lock is on the
open file, not on the process: a second opening in the same process is refused as well.
"""

from __future__ import annotations

import fcntl
import os
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

from tkg.errors import Busy, Damaged

#: how long to wait for a holder that has the lock and has not yet written its process id, in seconds
_PATIENCE: Final = 0.3

_held: weakref.WeakSet[WriterLock] = weakref.WeakSet()


class WriterLock:
    """The right to write one tenant's ledger, from now until `release`.

    Args:
        path: the lock file; made if missing, never removed.
        tenant: named in the message.

    Raises:
        Busy: another process, or this one, holds it.
        Damaged: the lock file is a symbolic link.
    """

    def __init__(self, path: Path, tenant: str) -> None:
        self._pid = os.getpid()
        self._fd: int | None = None
        self._fd = _locked(path, tenant)
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{self._pid}\n".encode(), 0)
        except BaseException:
            self.abandon()
            raise
        _held.add(self)

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._fd is not None and self._pid == os.getpid():
            with suppress(OSError):  # an id that stays in a file nobody holds means nothing
                os.ftruncate(self._fd, 0)
            # closing alone would leave it with a child that was forked a moment ago
            fcntl.flock(self._fd, fcntl.LOCK_UN)
        self.abandon()

    def abandon(self) -> None:
        """Close this process's descriptor only: after a fork the lock stays with the parent."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def __del__(self) -> None:
        self.abandon()


def _locked(path: Path, tenant: str) -> int:
    while True:
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            if path.is_symlink():
                raise Damaged(f"{path} is a symbolic link; remove it, a lock file is made beside the ledger") from None
            raise
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(fd)
            os.close(fd)
            raise Busy(_sentence(holder, tenant)) from None
        except BaseException:
            os.close(fd)
            raise
        if _still_there(fd, path):
            return fd
        os.close(fd)  # the file was replaced between opening and locking


def _still_there(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _holder(fd: int) -> int | None:
    """Return the process id in a lock file that somebody holds; None when it cannot be learned in time."""
    until = time.monotonic() + _PATIENCE
    while True:
        text = os.pread(fd, 32, 0).strip()
        pid = int(text) if text.isdigit() else 0
        # the id of a killed holder stays in the file until its successor has written its own
        if pid and _alive(pid):
            return pid
        if time.monotonic() > until:
            return pid or None
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _sentence(holder: int | None, tenant: str) -> str:
    if holder == os.getpid():
        return f"process {holder} (this one) owns tenant {tenant} already; use the memory that is open, or close it"
    who, pid = ("another process", "") if holder is None else (f"process {holder}", f" (pid {holder})")
    return f"{who} owns tenant {tenant}{pid}; close it there, or open read-only for audit, lineage and export"


def _after_fork() -> None:
    for lock in list(_held):
        lock.abandon()


os.register_at_fork(after_in_child=_after_fork)
