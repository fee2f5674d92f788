"""Reading files: every item counts once, bad ones are one line each, running it again changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SYSTEM, WHO, Acme, Run
from tests.extractors.stub import fact, facts, serving

TURNS = [
    {"role": "user", "name": "Ben", "content": "The audit team owns the archive.", "timestamp": "2026-03-01T09:00:00Z",
     "session": "desk-1", "id": "t1"},
    {"role": "assistant", "content": "The payments team owns the ledger service.", "timestamp": "2026-03-01T09:00:10Z",
     "session": "desk-1", "id": "t2"},
    {"role": "user", "name": "Ben", "content": "Thanks!", "timestamp": "2026-03-01T09:01:00Z", "session": "desk-1"},
]  # fmt: skip


def chat(path: Path, *lines: object) -> Path:
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines), "utf-8")
    return path


def episode_of(acme: Acme, question: str, word: str) -> Any:
    """Return the episode that holds a word, whether it was shown or left out beside a claim that says the same."""
    found = acme("recall", question, "--json", "--k", "10").json
    ids = [one["id"] for one in (*found["items"], *found["left_out"])]
    shown = [acme("show", one, "--json").json for one in ids]
    return next(one for one in shown if one["kind"] == "episode" and word in one["content"])


def test_a_chat_becomes_episodes_with_speakers_and_dates(acme: Acme, tmp_path: Path) -> None:
    result = acme("ingest", *WHO, chat(tmp_path / "chat.jsonl", *TURNS), "--json")
    assert result.code == 0, result
    figures = result.json
    assert figures["schema"] == "tkg.ingest/1"
    assert (figures["documents"], figures["episodes"], figures["failed"]) == (3, 3, 0)
    answer = acme("recall", "who owns the archive?", "--json").json["items"]
    assert answer[0]["object"] == "archive" and all(one["text"] != "Thanks!" for one in answer)
    shown = episode_of(acme, "who owns the archive?", "archive")
    assert shown["meta"] == {"speaker": "Ben", "turn": "t1"}
    assert shown["evidence"][0]["observed_at"] == "2026-03-01T09:00:00Z"
    assert shown["evidence"][0]["session"] == "desk-1"


def test_the_assistant_is_never_a_person(acme: Acme, tmp_path: Path) -> None:
    acme("ingest", *WHO, chat(tmp_path / "chat.jsonl", *TURNS))
    found = acme("recall", "archive ledger service team owns", "--json", "--k", "50", "--token-budget", "9000").json[
        "items"
    ]
    assert {one["channel"] for one in found if "ledger service" in one["text"]} == {"agent_inferred"}
    assert {one["channel"] for one in found if "archive" in one["text"]} == {"human_stated"}


def test_running_it_again_changes_nothing(acme: Acme, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.jsonl", *TURNS)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Notes\n\nThe cache runs on the blue cluster.\n")
    (tmp_path / "notes" / "b.yaml").write_text("owner: platform team\n")
    first = acme("ingest", *WHO, path, tmp_path / "notes", "--json").json
    before = acme("export").out
    again = acme("ingest", *WHO, path, tmp_path / "notes", "--json")
    assert again.code == 0
    assert (first["documents"], again.json["already_there"], again.json["episodes"]) == (5, 5, 0)
    assert acme("export").out == before
    chat(path, *TURNS, {"role": "user", "content": "One more.", "timestamp": "2026-03-02T09:00:00Z"})
    assert acme("ingest", *WHO, path, "--json").json["episodes"] == 1


def test_an_interrupted_run_goes_on_where_it_stopped(
    acme: Acme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tkg.memory.loading import Loader

    path = chat(tmp_path / "chat.jsonl", *TURNS)
    load, calls = Loader.load, 0

    def stop(self: Loader, document: Any, *more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return load(self, document, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Loader, "load", stop)
        result = acme("ingest", *WHO, path)
    assert result.code == 130 and "again" in result.err and "Traceback" not in result.err
    rest = acme("ingest", *WHO, path, "--json").json
    assert (rest["already_there"], rest["episodes"]) == (2, 1)


def test_bad_items_are_one_line_each_and_the_rest_goes_on(acme: Acme, tmp_path: Path) -> None:
    path = chat(
        tmp_path / "chat.jsonl",
        TURNS[0],
        "{not json",
        {"role": "user"},
        {"content": "no role"},
        {"role": "user", "content": "naive", "timestamp": "2026-03-01T09:00:00"},
        '{"role": "user", "content": "lone \\ud800 surrogate"}',
        '{"role": "user", "content": "nul \\u0000"}',
        {"role": "user", "content": "x" * 100_000, "timestamp": "2026-03-01T09:00:00Z"},
        TURNS[2],
    )
    (tmp_path / "binary.md").write_bytes(b"\x00\x01\x02")
    result = acme("ingest", *WHO, path, tmp_path / "binary.md", "--json")
    assert result.code == 1
    assert (result.json["episodes"], result.json["failed"]) == (2, 8)
    lines = result.err.splitlines()
    assert len(lines) == 8 and all("chat.jsonl" in line or "binary.md" in line for line in lines)


def test_when_everything_fails_the_code_says_so(acme: Acme, tmp_path: Path) -> None:
    assert acme("ingest", *WHO, chat(tmp_path / "chat.jsonl", "nonsense")).code == 2
    assert acme("ingest", *WHO, tmp_path / "not-there").code == 2


def test_a_secret_is_refused_and_not_stored(acme: Acme, tmp_path: Path) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    path = chat(tmp_path / "chat.jsonl", TURNS[0], {**TURNS[2], "content": f"the key is {secret}"})
    result = acme("ingest", *WHO, path, "--json")
    assert result.code == 0 and result.json["refused"] == 1 and secret not in result.err
    assert secret not in acme("export").out


def test_an_external_source_cannot_make_a_tenant(run: Run, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.jsonl", *TURNS)
    result = run("ingest", "--store", tmp_path / "new", "--tenant", "acme", "--engine", "memory",
                 "--channel", "external", "--principal", "web", path)  # fmt: skip
    assert result.code == 2 and "tkg init" in result.err and not (tmp_path / "new").exists()


def test_a_long_conversation(acme: Acme, tmp_path: Path) -> None:
    data = [
        {
            "sample_id": "talk-1",
            "conversation": {
                "speaker_a": "Mira",
                "speaker_b": "Tom",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "Mira", "dia_id": "D1:1", "text": "I adopted a greyhound called Pepper."},
                    {"speaker": "Tom", "dia_id": "D1:2", "text": "Lovely! I went sailing yesterday."},
                ],
            },
        }
    ]
    (tmp_path / "talks.json").write_text(json.dumps(data))
    result = acme("ingest", "--format", "locomo", *WHO, tmp_path / "talks.json", "--json")
    assert result.code == 0 and result.json["episodes"] == 2
    episode = episode_of(acme, "greyhound called Pepper", "greyhound")
    assert episode["meta"] == {"speaker": "Mira", "turn": "D1:1"} and "greyhound" in episode["content"]
    assert episode["evidence"][0]["observed_at"] == "2023-05-08T13:56:00Z"
    items = acme("recall", "greyhound called Pepper", "--json").json["items"]
    assert items[0]["locator"] == "D1:1" and items[0]["observed_at"] == "2023-05-08T13:56:00Z"


def test_a_tools_words_in_a_persons_chat_are_not_the_persons(acme: Acme, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    said = [("user", "The audit team owns the archive."), ("tool", "The payments team owns the ledger service.")]
    path.write_text(json.dumps([{"role": role, "content": text} for role, text in said]), "utf-8")
    assert acme("ingest", *WHO, path, "--json").json["episodes"] == 2
    assert acme("value", "audit team", "owns", "--json").json["kind"] != "none", "the control: a person's words count"
    assert acme("value", "payments team", "owns", "--json").json["kind"] == "none"
    waiting = acme("review", "--json").out
    assert "ledger service" in waiting and "archive" not in waiting


def test_a_table_is_read_by_a_mapping_once(acme: Acme, tmp_path: Path) -> None:
    table, mapping = tmp_path / "people.csv", tmp_path / "map.toml"
    table.write_text("name,city,since\nAna,Porto,2026-03\nBea,Braga,2026-13\n", "utf-8")
    mapping.write_text(
        '[[claims]]\nsubject = "{name}"\npredicate = "lives_in"\nobject = "{city}"\nvalid_from = "{since}"\n', "utf-8"
    )
    asked = ("ingest", *SYSTEM, table, "--mapping", mapping, "--observed-at", "2026-04-01", "--json")
    done = acme(*asked)
    assert (done.code, done.json["documents"], done.json["failed"], done.json["claims"]["accepted"]) == (1, 1, 1, 1)
    assert "row=2" in done.err
    assert acme("value", "Ana", "lives_in", "--json").json["value"] == "Porto"
    assert acme("value", "Ana", "lives_in", "--valid-at", "2026-02", "--json").json["kind"] == "none"
    again = acme(*asked).json
    assert (again["already_there"], again["claims"]["accepted"]) == (1, 0)
    refused = acme("ingest", *SYSTEM, tmp_path, "--mapping", mapping)
    assert refused.code == 2 and ".csv" in refused.err


def _model(turns: list[dict[str, Any]]) -> Any:
    """Say that whoever speaks likes tea, with a quote that is there for one turn only."""
    return facts(
        *(
            fact("I", "likes", "tea", "I like tea" if "tea" in one["text"] else "I like coffee", source_turn=one["id"])
            for one in turns
        )
    )


def test_a_model_reads_turns_together_and_what_it_makes_up_is_told(acme: Acme, tmp_path: Path) -> None:
    said = [f"I like tea with lemon, number {number}." for number in range(5)] + ["Good morning!"]
    turns = [
        {"role": "user", "name": f"Guest{number}", "content": text, "timestamp": "2026-03-01T09:00:00Z", "session": "s"}
        for number, text in enumerate(said)
    ]
    path = chat(tmp_path / "chat.jsonl", *turns)
    with serving(_model) as stub:
        reads = ("--extractor", "llm", "--extractor-option", "model=m", "--extractor-option", f"base_url={stub.url}")
        result = acme("ingest", *WHO, path, *reads, "--every", "4", "--json")
        assert (result.code, result.json["episodes"], result.json["claims"]["accepted"]) == (0, 6, 5), result
        assert "1 facts of the model were left out: quote is not in the text" in result.err
        assert [len(json.loads(one["messages"][1]["content"])["turns"]) for one in stub.asked] == [4, 2]
        again = acme("ingest", *WHO, path, *reads, "--json").json
        assert again["already_there"] == 6 and len(stub.asked) == 2, "nothing is asked about again"
        at_the_end = chat(tmp_path / "more.jsonl", *({**one, "session": "t"} for one in turns))
        assert acme("ingest", *WHO, at_the_end, *reads, "--every", "0", "--json").code == 0
        assert len(stub.asked) == 3
    assert acme("value", "Guest1", "likes", "--json").json["value"] == "tea"


def test_a_model_that_cannot_be_reached_stops_the_run_and_the_next_one_goes_on(acme: Acme, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.jsonl", *TURNS)
    with serving([facts(), (503, {})]) as stub:
        reads = ("--extractor", "llm", "--extractor-option", "model=m", "--extractor-option", f"base_url={stub.url}",
                 "--extractor-option", "retries=0", "--every", "1")  # fmt: skip
        stopped = acme("ingest", *WHO, path, *reads)
        assert stopped.code == 2 and "status 503" in stopped.err and "1 new of 1" in stopped.err
    assert acme("ingest", *WHO, path, "--json").json["already_there"] == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--extractor", "none"), "there are: rules, llm"),
        (("--extractor", "llm"), "model=NAME"),
        (("--extractor", "llm", "--extractor-option", "model"), "KEY=VALUE"),
        (("--extractor-option", "model=m"), "needs --extractor"),
    ],
)
def test_an_extractor_that_is_not_there_is_said_before_anything_is_read(
    acme: Acme, tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    result = acme("ingest", *WHO, chat(tmp_path / "chat.jsonl", *TURNS), *words)
    assert result.code == 2 and says in result.err
    result = acme("remember", *WHO, "The audit team owns the archive.", *words)
    assert result.code == 2 and says in result.err
