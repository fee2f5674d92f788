"""The n-th call fails, for n = 1, 2, 3 … until the operation gets through: write, fsync, rename, open, unlink, truncate,
allocation, and a disk that stays full. What is left is the state before or after, and an error of tkg says so.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import tkg
from tests.crash import shim
from tests.crash.kill import told
from tests.crash.work import NAMES, Acked, Worker, check, opened, prepare, warm
from tkg.errors import TkgError


class Fault(NamedTuple):
    """What fails, how, whether for good from then on, and how many calls apart the failures lie."""

    name: str
    kind: str
    number: int
    on: bool = False


FAULTS = (
    Fault("write", "write", errno.EIO),
    Fault("disk full", "write", errno.ENOSPC, True),
    Fault("fsync", "sync", errno.EIO),
    Fault("rename", "rename", errno.EIO),
    Fault("open", "open", errno.EMFILE),
    Fault("open, read-only", "open", errno.EROFS, True),
    Fault("unlink", "unlink", errno.EIO),
    Fault("truncate", "cut", errno.EIO),
    Fault("allocation", "alloc", errno.ENOMEM),
)
#: seconds after which an operation counts as hanging
_HANGS = 60
#: allocations that fail one after the other in one process, on one store: there are tens of thousands
_TOGETHER = 25
#: allocations tried of those that an operation makes on a store that was just opened
_COLD = 200


def _each(
    store: Path, engine: str, name: str, fault: Fault, places: Iterable[int], file: bool, *, cold: bool = False
) -> Callable[[int], None]:
    """Do an operation once for each place at which it fails, one after the other on the same store.

    `cold` opens the store anew each time, so that the operation also makes what is made at first use.
    """

    def run(writing: int) -> None:
        shim.root(store)
        memory = opened(store, engine, file=file)
        chance = random.Random(7)
        worker = Worker(memory, chance)
        for at in places:
            signal.alarm(_HANGS)
            if cold:
                with suppress(TkgError):
                    memory.close()
                memory = opened(store, engine, file=file)
                worker = Worker(memory, chance)
            memory._closed = False  # an operation that closes and opens may have failed in between
            before, operation = worker.acked(), worker.operations()[name]
            shim.arm(fault.kind, at, fault.number, on=fault.on)
            try:
                operation()
                outcome = "done"
            except TkgError as error:
                outcome = error.code
            except MemoryError:
                outcome = "memory"
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                outcome = f"unexpected {type(error).__name__}: {str(error)[:200]}"
            calls = shim.count(fault.kind)
            if fault.on and calls >= at:
                outcome = _still_readable(store, outcome)
            shim.disarm()
            acked = worker.acked() if outcome == "done" else before
            said = {"at": at, "outcome": outcome, "calls": calls, "before": before[0], "acked": acked}
            os.write(writing, (json.dumps(said) + "\n").encode())
            if calls < at and not cold:
                break
        with suppress(TkgError):
            memory.close()

    return run


def _still_readable(store: Path, outcome: str) -> str:
    """While the disk stays full or read-only, another reader still gets what was written; return what happened else."""
    try:
        with tkg.open(store, engine="memory", read_only=True) as reader:
            said = reader.scope("acme").value("pump 1", "note")
            assert said.kind in ("value", "values", "none"), said
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return f"unexpected: not readable after {outcome}: {type(error).__name__}: {str(error)[:200]}"
    return outcome


#: what an operation may answer on a disk that stays full, and on one that cannot be written
_CLEAR = {"disk full": {"done", "disk_full"}, "open, read-only": {"done", "invalid_request"}}


def _left(store: Path, engine: str, acked: list[Acked], before: int, file: bool) -> Callable[[int], None]:
    def run(writing: int) -> None:
        signal.alarm(2 * _HANGS)
        wrong = check(store, engine, acked, file=file, before=before)
        os.write(writing, (json.dumps({"wrong": wrong}) + "\n").encode())

    return run


def run(
    folder: Path,
    *,
    engine: str,
    number: int,
    seed: int,
    file: bool = False,
    seconds: float = 1e9,
    only: str = "",
    skip: str = "",
) -> dict[str, Any]:
    """Sweep over every operation and every fault; `number` bounds the failures of each pair (0: all).

    Where there are more, they are spread evenly over the operation, from a place that depends on the seed. `only` and
    `skip` choose operations and faults by name, separated by commas.
    """
    shim.alloc_in("sqlite")
    began, template, store = time.monotonic(), folder / "template", folder / "store"
    warm(folder / "warm")
    told(lambda _: prepare(template, engine, file=file))
    sweep = _Sweep(template, store, engine, file)
    names = [name for name in _names(template, engine) if _chosen(name, only, skip, NAMES)]
    faults = [fault for fault in FAULTS if _chosen(fault.name, only, skip, {one.name for one in FAULTS})]
    left_out = []
    for name in names:
        for fault in faults:
            if time.monotonic() - began > seconds:
                left_out.append(f"{name}, {fault.name}")
                continue
            sweep.pair(name, fault, number, seed)
    return {
        "engine": engine + (" (file)" if file else ""),
        "operations": len(names),
        "injected": dict(sweep.injected),
        "total": sweep.injected.total(),
        "outcomes": dict(sweep.outcomes),
        "left_out": left_out,
        "wrong": sweep.wrong,
        "bound_95": round(3 / max(sweep.injected.total(), 1), 5),
        "seconds": round(time.monotonic() - began, 1),
    }


def _chosen(name: str, only: str, skip: str, known: Collection[str]) -> bool:
    """Return whether a name is asked for; words for the other kind of name do not count."""
    wanted = [word for word in only.split(",") if word in known]
    return name not in skip.split(",") and (not wanted or name in wanted)


def _names(template: Path, engine: str) -> list[str]:
    def look(writing: int) -> None:
        with opened(template, engine) as memory:
            os.write(
                writing, (json.dumps({"names": sorted(Worker(memory, random.Random(1)).operations())}) + "\n").encode()
            )

    lines, _ = told(look)
    assert lines
    return list(lines[-1]["names"])


def _spread(total: int, number: int, seed: int) -> list[int]:
    if total <= number:
        return list(range(1, total + 1))
    step = total / number
    return sorted({1 + int((place + random.Random(seed).random()) * step) % total for place in range(number)})


class _Sweep:
    """The failures so far, and what they came to."""

    def __init__(self, template: Path, store: Path, engine: str, file: bool) -> None:
        self._template, self._store, self._engine, self._file = template, store, engine, file
        self.injected: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.wrong: list[str] = []

    def pair(self, name: str, fault: Fault, number: int, seed: int) -> None:
        """Let one operation fail at its first call, its second, … until it gets through.

        An allocation fails in a store that is in use, so that the sweep can go through all of them. What is allocated at
        first use only (statements, the schema) is many times as much, and `_COLD` of it are tried.
        """
        together = _TOGETHER if fault.kind == "alloc" else 1
        if number:
            places = _spread(self._calls(name, fault), number, seed)
            for start in range(0, len(places), together):
                self._some(name, fault, places[start : start + together])
            return
        at = 1
        while self._some(name, fault, range(at, at + together)):
            at += together
        if together > 1:
            cold = _spread(self._calls(name, fault), _COLD, seed)
            for start in range(0, len(cold), together):
                self._some(name, fault, cold[start : start + together], cold=True)

    def _fresh(self) -> None:
        for one in self._store.parent.glob(f"{self._store.name}*"):
            shutil.rmtree(one)
        shutil.copytree(self._template, self._store)

    def _calls(self, name: str, fault: Fault) -> int:
        """Return how many calls of the kind an operation makes when nothing fails."""
        self._fresh()
        lines, code = told(_each(self._store, self._engine, name, fault, [1 << 40], self._file))
        assert lines and lines[-1].get("outcome") == "done", (name, fault, lines, code)
        return int(lines[-1]["calls"])

    def _some(self, name: str, fault: Fault, places: Sequence[int], *, cold: bool = False) -> bool:
        """Let calls fail, one after the other, and look at what is left; return whether the last one was reached."""
        self._fresh()
        lines, code = told(_each(self._store, self._engine, name, fault, places, self._file, cold=cold))
        seen = [one for one in lines or [] if "at" in one]
        wrong = [] if lines and len(seen) == len(lines) and not code else [f"the process ended with {code}: {lines}"]
        reached = [one for one in seen if one["calls"] >= one["at"]]
        for one in reached:
            self.injected[f"{fault.name}, first use" if cold else fault.name] += 1
            self.outcomes[one["outcome"].partition(":")[0]] += 1
        for one in seen:
            if one["outcome"].startswith("unexpected"):
                wrong.append(f"at {one['at']}: {one['outcome']}")
            elif one["outcome"] not in _CLEAR.get(fault.name, {one["outcome"]}):
                wrong.append(f"at {one['at']}: not a clear error: {one['outcome']}")
        acked: list[Acked] = [(one["acked"][0], one["acked"][1]) for one in seen if one["acked"][0]]
        before = max((one["before"] for one in seen), default=0)
        left, code = told(_left(self._store, self._engine, acked, before, self._file))
        if not left or "wrong" not in left[-1]:
            wrong.append(f"what is left cannot be opened ({code}): {left}")
        else:
            wrong += left[-1]["wrong"]
        self.wrong += [f"{name}, {fault.name} {places[0]} to {places[-1]}: {one}" for one in wrong]
        return len(reached) == len(places)
