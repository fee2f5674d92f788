"""The rows of a file of vectors: as a search needs them in memory, and the sum that tells whether one was changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkg.index.port import Vectors

#: "tkgv": marks an SQLite file as one of vectors (`PRAGMA application_id`)
APPLICATION: Final = 0x746B6776
#: its format (`PRAGMA user_version`); up to format 3 a turn was embedded by itself
FORMAT: Final = 4
_SUM: Final = 8


def row_sum(row: Sequence[int | str | bytes]) -> bytes:
    """Return a short digest over the fields of a row: number, id, kind, slot, scope, seq, session, turn, signs, vector.

    Nothing but the vector itself says what it should be, short of embedding the text again.
    """
    found = hashlib.blake2b(digest_size=_SUM)
    for field in row:
        part = field if isinstance(field, bytes) else str(field).encode("utf-8", "surrogatepass")
        found.update(len(part).to_bytes(4, "big") + part)
    return found.digest()


def state_sum(state: Mapping[str, str]) -> str:
    """Return a short digest of what never changes in a file: the model, and how many numbers its vectors have."""
    return row_sum([state["model"], state["dimension"]]).hex()


def signs_of(vectors: Vectors) -> NDArray[Any]:
    """Return the sign of every number as one bit, in words of 64."""
    packed = np.packbits(vectors > 0, axis=1)
    short = -packed.shape[1] % 8
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, short)))).view("<u8")


class Rows:
    """What a search needs of every row, in the order of their numbers; grown by doubling."""

    def __init__(self, dimension: int) -> None:
        self._words = -(-dimension // 64)
        self._count = 0
        self._fields: dict[str, NDArray[Any]] = {
            name: np.zeros(0, dtype=kind)
            for name, kind in (("number", "i8"), ("scope", "i4"), ("kind", "i2"), ("seq", "i8"), ("marks", "u1"))
        }
        self._signs = np.zeros((self._words, 0), dtype="<u8")

    def __len__(self) -> int:
        return self._count

    def extend(self, rows: Sequence[tuple[int, int, int, int, int, bytes]]) -> None:
        """Add rows: number, scope, kind, sequence number, marks, signs."""
        if not rows:
            return
        signs = np.frombuffer(b"".join(row[5] for row in rows), dtype="<u8").reshape(len(rows), -1)
        end = self._count + len(rows)
        if end > self._signs.shape[1]:
            room = max(end, 2 * self._count, 1_024) - self._signs.shape[1]
            self._signs = np.pad(self._signs, ((0, 0), (0, room)))
            self._fields = {name: np.pad(held, (0, room)) for name, held in self._fields.items()}
        for place, name in enumerate(self._fields):
            self._fields[name][self._count : end] = [row[place] for row in rows]
        self._signs[:, self._count : end] = signs.T
        self._count = end

    def _field(self, name: str) -> NDArray[Any]:
        return self._fields[name][: self._count]

    def _place(self, number: int | None) -> int | None:
        if number is None:
            return None
        place = int(np.searchsorted(self._field("number"), number))
        return place if place < self._count and self._field("number")[place] == number else None

    def mark(self, number: int | None, bit: int, *, fallen: bool) -> None:
        """Set or take away a mark."""
        if (place := self._place(number)) is not None:
            held = int(self._fields["marks"][place])
            self._fields["marks"][place] = held | bit if fallen else held & ~bit

    def visible(self, scopes: Sequence[int], kinds: Sequence[int], as_of: int | None) -> NDArray[np.int64]:
        """Return the places of the rows that a search may look at."""
        seen = np.zeros(self._count, dtype=bool)
        for scope in scopes:
            seen |= self._field("scope") == scope
        kind = np.zeros(self._count, dtype=bool)
        for one in kinds:
            kind |= self._field("kind") == one
        seen &= kind
        seen &= self._field("marks") == 0 if as_of is None else self._field("seq") <= as_of
        return np.flatnonzero(seen)

    def nearest(self, rows: NDArray[np.int64], asked: NDArray[Any], most: int) -> NDArray[np.int64]:
        """Return the numbers of the `most` rows whose signs differ least from `asked`, equal ones by number."""
        if len(rows) > most:
            apart = np.zeros(len(rows), dtype=np.int64)
            whole = len(rows) == self._count
            for word in range(self._words):
                line = self._signs[word, : self._count]
                apart += np.bitwise_count((line if whole else line[rows]) ^ asked[word])
            # the place in the low bits makes the choice among equals the same everywhere
            rows = np.partition(apart << 32 | rows, most - 1)[:most] & 0xFFFFFFFF
        found: NDArray[np.int64] = np.sort(self._field("number")[rows])
        return found
