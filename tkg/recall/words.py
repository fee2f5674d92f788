"""The words of a question that carry meaning, in a form that inflection does not change. English only, and small.

Used to see which part of a question a found claim leaves open; matching itself is the index's business.
"""

from __future__ import annotations

import re
from typing import Final

from tkg.text import match_form

_WORD: Final = re.compile(r"[^\W_]+")
#: words that ask or join but name nothing
STOP: Final = frozenset(
    """a about after again all also am an and any are as at be been before being but by can could did do does doing for
    from had has have having he her here him his how i if in into is it its just know me more most much my no not now of
    off on once only or other our out over own please say says she should since so some such tell than that the their
    them then there these they this those through to too under until up us very was we were what when where which while
    who whom whose why will with would you your""".split()
)
_SUFFIXES: Final = ("ings", "ing", "ers", "er", "ies", "ed", "es", "s", "y")


def stem(word: str) -> str:
    """Return a word without its commonest endings; never shorter than three letters."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of `text` that name something."""
    return frozenset(stem(word) for word in _WORD.findall(match_form(text)) if word not in STOP)
