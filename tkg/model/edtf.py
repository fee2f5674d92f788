"""Reading dates of every grain: EDTF levels 0 and 1 (ISO 8601-2:2019), and the quarters and halves of level 2.

A date denotes a granule `[start, end)`. A mark or an unspecified digit makes its position uncertain: `~` and `?` pad
it by one granule on either side, `%` by two. Years run from -9999 to 9999 (0000 is 1 BC); before and after them a date is
refused. In an interval an end is somewhere in what it names, so `2026-03-15/2026` could end before it starts: refused.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tkg.errors import InvalidInterval, InvalidTime
from tkg.model.instant import BEGINNING, CYCLE_DAYS, FOREVER, Instant, earlier, to_instant, year_text


class Granule(NamedTuple):
    """What a date text denotes: `[start, end)`, its grain, and whether its position is uncertain.

    `grain`: year, month, day, season, quarter, quadrimester, half, decade, century, millennium, or instant (where
    `start == end`). With `approximate` the true date lies somewhere in `[start, end)`.
    """

    start: Instant
    end: Instant
    grain: str
    approximate: bool = False


class Bounds(NamedTuple):
    """What a date or an interval text denotes, in four bounds (see `tkg.model.time.Interval`)."""

    from_lo: Instant
    from_hi: Instant
    to_lo: Instant
    to_hi: Instant
    #: closed | open | unknown
    kind: str = "closed"

    @property
    def uncertain(self) -> bool:
        """Whether any bound is not exactly known."""
        return self.from_lo != self.from_hi or self.to_lo != self.to_hi


UNREADABLE: Final = (
    "the time cannot be read; pass 2026, 2026-03, 2026-03-01 or a timestamp with zone such as 2026-03-01T09:00:00Z; "
    "44 BC is -0043"
)
# there is one year 0, without a sign
_YEAR = re.compile(r"(?!-0000)(-?)([0-9]{1,4})(X{0,3})", re.ASCII)
_MONTH = re.compile(r"(?!-0000)(-?[0-9]{4})-([0-9]{2}|XX)", re.ASCII)
_DAY = re.compile(r"(?!-0000)(-?[0-9]{4})-([0-9]{2}|XX)-([0-9]{2}|XX)", re.ASCII)
_STAMP = re.compile(
    r"(?!-0000)(-?[0-9]{4})-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)?"
    r"(?:[Zz]|[+-][0-9]{2}(?::?[0-5][0-9])?)?",
    re.ASCII,
)
_LEAP = re.compile(r"(?<=:[0-9]{2}):60")
_SECOND: Final = 1_000_000

#: EDTF season codes -> (first month, months, grain); seasons are the northern meteorological ones unless said otherwise
_SEASONS: Final[dict[int, tuple[int, int, str]]] = {
    **{21 + i: (3 + 3 * i, 3, "season") for i in range(4)},
    **{25 + i: (3 + 3 * i, 3, "season") for i in range(4)},
    **{29 + i: ((9 + 3 * i - 1) % 12 + 1, 3, "season") for i in range(4)},
    **{33 + i: (1 + 3 * i, 3, "quarter") for i in range(4)},
    **{37 + i: (1 + 4 * i, 4, "quadrimester") for i in range(3)},
    **{40 + i: (1 + 6 * i, 6, "half") for i in range(2)},
}
_WIDTHS: Final = {0: "year", 1: "decade", 2: "century", 3: "millennium"}
_PADDING: Final = {"?": 1, "~": 1, "%": 2}


def zone_of(name: str) -> tzinfo:
    """Return the IANA zone of that name.

    Raises:
        InvalidTime: no such zone.
    """
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidTime("the time zone is not known; pass an IANA name such as Europe/Oslo") from None


def _cycles(year: int) -> int:
    """Return how many times 400 years lead from a year to one that a datetime can tell, zones and all."""
    return max(0, -((year - 2) // 400))


def _ordinal(year: int, month: int, day: int) -> int:
    """Return the number of a day, 1 on 0001-01-01; raises ValueError where there is no such day."""
    cycles = _cycles(year)
    return date(year + 400 * cycles, month, day).toordinal() - cycles * CYCLE_DAYS


def _month_start(year: int, month: int, zone: tzinfo) -> Instant:
    """Return the first instant of a month; months count on past 12 and back below 1."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if year > 9999:
        return FOREVER
    return BEGINNING if year < -9999 else _midnight(_ordinal(year, month, 1), zone)


def _midnight(ordinal: int, zone: tzinfo) -> Instant:
    """Return when a day begins in a zone, within the bounds of time."""
    if ordinal > date.max.toordinal():
        return FOREVER
    cycles = max(0, -((ordinal - 366) // CYCLE_DAYS))
    day = date.fromordinal(ordinal + cycles * CYCLE_DAYS)
    try:
        return earlier(to_instant(datetime(day.year, day.month, day.day, tzinfo=zone)), cycles)
    except OverflowError:
        # a zone west of Greenwich pushes the last day of 9999 past the end
        return FOREVER


def _months(year: int, first: int, length: int, padding: int, grain: str, zone: tzinfo) -> Granule:
    pad = padding * length
    start, end = _month_start(year, first - pad, zone), _month_start(year, first + length + pad, zone)
    return Granule(start, end, grain, padding > 0)


def _year_granule(match: re.Match[str], padding: int, zone: tzinfo) -> Granule | None:
    digits, unspecified = match[2], len(match[3])
    if len(digits) + unspecified != 4:
        return None
    width = 10**unspecified
    year = int(digits) * width
    if match[1]:
        year = -year - width + 1  # the digits left out lead away from the year 0
    found = _months(year, 1, 12 * width, padding, _WIDTHS[unspecified], zone)
    return found._replace(approximate=True) if unspecified else found


def _day_granule(match: re.Match[str], padding: int, zone: tzinfo) -> Granule | None:
    year, month, day = int(match[1]), match[2], match[3]
    if month == "XX":
        # a day of an unspecified month: "1985-XX-XX", "1985-XX-05"
        return _months(year, 1, 12, padding, "day", zone)._replace(approximate=True)
    if day == "XX":
        if not 1 <= int(month) <= 12:
            return None
        return _months(year, int(month), 1, padding, "day", zone)._replace(approximate=True)
    stated = _ordinal(year, int(month), int(day))
    return Granule(_midnight(stated - padding, zone), _midnight(stated + 1 + padding, zone), "day", padding > 0)


def date_granule(text: str, zone: tzinfo = UTC) -> Granule | None:
    """Read one date of EDTF level 0 or 1; None when it is none.

    Raises:
        ValueError: of that form, but no such day.
    """
    padding = _PADDING.get(text[-1:], 0)
    text = text[:-1] if padding else text
    if match := _YEAR.fullmatch(text):
        return _year_granule(match, padding, zone)
    if match := _MONTH.fullmatch(text):
        year = int(match[1])
        if match[2] == "XX":
            return _months(year, 1, 12, padding, "month", zone)._replace(approximate=True)
        month = int(match[2])
        if month in _SEASONS:
            first, length, grain = _SEASONS[month]
            return _months(year, first, length, padding, grain, zone)
        return _months(year, month, 1, padding, "month", zone) if 1 <= month <= 12 else None
    if match := _DAY.fullmatch(text):
        return _day_granule(match, padding, zone)
    return None


def read_when(text: str, zone: tzinfo = UTC) -> Granule:
    """Read one date or timestamp.

    Raises:
        InvalidTime: unreadable, or a clock time without a zone.
    """
    text = text.strip()
    try:
        if (granule := date_granule(text, zone)) is not None:
            return granule
        if (match := _STAMP.fullmatch(text)) is None:
            raise InvalidTime(UNREADABLE)
        cycles = _cycles(year := int(match[1]))
        plain = _LEAP.sub(":59", text)
        moment = datetime.fromisoformat(year_text(year + 400 * cycles) + plain[match.end(1) :])
        instant = earlier(to_instant(moment), cycles)
    except (ValueError, OverflowError):
        raise InvalidTime(UNREADABLE) from None
    if plain != text:
        # clocks that count 86400 s a day show a leap second as the midnight that follows it
        if instant // _SECOND % 86_400 != 86_399:
            raise InvalidTime(UNREADABLE)
        instant += _SECOND
    return Granule(instant, instant, "instant")


def read_edtf(text: str, zone: tzinfo = UTC) -> Bounds:
    """Read a date, a timestamp or an interval `A/B` (`..` open end, empty end unknown).

    A date that stands alone denotes its granule: certain for a plain date, of uncertain position with a mark.

    Raises:
        InvalidTime: unreadable.
        InvalidInterval: the interval is empty, or its end names a unit that began before its start.
    """
    bounds = bounds_of(text, zone)
    refuse_around(*text.strip().partition("/")[::2], zone)
    return bounds


def refuse_around(first: str, second: str, zone: tzinfo = UTC) -> None:
    """Refuse `first/second` where the end names a unit around the start, part of which lies before it.

    The marks for uncertain position do not count; an end with unspecified digits says itself that it is some day later.

    Raises:
        InvalidInterval: it is one of those.
    """
    first, second = first.strip(), second.strip()
    if first in ("", "..") or second in ("", "..") or "X" in second:
        return
    start, stop = (read_when(one[:-1] if one[-1] in _PADDING else one, zone) for one in (first, second))
    if stop.start < start.start < stop.end:
        raise InvalidInterval(
            "the end of the interval names a unit that began before its start, so it could end before it starts; "
            "give the end as finely as the start, such as 2026-03-15/2026-12-31"
        )


def bounds_of(text: str, zone: tzinfo = UTC) -> Bounds:
    """Return what a text denotes that was accepted earlier; an end around the start lasts through its unit.

    Raises:
        InvalidTime: unreadable.
        InvalidInterval: the interval is empty.
    """
    first, slash, second = text.strip().partition("/")
    if not slash:
        granule = read_when(first, zone)
        end = granule.end + (granule.grain == "instant")
        if granule.approximate:
            return Bounds(granule.start, end, granule.start, end)
        return Bounds(granule.start, granule.start, end, end)
    return interval_bounds(first.strip(), second.strip(), zone)


def interval_bounds(first: str, second: str, zone: tzinfo = UTC) -> Bounds:
    """Return the bounds from `first` to `second`, an end through all that it names; see `bounds_of`.

    Raises:
        InvalidTime: an end cannot be read.
        InvalidInterval: the interval is empty.
    """
    if first == ".." and second == "..":
        return Bounds(BEGINNING, BEGINNING, FOREVER, FOREVER, "open")
    if first == "" and second == "":
        raise InvalidTime("an interval with two unknown ends says nothing; give at least one end")
    start = None if first in ("", "..") else read_when(first, zone)
    stop = None if second in ("", "..") else read_when(second, zone)
    if start is None:
        from_lo, from_hi = BEGINNING, BEGINNING
        if first == "" and stop is not None:
            # it began at some time before its end's last granule; where that end is uncertain, before it at the latest
            from_hi = stop.end - 1 if stop.approximate or stop.grain == "instant" else stop.start
    else:
        from_lo, from_hi = start.start, start.end if start.approximate else start.start
    kind = "closed"
    if stop is not None:
        to_lo, to_hi = stop.start if stop.approximate else stop.end, stop.end
    elif second == "..":
        to_lo, to_hi, kind = FOREVER, FOREVER, "open"
    else:
        # an end exists and is not known: at least one granule after the start
        assert start is not None or first == ".."
        step = 1 if start is None or start.grain == "instant" else start.end - start.start
        to_lo, to_hi, kind = min(from_hi + step, FOREVER), FOREVER, "unknown"
    if from_lo >= to_hi:
        raise InvalidInterval(
            "the interval is empty: it must start before it ends; an end given as a date includes that day"
        )
    return Bounds(from_lo, max(from_lo, from_hi), to_lo, to_hi, kind)


__all__ = [
    "Bounds",
    "Granule",
    "bounds_of",
    "date_granule",
    "interval_bounds",
    "read_edtf",
    "read_when",
    "refuse_around",
    "zone_of",
]
