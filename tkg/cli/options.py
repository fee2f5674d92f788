"""The options that several commands share, each declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tkg.cli.times import TIMES, known_time, spoken_time
from tkg.errors import InvalidTime
from tkg.model.scope import Channel


class Engine(StrEnum):
    """Graph engines a store can be opened with."""

    AUTO = "auto"
    KUZU = "kuzu"
    LADYBUG = "ladybug"
    MEMORY = "memory"


class Polarity(StrEnum):
    """Whether a claim asserts or denies its value."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


Store = Annotated[
    Path,
    typer.Option("--store", envvar="TKG_STORE", metavar="DIR", help="Directory of the store.", show_default=False),
]
EngineChoice = Annotated[
    Engine, typer.Option("--engine", help="Graph engine; auto takes ladybug where it is installed, else kuzu.")
]
Tenant = Annotated[
    str, typer.Option("--tenant", metavar="ID", help="Whose memory: the tenant. No default.", show_default=False)
]
User = Annotated[str | None, typer.Option("--user", metavar="ID", help="Narrow the scope to one user of the tenant.")]
ChannelChoice = Annotated[
    Channel,
    typer.Option("--channel", help="Class of what is written. No default: you vouch for it.", show_default=False),
]
Principal = Annotated[
    str, typer.Option("--principal", metavar="NAME", help="Who speaks. No default.", show_default=False)
]
Session = Annotated[
    str | None, typer.Option("--session", metavar="NAME", help="Work session that reads and writes belong to.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout instead of tables.")]
IdempotencyKey = Annotated[
    str | None,
    typer.Option("--idempotency-key", metavar="TEXT", help="Repeating a request with this key changes nothing."),
]


ValidAt = Annotated[
    str | None,
    typer.Option("--valid-at", metavar="TIME", callback=spoken_time, help=f"The time asked about: {TIMES}."),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="TIME|tx:N",
        callback=known_time,
        help=f"Answer as the store knew it then: {TIMES}, or transaction tx:N.",
    ),
]
Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the decision. No default.", show_default=False)
]
Identifier = Annotated[str, typer.Argument(metavar="ID", help="An id, or as much of its beginning as no other id has.")]
Html = Annotated[
    Path | None,
    typer.Option(
        "--html", metavar="FILE", help="Write a self-contained page with the picture instead (needs tkg[plot])."
    ),
]

# -- where something can be fetched again

Uri = Annotated[str | None, typer.Option("--uri", metavar="URI", help="Evidence: file, URL or message id.")]
Version = Annotated[str | None, typer.Option("--version", metavar="TEXT", help="Evidence: version, commit or digest.")]
Quote = Annotated[str | None, typer.Option("--quote", metavar="TEXT", help="Evidence: the words relied on, verbatim.")]
Locator = Annotated[
    str | None, typer.Option("--locator", metavar="TEXT", help="Evidence: page, line, characters or JSON pointer.")
]
Owner = Annotated[str | None, typer.Option("--owner", metavar="NAME", help="Evidence: who answers for the source.")]
CopyOf = Annotated[
    str | None,
    typer.Option("--copy-of", metavar="URI", help="Evidence: where this was copied from; a copy never counts."),
]

# -- what a quarantine or a revocation is about: exactly one of these

OfClaim = Annotated[str | None, typer.Option("--claim", metavar="ID", help="Target: one claim or artefact.")]
OfEvidence = Annotated[str | None, typer.Option("--evidence", metavar="ID", help="Target: one piece of evidence.")]
OfSource = Annotated[str | None, typer.Option("--source", metavar="URI", help="Target: everything a source said.")]
OfVersion = Annotated[
    str | None, typer.Option("--of-version", metavar="TEXT", help="With --source: only what this version of it said.")
]
OfSession = Annotated[
    str | None, typer.Option("--of-session", metavar="NAME", help="Target: everything written in a session.")
]
OfPrincipal = Annotated[
    str | None, typer.Option("--of-principal", metavar="NAME", help="Target: everything a principal said.")
]


def transaction(as_of: str | None) -> int | str | None:
    """Read `--as-of`: `tx:12` is a transaction number, all else a time that the facade reads.

    Raises:
        InvalidTime: `tx:` is not followed by a number.
    """
    if as_of is None or not as_of.strip().lower().startswith("tx:"):
        return as_of
    number = as_of.strip()[3:]
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        raise InvalidTime("--as-of takes a time such as 2026-03-01, or a transaction such as tx:12")
    return int(number)
