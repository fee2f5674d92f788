"""Heads: whose they are, that they only go forward, and that a damaged row does not stop the check."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import tkg
from tests.memory.test_checking import codes, fill, verify
from tkg.clock import ManualClock
from tkg.errors import Damaged
from tkg.ids import SeededIds
from tkg.ledger.heads import Signer, advance, load_signer, read_kept
from tkg.ledger.memory import MemoryLedger
from tkg.ledger.merkle import root_of
from tkg.testing.ledger import START, note, one


def test_heads_follow_the_ledger_and_are_signed(tmp_path: Path) -> None:
    ids = SeededIds(1)
    ledger, signer = MemoryLedger("acme", ManualClock(START), ids), Signer(bytes(32))
    for size in (0, 1, 4, 9):
        while ledger.head.seq < size:
            ledger.append([one(note(ids))])
        head = advance(tmp_path / "head.json", ledger, signer)
        assert head.signed_by() == signer.public
        assert (head.size, head.hash) == (size, ledger.head.hash)
        assert head.root == root_of(row.leaf for row in ledger.rows()).hex()
        assert advance(tmp_path / "head.json", ledger, signer) == head
    for field, value in (("size", 8), ("root", "00" * 32), ("tenant", "globex"), ("tx_time", 1), ("key", "00" * 32)):
        assert head.model_copy(update={field: value}).signed_by() is None
    shorter = MemoryLedger("acme", ManualClock(START), SeededIds(1))
    with pytest.raises(Damaged, match="ends at entry 0"):
        advance(tmp_path / "head.json", shorter, signer)
    kept = read_kept(tmp_path / "head.json")
    assert kept is not None and kept.head == head


def test_no_changed_bit_of_a_head_goes_unseen(tmp_path: Path) -> None:
    ids, place = SeededIds(1), tmp_path / "head.json"
    ledger = MemoryLedger("acme", ManualClock(START), ids)
    for _ in range(3):
        ledger.append([one(note(ids))])
    advance(place, ledger, load_signer(tmp_path / "head.key", SeededIds(2)))
    written = place.read_bytes()

    def seen(changed: bytes) -> bool:
        place.write_bytes(changed)
        try:
            kept = read_kept(place)
        except Damaged:
            return True
        return kept is None or kept.head.signed_by() is None or kept.tree.root.hex() != kept.head.root

    assert not seen(written)
    flips = ((at, 1 << bit) for at in range(len(written)) for bit in range(8))
    missed = [(at, bit) for at, bit in flips if not seen(written[:at] + bytes([written[at] ^ bit]) + written[at + 1 :])]
    assert missed == []
    assert seen(written.replace(b",", b", ", 1)) and seen(written[:-1])


def test_a_key_is_made_once_for_the_owner_only(tmp_path: Path) -> None:
    first = load_signer(tmp_path / "head.key", SeededIds(3))
    assert load_signer(tmp_path / "head.key", SeededIds(4)).public == first.public
    assert (tmp_path / "head.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "head.key").write_text("no key")
    with pytest.raises(Damaged, match="no signing key"):
        load_signer(tmp_path / "head.key", SeededIds(3))


@pytest.mark.parametrize("value", ["", "zz", "x" * 64, "00"])
def test_a_hash_that_is_none_is_a_finding_and_no_crash(tmp_path: Path, value: str) -> None:
    folder = fill(tmp_path / "m", count=3)
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        connection.execute("UPDATE entries SET hash = ? WHERE seq = 2", (value,))
        connection.commit()
    assert "ledger_entry" in codes(verify(tmp_path / "m"))
    with tkg.open(tmp_path / "m", engine="memory") as memory, pytest.raises(Damaged):
        memory.scope("acme").value("pump 1", "pressure")
