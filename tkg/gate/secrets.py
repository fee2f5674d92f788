"""Never-store: credentials, payment instruments and government identifiers, wherever they stand in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tkg.gate.rules import load
from tkg.gate.scan import Form, scan

_CARD: Final = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w])")


def luhn(digits: str) -> bool:
    """Return whether the check digit is right (ISO/IEC 7812-1)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _in_form(form: Form) -> str | None:
    for rule in load("secrets.toml"):
        if rule.pattern.search(form.plain) is not None:
            return rule.id
    for match in _CARD.finditer(form.plain):
        digits = re.sub(r"\D", "", match.group())
        if digits[0] in "23456" and luhn(digits):
            return "payment-card"
    return None


def find_secret(texts: Iterable[str]) -> str | None:
    """Return the kind of the first secret in `texts`, such as "jwt", or None. Never returns any of the text."""
    for text in texts:
        for reading in scan(text).forms:
            found = _in_form(reading)
            if found is not None:
                return found
    return None
