"""The demo comes out on every engine, leaves a store to try, and says so when something does not come out."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Run, run  # noqa: F401 - the fixture
from tests.house.sources import ROOT
from tkg.demo import play, story
from tkg.errors import Damaged, RequestError


def told(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Play the demo in a process of its own, since one process loads one engine."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", "COLUMNS": "80"}
    command = [sys.executable, "-m", "tkg", "demo", "--store", str(place), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=variables, check=False)


@pytest.mark.parametrize("engine", ["memory", "kuzu", pytest.param("ladybug", marks=pytest.mark.ladybug)])
def test_it_comes_out_on_every_engine(tmp_path: Path, engine: str) -> None:
    if find_spec("ladybug" if engine == "ladybug" else "tkg") is None:
        pytest.skip("the extra engine is not installed")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = told(tmp_path / "demo", "--engine", engine, "--json")
    assert done.returncode == 0, done.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 30  # of work, however busy the machine is
    facts = json.loads(done.stdout)
    assert facts["withdrawn"] == {"claim": "revoked", "summary": "revoked", "skill": "revoked", "action": "revoked"}
    assert (facts["day_9_code"], facts["day_9_evidence"]) == (["echo"], 1)
    assert facts["before"] == ["claim", "skill", "summary"]
    assert (facts["after"], facts["after_top"]) == ([], facts["correction"])
    assert (facts["replay_day_11"], facts["known_now_of_day_11"]) == (story.MAILBOX, story.QUEUE)
    assert facts["correction_source"][0] == "billing.yaml" and facts["correction_source"][1].startswith("line=")


def test_the_engine_changes_nothing(tmp_path: Path) -> None:
    texts = [told(tmp_path / "demo", "--engine", engine).stdout for engine in ("memory", "kuzu")]
    assert texts[0] == texts[1]
    for word in ("summary", "skill", "action", "revoked", "dispatch", "Day 16"):
        assert word in texts[0]


def test_the_same_story_every_time(tmp_path: Path) -> None:
    first, second = (play(tmp_path / name, engine="memory") for name in ("a", "b"))
    assert {**first, "store": "", "try": ""} == {**second, "store": "", "try": ""}


def test_the_commands_it_ends_with_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    told = run("demo", "--engine", "memory")
    assert told.code == 0, told
    assert max(map(len, told.out.splitlines())) <= 140
    asked = run("demo", "--engine", "memory", "--json")  # playing it again makes its own store anew
    assert asked.code == 0 and asked.json["schema"] == "tkg.demo/1"
    commands = asked.json["try"]
    assert len(commands) == 3
    for command, expected in zip(commands, ("revoked", story.MAILBOX, story.QUEUE), strict=True):
        assert command in told.out
        program, *words = shlex.split(command)
        result = run(*words)
        assert program == "tkg" and result.code == 0 and expected in result.out, (command, result)


def test_it_leaves_other_folders_alone(tmp_path: Path, run: Run) -> None:  # noqa: F811
    (tmp_path / "mine.txt").write_text("keep")
    result = run("demo", "--store", tmp_path)
    assert result.code == 2 and (tmp_path / "mine.txt").read_text() == "keep"
    with pytest.raises(RequestError):
        play(tmp_path / "mine.txt")
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(RequestError):
        play(tmp_path / "link")


def test_a_fact_that_does_not_come_out_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:  # noqa: F811
    monkeypatch.setattr(story, "MAILBOX", "another mailbox")
    with pytest.raises(Damaged, match="did not come out"):
        play(tmp_path / "demo", engine="memory")
    assert run("demo", "--store", tmp_path / "demo", "--engine", "memory").code == 4


def test_it_needs_no_correction_to_be_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the outdated sentence there is no story: the checks look at the store, not at the script."""
    files = tmp_path / "files"
    for file in story.FILES.rglob("*.*"):
        place = files / file.relative_to(story.FILES)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.read_text("utf-8").replace("are sent to the regional settlement mailbox", "are written"))
    monkeypatch.setattr(story, "FILES", files)
    with pytest.raises(Damaged):
        play(tmp_path / "demo", engine="memory")
