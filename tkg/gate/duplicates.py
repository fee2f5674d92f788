"""When two statements say the same. Never by likeness: one changed word can turn a statement round.

"The door permits badge entry" and "The door blocks badge entry" share most of their words; so do 14 and 41, or May and
March. A duplicate is the same words in the same order once spelling, case, articles and punctuation are set aside.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tkg.text import match_form

_WORD: Final = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W_]+(?:['\u2019-][^\W_]+)*|[^\w\s]")
_ARTICLES: Final = frozenset({"a", "an", "the"})


def _words(text: str) -> tuple[str, ...]:
    """The words and numbers of a statement, and the signs that change a value (minus, percent, currency, arithmetic)."""
    plain, kept = match_form(text), []
    for word in _WORD.findall(plain):
        sign = len(word) == 1 and not word.isalnum()
        if word in _ARTICLES or (sign and unicodedata.category(word)[0] == "P" and word not in "%-/&*#@"):
            continue
        kept.append(word.replace("\u2019", "'"))
    # a name that is nothing but an article or signs ("The The", "?!") is compared as it stands
    return tuple(kept) or ((plain,) if plain else ())


def same_statement(left: str, right: str) -> bool:
    """Return whether two statements are one: equal in words, digits, dates and signs, and in their order."""
    words = _words(left)
    return words == _words(right) and bool(words)
