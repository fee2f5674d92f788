"""kill -9 at random moments: nothing acknowledged is lost, nothing is torn, and the next opening needs no help.

The parent never opens a store: it forks a child that works and writes what was acknowledged into a pipe, kills it, and
forks another that checks what is left.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.crash.work import TENANT, Acked, Worker, check, opened, prepare, warm

#: a store is thrown away after so many kills, so that it stays small
_LIFE = 20
#: seconds after which a check counts as hanging
_HANGS = 120


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """Run a function in a child with the writing end of a pipe; return its process id and the reading end."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        code = 0
        try:
            work(writing)
        except BaseException:  # noqa: BLE001 - a child ends here, whatever happened
            os.write(writing, (json.dumps({"error": traceback.format_exc()[-1500:]}) + "\n").encode())
            code = 1
        finally:
            os._exit(code)
    os.close(writing)
    return pid, reading


def first_line(reading: int) -> bytes:
    """Wait for a child's first line; return what was read."""
    content = b""
    while not content.endswith(b"\n"):
        piece = os.read(reading, 1)
        if not piece:
            break
        content += piece
    return content


def lines_of(reading: int, until: float = _HANGS, *, begun: bytes = b"") -> list[dict[str, Any]] | None:
    """Read a pipe to its end; None when it does not end in time. A last line that was cut off is left out."""
    content, end = begun, time.monotonic() + until
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            os.close(reading)
            return None
        piece = os.read(reading, 1 << 16)
        if not piece:
            os.close(reading)
            return [json.loads(line) for line in content.split(b"\n")[:-1] if line.strip()]
        content += piece


def told(work: Callable[[int], None]) -> tuple[list[dict[str, Any]] | None, int]:
    """Run a child to its end; return its lines (None: it hung and was killed) and how it ended."""
    pid, reading = forked(work)
    lines = lines_of(reading)
    if lines is None:
        os.kill(pid, signal.SIGKILL)
    return lines, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _work(path: Path, engine: str, seed: int, file: bool) -> Callable[[int], None]:
    def run(writing: int) -> None:
        chance = random.Random(seed)
        with opened(path, engine, file=file) as memory:
            worker = Worker(memory, chance)
            operations = worker.operations()
            names = sorted(operations)
            while True:
                name = chance.choice([*names, "propose", "batch", "revoke"])
                os.write(writing, (json.dumps({"begin": name}) + "\n").encode())
                operations[name]()
                os.write(writing, (json.dumps({"done": name, "acked": worker.acked()}) + "\n").encode())

    return run


def _check(path: Path, engine: str, acked: list[Acked], file: bool) -> Callable[[int], None]:
    def run(writing: int) -> None:
        wrong = check(path, engine, acked, file=file)
        os.write(writing, (json.dumps({"wrong": wrong}) + "\n").encode())

    return run


def run(
    folder: Path, *, engine: str, kills: int, seed: int, file: bool = False, seconds: float = 1e9
) -> dict[str, Any]:
    """Kill so many children (or as many as fit into `seconds`) and return what was seen."""
    chance, began = random.Random(seed), time.monotonic()
    template = folder / "template"
    warm(folder / "warm")
    told(lambda _: prepare(template, engine, file=file))
    store = folder / "store"
    acked: list[Acked] = []
    during: Counter[str] = Counter()
    wrong: list[str] = []
    done = acknowledged = finished = 0
    while done < kills and time.monotonic() - began < seconds:
        if done % _LIFE == 0:
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(template, store)
            acked = []
        pid, reading = forked(_work(store, engine, seed * 100_000 + done, file))
        # some die while the store is opened, some in their first operation, some later: however slow the machine is
        early = b"".join(first_line(reading) for _ in range(chance.choices([0, 1, 2, 4], [1, 3, 3, 3])[0]))
        time.sleep(chance.uniform(0.0, 0.3))
        os.kill(pid, signal.SIGKILL)
        lines = lines_of(reading, begun=early) or []
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code != -signal.SIGKILL:
            wrong.append(f"seed {seed} kill {done}: the child ended by itself with {code}: {lines[-1:]}")
        fresh = [(one["acked"][0], one["acked"][1]) for one in lines if "acked" in one]
        acked += fresh
        acknowledged += len(fresh)
        begun = [one["begin"] for one in lines if "begin" in one]
        last = begun[-1] if len(begun) > len(fresh) else "between" if begun else "opening"
        during[last] += 1
        seen, code = told(_check(store, engine, acked, file))
        done += 1
        if seen is None:
            wrong.append(f"seed {seed} kill {done} during {last}: opening what is left hangs")
        elif not seen or "wrong" not in seen[-1]:
            wrong.append(f"seed {seed} kill {done} during {last}: opening what is left failed ({code}): {seen}")
        else:
            finished += 1
            wrong += [f"seed {seed} kill {done} during {last}: {one}" for one in seen[-1]["wrong"]]
        if wrong:
            break
    return {
        "engine": engine + (" (file)" if file else ""),
        "kills": done,
        "acknowledged": acknowledged,
        "checked": finished,
        "during": dict(sorted(during.items())),
        "wrong": wrong,
        "bound_95": round(3 / max(done, 1), 5),
        "seconds": round(time.monotonic() - began, 1),
        "tenant": TENANT,
    }
