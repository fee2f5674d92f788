"""Files and folders become documents; what cannot be read is one problem, and the rest goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.labelled import WRITTEN
from tkg.errors import NotFound, RequestError
from tkg.extractors import formats
from tkg.extractors.formats import Read, read
from tkg.extractors.locomo import session_date
from tkg.extractors.turns import Problem
from tkg.model.document import Document
from tkg.model.time import iso


def items(path: Path, format: formats.Format | None = None) -> list[Read]:
    return list(read(path, format=format, observed_at=WRITTEN))


def documents(found: list[Read]) -> list[Document]:
    return [item for item in found if isinstance(item, Document)]


def problems(found: list[Read]) -> list[str]:
    return [str(item) for item in found if isinstance(item, Problem)]


def test_json_lines_become_turns_with_speaker_time_and_session(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(
        '{"role": "user", "name": "ana", "content": "I moved yesterday.", "timestamp": "2026-03-01T23:30:00+13:00", "session": "s1", "id": 7}\n'
        "\n"
        '{"role": "assistant", "content": "Noted.", "timestamp": 1772400000}\n'
    )
    first, second = documents(items(path))
    assert (first.text, first.speaker, first.turn, first.session, first.media) == (
        "I moved yesterday.",
        "ana",
        "7",
        "s1",
        "turn",
    )
    assert (iso(first.observed_at), first.zone) == ("2026-03-01T10:30:00Z", "+13:00")
    assert (second.speaker, second.turn, second.session, iso(second.observed_at)) == (
        "assistant",
        "line=3",
        None,
        "2026-03-01T21:20:00Z",
    )


def test_each_malformed_line_is_one_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    good = b'{"role": "user", "content": "hello"}'
    bad = [
        b"{not json",
        b"[1, 2]",
        b'{"role": "user"}',
        b'{"content": "who said it?"}',
        b'{"role": "user", "content": "x", "timestamp": "2026-03-01T09:00:00"}',
        b'{"role": "user", "content": "x", "timestamp": true}',
        b'{"role": "user", "content": "x", "timestamp": 1e300}',
        b'{"role": "user", "content": "\\ud800"}',
        b'{"role": "user", "content": "a\\u0000b"}',
        b'{"role": "user", "content": "\xff\xfe\xfa"}',
        b"\x00\x01\x02",
        b"[" * 100_000,
        b'{"role": "user", "content": "' + b"x" * formats.MAX_LINE + b'"}',
    ]
    path.write_bytes(b"\n".join(part for line in bad for part in (line, good)) + b"\n" + good[:-3])
    found = items(path)
    assert len(documents(found)) == len(bad)
    shown = problems(found)
    assert [int(line.split(":")[1]) for line in shown] == [*range(1, 2 * len(bad), 2), 2 * len(bad) + 1]
    for problem in shown:
        assert problem.startswith(str(path)) and "\n" not in problem and len(problem) < 300


LOCOMO = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Bea",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a cat."},
            {"speaker": "Bea", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a grey cat"},
        ],
        "session_10_date_time": "9:05 am on 1 June, 2023",
        "session_10": [{"speaker": "Ana", "dia_id": "D10:1", "text": "Her name is Mo."}],
        "session_2_date_time": "no date",
        "session_2": [{"speaker": "Ana", "text": "Hi."}, {"speaker": "Bea"}, 7],
        "session_3": "nothing",
    },
    "observation": {"session_1_observation": {"Ana": [["Ana has a secret observation", "D1:1"]]}},
    "session_summary": {"session_1_summary": "a secret summary"},
    "event_summary": {"events_session_1": {"Ana": ["a secret event"]}},
    "qa": [{"question": "secret question?", "answer": "secret answer"}],
}


def test_locomo_turns_have_speaker_date_turn_and_session(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([LOCOMO]))
    found = items(path, "locomo")
    turns = documents(found)
    assert [(turn.turn, turn.session, turn.speaker, turn.addressee) for turn in turns] == [
        ("D1:1", "conv-1/session_1", "Ana", "Bea"),
        ("D1:2", "conv-1/session_1", "Bea", "Ana"),
        ("D2:1", "conv-1/session_2", "Ana", "Bea"),
        ("D10:1", "conv-1/session_10", "Ana", "Bea"),
    ]
    assert [iso(turn.observed_at) for turn in turns][::3] == ["2023-05-08T13:56:00Z", "2023-06-01T09:05:00Z"]
    assert turns[1].text == "Look!\n[shared image: a photo of a grey cat]"
    assert {turn.uri for turn in turns} == {"locomo:conv-1"}
    assert len(problems(found)) == 4
    assert any("photo" in turn.text for turn in turns)  # the probe below can find something
    assert not any("secret" in turn.text for turn in turns)


@pytest.mark.parametrize("text", ["{", "7", "[]" * 2, '{"conversation": []}', '{"conversation": {}}', "[" * 100_000])
def test_a_file_of_another_shape_is_one_problem(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    found = items(path, "locomo")
    assert documents(found) == [] and len(problems(found)) == 1


def test_session_dates_are_read_in_utc() -> None:
    assert iso(session_date("12:09 am on 13 September, 2023")) == "2023-09-13T00:09:00Z"
    assert session_date("soon") is None and session_date(7) is None


def test_a_folder_is_read_sorted_recursively_by_suffix(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/c.yaml", "d.json", ".hidden.md", ".git/x.md", "e.png", "f"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("k: v" if name != "d.json" else "{}")
    found = documents(items(tmp_path))
    assert [(item.uri, item.media) for item in found] == [
        ("a/c.yaml", "yaml"),
        ("a/z.txt", "text"),
        ("b.md", "markdown"),
        ("d.json", "json"),
    ]
    assert [item.uri for item in documents(items(tmp_path, "markdown"))] == ["b.md"]


def test_each_unreadable_file_is_one_clear_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_FILE", 1000)
    (tmp_path / "a-binary.md").write_bytes(b"PK\x03\x04\x00\x00")
    (tmp_path / "b-latin.md").write_bytes("café".encode("latin-1"))
    (tmp_path / "c-empty.md").write_bytes(b"")
    (tmp_path / "d-blank.md").write_bytes(b" \n\t\n")
    (tmp_path / "e-huge.md").write_bytes(b"x" * 1001)
    (tmp_path / "f-broken-utf16.md").write_bytes(b"\xff\xfea")
    (tmp_path / "g-pipe.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / "h-empty.jsonl").write_bytes(b"")
    (tmp_path / "y-utf16.md").write_bytes("good".encode("utf-16"))
    (tmp_path / "z-bom.md").write_bytes(b"\xef\xbb\xbfgood")
    found = items(tmp_path)
    assert [item.text for item in documents(found)] == ["good", "good"]
    assert [line.split(":")[0] for line in problems(found)] == [
        "a-binary.md",
        "b-latin.md",
        "c-empty.md",
        "d-blank.md",
        "e-huge.md",
        "f-broken-utf16.md",
        "h-empty.jsonl",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    path.chmod(0)
    assert problems(items(path)) == [f"{path}: the file cannot be read: Permission denied"]


def test_what_does_not_exist_and_unknown_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such file or folder"):
        items(tmp_path / "nothing")
    with pytest.raises(RequestError, match="choose one of jsonl"):
        items(tmp_path, "rtf")  # type: ignore[arg-type]


def test_reading_is_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"role": "user", "content": "first"}\n{broken\n')
    stream = read(path, observed_at=WRITTEN)
    first = next(stream)
    assert isinstance(first, Document) and first.text == "first"
