"""Pictures that count: the gate's funnel, exposure over time, and a blast radius before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tkg.memory.answers import Effect, Node
from tkg.memory.findings import Blast
from tkg.plot.looks import MARKS, look, moment
from tkg.plot.save import drawing, figure, shown
from tkg.plot.times import dates

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def funnel(stages: Mapping[str, int], *, title: str = "What the gate let through") -> Figure:
    """Return a funnel: how many candidates were left after each stage.

    Args:
        stages: stage -> candidates left, in order.
        title: of the figure.
    """
    with drawing():
        made = figure(7.5, 1.2 + 0.38 * max(len(stages), 1))
        axes: Any = made.add_subplot()
        axes.set_title(shown(title))
        names, counts = list(stages), list(stages.values())
        first = max(counts, default=0)
        places = range(len(names), 0, -1)
        axes.barh(places, counts, color="#9ecae1", edgecolor="0.25", height=0.7)
        for place, count in zip(places, counts, strict=True):
            share = f" ({count / first:.0%})" if first else ""
            axes.annotate(f"{count:,}{share}", (count, place), xytext=(4, -3), textcoords="offset points")
        axes.set_yticks(list(places), [shown(name, 34) for name in names])
        axes.set_xlim(0, max(first, 1) * 1.18)
        axes.set_xlabel("candidates left")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(axis="y", visible=False)
    return made


def exposure(found: Blast, *, title: str | None = None, most: int = 30) -> Figure:
    """Return reads over time: each session a row, each read a mark, and below how many reads there were in all.

    Args:
        found: what `handle.blast` answers.
        title: of the figure (default: from the target).
        most: sessions drawn, those with the most reads first.
    """
    with drawing():
        count = Counter(one.session or "(no session)" for one in found.reads)
        sessions = [name for name, _ in count.most_common(most)][::-1]
        made = figure(8, 3.2 + 0.3 * len(sessions))
        rows: Any
        total: Any
        rows, total = made.subplots(2, 1, sharex=True, height_ratios=(1 + len(sessions), 3))
        target = found.target[0].label if found.target else "it"
        rows.set_title(shown(title or f"Who was shown {target}", 72))
        times = [moment(one.at) for one in found.reads]
        roots = {one.id for one in found.target}
        for direct, marker, name in ((True, "o", "it itself"), (False, "^", "only what grew from it")):
            points = [
                (at, sessions.index(one.session or "(no session)"))
                for one, at in zip(found.reads, times, strict=True)
                if bool(roots & set(one.shown)) is direct and (one.session or "(no session)") in sessions
            ]
            fill = "#3182bd" if direct else "#ffffff"
            rows.scatter(
                [at for at, _ in points],
                [row for _, row in points],
                marker=marker,
                s=52,
                facecolor=fill,
                edgecolor="#08306b",
                label=name,
                zorder=3,
            )
        rows.set_yticks(range(len(sessions)), [shown(name, 30) for name in sessions])
        rows.set_ylim(-0.7, max(len(sessions) - 0.3, 0.7))
        rows.set_ylabel("session")
        if times:
            steps = range(1, len(times) + 1)
            total.step(times, steps, where="post", color="#08306b")
            total.plot(times, steps, "o", color="#08306b", markersize=3)
            dates(total.xaxis)
        total.set_ylim(0, len(times) * 1.15 + 1)
        total.set_ylabel("reads so far")
        total.set_xlabel("when it was shown (UTC)")
        if times:
            made.legend(*rows.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
        else:
            rows.text(0.5, 0.5, "nobody was shown it", ha="center", transform=rows.transAxes)
    return made


def blast(found: Blast, *, most: int = 40) -> Figure:
    """Return a blast radius before and after: each thing the target reaches, its state now, and its state then.

    Args:
        found: what `handle.blast` answers.
        most: things drawn.
    """
    plan = found.plan
    effects = [*plan.falls, *plan.suspended, *plan.survives, *plan.returns, *plan.resurfaces]
    drawn = effects[:most]
    with drawing():
        made = figure(8, 1.9 + 0.42 * max(len(drawn), 1))
        axes: Any = made.add_subplot()
        target = found.target[0].label if found.target else "it"
        more = f" ({len(effects) - len(drawn)} more)" if len(effects) > len(drawn) else ""
        axes.set_title(f"If it were revoked: {shown(target, 44)}{more}", x=-0.4)
        axes.set_xlim(-0.25, 1.6)
        axes.set_xticks([0, 1], ["now", "after"])
        axes.grid(visible=False)
        if not drawn:
            axes.text(0.5, 0.5, "nothing more would change", ha="center", transform=axes.transAxes)
            axes.set_yticks([])
            return made
        for place, one in enumerate(drawn):
            _effect(axes, one, len(drawn) - place)
        axes.set_yticks(
            [len(drawn) - place for place in range(len(drawn))],
            [f"{one.kind}: {shown(one.label, 40)}" for one in drawn],
        )
        axes.set_ylim(0.3, len(drawn) + 0.7)
        counts = (("fall", plan.falls), ("wait", plan.suspended), ("survive", plan.survives))
        told = ", ".join(f"{len(some)} {word}" for word, some in counts)
        axes.set_xlabel(f"{told}; shown in {len(found.reads)} reads, {len(found.sessions)} sessions")
    return made


def _effect(axes: Any, one: Effect, row: int) -> None:
    words = {"supported": "active"}
    before, after = words.get(one.before, one.before), words.get(one.after, one.after)
    axes.plot([0, 1], [row, row], color="0.6", lw=1, ls="solid" if before != after else "dotted", zorder=1)
    for x, state in ((0, before), (1, after)):
        style = look(state)
        axes.plot(
            [x],
            [row],
            marker=MARKS.get(one.kind, "o"),
            markersize=11,
            markerfacecolor=style.fill,
            markeredgecolor=style.edge,
            markeredgewidth=1.5,
            zorder=3,
        )
        kept = f", kept by {len(one.kept_by)}" if one.kept_by and x else ""
        code = f", {one.code}" if one.code and x else ""
        axes.annotate(
            f"{style.sign} {state}{code}{kept}", (x, row), xytext=(6, 8), textcoords="offset points", fontsize=8
        )


def states(nodes: Sequence[Node]) -> dict[str, int]:
    """Return how many nodes are in each state, the most frequent first."""
    return dict(Counter(one.state for one in nodes).most_common())
