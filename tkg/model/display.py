"""Values as a person sees them in a notebook: a heading, names with values, lists as tables. Everything is escaped.

A value says in `_display_` what is shown of it (name -> part, in order), in `_brief_` how it reads inside a cell, and
in `_heading_` what stands above it. What is None or empty is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Protocol, TypeAlias, TypeVar

from tkg.html import Html, element, facts, folded, table
from tkg.text import safe_text

T = TypeVar("T")
#: what is shown of a value: name -> part, in order
Parts: TypeAlias = Mapping[str, object]
#: rows of a table and characters of a text that are shown; what is left out is counted
MOST_ROWS: Final = 100
MOST_TEXT: Final = 800
#: fractions of a second only say in which order things were written; the number of the transaction says it too
_FRACTION: Final = re.compile(r"(?<=:\d\d)\.\d+(?=Z$)")
#: lines of a list where only text can be shown
_MOST_LINES: Final = 20


def _parts(one: Displayed) -> dict[str, object]:
    return {name: each for name, each in one._display_().items() if each not in (None, "", (), [], {})}


def label(name: str) -> str:
    """Return a field's name as words."""
    return name.replace("_", " ")


def brief(value: object) -> str:
    """Return anything as text inside a cell."""
    if isinstance(value, Displayed):
        return value._brief_()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{brief(key)}: {brief(each)}" for key, each in value.items())
    if isinstance(value, (tuple, list, set, frozenset)):
        listed = list(value)
        if any(isinstance(one, Displayed) for one in listed) and len(listed) > 3:
            return str(len(listed))
        return ", ".join(brief(one) for one in listed)
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1 else f"{value:,.2f}".removesuffix(".00")
    return "" if value is None else _FRACTION.sub("", str(value))


def cell(value: object) -> Html:
    """Return anything as the content of a cell; long texts are cut, and say so."""
    if isinstance(value, Html):
        return value
    said = safe_text(brief(value))
    return element("span", said if len(said) <= MOST_TEXT else f"{said[:MOST_TEXT]}… ({len(said)} characters)")


def _row(one: object) -> dict[str, object]:
    if isinstance(one, tuple) and hasattr(one, "_asdict"):  # a view: a value and the transaction that wrote it
        parts: dict[str, object] = {}
        for name, each in one._asdict().items():
            parts.update(_parts(each) if isinstance(each, Displayed) else {name: each})
    else:
        parts = _parts(one) if isinstance(one, Displayed) else {"": one}
    return {name: each for name, each in parts.items() if not isinstance(each, Html)}  # what is laid out fills a card


def rows(values: Iterable[object]) -> Html:
    """Return values of a kind as a table whose columns are the parts that any of them has."""
    listed = list(values)
    told = [_row(one) for one in listed[:MOST_ROWS]]
    names = list(dict.fromkeys(name for one in told for name in one))
    made = table([label(name) for name in names], [[cell(one.get(name)) for name in names] for one in told])
    if len(listed) > MOST_ROWS:
        return element("div", made, element("p", f"and {len(listed) - MOST_ROWS:,} more"))
    return made


def card(value: Displayed) -> Html:
    """Return one value: its heading, its facts, then a table for each list of values in it."""
    plain: list[tuple[str, object]] = []
    below: list[Html] = []
    for name, one in _parts(value).items():
        if isinstance(one, Html):
            below.append(one)
        elif isinstance(one, (tuple, list)) and all(isinstance(each, Displayed) for each in one):
            below += [element("p", element("b", f"{label(name)} ({len(one)})")), rows(one)]
        elif isinstance(one, Displayed) and any(isinstance(each, (tuple, list)) for each in _parts(one).values()):
            below.append(folded(label(name), card(one)))
        else:
            plain.append((label(name), cell(one)))
    heading = element("p", element("b", value._heading_()))
    return element("div", heading, *([facts(plain)] if plain else []), *below)


class Pretty(Protocol):
    """What IPython hands to `_repr_pretty_`."""

    def text(self, text: str) -> None:
        """Add a text."""
        ...


def lines(value: object) -> list[str]:
    """Return a value as lines of text, for where HTML cannot be shown."""
    if not isinstance(value, Displayed):
        listed = list(value) if isinstance(value, (tuple, list)) else [value]
        more = [f"and {len(listed) - _MOST_LINES} more"] if len(listed) > _MOST_LINES else []
        return [*(safe_text(brief(one), one_line=True) for one in listed[:_MOST_LINES]), *more] or ["nothing"]
    parts = ((name, one) for name, one in _parts(value).items() if not isinstance(one, Html))
    told = [f"  {label(name)}: {safe_text(brief(one), one_line=True)}" for name, one in parts]
    return [safe_text(value._heading_(), one_line=True), *told]


class Displayed:
    """What a value needs to be shown in a notebook."""

    __slots__ = ()

    def _display_(self) -> Parts:
        """Return what is shown, in order; what is empty is left out."""
        return {}

    def _brief_(self) -> str:
        """Return the value inside a cell."""
        return "; ".join(f"{label(name)}: {brief(one)}" for name, one in _parts(self).items())

    def _heading_(self) -> str:
        """Return what stands above it: its sort in words."""
        words = "".join(f" {c.lower()}" if c.isupper() else c for c in type(self).__name__)
        return words.strip().capitalize()

    def _repr_html_(self) -> str:
        return card(self)

    def _repr_pretty_(self, printer: Pretty, cycle: bool) -> None:
        printer.text("\n".join(lines(self)))


class Rows(list[T]):
    """A list that a notebook shows as a table; everywhere else it is a list."""

    def _repr_html_(self) -> str:
        return rows(self) if self else element("p", "nothing")

    def _repr_pretty_(self, printer: Pretty, cycle: bool) -> None:
        printer.text("\n".join(lines(self)))
