"""Which time a question asks about."""

from __future__ import annotations

import pytest

from tkg.model.time import BEGINNING, Instant, parse_when
from tkg.recall.intent import read_intent


def at(text: str) -> Instant:
    return parse_when(text).start


NOW = at("2026-06-15T12:00:00Z")


@pytest.mark.parametrize(
    "query",
    [
        "where do exception reports go",
        "who holds the code of gate 2",
        "when does Quay 7 open",
        "what is the lamp used to light the pier",
        "are we used to it",
        "which boiler is 1987 mm wide",
        "who may enter in a hurry",
        "label of lamp 4 }) ; MATCH",
        "home village CANARY-2034",
        "order number 4111 1111 1111 1112",
        "what is currently used in March 2026",
        "",
    ],
)
def test_a_question_without_another_time_is_about_now(query: str) -> None:
    intent = read_intent(query, NOW)

    assert (intent.mode, intent.rule) == ("at", "now")


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("who managed Ferncliff in March 2026", "2026-03-01", "2026-04-01"),
        ("who managed Ferncliff in 2024?", "2024-01-01", "2025-01-01"),
        ("who was on call on 3 March 2026", "2026-03-03", "2026-03-04"),
        ("who was on call on March 3rd, 2026", "2026-03-03", "2026-03-04"),
        ("who was on call on 2026-03-31", "2026-03-31", "2026-04-01"),
        ("rota during 2025-12", "2025-12-01", "2026-01-01"),
        ("rota as of Dec 2025", "2025-12-01", "2026-01-01"),
    ],
)
def test_a_date_in_the_question_is_its_range(query: str, start: str, end: str) -> None:
    intent = read_intent(query, NOW)

    assert (intent.mode, intent.rule, intent.start, intent.end) == ("range", "in_date", at(start), at(end))


def test_before_and_since_leave_one_side_open() -> None:
    before, since = read_intent("who led it before 2025", NOW), read_intent("who led it since May 2026", NOW)

    assert (before.start, before.end) == (BEGINNING, at("2025-01-01"))
    assert (since.start, since.end) == (at("2026-05-01"), NOW + 1)


def test_what_was_believed_asks_for_the_other_axis() -> None:
    intent = read_intent("what did we believe about the fee on 2026-03-01?", NOW)

    assert (intent.mode, intent.rule) == ("at", "believed_on")
    assert intent.belief_at == at("2026-03-02") - 1


def test_a_belief_about_the_future_is_the_belief_of_now() -> None:
    assert read_intent("what was known in 2030", NOW).belief_at == NOW


@pytest.mark.parametrize(
    "query", ["where did Ada used to live", "Ada formerly lived in", "when did Ada move", "since when is it shut"]
)
def test_the_past_and_when_ask_for_every_time(query: str) -> None:
    assert read_intent(query, NOW).mode == "ever"


@pytest.mark.parametrize("query", ["on 31 February 2026", "in 2026-13", "on 2026-02-30", "on 0 May 2026"])
def test_a_day_no_calendar_has_is_no_time(query: str) -> None:
    assert read_intent(query, NOW).rule in ("now", "in_date")
