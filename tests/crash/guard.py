"""`python -m tests.crash.guard ENGINE`: what guarding a graph file costs, beside opening it; prints one JSON document."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.crash.work import folder, opened, prepare
from tkg.files import break_seal, put_seal, seal_state
from tkg.graph.guard import ask, seconds_for


def seconds(work: Callable[[], object], times: int = 5) -> float:
    """Return the median time of some runs."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return median(found)


def main() -> None:
    """Measure one engine."""
    engine = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tkg-guard-") as place:
        store = Path(place) / "store"
        prepare(store, engine, file=True)
        graph = folder(store) / "graph"

        def open_and_close() -> None:
            with opened(store, engine, file=True) as memory:
                memory.tenant("acme")

        told = {
            "engine": engine,
            "graph_mb": round(graph.stat().st_size / (1 << 20), 1),
            "open_and_close": seconds(open_and_close),
            "check_seal": seconds(lambda: seal_state(graph)),
            "put_seal": seconds(lambda: put_seal(graph)),
        }
        break_seal(graph)
        request = {"path": str(graph), "engine": engine}
        told["child"] = seconds(lambda: ask("tkg.graph.guard", request, seconds_for(graph)), 3)
        print(json.dumps({key: round(one, 4) if isinstance(one, float) else one for key, one in told.items()}))


if __name__ == "__main__":
    main()
