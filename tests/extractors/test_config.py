"""Every scalar of a YAML or JSON file is a candidate with its own characters, line and pointer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.errors import InvalidText, TkgError, TooLarge
from tkg.extractors import extract
from tkg.extractors.config import ConfigExtractor, Rule, leaves
from tkg.extractors.contract import Limits
from tkg.model.document import Document, Extracted

YAML = """\
# limits of the billing service
cutoff: "18:00 UTC"   # not 17:00
exception_reports:
  destination: case-management queue
  owners:
    - Ana
    - "Bea Lind"
empty:
nothing: ~
tenants:
  north-wind: {cutoff: '17:30', seats: 20}
note: |
  two
  lines
café: naïve 東京 🙂
"""


def found_in(text: str, uri: str = "conf/billing.yaml", **changes: object) -> list[Extracted]:
    media = "json" if uri.endswith("json") else "yaml"
    document = Document.build(text=text, uri=uri, media=media, observed_at=0)
    return ConfigExtractor(**changes).extract(document)  # type: ignore[arg-type]


def test_yaml_leaves_with_line_pointer_and_characters() -> None:
    found = found_in(YAML)
    assert [(i.subject, i.predicate, i.object, i.locator, i.quote) for i in found] == [
        ("billing", "cutoff", "18:00 UTC", "line=2 /cutoff", '"18:00 UTC"'),
        (
            "billing exception reports",
            "destination",
            "case-management queue",
            "line=4 /exception_reports/destination",
            "case-management queue",
        ),
        ("billing exception reports", "owners", "Ana", "line=6 /exception_reports/owners/0", "Ana"),
        ("billing exception reports", "owners", "Bea Lind", "line=7 /exception_reports/owners/1", '"Bea Lind"'),
        ("billing tenants north wind", "cutoff", "17:30", "line=11 /tenants/north-wind/cutoff", "'17:30'"),
        ("billing tenants north wind", "seats", "20", "line=11 /tenants/north-wind/seats", "20"),
        ("billing", "note", "two\nlines", "line=12 /note", "|\n  two\n  lines"),
        ("billing", "café", "naïve 東京 🙂", "line=15 /café", "naïve 東京 🙂"),
    ]
    assert all(YAML[item.start : item.end] == item.quote for item in found)


def test_json_leaves_are_exact_also_with_tabs() -> None:
    text = '{\n\t"service": {"timeout":\t"30s", "a/b": [1, 2.50, null, true]}\n}\n'
    found = found_in(text, "api.json")
    assert [(i.subject, i.predicate, i.object, i.locator) for i in found] == [
        ("api service", "timeout", "30s", "line=2 /service/timeout"),
        ("api service", "a/b", "1", "line=2 /service/a~1b/0"),
        ("api service", "a/b", "2.50", "line=2 /service/a~1b/1"),
        ("api service", "a/b", "true", "line=2 /service/a~1b/3"),
    ]
    assert all(text[item.start : item.end] == item.quote for item in found)


def test_rules_name_what_a_path_is_about() -> None:
    rules = [
        Rule("exception_reports.destination", "exception reports"),
        Rule("tenants.*.cutoff", "{1}", "cutoff_time"),
    ]
    found = [(i.subject, i.predicate, i.object) for i in found_in(YAML, rules=rules)]
    assert ("exception reports", "destination", "case-management queue") in found
    assert ("north-wind", "cutoff_time", "17:30") in found
    assert ("billing tenants north wind", "seats", "20") in found


def test_the_media_picks_the_extractor() -> None:
    (found,) = extract(Document(text="cutoff: 18:00", uri="billing.yaml", media="yaml", observed_at=0))
    assert (found.subject, found.predicate, found.object) == ("billing", "cutoff", "18:00")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a: [1, 2", InvalidText, r"not readable YAML or JSON at line 1"),
        ('{"a": }}', InvalidText, "not readable"),
        ("a: &x [*x]", InvalidText, "alias"),
        ("a: \x07", InvalidText, "not readable"),
        ("a: b: c", InvalidText, "line 1, column 5"),
        ("x: !!python/object/apply:os.system ['echo']\n\t- y", InvalidText, "not readable"),
        ("[" * 100 + "1" + "]" * 100, TooLarge, "64 levels"),
        ("[" * 5000, TkgError, "deep|not readable"),
    ],
)
def test_an_unreadable_file_is_one_clear_error(text: str, error: type[TkgError], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        found_in(text)
    assert "\n" not in str(raised.value)


def test_a_tag_is_read_as_text_and_never_run() -> None:
    (found,) = found_in("x: !!python/name:os.system hello")
    assert found.object == "hello"


def test_aliases_that_multiply_stop_at_the_limit() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(TooLarge, match="aliases counted at each use"):
        found_in("\n".join(lines))


def test_the_number_of_candidates_is_bounded() -> None:
    text = "\n".join(f"k{n}: {n}" for n in range(500))
    assert len(found_in(text)) == Limits().candidates
    assert len(found_in(text, limits=Limits(candidates=3))) == 3


_KEYS = st.text(min_size=1, max_size=8).filter(lambda key: bool(key.strip()) and "\x00" not in key)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(_VALUES, st.sampled_from([None, 0, 2]))
def test_any_json_value_gives_its_leaves_verbatim(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for leaf in leaves(text):
        shown = text[leaf.start : leaf.end]
        there: object = value
        for key in leaf.keys:
            there = there[int(key)] if isinstance(there, list) else there[key]  # type: ignore[index]
        assert json.loads(shown) == there


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    try:
        for item in found_in(text):
            assert text[item.start : item.end] == item.quote
    except TkgError as error:
        assert "\n" not in str(error)
