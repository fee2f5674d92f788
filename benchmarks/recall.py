"""`recall`: a whole recall (filters, judging, neighbours, rendering, recording) against the bare full-text query.

The bare query is asked in the same run, question by question, of the same index file: FTS5 finds the documents with any
word of the question. Beside it stands what FTS5 does with its own ranking on a plain table of the same texts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.table import Table

from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.corpus import Fact, facts, questions
from benchmarks.result import Result, versions
from benchmarks.stores import TENANT, build, copy, folder, open_store
from benchmarks.timing import Stages, milliseconds, p50, p95, settle
from tkg.index.words import query_words
from tkg.memory.tenant import Tenant
from tkg.recall import search
from tkg.recall.judge import Judge

#: the 95th percentile at the largest size is at most so many times that at the smallest
TARGET = 3.0
_SIZES = (1_000, 10_000, 100_000)
_SAMPLES = 200
_WARM_UP = 20
#: from so many claims on the graph lies in a file
_IN_FILE = 50_000
#: hits asked of the bare queries: as many as recall asks for
_HITS = 20
STAGES = ("index search", "graph reads", "judge", "neighbours", "render", "record: ledger", "record: graph", "other")
_READS: Final = ("slot", "claim", "artefact", "evidence", "justifications", "mentions")
_BARE: Final = "SELECT documents.id FROM found JOIN documents ON number = found.rowid WHERE found MATCH ? LIMIT ?"
_PLAIN: Final = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?"


def run(options: Options) -> Result:
    """Measure on every engine at each size; the stores are made once and opened by both engines."""
    found = children.engines()
    result = Result("recall", versions=versions(*found))
    table = _table()
    stages = Table("engine", "claims", *STAGES, title="recall: where the time goes, ms p50", title_justify="left")
    rows: dict[str, list[tuple[Any, ...]]] = {}
    with TemporaryDirectory(prefix="tkg-recall-") as place:
        for count in _SIZES:
            options.say(f"recall: a store with {count} claims")
            base = Path(place) / f"store-{count}"
            build(base, count)
            for engine in options.engines or tuple(found):
                options.say(f"recall: {engine}, {count} claims")
                one = children.run("recall:measure", base=str(base), engine=engine, count=count, samples=_SAMPLES)
                _take(result, one, f"{engine}_{count}")
                rows.setdefault(engine, []).append((f"{engine} {found[engine]}", count, one))
    for engine, measured in rows.items():
        for label, count, one in measured:
            table.add_row(*_row(label, count, one, p95(measured[0][2]["recall"])))
            stages.add_row(engine, f"{count:,}", *(f"{one['stages'].get(stage, 0.0):.2f}" for stage in STAGES))
        _grown(result, engine, measured)
    result.baselines["target_growth"] = TARGET
    result.tables = [table, stages]
    return result


def _table() -> Table:
    return Table(
        "engine", "claims", "recall p50", "p95", "p95/p95 at 10³", "bare FTS5 p50", "p95", "recall/bare", "ranked FTS5 p50",
        "p95", "n",
        title="recall, ms; bare: FTS5 on the same index; ranked: FTS5 with its bm25 on a plain table of the same texts",
        title_justify="left",
    )  # fmt: skip


def _row(label: str, count: int, one: dict[str, Any], first: float) -> list[str]:
    whole, bare, plain = one["recall"], one["bare"], one["plain"]
    return [
        label, f"{count:,}", f"{p50(whole):.2f}", f"{p95(whole):.2f}", f"{p95(whole) / first:.2f}×", f"{p50(bare):.3f}",
        f"{p95(bare):.3f}", f"{p50(whole) / p50(bare):.0f}×", f"{p50(plain):.3f}", f"{p95(plain):.3f}", str(len(whole)),
    ]  # fmt: skip


def _take(result: Result, one: dict[str, Any], name: str) -> None:
    result.n += len(one["recall"])
    result.peak_mb = max(result.peak_mb, one["peak_mb"])
    for kind, into in (("recall", result.figures), ("bare", result.baselines), ("plain", result.baselines)):
        into[f"{name}_{kind}_p50_ms"] = p50(one[kind])
        into[f"{name}_{kind}_p95_ms"] = p95(one[kind])
    result.figures[f"{name}_ratio"] = p50(one["recall"]) / p50(one["bare"])
    result.figures[f"{name}_open_seconds"] = one["opened"]
    result.figures[f"{name}_items"] = one["items"]
    for stage, value in one["stages"].items():
        result.figures[f"{name}_{stage.replace(': ', '_').replace(' ', '_')}_ms"] = value


def _grown(result: Result, engine: str, measured: list[tuple[Any, ...]]) -> None:
    (_, _, first), (_, count, last) = measured[0], measured[-1]
    growth = p95(last["recall"]) / p95(first["recall"])
    result.figures[f"{engine}_growth"] = growth
    if growth > TARGET:
        more = {stage: value - first["stages"].get(stage, 0.0) for stage, value in last["stages"].items()}
        most = ", ".join(f"{stage} +{value:.2f}" for stage, value in sorted(more.items(), key=lambda one: -one[1])[:3])
        result.missed.append(
            f"{engine}: p95 at {count:,} claims is {growth:.2f}× that at {measured[0][1]:,} instead of {TARGET:g}×; "
            f"what grew, ms p50: {most}"
        )


def measure(*, base: str, engine: str, count: int, samples: int) -> dict[str, Any]:
    """Measure one engine on a copy of the store `base`; for `children.run`."""
    known = facts(count)
    stages, opening = Stages(), list[float]()
    recalled: list[float] = []
    bare: list[float] = []
    plain: list[float] = []
    items = 0
    with TemporaryDirectory(prefix="tkg-recall-") as place:
        store = copy(Path(base), Path(place) / "store")
        table = _plain(Path(place) / "plain.sqlite", known)
        with (
            open_store(store, engine, in_file=False) as memory,
            sqlite3.connect(folder(store) / "index.sqlite") as index,
        ):
            with milliseconds(opening):
                tenant = memory.tenant(TENANT)
            watch(stages, tenant)
            try:
                for number, question in enumerate(questions(known, samples + _WARM_UP)):
                    if number == _WARM_UP:
                        settle()
                        recalled, bare, plain, items = [], [], [], 0
                        stages.clear()
                    handle = memory.scope(
                        tenant=TENANT, channel="agent_inferred", principal="a", session=f"s{number // 20}"
                    )
                    with milliseconds(recalled), stages.call():
                        items += len(handle.recall(question).items)
                    with milliseconds(bare):
                        index.execute(_BARE, (_any(query_words(question), "1z"), _HITS)).fetchall()
                    with milliseconds(plain):
                        table.execute(_PLAIN, (_any(query_words(question), ""), _HITS)).fetchall()
            finally:
                stages.restore()
        index.close()
        table.close()
    return {
        "recall": recalled,
        "bare": bare,
        "plain": plain,
        "stages": stages.medians(),
        "opened": opening[0] / 1000,
        "items": items / len(recalled),
    }


def _any(words: Sequence[str], prefix: str) -> str:
    """Return the FTS5 expression for any of these words; the store's only scope has the number 1."""
    return " OR ".join(f'"{prefix}{word}"' for word in words)


def _plain(path: Path, known: Sequence[Fact]) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE VIRTUAL TABLE plain USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    with connection:
        connection.executemany("INSERT INTO plain (text) VALUES (?)", ((fact.text,) for fact in known))
    return connection


def watch(stages: Stages, tenant: Tenant) -> None:
    """Count the stages of a recall apart."""
    stages.watch(tenant.index, "search", "index search")
    for name in _READS:
        stages.watch(tenant.graph, name, "graph reads")
    stages.watch(Judge, "all", "judge")
    stages.watch(search, "_neighbours", "neighbours")
    stages.watch(search, "_finish", "render")
    stages.watch(tenant.ledger, "append", "record: ledger")
    stages.watch(tenant.graph, "apply", "record: graph")
