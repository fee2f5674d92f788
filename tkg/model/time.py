"""Instants and validity intervals with four bounds.

An instant is an integer: microseconds since 1970-01-01T00:00:00Z. Intervals are half-open `[from, to)`. A bound
that is not known exactly is a pair: `from_lo <= from_hi`, `to_lo <= to_hi`; the interval certainly covers
`[from_hi, to_lo)` and possibly `[from_lo, to_hi)` (Kleene's third value between them).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final, NamedTuple, Self
from zoneinfo import ZoneInfo

from pydantic import model_validator

from tkg.errors import InvalidInterval, InvalidTime
from tkg.model.base import Value

Instant = int

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
#: 0001-01-01T00:00:00Z: "since always"
BEGINNING: Final[Instant] = -62_135_596_800_000_000
#: 10000-01-01T00:00:00Z: "until changed" or "for ever"; never NULL
FOREVER: Final[Instant] = 253_402_300_800_000_000

When = str | date | datetime | None


class Certainty(StrEnum):
    """How surely two intervals share a point."""

    DEFINITE = "definite"
    POSSIBLE = "possible"
    NONE = "none"


def to_instant(moment: datetime) -> Instant:
    """Return `moment` as microseconds since the epoch.

    Raises:
        InvalidTime: `moment` is naive.
    """
    if moment.tzinfo is None:
        raise InvalidTime("the time has no zone; pass an aware datetime such as datetime(2026, 3, 1, tzinfo=UTC)")
    return (moment - _EPOCH) // _MICRO


def to_datetime(instant: Instant) -> datetime:
    """Return an instant as an aware UTC datetime (`FOREVER` and beyond have none: raises OverflowError)."""
    return _EPOCH + timedelta(microseconds=instant)


def iso(instant: Instant | None) -> str | None:
    """Return an instant as ISO 8601 text in UTC; None for FOREVER, BEGINNING and None."""
    if instant is None or instant >= FOREVER or instant <= BEGINNING:
        return None
    text = to_datetime(instant).isoformat()
    return text.replace("+00:00", "Z")


class Granule(NamedTuple):
    """What a date text denotes: `[start, end)`, its grain, and whether its edges are approximate."""

    start: Instant
    end: Instant
    grain: str  # "year" | "month" | "day" | "instant" | "decade" | ...
    approximate: bool = False


_YEAR = re.compile(r"^(\d{4})$")
_MONTH = re.compile(r"^(\d{4})-(\d{2})$")
_DAY = re.compile(r"^(\d{4})-(\d{2})-(\d{2})$")


def _midnight(year: int, month: int, day: int, zone: tzinfo) -> Instant:
    if year > 9999:
        return FOREVER
    return to_instant(datetime(year, month, day, tzinfo=zone))


def _date_granule(text: str, zone: tzinfo) -> Granule | None:
    if match := _YEAR.match(text):
        year = int(match[1])
        return Granule(_midnight(year, 1, 1, zone), _midnight(year + 1, 1, 1, zone), "year")
    if match := _MONTH.match(text):
        year, month = int(match[1]), int(match[2])
        after = (year + 1, 1) if month == 12 else (year, month + 1)
        return Granule(_midnight(year, month, 1, zone), _midnight(*after, 1, zone), "month")
    if match := _DAY.match(text):
        day = date(int(match[1]), int(match[2]), int(match[3]))
        start = _midnight(day.year, day.month, day.day, zone)
        if day == date.max:
            return Granule(start, FOREVER, "day")
        after_day = day + timedelta(days=1)
        return Granule(start, _midnight(after_day.year, after_day.month, after_day.day, zone), "day")
    return None


def parse_when(value: str | date | datetime, *, zone: str = "UTC") -> Granule:
    """Read one date or time.

    Args:
        value: `2026`, `2026-03`, `2026-03-01`, an ISO 8601 timestamp with zone, a date, or an aware datetime; an
            approximate (`~`), uncertain (`?`) or both (`%`) mark after a date is kept as `approximate`.
        zone: IANA zone in which dates without one are read.

    Raises:
        InvalidTime: unreadable, or a clock time without a zone.
    """
    if isinstance(value, datetime):
        instant = to_instant(value)
        return Granule(instant, instant, "instant")
    info: tzinfo = UTC if zone == "UTC" else ZoneInfo(zone)
    if isinstance(value, date):
        value = value.isoformat()
    if not isinstance(value, str):
        raise InvalidTime(f"a time must be text, a date or an aware datetime, not {type(value).__name__}")
    text = value.strip()
    approximate = text[-1:] in ("~", "?", "%")
    try:
        granule = _date_granule(text[:-1] if approximate else text, info)
        if granule is not None:
            return granule._replace(approximate=approximate)
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise InvalidTime(
            "the time cannot be read; pass 2026, 2026-03, 2026-03-01 or a timestamp with zone such as 2026-03-01T09:00:00Z"
        ) from None
    instant = to_instant(moment)
    return Granule(instant, instant, "instant")


class Interval(Value):
    """A validity interval with four bounds, the text it came from, and why its end is what it is.

    `kind`: "closed" (both ends given), "until_changed" (no end given), "open" (said to have no end), "unknown"
    (an end exists but is not known).
    """

    from_lo: Instant
    from_hi: Instant
    to_lo: Instant
    to_hi: Instant
    kind: str = "closed"
    edtf: str = ""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not (BEGINNING <= self.from_lo <= self.from_hi <= FOREVER and self.to_lo <= self.to_hi <= FOREVER):
            raise InvalidInterval("the bounds of the interval are out of order")
        if self.from_lo >= self.to_hi:
            raise InvalidInterval(
                "the interval is empty: it must start before it ends; an end given as a date includes that day"
            )
        return self

    @property
    def valid_from(self) -> Instant:
        """The earliest instant that may be covered."""
        return self.from_lo

    @property
    def valid_to(self) -> Instant:
        """The first instant that is certainly no longer covered."""
        return self.to_hi

    def holds(self, instant: Instant) -> bool | None:
        """Return True, False, or None where the bounds leave it open."""
        if not self.from_lo <= instant < self.to_hi:
            return False
        return True if self.from_hi <= instant < self.to_lo else None

    def overlap(self, other: Interval) -> Certainty:
        """Return how surely the two intervals share a point; meeting ends do not overlap."""
        if max(self.from_hi, other.from_hi) < min(self.to_lo, other.to_lo):
            return Certainty.DEFINITE
        if max(self.from_lo, other.from_lo) < min(self.to_hi, other.to_hi):
            return Certainty.POSSIBLE
        return Certainty.NONE

    @classmethod
    def make(cls, valid_from: When, valid_to: When, *, default_from: Instant, zone: str = "UTC") -> Interval:
        """Make an interval from what a caller gave.

        A missing start is `default_from` (the evidence's `observed_at`); a missing end is "until changed". A coarse
        end includes its granule (an end "2026-04" lasts through April); an end given as a timestamp is exclusive.

        Raises:
            InvalidTime: a time cannot be read or has no zone.
            InvalidInterval: the interval is empty.
        """
        if valid_from is None:
            from_lo = from_hi = default_from
        elif valid_from == "..":
            from_lo = from_hi = BEGINNING
        else:
            start = parse_when(valid_from, zone=zone)
            from_lo = start.start
            from_hi = start.end if start.approximate else start.start
        if valid_to is None:
            to_lo, to_hi, kind = FOREVER, FOREVER, "until_changed"
        elif valid_to == "..":
            to_lo, to_hi, kind = FOREVER, FOREVER, "open"
        else:
            end = parse_when(valid_to, zone=zone)
            to_hi, kind = end.end, "closed"
            to_lo = end.start if end.approximate else end.end
        shown = f"{'' if valid_from is None else valid_from}/{'' if valid_to is None else valid_to}"
        return cls(from_lo=from_lo, from_hi=from_hi, to_lo=to_lo, to_hi=to_hi, kind=kind, edtf=shown)
