"""Self-contained pages: no script, no handler, nothing fetched. All text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from tkg.text import safe_text

#: even if something slipped through, a browser would neither run nor fetch it
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem; color: #1a1a1a; }
figure { margin: 1rem 0; overflow-x: auto; } svg { max-width: none; height: auto; }
svg a:hover path, svg :target path { stroke: #000; stroke-width: 3; }
table { border-collapse: collapse; margin: .5rem 0; } th, td { border: 1px solid #ccc; padding: .25rem .5rem;
  text-align: left; vertical-align: top; overflow-wrap: anywhere; } th { background: #f2f2f2; }
article { border: 1px solid #ccc; border-left-width: 6px; padding: .4rem .8rem; margin: .6rem 0; }
article:target { outline: 3px solid #000; } .state { font-weight: 600; } code { overflow-wrap: anywhere; }
@media print { a { color: inherit; text-decoration: none; } }
"""


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


def picture(svg: str, caption: str) -> Html:
    """Return a figure made by `tkg.plot.svg` with its caption."""
    return element("figure", Html(svg), element("figcaption", caption))


def page(title: str, *content: object) -> str:
    """Return a whole page."""
    head = Html(
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{text(_POLICY)}">'
        f'<meta name="viewport" content="width=device-width"><title>{text(title)}</title><style>{_STYLE}</style>'
    )
    body = element("body", element("h1", title), *content)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>{body}</html>\n'
