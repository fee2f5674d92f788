"""Chats as other programs export them become turns with speaker, time and session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.labelled import WRITTEN
from tkg.extractors.formats import Read, read
from tkg.extractors.turns import Problem
from tkg.model.document import Document
from tkg.model.time import iso


def items(path: Path) -> list[Read]:
    return list(read(path, observed_at=WRITTEN))


def turns(path: Path) -> list[tuple[str | None, str | None, str, str | None]]:
    found = items(path)
    assert all(isinstance(one, Document) for one in found), found
    return [(one.role, one.speaker, one.text, one.session) for one in found if isinstance(one, Document)]


def write(tmp_path: Path, data: object) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_list_of_openai_messages(tmp_path: Path) -> None:
    data = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": [{"type": "text", "text": "The cutoff is 17:00."}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
        {"role": "tool", "content": "17:00", "tool_call_id": "c1"},
    ]
    assert turns(write(tmp_path, data)) == [
        ("system", "system", "You are helpful.", None),
        ("user", "user", "The cutoff is 17:00.", None),
        ("tool", "tool", "17:00", None),
    ]


def test_anthropic_blocks_and_the_session_of_the_conversation(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Noted."},
        {"type": "tool_use", "id": "t"},
    ]
    data = {
        "id": "conv-7",
        "messages": [{"role": "user", "content": "I moved."}, {"role": "assistant", "content": blocks}],
    }
    assert turns(write(tmp_path, data)) == [
        ("user", "user", "I moved.", "conv-7"),
        ("assistant", "assistant", "Noted.", "conv-7"),
    ]


def test_langgraph_and_serialised_langchain_messages(tmp_path: Path) -> None:
    data = {
        "thread_id": "t1",
        "messages": [
            {"type": "human", "content": "Hello.", "id": "m1"},
            {"type": "ai", "content": "Hi."},
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "messages", "HumanMessage"],
                "kwargs": {"content": "Bye."},
            },
            {"type": "ai", "data": {"content": "Bye you."}},
        ],
    }
    assert turns(write(tmp_path, data)) == [
        ("user", "user", "Hello.", "t1"),
        ("assistant", "assistant", "Hi.", "t1"),
        ("user", "user", "Bye.", "t1"),
        ("assistant", "assistant", "Bye you.", "t1"),
    ]


def test_slack_exports_name_people_and_bots(tmp_path: Path) -> None:
    data = [
        {"type": "message", "user": "U1", "text": "Deploys are frozen.", "ts": "1772400000.000100", "user_profile": {"real_name": "Ana Ruiz"}},
        {"type": "message", "subtype": "bot_message", "bot_id": "B1", "username": "ci", "text": "Build red.", "ts": "1772400060.000200"},
    ]  # fmt: skip
    first, second = items(write(tmp_path, data))
    assert isinstance(first, Document) and isinstance(second, Document)
    assert (first.speaker, first.role, first.turn, iso(first.observed_at)[:19]) == (
        "Ana Ruiz", "user", "1772400000.000100", "2026-03-01T21:20:00",
    )  # fmt: skip
    assert (second.speaker, second.role) == ("ci", "bot")


def test_settings_are_not_taken_for_a_chat(tmp_path: Path) -> None:
    for data in (
        {"messages": {"retention": "30 days"}},
        [{"role": "admin", "port": 5}],
        {"role": "x", "content": "y"},
        [],
        5,
    ):
        (found,) = items(write(tmp_path, data))
        assert isinstance(found, Document) and found.media == "json"


def test_a_bad_message_is_one_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    good = {"role": "user", "content": "hello"}
    bad = [
        {"role": "user", "content": 5},
        "words",
        {"content": "x"},
        {**good, "timestamp": "soon"},
        {**good, "content": "a\0b"},
    ]
    found = items(write(tmp_path, {"messages": [good, *bad, good]}))
    assert [isinstance(one, Problem) for one in found] == [False, True, True, True, True, True, False]
    assert "message 2:" in str(found[1]) and "zone" in str(found[4])


WHATSAPP = """12/03/2026, 14:05 - Messages and calls are end-to-end encrypted.
12/03/2026, 14:06 - Ana Ruiz: The cutoff is 17:00: sharp.
And on Fridays 16:00.
13/03/2026, 09:00 - Bea: <Media omitted>
13/03/2026, 09:01 - Bea: Thanks.
"""


def test_whatsapp_text_with_the_day_first(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(WHATSAPP, encoding="utf-8")
    first, second = items(path)
    assert isinstance(first, Document) and isinstance(second, Document)
    assert (first.speaker, first.text, first.turn) == (
        "Ana Ruiz",
        "The cutoff is 17:00: sharp.\nAnd on Fridays 16:00.",
        "line=2",
    )
    assert (iso(first.observed_at), iso(second.observed_at)) == ("2026-03-12T14:06:00Z", "2026-03-13T09:01:00Z")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["[3/25/26, 2:05:07\u202fPM] Ana: Hi", "[3/26/26, 9:00:00\u202fAM] Bea: Yo"], "2026-03-25T14:05:07Z"),
        (["2026-03-04, 14:05 - Ana: Hi", "2026-03-05, 14:05 - Ana: Hi"], "2026-03-04T14:05:00Z"),
        (
            ["01.02.26, 14:05 - Ana: Hi", "02.02.26, 14:05 - Ana: Ho", "01.03.26, 14:05 - Ana: Hm"],
            "2026-02-01T14:05:00Z",
        ),
    ],
)
def test_the_order_of_day_and_month_comes_from_the_whole_file(lines: list[str], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    first = items(path)[0]
    assert isinstance(first, Document) and iso(first.observed_at) == expected


def test_dates_that_could_be_read_in_two_ways_are_refused_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("03/04/2026, 14:05 - Ana: Hi\n03/04/2026, 14:06 - Bea: Yo\n", encoding="utf-8")
    (found,) = items(path)
    assert isinstance(found, Problem) and "day/month or as month/day" in found.message


def test_plain_text_stays_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Minutes of 12/03/2026, 14:05 - all present.\nThe cutoff is 17:00.\n", encoding="utf-8")
    (found,) = items(path)
    assert isinstance(found, Document) and found.media == "text"
