"""Every state a power cut may leave: the calls of a run are recorded, and replayed with what was not synced lost.

A write may be lost, kept, kept without an earlier one, or torn, until its file is synced; a new name, a rename and a removal
until the folder is synced, in order. Each state is opened: everything acknowledged before the cut must be there, whole.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.crash import shim
from tests.crash.faults import _left
from tests.crash.kill import told
from tests.crash.work import Acked, Worker, opened, prepare, warm

_SECTOR = 512
_OPERATIONS = (
    "propose",
    "batch",
    "supersede",
    "revoke",
    "quarantine",
    "recall",
    "head",
    "rebuild",
    "reopen",
    "migrate",
    "maintain",
    "erase",
    "propose",
)
_MODES = ("lost", "kept", "some", "torn")


class Call(NamedTuple):
    """One recorded call."""

    kind: str
    path: str
    at: int
    data: bytes


def read_trace(path: Path) -> Iterator[Call]:
    """Yield the calls of a record, in order."""
    content, place = path.read_bytes(), 0
    while place < len(content):
        kind, size, at, length = struct.unpack_from("<cIQI", content, place)
        place += 17
        name = content[place : place + size].decode()
        place += size
        yield Call(kind.decode(), name, at, content[place : place + length])
        place += length


class Inode:
    """A file's bytes on disk, and what was written since."""

    def __init__(self, content: bytes = b"") -> None:
        self.durable = bytearray(content)
        self.pending: list[tuple[str, int, bytes]] = []

    def with_(self, changes: list[tuple[str, int, bytes]]) -> bytearray:
        """Return the bytes after some of the changes."""
        out = bytearray(self.durable)
        for kind, at, data in changes:
            if kind == "cut":
                del out[at:]
                out.extend(bytes(at - len(out)))
            else:
                out.extend(bytes(max(0, at - len(out))))
                out[at : at + len(data)] = data
        return out

    def sync(self) -> None:
        self.durable, self.pending = self.with_(self.pending), []


class Disk:
    """A file system of which the synced part is known."""

    def __init__(self, folder: Path) -> None:
        self.names: dict[str, Inode] = {}
        for one in sorted(folder.rglob("*")):
            if one.is_file() and not one.name.endswith("-shm"):
                self.names[str(one)] = Inode(one.read_bytes())
        self.durable = dict(self.names)
        #: (folder, change of names)
        self.changes: list[tuple[str, Callable[[dict[str, Inode]], None]]] = []

    def take(self, call: Call) -> None:
        """Take in one call."""
        path = os.path.normpath(call.path)
        if path.endswith("-shm"):
            return
        match call.kind:
            case "C":
                self._change(path, _named(path, Inode()))
            case "T":
                self._of(path).pending.append(("cut", 0, b""))
            case "L":
                self._of(path).pending.append(("cut", call.at, b""))
            case "W":
                self._of(path).pending.append(("write", call.at, call.data))
            case "R":
                self._change(path, _moved(path, os.path.normpath(call.data.decode())))
            case "U":
                self._change(path, _gone(path))
            case "S":
                if path in self.names:
                    self.names[path].sync()
                else:
                    self._sync_folder(path)

    def _of(self, path: str) -> Inode:
        if path not in self.names:
            self._change(path, _named(path, Inode()))
        return self.names[path]

    def _change(self, path: str, change: Callable[[dict[str, Inode]], None]) -> None:
        change(self.names)
        self.changes.append((os.path.dirname(path), change))

    def _sync_folder(self, path: str) -> None:
        for folder, change in self.changes:
            if folder == path:
                change(self.durable)
        self.changes = [one for one in self.changes if one[0] != path]

    def after(self, mode: str, chance: random.Random) -> dict[str, bytes]:
        """Return the files that a cut may leave now."""
        names = dict(self.durable)
        upto = {"lost": 0, "kept": len(self.changes), "torn": len(self.changes)}.get(
            mode, chance.randint(0, len(self.changes))
        )
        for _, change in self.changes[:upto]:
            change(names)
        out: dict[str, bytes] = {}
        for path, inode in names.items():
            changes = list(inode.pending) if mode != "lost" else []
            if mode == "some":
                changes = [one for one in changes if chance.random() < 0.5]
            if mode == "torn" and changes and changes[-1][0] == "write" and len(changes[-1][2]) > _SECTOR:
                kind, at, data = changes[-1]
                changes[-1] = (kind, at, data[: chance.randrange(1, len(data) // _SECTOR + 1) * _SECTOR])
            out[path] = bytes(inode.with_(changes))
        return out


def _named(path: str, inode: Inode) -> Callable[[dict[str, Inode]], None]:
    return lambda names: names.__setitem__(path, inode)


def _moved(path: str, to: str) -> Callable[[dict[str, Inode]], None]:
    def change(names: dict[str, Inode]) -> None:
        if path in names:
            names[to] = names.pop(path)

    return change


def _gone(path: str) -> Callable[[dict[str, Inode]], None]:
    def change(names: dict[str, Inode]) -> None:
        names.pop(path, None)

    return change


def record(store: Path, engine: str, trace: Path, file: bool) -> None:
    """Run every operation once and record its calls; what is acknowledged is marked in between."""

    def run(_: int) -> None:
        signal.alarm(120)
        shim.root(store)
        with opened(store, engine, file=file) as memory:
            worker = Worker(memory, random.Random(3))
            shim.trace(trace)
            operations = worker.operations()
            for name in _OPERATIONS:
                shim.mark(f"begin {name}")
                operations[name]()
                seq, digest = worker.acked()
                shim.mark(f"acked {seq} {digest}")
        shim.mark("begin closed")
        shim.trace(None)

    lines, code = told(run)
    assert code == 0, lines


def run(
    folder: Path, *, engine: str, number: int, seed: int, file: bool = False, seconds: float = 1e9, deaf: bool = False
) -> dict[str, Any]:
    """Open so many of the states (0: all), spread evenly over the recorded calls and the ways of losing.

    Many cuts leave the same bytes; what was looked at once with the same entries acknowledged is not opened again, but counted.
    With `deaf` the disk does what a disk must not: a sync does nothing. That has to be found (the control).
    """
    began, chance = time.monotonic(), random.Random(seed)
    store, first, trace = folder / "store", folder / "first", folder / "trace"
    warm(folder / "warm")
    told(lambda _: prepare(store, engine, file=file))
    shutil.copytree(store, first)
    record(store, engine, trace, file)
    shutil.rmtree(store)
    shutil.copytree(first, store)  # names in the record are those of the store
    calls = list(read_trace(trace))
    points = [place for place, call in enumerate(calls) if call.kind != "M"]
    every = [(place, mode) for place in points for mode in _MODES]
    chosen = set(every if not number else chance.sample(every, min(number, len(every))))
    disk, acked, during = Disk(store), (0, ""), "start"
    looked: Counter[str] = Counter()
    known: dict[bytes, list[str]] = {}
    wrong: list[str] = []
    for place, call in enumerate(calls):
        if call.kind == "M":
            words = call.path.split()
            acked, during = ((int(words[1]), words[2]), during) if words[0] == "acked" else (acked, words[1])
            continue
        if not (deaf and call.kind == "S"):
            disk.take(call)
        for mode in _MODES:
            if (place, mode) not in chosen or time.monotonic() - began > seconds:
                continue
            files = disk.after(mode, chance)
            same = _digest(files, acked)
            if same not in known:
                _lay_out(first, store, files)
                seen, code = told(_left(store, engine, [acked] if acked[0] else [], acked[0], file))
                known[same] = (
                    seen[-1]["wrong"] if seen and "wrong" in seen[-1] else [f"cannot be opened ({code}): {seen}"]
                )
            looked[mode] += 1
            wrong += [f"seed {seed}, after call {place} ({during}, {mode}): {one}" for one in known[same]]
    return {
        "engine": engine + (" (file)" if file else ""),
        "calls": len(points),
        "syncs": sum(call.kind == "S" for call in calls),
        "states": looked.total(),
        "different": len(known),
        "of": len(every),
        "by": dict(looked),
        "wrong": wrong,
        "bound_95": round(3 / max(looked.total(), 1), 5),
        "seconds": round(time.monotonic() - began, 1),
    }


def _digest(files: dict[str, bytes], acked: Acked) -> bytes:
    found = hashlib.sha256(repr(acked).encode())
    for path, content in sorted(files.items()):
        found.update(repr((path, len(content))).encode())
        found.update(content)
    return found.digest()


def _lay_out(first: Path, store: Path, files: dict[str, bytes]) -> None:
    """Make the store's folder hold exactly these files."""
    shutil.rmtree(store)
    for one in [first, *(each for each in first.rglob("*") if each.is_dir())]:
        (store / one.relative_to(first)).mkdir(mode=0o700, exist_ok=True)
    for path, content in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)
