"""New figures in the house's style, and figures as SVG text or files. No window, no global state."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from tkg.errors import Unsupported
from tkg.text import safe_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: how every figure is drawn; texts stay texts, so that they can be read aloud, searched and shown in any script
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "tkg",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "hatch.linewidth": 0.6,
    "text.parse_math": False,
}


@contextmanager
def drawing() -> Iterator[None]:
    """Draw in the house's style; a font that lacks a letter is no reason to complain.

    Raises:
        Unsupported: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError:
        raise Unsupported("pictures need matplotlib: pip install 'tkg[plot]'") from None
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font")
        yield


@cache
def _picture() -> type[Figure]:
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure that a notebook shows by itself, without a backend and without global state."""

        def _repr_png_(self) -> bytes:
            return png(self)

    return Picture


def figure(width: float, height: float) -> Figure:
    """Return an empty figure, sizes in inches; a notebook shows it as PNG."""
    return _picture()(figsize=(width, height), layout="constrained")


def title(figure: Figure, text: str) -> None:
    """Set the title over the whole figure, from its left edge."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=11, fontweight="bold")


def wrapped(text: object, width: int = 40, lines: int = 2) -> str:
    """Return a text as a few short lines, safe to show; what is too long ends in “…”."""
    return "\n".join(wrap(shown(text, 1000), width, max_lines=lines, placeholder="…"))


def shown(text: object, limit: int = 60) -> str:
    """Return a text on one line, safe to show and not too long."""
    line = safe_text(text, one_line=True)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def svg(figure: Figure) -> str:
    """Return a figure as an `<svg>` element: no prolog, no metadata, the same bytes for the same figure."""
    with drawing():
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)


def png(figure: Figure, *, dpi: int = 110) -> bytes:
    """Return a figure as PNG without metadata: the same bytes for the same figure and the same libraries."""
    with drawing():
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file; its suffix names the form (svg, png, pdf)."""
    path = Path(path)
    if path.suffix == ".svg":
        path.write_text(svg(figure), encoding="utf-8")
        return
    with drawing():
        figure.savefig(path)
