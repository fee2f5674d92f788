"""`commands`: every command on an empty store, on one claim and on many, each in a process of its own: time, memory, exit code.

And what opening the largest store takes, and the questions of an investigation there, each as a multiple of the bare graph
queries it has to ask. With `--full` the largest store has 10⁵ claims and 10⁴ derivations. Its graph lies in a file, as its
owner left it; with `--stores` it is made once and kept.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter, process_time
from typing import Any, Final

from rich.table import Table

import tkg
from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.corpus import Fact, policies
from benchmarks.result import Result, versions
from benchmarks.stores import NOW, TENANT, build, copy, folder, open_store, remove_projections
from benchmarks.timing import milliseconds, p50, settle
from tkg.clock import ManualClock
from tkg.graph.reads import Reads
from tkg.ids import SeededIds
from tkg.index.sqlite import open_index
from tkg.ledger.sqlite import open_ledger
from tkg.memory.names import Names
from tkg.memory.tenant import Tenant
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.claim import Justification
from tkg.model.entry import Draft, Record
from tkg.model.scope import Channel
from tkg.model.time import to_instant

_ROOT: Final = Path(__file__).resolve().parents[1]
_LARGE, _SMALL = (100_000, 10_000), (1_000, 100)
#: derivations in a row, each made from the one before
_CHAIN: Final = 10
_BATCH: Final = 500
#: things that each question of an investigation is asked about, a new one each time
_ASKED: Final = 5
#: at most so many seconds for one command
_PATIENCE: Final = 900
_WHO: Final = ("--channel", "human_verified", "--principal", "ana")
_WHY: Final = (*_WHO, "--reason", "measured")


def run(options: Options) -> Result:
    """Measure with the engine that is preferred, or each that is named."""
    found = children.engines()
    result = Result("commands", versions=versions(*found))
    claims, derivations = _LARGE if options.full else _SMALL
    sizes: dict[str, tuple[int, int] | None] = {
        "empty": None,
        "one claim": (1, 0),
        f"{claims:,} claims": (claims, derivations),
    }
    with TemporaryDirectory(prefix="tkg-commands-") as place:
        for engine in options.engines or tuple(found)[-1:]:
            table = Table(
                "command",
                *sizes,
                title=f"commands on {engine}: seconds, of them of the processor, MB, exit code",
                title_justify="left",
            )
            rows: dict[str, list[str]] = {}
            for number, (name, size) in enumerate(sizes.items()):
                options.say(f"commands: {engine}, {name}")
                base, ids = kept(options.stores or Path(place), engine, *(size or (0, 0)))
                store = copy(base, Path(place) / f"{engine}-{number}")
                for command, told in _commands(store, ids, engine, result, name, options.say):
                    rows.setdefault(command, []).append(told)
                if number == 2:
                    result.tables += _multiples(base, ids, engine, result)
            for command, told_of in rows.items():
                table.add_row(command, *told_of)
            result.tables.insert(0, table)
    result.n = len(rows)
    return result


# -- stores


def kept(stores: Path, engine: str, claims: int, derivations: int) -> tuple[Path, dict[str, str]]:
    """Return a store of a size, closed by an owner who used an engine, and ids to ask about; made where it is not there."""
    name = f"commands-{claims}-{derivations}-{engine}"
    store, told = stores / name, stores / f"{name}.json"
    if not told.exists():
        shutil.rmtree(store, ignore_errors=True)  # of a run that was stopped
        ids = make(store, claims, derivations)
        with tkg.open(store, engine=engine, clock=ManualClock(NOW)) as memory:
            memory.tenant(TENANT)
        told.write_text(json.dumps(ids), "utf-8")
    return store, json.loads(told.read_text("utf-8"))


def make(store: Path, claims: int, derivations: int) -> dict[str, str]:
    """Make a store with claims, texts made from them and reads that showed them; return ids to ask about."""
    if claims == 0:
        _tkg("init", "--store", str(store), "--tenant", TENANT)
        return {}
    known = build(store, claims)
    names = sorted(policies().write.registry.predicates)
    (store / "tkg.toml").write_text("".join(f'[predicates.{name}]\ncardinality = "one"\n' for name in names), "utf-8")
    written = _claims(store)
    found = {
        "claim": written[len(written) // 3],
        "other": written[-1],
        "subject": known[-1].subject,
        "predicate": known[-1].predicate,
    }
    found |= _derive(store, written, derivations, known)
    return found


def _claims(store: Path) -> list[str]:
    with_claims = open_ledger(folder(store) / "ledger.sqlite", TENANT, ManualClock(NOW), SeededIds(8))
    try:
        found = [one for row in with_claims.rows() for one in json.loads(row.body)["records"]]
    finally:
        with_claims.close()
    return [one["id"] for one in found if one["record"] == "claim"]


def _derive(store: Path, claims: list[str], count: int, known: list[Fact]) -> dict[str, str]:
    """Append `count` texts in chains, each made from two claims and the one before, and a read for each."""
    ledger = open_ledger(folder(store) / "ledger.sqlite", TENANT, ManualClock(NOW), SeededIds(8))
    found: dict[str, str] = {}
    try:
        names, ids = Names(ledger.key), SeededIds(9)
        drafts = []
        before: str | None = None
        for number in range(count):
            text, records = _text(number, claims, before, names, ids, known)
            drafts.append(Draft(op="derive", scope=TENANT, records=tuple(records)))
            before = text if (number + 1) % _CHAIN else None
            found.setdefault("summary", text)
            if before is None and number < _ASKED * _CHAIN:  # the ends of the first chains, and what they began with
                first = number + 1 - _CHAIN
                for name, one in (("ends", text), ("roots", claims[first * 7 % len(claims)])):
                    found[name] = f"{found.get(name, '')} {one}".strip()
            if len(drafts) == _BATCH or number == count - 1:
                ledger.append(drafts)
                drafts = []
        remove_projections(store)
        open_index(folder(store) / "index.sqlite", ledger.read_since, head=ledger.head.seq).close()
    finally:
        ledger.close()
    return found


def _text(
    number: int, claims: list[str], before: str | None, names: Names, ids: SeededIds, known: list[Fact]
) -> tuple[str, list[Record]]:
    used = [claims[number * 7 % len(claims)], claims[number * 13 % len(claims)]]
    at, session = to_instant(NOW), f"desk-{number // 50}"
    text = Artefact.build(
        id=ids.new("art"),
        scope=TENANT,
        kind="summary",
        label=Channel.AGENT_INFERRED,
        observed_at=at,
        session_id=names.session(session),
        content=f"{known[number % len(known)].text}, as noted {number}",
        meta={},
    )
    support = Justification(
        id=ids.new("jst"),
        head=text.id,
        requires=tuple(dict.fromkeys([*used, *([before] if before else [])])),
        kind="derivation",
        channel=Channel.AGENT_INFERRED,
        origins=(),
        observed_at=at,
    )
    read = Retrieval.build(
        id=ids.new("ret"),
        scope=TENANT,
        session_id=names.session(session),
        principal_id=names.principal("agent"),
        valid_at=at,
        as_of=2**62,
        k=5,
        shown=tuple(used),
        query=f"question {number}",
        principal="agent",
        session=session,
    )
    return text.id, [read, text, support]


# -- every command


def lines(ids: Mapping[str, str], place: Path) -> dict[str, list[str] | None]:
    """Return the words behind each command; None where there is nothing to ask of a store without claims."""
    claim, other, text = (
        ids.get("claim", "clm_0"),
        ids.get("other", "clm_0"),
        ids.get("summary", ids.get("claim", "clm_0")),
    )
    subject, predicate = ids.get("subject", "nothing"), ids.get("predicate", "owner")
    note, cases = place / "note.md", place / "cases.yaml"
    note.write_text("Deploys need two approvals since March.\n", "utf-8")
    cases.write_text(CASE, "utf-8")
    return {
        "verify": [], "doctor": [], "head": [], "proof": ["1"], "value": [subject, predicate], "timeline": [subject, predicate],
        "explain": [claim], "show": [claim], "show SUBJECT": [subject], "diff": ["--as-of", "tx:2"],
        "contradictions": [], "contradictions --pattern": ["--pattern", "C1", "--limit", "100"],
        "lineage": [text], "lineage --why": [text, "--why"], "blast": [claim], "poison-chain": [text], "exposure": [claim],
        "review": [], "predicates": [], "predicates suggest": ["suggest"], "metrics": [], "audit": [], "audit sample": ["sample"],
        "audit drift": ["drift", "--no-record"], "audit global": ["global"], "audit regressions": ["regressions"],
        "policy": ["compare", str(place / "tkg.toml")], "skills": [],
        "export": [], "schema": [], "conform": [str(cases), "--on", "memory"],
        "recall": [f"what is the {predicate} of {subject}"], "propose": [*_WHO, "--subject", "depot 9", "--predicate", "status",
        "--object", "open", "--uri", "note"], "remember": [*_WHO, "Deploys need two approvals since March."],
        "ingest": [*_WHO, str(note)], "derive": [*_WHO, "--kind", "summary", "--from", claim, "It is so."],
        "promote": [*_WHY, claim], "confirm": [*_WHO, other], "freeze": [*_WHY, "--subject", "depot 9"],
        "thaw": [*_WHY, "--subject", "depot 9"], "supersede": [*_WHY, claim, other], "quarantine": [*_WHY, claim],
        "release": [*_WHY, claim], "preserve": [claim, "--output", str(place / "bundle.json")],
        "decide": [*_WHO, other, "accept"], "dispatch": [*_WHO, text], "cancel": [*_WHY, text], "renew": [*_WHO, text],
        "contain": [*_WHY, claim, "--yes", "--folder", str(place / "contained")], "revoke": [*_WHY, other, "--yes"],
        "hold": [*_WHY, "--subject", "depot 9"], "maintain": [], "maintain --yes": [*_WHO, "--yes"],
        "unarchive": [*_WHY, other], "consolidate": [], "core": [], "notes": [*_WHO, "--session", "desk", "--keep", "next=ask"],
        "ran": [*_WHO, text, "succeeded"], "forget": [other], "forget --yes": [*_WHY, other, "--yes"],
        "rebuild": [], "backup": [str(place / "copy")], "restore": [str(place / "copy")],
        "init": [], "import": [str(place / "archive.jsonl")], "demo": [], "evaluate": ["--count", "4"],
    }  # fmt: skip


#: a case that every store passes
CASE: Final = """\
- id: one
  class: temporal
  clock: 2026-01-01T00:00:00Z
  steps:
    - claim: {as: c, scope: acme, channel: human_stated, principal: ana, subject: depot, predicate: status, object: open,
              evidence: {uri: n}}
  expect: [{of: c, state: active}]
  why: a claim is believed
"""
#: commands on a whole store, or on another one
_WHOLE: Final = frozenset({"verify", "doctor"})
ALONE: Final = frozenset({"schema", "conform", "evaluate"})
ELSEWHERE: Final = frozenset({"init", "import", "demo", "restore"})


def _commands(
    store: Path, ids: Mapping[str, str], engine: str, result: Result, size: str, say: Callable[[str], None]
) -> Iterator[tuple[str, str]]:
    place = store.with_name(f"{store.name}-beside")
    place.mkdir()
    (place / "tkg.toml").write_text('[write]\nheld_channels = ["external"]\n', "utf-8")
    archive = _tkg(
        "export", "--store", str(store), "--tenant", TENANT, "--portable", "--output", str(place / "archive.jsonl")
    )
    assert archive[3] == 0, archive
    for name, words in lines(ids, place).items():
        command = name.split(" ")[0]
        given = [command]
        if command in ELSEWHERE:
            given += ["--store", str(place / f"of-{command}")]
        elif command == "backup" or command in _WHOLE:
            given += ["--store", str(store)]
        elif command not in ALONE:
            given += ["--store", str(store), "--tenant", TENANT]
        if command not in ALONE | _WHOLE | {"backup", "restore", "init", "head", "proof"}:
            given += ["--engine", engine]
        say(f"commands: {size}: {name}")
        seconds, busy, peak, code, err = _tkg(*given, *(words or []))
        if code not in (0, 1, 2, 3) or "Unexpected" in err or "Traceback" in err:
            result.missed.append(f"{name} on {size}: exit {code}: {err.strip()[-200:]}")
        key = f"{engine} {name} {size}".replace(" ", "_").replace(",", "")
        result.figures |= {f"{key}_seconds": seconds, f"{key}_processor": busy, f"{key}_mb": peak, f"{key}_exit": code}
        yield name, f"{seconds:.1f} s {busy:.1f}  {peak:.0f} MB  {code}"


def _tkg(*words: str) -> tuple[float, float, float, int, str]:
    """Run a command; return seconds, seconds of the processor, MB at most, exit code and what it complained of."""
    start = perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed command is compiled once
    with TemporaryDirectory() as folder_of, open(Path(folder_of) / "err", "w+", encoding="utf-8") as err:
        made = subprocess.Popen(
            [sys.executable, "-m", "tkg", *words], stdout=subprocess.DEVNULL, stderr=err, env=environment, text=True
        )
        patience = Timer(_PATIENCE, made.kill)
        patience.start()
        _, status, usage = os.wait4(made.pid, 0)
        patience.cancel()
        made.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        told = err.read()
    unit = 1 if sys.platform == "darwin" else 1024
    busy = usage.ru_utime + usage.ru_stime
    return perf_counter() - start, busy, usage.ru_maxrss * unit / 2**20, made.returncode, told


# -- as a multiple of the bare graph query


def _multiples(store: Path, ids: Mapping[str, str], engine: str, result: Result) -> list[Table]:
    opening = Table("opening", "seconds", "of the processor", title=f"opening on {engine}", title_justify="left")
    table = Table(
        "question", "ms", "bare graph queries, ms", "multiple", title=f"questions on {engine}", title_justify="left"
    )
    found = children.run("commands:measure", store=str(store), ids=dict(ids), engine=engine)
    result.peak_mb = max(result.peak_mb, found["peak_mb"])
    for name, (whole, bare) in found["questions"].items():
        key = f"{engine}_{name}"
        result.figures[f"{key}_ms"], result.baselines[f"{key}_ms"] = whole, bare
        result.figures[f"{key}_multiple"] = whole / bare
        table.add_row(name, f"{whole:,.1f}", f"{bare:,.1f}", f"{whole / bare:.1f}")
    for name, (seconds, busy) in found["opening"].items():
        result.figures |= {f"{engine}_opening_{name}_seconds": seconds, f"{engine}_opening_{name}_processor": busy}
        opening.add_row(name.replace("_", " "), f"{seconds:.2f}", f"{busy:.2f}")
    return [opening, table]


def measure(store: str, ids: dict[str, str], engine: str) -> dict[str, Any]:
    """Open a store in three ways, ask each question of it several times, and the bare queries it needs beside it."""
    found: dict[str, tuple[float, float]] = {}
    ends, roots = ids["ends"].split(), ids["roots"].split()
    opening = {"kept_file": _opening(store, engine), "to_read_beside_an_owner": _opening(store, engine, read_only=True)}
    with open_store(Path(store), engine, in_file=True) as memory:
        handle = memory.scope(TENANT)
        tenant = memory.tenant(TENANT)
        settle()
        questions: dict[str, tuple[Sequence[str], Callable[[str], Any], Callable[[str], Any]]] = {
            "lineage": (ends, handle.lineage, lambda one: _walk(tenant, one)),
            "lineage_of_a_claim": (roots, handle.lineage, lambda one: _walk(tenant, one)),
            "exposure": (roots, handle.exposure, lambda one: tenant.graph.exposures(one)),
            "contradictions": (_THRICE, lambda _: handle.contradictions(), lambda _: _rivals(tenant, 10**9)),
            "contradictions_page": (
                _THRICE,
                lambda _: handle.audit_contradictions(),
                lambda _: _rivals(tenant, 500, 1),
            ),
            "audit": (_THRICE, lambda _: handle.audit(), lambda _: _sweep(tenant)),
        }
        for name, (asked, whole, bare) in questions.items():
            took: list[float] = []
            beside: list[float] = []
            for (
                one
            ) in asked:  # the bare queries first: what they warm serves the whole as well, and what it keeps, not them
                with milliseconds(beside):
                    bare(one)
                with milliseconds(took):
                    whole(one)
            found[name] = (p50(took), p50(beside))
    opening["graph_made_anew"] = _opening(store, engine, anew=True)
    return {"questions": found, "opening": opening}


_THRICE: Final = ("",) * 3


def _opening(store: str, engine: str, *, read_only: bool = False, anew: bool = False) -> tuple[float, float]:
    """Return seconds, and seconds of the processor, until the first question can be asked."""
    place = Path(store)
    with TemporaryDirectory() as other:
        if anew:
            place = copy(place, Path(other) / "store")
            for file in folder(place).glob("graph*"):
                file.unlink()
        start, busy = perf_counter(), process_time()
        with tkg.open(
            place,
            engine=engine,
            clock=ManualClock(NOW),
            policies=policies(),
            read_only=read_only,
            graph_file_above=0,
        ) as memory:
            memory.scope(TENANT).exposure(memory.tenant(TENANT).graph.identifiers("clm_", "", 1)[0])
            return perf_counter() - start, process_time() - busy


def _rivals(tenant: Tenant, limit: int, predicates: int | None = None) -> None:
    """Read the slots in which claims can contradict each other, as rows of the engine."""
    assert isinstance(tenant.graph, Reads)
    single = [name for name, _ in tenant.graph.predicates() if tenant.registry().get(name).limit == 1]
    for name in single[:predicates]:
        tenant.graph.ask("rival_slots", predicate=name, after="", limit=limit)


def _walk(tenant: Tenant, node: str) -> None:
    tenant.graph.ancestors(node)
    tenant.graph.descendants(node)


def _sweep(tenant: Tenant) -> None:
    """Read every claim of the graph once, as an audit has to."""
    tenant.graph.claims(_every(tenant))


def _every(tenant: Tenant) -> list[str]:
    found: list[str] = []
    for predicate, _ in tenant.graph.predicates():
        after = ""
        while page := tenant.graph.claims_of(predicate, after, 10_000):
            found += page
            after = page[-1]
    return found
