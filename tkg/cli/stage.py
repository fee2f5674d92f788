"""`demo`: the story of a poisoned memory, told on a real store; `conform`: acceptance cases on fresh stores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.opening import check_path
from tkg.cli.options import Engine, EngineChoice, Json
from tkg.cli.screen import console, print_json, print_line
from tkg.clock import SystemClock
from tkg.conform import load, run
from tkg.conform.report import document, line, summary
from tkg.demo import play


def demo(
    store: Annotated[Path, typer.Option("--store", metavar="DIR", help="Where the store of the demo is made.")] = Path(
        "tkg-demo-store"
    ),
    until: Annotated[
        int, typer.Option("--until", min=0, max=16, help="Stop after this day; before 16 the poison is still believed.")
    ] = 16,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Play the retired mailbox: a poisoned memory is found, taken back and corrected, with real files in a real store.

    The store stays on disk, to be tried with the other commands; an earlier one of the demo is made anew. With --until the
    days are counted back from today, so that what comes next is yours to do. Exit 4 when an expected fact does not come out.
    """
    now = None if until == 16 else SystemClock().now()
    facts = play(check_path(store), engine=engine.value, out=None if json else console(), until=until, now=now)
    if json:
        print_json("tkg.demo/1", facts)


def conform(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Case files, in YAML.")],
    store: Annotated[
        list[str] | None,
        typer.Option("--on", metavar="NAME", help="memory, kuzu or ladybug; may be repeated (default: all installed)."),
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--class", metavar="NAME", help="Only cases of this class; may be repeated.")
    ] = None,
    identifier: Annotated[
        list[str] | None, typer.Option("--id", metavar="ID", help="Only the case with this id; may be repeated.")
    ] = None,
    json: Json = False,
) -> int:
    """Run acceptance cases, each on a fresh store, and report each.

    A case is a short story with the right answer: what is written, revoked or asked in order, and what must come out.
    Exit 1 when one fails.
    """
    for file in files:
        check_path(file, "FILE")
    results = []
    for result in run(load(files), store or None, classes=kind or (), ids=identifier or ()):
        results.append(result)
        if not json:
            print_line(line(result), "" if result.passed else "red")
    if json:
        print_json("tkg.conform/1", document(results))
    else:
        print_line(summary(results))
    return 0 if all(result.passed for result in results) else 1


COMMANDS: Final = (
    Command("conform", conform, "tkg conform cases/belief.yaml --class temporal --on memory"),
    Command("demo", demo, "tkg demo --store ./tkg-demo-store"),
)
