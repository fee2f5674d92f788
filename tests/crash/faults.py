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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import tkg
from tests.crash import shim
from tests.crash.kill import told
from tests.crash.work import Worker, check, opened, prepare
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


def _once(store: Path, engine: str, name: str, fault: Fault, at: int, file: bool) -> Callable[[int], None]:
    def run(writing: int) -> None:
        signal.alarm(_HANGS)
        shim.root(store)
        outcome, before, acked = "done", 0, (0, "")
        memory = opened(store, engine, file=file)
        worker = Worker(memory, random.Random(at))
        before = worker.acked()[0]
        operation = worker.operations()[name]
        shim.arm(fault.kind, at, fault.number, on=fault.on)
        try:
            operation()
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
        if outcome == "done":
            acked = worker.acked()
        os.write(
            writing,
            (json.dumps({"outcome": outcome, "calls": calls, "before": before, "acked": acked}) + "\n").encode(),
        )
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


def _left(store: Path, engine: str, seen: dict[str, Any], file: bool) -> Callable[[int], None]:
    def run(writing: int) -> None:
        signal.alarm(2 * _HANGS)
        acked = [tuple(seen["acked"])] if seen["acked"][0] else []
        wrong = check(store, engine, acked, file=file, before=seen["before"])
        os.write(writing, (json.dumps({"wrong": wrong}) + "\n").encode())

    return run


def run(
    folder: Path, *, engine: str, number: int, seed: int, file: bool = False, seconds: float = 1e9
) -> dict[str, Any]:
    """Sweep over every operation and every fault; `number` bounds the failures of each pair (0: all).

    Where there are more, they are spread evenly over the operation, from a place that depends on the seed.
    """
    shim.alloc_in("sqlite")
    began, template, store = time.monotonic(), folder / "template", folder / "store"
    told(lambda _: prepare(template, engine, file=file))
    injected: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    names = _names(template, engine)
    for name in names:
        for fault in FAULTS:
            if time.monotonic() - began > seconds:
                break
            total = _calls(template, store, engine, name, fault, file)
            places = range(1, total + 1) if not number else _spread(total, number, seed)
            for at in places:
                seen, left = _try(template, store, engine, name, fault, at, file)
                injected[fault.name] += 1
                outcomes[seen["outcome"] if seen else "died"] += 1
                wrong += [f"{name}, {fault.name} {at} of {total}: {one}" for one in left]
    return {
        "engine": engine + (" (file)" if file else ""),
        "operations": len(names),
        "injected": dict(injected),
        "total": injected.total(),
        "outcomes": dict(outcomes),
        "wrong": wrong,
        "bound_95": round(3 / max(injected.total(), 1), 5),
        "seconds": round(time.monotonic() - began, 1),
    }


def _names(template: Path, engine: str) -> list[str]:
    def look(writing: int) -> None:
        with opened(template, engine) as memory:
            os.write(
                writing, (json.dumps({"names": sorted(Worker(memory, random.Random(1)).operations())}) + "\n").encode()
            )

    lines, _ = told(look)
    assert lines
    return list(lines[-1]["names"])


def _fresh(template: Path, store: Path) -> None:
    for one in store.parent.glob(f"{store.name}*"):
        shutil.rmtree(one)
    shutil.copytree(template, store)


def _calls(template: Path, store: Path, engine: str, name: str, fault: Fault, file: bool) -> int:
    """Return how many calls of the kind an operation makes when nothing fails."""
    _fresh(template, store)
    lines, code = told(_once(store, engine, name, fault, 1 << 40, file))
    assert lines and lines[-1].get("outcome") == "done", (name, fault, lines, code)
    return int(lines[-1]["calls"])


def _spread(total: int, number: int, seed: int) -> list[int]:
    if total <= number:
        return list(range(1, total + 1))
    step = total / number
    return sorted({1 + int((place + random.Random(seed).random()) * step) % total for place in range(number)})


def _try(
    template: Path, store: Path, engine: str, name: str, fault: Fault, at: int, file: bool
) -> tuple[dict[str, Any] | None, list[str]]:
    _fresh(template, store)
    lines, code = told(_once(store, engine, name, fault, at, file))
    if not lines or "outcome" not in lines[-1] or code:
        return None, [f"the process ended with {code}: {lines}"]
    seen = lines[-1]
    wrong = [seen["outcome"]] if seen["outcome"].startswith("unexpected") else []
    if seen["outcome"] not in _CLEAR.get(fault.name, {seen["outcome"]}):
        wrong.append(f"not a clear error: {seen['outcome']}")
    left, code = told(_left(store, engine, seen, file))
    if not left or "wrong" not in left[-1]:
        return seen, [*wrong, f"what is left cannot be opened ({code}): {left}"]
    return seen, [*wrong, *left[-1]["wrong"]]
