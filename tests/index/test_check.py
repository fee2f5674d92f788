"""A changed byte of an index is found, or changes no answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tkg.index.check import compare_index
from tkg.index.sqlite import SqliteIndex, open_index
from tkg.model.entry import Entry
from tkg.testing.index import KINDS, claim, entry, turn

WORDS = ["office", "store", "depot", "price", "seven", "subject1", "subject9", "meeting", "note"]
HISTORY = [
    *(entry(n, claim(f"clm_{n}", f"subject{n}", "place", WORDS[n % 3])) for n in range(1, 30)),
    *(entry(n, turn(f"art_{n}", f"note {n} of the meeting, {WORDS[n % 5]}", f"ses_{n % 2}")) for n in range(30, 60)),
]


def since(seq: int) -> Iterator[Entry]:
    return iter(HISTORY[seq:])


def opened(path: Path) -> SqliteIndex:
    return open_index(path, since, head=len(HISTORY))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    opened(tmp_path / "index.sqlite").close()
    return tmp_path / "index.sqlite"


def answers(path: Path) -> object:
    """Return what an index answers when it is opened as it is, whatever is wrong with it."""
    said: list[object] = []
    with closing(opened(path)) as index:
        for words in (" ".join(WORDS), *WORDS, *(f"{word} place" for word in WORDS)):
            said.append(index.search(words, scopes=["acme"], kinds=KINDS, limit=100))
            said.append(index.named(f"the place of {words}", scopes=["acme"], limit=50))
        said.append(index.beside([f"art_{n}" for n in range(30, 60)], scopes=["acme"]))
    return said


def test_a_whole_index_has_no_differences_and_its_file_stays(path: Path) -> None:
    before = path.read_bytes()
    assert compare_index(path, since) == (len(HISTORY), [])
    assert path.read_bytes() == before


def test_a_changed_byte_is_found_or_changes_no_answer(path: Path) -> None:
    """Bytes that hold something are changed, one at a time. The control: many changes did change an answer."""
    whole, expected, chance = path.read_bytes(), answers(path), random.Random(4)
    found = served = 0
    for place in chance.sample([place for place, byte in enumerate(whole) if byte], 300):
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        differs = bool(compare_index(path, since)[1])
        try:
            wrong = answers(path) != expected
        except Exception:  # noqa: BLE001 - whatever damage brings about; that it was found is what counts
            wrong = True
        assert differs or not wrong, f"byte {place} is served wrong and was not found"
        found, served = found + differs, served + wrong
        for one in path.parent.glob("index.sqlite?*"):
            one.unlink()
    assert found >= served > 20


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM named WHERE number = 3", "named"),
        ("UPDATE documents SET session = 'ses_x' WHERE id = 'art_31'", "documents"),
        ("UPDATE terms SET documents = 99 WHERE term = 'offic'", "terms"),
        ("UPDATE documents SET number = 1000 WHERE number = 1", "order"),
    ],
)
def test_what_only_some_look_ups_read_is_compared(path: Path, change: str, said: str) -> None:
    with closing(opened(path)) as index:
        assert index.connection.execute(change).rowcount >= 1
    applied, differs = compare_index(path, since)
    assert applied == len(HISTORY) and any(one.startswith(said) for one in differs)
