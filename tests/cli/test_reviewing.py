"""Settling what waits: with single keys in a terminal, and by command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from tests.cli.conftest import PERSON, Acme

WEB = ("--channel", "external", "--principal", "web")


def held(acme: Acme, subject: str, value: str) -> str:
    found = acme.claim(subject, "owner", value, "--uri", "page.html", "--quote", f"{value} owns {subject}.", who=WEB)
    assert found.code == 3
    return str(found.json["claim_id"])


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Answer keys and questions from a script; the streams say that they are a terminal."""

    def script(pressed: str, *answers: str) -> None:
        left: Iterator[str] = iter(pressed)
        said = iter(answers)
        monkeypatch.setattr(typer, "getchar", lambda: next(left))
        monkeypatch.setattr(typer, "prompt", lambda text, default="", **_: next(said, default))
        monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    return script


def test_single_keys_settle_the_queue(acme: Acme, keys: Any) -> None:
    first, second, third, fourth = (held(acme, f"desk {n}", "Ben") for n in range(4))
    keys("xareq", "checked", "spam", "Ada", "a typo")
    done = acme("review", "--ask", *PERSON)
    assert done.code == 0, done
    states = [acme("show", one, "--json").json["state"] for one in (first, second, third, fourth)]
    assert states == ["active", "rejected", "rejected", "held"]
    assert acme("value", "desk 2", "owner", "--json").json["values"] == ["Ada"]
    keys("q")
    assert acme("review", "--ask", *PERSON).code == 0 and len(acme("review", "--json").json["items"]) == 1


def test_what_agents_act_on_takes_the_whole_word(acme: Acme, keys: Any, mailbox: dict[str, str]) -> None:
    skill = acme(
        "derive", "--channel", "agent_inferred", "--principal", "a", "--kind", "skill", "--from", mailbox["claim"], "Do so.",
        "--json",
    ).json["artefact_id"]  # fmt: skip
    keys("as", "yes")
    assert acme("review", "--ask", *PERSON).code == 0
    assert acme("show", skill, "--json").json["state"] == "held"
    keys("a", "accept", "watched it once")
    assert acme("review", "--ask", *PERSON).code == 0
    assert acme("show", skill, "--json").json["state"] == "active"


def test_keys_need_a_terminal_and_a_name(acme: Acme) -> None:
    assert acme("review", "--ask").code == 2
    assert acme("review", "--ask", *PERSON).code == 2


def test_edit_merge_reopen_and_several_at_once_by_command(acme: Acme) -> None:
    one, two, three = (held(acme, f"desk {n}", "Ben") for n in range(3))
    edited = acme("decide", *PERSON, one, "edit", "--set", "object=Ada", "--reason", "a typo", "--json")
    assert edited.code == 0 and edited.json["targets"][0] == one
    assert acme("decide", *PERSON, two, "merge", "--into", edited.json["targets"][1]).code == 0
    assert acme("decide", *PERSON, three, "accept").code == 0
    assert acme("decide", *PERSON, three, "reopen").code == 0
    assert acme("show", three, "--json").json["state"] == "held"
    four = held(acme, "desk 4", "Ben")
    both = acme("decide", *PERSON, three, "reject", "--also", four, "--reason", "spam", "--json")
    assert both.code == 0 and both.json["targets"] == [three, four]
    assert acme("decide", *PERSON, four, "edit", "--set", "nonsense").code == 2
    assert acme("decide", *PERSON, four, "reject", "--also", one, "--into", two).code == 2
