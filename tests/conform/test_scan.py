"""The scan finds a text in whatever form a file holds it."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.conform.scan import find, forms

TEXT = "CANARY-OSPREY-5521"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"\x00\x01" + TEXT.encode() + b"\xff",
        TEXT.lower().encode(),
        TEXT.encode("utf-16-le"),
        b"\x01" + TEXT.encode("utf-16-be"),
        TEXT.encode().hex().encode(),
        base64.b64encode(TEXT.encode()),
        base64.b64encode(b"x" + TEXT.encode() + b"yz"),
        base64.b64encode(b"xy" + TEXT.encode()),
    ],
)
def test_each_form_is_found(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file.bin").write_bytes(data)

    assert find(tmp_path, TEXT)
    assert find(tmp_path, "CANARY-GANNET-8034") == []


def test_a_name_counts_too(tmp_path: Path) -> None:
    (tmp_path / f"{TEXT}.md").touch()

    assert find(tmp_path, TEXT) == [f"{TEXT}.md (name)"]


def test_other_scripts_are_found_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('"\\u041e\\u0434\\u0435\\u0441\\u0441\\u0430"')

    assert find(tmp_path, "Одесса") == ["a.json (json)"]


@given(st.binary(max_size=20), st.text(min_size=8, max_size=30), st.binary(max_size=20))
def test_base64_is_found_wherever_the_text_stands(before: bytes, text: str, after: bytes) -> None:
    coded = base64.b64encode(before + text.encode() + after)

    assert any(name == "base64" and wanted in coded for name, wanted in forms(text))
