"""The other side of `tkg.conform.processes`: does the steps it is handed, and dies where it is told to.

A chance to die is: before each SQL statement of any SQLite connection (so also in the middle of a transaction), before
and after each change of a projection, and before and after each change of the file system. Death is `os._exit`: no
clean-up runs, as with a kill.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from tkg.clock import ManualClock
from tkg.conform.cases import Step
from tkg.conform.processes import DEAD, received, sent
from tkg.conform.verbs import perform
from tkg.conform.world import NotAvailable, World

_FILES = ("replace", "rename", "unlink", "remove", "fsync", "rmdir", "truncate", "ftruncate")
_PROJECTIONS = ("append", "apply", "remove_content")


class Fuse:
    """Counts chances to die, and takes the one it was told to; 0 takes none. Burns only while `lit`."""

    def __init__(self, point: int) -> None:
        self.count = 0
        self.lit = False
        self._point = point

    def tick(self, *_: object) -> None:
        """Pass one chance."""
        if self.lit:
            self.count += 1
            if self.count == self._point:
                os._exit(DEAD)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with a chance before and after it."""

        def fused(*args: Any, **kwargs: Any) -> Any:
            self.tick()
            result = function(*args, **kwargs)
            self.tick()
            return result

        return fused


def _lay(fuse: Fuse) -> None:
    """Lay the fuse through the file system and SQLite."""
    for name in _FILES:
        setattr(os, name, fuse.around(getattr(os, name)))

    connect = sqlite3.connect

    def fused(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **kwargs)
        connection.set_trace_callback(fuse.tick)
        return connection

    sqlite3.connect = fused  # type: ignore[assignment]


def _lay_in_tenants(world: World, fuse: Fuse) -> None:
    """Lay the fuse through the projections of every tenant there is."""
    for name in world.memory.tenants():
        tenant = world.memory.tenant(name)
        for part in (tenant.graph, tenant.index):
            for method in _PROJECTIONS:
                if (found := getattr(part, method, None)) is not None:
                    try:
                        setattr(part, method, fuse.around(found))
                    except AttributeError:  # slots: this part is passed by; SQL and files still count
                        continue


def say(line: dict[str, Any]) -> None:
    """Write one line of the answer."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Read the request from standard input, do its steps, answer on standard output."""
    request = json.loads(sys.stdin.readline())
    fuse = Fuse(request["point"])
    if request["point"] >= 0:
        _lay(fuse)
    world = World(
        Path(request["root"]),
        request["engine"],
        ManualClock(datetime.fromisoformat(request["now"])),
        request["predicates"],
        request["seed"],
    )
    world.answers = {label: received(one) for label, one in request["answers"].items()}
    for one in request["steps"]:
        step = Step(one["verb"], one["body"], one["label"], one["at"])
        if step.at is not None:
            world.set_clock(step.at)
        if request["point"] >= 0:
            _lay_in_tenants(world, fuse)
        fuse.lit = True
        try:
            answer = perform(world, step)
        except NotAvailable as missing:
            say({"missing": str(missing)})
            break
        fuse.lit = False
        if step.label is not None:
            world.answers[step.label] = answer
        say({"label": step.label, **sent(answer)})
    say({"points": fuse.count})
    if request["stay"]:
        sys.stdin.read()
    world.close()
