"""A changed byte is found, or it changes nothing that can be read."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tkg.clock import ManualClock
from tkg.errors import Damaged
from tkg.ids import RandomIds, SeededIds
from tkg.ledger.sqlite import open_ledger, verify_ledger
from tkg.model.entry import Entry
from tkg.testing.ledger import START, claim_draft, note, one

FLIPS = 120


def filled(path: Path, entries: int = 40) -> list[Entry]:
    ids = SeededIds(5)
    with closing(open_ledger(path, "acme", ManualClock(START), ids, create=True)) as ledger:
        for number in range(entries):
            ledger.append([claim_draft(ids, f"subject {number}"), one(note(ids, "words " * (number * 40)))])
        ledger.remove_content([f"{next(ledger.read_since(3)).records[0].id}"])
        return list(ledger.read_since(0))


def answers(path: Path) -> list[Entry] | None:
    """Read everything, or None where that is refused."""
    with suppress(Damaged):
        ids = RandomIds(ManualClock(START))
        with closing(open_ledger(path, "acme", ManualClock(START), ids, read_only=True)) as ledger:
            return list(ledger.read_since(0))
    return None


def test_random_flips_are_found_or_change_nothing(tmp_path: Path) -> None:
    whole = tmp_path / "ledger.sqlite"
    expected = filled(whole)
    assert verify_ledger(whole, "acme") == [] and answers(whole) == expected
    content = whole.read_bytes()
    chance, found = random.Random(11), 0
    copy = tmp_path / "copy" / "ledger.sqlite"
    for _ in range(FLIPS):
        shutil.rmtree(copy.parent, ignore_errors=True)
        copy.parent.mkdir()
        place, bit = chance.randrange(len(content)), 1 << chance.randrange(8)
        flipped = bytearray(content)
        flipped[place] ^= bit
        copy.write_bytes(flipped)
        findings = verify_ledger(copy, "acme")
        found += bool(findings)
        read = answers(copy)
        assert read is None or read == expected, f"byte {place} bit {bit} gave another answer"
        if read is None:
            assert findings, f"byte {place} bit {bit} was refused on reading and not found by verify"
    # positive control: most bytes of the file carry something, so most flips must have been found
    assert found > FLIPS // 2


def test_what_only_a_writer_reads_is_looked_at_too(tmp_path: Path) -> None:
    """A reader of SQLite passes over the checks of a table and some bytes of the header; a writer trips over them."""
    path = tmp_path / "ledger.sqlite"
    filled(path, 4)
    whole = path.read_bytes()
    assert verify_ledger(path, "acme") == []
    start = whole.index(b"CREATE TABLE content")
    declared = range(start, whole.index(b") STRICT", start), 9)
    header = [*range(24), *range(44, 92)]  # what lies between and behind counts pages and changes
    refused = 0
    for place in [*header, *declared]:
        flipped = bytearray(whole)
        flipped[place] ^= 0x80 if place > 100 else 0x04
        path.write_bytes(flipped)
        assert verify_ledger(path, "acme"), f"byte {place} was not found"
        with suppress(Damaged):
            open_ledger(path, "acme", ManualClock(START), SeededIds(1)).close()
            continue
        refused += 1
    assert refused > 30  # positive control: most of these do stop a writer


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE entries SET body = replace(body, 'propose', 'PROPOSE') WHERE seq = 7", "does not match its hash"),
        ("UPDATE entries SET hash = lower(hex(zeroblob(32))) WHERE seq = 7", "does not match its hash"),
        ("DELETE FROM entries WHERE seq = 7", "entry 7"),
        ("UPDATE content SET text = '{}' WHERE place = 7 * 1048576", "does not match its commitment"),
        ("UPDATE content SET commitment = 'x', text = NULL, salt = NULL WHERE place = 7 * 1048576", "commitment"),
        ("DELETE FROM content WHERE place = 7 * 1048576", "records"),
        ("UPDATE content SET id = 'src_other' WHERE place = 7 * 1048576", "another record"),
        ("INSERT INTO content (place, id) VALUES (7 * 1048576 + 99, 'clm_more')", "records"),
    ],
)
def test_an_edited_row_is_named_by_its_sequence_number(tmp_path: Path, statement: str, says: str) -> None:
    path = tmp_path / "ledger.sqlite"
    filled(path)
    with closing(sqlite3.connect(path)) as editor:
        editor.execute(statement)
        editor.commit()
    findings = verify_ledger(path, "acme")
    assert findings and all(finding.seq in (7, 8, None) for finding in findings)
    assert any(says in finding.detail for finding in findings)
    ids = RandomIds(ManualClock(START))
    with closing(open_ledger(path, "acme", ManualClock(START), ids)) as ledger:
        read = []
        with pytest.raises(Damaged, match="entry 7"):
            read.extend(ledger.read_since(0))
        with pytest.raises(Damaged, match="entry 7"):
            list(ledger.read_since(6))
        list(ledger.read_since(8))


def test_a_rehashed_entry_does_not_fit_its_successor(tmp_path: Path) -> None:
    from tkg.ids import chain_hash

    path = tmp_path / "ledger.sqlite"
    filled(path)
    with closing(sqlite3.connect(path)) as editor:
        (body,) = editor.execute("SELECT body FROM entries WHERE seq = 7").fetchone()
        body = body.replace("propose", "PROPOSE")
        editor.execute("UPDATE entries SET body = ?, hash = ? WHERE seq = 7", (body, chain_hash(body)))
        editor.commit()
    assert [finding.seq for finding in verify_ledger(path)] == [8]


def test_content_of_no_entry_and_a_cut_off_end_are_found(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    filled(path)
    with closing(sqlite3.connect(path)) as editor:
        editor.execute("DELETE FROM entries WHERE seq > 78")
        editor.commit()
    findings = verify_ledger(path)
    assert findings and {finding.kind for finding in findings} == {"content"}
    assert {finding.seq for finding in findings} == {79, 80}


def test_findings_hold_no_content(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    filled(path)
    with closing(sqlite3.connect(path)) as editor:
        editor.execute(
            "UPDATE content SET text = replace(text, 'subject', 'SUBJECT'), salt = x'00' WHERE text IS NOT NULL"
        )
        editor.execute("UPDATE entries SET body = replace(body, '\"claim\"', '\"clam\"') WHERE seq = 3")
        editor.commit()
    findings = verify_ledger(path)
    assert len(findings) >= 40 and "SUBJECT" not in str(findings) and "words" not in str(findings)
