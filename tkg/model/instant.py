"""Instants: microseconds since 1970-01-01T00:00:00Z as integers, with sentinels instead of NULL."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from tkg.errors import InvalidTime

Instant = int

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)
#: 0001-01-01T00:00:00Z: "since always"
BEGINNING: Final[Instant] = -62_135_596_800_000_000
#: 10000-01-01T00:00:00Z: "until changed" or "for ever"; never NULL
FOREVER: Final[Instant] = 253_402_300_800_000_000


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
