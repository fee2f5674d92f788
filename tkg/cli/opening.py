"""Opening a store for a command: read-only beside a running owner, or as its one writer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tkg
from tkg.cli.screen import complain
from tkg.clock import Clock
from tkg.errors import NotFound, RequestError
from tkg.memory.store import Memory


def check_path(path: Path, what: str = "--store") -> Path:
    """Refuse a path that no file system can hold.

    Raises:
        RequestError: it holds a NUL, or is empty.
    """
    text = str(path)
    if not text.strip() or "\x00" in text:
        raise RequestError(f"{what} is empty or holds a NUL character; name a directory")
    return path


@contextmanager
def reading(store: Path, engine: str) -> Iterator[Memory]:
    """Open an existing store for reading only: works beside a process that owns it, and records nothing."""
    with tkg.open(check_path(store), engine=engine, read_only=True) as memory:
        yield memory
        _tell(memory)


@contextmanager
def writing(store: Path, engine: str, *, create: bool = False, clock: Clock | None = None) -> Iterator[Memory]:
    """Open a store as its writer.

    Args:
        store: its directory.
        engine: graph engine.
        create: make the store if there is none. If nothing could be written to it, it is removed again, so that a
            refused request leaves no trace.
        clock: what tells the time (default: the machine's).

    Raises:
        NotFound: there is no store and `create` is off.
    """
    fresh = not (check_path(store) / "store.json").exists()
    if fresh and not create:
        raise NotFound(f"{store} is not a store; make one with `tkg init --store {store}`")
    there = store.exists()
    try:
        with tkg.open(store, engine=engine, clock=clock) as memory:
            yield memory
            _tell(memory)
    finally:
        if fresh:
            _remove_unused(store, keep=there)


def _tell(memory: Memory) -> None:
    for notice in memory.notices:
        complain(notice)


def _remove_unused(store: Path, *, keep: bool) -> None:
    tenants = store / "tenants"
    if not tenants.is_dir() or any(tenants.iterdir()):
        return
    tenants.rmdir()
    (store / "store.json").unlink(missing_ok=True)
    if not keep and not any(store.iterdir()):
        store.rmdir()
