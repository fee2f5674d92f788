"""`verify`, `doctor`, `rebuild`, `backup`, `restore`, `head`, `proof`: is the store whole, and how it stays so."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.opening import check_path, reading, writing
from tkg.cli.options import Engine, EngineChoice, Json, Store, Tenant
from tkg.cli.screen import print_fields, print_heading, print_json, print_line, print_table
from tkg.errors import RequestError
from tkg.ledger.heads import append_witness
from tkg.memory import copying
from tkg.memory.answers import EvidenceReport
from tkg.memory.checking import Report
from tkg.model.time import iso
from tkg.text import when

#: where a projection was found, in words; one without a file is made from the ledger whenever the tenant is opened
_FORMS: Final = {"file": "in a file", "memory": "in memory", "none": "without a file", "skipped": "left out"}

_OneTenant = Annotated[str | None, typer.Option("--tenant", metavar="ID", help="Only this tenant (default: all).")]


def verify(
    store: Store,
    tenant: _OneTenant = None,
    witness: Annotated[
        Path | None,
        typer.Option("--witness", metavar="FILE", help="Heads kept in another place; see `tkg head --output`."),
    ] = None,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Fetch the sources of evidence again instead; needs --tenant.")
    ] = False,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            "--root", metavar="DIR", help="--evidence: read files and git repositories below it. Default: here."
        ),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="NAME", help="--evidence: this host may be asked over HTTP; may be repeated."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option("--most", metavar="N", help="--evidence: documents at most, those looked at longest ago."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="--evidence: begin no document after so long.")
    ] = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Check that the store is what was written: chain, Merkle tree, signed heads, content, and ledger against graph and index.

    Nothing is changed. Each finding has a code, says what is wrong and what to do; exit code 1 when something is wrong.
    Beside a running owner, ledger and heads are checked and the projections are left out.

    With --evidence it is the world that is checked: sources are fetched again and each piece of evidence is recorded as
    fresh, moved, changed, gone or unreachable; what rests on changed or gone evidence alone is suspended. Exit code 1 when
    there is any.
    """
    if evidence:
        return _evidence(store, tenant, root or [Path()], host or [], most, seconds, engine, json)
    with reading(store, engine) as memory:
        report = memory.verify(tenant, witness=None if witness is None else check_path(witness, "--witness"))
    if json:
        print_json("tkg.verify/1", {"ok": report.ok, **report.model_dump(mode="json")})
    else:
        _show(report)
    return 0 if report.ok else 1


def _show(report: Report) -> None:
    for one in report.tenants:
        print_line(
            f"{one.tenant}: {one.entries} entries, {one.heads} heads, graph {_FORMS[one.graph]}, "
            f"index {_FORMS[one.index]}, vectors {_FORMS[one.vectors]}, root {one.root[:16] or '(none)'}"
        )
    for number, found in enumerate(report.findings, 1):
        print_heading(f"{number}. {found.code} ({found.severity})")
        print_fields(
            [("tenant", found.tenant), ("entry", found.seq), ("wrong", found.detail), ("what to do", found.remedy)]
        )
    print_line("Everything agrees." if report.ok else "The store is not what was written.")


def _evidence(
    store: Path,
    tenant: str | None,
    roots: list[Path],
    hosts: list[str],
    most: int | None,
    seconds: float | None,
    engine: str,
    json: bool,
) -> int:
    if tenant is None:
        raise RequestError("--evidence needs --tenant: whose evidence?")
    with writing(store, engine) as memory:
        report = memory.reverify(tenant, roots=roots, hosts=hosts, most=most, seconds=seconds)
    if json:
        print_json("tkg.evidence/1", {"counts": report.counts, **report.model_dump(mode="json")})
    else:
        print_evidence(report)
    return 1 if {"changed", "gone"} & report.counts.keys() else 0


def print_evidence(report: EvidenceReport) -> None:
    """Print what came of fetching sources again."""
    rows = [(one.state, one.evidence, one.uri, one.why, len(one.suspended)) for one in report.items]
    print_table(("state", "evidence", "source", "why", "suspended"), rows, whole=(1,))
    print_line(
        f"{len(report.items)} looked at, {report.without} with nothing to compare, {report.left} left for next time."
    )


def doctor(store: Store, engine: EngineChoice = Engine.AUTO, json: Json = False) -> int:
    """Look at versions, settings, locks, sizes, pending work, disk space and permissions; exit code 1 when something is amiss.

    Works beside a running owner, and reads no content.
    """
    with reading(store, engine) as memory:
        checks = memory.doctor()
    well = all(one.status == "ok" for one in checks)
    if json:
        print_json("tkg.doctor/1", {"ok": well, "checks": [one.model_dump(mode="json") for one in checks]})
    else:
        rows = [
            (one.status, one.code, one.subject, one.detail + (f" — {one.remedy}" if one.remedy else ""))
            for one in checks
        ]
        print_table(("", "what", "of", "found"), rows)
    return 0 if well else 1


def rebuild(store: Store, tenant: Tenant, engine: EngineChoice = Engine.AUTO, json: Json = False) -> None:
    """Throw the graph and the text index away and make them again from the ledger.

    Nothing is lost: both are projections of the ledger.
    """
    with writing(store, engine) as memory:
        entries = memory.rebuild(tenant)
    if json:
        print_json("tkg.rebuild/1", {"tenant": tenant, "entries": entries})
    else:
        print_line(f"Rebuilt {tenant} from {entries} ledger entries.")


def backup(
    store: Store,
    target: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder, best on another disk.")],
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Copy the store, also while it is written: each ledger as of one commit, checked after copying.

    The graph and the text index are not copied: they are made from the ledger.
    """
    with reading(store, engine) as memory:
        made = memory.backup(check_path(target, "FOLDER"))
    if json:
        print_json("tkg.backup/1", {"folder": str(target), "backup": made.model_dump(mode="json")})
    else:
        print_table(("tenant", "entries", "bytes"), [(one.tenant, one.entries, one.size) for one in made.tenants])
        print_line(f"Backed up to {target}.")


def restore(
    store: Store,
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of a backup; it is only read.")],
    json: Json = False,
) -> None:
    """Make a store from a backup, after checking every ledger in it; the directory must be new or empty."""
    made = copying.restore(check_path(source, "FOLDER"), check_path(store))
    if json:
        print_json("tkg.restore/1", {"store": str(store), "backup": made.model_dump(mode="json")})
    else:
        print_line(f"Restored {len(made.tenants)} tenants as of {made.made_at} to {store}.")


def head(
    store: Store,
    tenant: Tenant,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Also add it to this file, in another place.")
    ] = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Sign what the tenant's ledger holds now: its size, Merkle root and newest hash.

    Keep it in another place (another disk, a ticket, a mail): whoever can rewrite the whole store cannot rewrite that, and
    `tkg verify --witness FILE` shows it.
    """
    with writing(store, engine) as memory:
        signed = memory.head(tenant)
    if output is not None:
        append_witness(check_path(output, "--output"), signed)
    if json:
        print_json("tkg.head/1", signed.model_dump(mode="json"))
    else:
        print_fields({**signed.model_dump(mode="json"), "tx_time": when(iso(signed.tx_time))}.items())


def proof(
    store: Store,
    tenant: Tenant,
    seq: Annotated[int, typer.Argument(metavar="ENTRY", help="Number of the ledger entry, from 1.")],
    size: Annotated[
        int | None, typer.Option("--size", metavar="N", help="Entries of the tree, as a head says (default: all).")
    ] = None,
    since: Annotated[
        int | None, typer.Option("--since", metavar="N", help="Also prove that the tree continues that of N entries.")
    ] = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Prove that an entry is in the tree behind a head, and that the tree only grew since an earlier one (RFC 9162)."""
    with reading(store, engine) as memory:
        made = memory.prove(tenant, seq, size=size, since=since)
    if not made.holds():
        raise RequestError("the proof does not hold; run `tkg verify`")
    if json:
        print_json("tkg.proof/1", made.model_dump(mode="json"))
    else:
        print_fields((name, " ".join(one) if isinstance(one, tuple) else one) for name, one in made)


COMMANDS: Final = (
    Command("verify", verify, "tkg verify --store ./memory"),
    Command("doctor", doctor, "tkg doctor --store ./memory"),
    Command("rebuild", rebuild, "tkg rebuild --store ./memory --tenant acme"),
    Command("backup", backup, "tkg backup --store ./memory ./backup-monday"),
    Command("restore", restore, "tkg restore --store ./memory-again ./backup-monday"),
    Command("head", head, "tkg head --store ./memory --tenant acme --output heads.jsonl"),
    Command("proof", proof, "tkg proof --store ./memory --tenant acme 1"),
)
