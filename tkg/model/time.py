"""Validity intervals with four bounds.

Intervals are half-open `[from, to)` over instants (integers: microseconds since 1970-01-01T00:00:00Z). A bound that
is not known exactly is a pair: `from_lo <= from_hi`, `to_lo <= to_hi`; the interval certainly covers
`[from_hi, to_lo)` and possibly `[from_lo, to_hi)` (Kleene's third value between them).
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import model_validator

from tkg.errors import InvalidInterval, InvalidTime
from tkg.model.base import Value
from tkg.model.edtf import Granule, interval_bounds, read_when, refuse_around, zone_of
from tkg.model.instant import BEGINNING, FOREVER, YEAR_ONE, Instant, iso, to_datetime, to_instant

When = str | date | datetime | None

#: how the EDTF text of an interval begins when no start was given: it starts when it was observed
_UNDATED = "/"


class Certainty(StrEnum):
    """How surely two intervals share a point."""

    DEFINITE = "definite"
    POSSIBLE = "possible"
    NONE = "none"


def _text(value: str | date | datetime) -> str:
    if isinstance(value, datetime):
        to_instant(value)  # refuses a naive one
        return value.isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        raise InvalidTime(f"a time must be text, a date or an aware datetime, not {type(value).__name__}")
    return value.strip()


def parse_when(value: str | date | datetime, *, zone: str = "UTC") -> Granule:
    """Read one date or time.

    Args:
        value: `2026`, `2026-03`, `2026-03-01`, `199X`, `2004-XX`, a season `2004-21`, an ISO 8601 timestamp with zone,
            a date, or an aware datetime; approximate (`~`), uncertain (`?`) or both (`%`) after a date. Years before 1
            are astronomical: `0000` is 1 BC, `-0043-03-15` a day of 44 BC.
        zone: IANA zone in which dates without one are read.

    Raises:
        InvalidTime: unreadable, or a clock time without a zone.
    """
    return read_when(_text(value), zone_of(zone))


def parse_observed(value: str | date | datetime) -> Instant:
    """Return when a source said something.

    Raises:
        InvalidTime: unreadable, a clock time without a zone, or before the year 1, which no clock has shown.
    """
    instant = parse_when(value).start
    if instant < YEAR_ONE:
        raise InvalidTime(
            "observed_at lies before the year 1; pass when the source said so, and what it is about as valid_from"
        )
    return instant


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

    @model_validator(mode="before")
    @classmethod
    def _since_always(cls, fields: Any) -> Any:
        """Read an interval written when time began in the year 1: one without a start reaches back all the way."""
        if isinstance(fields, dict) and fields.get("from_lo") == YEAR_ONE:
            text, exact = str(fields.get("edtf", "")), fields.get("from_hi") == YEAR_ONE
            if text.startswith("..") and exact:
                return {**fields, "from_lo": BEGINNING, "from_hi": BEGINNING}
            if text.startswith("/") and not exact:
                return {**fields, "from_lo": BEGINNING}
        return fields

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

    @property
    def bounds(self) -> tuple[Instant, Instant, Instant, Instant]:
        """The four bounds; two intervals with equal bounds cover the same time however they were written."""
        return self.from_lo, self.from_hi, self.to_lo, self.to_hi

    @property
    def undated(self) -> bool:
        """Whether neither end was given: it starts when it was observed and lasts until changed."""
        return self.edtf == _UNDATED

    @property
    def must(self) -> tuple[Instant, Instant] | None:
        """The time certainly covered, or None when there is none."""
        return (self.from_hi, self.to_lo) if self.from_hi < self.to_lo else None

    @property
    def may(self) -> tuple[Instant, Instant]:
        """The time possibly covered."""
        return self.from_lo, self.to_hi

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
        `..` is an end said to be open; an empty text is an end that exists and is not known.

        Raises:
            InvalidTime: a time cannot be read or has no zone.
            InvalidInterval: the interval is empty.
        """
        first = None if valid_from is None else _text(valid_from)
        second = None if valid_to is None else _text(valid_to)
        shown = f"{first or ''}/{second or ''}"
        if first is not None:
            found = interval_bounds(first, ".." if second is None else second, zone_of(zone))
            kind = "until_changed" if second is None else found.kind
            return cls(
                from_lo=found.from_lo,
                from_hi=found.from_hi,
                to_lo=found.to_lo,
                to_hi=found.to_hi,
                kind=kind,
                edtf=shown,
            )
        if second in (None, "..", ""):
            kind = {None: "until_changed", "..": "open", "": "unknown"}[second]
            to_lo = min(default_from + 1, FOREVER) if second == "" else FOREVER
            shown = {None: _UNDATED, "..": "/..", "": "/?"}[second]
            return cls(from_lo=default_from, from_hi=default_from, to_lo=to_lo, to_hi=FOREVER, kind=kind, edtf=shown)
        assert second is not None
        stop = read_when(second, zone_of(zone))
        # an uncertain end may lie before the moment of observation; the end that remains possible is later
        return cls(
            from_lo=default_from,
            from_hi=default_from,
            to_lo=stop.start if stop.approximate else stop.end,
            to_hi=stop.end,
            edtf=shown,
        )

    @classmethod
    def parse(cls, text: str, *, zone: str = "UTC") -> Interval:
        """Read an EDTF interval `A/B`, or one date: the granule it denotes.

        Raises:
            InvalidTime: unreadable.
            InvalidInterval: the interval is empty, or its end names a unit that began before its start.
        """
        first, slash, second = text.strip().partition("/")
        if not slash:
            second = first
        found = interval_bounds(first.strip(), second.strip(), zone_of(zone))
        refuse_around(first, second, zone_of(zone))
        return cls(
            from_lo=found.from_lo,
            from_hi=found.from_hi,
            to_lo=found.to_lo,
            to_hi=found.to_hi,
            kind=found.kind,
            edtf=text.strip(),
        )


__all__ = [
    "BEGINNING",
    "FOREVER",
    "YEAR_ONE",
    "Certainty",
    "Granule",
    "Instant",
    "Interval",
    "When",
    "iso",
    "parse_observed",
    "parse_when",
    "to_datetime",
    "to_instant",
]
