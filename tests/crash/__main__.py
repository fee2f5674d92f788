"""`python -m tests.crash kill|faults|states|damage`: the harnesses by themselves, with as many repetitions as wanted.

Each prints one JSON document a line and exits with 1 when anything was violated.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.crash import shim

#: engines are loaded before the first fork, so that each child starts at once
_DRIVERS = {"kuzu": "kuzu", "ladybug": "ladybug"}


def main() -> int:
    """Run one harness."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("harness", choices=["kill", "faults", "states", "damage"])
    parser.add_argument("--engine", default="memory", choices=["memory", "kuzu", "ladybug"])
    parser.add_argument("--number", type=int, default=100, help="kills, states or damages (faults: 0 = all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", action="store_true", help="keep the graph in a file however small it is")
    parser.add_argument("--deaf", action="store_true", help="states: a disk that ignores syncs; must be found")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--only", default="", help="faults: these operations and faults, separated by commas")
    parser.add_argument("--skip", default="", help="faults: all but these operations and faults")
    asked = parser.parse_args()
    if asked.harness in ("faults", "states") and "TKG_SHIM" not in os.environ:
        if not shim.possible():
            print(json.dumps({"skipped": "needs Linux with glibc and a C compiler"}))
            return 0
        with tempfile.TemporaryDirectory(prefix="tkg-shim-") as folder:
            environment = shim.environment(shim.build(Path(folder)))
            again = [sys.executable, "-m", "tests.crash", *sys.argv[1:]]
            return subprocess.run(again, env=environment, check=False).returncode
    if asked.engine in _DRIVERS:
        importlib.import_module(_DRIVERS[asked.engine])
        importlib.import_module("tkg.graph.projection")
    harness = importlib.import_module(f"tests.crash.{asked.harness}")
    # a kill or an injected fault needs no real disk; in memory there are more of them in the same time
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tkg-crash-", dir=quick) as folder:
        found = harness.run(
            Path(folder),
            engine=asked.engine,
            **{"kills" if asked.harness == "kill" else "number": asked.number},
            seed=asked.seed,
            file=asked.file,
            seconds=asked.seconds,
            **({"deaf": asked.deaf} if asked.harness == "states" else {}),
            **({"only": asked.only, "skip": asked.skip} if asked.harness == "faults" else {}),
        )
    print(json.dumps({"harness": asked.harness, **found}))
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
