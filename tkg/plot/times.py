"""Pictures with time on their axes: a slot on both axes, and a poison chain along days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from tkg.memory.findings import Believed, Link, PoisonChain
from tkg.plot.looks import MARKS, look, moment, values_of
from tkg.plot.save import drawing, figure, shown

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


def dates(axis: Any) -> None:
    """Let an axis show dates, as many as there is room for."""
    from matplotlib import dates as library

    made: Any = library
    locator = made.AutoDateLocator(minticks=3, maxticks=9)
    axis.set_major_locator(locator)
    axis.set_major_formatter(made.ConciseDateFormatter(locator))


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
        axes.set_title(f"{shown(subject)} · {shown(predicate)}: what was believed when")
        axes.set_xlabel("valid time: when it holds (UTC)")
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
        axes.set_xlim(valid[0], valid[1])
        axes.set_ylim(known[0], known[1])
        dates(axes.xaxis)
        dates(axes.yaxis)
        keys = [Patch(facecolor=f, hatch=h, edgecolor="0.25", label=shown(word)) for word, (f, h) in looks.items()]
        made.legend(handles=keys, loc="outside lower center", ncols=min(3, len(keys)), frameon=False)
    return made


def poison_chain(found: PoisonChain, *, most: int = 40) -> Figure:
    """Return a poison chain along days: each link when it was written and first shown, its state by shape and hatching.

    Args:
        found: the chain.
        most: links drawn; what is farther is left out, and the title says so.
    """
    from matplotlib.lines import Line2D

    links = sorted((found.root, *found.links), key=lambda one: (one.written.seq, -one.depth))
    drawn = links[:most]
    with drawing():
        made = figure(8.6, 1.9 + 0.42 * len(drawn))
        axes: Any = made.add_subplot()
        more = f" ({len(links) - len(drawn)} more)" if len(links) > len(drawn) else ""
        axes.set_title(f"Where it came from: {shown(found.root.label, 44)}{more}", x=-0.35)
        rows = {one.id: len(drawn) - place for place, one in enumerate(drawn)}
        times = {one.id: moment(one.written.at) for one in drawn}
        _arrows(axes, drawn, rows, times)
        for one in drawn:
            _link(axes, one, rows[one.id], times[one.id])
        axes.set_yticks(list(rows.values()), [f"{one.kind}: {shown(one.label, 34)}" for one in drawn])
        axes.set_ylim(0.3, len(drawn) + 0.7)
        shown_at = [moment(one.first_shown.at) for one in drawn if one.first_shown is not None]
        low, high = _span([*times.values(), *shown_at])
        axes.set_xlim(low, high + (high - low) * 0.15)
        dates(axes.xaxis)
        axes.set_xlabel("day (UTC)")
        axes.grid(axis="y", visible=False)
        keys = [
            Line2D([], [], marker=MARKS.get(kind, "o"), ls="", color="0.3", markerfacecolor="w", label=kind)
            for kind in dict.fromkeys(one.kind for one in drawn)
        ]
        keys.append(Line2D([], [], marker="|", ls="", color="0.1", markersize=11, label="first shown"))
        made.legend(handles=keys, loc="outside lower center", ncols=min(5, len(keys)), frameon=False)
    return made


def _arrows(axes: Any, drawn: Sequence[Link], rows: dict[str, int], times: dict[str, datetime | None]) -> None:
    for one in drawn:
        start = times[one.id]
        for head in one.parents:
            end = times.get(head)
            if start is None or end is None:
                continue
            axes.annotate(
                "",
                xy=(end, rows[head]),
                xytext=(start, rows[one.id]),
                arrowprops={"arrowstyle": "->", "color": "0.55", "shrinkA": 7, "shrinkB": 7},
            )


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
    note = f"{style.sign} {one.state}, {one.channel}"
    axes.annotate(note, (at, row), xytext=(9, 5), textcoords="offset points", fontsize=8)
    first = None if one.first_shown is None else moment(one.first_shown.at)
    if first is not None:
        axes.plot([first], [row], marker="|", markersize=13, color="0.1", zorder=2)
