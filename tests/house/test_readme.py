"""The Python of the README runs: its blocks, in order, in one empty folder, as a reader would paste them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.house.sources import ROOT

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
