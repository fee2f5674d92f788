"""Elements of HTML: text is escaped here and nowhere else. No script, no handler, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tkg.text import safe_text


class Html(str):
    """Text that is HTML already; everything else is escaped."""


def text(value: object) -> Html:
    """Return any text as HTML: controls and hidden characters as escapes, then markup escaped."""
    return Html(escape("" if value is None else safe_text(value), quote=True))


def part(value: object) -> Html:
    """Return HTML as it is, and everything else escaped."""
    return value if isinstance(value, Html) else text(value)


def element(name: str, *content: object, **attributes: str) -> Html:
    """Return an element; attribute values are escaped, names come from the code."""
    given = "".join(f' {key.rstrip("_")}="{text(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{given}>{''.join(part(one) for one in content)}</{name}>")


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Html:
    """Return a table."""
    head = element("tr", *(element("th", one) for one in headings))
    return element("table", head, *(element("tr", *(element("td", one) for one in row)) for row in rows))


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Return names and values as a table; pairs without a value are left out."""
    kept = [(name, value) for name, value in pairs if value not in (None, "")]
    return element("table", *(element("tr", element("th", name), element("td", value)) for name, value in kept))


def folded(summary: str, *content: object) -> Html:
    """Return content that is shown when somebody opens it."""
    return element("details", element("summary", summary), *content)
