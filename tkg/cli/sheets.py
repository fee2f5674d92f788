"""Rows as CSV for a spreadsheet: no cell becomes a formula, and nothing hidden or controlling is written."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from tkg.text import safe_text

#: what a spreadsheet takes for the beginning of a formula; full-width forms are taken for it too
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def cell(value: object) -> str:
    """Return a value as a cell that is text: on one line, controls as escapes, a formula with an apostrophe before it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    text = "" if value is None else safe_text(value, one_line=True)
    return f"'{text}" if text.lstrip(" '\"").startswith(_FORMULA) else text


def sheet(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV (RFC 4180); every cell is quoted."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(headings)
    writer.writerows([cell(one) for one in row] for row in rows)
    return out.getvalue()
