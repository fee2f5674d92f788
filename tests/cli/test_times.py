"""Every option that takes a time reads what people type, in one way, and names itself and the words it cannot read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import typer

from tests.cli.conftest import PERSON, WHO, Acme
from tkg.cli import times
from tkg.cli.main import build
from tkg.clock import ManualClock

#: a Monday
NOW = datetime(2026, 11, 30, 18, 30, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(times, "SystemClock", lambda: ManualClock(NOW))


#: what is typed: read as what a question is about; as what was known
TYPED: dict[str, tuple[str, str]] = {
    "today": ("2026-11-30T18:30:00+00:00", "2026-11-30"),
    "now": ("2026-11-30T18:30:00+00:00", "2026-11-30T18:30:00+00:00"),
    "3 hours ago": ("2026-11-30T15:30:00+00:00", "2026-11-30T15:30:00+00:00"),
    "a minute ago": ("2026-11-30T18:29:00+00:00", "2026-11-30T18:29:00+00:00"),
    "yesterday": ("2026-11-29", "2026-11-29"),
    "2 days ago": ("2026-11-28", "2026-11-28"),
    "two days ago": ("2026-11-28", "2026-11-28"),
    "last Friday": ("2026-11-27", "2026-11-27"),
    "on Friday": ("2026-12-04", "2026-11-27"),
    "Friday": ("2026-12-04", "2026-11-27"),
    "3 Mar": ("2027-03-03", "2026-03-03"),
    "last week": ("2026-11-23", "2026-11-29"),
    "this week": ("2026-11-30", "2026-11-30"),
    "Q1 2026": ("2026-01-01", "2026-03-31"),
    "last month": ("2026-10", "2026-10"),
    "March 2026": ("2026-03", "2026-03"),
    "2026-03": ("2026-03", "2026-03"),
    "2026": ("2026", "2026"),
    "in 2024": ("2024", "2024"),
    "Easter 2026": ("2026-04-05", "2026-04-05"),
    "3 March 2026": ("2026-03-03", "2026-03-03"),
    "March 3, 2026": ("2026-03-03", "2026-03-03"),
    "2026-3-3": ("2026-03-03", "2026-03-03"),
    "2026-03-03T10:00Z": ("2026-03-03T10:00Z", "2026-03-03T10:00Z"),
    "2026-03-03 10:00:00+02:00": ("2026-03-03 10:00:00+02:00", "2026-03-03 10:00:00+02:00"),
}
NONSENSE = (
    "banana", "32 March 2026", "30 February 2026", "2026-13", "2026-02-30", "day 9", "03/04/2026", "2 days", "20260303", "", " ",
    "-1", "1767225600", "the other day", "2026-03-03T10:00", "2026-03-03 10:00", "999999 hours", "x" * 500,
)  # fmt: skip


@pytest.mark.parametrize("text", TYPED)
def test_what_people_type_is_read(clock: None, text: str) -> None:
    asked, known = TYPED[text]
    assert (times.spoken_time(text), times.known_time(text)) == (asked, known)


def test_begins_and_ends_of_periods(clock: None) -> None:
    assert times.spoken_time(None) is times.known_time(None) is None and times.known_time("tx:3") == "tx:3"
    assert (times.spoken_start("today"), times.spoken_start("next week")) == ("2026-11-30", "2026-12-07")
    assert (times.spoken_end("next week"), times.spoken_end(".."), times.spoken_end("")) == ("2026-12-13", "..", "")
    assert (times.spoken_start(".."), times.spoken_start("")) == ("..", "")
    assert (times.past_start("last week"), times.past_end("last week")) == ("2026-11-23", "2026-11-29")
    assert (times.past_start("Friday"), times.past_end("Friday")) == ("2026-11-27", "2026-11-27")


@pytest.mark.parametrize("text", ["tomorrow", "in 2 days", "next month"])
def test_what_is_known_is_never_the_future(clock: None, text: str) -> None:
    assert times.spoken_time(text) is not None
    with pytest.raises(typer.BadParameter, match=f"'{text}' is 2026-12-0"):
        times.known_time(text)


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_refused_by_name(clock: None, text: str) -> None:
    for read in (times.spoken_time, times.known_time, times.spoken_start, times.past_start, times.past_end):
        with pytest.raises(typer.BadParameter) as refused:
            read(text or " ")
        assert f"'{text[:40]}" in str(refused.value) and len(str(refused.value)) < 250


def options() -> list[tuple[str, str]]:
    """Return every option of every command that takes a time."""
    app: Any = build()
    return [
        (name, parameter.opts[0])
        for name, command in app.commands.items()
        for parameter in command.params
        if str(parameter.metavar).startswith("TIME")
    ]


#: what the commands need besides, so that the time is all that is wrong
NEEDED: dict[str, tuple[str, ...]] = {
    "propose": (*WHO, "--subject", "a", "--predicate", "p", "--object", "v"),
    "remember": (*WHO, "Deploys need two approvals."),
    "ingest": (*WHO, "README.md"),
    "value": ("a", "p"),
    "recall": ("what?",),
    "timeline": ("a", "p"),
    "contradictions": (),
    "predicates": (),
    "lineage": ("clm_1", "--why"),
    "diff": (),
    "contain": ("clm_1", *PERSON, "--reason", "r", "--correct", "x"),
    "metrics": (),
    "consolidate": (),
}


@pytest.mark.parametrize(("command", "option"), options())
def test_every_option_refuses_in_the_same_words(acme: Acme, command: str, option: str) -> None:
    before = acme.bytes()
    for text, why in (("banana", "cannot be read"), ("2026-03-03T10:00", "no zone")):
        result = acme(command, *NEEDED[command], f"{option}={text}")
        assert (result.code, result.out) == (2, ""), result
        assert f"'{option}'" in result.err and f"'{text}'" in result.err and why in result.err, result.err
        assert f"`tkg {command} --help`" in result.err and result.err.count("\n") == 1
    assert acme.bytes() == before


def test_words_reach_the_store(acme: Acme, mailbox: dict[str, str]) -> None:
    asked = ("value", "exception reports", "destination", "--json")
    for text in ("today", "now", "tomorrow"):
        assert acme(*asked, "--valid-at", text).json["kind"] == "value", text
    for text in ("today", "this week"):
        assert acme(*asked, "--as-of", text).json["kind"] == "value", text
    assert acme(*asked, "--valid-at", "ten years ago").json["kind"] == "none"
    assert acme(*asked, "--as-of", "last year").json["kind"] == "none"
    assert acme("diff", "--as-of", "yesterday", "--json").code == 1
    made = acme.claim("desk", "stands", "hall", "--valid-from", "last week", "--valid-to", "yesterday",
                      "--observed-at", "2 days ago", "--uri", "n")  # fmt: skip
    assert made.code == 0, made
    shown = acme("show", made.json["claim_id"], "--json").json
    assert None not in (shown["valid_from"], shown["valid_to"])
    assert acme("value", "desk", "stands", "--valid-at", "3 days ago", "--json").json["kind"] == "value"
    assert acme("value", "desk", "stands", "--json").json["kind"] == "none"


def test_an_edited_field_may_be_words(acme: Acme) -> None:
    held = acme.claim("desk", "owner", "Ben", "--uri", "w", who=("--channel", "external", "--principal", "web"))
    decide = ("decide", *PERSON, held.json["claim_id"], "edit", "--reason", "asked", "--set")
    refused = acme(*decide, "valid_from=banana")
    assert refused.code == 2 and "'banana'" in refused.err
    assert acme(*decide, "valid_from=2 days ago").code == 0
    assert acme("value", "desk", "owner", "--valid-at", "yesterday", "--json").json["values"] == ["Ben"]
    assert acme("value", "desk", "owner", "--valid-at", "4 days ago", "--json").json["kind"] == "none"
