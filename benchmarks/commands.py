"""`commands`: every command on an empty store, on one claim and on many, each in a process of its own: time, memory, exit code.

And the questions of an investigation on the largest store, each as a multiple of the bare graph queries it has to ask.
With `--full` the largest store has 10⁵ claims and 10⁴ derivations.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter
from typing import Any, Final

from rich.table import Table

from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.corpus import Fact, policies
from benchmarks.result import Result, versions
from benchmarks.stores import NOW, TENANT, build, folder, open_store, remove_projections
from benchmarks.timing import milliseconds, p50, settle
from tkg.clock import ManualClock
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
                "command", *sizes, title=f"commands on {engine}: seconds, MB, exit code", title_justify="left"
            )
            rows: dict[str, list[str]] = {}
            for number, (name, size) in enumerate(sizes.items()):
                options.say(f"commands: {engine}, {name}")
                store = Path(place) / f"{engine}-{number}"
                ids = make(store, *(size or (0, 0)))
                for command, told in _commands(store, ids, engine, result, name):
                    rows.setdefault(command, []).append(told)
                if number == 2:
                    shutil.rmtree(store)
                    ids = make(store, claims, derivations)
                    result.tables.append(_multiples(store, ids, engine, result))
            for command, told_of in rows.items():
                table.add_row(command, *told_of)
            result.tables.insert(0, table)
    result.n = len(rows)
    return result


# -- stores


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
            found["last"] = text
            if number == 0:
                found["root"] = claims[0]
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
    cases.write_text(_CASE, "utf-8")
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


_CASE: Final = """\
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
_ALONE: Final = frozenset({"schema", "conform", "evaluate"})
_ELSEWHERE: Final = frozenset({"init", "import", "demo", "restore"})


def _commands(store: Path, ids: Mapping[str, str], engine: str, result: Result, size: str) -> Iterator[tuple[str, str]]:
    place = store.with_name(f"{store.name}-beside")
    place.mkdir()
    (place / "tkg.toml").write_text('[write]\nheld_channels = ["external"]\n', "utf-8")
    archive = _tkg(
        "export", "--store", str(store), "--tenant", TENANT, "--portable", "--output", str(place / "archive.jsonl")
    )
    assert archive[2] == 0, archive
    for name, words in lines(ids, place).items():
        command = name.split(" ")[0]
        given = [command]
        if command in _ELSEWHERE:
            given += ["--store", str(place / f"of-{command}")]
        elif command == "backup" or command in _WHOLE:
            given += ["--store", str(store)]
        elif command not in _ALONE:
            given += ["--store", str(store), "--tenant", TENANT]
        if command not in _ALONE | _WHOLE | {"backup", "restore", "init", "head", "proof"}:
            given += ["--engine", engine]
        seconds, peak, code, err = _tkg(*given, *(words or []))
        if code not in (0, 1, 2, 3) or "Unexpected" in err or "Traceback" in err:
            result.missed.append(f"{name} on {size}: exit {code}: {err.strip()[-200:]}")
        key = f"{engine} {name} {size}".replace(" ", "_").replace(",", "")
        result.figures |= {f"{key}_seconds": seconds, f"{key}_mb": peak, f"{key}_exit": code}
        yield name, f"{seconds:.2f} s  {peak:.0f} MB  {code}"


def _tkg(*words: str) -> tuple[float, float, int, str]:
    """Run a command; return seconds, MB at most, exit code and what it complained of."""
    start = perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
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
    return perf_counter() - start, usage.ru_maxrss * unit / 2**20, made.returncode, told


# -- as a multiple of the bare graph query


def _multiples(store: Path, ids: Mapping[str, str], engine: str, result: Result) -> Table:
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
    return table


def measure(store: str, ids: dict[str, str], engine: str) -> dict[str, Any]:
    """Ask each question of an open store several times, and the bare queries it needs beside it."""
    found: dict[str, tuple[float, float]] = {}
    with open_store(Path(store), engine, in_file=False) as memory:
        handle = memory.scope(TENANT)
        tenant = memory.tenant(TENANT)
        settle()
        questions: dict[str, tuple[int, Callable[[], Any], Callable[[], Any]]] = {
            "lineage": (5, lambda: handle.lineage(ids["last"]), lambda: _walk(tenant, ids["last"])),
            "lineage_of_a_claim": (5, lambda: handle.lineage(ids["root"]), lambda: _walk(tenant, ids["root"])),
            "exposure": (5, lambda: handle.exposure(ids["root"]), lambda: tenant.graph.exposures(ids["root"])),
            "contradictions": (3, handle.contradictions, lambda: tenant.graph.clashes(limit=10**9)),
            "contradictions_page": (3, handle.audit_contradictions, lambda: tenant.graph.clashes(limit=100)),
            "audit": (3, handle.audit, lambda: _sweep(tenant)),
        }
        for name, (times, whole, bare) in questions.items():
            took: list[float] = []
            beside: list[float] = []
            for _ in range(times):
                with milliseconds(took):
                    whole()
                with milliseconds(beside):
                    bare()
            found[name] = (p50(took), p50(beside))
    return {"questions": found}


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
