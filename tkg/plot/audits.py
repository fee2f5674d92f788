"""The page of an audit: what is shown most and how it is known, what is weak, and what waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tkg.memory.examining import Audit, Examined, Section
from tkg.plot.page import Html, element, facts, page, picture, table
from tkg.plot.save import drawing, figure, shown, svg
from tkg.text import when

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def most_shown(found: Audit) -> Figure:
    """Return the most shown claims with their reads; hatched where something about one is weak."""
    with drawing():
        many = found.most_shown
        made = figure(8.5, 1.4 + 0.3 * max(len(many), 1))
        axes: Any = made.add_subplot()
        axes.set_title(shown(f"Shown most in {found.scope}, as of {(found.at or '')[:10]}", 72))
        places = list(range(len(many), 0, -1))
        for weak, fill, hatch, name in (
            (False, "#9ecae1", "", "nothing weak"),
            (True, "#fdae6b", "////", "something is weak"),
        ):
            rows = [(place, one.reads) for place, one in zip(places, many, strict=True) if bool(one.weak) is weak]
            if rows:
                axes.barh(
                    [place for place, _ in rows],
                    [reads for _, reads in rows],
                    color=fill,
                    edgecolor="0.25",
                    hatch=hatch,
                    height=0.7,
                    label=name,
                )
        axes.set_yticks(places, [shown(one.says, 46) for one in many])
        axes.set_xlabel("reads that showed it")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", visible=False)
        if many:
            made.legend(loc="outside lower right", ncols=2, frameon=False)
        else:
            axes.text(0.5, 0.5, "nothing was shown yet", ha="center", transform=axes.transAxes)
    return made


def weak_points(found: Audit) -> Figure:
    """Return how many of each kind of weakness there are; hatched where a person has to look."""
    with drawing():
        many = found.sections
        made = figure(8.5, 1.4 + 0.34 * len(many))
        axes: Any = made.add_subplot()
        axes.set_title("What is weak")
        places = list(range(len(many), 0, -1))
        most = max((one.count for one in many), default=0)
        for place, one in zip(places, many, strict=True):
            call = one.person and one.count > 0
            axes.barh(
                place,
                one.count,
                color="#fdae6b" if call else "#c6dbef",
                edgecolor="0.25",
                hatch="////" if call else "",
                height=0.7,
            )
            axes.annotate(
                f"{one.count:,} of {one.of:,}", (one.count, place), xytext=(4, -3), textcoords="offset points"
            )
        axes.set_yticks(places, [shown(one.title, 60) for one in many])
        axes.set_xlim(0, max(most, 1) * 1.3)
        axes.set_xlabel("how many (hatched: for a person to look at)")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="y", visible=False)
    return made


def audit(found: Audit) -> str:
    """Return the whole page of an audit."""
    needs = [element("li", one) for one in found.needs]
    needed = element("ul", *needs) if needs else element("p", "Nothing needs a person.")
    return page(
        f"Audit of {shown(found.scope)}",
        facts(
            [
                ("at", when(found.at)),
                ("transactions", f"{found.transactions:,}"),
                ("claims", f"{found.claims:,}, of which {found.standing:,} stand"),
            ]
        ),
        element("h2", "Needs a person"),
        needed,
        element("h2", "Shown most: how do we know this?"),
        picture(svg(most_shown(found)), "Each bar is a claim; a hatched one has a weak point, told below."),
        *(_examined(number, one) for number, one in enumerate(found.most_shown, 1)),
        element("h2", "What is weak"),
        picture(svg(weak_points(found)), "All are counted; below are the first of each."),
        *(_section(one) for one in found.sections),
        element("h2", "Review queue"),
        facts(
            [
                ("waiting", str(found.queue.length)),
                ("oldest", f"{found.queue.oldest_seconds // 3600} h"),
                ("grown in a week", str(found.queue.grown)),
                ("reviews", str(found.queue.reviews)),
                ("alarm", found.queue.alarm),
            ]
        ),
        element("h2", "Refused decisions, drawn by lot"),
        table(
            ["verdict", "at", "stopped by", "because", "source", "marked"],
            [
                (one.verdict, when(one.at), one.stage, " ".join(one.reasons), one.source, _marked(one.marked))
                for one in found.rejected
            ],
        )
        if found.rejected
        else element("p", "Nothing was refused."),
    )


def _marked(marked: bool | None) -> str:
    return "" if marked is None else "right" if marked else "wrong"


def _examined(number: int, one: Examined) -> Html:
    rows = [
        (
            e.uri,
            " ".join(p for p in (e.version, e.locator) if p),
            e.quote,
            f"{e.principal} ({e.channel})",
            when(e.observed_at),
            e.status,
        )
        for e in one.evidence
    ]
    told = table(["source", "version, place", "quote", "said by", "observed", "state"], rows) if rows else ""
    return element(
        "article",
        element("h3", f"{number}. {one.says} ", element("span", f"[{one.state}]", class_="state")),
        element("p", one.how),
        facts(
            [
                ("id", element("code", one.id)),
                ("reads", str(one.reads)),
                ("weak", element("span", *(element("div", why) for why in one.weak)) if one.weak else None),
                ("marked", _marked(one.marked)),
            ]
        ),
        told,
        style=f"border-left-color: {'#e6550d' if one.weak else '#3182bd'}",
    )


def _section(one: Section) -> Html:
    head = element("h3", f"{one.title}: {one.count:,} of {one.of:,}")
    if not one.items:
        return element("div", head)
    more = one.count - len(one.items)
    rest = element("p", f"and {more:,} more; `tkg audit --most N` lists them") if more else ""
    return element(
        "div", head, table(["what", "why", "id"], [(each.says, each.why, each.id) for each in one.items]), rest
    )
