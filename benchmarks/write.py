"""`write`: one gated proposal against the bare writes of the same data.

Bare is the ledger append of the same records and the graph rows of the same entry on an equal store: no gate, no reads,
no index. Both are measured in turn, proposal by proposal, so that whatever else the machine does falls on both.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

import tkg
from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.corpus import Fact, facts, proposals
from benchmarks.result import Result, versions
from benchmarks.stores import NOW, TENANT, copy, made, open_store, open_twin
from benchmarks.timing import Stages, milliseconds, p50, p95, settle
from tkg.memory import writing
from tkg.memory.handle import Handle
from tkg.memory.tenant import Tenant
from tkg.model.time import to_datetime, to_instant

#: a gated write takes at most so many times a bare one, at the median
TARGET = 4.0
_SIZES = (1_000, 10_000)
_FULL = 100_000
_SAMPLES = 150
_WARM_UP = 15
#: reads of the graph on the way of a proposal
_READS = ("slot", "claim", "source", "verdict", "evidence", "evidence_from", "artefact", "session_reads", "cone")
STAGES = ("gate", "slot read", "assess", "ledger", "graph", "index", "other")


def run(options: Options) -> Result:
    """Measure on every engine, graph in memory and in a file, at each size."""
    found = children.engines()
    result = Result("write", versions=versions(*found))
    table = _table()
    stages = Table(
        "engine", "graph", "claims", *STAGES, title="write: where the time goes, ms p50", title_justify="left"
    )
    with TemporaryDirectory(prefix="tkg-write-") as place:
        for count in (*_SIZES, *((_FULL,) if options.full else ())):
            options.say(f"write: a store with {count} claims")
            base = made(options.stores or Path(place), count)
            for engine in options.engines or tuple(found):
                for graph in ("memory", "file"):
                    options.say(f"write: {engine}, graph in {graph}, {count} claims")
                    one = children.run(
                        "write:measure",
                        base=str(base),
                        engine=engine,
                        in_file=graph == "file",
                        count=count,
                        samples=_SAMPLES,
                    )
                    _take(result, table, stages, one, (engine, found[engine], graph, count))
    result.tables = [table, stages]
    return result


def _table() -> Table:
    return Table(
        "engine", "graph", "claims", "gated p50", "p95", "bare p50", "p95", "gated/bare", "n",
        title="write: one gated proposal, ms; bare: the ledger append and the graph rows of the same records",
        title_justify="left",
    )  # fmt: skip


def _take(result: Result, table: Table, stages: Table, one: dict[str, Any], key: tuple[str, str, str, int]) -> None:
    engine, version, graph, count = key
    gated, bare = one["gated"], one["bare"]
    ratio = p50(gated) / p50(bare)
    name = f"{engine}_{graph}_{count}"
    result.n += len(gated)
    result.peak_mb = max(result.peak_mb, one["peak_mb"])
    for kind, values, into in (("gated", gated, result.figures), ("bare", bare, result.baselines)):
        into[f"{name}_{kind}_p50_ms"] = p50(values)
        into[f"{name}_{kind}_p95_ms"] = p95(values)
    result.figures[f"{name}_ratio"] = ratio
    result.figures["worst_ratio"] = max(ratio, result.figures.get("worst_ratio", 0.0))
    result.baselines["target_ratio"] = TARGET
    for stage, value in one["stages"].items():
        result.figures[f"{name}_{stage.replace(' ', '_')}_ms"] = value
    result.baselines[f"{name}_bare_ledger_ms"], result.baselines[f"{name}_bare_graph_ms"] = one["ledger"], one["graph"]
    colour = "green" if ratio <= TARGET else "red"
    table.add_row(
        f"{engine} {version}", graph, f"{count:,}", f"{p50(gated):.2f}", f"{p95(gated):.2f}", f"{p50(bare):.2f}",
        f"{p95(bare):.2f}", f"[{colour}]{ratio:.2f}×[/{colour}]", str(len(gated)),
    )  # fmt: skip
    stages.add_row(engine, graph, f"{count:,}", *(f"{one['stages'].get(stage, 0.0):.2f}" for stage in STAGES))
    stages.add_row(
        f"{engine}, bare",
        graph,
        f"{count:,}",
        "",
        "",
        "",
        f"{one['ledger']:.2f}",
        f"{one['graph']:.2f}",
        "",
        "",
        style="dim",
    )
    if ratio > TARGET:
        most = ", ".join(f"{stage} {value:.2f}" for stage, value in list(one["stages"].items())[:4])
        result.missed.append(
            f"{engine}, graph in {graph}, {count:,} claims: {ratio:.2f}× instead of {TARGET:g}×; ms p50: {most}"
        )


def measure(*, base: str, engine: str, in_file: bool, count: int, samples: int) -> dict[str, Any]:
    """Measure one engine on a copy of the store `base`; for `children.run`."""
    stages, bare_stages = Stages(), Stages()
    known = facts(count)
    with TemporaryDirectory(prefix="tkg-write-") as place:
        twin = open_twin(copy(Path(base), Path(place) / "bare"), engine, in_file=in_file)
        with open_store(copy(Path(base), Path(place) / "gated"), engine, in_file=in_file) as memory:
            tenant = memory.tenant(TENANT)
            gated: list[float] = []
            bare: list[float] = []
            watch(stages, tenant)
            bare_stages.watch(twin.ledger, "append", "ledger")
            bare_stages.watch(twin.graph, "apply", "graph")
            try:
                for number, fact in enumerate(proposals(known, samples + _WARM_UP)):
                    if number == _WARM_UP:
                        settle()
                        gated, bare = [], []
                        stages.clear()
                        bare_stages.clear()
                    handle = _handle(memory, fact, number)
                    before = tenant.ledger.head.seq
                    with milliseconds(gated), stages.call():
                        propose(handle, fact)
                    (entry,) = tenant.ledger.read_since(before)
                    with milliseconds(bare), bare_stages.call():
                        twin.write(entry)
            finally:
                stages.restore()
                bare_stages.restore()
                twin.close()
    parts = bare_stages.medians()
    return {
        "gated": gated,
        "bare": bare,
        "stages": stages.medians(),
        "ledger": parts["ledger"],
        "graph": parts["graph"],
    }


def _handle(memory: tkg.Memory, fact: Fact, number: int) -> Handle:
    return memory.scope(
        tenant=TENANT, channel=fact.channel, principal=fact.principal, session=f"{fact.channel.value}-{number // 40}"
    )


def propose(handle: Handle, fact: Fact) -> None:
    """Propose one fact with its evidence."""
    observed = to_datetime(to_instant(NOW - timedelta(minutes=1)))
    handle.propose(
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        observed_at=observed,
        evidence=tkg.Evidence(uri=fact.uri, quote=fact.text),
    )


def watch(stages: Stages, tenant: Tenant) -> None:
    """Count the stages of a proposal apart."""
    stages.watch(writing, "judge", "gate")
    stages.watch(writing, "assess", "assess")
    for name in _READS:
        stages.watch(tenant.graph, name, "slot read")
    stages.watch(tenant.ledger, "append", "ledger")
    stages.watch(tenant.graph, "apply", "graph")
    stages.watch(tenant.index, "apply", "index")
