"""`demo`: the story of a poisoned memory, told on a real store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.opening import check_path
from tkg.cli.options import Engine, EngineChoice, Json
from tkg.cli.screen import console, print_json
from tkg.demo import play


def demo(
    store: Annotated[Path, typer.Option("--store", metavar="DIR", help="Where the store of the demo is made.")] = Path(
        "tkg-demo-store"
    ),
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Play the retired mailbox: a poisoned memory is found, taken back and corrected, with real files in a real store.

    The store stays on disk, to be tried with the other commands; an earlier one of the demo is made anew. Exit 4 when an
    expected fact does not come out.
    """
    facts = play(check_path(store), engine=engine.value, out=None if json else console())
    if json:
        print_json("tkg.demo/1", facts)


COMMANDS: Final = (Command("demo", demo, "tkg demo --store ./tkg-demo-store"),)
