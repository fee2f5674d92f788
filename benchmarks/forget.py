"""`forget`: erasing a subject from a tenant, against making the same tenant's graph and index anew in the same run.

An erasure looks at everything twice (what is searched for must be found before), rewrites the ledger, makes graph and index
anew and reads every byte; making them anew alone is the least it can cost.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from rich.table import Table

from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.corpus import facts
from benchmarks.result import Result, versions
from benchmarks.stores import TENANT, copy, made, open_store

_SIZES = (1_000, 10_000, 100_000)


def run(options: Options) -> Result:
    """Measure on every engine; the stores are made once and copied."""
    found = children.engines()
    result = Result("forget", versions=versions(*found))
    table = Table("engine", "claims", "erased", "erase s", "make anew s", "times", "MB read", "left", title="forget")
    with TemporaryDirectory(prefix="tkg-forget-") as place:
        for count in _SIZES:
            options.say(f"forget: a store with {count} claims")
            base = str(made(options.stores or Path(place), count))
            for engine in options.engines or tuple(found):
                one = children.run("forget:measure", base=base, engine=engine, count=count)
                result.n += 1
                result.peak_mb = max(result.peak_mb, one["peak_mb"])
                key = f"{engine}_{count}"
                result.figures |= {
                    f"{key}_erase_seconds": one["erase"],
                    f"{key}_times_rebuild": one["erase"] / one["rebuild"],
                    f"{key}_hits_after": one["hits"],
                }
                result.baselines[f"{key}_rebuild_seconds"] = one["rebuild"]
                cells = (one["nodes"], f"{one['erase']:.2f}", f"{one['rebuild']:.2f}")
                times = f"{one['erase'] / one['rebuild']:.1f}"
                table.add_row(engine, *map(str, (count, *cells)), times, f"{one['megabytes']:.0f}", str(one["hits"]))
    result.tables.append(table)
    return result


def measure(*, base: str, engine: str, count: int) -> dict[str, Any]:
    """Erase the subject with most claims; return seconds, what was looked at, and what was left."""
    known = facts(count)
    subject = Counter(one.subject for one in known).most_common(1)[0][0]
    with TemporaryDirectory(prefix="tkg-forget-") as place:
        store = copy(Path(base), Path(place) / "store")
        with open_store(store, engine, in_file=True) as memory:
            handle = memory.scope(TENANT, channel="human_verified", principal="officer")
            start = perf_counter()
            memory.rebuild(TENANT)
            rebuilt = perf_counter() - start
            start = perf_counter()
            done = handle.forget(subject=subject, reason="request")
            erased = perf_counter() - start
            scan = done.receipt["scan"]
            if not scan["found_before"] or not all(one.holds for one in handle.verify_receipt(done.receipt)):
                raise AssertionError("the search found nothing before, or the receipt does not hold")
    return {
        "erase": erased,
        "rebuild": rebuilt,
        "nodes": len(done.plan.erases),
        "megabytes": scan["bytes"] / 1e6,
        "hits": scan["hits"],
    }
