"""`schema`: the form of what `--json` prints."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.forms import forms, text_of
from tkg.cli.screen import print_line
from tkg.errors import NotFound


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A document, such as recall or tkg.recall/1 (default: list them)."),
    ] = None,
) -> None:
    """Print the JSON Schema of what a command prints with --json; without a name, list them all.

    The field `schema` of each document holds its name and version.
    """
    if name is None:
        for one in forms():
            print_line(one)
        return
    found = next((one for one in forms() if name in (one, one.removeprefix("tkg.").partition("/")[0])), None)
    if found is None:
        raise NotFound("there is no document of that name; `tkg schema` lists them")
    sys.stdout.write(text_of(found))


COMMANDS: Final = (Command("schema", schema, "tkg schema recall"),)
