"""Pictures with time on their axes: a slot on both axes, and a poison chain along days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tkg.memory.findings import Believed, Link, PoisonChain
from tkg.plot.looks import MARKS, look, moment, values_of
from tkg.plot.save import drawing, figure, shown, title, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DAY = timedelta(days=1)
#: between what an axis can show
_FIRST, _LAST = (datetime(year, 1, 1, tzinfo=UTC) for year in (1, 9999))


def _span(moments: Sequence[datetime | None]) -> tuple[datetime, datetime]:
    known = [one for one in moments if one is not None]
    low, high = min(known), max(known)
    room = max((high - low) * 0.06, _DAY)
    # what is open runs on to the upper edge
    return low - min(room, low - _FIRST), high + min(3 * room, _LAST - high)


def dates(axis: Any, *, lines: int = 2) -> None:
    """Let an axis show whole dates, as many as there is room for: no reader has to find the month elsewhere.

    Args:
        axis: of a figure, its limits set.
        lines: 2 sets the year below the day, 1 beside it.
    """
    from matplotlib import dates as library

    made: Any = library
    low, high = axis.get_view_interval()
    days = abs(high - low)
    if days < 2:
        form = "%H:%M%n%-d %b %Y"
    elif days < 700:
        form = "%-d %b%n%Y"
    else:
        form = "%b%n%Y"
    form = form.replace("%n", "\n" if lines == 2 else " ")
    few = 2 <= days < 9  # a locator of its own choice would name one day twice
    axis.set_major_locator(made.DayLocator() if few else made.AutoDateLocator(minticks=3, maxticks=8))
    axis.set_major_formatter(made.DateFormatter(form, tz=UTC))


def timeline(subject: str, predicate: str, history: Sequence[Believed]) -> Figure:
    """Return the two axes of a slot: what was believed (upwards) of which time (to the right).

    Each area is one answer, from when it was known and for the time it speaks of; areas that reach the upper or right edge
    are open.
    """
    from matplotlib import dates as library
    from matplotlib.patches import Patch, Rectangle

    date2num: Any = library.date2num
    with drawing():
        made = figure(8, 4.6)
        axes: Any = made.add_subplot()
        title(made, f"{shown(subject)} · {shown(predicate)}: what was believed when")
        axes.set_xlabel("valid time: when it holds in the world (UTC); open where an area reaches the edge")
        axes.set_ylabel("known: when the store believed it (UTC)")
        if not history:
            axes.text(0.5, 0.5, "nothing is known", ha="center", transform=axes.transAxes)
            return made
        valid = _span([moment(t) for one in history for t in (one.valid_from, one.valid_to)])
        known = _span([moment(t) for one in history for t in (one.known_from, one.known_to)])
        looks = values_of(one.answer.said for one in history)
        for one in history:
            left, right = (moment(t) or edge for t, edge in ((one.valid_from, valid[0]), (one.valid_to, valid[1])))
            low, high = (moment(t) or edge for t, edge in ((one.known_from, known[0]), (one.known_to, known[1])))
            fill, hatch = looks[one.answer.said]
            width, height = date2num(right) - date2num(left), date2num(high) - date2num(low)
            corner = (date2num(left), date2num(low))
            axes.add_patch(Rectangle(corner, width, height, facecolor=fill, hatch=hatch, edgecolor="0.25", lw=0.8))
            room = width / (date2num(valid[1]) - date2num(valid[0])), height / (date2num(known[1]) - date2num(known[0]))
            if room[0] > 0.12 and room[1] > 0.07:
                _name(axes, corner[0] + width / 2, corner[1] + height / 2, one.answer.said, int(75 * room[0]))
        axes.set_xlim(valid[0], valid[1])
        axes.set_ylim(known[0], known[1])
        dates(axes.xaxis)
        dates(axes.yaxis, lines=1)
        keys = [Patch(facecolor=f, hatch=h, edgecolor="0.25", label=shown(word)) for word, (f, h) in looks.items()]
        made.legend(handles=keys, loc="outside lower center", ncols=min(3, len(keys)), frameon=False)
    return made


def _name(axes: Any, x: float, y: float, text: str, width: int) -> None:
    """Write what an area says into it, readable on any hatching."""
    axes.text(
        x,
        y,
        wrapped(text, max(width, 11), 3),
        ha="center",
        va="center",
        fontsize=8,
        bbox={"facecolor": "white", "alpha": 0.85, "lw": 0, "pad": 1.5},
        clip_on=True,
    )


#: decisions drawn on the line of a link: what -> (marker, colour, word, how far above the line)
_DECIDED: Any = {
    "status: quarantined": ("s", "#a04000", "quarantined", 0.26),
    "support: suspended": ("d", "#a04000", "suspended", 0.26),
    "status: revoked": ("X", "#78281f", "revoked", 0.0),
    "support: unsupported": ("X", "#78281f", "revoked", 0.0),
    "rejected": ("X", "#78281f", "rejected", 0.0),
}


def poison_chain(*found: PoisonChain, most: int = 40) -> Figure:
    """Return a poison chain along days: each link when it was written, first shown and decided about.

    The state now stands in words beside each link; shapes tell kinds and decisions, so that grey print tells the same.

    Args:
        found: the chain; of several, what they have in common is drawn once.
        most: links drawn; what is farther is left out, and the title says so.
    """
    from matplotlib.lines import Line2D

    every = {one.id: one for chain in found for one in (chain.root, *chain.links)}
    links = sorted(every.values(), key=lambda one: (one.written.seq, -one.depth))
    drawn = links[:most]
    with drawing():
        made = figure(9.6, 1.9 + 0.5 * len(drawn))
        axes: Any = made.add_subplot()
        more = f" ({len(links) - len(drawn)} more)" if len(links) > len(drawn) else ""
        title(made, f"Where it came from: {shown(found[0].root.label, 70)}{more}")
        rows = {one.id: len(drawn) - place for place, one in enumerate(drawn)}
        times = {one.id: moment(one.written.at) for one in drawn}
        edges = {(one.id, head) for chain in found for one in chain.links for head in one.parents}
        _arrows(axes, sorted(edges), rows, times)
        words = {word: mark for one in drawn for word, mark in _life(axes, one, rows[one.id], times[one.id]).items()}
        for one in drawn:
            _link(axes, one, rows[one.id], times[one.id])
        axes.set_yticks(list(rows.values()), [wrapped(f"{one.kind}: {one.label}") for one in drawn], fontsize=8)
        axes.set_ylim(0.3, len(drawn) + 0.8)
        ends = [moment(d.at) for one in drawn for d in one.decisions if d.what in _DECIDED]
        shown_at = [moment(one.first_shown.at) for one in drawn if one.first_shown is not None]
        low, high = _span([*times.values(), *shown_at, *ends])
        axes.set_xlim(low, high + (high - low) * 0.12)
        dates(axes.xaxis)
        axes.set_xlabel("day (UTC)")
        axes.grid(axis="y", visible=False)
        keys = [
            Line2D([], [], marker=MARKS.get(kind, "o"), ls="", color="0.3", markerfacecolor="w", label=kind)
            for kind in dict.fromkeys(one.kind for one in drawn)
        ]
        if shown_at:
            keys.append(Line2D([], [], marker="|", ls="", color="0.1", markersize=11, mew=2, label="first shown"))
        keys += [
            Line2D([], [], marker=marker, ls="", color=colour, markersize=6, label=word)
            for word, (marker, colour) in words.items()
        ]
        made.legend(
            handles=keys,
            loc="outside lower center",
            ncols=len(keys) if len(keys) < 9 else -(-len(keys) // 2),
            frameon=False,
        )
    return made


def _arrows(
    axes: Any, edges: Sequence[tuple[str, str]], rows: dict[str, int], times: dict[str, datetime | None]
) -> None:
    for one, head in edges:
        start, end = times.get(one), times.get(head)
        if start is not None and end is not None:
            axes.annotate(
                "",
                xy=(end, rows[head]),
                xytext=(start, rows[one]),
                arrowprops={"arrowstyle": "->", "color": "0.6", "shrinkA": 7, "shrinkB": 7},
            )


def _life(axes: Any, one: Link, row: int, at: datetime | None) -> dict[str, Any]:
    """Draw how long a link has been there, and what was decided about it; return the marks used, by word."""
    decided = [(_DECIDED[d.what], moment(d.at)) for d in one.decisions if d.what in _DECIDED]
    first = None if one.first_shown is None else moment(one.first_shown.at)
    last = max((end for _, end in decided if end is not None), default=None)
    if at is not None and last is not None:
        axes.plot([at, last], [row, row], color="0.75", lw=1, ls="dotted", zorder=1)
    used = {}
    for (marker, colour, word, above), when in decided:
        if when is not None and when != at:
            axes.plot([when], [row + above], marker=marker, markersize=7, color=colour, mec="white", mew=0.5, zorder=4)
            used[word] = (marker, colour)
    if first is not None:
        axes.plot([first], [row], marker="|", markersize=13, mew=2, color="0.1", zorder=2)
    return used


def _link(axes: Any, one: Link, row: int, at: datetime | None) -> None:
    if at is None:
        return
    style = look(one.state)
    axes.plot(
        [at],
        [row],
        marker=MARKS.get(one.kind, "o"),
        markersize=10,
        markerfacecolor=style.fill,
        markeredgecolor=style.edge,
        markeredgewidth=1.5,
        zorder=3,
    )
    axes.annotate(
        f"{style.sign} {one.state}, {one.channel}",
        (at, row),
        xytext=(9, 6),
        textcoords="offset points",
        fontsize=7.5,
        bbox={"facecolor": "white", "alpha": 0.8, "lw": 0, "pad": 0.5},
        zorder=5,
    )
