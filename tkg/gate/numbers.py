"""Numbers that prove themselves: payment cards, bank accounts, identifiers with a check digit.

Check digits are python-stdnum's business; here is which runs of digits are looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Final

from stdnum import iban as stdnum_iban
from stdnum import luhn

from tkg.gate.rules import Pattern, compile_pattern, table
from tkg.gate.scan import Form

_RUN: Final = re.compile(r"\d(?:[ ._/-]{0,3}\d)*", re.ASCII)
_GROUP: Final = re.compile(r"\d+", re.ASCII)
_CARD_WORD: Final = re.compile(r"(?i)\b(?:cards?|visa|master ?card|maestro|amex|debit|credit|pan|karte|carte)\b")
#: how cards are printed
_PRINTED: Final = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 1), (6, 13), (4, 4, 5)})
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])", re.ASCII)
_ALNUM: Final = re.compile(r"[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*", re.ASCII)
_SEPARATOR: Final = re.compile(r"[ -]")
#: characters on either side of a bare number in which the word that names it must stand
_NEAR: Final = 60


def _issuer(digits: str) -> str | None:
    """Return how surely a number of this beginning and length is a card: "sure", "word" (beside a card word), None."""
    size, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    if digits[0] == "4":
        return "sure" if size in {16, 19} else "word" if size == 13 else None
    if size == 16 and (51 <= two <= 55 or 2221 <= four <= 2720 or 2200 <= four <= 2204 or 3528 <= four <= 3589):
        return "sure"
    if size == 15 and two in {34, 37}:
        return "sure"
    if size == 14 and (two in {36, 38} or 300 <= three <= 305):
        return "sure"
    if 16 <= size <= 19 and (four == 6011 or two in {62, 65} or 644 <= three <= 649):
        return "sure"
    return "word" if 12 <= size <= 19 and (two in {50, 56, 57, 58} or digits[0] == "6") else None


def _is_card(sizes: tuple[int, ...], digits: str, whole: bool, word: bool) -> bool:
    if not 12 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    if not (sizes in _PRINTED or (len(sizes) == 1 and (whole or len(digits) >= 15)) or (whole and word)):
        return False
    issuer = _issuer(digits)
    return issuer is not None and (issuer == "sure" or word) and bool(luhn.is_valid(digits))


def card(text: str) -> str | None:
    """Return "payment-card" where `text` holds a card number with a right check digit (ISO/IEC 7812-1)."""
    for match in _RUN.finditer(text):
        start, end = match.span()
        if end - start < 12 or text[start - 1 : start].isalpha() or text[end : end + 1].isalnum():
            continue
        if start >= 2 and text[start - 1] in ".," and text[start - 2].isdigit():
            continue  # the digits after a decimal point
        groups = _GROUP.findall(match.group())
        word = _CARD_WORD.search(text[max(0, start - _NEAR) : end + _NEAR]) is not None
        for first in range(len(groups)):
            for last in range(first + 1, min(first + 6, len(groups)) + 1):
                chosen = groups[first:last]
                whole = len(chosen) == len(groups)
                if _is_card(tuple(map(len, chosen)), "".join(chosen), whole, word):
                    return "payment-card"
        spelt = 12 <= len(groups) <= 19 and all(len(group) == 1 for group in groups)
        if (word or spelt) and _is_card((0,), "".join(groups), True, word):
            return "payment-card"
    return None


def iban(text: str) -> str | None:
    """Return "bank-account" where `text` holds an IBAN with a right check (ISO 13616)."""
    lengths = table("secrets.toml")["iban"]
    for match in _IBAN.finditer(text):
        size = lengths.get(match.group()[:2].upper())
        if size is None:
            continue
        part = text[match.start() : match.start() + 2 * size]
        taken = _ALNUM.match(part)
        digits = "" if taken is None else _SEPARATOR.sub("", taken.group())
        if len(digits) >= size and stdnum_iban.is_valid(digits[:size], check_country=False):
            return "bank-account"
    return None


@dataclass(frozen=True, slots=True)
class _Kind:
    id: str
    pattern: Pattern
    validator: Any
    near: tuple[str, ...]


@cache
def _kinds() -> tuple[_Kind, ...]:
    return tuple(
        _Kind(
            id=entry["id"],
            pattern=compile_pattern(entry["pattern"]),
            validator=import_module("stdnum." + entry["module"]) if entry["module"] else None,
            near=tuple(entry.get("near", ())),
        )
        for entry in table("secrets.toml")["number"]
    )


@cache
def _whole_word(word: str) -> re.Pattern[str]:
    """Words of up to four letters count whole ("sin", not "business"), longer ones as beginnings."""
    return re.compile(rf"(?<![a-z]){re.escape(word)}" + (r"(?![a-z])" if len(word) <= 4 else ""))


def _continues(text: str, start: int, end: int) -> bool:
    """Whether a grouped number goes on, by a separator it uses itself, outside the match: then it is another number."""
    used = {character for character in text[start:end] if character in " -."}
    before = start >= 2 and text[start - 1] in used and text[start - 2].isdigit()
    return before or (text[end : end + 1] in used and text[end + 1 : end + 2].isdigit())


def identifier(reading: Form) -> str | None:
    """Return the kind of the first government identifier in a reading, or None."""
    text = reading.plain
    folded = text.casefold()
    for kind in _kinds():
        if kind.near and not any(word in folded for word in kind.near):
            continue
        for match in kind.pattern.finditer(text):
            start, end = match.span()
            if _continues(text, start, end):
                continue
            around = folded[max(0, start - _NEAR) : end + _NEAR]
            if kind.near and not any(_whole_word(word).search(around) for word in kind.near):
                continue
            if kind.validator is None or kind.validator.is_valid(match.group()):
                return kind.id
    return None
