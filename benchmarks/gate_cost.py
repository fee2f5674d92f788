"""`gate_cost`: what the gate takes of one structured proposal, and of the whole write, as the store grows."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.table import Table

from benchmarks import children, write
from benchmarks.catalogue import Options
from benchmarks.corpus import facts, proposals
from benchmarks.result import Result, versions
from benchmarks.stores import TENANT, copy, made, open_store
from benchmarks.timing import Stages, p50, p95, settle

_SIZES = (1_000, 10_000)
_FULL = (100_000, 1_000_000)
_SAMPLES = 200
_WARM_UP = 20


def run(options: Options) -> Result:
    """Measure at each size, the graph in a file as a store of that size has it."""
    found = children.engines()
    result = Result("gate_cost", versions=versions(*found))
    table = Table(
        "engine", "claims", "gate p50 ms", "p95", "with assessing p50 ms", "p95", "whole write p50 ms", "p95",
        "gate's share of the write", "gate p50 against the smallest store",
        title="gate_cost: the eleven checks on one structured proposal", title_justify="left",
    )  # fmt: skip
    with TemporaryDirectory(prefix="tkg-gate-cost-") as place:
        first: dict[str, float] = {}
        for count in (*_SIZES, *(_FULL if options.full else ())):
            options.say(f"gate_cost: a store with {count} claims")
            base = made(options.stores or Path(place), count)
            for engine in options.engines or tuple(found):
                options.say(f"gate_cost: {engine}, {count} claims")
                one = children.run("gate_cost:measure", base=str(base), engine=engine, count=count, samples=_SAMPLES)
                gate, both, whole = one["gate"], one["both"], one["whole"]
                share, least = sum(gate) / sum(whole), first.setdefault(engine, p50(gate))
                options.say(
                    f"gate_cost: {engine}, {count} claims: gate p50 {p50(gate):.2f} ms, p95 {p95(gate):.2f} ms, "
                    f"{100 * share:.1f} % of the write; opened in {one['opened']:.0f} s, {one['peak_mb']:.0f} MB at most"
                )
                table.add_row(
                    engine, str(count), *(f"{at(values):.2f}" for values in (gate, both, whole) for at in (p50, p95)),
                    f"{100 * share:.1f} %", f"{p50(gate) / least:.2f}",
                )  # fmt: skip
                key = f"{engine}_{count}"
                for name, values in (("gate", gate), ("gate_and_assess", both), ("write", whole)):
                    result.figures[f"{key}_{name}_p50_ms"] = p50(values)
                    result.figures[f"{key}_{name}_p95_ms"] = p95(values)
                result.figures[f"{key}_gate_share"] = share
                result.figures[f"{key}_gate_growth"] = p50(gate) / least
                result.n += len(gate)
                result.peak_mb = max(result.peak_mb, one["peak_mb"])
    result.tables.append(table)
    return result


def measure(base: str, engine: str, count: int, samples: int) -> dict[str, Any]:
    """Propose to a copy of a store and return the milliseconds of each call: in the gate, with assessing, as a whole."""
    known = facts(count)
    stages = Stages()
    with TemporaryDirectory(prefix="tkg-gate-cost-") as place:
        store = copy(Path(base), Path(place) / "store")
        before = perf_counter()
        with open_store(store, engine, in_file=True) as memory:
            tenant = memory.tenant(TENANT)
            opened = perf_counter() - before
            write.watch(stages, tenant)
            try:
                for number, fact in enumerate(proposals(known, samples + _WARM_UP)):
                    if number == _WARM_UP:
                        settle()
                        stages.clear()
                    handle = write._handle(memory, fact, number)
                    with stages.call():
                        write.propose(handle, fact)
            finally:
                stages.restore()
    gate, assess = stages.samples["gate"], stages.samples["assess"]
    both = [a + b for a, b in zip(gate, assess, strict=True)]
    return {"gate": gate, "both": both, "whole": stages.totals, "opened": opened}
