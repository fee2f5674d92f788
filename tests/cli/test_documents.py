"""What README.md and ARCHITECTURE.md say can be done and found."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.house.sources import ROOT
from tkg.memory.settings import read_policies

README = (ROOT / "README.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_the_commands_of_the_readme_work(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"^```bash\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    claim, answers = "", {}
    for line in block.splitlines():
        program, name, *words = shlex.split(line.replace("$CLAIM", claim))
        assert program == "tkg" and "" not in words, line
        result = run(name, *words, "--engine", "memory")
        assert (result.code, result.err) == (0, ""), (line, result)
        answers[name] = result.out
        if name == "demo":
            claim = re.findall(r"clm_\w{26}", result.out)[0]
    assert "regional settlement mailbox" in answers["value"] and "case-management queue" in answers["recall"]
    assert "revoked" in answers["lineage"] and "desk-4" in answers["exposure"]


def named_files(text: str) -> set[str]:
    """Return the files and folders of this project that a document names."""
    return {one for one in re.findall(r"`((?:tkg|extractors|queries)/[\w./*-]*)`", text) if "*" not in one}


def test_every_file_that_the_architecture_names_exists() -> None:
    names = named_files(ARCHITECTURE)
    assert len(names) > 40
    assert sorted(one for one in names if not (ROOT / one).exists()) == []


def test_the_floors_of_the_architecture_are_those_that_are_held() -> None:
    held = re.search(r'id = "floors".*?layers = \[(.*?)\]', (ROOT / "pyproject.toml").read_text("utf-8"), re.DOTALL)
    picture = re.search(r"## Floors.*?```\n(.*?)```", ARCHITECTURE, re.DOTALL)
    assert held and picture
    floors = [set(re.findall(r"\w+", line)) for line in re.findall(r'"(.*)"', held[1])]
    drawn = [
        set(re.findall(r"(?:tkg/)?(\w+)(?:\.py|/(?= |$))", line.split("  ")[0])) for line in picture[1].splitlines()
    ]
    assert drawn == floors


def test_the_settings_of_the_readme_are_read(tmp_path: Path) -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    (tmp_path / "tkg.toml").write_text(block, encoding="utf-8")
    policies = read_policies(tmp_path / "tkg.toml")
    assert policies.write.registry.get("destination").cardinality == "one" and policies.read.k == 5
