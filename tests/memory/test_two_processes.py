"""One writer with its holder named, readers beside it, nothing to repair after a kill; full and read-only disks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import tkg
from tests.engines import CYPHER, engine_or_skip
from tests.house.sources import ROOT
from tests.memory.test_checking import fill
from tkg.errors import Busy, RequestError

OWNER = """
import sys, tkg
memory = tkg.open(sys.argv[1], engine=sys.argv[2], graph_file_above=int(sys.argv[3]))
acme = memory.scope("acme", channel="human_stated", principal="ana")
acme.propose(subject="owner", predicate="state", object="first", evidence=tkg.Evidence(uri="n"))
print("ready", flush=True)
for line in sys.stdin:
    acme.propose(subject=line.strip(), predicate="state", object="on", evidence=tkg.Evidence(uri="n"))
    print("done", flush=True)
"""


@contextmanager
def owner(store: Path, engine: str, file_above: int = 50_000) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", OWNER, str(store), engine, str(file_above)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def write(memory: tkg.Memory, subject: str) -> None:
    acme = memory.scope("acme", channel="human_stated", principal="ben")
    acme.propose(subject=subject, predicate="state", object="on", evidence=tkg.Evidence(uri="n"))


@pytest.mark.engine
@pytest.mark.parametrize("file_above", [50_000, -1], ids=["memory", "file"])
def test_the_second_process_is_told_at_once_and_takes_over_after_a_kill(tmp_path: Path, file_above: int) -> None:
    engine = engine_or_skip(CYPHER)
    with owner(tmp_path / "m", engine, file_above) as process:
        with tkg.open(tmp_path / "m", engine=engine) as memory:
            began = time.monotonic()
            with pytest.raises(Busy, match=rf"pid {process.pid}") as caught:
                write(memory, "second")
            assert time.monotonic() - began < 1 and caught.value.exit_code == 4
        process.send_signal(signal.SIGKILL)
        process.wait()
        with tkg.open(tmp_path / "m", engine=engine, graph_file_above=file_above) as memory:
            write(memory, "second")
            acme = memory.scope("acme")
            assert acme.value("owner", "state").values == ("first",) and acme.value("second", "state").values == ("on",)
            assert memory.verify().ok


def test_any_number_of_readers_beside_a_writer(tmp_path: Path) -> None:
    with owner(tmp_path / "m", "memory") as process, ExitStack() as stack:
        readers = [stack.enter_context(tkg.open(tmp_path / "m", engine="memory", read_only=True)) for _ in range(12)]
        assert process.stdin is not None and process.stdout is not None
        for number, reader in enumerate(readers):
            process.stdin.write(f"item {number}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
            assert reader.scope("acme").value(f"item {number}", "state").values == ("on",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; the fault sweep covers it")
def test_a_store_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    folder = fill(tmp_path / "m")
    places = [tmp_path / "m", tmp_path / "m" / "tenants", folder]
    for place in places:
        place.chmod(0o500)
    try:
        with tkg.open(tmp_path / "m", engine="memory", read_only=True) as memory:
            assert memory.scope("acme").value("pump 3", "pressure").values == ("3 bar",)
            assert memory.verify().ok
        with tkg.open(tmp_path / "m", engine="memory") as memory, pytest.raises(RequestError, match="permissions"):
            write(memory, "x")
    finally:
        for place in places:
            place.chmod(0o700)
