"""Points in time as people type them: each option that takes one is read here, in one way and with one complaint."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final

import typer

from tkg.clock import SystemClock
from tkg.errors import InvalidTime
from tkg.extractors.points import Direction, Point
from tkg.extractors.spoken import read_spoken
from tkg.model.time import parse_when
from tkg.text import safe_text

#: what every option that takes a time says it takes
TIMES: Final = "2026, 2026-03, 2026-03-01, a timestamp with zone, or words such as 'last Friday'"
_AGO: Final = re.compile(r"(an?|[0-9]{1,6}) (minute|hour)s? ago", re.ASCII | re.IGNORECASE)
_NOW: Final = re.compile(r"(?:right )?now", re.IGNORECASE)
_TODAY: Final = re.compile(r"(?:as of )?today", re.IGNORECASE)
#: a bound that exists and is not known, and none at all
_OPEN: Final = ("", "..")
#: dates of these grains are written shorter
_SHORT: Final = {"year": 4, "month": 7}
#: how much of a text that cannot be read is shown
_SHOWN: Final = 40

#: what typer calls with the words of an option
Reader = Callable[[str | None], str | None]


def _moment(text: str, *, present: bool) -> str | None:
    """Return the instant that "now" or "3 hours ago" names; with `present`, "today" is now as well."""
    now = SystemClock().now()
    if _NOW.fullmatch(text) or (present and _TODAY.fullmatch(text)):
        return now.isoformat()
    if (ago := _AGO.fullmatch(text)) is None:
        return None
    number = int(ago[1]) if ago[1].isdigit() else 1
    return (now - timedelta(**{f"{ago[2].lower()}s": number})).isoformat()


def _date(point: Point, *, last: bool, today: date | None) -> str:
    """Return a date text; with `today`, a period that is not over ends today."""
    if point.grain in _SHORT:
        return point.first.isoformat()[: _SHORT[point.grain]]
    if not last:
        return point.first.isoformat()
    return (point.last if today is None or point.first > today else min(point.last, today)).isoformat()


def _reader(
    *, direction: Direction, last: bool = False, known: bool = False, present: bool = False, keep: tuple[str, ...] = ()
) -> Reader:
    """Return what reads the words of one kind of option.

    Args:
        direction: which way a day without a year or week lies, as in "Friday".
        last: of a week, a quarter, an end of a month the last day counts, not the first.
        known: what is asked about is what was known: also `tx:N`, and never the future.
        present: "today" means now.
        keep: texts with a meaning of their own, passed on.
    """

    def read(text: str | None) -> str | None:
        if text is None or text in keep or (known and text.strip().lower().startswith("tx:")):
            return text
        try:
            parse_when(text)
        except InvalidTime as unreadable:
            today = SystemClock().now().date()
            try:
                if (moment := _moment(text.strip(), present=present)) is not None:
                    return moment
            except OverflowError:
                raise _refused(text, f": {unreadable}") from None
            point = read_spoken(text, today, direction)
            if point is None:
                raise _refused(text, f": {unreadable}") from None
            if known and point.first > today:
                raise _refused(
                    text, f" is {point.first}, which has not come; leave the option out for what is known now"
                ) from None
            return _date(point, last=last, today=today if known else None)
        return text

    return read


def _refused(text: str, why: str) -> typer.BadParameter:
    shown = safe_text(text, one_line=True)
    return typer.BadParameter(f"'{shown[:_SHOWN]}{'…' if len(shown) > _SHOWN else ''}'{why}")


#: what a claim or a question is about: "today" as a question is about now
spoken_time: Final = _reader(direction="near", present=True)
#: when something begins to hold, and when it stops; unknown and open have forms of their own
spoken_start: Final = _reader(direction="near", keep=_OPEN)
spoken_end: Final = _reader(direction="near", last=True, keep=_OPEN)
#: begin and end of what was said or decided, which lies behind
past_start: Final = _reader(direction="past")
past_end: Final = _reader(direction="past", last=True)
#: `--as-of`
known_time: Final = _reader(direction="past", last=True, known=True)
