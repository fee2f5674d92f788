"""What a command prints: one JSON document, or tables that fit 80 columns. Nothing from a store reaches a terminal raw."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tkg.text import safe_text, when

#: how a state looks; the word itself is always printed, so nothing depends on colour
STYLES: Final[Mapping[str, str]] = {
    "active": "green",
    "accepted": "green",
    "reinforced": "green",
    "pass": "green",
    "supported": "green",
    "dispatched": "green",
    "held": "yellow",
    "hold": "yellow",
    "suspended": "yellow",
    "quarantined": "yellow",
    "quarantine": "yellow",
    "stale": "yellow",
    "unverified": "yellow",
    "superseded": "cyan",
    "note": "cyan",
    "rejected": "red",
    "reject": "red",
    "revoked": "red",
    "cancelled": "red",
    "unsupported": "red",
    "erased": "red",
}


def console(*, error: bool = False) -> Console:
    """Return a console on stdout (or stderr) that reads no markup, adds no highlights and cuts no words.

    Rich turns colour off by itself where the stream is no terminal or `NO_COLOR` is set.
    """
    return Console(
        file=sys.stderr if error else sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False
    )


def cell(value: object, style: str = "") -> Text:
    """Return a value as text that is safe to show; None is an empty cell."""
    shown = "" if value is None else safe_text(value)
    return Text(shown, style=style or STYLES.get(shown, ""), overflow="fold")


def period(start: str | None, end: str | None) -> str:
    """Return a validity interval `[from, to)`; "…" is an open side."""
    return f"{when(start)} → {when(end)}"


def json_text(value: object) -> str:
    """Return JSON in which every control, hidden or non-ASCII character is an escape."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def print_json(schema: str, body: Mapping[str, Any]) -> None:
    """Print the one document of a command; `schema` names its form and version."""
    sys.stdout.write(json_text({"schema": schema, **body}) + "\n")


def print_line(text: object, style: str = "") -> None:
    """Print one line of text."""
    console().print(Text(safe_text(text), style=style))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, whole: Sequence[int] = ()) -> None:
    """Print a table, or that there is nothing in it.

    Args:
        headings: one for each column.
        rows: cells; anything, shown safely.
        whole: numbers of the columns that are never wrapped, such as ids that are to be copied.
    """
    listed = list(rows)
    if not listed:
        print_line("none")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
    for number, heading in enumerate(headings):
        table.add_column(Text(heading), no_wrap=number in whole, overflow="fold")
    for row in listed:
        table.add_row(*(one if isinstance(one, Text) else cell(one) for one in row))
    console().print(table)


def print_fields(fields: Iterable[tuple[str, object]]) -> None:
    """Print names and values below each other; fields without a value are left out."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold")
    for name, value in fields:
        if value is not None and value != "":
            table.add_row(Text(name), value if isinstance(value, Text) else cell(value))
    console().print(table)


def print_heading(text: str) -> None:
    """Print a heading with an empty line before it."""
    out = console()
    out.print()
    out.print(Text(safe_text(text), style="bold underline"))


def complain(message: object) -> None:
    """Print one sentence on stderr."""
    console(error=True).print(Text(safe_text(message, one_line=True)), soft_wrap=True)
