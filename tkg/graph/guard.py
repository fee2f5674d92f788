"""Keeping a damaged graph file away from the caller: a file is opened here only when it is known to be whole.

The engines do not check what they read: a changed byte gives wrong answers, hangs, or ends the process. So a file that was
closed cleanly is sealed (`tkg.files`) and opened when its digest is still that of the seal. A file without a seal (its
process was killed) is first opened in a process of its own, which replays its log under a time limit; if that process
fails, dies or hangs, the file counts as damaged and is made anew from the ledger.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tkg.errors import Damaged
from tkg.files import seal_place, seal_state
from tkg.graph import schema
from tkg.graph.kuzu import Engine
from tkg.graph.rows import statements

#: seconds a child may take, and bytes of the file for which it gets one more
PATIENCE: Final = 60.0
_BYTES_A_SECOND: Final = 2 << 20
_START: Final = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from {} import child; child()"


def ask(module: str, request: Mapping[str, Any], seconds: float) -> list[str]:
    """Run `child` of a module in a process of its own and return what it found wrong.

    Args:
        module: its name; `child` reads one JSON document from standard input and prints a JSON list of sentences.
        request: the document.
        seconds: after so many it is killed.

    Raises:
        Damaged: it died, hung or could not answer; the message says which.
    """
    paths = json.dumps([str(Path(one).absolute()) for one in sys.path])
    with subprocess.Popen(
        [sys.executable, "-c", _START.format(module), paths],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            out, _ = process.communicate(json.dumps(request).encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Damaged(f"the engine did not come back within {seconds:.0f} s") from None
        except BaseException:
            process.kill()
            raise
    if process.returncode < 0:
        with suppress(ValueError):
            raise Damaged(f"the engine died of {signal.Signals(-process.returncode).name}")
    with suppress(ValueError):
        found = json.loads(out)
        if isinstance(found, list):
            return [str(one) for one in found]
    raise Damaged(f"the engine gave no answer (exit code {process.returncode})")


def seconds_for(path: Path) -> float:
    """Return how long a child may take with a file."""
    try:
        return PATIENCE + path.stat().st_size / _BYTES_A_SECOND
    except OSError:
        return PATIENCE


def check_file(path: Path, engine: str, *, alone: bool = True) -> None:
    """Make sure that a graph file can be opened here.

    Args:
        path: the file; a missing one passes.
        engine: which engine will open it.
        alone: look at a file without a seal in a process of its own.

    Raises:
        Damaged: it is not what was closed, belongs to another file, or an engine fails on it; it must be made anew.
    """
    logs = logs_of(path)
    if not path.exists():
        if any(log.exists() for log in logs):
            raise Damaged(f"{path} is missing and its log is there")
        return
    state = seal_state(path)
    if state == "changed" or (state == "sealed" and any(log.exists() and log.stat().st_size for log in logs)):
        raise Damaged(f"{path} is not the file that was closed: it was changed, cut or exchanged")
    if state == "open" and alone:
        wrong = ask("tkg.graph.guard", {"path": str(path), "engine": engine}, seconds_for(path))
        if wrong:
            raise Damaged(wrong[0])


def discard(path: Path) -> None:
    """Remove a graph file with everything the engine keeps beside it; a stray log beside a fresh file is damage.

    The lock file stays: removing it would let two processes hold the same name.
    """
    for file in (path, *logs_of(path), seal_place(path)):
        file.unlink(missing_ok=True)


def logs_of(path: Path) -> list[Path]:
    """Return what an engine may keep beside its file."""
    return [path.with_name(path.name + end) for end in (".wal", ".shadow", ".tmp", ".wal.checkpoint")]


def child() -> None:
    """Open the file that is asked about, read all of it once, and close it with a checkpoint."""
    asked = json.loads(sys.stdin.read())
    wrong = []
    try:
        engine = Engine(Path(asked["path"]), asked["engine"])
        try:
            if not schema.is_empty(engine):
                schema.check(engine)
                for table in statements("whole").values():
                    for _ in engine.sweep(table):
                        pass
        finally:
            engine.close()
    except Exception as error:  # noqa: BLE001 - whatever it is, the file is not trusted
        wrong.append(str(error)[:300])
    sys.stdout.write(json.dumps(wrong))
    sys.stdout.flush()
