"""TOML, INI and .env files: every scalar with its keys, its value and its exact place."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.labelled import WRITTEN
from tkg.errors import InvalidText
from tkg.extractors import extract
from tkg.extractors.formats import read
from tkg.extractors.leaves import Leaf, env_leaves, ini_leaves, toml_leaves
from tkg.model.document import Document

TOML = '''title = "billing" # comment = "no"
[tenants.acme]
cutoff = 17:00:00
"quoted key".inner = 'C:\\raw'
ports = [ 80, 443, # web
  "x,y" ]
point = { x = 1, "y" = """two
lines""" }
[[servers]]
name = "a"
[servers.disk]
size = 2_000
[[servers]]
name = "b\\u0041"
'''


def flat(data: Any, keys: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    if isinstance(data, dict):
        return {k: v for key, value in data.items() for k, v in flat(value, (*keys, key)).items()}
    if isinstance(data, list):
        return {k: v for index, value in enumerate(data) for k, v in flat(value, (*keys, str(index))).items()}
    return {keys: data}


def test_toml_scalars_have_keys_values_and_places() -> None:
    found = {leaf.keys: leaf for leaf in toml_leaves(TOML)}
    assert found.keys() == flat(tomllib.loads(TOML)).keys()
    assert found["tenants", "acme", "cutoff"].value == "17:00:00" and found["tenants", "acme", "cutoff"].line == 3
    assert found["tenants", "acme", "quoted key", "inner"].value == "C:\\raw"
    assert found["tenants", "acme", "ports", "2"].value == "x,y"
    assert found["tenants", "acme", "point", "y"].value == "two\nlines"
    assert found["servers", "0", "disk", "size"].value == "2_000"
    assert found["servers", "1", "name"].value == "bA"
    leaf = found["title",]
    assert TOML[leaf.start : leaf.end] == "billing"


scalars = st.integers(-(10**9), 10**9) | st.booleans() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
trees = st.dictionaries(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=8),
    scalars | st.lists(scalars, max_size=3),
    max_size=5,
)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, int):
        return str(value)
    escaped = "".join(f"\\U{ord(c):08X}" if c in '"\\' or ord(c) < 32 or ord(c) == 127 else c for c in value)
    return f'"{escaped}"'


@given(trees)
def test_toml_leaves_are_what_the_standard_library_reads(tree: dict[str, Any]) -> None:
    text = "".join(f"{_written(key)} = {_written(value)}\n" for key, value in tree.items())
    expected = {
        keys: value if isinstance(value, str) else _written(value)
        for keys, value in flat(tomllib.loads(text)).items()
        if not isinstance(value, str) or value.strip()
    }
    assert {leaf.keys: leaf.value for leaf in toml_leaves(text)} == expected


def pairs(found: list[Leaf]) -> list[tuple[str, str, int]]:
    return [(".".join(leaf.keys), leaf.value, leaf.line) for leaf in found]


def test_ini_settings_by_section() -> None:
    text = "; comment\nglobal = 1\n[mail server]\nhost: smtp.example.com ; main\nport=25\n  continued\nempty =\n"
    assert pairs(list(ini_leaves(text))) == [
        ("global", "1", 2),
        ("mail server.host", "smtp.example.com", 4),
        ("mail server.port", "25", 5),
    ]


def test_env_settings() -> None:
    text = "# c\nexport REGION=eu-west-1 # here\nNAME='Ana Ruiz'\nURL=http://x/#y\nEMPTY=\n"
    assert pairs(list(env_leaves(text))) == [
        ("REGION", "eu-west-1", 2),
        ("NAME", "Ana Ruiz", 3),
        ("URL", "http://x/#y", 4),
    ]


@pytest.mark.parametrize(
    ("reader", "text"),
    [(toml_leaves, "a = "), (toml_leaves, "a = 1\na = 2"), (ini_leaves, "[a]\nwords"), (env_leaves, "two words")],
)
def test_what_is_not_of_the_form_is_refused(reader: Any, text: str) -> None:
    with pytest.raises(InvalidText):
        list(reader(text))


@given(st.sampled_from([toml_leaves, ini_leaves, env_leaves]), st.text(max_size=80))
def test_any_text_is_read_or_refused_and_places_are_right(reader: Any, text: str) -> None:
    try:
        found = list(reader(text))
    except InvalidText:
        return
    for leaf in found:
        assert 0 <= leaf.start <= leaf.end <= len(text)
        assert leaf.line == text.count("\n", 0, leaf.start) + 1
        if reader is not toml_leaves:
            assert text[leaf.start : leaf.end] == leaf.value


@pytest.mark.parametrize(
    ("name", "text"), [("billing.toml", '[acme]\ncutoff = "17:00"\n'), ("billing.ini", "[acme]\ncutoff = 17:00\n")]
)
def test_a_setting_becomes_a_candidate_with_its_line(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    (document,) = read(path, observed_at=WRITTEN)
    assert isinstance(document, Document)
    (found,) = extract(document)
    assert (found.subject, found.predicate, found.object, found.locator, found.quote) == (
        "billing acme", "cutoff", "17:00", "line=2 /acme/cutoff", "17:00",
    )  # fmt: skip
