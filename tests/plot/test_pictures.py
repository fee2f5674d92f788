"""What each picture tells: title, axes with units, dates, a legend, and the same without colour."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.demo import play
from tkg.demo.story import PREDICATE, SUBJECT
from tkg.gate.accounts import Mistakes, Stage
from tkg.memory.handle import Handle

pytest.importorskip("matplotlib")

from tkg import plot
from tkg.plot.looks import STATES, VALUES


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Handle, dict[str, Any]]]:
    place = tmp_path_factory.mktemp("demo") / "store"
    facts = play(place, engine="memory")
    with tkg.open(place, engine="memory", read_only=True) as memory:
        yield memory.scope("harbour"), facts


@pytest.fixture(scope="module")
def pictures(story: tuple[Handle, dict[str, Any]]) -> dict[str, Any]:
    handle, facts = story
    return {
        "timeline": plot.timeline(SUBJECT, PREDICATE, handle.history(SUBJECT, PREDICATE)),
        "chain": plot.poison_chain(*(handle.poison_chain(facts[one]) for one in ("action", "skill", "summary"))),
        "lineage": plot.lineage(handle.lineage(facts["poison"])),
        "exposure": plot.exposure(handle.blast(facts["poison"])),
        "blast": plot.blast(handle.blast(facts["correction"])),
        "funnel": plot.funnel(handle.gate_figures().funnel),
    }


def words(figure: Any) -> str:
    """Everything a figure says, once it is laid out."""
    from matplotlib.text import Text

    plot.png(figure)
    return " | ".join(one.get_text().replace("\n", " ") for one in figure.findobj(Text) if one.get_text())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("timeline", ["valid time", "known", "(UTC)", "17 Aug 2025", "1 Sep 2025", "regional settlement mailbox", "case-management queue"]),
        ("chain", ["Where it came from", "day (UTC)", "1 Sep 2025", "17 Sep 2025", "first shown", "quarantined", "✗ revoked, agent_inferred"]),
        ("lineage", ["Lineage of", "source ✓ active", "claim ✗ revoked", "✗ revoked"]),
        ("exposure", ["Who was shown", "session", "reads so far", "when it was shown (UTC)", "desk-4", "desk-9", "it was shown itself"]),
        ("blast", ["If it were revoked", "now", "after", "1 fall", "✓ active", "✗ revoked", "summary"]),
        ("funnel", ["candidates", "37 came, 11 routed", "25 came, 10 merged", "accepted", "15 (40.5%)", "went on", "merged"]),
    ],
)  # fmt: skip
def test_each_picture_tells_what_it_shows(pictures: dict[str, Any], name: str, told: list[str]) -> None:
    said = words(pictures[name])
    assert [one for one in told if one not in said] == [], said


def test_what_mistakes_cost_and_how_questions_came_out() -> None:
    usual, strict = (
        Mistakes(false_accepts=8, false_rejects=110, reviews=41),
        Mistakes(false_accepts=3, false_rejects=260, reviews=18),
    )
    figure = plot.losses({"usual": usual, "strict": strict}, tkg.WritePolicy().loss)
    said = words(figure)
    assert [
        one
        for one in ("280.25", "324.50", "weight of one false acceptance", "loss", "usual", "strict")
        if one not in said
    ] == []
    lines = [one for one in figure.axes[0].lines if len(one.get_xdata()) > 2]
    assert [round(float(one.get_ydata()[0]), 2) for one in lines] == [120.25, 264.5]
    assert len({one.get_linestyle() for one in lines}) == 2
    bars = plot.outcomes(
        {"off": {"right": 0, "wrong": 0}, "on": {"right": 7, "wrong": 3}}, unit="questions", name="Both"
    )
    said = words(bars)
    assert [one for one in ("Both", "questions", "off", "on", "right", "wrong", "7", "3") if one not in said] == []
    assert sum(one.get_width() for one in bars.axes[0].patches) == 10


def test_a_chain_of_several_has_the_edges_of_each(story: tuple[Handle, dict[str, Any]]) -> None:
    handle, facts = story
    one = handle.poison_chain(facts["action"])
    alone, both = plot.poison_chain(one), plot.poison_chain(one, handle.poison_chain(facts["skill"]))

    def arrows(figure: Any) -> int:
        return sum(getattr(each, "arrow_patch", None) is not None for each in figure.axes[0].texts)

    assert 0 < arrows(alone) < arrows(both)
    rows = [one.get_text().replace("\n", " ") for one in both.axes[0].get_yticklabels()]
    assert sum(one.startswith("claim: exception reports · destination") for one in rows) == 1
    assert sum(one.startswith(("skill:", "action:")) for one in rows) == 2


def test_looks_differ_without_colour() -> None:
    told = {state: (look.sign, state) for state, look in STATES.items()}
    assert len(set(told.values())) == len(STATES)
    ours = [STATES[one] for one in ("active", "stale", "quarantined", "superseded", "revoked")]
    assert len({(one.line, one.hatch) for one in ours}) == len(ours)
    assert len({hatch for _, hatch in VALUES}) == len(VALUES)


def test_the_same_figure_gives_the_same_bytes(story: tuple[Handle, dict[str, Any]], tmp_path: Path) -> None:
    handle, _ = story
    history = handle.history(SUBJECT, PREDICATE)
    first, second, third, fourth = (plot.timeline(SUBJECT, PREDICATE, history) for _ in range(4))
    shown: Any = first
    assert shown._repr_png_() == plot.png(second) and plot.png(first).startswith(b"\x89PNG")
    assert plot.svg(third) == plot.svg(fourth)
    assert plot.png(first) != plot.png(plot.timeline(SUBJECT, PREDICATE, history[:1]))
    plot.save(first, tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_empty_says_so(story: tuple[Handle, dict[str, Any]]) -> None:
    handle, facts = story
    assert "nothing is known" in words(plot.timeline("a", "b", []))
    unseen = handle.blast(facts["poison"]).model_copy(update={"reads": ()})
    assert "nobody was shown it" in words(plot.exposure(unseen))
    assert "nothing more would change" in words(plot.blast(handle.blast(facts["poison"])))
    assert "0" in words(plot.funnel([Stage(name="routed", entering=0)]))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [("2025-09-01", "2025-09-01T12:00Z", "2 Sep 2025"), ("2025-09-01", "2025-10-20", "Oct 2025"), ("2019", "2026", "Jan 2")],
)  # fmt: skip
def test_dates_are_whole_and_named_once_at_every_span(first: str, second: str, said: str) -> None:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    with tkg.open(None, engine="memory", clock=clock) as memory:
        who = memory.scope("acme", channel="human_stated", principal="ana")
        for since, value in ((first, "a"), (second, "b")):
            who.propose(subject="x", predicate="is", object=value, valid_from=since, evidence=tkg.Evidence(uri="u"))
        figure = plot.timeline("x", "is", who.history("x", "is"))
    assert said in words(figure)
    for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
        named = [one.get_text() for one in axis.get_ticklabels()]
        assert len(named) == len(set(named)) >= 3
