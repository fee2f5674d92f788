"""`python -m tests.soak`: bank, register, append and cascade for long; prints one JSON document."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from tests.soak.run import look, soak


def main() -> int:
    """Run, or look at a store for a run in another process."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--engine", default="memory", choices=["memory", "kuzu", "ladybug"])
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--readers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--look", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.look is not None:
        print("; ".join(look(asked.look, asked.engine)) or "well")
        return 0
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # what is looked for does not depend on the disk
    with tempfile.TemporaryDirectory(prefix="tkg-soak-", dir=quick) as folder:
        found = soak(
            Path(folder) / "store",
            engine=asked.engine,
            ops=asked.ops,
            seed=asked.seed,
            readers=asked.readers,
            seconds=asked.seconds,
        )
    print(json.dumps(found))
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
