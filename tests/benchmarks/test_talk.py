"""The benchmarks on conversations run on small data of the same form and count what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import boundaries
from benchmarks.__main__ import main


def _talk(folder: Path) -> None:
    """Write a dialogue in the form of the data."""
    said = [
        [("Ana", "Which instrument did you buy in Fenmouth?"), ("Ben", "A cello, and it was a bargain.")],
        [("Ana", "The ferry was late again."), ("Ben", "I planted garlic in the yard on Sunday.")],
    ]
    conversation: dict[str, object] = {"speaker_a": "Ana", "speaker_b": "Ben"}
    for number, turns in enumerate(said, 1):
        conversation[f"session_{number}_date_time"] = f"1:56 pm on {number} May, 2023"
        conversation[f"session_{number}"] = [
            {"speaker": who, "dia_id": f"D{number}:{place}", "text": text} for place, (who, text) in enumerate(turns, 1)
        ]
    asked = [
        {"question": "Which instrument did Ben buy in Fenmouth?", "evidence": ["D1:2"], "category": 4},
        {"question": "What did Ben plant?", "evidence": ["D2:2; D1:1"], "category": 1},
        {"question": "No evidence", "evidence": [], "category": 5},
    ]
    sample = {"sample_id": "talk-1", "conversation": conversation, "qa": asked, "session_summary": {"s": "zzgold"}}
    (folder / "locomo").mkdir()
    (folder / "locomo" / "locomo5.json").write_text(json.dumps([sample]), encoding="utf-8")


def test_locomo_counts_the_turns_that_recall_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _talk(tmp_path)

    assert main(["locomo", "--data", str(tmp_path), "--engine", "kuzu", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["n"] == 2
    assert found["figures"]["single_hop_r5"] == 1.0  # the answer shares no word: it stands beside the question
    assert found["figures"]["multi_hop_r10"] >= 0.5
    assert found["baselines"]["single_hop_r5"] == 0.0
    assert {"r5", "r10", "all10", "multi_hop_r10"} <= set(found["figures"]) & set(found["baselines"])


def test_beam_says_what_each_mechanism_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [
        ("user", "My snack budget is $50 and the snack budget is fixed. ->-> 1,1"),
        ("assistant", "A snack budget is a fine thing. What is your snack budget?"),
        ("user", "I have never flown a kite."),
        ("user", "I have increased the snack budget to $65. ->-> 1,2"),
        ("user", "Yesterday I flew the red kite."),
    ]
    chat = [
        {"turns": [[{"role": role, "id": at, "content": text, "time_anchor": "March-15-2024"}]]}
        for at, (role, text) in enumerate(turns)
    ]
    asked = {
        "knowledge_update": [
            {"question": "What is my snack budget?", "source_chat_ids": {"original_info": [0], "updated_info": [3]}},
            {"question": "What is missing?", "source_chat_ids": {"original_info": [0], "updated_info": []}},
        ],
        "contradiction_resolution": [
            {"question": "Have I flown a kite?", "source_chat_ids": {"first_statement": [2], "second_statement": [4]}}
        ],
    }
    place = tmp_path / "beam" / "1"
    place.mkdir(parents=True)
    (place / "chat.json").write_text(json.dumps(chat), encoding="utf-8")
    (place / "probing_questions.json").write_text(json.dumps(asked), encoding="utf-8")

    assert main(["beam", "--data", str(tmp_path), "--engine", "kuzu", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    figures = found["figures"]
    assert (found["n"], figures["update_first"], figures["both_sides_5"]) == (2, 1.0, 1.0)
    assert figures["tkg_without_stated_changes_and_supersession_update_first"] == 0.0
    assert found["baselines"]["update_first"] == 0.0


@pytest.mark.slow
def test_boundaries_count_nothing_and_their_controls_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, count in (("_STRINGS", 500), ("_PROBES", 300), ("_KILLS", 2), ("_REPEATS", 20)):
        monkeypatch.setattr(boundaries, name, count)

    assert main(["boundaries", "--engine", "kuzu", "--json"]) == 0

    figures = json.loads(capsys.readouterr().out)["figures"]
    assert [figures[name] for name in ("break_outs", "leaks", "untraced", "different")] == [0, 0, 0, 0]
    assert figures["leaks_control"] == 9 and figures["untraced_of"] > 0
    if "leaks_by_meaning" in figures:  # where the extra is installed
        assert (figures["leaks_by_meaning"], figures["leaks_by_meaning_control"]) == (0, 9)
