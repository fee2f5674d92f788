"""Instants: microseconds since 1970-01-01T00:00:00Z as integers, with sentinels instead of NULL.

Years run from -9999 to 9999 in the proleptic Gregorian calendar, counted as astronomers and ISO 8601 count them: 0000 is
1 BC, -0043 is 44 BC. Clocks (transactions, observations) tell datetimes and so begin in the year 1; what a claim says of
valid time may lie before.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from tkg.errors import InvalidTime

Instant = int

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
#: 0001-01-01T00:00:00Z: the first instant that a datetime can tell
YEAR_ONE: Final[Instant] = -62_135_596_800_000_000
#: the calendar repeats itself after 400 years, which are this many days
CYCLE_DAYS: Final = 146_097
_CYCLE: Final = CYCLE_DAYS * 86_400_000_000
#: -9999-01-01T00:00:00Z: "since always"
BEGINNING: Final[Instant] = YEAR_ONE - 25 * _CYCLE
#: 10000-01-01T00:00:00Z: "until changed" or "for ever"; never NULL
FOREVER: Final[Instant] = 253_402_300_800_000_000


def to_instant(moment: datetime) -> Instant:
    """Return `moment` as microseconds since the epoch.

    Raises:
        InvalidTime: `moment` is naive.
    """
    if moment.tzinfo is None:
        raise InvalidTime(
            "the time has no zone; write one, as in 2026-03-01T09:00:00Z or +02:00 (a datetime: tzinfo=UTC)"
        )
    return (moment - _EPOCH) // _MICRO


def to_datetime(instant: Instant) -> datetime:
    """Return an instant as an aware UTC datetime.

    What lies before the year 1 or from `FOREVER` on has none: raises OverflowError.
    """
    return _EPOCH + timedelta(microseconds=instant)


def iso(instant: Instant | None) -> str | None:
    """Return an instant as ISO 8601 text in UTC; None for FOREVER, BEGINNING and None.

    A year before 0 has its sign: -0043-03-15T00:00:00Z.
    """
    if instant is None or instant >= FOREVER or instant <= BEGINNING:
        return None
    cycles = max(0, -((instant - YEAR_ONE) // _CYCLE))
    moment = to_datetime(instant + cycles * _CYCLE)
    text = moment.isoformat().replace("+00:00", "Z")
    return f"{year_text(moment.year - 400 * cycles)}{text[4:]}" if cycles else text


def year_text(year: int) -> str:
    """Return a year in the four digits of ISO 8601, with its sign before 0."""
    return f"{'-' if year < 0 else ''}{abs(year):04}"


def earlier(instant: Instant, cycles: int) -> Instant:
    """Return the same moment of the calendar `cycles` times 400 years earlier, within the bounds of time."""
    return min(max(instant - cycles * _CYCLE, BEGINNING), FOREVER)


_DURATION = re.compile(r"([0-9]{1,9})\s*(us|ms|s|m|h|d|w|y)", re.ASCII)
_STEPS: Final = {"us": 1, "ms": 10**3, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86_400 * 10**6}
_STEPS["w"] = 7 * _STEPS["d"]
#: the mean year of the calendar, 365.2425 days
_STEPS["y"] = 31_556_952 * _STEPS["s"]


def duration(text: str) -> int:
    """Return a length of time such as "30d", "12h" or "0s" in microseconds (units us, ms, s, m, h, d, w, y).

    Raises:
        InvalidTime: not of that form.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise InvalidTime("a length of time is a whole number and a unit: 30s, 15m, 12h, 30d, 2w or 16y")
    return int(match[1]) * _STEPS[match[2]]
