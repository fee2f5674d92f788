"""Looking for what was erased: many texts at once, in every form, in every byte of some files.

The texts are cut into fragments. A fragment that what remains also holds (another person's claim, the words of the
format itself) proves nothing and is not looked for; neither is one of a few letters, which any file holds by chance.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkg.text import match_form

#: shortest fragment, in bytes of UTF-8, and the length from which letters match in either case
LEAST: Final = 6
_ANY_CASE: Final = 8
#: characters of one fragment, and bytes of one portion of a file
_PIECE: Final = 48
_BLOCK: Final = 1 << 22
#: places of the data that are looked at together, so that what is computed of them stays in the cache
_CHUNK: Final = 1 << 16
#: patterns whose windows are counted together, and bits of the places they are counted in
_TOGETHER: Final = 8_192
_COUNTED: Final = 20
#: odd, with its bits spread: a product's high bits depend on all bits of a window
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
#: most fragments looked for, spread evenly over what was erased
MOST: Final = 20_000
_RUN: Final = re.compile(r"[^\s]+")


class Residue(NamedTuple):
    """What a scan found: how much was looked at, and which fragments are where."""

    files: int
    bytes: int
    hits: tuple[tuple[str, int], ...]

    @property
    def found(self) -> int:
        """Return how many fragments were found, counted once for each file."""
        return sum(number for _, number in self.hits)


def forms(text: str) -> Iterator[bytes]:
    """Yield a text as it may stand in a file: UTF-8 (plain and normalised), UTF-16, escaped JSON, hex, base 64 by phase."""
    for one in dict.fromkeys((text, match_form(text))):
        plain = one.encode("utf-8", "surrogatepass")
        yield plain
        yield one.encode("utf-16-le", "surrogatepass")
        yield one.encode("utf-16-be", "surrogatepass")
        escaped = json.dumps(one)[1:-1].encode()
        if escaped != plain:
            yield escaped
        yield plain.hex().encode()
        for phase in range(3):
            # the first and last characters of base 64 depend on the neighbours, so only the middle is looked for
            coded = base64.b64encode(b"\x00" * phase + plain)
            yield coded[4 if phase else 0 : len(coded) - (4 if (len(plain) + phase) % 3 else 0)]


class Finder:
    """Finds any of many byte patterns in one pass over the bytes; letters match in either case, but in the shortest."""

    def __init__(self, patterns: Iterable[tuple[int, bytes]]) -> None:
        given = [(number, one) for number, one in patterns if len(one) >= LEAST]
        self._exact = _Side([(number, one) for number, one in given if len(one) < _ANY_CASE], LEAST)
        self._lower = _Side([(number, one.lower()) for number, one in given if len(one) >= _ANY_CASE], _ANY_CASE)
        self._longest = max((len(one) for _, one in given), default=0)

    def find(self, data: bytes) -> set[int]:
        """Return the numbers of the patterns that `data` holds."""
        return self._exact.find(data) | (self._lower.find(data.lower()) if self._lower else set())

    def find_in(self, path: Path) -> tuple[set[int], int]:
        """Return the numbers of the patterns that a file holds, and its size in bytes."""
        found, size, tail = set[int](), 0, b""
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                size += len(block)
                data = tail + block
                found |= self.find(data)
                tail = data[-self._longest :] if self._longest else b""
        return found, size


class _Side:
    """Patterns of at least `width` bytes, each known by one window of so many bytes of it.

    The window of a pattern is the one that fewest patterns share: what was erased begins as what remains begins, and a window
    that everything has would be looked at everywhere. The windows of the data go through a table by their hash, those that are
    left through a search for the window, and only then is a pattern compared as a whole.
    """

    def __init__(self, patterns: list[tuple[int, bytes]], width: int) -> None:
        self._width = width
        self._by_window: dict[int, list[tuple[int, int, bytes]]] = {}
        for (number, one), (window, at) in zip(patterns, _rarest([one for _, one in patterns], width), strict=True):
            self._by_window.setdefault(window, []).append((number, at, one))
        self._windows = np.array(sorted(self._by_window), dtype=np.uint64)
        # eight places for each window, so that one in eight of the data passes by chance at most
        self._bits = max(16, (8 * len(self._windows)).bit_length())
        self._table = np.zeros(1 << self._bits, dtype=bool)
        self._table[_hash(self._windows, self._bits)] = True

    def __bool__(self) -> bool:
        return bool(self._by_window)

    def find(self, data: bytes) -> set[int]:
        found = set[int]()
        if not self or len(data) < self._width:
            return found
        held = _windows(data, self._width)
        for start in range(0, len(held), _CHUNK):
            chunk = held[start : start + _CHUNK]
            near = np.flatnonzero(self._table[_hash(chunk, self._bits)])
            keys = chunk[near]
            known = np.minimum(np.searchsorted(self._windows, keys), len(self._windows) - 1)
            hit = self._windows[known] == keys
            for place, key in zip((near[hit] + start).tolist(), keys[hit].tolist(), strict=True):
                for number, at, one in self._by_window[key]:
                    if number not in found and place >= at and data.startswith(one, place - at):
                        found.add(number)
        return found


def _windows(data: bytes, width: int) -> NDArray[np.uint64]:
    """Return the `width` (at most eight) bytes at every place of `data` as numbers."""
    padded = np.frombuffer(data + bytes(8 - width), dtype=np.uint8)
    every = np.ndarray(len(data) - width + 1, dtype="<u8", buffer=padded.data, strides=(1,))
    if width == 8:
        return every
    return every & np.uint64((1 << 8 * width) - 1)


def _rarest(patterns: list[bytes], width: int) -> Iterator[tuple[int, int]]:
    """Yield for each pattern the window that fewest patterns seem to share, and where it begins."""
    counts = np.zeros(1 << _COUNTED, dtype=np.int64)
    every = [_windows(one, width) for one in patterns]
    for start in range(0, len(every), _TOGETHER):
        hashed = _hash(np.concatenate(every[start : start + _TOGETHER]), _COUNTED)
        counts += np.bincount(hashed, minlength=len(counts))
    for windows in every:
        at = int(counts[_hash(windows, _COUNTED)].argmin())
        yield int(windows[at]), at


def _hash(windows: NDArray[np.uint64], bits: int) -> NDArray[np.intp]:
    return ((windows * _ODD) >> np.uint64(64 - bits)).astype(np.intp)


def strings(text: str) -> Iterator[str]:
    """Yield every text in a JSON document, keys left out."""
    ahead: list[Any] = [json.loads(text)]
    while ahead:
        match ahead.pop():
            case str(one):
                yield one
            case list(many):
                ahead.extend(many)
            case dict(fields):
                ahead.extend(fields.values())


def fragments(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most `_PIECE` characters, cut between words where it can be."""
    piece = ""
    for match in _RUN.finditer(text):
        word = match.group()
        if piece and len(piece) + len(word) >= _PIECE:
            yield piece
            piece = ""
        piece = f"{piece} {word}" if piece else word
        while len(piece) > _PIECE:
            yield piece[:_PIECE]
            piece = piece[_PIECE:]
    if piece:
        yield piece


class Samples:
    """What is looked for: fragments of what was erased that nothing else holds."""

    def __init__(self, erased: Iterable[str], remains: Iterable[str]) -> None:
        offered = dict.fromkeys(piece for text in erased for one in strings(text) for piece in fragments(one))
        long = [one for one in offered if len(one.encode("utf-8", "surrogatepass")) >= LEAST]
        step = -(-len(long) // MOST) if long else 1
        chosen = long[::step]
        shared = set[int]()
        if chosen:
            finder = Finder(
                (n, one.lower().encode("utf-8", "surrogatepass")) for n, one in enumerate(map(_plain, chosen))
            )
            for portion in _portions(remains):
                shared |= finder.find(_plain(portion).lower().encode("utf-8", "surrogatepass"))
        self.offered = len(offered)
        self._texts = [one for n, one in enumerate(chosen) if n not in shared]
        self._finder = Finder((n, form) for n, one in enumerate(self._texts) for form in forms(one))

    def __len__(self) -> int:
        return len(self._texts)

    def scan(self, files: Iterable[tuple[str, Path]]) -> Residue:
        """Look at every byte, and at the name, of some files.

        Args:
            files: what each is called in the report, and where it is.
        """
        hits, count, total = [], 0, 0
        for name, path in files:
            found, size = self._finder.find_in(path)
            found |= self._finder.find(path.name.encode("utf-8", "surrogateescape"))
            count, total = count + 1, total + size
            if found:
                hits.append((name, len(found)))
        return Residue(count, total, tuple(hits))


def _portions(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts joined to portions of about a million characters: a search has a price of its own."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size > _BLOCK // 4:
            yield "\n".join(waiting)
            waiting, size = [], 0
    yield "\n".join(waiting)


def _plain(text: str) -> str:
    return " ".join(text.split())
