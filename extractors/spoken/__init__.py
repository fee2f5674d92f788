"""Dates and ranges as people say them: one phrase to the days it covers.

Wider than the grammar that searches sentences (`points`), because the caller knows that the phrase is a time: what a
person types at a prompt, a column of a table, the words behind "since". Number words become digits first; each form is
one pattern with one reader, and readers call each other. Conventions: the end of a named unit is included; "last N" and
"next N" leave out the day of writing; weeks start on Monday and are numbered by ISO 8601; seasons are EDTF's northern
meteorological ones; "early", "mid" and "late" are thirds, of a week its first or last three days.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from tkg.extractors.numerals import in_digits
from tkg.extractors.points import Direction, Point
from tkg.extractors.spoken import days, spans  # noqa: F401 - importing them registers their forms, in this order
from tkg.extractors.spoken.book import DateOrder, Phrase

__all__ = ["DateOrder", "read_spoken"]

#: other writings of one word, as (what is written, the word that the forms know)
_WRITINGS: Final = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"\btmrw\b|\btmr\b", "tomorrow"),
        (r"(?<![a-z])yr(s?)\b\.?", r"year\1"),
        (r"(?<![a-z])qtr(s?)\b\.?", r"quarter\1"),
        (r"(?<![a-z])wk(s?)\b\.?", r"week\1"),
        (r"(?<![a-z])mth(s?)\b\.?", r"month\1"),
        (r"(?<=\dst|\dnd|\drd|\dth)[- ]to[- ]last\b", " last"),
        (r"\bpenultimate\b|\b(?:next|2nd)[- ]to[- ]last\b|\blast but 1\b", "2nd last"),
    )
)


def read_spoken(
    text: str, reference: date, direction: Direction = "near", order: DateOrder | None = None
) -> Point | None:
    """Return the days that a phrase about time covers, or None when it names none or could be read in two ways.

    Args:
        text: a phrase such as "from 3 to 9 May", "the second half of last year", "two weeks after 1 March".
        reference: the day the text was written.
        direction: which way a phrase without a year or week points.
        order: how 03/04/2026 is read; None: not at all.
    """
    folded = in_digits(" ".join(text.lower().replace("’", "'").split()))
    for writing, word in _WRITINGS:
        folded = writing.sub(word, folded)
    try:
        return Phrase(reference, direction, order).read(folded.strip(" .,"))
    except (ValueError, OverflowError, KeyError):
        return None
