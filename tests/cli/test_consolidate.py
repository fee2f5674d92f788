"""The command: dry first, then done, then taken back; its documents fit their schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tests.cli.conftest import AGENT, PERSON, Acme
from tests.cli.test_ingest import chat
from tkg.cli.forms import schema_of


def valid(document: dict[str, Any]) -> dict[str, Any]:
    Draft202012Validator(schema_of(document["schema"])).validate(document)
    return document


def test_dry_done_and_taken_back(acme: Acme, tmp_path: Path) -> None:
    said = ("The audit team owns the archive.", "The weather is nice.", "The field office owns the gateway.")
    turns = [
        {"role": "user", "content": text, "timestamp": f"2026-03-0{day}T09:00:00Z", "session": "desk"}
        for day, text in enumerate(said, 1)
    ]
    assert acme("ingest", *PERSON, chat(tmp_path / "chat.jsonl", *turns)).code == 0
    before = acme.bytes()
    dry = valid(acme("consolidate", "--json").json)
    assert acme.bytes() == before and dry["job"] is None and len(dry["archived"]) == 3
    assert dry["counts"] == {"still true": 3} or dry["counts"]["still true"] >= 2
    assert acme("consolidate", "--yes").code == 2
    assert acme("consolidate", *AGENT, "--yes").code == 3
    done = valid(acme("consolidate", *PERSON, "--yes", "--json").json)
    assert len(done["archived"]) == 3 and done["summaries"][0]["id"]
    shown = acme("consolidate", *PERSON, "--yes")
    assert "still true" in shown.out and "0 episodes" in shown.out
    assert acme("consolidate", *PERSON, "--undo", done["job"]).code == 2
    back = valid(acme("consolidate", *PERSON, "--undo", done["job"], "--reason", "too early", "--json").json)
    assert len(back["episodes"]) == 3
    again = acme("consolidate", *PERSON, "--undo", done["job"], "--reason", "once more")
    assert again.code == 3 and "nothing" in again.err
