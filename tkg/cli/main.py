"""The application: its commands in order, and the one place where errors become sentences and exit codes.

Exit codes: 0 done; 1 found something, or some inputs failed; 2 wrong use; 3 refused by policy; 4 store busy or damaged;
130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Final

import typer

import tkg
from tkg.cli import (
    audit,
    consolidate,
    contain,
    decide,
    disputes,
    dump,
    evaluate,
    forget,
    guided,
    history,
    ingest,
    integrity,
    lineage,
    metrics,
    predicates,
    read,
    schema,
    show,
    skills,
    stage,
    store,
    trace,
    write,
)
from tkg.cli.command import Command
from tkg.cli.screen import complain
from tkg.errors import TkgError
from tkg.text import safe_text

COMMANDS: Final[tuple[Command, ...]] = (
    *store.COMMANDS,
    *integrity.COMMANDS,
    *ingest.COMMANDS,
    *write.COMMANDS,
    *read.COMMANDS,
    *show.COMMANDS,
    *history.COMMANDS,
    *disputes.COMMANDS,
    *lineage.COMMANDS,
    *trace.COMMANDS,
    *decide.COMMANDS,
    *contain.COMMANDS,
    *guided.COMMANDS,
    *forget.COMMANDS,
    *consolidate.COMMANDS,
    *predicates.COMMANDS,
    *metrics.COMMANDS,
    *audit.COMMANDS,
    *skills.COMMANDS,
    *dump.COMMANDS,
    *schema.COMMANDS,
    *stage.COMMANDS,
    *evaluate.COMMANDS,
)

#: the root of the errors about options and arguments; which package it lives in depends on the version of typer
_UsageError: Final[type[Exception]] = next(
    one for one in typer.BadParameter.__mro__ if one.__name__ == "ClickException"
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"tkg {tkg.__version__}")
        raise typer.Exit


def root(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Memory for agents: claims with evidence, two time axes, and revocation that reaches everything derived.

    Exit codes: 0 done; 1 found something, or some inputs failed; 2 wrong use; 3 refused by policy; 4 store busy or
    damaged.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache
def build() -> Any:
    """Return the application with every command, ready to parse."""
    app = typer.Typer(
        name="tkg",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(root)
    for one in COMMANDS:
        app.command(one.name, help=one.help, short_help=one.summary, epilog=one.epilog)(one.run)
    return typer.main.get_command(app)


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: the words after `tkg`.

    Returns:
        The exit code. Every error is one sentence on stderr.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character gets an escape, not an error
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(list(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader went away, as `head` does: say nothing, also not at the exit of the process
        if sys.__stdout__ is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
        return 0


def _run(arguments: list[str]) -> int:
    try:
        code = build().main(args=arguments, prog_name="tkg", standalone_mode=False)
    except TkgError as error:
        complain(error)
        return error.exit_code
    except _UsageError as error:
        complain(_usage(error))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        complain("Interrupted; what was written is kept, and the same command can be run again.")
        return 130
    except SystemExit as ended:  # typer turns a reader that went away into an exit of its own
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        raise
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, whatever happened
        if "--debug" in arguments[:1]:
            sys.stderr.write(safe_text(traceback.format_exc()))
        else:
            complain(f"Unexpected {type(error).__name__}; run `tkg --debug …` to see where, and please report it.")
        return 4
    if code == 130:
        complain("Interrupted; what was written is kept, and the same command can be run again.")
    return code if isinstance(code, int) else 0


def _usage(error: Any) -> str:
    message = (
        str(error.format_message()).strip().removeprefix("Value error, ").replace(": Value error, ", ": ").rstrip(".")
    )
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "tkg"
    return f"{path}: {message}; see `{path} --help`."
