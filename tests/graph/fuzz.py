"""Differential fuzz: the Cypher graph against the reference, with reopening, catching up, rebuilding and failures.

`python -m tests.graph.fuzz --engine kuzu --operations 10000 --seed 0` prints what was done and what differed. An
operation is one entry applied, one reopening, one rebuild, or one engine call that was made to fail, in an apply or while
opening; now and then, and at the end of each history, everything the port can be asked is asked of both graphs. Every
third history is loaded in bulk even where a few entries are missing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tkg.errors import TkgError
from tkg.graph import projection
from tkg.graph.kuzu import Engine
from tkg.graph.memory import MemoryGraph
from tkg.graph.projection import KuzuGraph, open_graph
from tkg.testing.graph import differences
from tkg.testing.histories import Histories


@contextmanager
def failing_at(call: int) -> Iterator[list[int]]:
    """Make the engine's `call`-th statement from now fail; yields a list whose only element counts them."""
    count, plain = [0], Engine._execute

    def execute(self: Engine, *arguments: Any) -> Any:
        count[0] += 1
        if count[0] == call:
            raise RuntimeError("IO exception: injected")
        return plain(self, *arguments)

    Engine._execute = execute  # type: ignore[method-assign]
    try:
        yield count
    finally:
        Engine._execute = plain  # type: ignore[method-assign]


class Fuzz:
    """One history on one file, and what was done to it."""

    def __init__(self, engine: str, folder: Path, seed: int, every: int = 5, compares: float = 1.0) -> None:
        self.engine, self.path, self.every, self.compares = engine, folder / "graph", every, compares
        self.random = random.Random(seed)
        self.history = Histories(self.random.randrange)
        self.reference = MemoryGraph()
        self.done: Counter[str] = Counter()
        self.found: list[Any] = []
        self.bulk = 15 if seed % 3 == 0 else projection.BULK
        self.graph = self._open()

    def _open(self) -> KuzuGraph:
        with self._loading():
            return open_graph(
                self.path,
                engine=self.engine,
                ledger_entries=lambda seq: iter(self.history.entries[seq:]),
                guarded=False,
            )

    @contextmanager
    def _loading(self) -> Iterator[None]:
        """Load in bulk from so many records on as this history does."""
        plain = projection.BULK, projection.CHUNK
        projection.BULK, projection.CHUNK = self.bulk, 2 * self.bulk  # type: ignore[misc]
        try:
            yield
        finally:
            projection.BULK, projection.CHUNK = plain  # type: ignore[misc]

    def _grow(self, entries: int) -> None:
        before = len(self.history.entries)
        self.history.grow(entries)
        self.reference.apply(self.history.entries[before:])

    def compare(self) -> None:
        """Ask both graphs everything."""
        self.done["comparisons"] += 1
        self.found += differences(self.graph, self.reference, self.history, self.every)

    def append(self) -> None:
        """Apply a few entries one by one."""
        for _ in range(self.random.randrange(1, 9)):
            self._grow(1)
            self.graph.apply(self.history.entries[-1:])
            self.done["entries applied"] += 1

    def catch_up(self) -> None:
        """Close, let the ledger grow, open again."""
        self.graph.close()
        grown = self.random.choice((0, 1, 3, 40))
        self._grow(grown)
        self.graph = self._open()
        self.done["reopened"] += 1
        self.done["entries caught up"] += grown

    def stop(self) -> None:
        """Let go without closing, as a killed process does, and open again: the log is replayed."""
        self.graph._engine.abandon()
        self.graph = self._open()
        self.done["stopped"] += 1
        if self.graph.opening.outcome != "current":
            self.found.append(("opened after stopping", self.graph.opening, "current"))

    def fail_opening(self) -> None:
        """Let one engine call of an opening fail: it is reported or mended, and opening again gives everything."""
        self.graph.close()
        self._grow(self.random.choice((0, 2, 12)))
        self.done["failures injected"] += 1
        with failing_at(self.random.randrange(1, 60)):
            try:
                self.graph = self._open()
            except TkgError:
                self.done["failures reported"] += 1
            else:
                self.done[f"failed opening: {self.graph.opening.outcome}"] += 1
                return
        self.graph = self._open()

    def rebuild(self) -> None:
        """Throw the files away, or damage them, and open again."""
        self.graph.close()
        damage = self.random.random() < 0.5
        for file in sorted(self.path.parent.glob(f"{self.path.name}*")):
            if damage and file == self.path:
                file.write_bytes(b"\xff" * 64 + file.read_bytes()[64:])
            else:
                file.unlink()
        self.graph = self._open()
        self.done["rebuilt"] += 1

    def fail(self) -> None:
        """Let one engine call of an apply fail: the graph says so, and opening again gives the whole entry."""
        self._grow(1)
        self.done["failures injected"] += 1
        with failing_at(self.random.randrange(1, 20)) as count:
            try:
                self.graph.apply(self.history.entries[-1:])
            except TkgError:
                self.done["failures reported"] += 1
            else:
                self.done["failures not reached"] += 1
                return
        assert count[0] > 0
        try:
            self.graph.close()
        except TkgError:
            self.done["closed by the failure"] += 1
        self.graph = self._open()
        if self.graph.applied != len(self.history.entries):
            self.found.append(("applied after a failure", self.graph.applied, len(self.history.entries)))

    @property
    def operations(self) -> int:
        """How many operations were made."""
        kinds = ("entries applied", "entries caught up", "reopened", "stopped", "rebuilt", "failures injected")
        return sum(self.done[kind] for kind in kinds)

    def run(self, operations: int) -> None:
        """Do random things until so many operations were made or something differs."""
        moves = (self.append, self.catch_up, self.fail, self.fail_opening, self.stop, self.rebuild)
        while self.operations < operations and not self.found:
            self.random.choices(moves, weights=(20, 3, 6, 3, 2, 1))[0]()
            if self.random.random() < self.compares:
                self.compare()
        self.compare()
        self.graph.close()


def main(argv: list[str] | None = None) -> int:
    """Fuzz at length; exit 1 when anything differed."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--engine", choices=("kuzu", "ladybug"), default="kuzu")
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--history", type=int, default=250, help="operations on one history before a new one is begun")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    done: Counter[str] = Counter()
    found: list[Any] = []
    operations, seed = 0, options.seed
    while operations < options.operations and not found:
        with tempfile.TemporaryDirectory() as folder:
            fuzz = Fuzz(options.engine, Path(folder), seed, every=23, compares=0.1)
            fuzz.run(min(options.history, options.operations - operations))
        operations += fuzz.operations
        done += fuzz.done
        found += fuzz.found
        seed += 1
        print(f"\r{operations} operations", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{options.engine}: {operations} operations, seeds {options.seed} to {seed - 1}, {len(found)} differences")
    if not found:
        print(f"0 differences, 0 crashes (95 % bound {3 / operations:.6f} an operation)")
    for name, count in sorted(done.items()):
        print(f"  {name}: {count}")
    for difference in found[:3]:
        print(f"difference at seed {seed - 1}: {difference}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
