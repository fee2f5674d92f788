"""A lineage as a picture: from sources on the left, over the id asked about, to what grew from it on the right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tkg.memory.answers import Lineage, Node
from tkg.plot.looks import look
from tkg.plot.save import drawing, figure, shown, title, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: half the width and height of a box, in columns and rows
_WIDE, _HIGH = 0.38, 0.36


def edges_of(found: Lineage) -> list[tuple[str, str]]:
    """Return (what it rests on, what rests on it) for every edge between nodes of a lineage."""
    known = {one.id for one in (found.root, *found.up, *found.down)}
    edges: dict[tuple[str, str], None] = {}
    for one in found.up:
        edges.update(((one.id, parent), None) for parent in one.parents if parent in known)
    for one in found.down:
        edges.update(((parent, one.id), None) for parent in one.parents if parent in known)
    return list(edges)


def layout(found: Lineage, most: int) -> dict[str, tuple[float, float]]:
    """Return the place of each node that is drawn: its column by distance, its row near those it is tied to."""
    columns: dict[int, list[str]] = {0: [found.root.id]}
    for side, nodes in ((-1, found.up), (1, found.down)):
        for one in sorted(nodes, key=lambda one: one.depth)[: most // 2]:
            columns.setdefault(side * one.depth, []).append(one.id)
    tied: dict[str, list[str]] = {}
    for start, end in edges_of(found):
        tied.setdefault(start, []).append(end)
        tied.setdefault(end, []).append(start)
    places: dict[str, tuple[float, float]] = {}
    for column in sorted(columns, key=abs):
        members = columns[column]

        def near(one: str) -> tuple[float, str]:
            rows = [places[other][1] for other in tied.get(one, ()) if other in places]
            return (-sum(rows) / len(rows) if rows else 0.0), one

        members.sort(key=near)
        for place, member in enumerate(members):
            places[member] = (float(column), (len(members) - 1) / 2 - place)
    return places


def lineage(found: Lineage, *, most: int = 80, links: bool = False) -> Figure:
    """Return the picture of a lineage; states by hatching, line and word as well as by colour.

    Args:
        found: what `handle.lineage` answers.
        most: nodes drawn, the nearest first; the title says how many are left out.
        links: let each box lead to `#n-ID` in the page it stands in.
    """
    with drawing():
        places = layout(found, most)
        nodes = {one.id: one for one in (found.root, *found.up, *found.down)}
        wide = max(x for x, _ in places.values()) - min(x for x, _ in places.values()) + 1
        high = max(y for _, y in places.values()) - min(y for _, y in places.values()) + 1
        made = figure(max(2.5 * wide, 6), max(0.85 * high, 1.6) + 1.1)
        axes: Any = made.add_subplot()
        left_out = len(nodes) - len(places)
        more = f" ({left_out} farther ones are left out)" if left_out else ""
        title(made, f"Lineage of {shown(found.root.label, 80)}{more}")
        axes.set_axis_off()
        axes.set_xlim(min(x for x, _ in places.values()) - 0.5, max(x for x, _ in places.values()) + 0.5)
        axes.set_ylim(min(y for _, y in places.values()) - 0.6, max(y for _, y in places.values()) + 0.6)
        for start, end in edges_of(found):
            if start in places and end in places:
                _edge(axes, places[start], places[end])
        for one, place in places.items():
            _box(axes, nodes[one], place, root=one == found.root.id, links=links)
        _legend(made, nodes.values())
    return made


def _edge(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    forward = end[0] > start[0]
    begin = (start[0] + (_WIDE if forward else 0), start[1] + (0 if forward else _HIGH))
    stop = (end[0] - (_WIDE if forward else 0), end[1] - (0 if forward else _HIGH))
    axes.annotate("", xy=stop, xytext=begin, arrowprops={"arrowstyle": "-|>", "color": "0.45", "lw": 0.9})


def _box(axes: Any, one: Node, place: tuple[float, float], *, root: bool, links: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    style, (x, y) = look(one.state), place
    patch = FancyBboxPatch(
        (x - _WIDE, y - _HIGH),
        2 * _WIDE,
        2 * _HIGH,
        boxstyle="square,pad=0" if one.kind == "source" else "round,pad=0,rounding_size=0.08",
        facecolor=style.fill,
        edgecolor=style.edge,
        hatch=style.hatch,
        linestyle=style.line,
        linewidth=2.6 if root else 1.2,
        zorder=2,
    )
    text = "\n".join([f"{one.kind} {style.sign} {one.state}", wrapped(one.label, 29, 3)])
    label = axes.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=7.5,
        zorder=3,
        bbox={"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 1.0} if style.hatch else None,
    )
    if links:
        patch.set_url(f"#n-{one.id}")
        label.set_url(f"#n-{one.id}")
        patch.set_gid(f"g-{one.id}")
    axes.add_patch(patch)


def _legend(made: Figure, nodes: Iterable[Node]) -> None:
    from matplotlib.patches import Patch

    states = dict.fromkeys(one.state for one in nodes)
    keys = [
        Patch(
            facecolor=look(state).fill,
            edgecolor=look(state).edge,
            hatch=look(state).hatch,
            ls=look(state).line,
            label=f"{look(state).sign} {state}",
        )
        for state in states
    ]
    made.legend(handles=keys, loc="outside lower center", ncols=min(6, len(keys)), frameon=False)
