"""The search through all bytes: it finds exactly what looking for each pattern by itself finds."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.memory import residue
from tkg.memory.residue import Finder, Samples, forms

#: few letters, so that patterns overlap, begin alike and lie in each other
_BYTES = st.lists(st.sampled_from([b"a", b"A", b"b", b"\x00", b"\xff", b"abcABC", b"long run of "]), max_size=30).map(
    b"".join
)


def one_by_one(patterns: list[bytes], data: bytes) -> set[int]:
    """Return what looking for each pattern finds: from eight bytes on, letters match in either case."""
    found = set()
    for number, one in enumerate(patterns):
        whole, wanted = (data.lower(), one.lower()) if len(one) >= 8 else (data, one)
        if len(one) >= 6 and wanted in whole:
            found.add(number)
    return found


@given(patterns=st.lists(_BYTES, max_size=12), before=_BYTES, after=_BYTES, data=st.data())
def test_finds_what_looking_for_each_finds(
    patterns: list[bytes], before: bytes, after: bytes, data: st.DataObject
) -> None:
    there = data.draw(st.sampled_from(patterns)) if patterns else b""
    text = before + there + after
    found = Finder(enumerate(patterns)).find(text)
    assert found == one_by_one(patterns, text)
    assert not patterns or len(there) < 6 or patterns.index(there) in found


@pytest.mark.parametrize("block", [16, 40, 1 << 22])
def test_what_lies_across_two_portions_is_found(tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residue, "_BLOCK", block)
    path = tmp_path / "file"
    for place in range(90):
        path.write_bytes(bytes(place) + b"violet umbrella" + bytes(90 - place))
        assert Finder([(7, b"Violet Umbrella"), (8, b"violet umbrellas")]).find_in(path) == ({7}, 105)


def test_every_form_is_found_among_many_patterns_that_begin_alike() -> None:
    texts = [f"the same beginning of every text, number {number:05} ü" for number in range(3_000)]
    finder = Finder((number, form) for number, one in enumerate(texts) for form in forms(one))
    gone = texts[1234]
    for shape in (
        gone.encode(),
        gone.upper().replace("Ü", "ü").encode(),
        gone.encode("utf-16-le"),
        gone.encode("utf-16-be"),
        gone.encode().hex().upper().encode(),
        *(base64.b64encode(b"x" * phase + gone.encode() + b"tail") for phase in range(3)),
    ):
        assert finder.find(b"the same beginning of every text, number " * 50 + shape + b"and more") == {1234}
    assert finder.find(b"the same beginning of every text, number " * 500) == set()


def test_what_remains_elsewhere_is_not_looked_for(tmp_path: Path) -> None:
    samples = Samples(['["violet umbrella", "green kettle"]'], ["Ana owns a GREEN  kettle."])
    path = tmp_path / "file"
    path.write_bytes(b"green kettle")
    assert len(samples) == 1 and samples.scan([("f", path)]).found == 0
    path.write_bytes(b"-violet Umbrella-")
    assert samples.scan([("f", path)]).found == 1
