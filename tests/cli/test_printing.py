"""Nothing from outside reaches the terminal raw, and `--json` is always exactly one document."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import PERSON, Acme
from tkg.cli.dump import plain_line
from tkg.cli.screen import cell, json_text

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://example.invalid\x07link\x1b]8;;\x07",
    "\x1b[2J\x1b[H",
    "bell\x07 back\x08\x08\x08\x08 del\x7f",
    "c1 \x9b31m \x90 \x85",
    "over\rwritten",
    "bidi \u202e\u2066 sdrawkcab \u2069\u202c",
    "hidden \u200b\u200d\ufeff\u00ad text",
    "tags \U000e0041\U000e0042",
    "lines \u2028\u2029",
    "[bold red]markup[/bold red] [link=http://example.invalid]x[/link]",
    ":smile: [/] [",
    "two\nlines\tand a tab",
]


#: hidden or direction-changing format characters (the visible ones, such as the Arabic number sign, are harmless)
_HIDDEN = re.compile(
    "[\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def raw(text: str) -> list[str]:
    """Return the characters of `text` that a terminal would act on or hide."""
    return [
        c for c in text if c not in "\n\t" and (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or _HIDDEN.match(c))
    ]


def test_the_probe_finds_raw_characters() -> None:
    assert all(raw(one) for one in HOSTILE[:11]) and not raw("plain → text\n\t")


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_in_every_field_of_every_command(acme: Acme, number: int) -> None:
    text = HOSTILE[number]
    who = ("--channel", "human_stated", "--principal", f"ana {text}", "--session", f"chat {text}")
    options = (
        "--uri", f"guide {text}", "--version", text, "--quote", f"quote {text}", "--locator", text, "--owner", text,
        "--idempotency-key", text,
    )  # fmt: skip
    made = acme.claim(f"subject {text}", f"pred {text}", f"object {text}", *options, who=who)
    assert made.code == 0, made
    claim = made.json["claim_id"]
    held = acme.claim(f"held {text}", "p", f"object {text}", "--uri", text,
                      who=("--channel", "external", "--principal", f"web {text}"))  # fmt: skip
    assert held.code == 3
    derived = acme(
        "derive", *who, "--kind", "action", "--from", claim, f"do {text}", "--meta", f"tool={text}", "--json"
    )
    assert derived.code == 0, derived
    commands: list[tuple[str, ...]] = [
        ("recall", f"subject object {text}", "--session", text),
        ("value", f"subject {text}", f"pred {text}"),
        ("timeline", f"subject {text}", f"pred {text}"),
        ("show", claim),
        ("explain", claim),
        ("lineage", claim),
        ("exposure", claim),
        ("contradictions",),
        ("review",),
        ("export",),
        ("revoke", *PERSON, claim, "--reason", text, "--dry-run"),
        ("freeze", *PERSON, "--subject", text, "--predicate", text, "--reason", text),
        ("thaw", *PERSON, "--subject", text, "--predicate", text, "--reason", text),
        ("quarantine", *PERSON, claim, "--reason", f"why {text}"),
        ("release", *PERSON, "--source", f"guide {text}", "--reason", f"why {text}"),
        ("show", text),
        ("dispatch", *who, text),
    ]
    for words in commands:
        for form in ((), ("--json",)):
            result = acme(*words, *form)
            assert result.code in (0, 1, 2, 3), (words, result)
            assert raw(result.out) == [] and raw(result.err) == [], (words, result)
            if form and result.code in (0, 1):
                json.loads(result.out)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_arguments_are_echoed_safely(acme: Acme, text: str) -> None:
    for result in (
        acme.run(text),
        acme.run("recall", f"--{text}"),
        acme("propose", "--channel", text),
        acme("value", "a", "b", "--as-of", text),
        acme.run("export", "--store", f"/nonexistent/{text}", "--tenant", "acme"),
        acme.run("export", "--store", acme.store, "--tenant", text),
        acme("ingest", *PERSON, f"/nonexistent/{text}"),
    ):
        assert result.code == 2 and raw(result.err) == [] and raw(result.out) == [], result
        assert "Traceback" not in result.err


@given(st.text())
def test_json_is_printable_and_means_the_same(text: str) -> None:
    written = json_text({"a": text})
    assert re.fullmatch(r"[ -~]*", written) and json.loads(written) == {"a": text}


@given(st.dictionaries(st.text(), st.text()))
def test_lines_of_an_export_are_printable_and_mean_the_same(value: dict[str, str]) -> None:
    line = json.dumps(value, ensure_ascii=False)
    assert re.fullmatch(r"[ -~]*", plain_line(line)) and json.loads(plain_line(line)) == value


@given(st.text())
def test_cells_show_no_raw_character(text: str) -> None:
    assert raw(cell(text).plain) == []
