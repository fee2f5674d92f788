"""Each notebook runs top to bottom and gives what is committed; nothing in it is of one machine."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest

from tests.hostile import Page, raw
from tests.house.sources import ROOT
from tests.notebooks import running

NAMES = running.names()
#: paths of a machine, ports, and addresses of objects
_MACHINE = re.compile(
    r"(?<![\w.])/(?:tmp|home|root|usr|var|opt|work|private|Users)\b|\b0x[0-9a-f]{8,}|localhost|127\.0"
)


def test_the_six_are_there() -> None:
    assert [name[:2] for name in NAMES] == ["01", "02", "03", "04", "05", "06"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_gives_again_what_is_committed(name: str) -> None:
    pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-m", "tests.notebooks", "--check", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\nafter a change that is meant: make notebooks"


def outputs(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for cell in notebook["cells"] for one in cell.get("outputs", [])]


def said(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_whole_and_of_no_machine(name: str) -> None:
    notebook = running.load(name)
    assert (running.FOLDER / name).read_text("utf-8") == running.text_of(notebook)
    code = [one for one in notebook["cells"] if one["cell_type"] == "code"]
    assert [one["execution_count"] for one in code] == list(range(1, len(code) + 1))
    found = outputs(notebook)
    assert found and all(one["output_type"] != "error" and one.get("name") != "stderr" for one in found)
    texts = [said(one["source"]) for one in notebook["cells"]]
    texts += [said(one["text"]) for one in found if "text" in one]
    texts += [said(text) for one in found for kind, text in one.get("data", {}).items() if kind.startswith("text/")]
    assert [text for text in texts if _MACHINE.search(text)] == []


def test_what_they_show_does_nothing() -> None:
    every = [one.get("data", {}) for name in NAMES for one in outputs(running.load(name))]
    shown = [said(one["text/html"]) for one in every if "text/html" in one]
    assert len(shown) >= 20
    for html in shown:
        assert Page(html).faults == [] and raw(html) == []


def picture(colour: tuple[int, int, int], size: tuple[int, int] = (40, 40), dot: int = 0) -> str:
    from PIL import Image

    made, out = Image.new("RGB", size, colour), io.BytesIO()
    made.paste((0, 0, 0), (0, 0, dot, dot))
    made.save(out, "png")
    return base64.b64encode(out.getvalue()).decode()


def test_a_difference_is_found() -> None:
    """The comparison itself: every sort of change is seen, and a pixel that was rounded otherwise is none."""
    pytest.importorskip("PIL")
    png = picture((250, 250, 250))
    shown = {"output_type": "display_data", "data": {"text/plain": "a", "image/png": png}, "metadata": {}}
    cell = {"cell_type": "code", "id": "c", "source": "1", "execution_count": 1, "outputs": [shown]}
    book = {"cells": [cell, deepcopy(cell)]}

    def changed(path: list[Any], value: Any) -> list[str]:
        other: Any = deepcopy(book)
        place = other
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        return running.differences(book, other)

    at = ["cells", 1, "outputs", 0, "data"]
    assert changed([*at, "image/png"], picture((249, 251, 250))) == [] == running.differences(book, deepcopy(book))
    for value in (picture((200, 250, 250)), picture((250, 250, 250), (41, 40)), picture((250, 250, 250), dot=4)):
        assert changed([*at, "image/png"], value) == ["cell 2: another picture"]
    assert changed(at, {"text/plain": "a"}) == ["cell 2: a picture is missing"]
    for path, new in (([*at, "text/plain"], "b"), (["cells", 1, "source"], "2"), (["cells", 1, "execution_count"], 2)):
        assert len(changed(path, new)) == 1
    assert len(changed(["cells", 1, "outputs"], [])) == len(changed(["cells"], [])) == 1
