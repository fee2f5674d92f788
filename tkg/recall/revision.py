"""Which text of an origin takes another's place: a change it states, and claims that superseded each other.

An origin backs only its latest assertion (design, "Settled" 1). For claims belief decides that slot by slot. Texts keep
values that were never made into claims, so here the question itself names the slot: two turns of one origin and class
give a value of the same kind (an amount, a share, a time, a date, a number) in sentences that share the question's
words, the values differ, and the later sentence says that something changed ("increased to", "now", "rescheduled").
Then the later turn goes before the earlier one, whatever their scores. Nothing is hidden, and a mere later date is
not enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tkg.recall.judge import Standing
from tkg.recall.words import content_words

#: share of the question's words that both sentences must hold
_SHARED: Final = 0.3
#: characters of a text that are looked at
_LOOKED_AT: Final = 4_000
#: what is set apart as code is no statement
_CODE: Final = re.compile(r"```[^`]{0,100000}(?:```|\Z)")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]{0,6}"
_VALUE: Final = re.compile(
    rf"""(?P<money>[$€£]\s?\d[\d,]*(?:\.\d+)?k?)
    |(?P<share>\b\d+(?:\.\d+)?\s?%)
    |(?P<time>\b\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b)
    |(?P<date>\b{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}/\d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b)
    |(?P<measure>\b\d[\d,.]*\s?(?:ms|kb|mb|gb|px|cm|km|kg)\b)
    |(?P<number>\b\d[\d,]*(?:\.\d+)?\b)""",
    re.IGNORECASE | re.VERBOSE,
)
#: words by which a sentence says that a value is not what it was
_CHANGE: Final = re.compile(
    r"""\b(?:increas|decreas|rais|reduc|lower|adjust|updat|chang|mov|reschedul|extend|shorten|push|postpon|delay|improv
    |grow|grew|reach|cut|bump|switch|revis|recent|new|latest|add|expand|rose|risen|drop|went|extra|current)[a-z]{0,7}\b
    |\b(?:now|total|instead|already|actually|just)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SPACE: Final = re.compile(r"[\s,]")


class Statement(NamedTuple):
    """One sentence that gives values: them by kind, its content words, and whether it says that something changed."""

    values: dict[str, frozenset[str]]
    words: frozenset[str]
    changes: bool


def statements(text: str) -> list[Statement]:
    """Return the sentences of a text that give a value."""
    found = []
    for sentence in _SENTENCE.split(_CODE.sub(" ", text[:_LOOKED_AT])):
        values: dict[str, set[str]] = {}
        for match in _VALUE.finditer(sentence):
            values.setdefault(match.lastgroup or "", set()).add(_SPACE.sub("", match.group().lower()))
        if values:
            given = {kind: frozenset(each) for kind, each in values.items()}
            found.append(Statement(given, content_words(sentence), _CHANGE.search(sentence) is not None))
    return found


def changes(later: Iterable[Statement], earlier: Sequence[Statement], asked: frozenset[str]) -> bool:
    """Return whether a later text states a changed value for what an earlier one says, of what is asked.

    Args:
        later: statements of the later text.
        earlier: statements of the earlier one.
        asked: content words of the question.
    """
    for one in later:
        for other in earlier if one.changes else ():
            differ = any(one.values[kind] - other.values[kind] for kind in one.values.keys() & other.values.keys())
            if differ and asked and len(asked & one.words & other.words) >= _SHARED * len(asked):
                return True
    return False


def stated_changes(texts: Sequence[Standing], asked: frozenset[str]) -> list[tuple[str, str]]:
    """Return (earlier, later) for each pair of texts of one origin and class of which the later states a change.

    Args:
        texts: episodes that may be shown.
        asked: content words of the question.
    """
    ordered = sorted(texts, key=lambda one: (one.observed_at, one.seq, one.id))
    read = [(one, statements(one.text)) for one in ordered]
    read = [(one, said) for one, said in read if said]
    return [
        (earlier.id, later.id)
        for place, (later, said) in enumerate(read)
        for earlier, before in read[:place]
        if earlier.channel is later.channel and earlier.origins & later.origins and changes(said, before, asked)
    ]


def replaced(
    texts: Sequence[Standing], asked: frozenset[str], superseded: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return all (earlier, later) pairs of texts: changes stated in words, and those behind superseded claims.

    Args:
        texts: episodes that may be shown.
        asked: content words of the question.
        superseded: (turn of a superseded claim, turn of the claim that superseded it), as ids of episodes.
    """
    return list(dict.fromkeys((*superseded, *stated_changes(texts, asked))))
