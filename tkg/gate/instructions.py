"""Instruction shape: does a text tell its reader what to do?

A hint that lowers trust and shows a reviewer where to look. It is no control: attackers word around patterns, so what a
text may do is decided by where it came from, and the gate holds with these rules switched off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from tkg.gate.rules import Pattern, Rule, compile_pattern, load
from tkg.gate.scan import Form, scan, turned, windows

_SPACED: Final = re.compile(r"\b\w(?:[ ._*-]\w){3,}\b")
_LEET: Final = str.maketrans("013457@$!|", "oieastasil")
_WORD: Final = re.compile(r"[\w@$!|]{3,}")


def _letters(match: re.Match[str]) -> str:
    """Digits and signs inside a word that also has letters, as the letters they stand for."""
    word = match.group()
    return word.translate(_LEET) if any(c.isalpha() for c in word) else word


def _readings(reading: Form) -> Iterator[str]:
    """Yield a reading and, where they differ, what it says without letter-spacing and digits for letters."""
    yield reading.folded
    joined = _SPACED.sub(lambda match: re.sub(r"[ ._*-]", "", match.group()), reading.folded)
    if joined != reading.folded:
        yield joined
    plain = _WORD.sub(_letters, joined)
    if plain != joined:
        yield plain


@cache
def _rules(weak: bool) -> tuple[Pattern, tuple[Rule, ...]]:
    """The rules of one strength, and all their patterns as one, which most texts need only."""
    rules = tuple(rule for rule in load("instructions.toml") if bool(rule.options.get("weak")) is weak)
    return compile_pattern("|".join(f"(?:{rule.source})" for rule in rules)), rules


def _first(text: str, *, weak: bool) -> str | None:
    anyone, rules = _rules(weak)
    for window in windows(text):
        for reading in scan(window).forms:
            for shown in _readings(reading):
                if anyone.search(shown) is not None:
                    return next(rule.sentence for rule in rules if rule.pattern.search(shown) is not None)
    return None


def find_instruction(texts: Iterable[str]) -> str | None:
    """Return a half sentence that says what in `texts` looks like an instruction, or None.

    Characters that turn the direction of text count as well: they make a reviewer read something else.
    """
    for text in texts:
        found = _first(text, weak=False)
        if found is not None:
            return found
        if turned(text):
            return "it holds characters that change the direction of text"
    return None


def find_request(value: str) -> str | None:
    """Return a half sentence where a claim's value reads like a request or question to its reader, or None."""
    return _first(value, weak=True)
