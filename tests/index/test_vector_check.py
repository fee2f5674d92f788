"""A changed byte of a file of vectors is found, or changes no answer; a file without sums gets them and keeps its vectors."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.index.test_vectors import Hashed, Ledger
from tkg.errors import Damaged, ModelMismatch
from tkg.index.vector_check import compare_vectors
from tkg.index.vectors import Near, VectorIndex
from tkg.testing.index import KINDS, claim, status, turn

WORDS = ("office", "store", "depot", "price", "seven")


def history() -> Ledger:
    ledger = Ledger()
    for number in range(1, 16):
        ledger.add(claim(f"clm_{number}", f"subject{number}", "place", WORDS[number % 5]))
    for number in range(16, 30):
        ledger.add(turn(f"art_{number}", f"note {number} on the {WORDS[number % 4]}", f"ses_{number % 2}"))
    ledger.add(status("clm_3", "status", "revoked"), status("clm_4", "status", "revoked"))
    ledger.add(status("clm_4", "status", "active"), status("clm_5", "status", "erased"))
    ledger.add(status("art_29", "status", "erased"))
    ledger.add(turn("art_30", "a note on the depot", "ses_1"))
    return ledger


@pytest.fixture
def ledger() -> Ledger:
    return history()


@pytest.fixture
def path(tmp_path: Path, ledger: Ledger) -> Path:
    with closing(VectorIndex(tmp_path / "vectors.sqlite", Hashed(), ledger)) as index:
        for head in (20, ledger.head - 1, ledger.head):
            ledger_then = Ledger(*ledger.entries[:head])
            index._entries = ledger_then
            index.bring_up(head)
    return tmp_path / "vectors.sqlite"


def answers(path: Path, ledger: Ledger) -> list[list[Near]]:
    with closing(VectorIndex(path, Hashed(), ledger)) as index:
        index.bring_up(ledger.head)
        return [
            index.search(word, scopes=["acme"], kinds=KINDS, limit=50, as_of=at) for word in WORDS for at in (None, 18)
        ]


def test_whole_vectors_have_no_differences_and_their_file_stays(path: Path, ledger: Ledger) -> None:
    before = path.read_bytes()
    assert compare_vectors(path, ledger) == (ledger.head, [])
    assert path.read_bytes() == before


def test_a_changed_byte_is_found_or_changes_no_answer(path: Path, ledger: Ledger) -> None:
    """Bytes that hold something are changed, one at a time. The control: many changes did change an answer."""
    whole, expected, chance = path.read_bytes(), answers(path, ledger), random.Random(4)
    found = served = 0
    for place in chance.sample([place for place, byte in enumerate(whole) if byte], 150):
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        _, wrong = compare_vectors(path, ledger)
        found += bool(wrong)
        try:
            same = answers(path, ledger) == expected
        except (ModelMismatch, Damaged):
            same = False
        served += not same
        assert same or wrong, f"byte {place} changes an answer and was not found"
        for beside in path.parent.glob(f"{path.name}-*"):
            beside.unlink()
    assert found > 60 and served > 12


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM documents WHERE id = 'clm_7'", "1 texts have no vector, 0 vectors"),
        ("UPDATE documents SET id = 'clm_99' WHERE id = 'clm_7'", "1 texts have no vector, 1 vectors"),
        ("UPDATE documents SET marks = 1 WHERE id = 'clm_7'", "1 vectors stand otherwise"),
        ("UPDATE scopes SET path = 'acme/ana'", "vectors stand otherwise"),
        ("UPDATE documents SET vector = signs WHERE id = 'clm_7'", "1 vectors were changed"),
        ("UPDATE documents SET turn = turn + 1 WHERE id = 'art_20'", "1 vectors were changed"),
        ("UPDATE state SET value = 'other' WHERE name = 'model'", "what it says of its model was changed"),
        ("UPDATE state SET value = '7' WHERE name = 'applied'", "another ledger"),
        ("PRAGMA application_id = 7", "no file of vectors"),
        ("PRAGMA user_version = 2", "no file of vectors"),
        ("DROP TABLE scopes", "cannot be read"),
    ],
)
def test_each_change_is_told(path: Path, ledger: Ledger, change: str, said: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    assert said in "; ".join(compare_vectors(path, ledger)[1])


def test_a_file_of_an_earlier_format_is_made_anew(path: Path, ledger: Ledger) -> None:
    expected = answers(path, ledger)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    assert compare_vectors(path, ledger) == (0, ["it is no file of vectors that this version makes"])
    embedder = Hashed()
    with closing(VectorIndex(path, embedder, ledger)) as index:
        index.bring_up(ledger.head)
        assert embedder.seen == len(index) == 28
    assert compare_vectors(path, ledger) == (ledger.head, []) and answers(path, ledger) == expected
