"""Makes CLI.md from the commands themselves: `python -m tkg.cli.reference > CLI.md`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from enum import StrEnum
from inspect import Parameter, signature
from typing import Any, Final, NamedTuple, get_args

from typer.models import ArgumentInfo

from tkg.cli.main import COMMANDS, root

_HEAD: Final = """\
# Command reference

Made by `python -m tkg.cli.reference > CLI.md`; a test fails when it differs from the commands.

Every command answers in tables, or with `--json` in one JSON document on stdout whose `schema` names its form and version.
`tkg schema NAME` prints that form as a JSON Schema.
Problems are one sentence on stderr. Exit codes: 0 done; 1 found something, or some inputs failed; 2 wrong use; 3 refused
by policy; 4 store busy or damaged; 130 interrupted. Times are `2026`, `2026-03`, `2026-03-01`, or a timestamp with its
zone, also before the year 1 (44 BC is `-0043`); `--as-of` also takes a transaction, such as `tx:12`, and nothing that is
still to come. `--store` may be given once and for all in the environment
variable `TKG_STORE`. `verify`, `doctor`, `backup`, `proof`, `export`, `value`, `timeline`, `show`, `explain`, `contradictions`, `lineage`, `exposure`, `blast`,
`poison-chain`, `diff`, `review`
and `revoke --dry-run` work beside a process that owns the store; all else waits for nobody and exits 4 when it is busy.
"""


class Part(NamedTuple):
    """An option or argument, as its function declares it."""

    argument: bool
    names: tuple[str, ...]
    value: str
    help: str
    required: bool
    default: object


def parts(run: Callable[..., Any]) -> list[Part]:
    """Return the options and arguments of a command's function, in order."""
    return [_part(one) for one in signature(run, eval_str=True).parameters.values() if get_args(one.annotation)]


def _part(parameter: Parameter) -> Part:
    kind, info = get_args(parameter.annotation)[:2]
    accepted = [kind, *get_args(kind)]
    choices = next((one for one in accepted if isinstance(one, type) and issubclass(one, StrEnum)), None)
    value = info.metavar or (
        "" if kind is bool else "|".join(choices) if choices else "N" if int in accepted else "TEXT"
    )
    required = parameter.default is Parameter.empty
    # typer takes the first name given inside `Annotated` for a default
    names = tuple(one for one in (info.default, *(info.param_decls or ())) if isinstance(one, str))
    return Part(isinstance(info, ArgumentInfo), names, value, _flat(info.help), required, parameter.default)


def _flat(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "").strip()


def _line(part: Part) -> str:
    names = ", ".join(f"`{one}`" for one in part.names)
    named = f"`{part.value}`" if part.argument else f"{names} `{part.value}`" if part.value else names
    given = f" Default: `{part.default}`." if isinstance(part.default, str) and part.default else ""
    return f"- {named}: {part.help}{' Required.' if part.required and not part.argument else ''}{given}"


def _usage(name: str, found: list[Part]) -> str:
    needed = [f"{one.names[0]} {one.value}" for one in found if one.required and not one.argument]
    return "\n    ".join(
        [f"tkg {name}", *needed, " ".join(["[OPTIONS]", *(one.value for one in found if one.argument)])]
    )


def reference() -> str:
    """Return the text of CLI.md."""
    lines = [_HEAD, "## tkg", "", _flat((root.__doc__ or "").split("Exit codes:")[0]), ""]
    lines += [_line(one) for one in parts(root)]
    lines += [
        "- `--install-completion`: Install completion for the current shell.",
        "- `--show-completion`: Show completion for the current shell, to copy it.",
        "- `-h`, `--help`: Show the help of `tkg` or of a command, with an example.",
    ]
    for made in COMMANDS:
        found = parts(made.run)
        lines += ["", f"## tkg {made.name}", "", _flat(made.help), "", "```", _usage(made.name, found), "```", ""]
        lines += ["Example:", "", "```", *made.example.splitlines(), "```", ""]
        lines += [_line(one) for one in sorted(found, key=lambda one: not one.argument)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
