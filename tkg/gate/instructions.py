"""Instruction shape: does a text tell its reader what to do? A hint that lowers trust; provenance is the control."""

from __future__ import annotations

from collections.abc import Iterable

from tkg.gate.rules import load
from tkg.gate.scan import scan


def find_instruction(texts: Iterable[str]) -> str | None:
    """Return a half sentence that says what in `texts` looks like an instruction, or None."""
    for text in texts:
        seen = scan(text)
        for reading in seen.forms:
            for rule in load("instructions.toml"):
                if rule.pattern.search(reading.folded) is not None:
                    return rule.sentence
        if seen.bidi:
            return "it holds characters that change the direction of text"
    return None
