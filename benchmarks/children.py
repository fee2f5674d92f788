"""Measuring in a process of its own: the two engines cannot share one, and memory is then that of one store."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.result import peak_mb

_ROOT = Path(__file__).resolve().parents[1]


class Failed(Exception):
    """A measuring process ended with an error; what it said has been printed."""


def engines() -> dict[str, str]:
    """Return the graph engines that are installed, with their versions."""
    found = {}
    for name in ("kuzu", "ladybug"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def run(function: str, **arguments: Any) -> dict[str, Any]:
    """Call `module:function` of this package in a new process and return what it returned, with `peak_mb`.

    Args:
        function: it takes keyword arguments and returns a dictionary, both of what JSON can hold.
        arguments: its arguments.

    Raises:
        Failed: it did not return.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.children", function],
        input=json.dumps(arguments),
        stdout=subprocess.PIPE,
        cwd=_ROOT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Failed(f"{function} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Do what `run` asks for."""
    module, _, name = sys.argv[1].partition(":")
    found = getattr(import_module(f"benchmarks.{module}"), name)(**json.load(sys.stdin))
    print(json.dumps({**found, "peak_mb": peak_mb()}))


if __name__ == "__main__":
    main()
