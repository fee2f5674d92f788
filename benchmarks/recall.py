"""`recall`: a whole recall (filters, judging, neighbours, rendering, recording) against the bare full-text query.

The bare query is asked in the same run, question by question, of the same index file: FTS5 finds the documents with any
word of the question. Beside it stands what FTS5 does with its own ranking on a plain table of the same texts. Each question
is asked with and without steps in the graph and with static vectors, in turn each first; at the smallest size with MiniLM, too.
Whether a graph is in memory or in a file is left to the store. `--full` adds 10⁶ claims.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from rich.table import Table

from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.corpus import Fact, facts, questions
from benchmarks.locomo import installed
from benchmarks.result import Result, versions
from benchmarks.stores import TENANT, copy, folder, made, open_store
from benchmarks.timing import Stages, milliseconds, p50, p95, settle
from tkg.embedding import Embedder, MiniLmEmbedder, StaticEmbedder
from tkg.index.vectors import VectorIndex
from tkg.index.words import query_words
from tkg.memory.handle import Handle
from tkg.memory.tenant import Tenant
from tkg.recall import candidates, search
from tkg.recall.judge import Judge

#: the 95th percentile at the largest size is at most so many times that at the smallest
TARGET = 3.0
_SIZES = (1_000, 10_000, 100_000)
_FULL = 1_000_000
_SAMPLES = 150
_WARM_UP = 15
#: the ranked query of a plain table is slow on large ones: only every so many questions
_PLAIN_EVERY = 3
#: hits asked of the bare queries: as many as recall asks for
_HITS = 20
#: models that find by meaning, and the most claims that each is measured with
_MODELS: Final[dict[str, Callable[[], Embedder]]] = {"static": StaticEmbedder, "minilm": MiniLmEmbedder}
_MOST_EMBEDDED: Final = {"static": 1_000_000, "minilm": 1_000}
STAGES = ("index search", "graph reads", "judge", "neighbours", "render", "record: ledger", "record: graph", "other")
_READS: Final = ("slot", "claim", "artefact", "evidence", "justifications", "mentions")
_BARE: Final = "SELECT documents.id FROM found JOIN documents ON number = found.rowid WHERE found MATCH ? LIMIT ?"
_PLAIN: Final = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?"


def run(options: Options) -> Result:
    """Measure on every engine; the stores are made once and opened by both."""
    found = children.engines()
    result = Result("recall", versions=versions(*found))
    table = _table()
    stages = Table("engine", "claims", *STAGES, title="recall: where the time goes, ms p50", title_justify="left")
    counts = (*_SIZES, *((_FULL,) if options.full else ()))
    with TemporaryDirectory(prefix="tkg-recall-") as place:
        for count in counts:
            options.say(f"recall: a store with {count} claims")
            made(options.stores or Path(place), count)
        for engine in options.engines or tuple(found):
            options.say(f"recall: {engine}")
            measured = children.run(
                "recall:measure", bases=str(options.stores or place), engine=engine, counts=counts, samples=_SAMPLES
            )
            result.peak_mb = max(result.peak_mb, measured["peak_mb"])
            sizes = {count: measured[str(count)] for count in counts}
            for count, one in sizes.items():
                _take(result, one, f"{engine}_{count}")
                table.add_row(*_row(f"{engine} {found[engine]}", count, one, p95(sizes[counts[0]]["recall"])))
                stages.add_row(engine, f"{count:,}", *(f"{one['stages'].get(stage, 0.0):.2f}" for stage in STAGES))
            _grown(result, engine, sizes)
    result.baselines["target_growth"] = TARGET
    result.tables = [table, stages]
    return result


def _table() -> Table:
    return Table(
        "engine", "claims", "recall p50", "p95", "p95/p95 at 10³", "no graph p50", "p95", "static vectors p50", "p95", "MiniLM p50", "p95", "tokens p50", "most", "bare FTS5 p50", "p95", "recall/bare", "ranked FTS5 p50",
        "p95", "n",
        title="recall, ms; bare: FTS5 on the same index; ranked: FTS5 with its bm25 on a plain table of the same texts",
        title_justify="left",
    )  # fmt: skip


def _row(label: str, count: int, one: dict[str, Any], first: float) -> list[str]:
    whole, bare, plain = one["recall"], one["bare"], one["plain"]
    return [
        label, f"{count:,}", f"{p50(whole):.2f}", f"{p95(whole):.2f}", f"{p95(whole) / first:.2f}×",
        f"{p50(one['without_graph']):.2f}", f"{p95(one['without_graph']):.2f}",
        *(text for kind in _MODELS for text in
          ((f"{p50(one[kind]):.2f}", f"{p95(one[kind]):.2f}") if one[kind] else ("", ""))),
        f"{p50(one['tokens']):.0f}",
        f"{max(one['tokens']):.0f}", f"{p50(bare):.3f}",
        f"{p95(bare):.3f}", f"{p50(whole) / p50(bare):.0f}×", f"{p50(plain):.3f}", f"{p95(plain):.3f}", str(len(whole)),
    ]  # fmt: skip


def _take(result: Result, one: dict[str, Any], name: str) -> None:
    result.n += len(one["recall"])
    result.figures[f"{name}_tokens_p50"], result.figures[f"{name}_tokens_most"] = p50(one["tokens"]), max(one["tokens"])
    for kind, into in (
        ("recall", result.figures),
        ("without_graph", result.figures),
        ("static", result.figures),
        ("minilm", result.figures),
        ("bare", result.baselines),
        ("plain", result.baselines),
    ):
        if one[kind]:
            into[f"{name}_{kind}_p50_ms"] = p50(one[kind])
            into[f"{name}_{kind}_p95_ms"] = p95(one[kind])
    result.figures[f"{name}_ratio"] = p50(one["recall"]) / p50(one["bare"])
    result.figures[f"{name}_open_seconds"] = one["opened"]
    result.figures[f"{name}_items"] = one["items"]
    for stage, value in one["stages"].items():
        result.figures[f"{name}_{stage.replace(': ', '_').replace(' ', '_')}_ms"] = value


def _grown(result: Result, engine: str, sizes: dict[int, dict[str, Any]]) -> None:
    least, most = min(sizes), max(sizes)
    first, last = sizes[least], sizes[most]
    for kind in ("recall", "without_graph", "static"):
        if last[kind]:
            name = f"{engine}_growth" if kind == "recall" else f"{engine}_{kind}_growth"
            result.figures[name] = p95(last[kind]) / p95(first[kind])
    result.figures[f"{engine}_tokens_growth"] = p50(last["tokens"]) / p50(first["tokens"])
    growth = result.figures[f"{engine}_growth"]
    if growth > TARGET:
        more = {stage: value - first["stages"].get(stage, 0.0) for stage, value in last["stages"].items()}
        grew = ", ".join(f"{stage} +{value:.2f}" for stage, value in sorted(more.items(), key=lambda one: -one[1])[:3])
        result.missed.append(
            f"{engine}: p95 at {most:,} claims is {growth:.2f}× that at {least:,} instead of {TARGET:g}×; "
            f"what grew, ms p50: {grew}"
        )


class _Asked:
    """One open store of one size, and what asking it took."""

    def __init__(self, base: Path, place: Path, engine: str, count: int, samples: int) -> None:
        known = facts(count)
        store = copy(made(base, count), place / str(count))
        self.questions = questions(known, samples)
        self._table = _plain(place / f"{count}.sqlite", known)
        self._memory = open_store(store, engine, in_file=None)
        self._index = sqlite3.connect(folder(store) / "index.sqlite")
        self._stages = Stages()
        self._times: dict[str, list[float]] = {
            "recall": [],
            "bare": [],
            "plain": [],
            "without_graph": [],
            "static": [],
            "minilm": [],
        }
        self._items = 0
        self._tokens: list[float] = []
        opening: list[float] = []
        with milliseconds(opening):
            self._tenant = self._memory.tenant(TENANT)
        self._opened = opening[0] / 1000
        self._vectors: dict[str, VectorIndex] = {}
        for name, kind in _MODELS.items():
            if count <= _MOST_EMBEDDED[name] and (embedder := installed(kind)) is not None:
                file = folder(store) / f"{name}.sqlite"
                self._vectors[name] = VectorIndex(file, embedder, self._tenant.ledger.read_since)
                self._vectors[name].bring_up(self._tenant.ledger.head.seq)

    def ask(self, number: int) -> None:
        """Ask a question each way."""
        question = self.questions[number]
        handle = self._memory.scope(tenant=TENANT, channel="agent_inferred", principal="a", session=f"s{number // 20}")
        ways: list[Callable[[], None]] = [
            lambda: self._whole(handle, question),
            lambda: self._without_graph(handle, question),
            *(partial(self._with_vectors, name, handle, question) for name in self._vectors),
        ]
        for place in range(len(ways)):  # what is asked first finds no page read: that falls on each in turn
            ways[(number + place) % len(ways)]()
        with milliseconds(self._times["bare"]):
            self._index.execute(_BARE, (_any(query_words(question), "1z"), _HITS)).fetchall()
        if number % _PLAIN_EVERY == 0:
            with milliseconds(self._times["plain"]):
                self._table.execute(_PLAIN, (_any(query_words(question), ""), _HITS)).fetchall()

    def _whole(self, handle: Handle, question: str) -> None:
        watch(self._stages, self._tenant)
        try:
            with milliseconds(self._times["recall"]), self._stages.call():
                result = handle.recall(question)
        finally:
            self._stages.restore()  # the other sizes use the same classes
        self._items += len(result.items)
        self._tokens.append(float(result.trace.tokens))

    def _without_graph(self, handle: Handle, question: str) -> None:
        with (
            patch.object(candidates.Gatherer, "_neighbours", lambda _: None),
            milliseconds(self._times["without_graph"]),
        ):
            handle.recall(question)

    def _with_vectors(self, name: str, handle: Handle, question: str) -> None:
        vectors = self._vectors[name]
        vectors.bring_up(self._tenant.ledger.head.seq)  # the reads before this one are not its cost
        self._tenant.vectors = vectors
        try:
            with milliseconds(self._times[name]):
                handle.recall(question)
        finally:
            self._tenant.vectors = None

    def clear(self) -> None:
        """Forget what was measured so far."""
        self._times = {name: [] for name in self._times}
        self._items = 0
        self._tokens = []
        self._stages.clear()

    def close(self) -> dict[str, Any]:
        """Let go of everything and return the times."""
        for vectors in self._vectors.values():
            vectors.close()
        self._memory.close()
        self._index.close()
        self._table.close()
        return {
            **self._times,
            "stages": self._stages.medians(),
            "opened": self._opened,
            "tokens": self._tokens,
            "items": self._items / len(self._times["recall"]),
        }


def measure(*, bases: str, engine: str, counts: list[int], samples: int) -> dict[str, Any]:
    """Measure one engine on copies of the stores in `bases`; for `children.run`.

    All sizes are asked in turn, so that whatever else the machine does falls on each of them.
    """
    with TemporaryDirectory(prefix="tkg-recall-") as place:
        asked = {count: _Asked(Path(bases), Path(place), engine, count, samples + _WARM_UP) for count in counts}
        for number in range(samples + _WARM_UP):
            if number == _WARM_UP:
                settle()
                for one in asked.values():
                    one.clear()
            for one in asked.values():
                one.ask(number)
        return {str(count): one.close() for count, one in asked.items()}


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
    stages.watch(candidates.Gatherer, "_neighbours", "neighbours")
    for name in ("named", "beside"):
        stages.watch(tenant.index, name, "index search")
    stages.watch(search, "_finish", "render")
    stages.watch(tenant.ledger, "append", "record: ledger")
    stages.watch(tenant.graph, "apply", "record: graph")
