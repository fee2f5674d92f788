"""What a benchmark gives back: figures, what they are compared with, and what it ran on."""

from __future__ import annotations

import json
import platform
import resource
import sqlite3
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich.table import Table

import tkg


@dataclass
class Result:
    """The outcome of one benchmark.

    Args:
        name: its name.
        n: how many things were measured.
        figures: key -> number; keys do not change between versions, new ones are added.
        baselines: the same keys for what a figure is compared with, and keys of their own.
        tables: for people.
        missed: one sentence for each target that was missed, with where the time goes.
        peak_mb: largest resident memory of this process and its children, in MiB.
        seconds: wall time of the whole.
        skipped: why nothing was measured; empty when something was.
    """

    name: str
    n: int = 0
    figures: dict[str, float] = field(default_factory=dict)
    baselines: dict[str, float] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    peak_mb: float = 0.0
    skipped: str = ""

    def to_json(self) -> str:
        """Return the result as one line."""
        fields: dict[str, Any] = {
            "name": self.name,
            "n": self.n,
            "figures": {key: round(value, 4) for key, value in self.figures.items()},
            "baselines": {key: round(value, 4) for key, value in self.baselines.items()},
            "seconds": round(self.seconds, 2),
            "peak_mb": round(self.peak_mb, 1),
            "versions": self.versions,
        }
        if self.missed:
            fields["missed"] = self.missed
        if self.skipped:
            fields["skipped"] = self.skipped
        return json.dumps(fields, allow_nan=False)


def versions(*packages: str) -> dict[str, str]:
    """Return the versions of tkg, Python, SQLite and some installed packages."""
    found = {"tkg": tkg.__version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def peak_mb(who: int = resource.RUSAGE_SELF) -> float:
    """Return the largest resident memory so far, in MiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit / 2**20
