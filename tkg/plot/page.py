"""Self-contained pages: no script, no handler, nothing fetched. All text is escaped in `tkg.html`."""

from __future__ import annotations

from typing import Final

from tkg.html import Html, element, facts, table, text

__all__ = ["Html", "element", "facts", "page", "picture", "table", "text"]

#: even if something slipped through, a browser would neither run nor fetch it
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 72rem; padding: 0 1rem; color: #1a1a1a; }
figure { margin: 1rem 0; overflow-x: auto; } svg { max-width: none; height: auto; }
svg a:hover path, svg :target path { stroke: #000; stroke-width: 3; }
table { border-collapse: collapse; margin: .5rem 0; } th, td { border: 1px solid #ccc; padding: .25rem .5rem;
  text-align: left; vertical-align: top; overflow-wrap: break-word; max-width: 30em; } th { background: #f2f2f2; white-space: nowrap; }
article { border: 1px solid #ccc; border-left-width: 6px; padding: .4rem .8rem; margin: .6rem 0; }
article:target { outline: 3px solid #000; } .state { font-weight: 600; } code { overflow-wrap: break-word; }
@media print { a { color: inherit; text-decoration: none; } }
"""


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
