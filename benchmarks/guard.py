"""`guard`: what it costs that a damaged graph file can neither hang nor kill the caller, at opening and at `verify`.

A file that was closed is read once against its seal. One that a killed process left is opened in a process of its own first,
under a time limit; `verify` compares every file there. Each is told as a share of opening the tenant without it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.table import Table

from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.result import Result, versions
from benchmarks.stores import TENANT, copy, folder, made, open_store
from tkg.files import break_seal, put_seal, seal_state
from tkg.graph.guard import ask, seconds_for


def run(options: Options) -> Result:
    """Measure on every engine."""
    found = children.engines()
    result = Result("guard", versions=versions(*found))
    table = Table(
        "engine",
        "claims",
        "graph MB",
        "open s",
        "seal ÷ open",
        "child ÷ open",
        "verify s",
        "child ÷ verify",
        title="guard",
    )
    with TemporaryDirectory(prefix="tkg-guard-") as place:
        for count in (1_000, 10_000, *((100_000,) if options.full else ())):
            options.say(f"guard: a store with {count} claims")
            base = str(made(options.stores or Path(place), count))
            for engine in options.engines or tuple(found):
                one = children.run("guard:measure", base=base, engine=engine)
                result.n += 1
                result.peak_mb = max(result.peak_mb, one["peak_mb"])
                shares = {
                    "seal_share_of_open": one["seal"] / one["open"],
                    "child_times_open": one["child"] / one["open"],
                    "child_share_of_verify": one["compared"] / one["verify"],
                }
                result.figures |= {f"{engine}_{count}_{key}": share for key, share in shares.items()}
                result.baselines[f"{engine}_{count}_open_seconds"] = one["open"]
                seal, child, compared = (f"{share:.2f}" for share in shares.values())
                size = f"{one['megabytes']:.0f}"
                row = (engine, str(count), size, f"{one['open']:.2f}", seal, child, f"{one['verify']:.2f}", compared)
                table.add_row(*row)
    result.tables.append(table)
    return result


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the median time of some runs."""
    found = []
    for _ in range(times):
        began = perf_counter()
        work()
        found.append(perf_counter() - began)
    return median(found)


def measure(*, base: str, engine: str) -> dict[str, Any]:
    """Return seconds of opening and closing, of the seal, of the child process, and of `verify` with its child."""
    with TemporaryDirectory(prefix="tkg-guard-") as place:
        store = copy(Path(base), Path(place) / "store")
        graph = folder(store) / "graph"

        def open_and_close() -> None:
            with open_store(store, engine, in_file=True) as memory:
                memory.tenant(TENANT)

        open_and_close()  # makes the graph
        opened = seconds(open_and_close)
        seal = seconds(lambda: seal_state(graph)) + seconds(lambda: put_seal(graph))

        def verify() -> None:
            with open_store(store, engine, in_file=True) as memory:
                report = memory.verify()
            if not report.ok or report.tenants[0].graph != "file":
                raise AssertionError(f"the store is whole, and verify says {report.findings}")

        verified = seconds(verify, 1)
        request = {
            "graph": str(graph),
            "engine": engine,
            "ledger": str(folder(store) / "ledger.sqlite"),
            "tenant": TENANT,
        }
        compared = seconds(lambda: _asked("tkg.memory.checking", request, graph), 1)
        break_seal(graph)
        child = seconds(lambda: _asked("tkg.graph.guard", {"path": str(graph), "engine": engine}, graph))
        size = graph.stat().st_size / 1e6
    return {
        "open": opened, "seal": seal, "child": child, "verify": verified, "compared": compared, "megabytes": size
    }  # fmt: skip


def _asked(module: str, request: dict[str, Any], graph: Path) -> None:
    if wrong := ask(module, request, seconds_for(graph)):
        raise AssertionError(f"the file is whole, and the child says {wrong}")
