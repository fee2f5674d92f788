"""A kill in the middle of a load: what was there stays, the same command goes on, nothing is lost and nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import tkg
from benchmarks.prose import write_folder, write_transcript
from tests.engines import CYPHER, engine_or_skip
from tests.house.sources import ROOT
from tkg.memory.closure import records

FILES, BYTES = 12, 25_000
#: bytes of the ledger at which the load is killed: some of it is there, not all
_GROWN = 250_000


def command(place: Path, engine: str) -> list[str]:
    return [
        sys.executable, "-m", "tkg", "ingest", "--store", str(place / "store"), "--tenant", "acme", "--engine", engine,
        "--channel", "human_stated", "--principal", "loader", str(place / "files"), str(place / "day.jsonl"),
    ]  # fmt: skip


def ledger_size(place: Path) -> int:
    return sum(file.stat().st_size for file in (place / "store").rglob("ledger.sqlite*"))


def there(place: Path, engine: str) -> tuple[Counter[str], Counter[tuple[str, str, str]]]:
    """Return how often each episode's text and each claim is there."""
    with tkg.open(place / "store", engine=engine) as memory:
        tenant = memory.tenant("acme")
        texts: Counter[str] = Counter()
        claims: Counter[tuple[str, str, str]] = Counter()
        for _, _, record in records(tenant.ledger):
            if record["record"] == "artefact":
                view = tenant.graph.artefact(record["id"])
                texts[(view.artefact.content or "") if view is not None else ""] += 1
            elif record["record"] == "claim" and (claim := tenant.graph.claim(record["id"])) is not None:
                said = claim.claim
                claims[(said.subject or "", said.predicate or "", said.object or "")] += 1
        return texts, claims


@pytest.mark.slow
@pytest.mark.engine
def test_a_killed_load_goes_on(tmp_path: Path) -> None:
    engine = engine_or_skip(CYPHER)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for place in (whole, killed):
        write_folder(place / "files", FILES)
        write_transcript(place / "day.jsonl", BYTES)
        for file in (*(place / "files").iterdir(), place / "day.jsonl"):
            os.utime(file, (1_772_000_000, 1_772_000_000))
    assert (
        subprocess.run(command(whole, engine), cwd=ROOT, capture_output=True, timeout=500, check=False).returncode == 0
    )
    process = subprocess.Popen(command(killed, engine), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 300
    while process.poll() is None and ledger_size(killed) < _GROWN and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"
    before, _ = there(killed, engine)
    assert 0 < before.total() < there(whole, engine)[0].total(), "the control: it was killed on the way"
    again = subprocess.run(command(killed, engine), cwd=ROOT, capture_output=True, timeout=500, check=False)
    assert again.returncode == 0, again.stderr
    texts, claims = there(killed, engine)
    wanted_texts, wanted_claims = there(whole, engine)
    assert texts == wanted_texts and claims == wanted_claims
    assert before <= texts
