"""`cascade`: what falls when a package of Debian 12 is revoked, through the real store, and the planner on random graphs.

Each removal of the oracle is planned, carried out and taken back again on a store of 64,000 packages; what falls must be
exactly the oracle's set, what returns exactly what fell, and the claims must say so afterwards. Beside every time stands
the plain propagation over the same packages in memory, measured in the same run. The planner alone is then compared with
two other ways to the same answer on random graphs with cycles.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from rich.table import Table

from benchmarks import children, debian
from benchmarks.catalogue import Options
from benchmarks.result import Result, peak_mb, versions
from benchmarks.stores import NOW, TENANT, copy, fill, open_store
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.memory.tenant import Tenant
from tkg.model.claim import Claim

GRAPHS: Final = 10_000
#: changes that each random graph lives through
_CHANGES: Final = 4
#: of what fell or returned, how many are asked for their state
_ASKED: Final = 50


def run(options: Options) -> Result:
    """Measure the Debian graph on every engine, and the planner on random graphs."""
    found = children.engines()
    result = Result("cascade", versions=versions(*found))
    oracle = json.loads((options.data / "debian_graph/oracle.json").read_text(encoding="utf-8"))["acyclic"]
    packages = debian.acyclic(debian.read(options.data / "debian_graph/debian_graph.jsonl.gz"))
    table = _table(len(packages), sum(map(len, packages.values())))
    with TemporaryDirectory(prefix="tkg-cascade-") as place:
        options.say(f"cascade: a store with {len(packages)} packages")
        base = Path(place) / "store"
        build(base, packages)
        (Path(place) / "packages.json").write_text(json.dumps(packages), encoding="utf-8")
        for engine in options.engines or tuple(found):
            options.say(f"cascade: {engine}")
            one = children.run("cascade:measure", place=place, engine=engine, removed=list(oracle), in_file=True)
            _take(result, table, one, oracle, f"{engine} {found[engine]}")
    result.figures["debian_exact"] = result.figures.pop("exact") / result.figures["removals"]
    result.tables = [table, _random(result, options, GRAPHS)]
    return result


def build(store: Path, packages: debian.Packages) -> None:
    """Make a store of packages; nothing in it is revoked yet."""
    clock = ManualClock(NOW - timedelta(days=1), timedelta(milliseconds=1))
    fill(store, clock, lambda names: debian.drafts(packages, names, SeededIds(2), clock, TENANT))


def measure(*, place: str, engine: str, removed: list[str], in_file: bool) -> dict[str, Any]:
    """Revoke and release each of `removed` on a copy of the store in `place`; for `children.run`."""
    packages: debian.Packages = json.loads((Path(place) / "packages.json").read_text(encoding="utf-8"))
    start = perf_counter()
    holding = debian.holding(packages)
    plain = {"holding": perf_counter() - start}
    before = peak_mb()
    with TemporaryDirectory(prefix="tkg-cascade-") as own:
        start = perf_counter()
        with open_store(copy(Path(place) / "store", Path(own) / "store"), engine, in_file=in_file) as memory:
            handle = memory.scope(tenant=TENANT, channel="human_verified", principal="auditor")
            tenant = memory.tenant(TENANT)
            opened = perf_counter() - start
            names = _subjects(tenant)
            ids = {name: one for one, name in names.items()}
            start = perf_counter()
            lost = handle.revoke(handle.plan_revoke(claim=ids[debian.NOTHING]), reason="nowhere to be had")
            never = {names[one.id] for one in lost.falls if debian.is_package(names[one.id])}
            never_seconds = perf_counter() - start
            rows = []
            for package in removed:
                start = perf_counter()
                expected = holding - debian.holding(packages, [package]) - {package}
                rows.append({"package": package, "plain": perf_counter() - start, "expected": len(expected)})
                rows[-1] |= _one(handle, names, ids[package], expected)
            graph_mb = _size(Path(own) / "store", "graph*") if in_file else 0.0
            count = tenant.ledger.head.seq
    return {
        "rows": rows,
        "never": len(never),
        "never_exact": never == set(packages) - holding,
        "never_seconds": never_seconds,
        "plain": plain,
        "opened": opened,
        "before_mb": before,
        "graph_mb": graph_mb,
        "entries": count,
    }


def _subjects(tenant: Tenant) -> dict[str, str]:
    """Return the subject of every claim."""
    return {
        record.id: record.subject or ""
        for entry in tenant.ledger.read_since(0)
        for record in entry.records
        if isinstance(record, Claim)
    }


def _size(folder: Path, pattern: str) -> float:
    return sum(file.stat().st_size for file in folder.rglob(pattern) if file.is_file()) / 2**20


def _one(handle: Handle, names: Mapping[str, str], target: str, expected: set[str]) -> dict[str, Any]:
    """Plan, revoke and release one claim; return what fell and came back, with the seconds of each step."""

    def packages(effects: Iterable[Any]) -> set[str]:
        return {names[one.id] for one in effects if debian.is_package(names[one.id])}

    start = perf_counter()
    planned = handle.plan_revoke(claim=target)
    plan_seconds = perf_counter() - start
    start = perf_counter()
    done = handle.revoke(planned, reason="removed")
    revoke_seconds = perf_counter() - start
    fell = packages(done.falls)
    survive = {one.id for one in done.survives}  # groups of alternatives, most of them
    states = _states(handle, [one.id for one in done.falls])
    start = perf_counter()
    back = handle.release(claim=target, reason="put back")
    release_seconds = perf_counter() - start
    returned = packages(back.returns)
    states_after = _states(handle, [one.id for one in back.returns])
    return {
        "fall": len(fell),
        "sha256": debian.digest(fell),
        "as_plain": fell == expected,
        "returned_all": returned == fell,
        "survive": len(survive),
        "said": states == {"revoked"} or not fell,
        "said_after": states_after == {"active"} or not fell,
        "plan": plan_seconds,
        "revoke": revoke_seconds,
        "release": release_seconds,
    }


def _states(handle: Handle, ids: list[str]) -> set[str]:
    chosen = random.Random("states").sample(ids, min(len(ids), _ASKED))
    return {handle.explain(one).state for one in chosen}


# -- the planner by itself


def planner(graphs: int, *, seed: int = 0) -> Counter[str]:
    """Let the planner live through changes of random graphs with cycles and count where an oracle says otherwise.

    The oracles are those of the tests: the naive fixpoint, and, on every other (small) graph, a search for acyclic proofs.
    """
    from tests.belief.cascades import World, check

    counts: Counter[str] = Counter()
    for number in range(graphs):
        small = number % 2 == 0
        world = World(random.Random(f"{seed}-{number}"), small=small)
        counts["graphs"] += 1
        for _ in range(_CHANGES):
            counts["changes"] += 1
            counts["differences"] += len(check(world, counts, small=small))
    return counts


def _random(result: Result, options: Options, graphs: int) -> Table:
    options.say(f"cascade: {graphs} random graphs")
    start = perf_counter()
    counts = planner(graphs)
    seconds = perf_counter() - start
    result.n += counts["changes"]
    result.figures |= {
        "oracle_graphs": counts["graphs"],
        "oracle_changes": counts["changes"],
        "oracle_nodes": counts["nodes"],
        "oracle_proofs": counts["proofs"],
        "oracle_differences": counts["differences"],
    }
    if counts["differences"]:
        result.missed.append(f"the planner and its oracles differ {counts['differences']} times on random graphs")
    bound = f"≤ {3 / counts['changes']:.1e}" if not counts["differences"] else ""
    table = Table(
        "graphs", "changes", "nodes against the fixpoint", "against the search for proofs", "fell or wait", "came back",
        "survived", "differences", "95 % bound", "s",
        title="cascade: the planner on random graphs with cycles", title_justify="left",
    )  # fmt: skip
    table.add_row(
        *(f"{counts[key]:,}" for key in ("graphs", "changes", "nodes", "proofs", "lost", "back", "survivors", "differences")),
        bound, f"{seconds:.0f}",
    )  # fmt: skip
    return table


# -- what is printed


def _table(packages: int, groups: int) -> Table:
    return Table(
        "engine", "removed", "fall", "oracle", "exact", "survive", "return", "plan s", "revoke s", "release s",
        "in memory s", "plan/in memory",
        title=f"cascade: {packages:,} packages, {groups:,} groups; in memory: plain propagation over all packages, twice",
        title_justify="left",
    )  # fmt: skip


def _take(result: Result, table: Table, one: dict[str, Any], oracle: Mapping[str, Any], engine: str) -> None:
    figures, name = result.figures, engine.partition(" ")[0]
    result.peak_mb = max(result.peak_mb, one["peak_mb"])
    for row in one["rows"]:
        package = row["package"]
        gold = oracle[package]
        exact = (row["fall"], row["sha256"]) == (gold["fall"], gold["sha256"])
        whole = exact and row["as_plain"] and row["returned_all"] and row["said"] and row["said_after"]
        result.n += 1
        figures["removals"] = figures.get("removals", 0) + 1
        figures["exact"] = figures.get("exact", 0) + whole
        plain = one["plain"]["holding"] + row["plain"]
        for step in ("plan", "revoke", "release"):
            figures[f"{name}_{package}_{step}_seconds"] = row[step]
            figures["debian_max_seconds"] = max(row[step], figures.get("debian_max_seconds", 0.0))
        result.baselines[f"{name}_{package}_in_memory_seconds"] = plain
        table.add_row(
            engine, package, f"{row['fall']:,}", f"{gold['fall']:,}",
            "[green]yes[/green]" if whole else "[red]no[/red]", f"{row['survive']:,}",
            "all" if row["returned_all"] else "not all", f"{row['plan']:.2f}", f"{row['revoke']:.2f}",
            f"{row['release']:.2f}", f"{plain:.2f}", f"{row['plan'] / plain:.1f}×",
        )  # fmt: skip
        if not whole:
            result.missed.append(
                f"{engine}: {package}: {row['fall']} fall instead of {gold['fall']}, or not all return"
            )
    figures[f"{name}_peak_mb"] = one["peak_mb"]
    figures[f"{name}_before_opening_mb"] = one["before_mb"]
    figures[f"{name}_graph_file_mb"] = one["graph_mb"]
    figures[f"{name}_open_seconds"] = one["opened"]
    figures[f"{name}_never_hold"] = one["never"]
    if not one["never_exact"]:
        result.missed.append(f"{engine}: {one['never']} packages never hold, not those of the plain propagation")
    table.caption = (
        f"{table.caption or ''}{engine}: peak {one['peak_mb']:.0f} MB of which {one['before_mb']:.0f} before opening, "
        f"graph file {one['graph_mb']:.0f} MB, made in {one['opened']:.1f} s; {one['never']} packages never hold, "
        f"{'as they should' if one['never_exact'] else 'WRONG'}. "
    )
    table.caption_justify = "left"
