"""The README runs: its Python and its commands, in order, in one empty folder, as a reader would paste them."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.house.sources import ROOT
from tkg.cli.main import COMMANDS, main

README = ROOT / "README.md"


def blocks(text: str) -> list[str]:
    """Return the Python blocks, each padded so that a traceback has the README's line numbers."""
    return [
        "\n" * text.count("\n", 0, found.start(1)) + found.group(1)
        for found in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    ]


def run(text: str, name: str) -> dict[str, Any]:
    """Run the blocks of `text` one after the other and return the names they left."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        exec(compile(block, name, "exec"), names)  # noqa: S102 - the point of this test
    return names


def test_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = README.read_text("utf-8")
    assert blocks(text), "the README shows no Python"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["python"])
    run(text, str(README))


def test_the_runner_runs_blocks_in_order_and_fails_where_they_fail() -> None:
    assert run("a\n```python\nx = 1\n```\nb\n```bash\nnot python\n```\n```python\ny = x + 1\n```\n", "sample")["y"] == 2
    with pytest.raises(ZeroDivisionError) as failure:
        run("\n```python\n1 / 0\n```\n", "sample")
    assert failure.traceback[-1].lineno == 2  # counted from nought


def test_the_commands_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (block,) = re.findall(r"^```bash\n(.*?)^```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    claim, said = "", {}
    for line in block.splitlines():
        words = shlex.split(line.replace("$CLAIM", claim))
        assert words[0] == "tkg"
        assert main([*words[1:], "--engine", "memory"]) == 0, line
        out = said[words[1]] = capsys.readouterr().out
        if words[1] == "demo":  # "the story ends with ids to copy"
            claim = re.findall(r"tkg lineage .* (clm_\w{26})", out)[-1]
    assert "revoked" in said["explain"] and "desk-4" in said["exposure"]
    assert said["value"].startswith("regional settlement mailbox")
    assert "case-management queue" in said["recall"] and "mailbox" not in said["recall"]


def transcript(text: str) -> list[tuple[list[str], list[str]]]:
    """Return the commands of the README's transcript, each with the lines it is to print."""
    (block,) = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    found: list[tuple[list[str], list[str]]] = []
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((shlex.split(line[2:]), []))
        else:
            found[-1][1].append(line)
    return found


def test_the_transcript_of_the_readme_is_what_a_reader_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    steps = transcript(README.read_text("utf-8"))
    assert 1 < len(steps) <= 8 and sum(len(lines) for _, lines in steps) > 20
    for words, lines in steps:
        assert words[0] == "tkg"
        engine = [] if words[1] == "conform" else ["--engine", "memory"]
        assert main([*words[1:], *engine]) == 0, words
        out = capsys.readouterr().out.splitlines()
        assert [line for line in lines if not any(line in each for each in out)] == [], (
            words
        )  # as they stand on a screen
    last = [words[1] for words, _ in steps[-3:]]
    assert last == ["contain", "recall", "conform"] and "mailbox" not in "".join(steps[-2][1])


def test_the_readme_names_every_command() -> None:
    (_, table) = README.read_text("utf-8").split("## The command line")
    rows = [line for line in table.split("\n## ")[0].splitlines() if line.startswith("| ")]
    named = {word for row in rows for span in re.findall(r"`([^`]+)`", row) for word in span.split()[:1]}
    assert {one.name for one in COMMANDS} - named == set()
    assert {one for one in named if re.fullmatch("[a-z][a-z-]*", one)} - {one.name for one in COMMANDS} <= {"pip"}
