"""Candidates nobody would write, through API and command line: each ends in a verdict or a named error.

`python -m tests.gate.fuzz [N]` runs N (default 100,000; one in a hundred through the command line's in-process runner) and
prints the outcomes, p99 in milliseconds and as a multiple of the median of plain candidates, and the memory's slope.
"""

from __future__ import annotations

import json
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import tkg
from tkg.cli.main import main as tkg_command
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.model.scope import Channel

#: candidates of one store, so that what is measured is the gate and not the size of what it has let in
_PER_STORE = 2_000
_FIELDS = ("--subject", "--predicate", "--object")
_NAMES = (
    "acme",
    "Ünïcode",
    "\u202egnidoc",
    "\u200b",
    "a" * 300,
    "\x00",
    "\ud800",
    "🏳️‍🌈",
    "'; DROP TABLE x; --",
    "{{7*7}}",
    "%00",
    "１２３",
)


@dataclass
class Outcome:
    """What came of a run."""

    ends: Counter[str] = field(default_factory=Counter)
    taken: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)


def text(chance: random.Random, longest: int) -> Any:
    """Return a string of any characters, sometimes no string at all."""
    kind = chance.random()
    if kind < 0.03:
        return chance.choice([None, 7, 1.5, True, [], {}, b"x"])
    if kind < 0.25:
        return chance.choice(_NAMES)
    size = int(longest ** chance.random())
    if kind < 0.5:
        return "".join(chr(chance.randrange(0x20, 0x7F)) for _ in range(size))
    if kind < 0.6:
        return "(" * size + "[" * size
    return "".join(chr(chance.randrange(1, 0x110000)) for _ in range(min(size, 2_000)))


def candidate(chance: random.Random) -> dict[str, Any]:
    """Return the fields of a proposal."""
    fields: dict[str, Any] = {
        "subject": text(chance, 400),
        "predicate": text(chance, 100),
        "object": text(chance, 5_000 if chance.random() < 0.98 else 80_000),
    }
    for name in ("polarity", "modality", "valid_from", "valid_to", "observed_at"):
        if chance.random() < 0.1:
            fields[name] = text(chance, 50)
    return fields


def plain(number: int) -> dict[str, Any]:
    """Return the fields of an ordinary proposal."""
    return {"subject": f"Depot {number}", "predicate": "stores", "object": f"crate {number % 17}"}


def end(call: Callable[[], Any]) -> str:
    """Return how a call ended: the verdict's outcome or the error's code; whatever else it raises is a fault."""
    try:
        return f"verdict {call().outcome.value}"
    except tkg.TkgError as error:
        return f"error {error.code}"


def through_the_api(count: int, seed: int = 0) -> Outcome:
    """Propose `count` candidates, and one plain one beside every twentieth."""
    chance, outcome = random.Random(seed), Outcome()
    for start in range(0, count, _PER_STORE):
        clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(milliseconds=1))
        with tkg.open(None, clock=clock, ids=SeededIds(seed), engine="memory") as memory:
            memory.create_tenant("acme")
            for number in range(start, min(start + _PER_STORE, count)):
                handle = memory.scope(tenant="acme", channel=chance.choice(list(Channel)), principal="fuzz")
                fields = candidate(chance)
                if chance.random() < 0.5:
                    uri = f"fuzz:{number}"
                    fields["evidence"] = tkg.Evidence(uri=uri, quote="as read")
                _timed(outcome, outcome.taken, lambda handle=handle, fields=fields: handle.propose(**fields))
                if number % 20 == 0:
                    _timed(outcome, outcome.plain, lambda handle=handle, number=number: handle.propose(**plain(number)))
        outcome.memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return outcome


def _timed(outcome: Outcome, into: list[float], call: Callable[[], Any]) -> None:
    before = process_time()
    outcome.ends[end(call)] += 1
    into.append((process_time() - before) * 1000)


def through_the_command_line(count: int, seed: int = 1) -> Counter[str]:
    """Propose `count` candidates by `tkg propose`, in this process; an exit code out of the list is a fault."""
    chance, ends = random.Random(seed), Counter[str]()
    with TemporaryDirectory(prefix="tkg-fuzz-") as place:
        store = str(Path(place) / "store")
        with tkg.open(store, engine="memory") as memory:
            memory.create_tenant("acme")
        who = ["--store", store, "--tenant", "acme", "--channel", "trusted_tool", "--principal", "fuzz"]
        for _ in range(count):
            words = [str(text(chance, 400)) for _ in range(3)]
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                code = tkg_command(
                    ["propose", *who, "--engine", "memory", "--json", *map("=".join, zip(_FIELDS, words, strict=True))]
                )
            assert code in (0, 1, 2, 3, 4), (words, code)
            ends[f"exit {code}"] += 1
    return ends


def slope(memory: list[int]) -> float:
    """Return by how many MiB the largest resident memory grew for each 10,000 candidates, in the second half."""
    half = memory[len(memory) // 2 :]
    if len(half) < 2:
        return 0.0
    return (half[-1] - half[0]) / 1024 / ((len(half) - 1) * _PER_STORE) * 10_000


def main() -> None:
    """Run and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    found = through_the_api(count)
    at = sorted(found.taken)[int(0.99 * len(found.taken))]
    median = sorted(found.plain)[len(found.plain) // 2]
    print(json.dumps(dict(found.ends.most_common()), indent=1))
    print(
        f"n {count}; p99 {at:.1f} ms of processor time, {at / median:.1f} times a plain candidate's median {median:.2f} ms"
    )
    print(f"memory: {slope(found.memory):+.2f} MiB per 10,000 candidates in the second half")
    print("command line:", dict(through_the_command_line(max(count // 100, 1))))


if __name__ == "__main__":
    main()
