"""Which time a question asks about: a few rules on its words, each with a name that goes into the trace.

An explicit `valid_at` or `as_of` of the caller always wins over these. When no rule fires the question is about now.
Rules are for English; a question in another language is about now unless the caller says otherwise.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from tkg.model.time import BEGINNING, Instant, to_instant
from tkg.recall.model import Intent

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR: Final = r"(?:19|20)\d{2}"
#: one date at day, month or year grain
_DATE: Final = re.compile(
    rf"""\b(?:
      (?P<iso>{_YEAR}-\d{{2}}(?:-\d{{2}})?)(?!-?\d)
    | (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})\.?,?\s+(?P<y1>{_YEAR})
    | (?P<m2>{_MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>{_YEAR})
    | (?P<m3>{_MONTH})\.?,?\s+(?P<y3>{_YEAR})
    | (?P<y4>{_YEAR})
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE_DATE: Final = re.compile(
    r"\b(in|on|during|at|as of|by|back in|throughout|until|before|after|since)\s*$", re.IGNORECASE
)
_BELIEF: Final = re.compile(
    r"\b(?:did|had)\s+(?:we|i|you|they|people|anyone|the \w+)\s+(?:\w+\s+)?(?:believe|believed|know|known|think|thought|assume|assumed)\b"
    r"|\bwas\s+(?:believed|known|thought|recorded|on record)\b",
    re.IGNORECASE,
)
#: "used to" of the past, not "is it used to light the pier" or "we are used to it"
_USED_TO: Final = re.compile(r"\b(?:did|do|does)\b.{0,60}\buse to\b|\bused to\b", re.IGNORECASE | re.DOTALL)
_IS_USED_TO: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being|get|gets|got)\s+(?:[\w'-]+\s+){0,3}used to\b", re.IGNORECASE
)
_FORMER: Final = re.compile(
    r"\b(?:formerly|previously|in the past|originally|history of|earlier value)\b", re.IGNORECASE
)
_WHEN: Final = re.compile(
    r"\b(?:when\s+(?:did|was|were|had)|since\s+when|how\s+long\s+(?:ago|did|was|were|had|has|have))\b", re.IGNORECASE
)
#: a question about what happened, whenever that was
_HAPPENED: Final = re.compile(r"\b(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_NOW: Final = re.compile(
    r"\b(?:now|currently|current|today|at the moment|these days|latest|at present)\b", re.IGNORECASE
)


def _span(match: re.Match[str]) -> tuple[datetime, datetime] | None:
    """Return the half-open span of a date, or None where the calendar has no such day."""
    try:
        if iso := match["iso"]:
            parts = [int(part) for part in iso.split("-")]
            year, month, day = parts[0], parts[1], parts[2] if len(parts) == 3 else None
        elif match["y1"]:
            year, month, day = int(match["y1"]), _MONTHS[match["m1"].lower()], int(match["d1"])
        elif match["y2"]:
            year, month, day = int(match["y2"]), _MONTHS[match["m2"].lower()], int(match["d2"])
        elif match["y3"]:
            year, month, day = int(match["y3"]), _MONTHS[match["m3"].lower()], None
        else:
            start = datetime(int(match["y4"]), 1, 1, tzinfo=UTC)
            return start, start.replace(year=start.year + 1)
        if day is not None:
            start = datetime(year, month, day, tzinfo=UTC)
            return start, start + timedelta(days=1)
        start = datetime(year, month, 1, tzinfo=UTC)
        return start, start.replace(year=year + month // 12, month=month % 12 + 1)
    except ValueError:
        return None


def _date(query: str) -> tuple[str, str, datetime, datetime] | None:
    """Return (preposition, phrase, start, end) of the first date a preposition introduces."""
    for match in _DATE.finditer(query):
        before = _BEFORE_DATE.search(query[: match.start()])
        span = _span(match)
        if before and span:
            return before[1].lower(), match.group(), *span
    return None


def read_intent(query: str, now: Instant) -> Intent:
    """Return the time that `query` asks about.

    Args:
        query: the words as asked.
        now: the time of asking, which "until 2025" and "before" are relative to.
    """
    dated = _date(query)
    if _BELIEF.search(query) and dated is not None:
        _, phrase, start, end = dated
        last = min(to_instant(end) - 1, now)
        return Intent(mode="at", rule="believed_on", start=last, end=last + 1, belief_at=last, phrase=phrase)
    if _NOW.search(query):
        return Intent()
    if dated is not None:
        preposition, phrase, start, end = dated
        if preposition in ("before", "until", "by"):
            return Intent(
                "range", "before_date", BEGINNING, to_instant(start if preposition == "before" else end), None, phrase
            )
        if preposition in ("after", "since"):
            begins = to_instant(end if preposition == "after" else start)
            return Intent("range", "after_date", begins, max(now, begins) + 1, None, phrase)
        return Intent("range", "in_date", to_instant(start), to_instant(end), None, phrase)
    if _WHEN.search(query):
        return Intent(mode="ever", rule="when")
    if (_USED_TO.search(query) and not _IS_USED_TO.search(query)) or _FORMER.search(query):
        return Intent(mode="ever", rule="past")
    return Intent(happened=bool(_HAPPENED.search(query)))
