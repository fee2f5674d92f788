"""kill -9 at any moment: what was acknowledged is there, nothing is torn."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from tkg.clock import ManualClock
from tkg.ids import RandomIds
from tkg.ledger.sqlite import open_ledger, verify_ledger
from tkg.testing.ledger import START

ROOT = Path(__file__).parents[2]
KILLS = 10
WRITER = """
import sys
from tkg.clock import SystemClock
from tkg.ids import RandomIds
from tkg.ledger.sqlite import open_ledger
from tkg.testing.ledger import claim_draft, note, one
clock = SystemClock()
ids = RandomIds(clock)
ledger = open_ledger(sys.argv[1], "acme", clock, ids, create=True)
ledger._connection.execute("PRAGMA wal_autocheckpoint = 20")  # so that kills meet checkpoints too
last = None
while True:
    pair = [claim_draft(ids), one(note(ids, "pair"))]
    entries = ledger.append(pair)
    if entries[0].seq % 50 == 1:
        ledger.remove_content([entries[0].records[0].id])
    print(*(entry.hash for entry in entries), flush=True)
"""


def test_acknowledged_entries_survive_and_none_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "acme" / "ledger.sqlite"
    chance = random.Random(3)
    acknowledged: list[str] = []
    for _ in range(KILLS):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            acknowledged += process.stdout.readline().decode().split()
            time.sleep(chance.uniform(0, 0.2))
            process.kill()
            for line in process.stdout.read().decode().splitlines(keepends=True):
                if line.endswith("\n"):  # the last line may itself be cut off
                    acknowledged += line.split()
        with closing(open_ledger(path, "acme", ManualClock(START), RandomIds(ManualClock(START)))) as ledger:
            hashes = [row.hash for row in ledger.rows()]
            assert len(hashes) % 2 == 0, "half of an operation pair is there"
            assert set(acknowledged) <= set(hashes), "an acknowledged entry is lost"
            assert [json.loads(row.body)["op"] for row in ledger.rows()] == ["propose", "note"] * (len(hashes) // 2)
    assert verify_ledger(path, "acme") == []
    assert len(acknowledged) > 2 * KILLS
