"""A notebook is run in a kernel of its own, in an empty folder, with an environment that holds nothing of the caller's."""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.house.sources import ROOT

FOLDER: Final = ROOT / "notebooks"
#: seconds that one cell may take on a busy machine
PATIENCE: Final = 240
#: of all values of a picture's pixels so many may differ, by so much: another processor rounds otherwise
_SHARE, _BY = 0.002, 24


def names() -> list[str]:
    """Return the file names of all notebooks, in order."""
    return sorted(one.name for one in FOLDER.glob("*.ipynb"))


def load(name: str) -> dict[str, Any]:
    """Return a committed notebook."""
    loaded: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return loaded


def text_of(notebook: Mapping[str, Any]) -> str:
    """Return a notebook as it is committed."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def clean_environment(room: Path) -> dict[str, str]:
    """Return the variables of a kernel: a home of its own, the sources under test, and the time zone of this run."""
    (ROOT / "build" / "matplotlib").mkdir(parents=True, exist_ok=True)  # fonts are looked for once
    return {
        "HOME": str(room),
        "IPYTHONDIR": str(room / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(room / "runtime"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": str(ROOT / "build" / "matplotlib"),
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(room),
        **({"TZ": os.environ["TZ"]} if "TZ" in os.environ else {}),
    }


def run(name: str) -> dict[str, Any]:
    """Run a notebook top to bottom and return it with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.reads((FOLDER / name).read_text("utf-8"), as_version=4)
    with tempfile.TemporaryDirectory(prefix="tkg-notebook-") as place:
        room = Path(place)
        (room / "work").mkdir()
        client = NotebookClient(
            notebook,
            timeout=PATIENCE,
            kernel_name="python3",
            extra_arguments=["--Application.log_level=ERROR"],
            resources={"metadata": {"path": str(room / "work")}},
            record_timing=False,
            coalesce_streams=True,
        )
        client.execute(env=clean_environment(room))
    found: dict[str, Any] = json.loads(nbformat.writes(notebook))
    found["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in found["cells"]:
        cell["metadata"] = {}
    return found


def differences(committed: Mapping[str, Any], executed: Mapping[str, Any]) -> list[str]:
    """Return what differs between two notebooks, cell by cell; pictures are compared as they look."""
    before, after = committed["cells"], executed["cells"]
    if len(before) != len(after):
        return [f"{len(before)} cells and {len(after)}"]
    return [
        f"cell {number}: {what}"
        for number, (old, new) in enumerate(zip(before, after, strict=True), 1)
        for what in _cell(old, new)
    ]


def _cell(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for key in ("cell_type", "id", "source", "execution_count"):
        if old.get(key) != new.get(key):
            yield key
    outputs = old.get("outputs", []), new.get("outputs", [])
    if len(outputs[0]) != len(outputs[1]):
        yield f"{len(outputs[0])} outputs and {len(outputs[1])}"
        return
    for left, right in zip(*outputs, strict=True):
        one, other = _copy(left), _copy(right)
        images = [each.get("data", {}).pop("image/png", None) for each in (one, other)]
        if one != other:
            yield f"output:\n{_told(one, other)}"
        if (images[0] is None) is not (images[1] is None):
            yield "a picture is missing"
        elif images[0] is not None and not same_picture(images[0], images[1]):
            yield "another picture"


def _told(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return where two outputs begin to differ."""
    texts = [json.dumps(each, ensure_ascii=False) for each in (one, other)]
    same = len(os.path.commonprefix(texts))
    return "\n".join(f"  …{text[max(0, same - 80) : same + 160]}…" for text in texts)


def _copy(output: Mapping[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(output))
    return copied


def same_picture(one: str, other: str) -> bool:
    """Return whether two pictures (PNG, base64) look the same."""
    if one.strip() == other.strip():
        return True
    import numpy
    from PIL import Image

    first, second = (
        numpy.asarray(Image.open(io.BytesIO(base64.b64decode(each))).convert("RGB"), dtype=numpy.int16)
        for each in (one, other)
    )
    if first.shape != second.shape:
        return False
    return bool((abs(first - second) > _BY).mean() <= _SHARE)


def prepare() -> None:
    """Let the kernel of this environment be found before one of the user's."""
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
    if sys.platform.startswith("linux"):
        os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
