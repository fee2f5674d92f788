"""`export`: everything a scope holds."""

from __future__ import annotations

import json as json_module
import os
import re
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.opening import check_path, reading, writing
from tkg.cli.options import Engine, EngineChoice, Json, Store, Tenant, User
from tkg.cli.screen import complain, print_json, print_line
from tkg.errors import NotFound, RequestError

_BEYOND: Final = re.compile(r"[^\x20-\x7e]")


class Form(StrEnum):
    """What an export is written as."""

    JSONL = "jsonl"
    PROV = "prov"


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x10000:
        return f"\\u{point:04x}"
    return f"\\u{0xD800 + (point - 0x10000 >> 10):04x}\\u{0xDC00 + (point - 0x10000 & 0x3FF):04x}"


def plain_line(line: str) -> str:
    """Return a line of JSON with every character beyond printable ASCII as an escape; it means the same."""
    return _BEYOND.sub(_escape, line.rstrip("\r\n"))


def export(
    store: Store,
    tenant: Tenant,
    user: User = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write to this new file instead of stdout.")
    ] = None,
    subject: Annotated[
        str | None, typer.Option("--subject", metavar="NAME", help="Only what is about this subject.")
    ] = None,
    portable: Annotated[
        bool, typer.Option("--portable", help="Carry the tenant's key, so that `tkg import` can take the archive in.")
    ] = False,
    form: Annotated[
        Form,
        typer.Option("--format", help="JSON Lines, or one PROV-JSON document of W3C (needs the extra `prov`)."),
    ] = Form.JSONL,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Write everything in the scope as JSON Lines, or as PROV-JSON: the same bytes for the same ledger.

    A portable archive is as secret as the store: its key lets a reader test guesses about names that were erased.

    With --json it is one document whose `records` are those lines.
    """
    if output is not None and check_path(output, "--output").exists():
        raise RequestError(f"{output} exists; name a new file")
    if form is Form.PROV and (json or portable):
        raise RequestError(
            "--format prov is one JSON document that cannot be imported: leave --json and --portable away"
        )
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        if form is Form.PROV:
            lines = iter([handle.export_prov(subject=subject)])
        else:
            lines = handle.export(subject=subject, portable=portable)
        if json:
            print_json("tkg.export/1", {"tenant": tenant, "records": [json_module.loads(line) for line in lines]})
        elif output is None:
            for line in lines:
                sys.stdout.write(plain_line(line) + "\n")
        else:
            count = _write(output, map(plain_line, lines))
            complain(f"Wrote {'PROV-JSON' if form is Form.PROV else f'{count} records'} to {output}.")


def _write(output: Path, lines: map[str]) -> int:
    """Write all lines or no file; return their number."""
    fresh = output.with_name(output.name + ".new")
    count = 0
    try:
        with fresh.open("w", encoding="ascii", newline="\n") as file:
            for line in lines:
                file.write(line + "\n")
                count += 1
        os.replace(fresh, output)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RequestError(f"{output} cannot be written: {error.strerror}") from None
    return count


def take_in(
    store: Store,
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="A portable archive; - reads stdin.")],
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Make a tenant from a portable archive: its ids, provenance and both times as they were; whole, or not at all.

    The tenant must not exist in the store. Exporting it again gives the same bytes.
    """
    with writing(store, engine, create=True) as memory:
        if str(archive) == "-":
            tenant, count = memory.import_archive(sys.stdin)
        else:
            try:
                with check_path(archive, "FILE").open(encoding="utf-8") as lines:
                    tenant, count = memory.import_archive(lines)
            except (OSError, UnicodeDecodeError):
                raise NotFound(f"{archive} cannot be read") from None
    if json:
        print_json("tkg.import/1", {"tenant": tenant, "entries": count})
    else:
        print_line(f"Imported {count} entries of tenant {tenant}.")


COMMANDS: Final = (
    Command(
        "export",
        export,
        "tkg export --store ./memory --tenant acme --output acme.jsonl\n"
        "tkg export --store ./memory --tenant acme --subject 'Ana Reed' --format prov",
    ),
    Command("import", take_in, "tkg import --store ./other acme.jsonl"),
)
