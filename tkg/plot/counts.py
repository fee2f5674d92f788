"""Pictures that count: the gate's funnel, exposure over time, and a blast radius before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from tkg.gate.accounts import Stage
from tkg.memory.answers import Effect
from tkg.memory.findings import Blast
from tkg.plot.looks import MARKS, look, moment
from tkg.plot.save import drawing, figure, shown, title, wrapped
from tkg.plot.times import dates

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: how candidates stop at a stage -> fill and hatching
_STOPPED: Final = (
    ("routed", "#d9d9d9", ".."),
    ("rejected", "#e6b0aa", "xx"),
    ("merged", "#d6e4f0", "\\\\"),
    ("held", "#fad7a0", "//"),
)


def funnel(stages: Sequence[Stage], *, name: str = "What became of the candidates, stage by stage") -> Figure:
    """Return a funnel: how many candidates came to each stage, how many stopped there and how, and how many were left.

    Args:
        stages: as `gate_figures` lists them; those at which nothing stopped are left out.
        name: title of the figure.
    """
    from matplotlib.patches import Patch

    with drawing():
        drawn = [one for one in stages if one.entering != one.leaving]
        made = figure(8.4, 1.9 + 0.5 * max(len(drawn) + 1, 2))
        axes: Any = made.add_subplot()
        title(made, name)
        first = stages[0].entering if stages else 0
        left = stages[-1].leaving if stages else 0
        for place, one in enumerate(drawn):
            _stage(axes, one, len(drawn) - place, first)
        axes.barh([0], [left], color="#3182bd", edgecolor="0.25", height=0.7)
        share = f" ({left / first:.1%})" if first else ""
        axes.annotate(f"{left:,}{share}", (left, 0), xytext=(4, -3), textcoords="offset points", fontweight="bold")
        names = [one.name.replace("_", " ") for one in drawn]
        axes.set_yticks(range(len(drawn), -1, -1), [*names, "accepted"])
        axes.set_xlim(0, max(first, 1) * 1.32)
        axes.set_xlabel("candidates")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", visible=False)
        keys = [Patch(facecolor="#9ecae1", edgecolor="0.25", label="went on")]
        keys += [
            Patch(facecolor=fill, hatch=hatch, edgecolor="0.25", label=how)
            for how, fill, hatch in _STOPPED
            if any(getattr(one, how) for one in drawn)
        ]
        made.legend(handles=keys, loc="outside lower center", ncols=len(keys), frameon=False)
    return made


def _stage(axes: Any, one: Stage, row: int, first: int) -> None:
    axes.barh([row], [one.leaving], color="#9ecae1", edgecolor="0.25", height=0.7)
    begin, said = one.leaving, []
    for how, fill, hatch in _STOPPED:
        count = getattr(one, how)
        if count:
            axes.barh([row], [count], left=begin, color=fill, hatch=hatch, edgecolor="0.25", height=0.7)
            begin += count
            said.append(f"{count:,} {how}")
    text = f"{one.entering:,} came, {', '.join(said)}"
    axes.annotate(text, (begin, row), xytext=(4, -3), textcoords="offset points", fontsize=8)


def exposure(found: Blast, *, name: str | None = None, most: int = 30) -> Figure:
    """Return reads over time: each session a row, each read a mark, and below how many reads there were in all.

    Args:
        found: what `handle.blast` answers.
        name: title of the figure (default: from the target).
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
        title(made, shown(name or f"Who was shown {target}", 90))
        times = [at for one in found.reads if (at := moment(one.at)) is not None]
        roots = {one.id for one in found.target}
        for direct, marker, label in (
            (True, "o", "it was shown itself"),
            (False, "^", "only what grew from it was shown"),
        ):
            points = [
                (at, sessions.index(one.session or "(no session)"))
                for one, at in zip(found.reads, times, strict=True)
                if bool(roots & set(one.shown)) is direct and (one.session or "(no session)") in sessions
            ]
            if not points:
                continue
            fill = "#3182bd" if direct else "#ffffff"
            rows.scatter(
                [at for at, _ in points],
                [row for _, row in points],
                marker=marker,
                s=52,
                facecolor=fill,
                edgecolor="#08306b",
                label=label,
                zorder=3,
            )
        rows.set_yticks(range(len(sessions)), [shown(name, 30) for name in sessions])
        rows.set_ylim(-0.7, max(len(sessions) - 0.3, 0.7))
        rows.set_ylabel("session")
        if times:
            steps = range(1, len(times) + 1)
            total.step(times, steps, where="post", color="#08306b")
            total.plot(times, steps, "o", color="#08306b", markersize=3)
            room = max((times[-1] - times[0]) * 0.05, timedelta(hours=6))
            total.set_xlim(times[0] - room, times[-1] + room)
            dates(total.xaxis)
        total.set_ylim(0, len(times) + 0.6)
        total.yaxis.get_major_locator().set_params(integer=True)
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
        made = figure(8.6, 1.9 + 0.5 * max(len(drawn), 1))
        axes: Any = made.add_subplot()
        target = found.target[0].label if found.target else "it"
        more = f" ({len(effects) - len(drawn)} more)" if len(effects) > len(drawn) else ""
        title(made, f"If it were revoked: {shown(target, 80)}{more}")
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
            [wrapped(f"{one.kind}: {one.label}", 46) for one in drawn],
            fontsize=8,
        )
        axes.set_ylim(0.3, len(drawn) + 0.7)
        counts = (("fall", plan.falls), ("wait", plan.suspended), ("survive", plan.survives))
        told = ", ".join(f"{len(some)} {word}" for word, some in counts)
        axes.set_xlabel(f"{told}; reads that showed it: {len(found.reads)}, in sessions: {len(found.sessions)}")
        _kinds(made, drawn)
    return made


def _kinds(made: Figure, drawn: Sequence[Effect]) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], marker=MARKS.get(kind, "o"), ls="", color="0.3", markerfacecolor="w", label=kind)
        for kind in dict.fromkeys(one.kind for one in drawn)
    ]
    made.legend(handles=keys, loc="outside lower center", ncols=min(8, len(keys)), frameon=False)


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
