"""The only reader of the wall clock. Everything else is handed a `Clock`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the wall-clock time in UTC."""
        return datetime.now(UTC)


class ManualClock:
    """A clock set by hand: for tests, demos, and acceptance cases.

    Args:
        start: the first answer; aware.
        step: added after each reading (default: the clock stands still).
    """

    def __init__(self, start: datetime, step: timedelta = timedelta(0)) -> None:
        if start.tzinfo is None:
            raise ValueError("pass an aware datetime, e.g. datetime(2026, 1, 1, tzinfo=UTC)")
        self._now = start.astimezone(UTC)
        self._step = step

    def now(self) -> datetime:
        """Return the time set, then advance by `step`."""
        now = self._now
        self._now += self._step
        return now

    def set(self, moment: datetime) -> None:
        """Set the time; it may go back (the ledger's transaction time never does)."""
        if moment.tzinfo is None:
            raise ValueError("pass an aware datetime, e.g. datetime(2026, 1, 1, tzinfo=UTC)")
        self._now = moment.astimezone(UTC)

    def advance(self, by: timedelta) -> None:
        """Move the time on by `by`."""
        self._now += by
