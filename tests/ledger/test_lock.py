"""One writer per tenant, readers beside it, and nothing to repair after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tkg.clock import ManualClock
from tkg.errors import Busy, Damaged
from tkg.ids import RandomIds, SeededIds
from tkg.ledger.sqlite import SqliteLedger, open_ledger, verify_ledger
from tkg.testing.ledger import START, note, one

ROOT = Path(__file__).parents[2]
OWNER = """
import sys
from tkg.clock import SystemClock
from tkg.ids import RandomIds
from tkg.ledger.sqlite import open_ledger
from tkg.testing.ledger import note, one
clock = SystemClock()
ids = RandomIds(clock)
ledger = open_ledger(sys.argv[1], "acme", clock, ids, create=True)
ledger.append([one(note(ids))])
print("ready", flush=True)
for line in sys.stdin:
    ledger.append([one(note(ids))])
    print(ledger.head.seq, flush=True)
ledger.close()
"""


@contextmanager
def owner(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run another process that owns the ledger at `path`."""
    command = [sys.executable, "-c", OWNER, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def opened(path: Path, **options: bool) -> SqliteLedger:
    clock = ManualClock(START)
    return open_ledger(path, "acme", clock, RandomIds(clock), **options)


def test_a_second_process_is_told_who_owns_the_tenant_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with owner(path) as process:
        began = time.monotonic()
        with pytest.raises(Busy, match=f"process {process.pid} owns tenant acme"):
            opened(path)
        assert time.monotonic() - began < 1
        assert Busy("").exit_code == 4


def test_the_same_process_is_refused_too_whatever_the_path_looks_like(tmp_path: Path) -> None:
    path = tmp_path / "acme" / "ledger.sqlite"
    other = tmp_path / "acme" / ".." / "acme" / "ledger.sqlite"
    with closing(opened(path, create=True)):
        for same in (path, other):
            with pytest.raises(Busy, match=rf"process {os.getpid()} \(this one\) owns tenant acme"):
                opened(same)
    opened(path).close()


def test_readers_work_beside_a_running_owner_and_see_its_writes(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with owner(path) as process, closing(opened(path, read_only=True)) as reader:
        assert process.stdin is not None and process.stdout is not None
        assert reader.read_only and [entry.seq for entry in reader.read_since(0)] == [1]
        process.stdin.write("go\n")
        process.stdin.flush()
        assert process.stdout.readline() == "2\n"
        assert reader.head.seq == 2 and [entry.seq for entry in reader.read_since(0)] == [1, 2]
        assert reader.verify() == [] and verify_ledger(path) == []
        with pytest.raises(Busy, match="read-only"):
            reader.append([one(note(SeededIds(1)))])
        with pytest.raises(Busy, match="read-only"):
            reader.remove_content(["clm_x"])


def test_after_a_kill_the_ledger_opens_without_repair(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    with owner(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    with closing(opened(path, read_only=True)) as reader:
        assert reader.head.seq == 1
    with closing(opened(path)) as ledger:
        assert ledger.head.seq == 1 and ledger.verify() == []
        ledger.append([one(note(RandomIds(ManualClock(START))))])


def test_the_lock_file_of_another_tenant_does_not_matter(tmp_path: Path) -> None:
    clock, ids = ManualClock(START), SeededIds(1)
    with (
        closing(open_ledger(tmp_path / "a.sqlite", "a", clock, ids, create=True)),
        closing(open_ledger(tmp_path / "b.sqlite", "b", clock, ids, create=True)) as other,
    ):
        assert other.tenant == "b"


def test_a_removed_lock_file_does_not_let_two_writers_fork_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ids = RandomIds(ManualClock(START))
    with closing(opened(path, create=True)) as first:
        first.append([one(note(ids))])
        (tmp_path / "ledger.sqlite.lock").unlink()
        with closing(opened(path)) as second:
            second.append([one(note(ids))])
            with pytest.raises(Busy, match="another process appended"):
                first.append([one(note(ids))])
            assert second.verify() == [] and second.head.seq == 2


def test_a_forked_child_neither_uses_the_ledger_nor_takes_its_lock_along(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ids = RandomIds(ManualClock(START))
    ledger = opened(path, create=True)
    ledger.append([one(note(ids))])
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            ledger.append([one(note(ids))])
        except Busy as error:
            said = str(error)
        finally:
            ledger.close()
            os.write(writing, said.encode())
            os._exit(0)
    os.waitpid(child, 0)
    assert "after a fork" in os.read(reading, 1000).decode()
    os.close(reading)
    os.close(writing)
    with pytest.raises(Busy):
        opened(path)
    ledger.append([one(note(ids))])
    ledger.close()
    with closing(opened(path)) as again:
        assert again.head.seq == 2 and again.verify() == []


def test_the_lock_goes_with_the_parent_though_a_child_lives_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = opened(path, create=True)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)  # until the parent is done
        os._exit(0)
    try:
        ledger.close()
        opened(path).close()
    finally:
        os.close(writing)
        os.close(reading)
        os.waitpid(child, 0)


def test_a_lock_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    opened(path, create=True).close()
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "ledger.sqlite.lock").unlink()
    (tmp_path / "ledger.sqlite.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Damaged, match="symbolic link"):
        opened(path)
    assert (tmp_path / "elsewhere").read_text() == "kept"
