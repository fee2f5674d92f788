"""The real thing: processes, pipes, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tkg
from tests.house.sources import ROOT

pytestmark = pytest.mark.slow
WHO = ("--channel", "human_stated", "--principal", "ana")


def ran(words: list[object], **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore", **environment}
    variables.pop("TKG_STORE", None)
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=120, env=variables, check=False
    )


def tkg_process(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return ran([sys.executable, "-m", "tkg", *words], **environment)


def test_help_and_version() -> None:
    for words in (["--help"], ["recall", "--help"], ["--version"]):
        done = tkg_process(*words)
        assert done.returncode == 0 and done.stderr == "" and "tkg" in done.stdout


def test_a_busy_store_names_its_owner_and_readers_work_beside_it(tmp_path: Path) -> None:
    with tkg.open(tmp_path / "s", engine="memory") as memory:
        handle = memory.scope(tenant="acme", channel="human_stated", principal="ana")
        handle.propose(subject="deploys", predicate="needs", object="two approvals")
        at = ("--store", tmp_path / "s", "--tenant", "acme", "--engine", "memory")
        busy = tkg_process("recall", *at, "deploys")
        assert busy.returncode == 4 and str(os.getpid()) in busy.stderr and busy.stderr.count("\n") == 1
        beside = tkg_process("value", *at, "deploys", "needs", "--json")
        assert beside.returncode == 0 and json.loads(beside.stdout)["values"] == ["two approvals"]
        assert tkg_process("contradictions", *at).returncode == 0
        assert tkg_process("export", *at).stdout.count("\n") >= 1


def test_control_bytes_from_a_real_command_line(tmp_path: Path) -> None:
    done = tkg_process(
        "export", "--store", tmp_path / "\x1b[31m", "--tenant", b"\xff\x1b".decode(errors="surrogateescape")
    )
    assert done.returncode == 2 and "\x1b" not in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    with tkg.open(tmp_path / "s", engine="memory") as memory:
        handle = memory.scope(tenant="acme", channel="human_stated", principal="ana")
        for number in range(300):
            handle.propose(subject=f"server {number}", predicate="stands in", object=f"rack {number}")
    command = f"{sys.executable} -m tkg export --store {tmp_path / 's'} --tenant acme --engine memory | head -n 1"
    done = ran(["bash", "-c", f"set -o pipefail; {command}"])
    assert done.returncode == 0 and done.stdout.count("\n") == 1 and done.stderr == ""


def test_a_terminal_that_knows_only_ascii(tmp_path: Path) -> None:
    at = ["--store", str(tmp_path / "s"), "--tenant", "acme", "--engine", "memory"]
    for words in (
        ["propose", *at, *WHO, "--subject", "café", "--predicate", "owner", "--object", "Zoë"],
        ["recall", *at, "café owner"],
        ["timeline", *at, "café", "owner"],
    ):
        done = tkg_process(*words, PYTHONIOENCODING="ascii")
        assert done.returncode == 0 and done.stderr == "", done


def test_a_signal_ends_ingestion_with_a_sentence(tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(
        "".join(
            json.dumps(
                {"role": "user", "content": f"Server {n} stands in rack {n}.", "timestamp": "2026-03-01T09:00:00Z"}
            )
            + "\n"
            for n in range(20_000)
        )
    )
    at = ["--store", str(tmp_path / "s"), "--tenant", "acme", "--engine", "memory", *WHO]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background work inherits it ignored
    process = subprocess.Popen(
        [sys.executable, "-m", "tkg", "ingest", *at, str(chat)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    assert "read" in process.stderr.readline()  # the first line of progress: some hundred are written
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "again" in err and "Traceback" not in err
    export = tkg_process("export", "--store", tmp_path / "s", "--tenant", "acme", "--engine", "memory")
    assert export.returncode == 0 and export.stdout.count("\n") > 100
