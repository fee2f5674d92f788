"""What all phrases about time share: their words, the units they count in, and the list of forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import Final, Literal

from tkg.extractors.points import (
    WEEKDAYS,
    Direction,
    Point,
    calendar_unit,
    choose_year,
    day_point,
    shift_months,
)

#: how 03/04/2026 is read; None: not at all
DateOrder = Literal["MDY", "DMY"]

MONTH: Final = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
WEEKDAY: Final = r"(?:mon|tues?|weds?|wednes|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\.?"
YEAR: Final = r"(?:1\d|20|21)\d\d"
DAY: Final = r"(?:[0-2]?\d|3[01])"
TH: Final = r"(?:st|nd|rd|th)?"
UNIT: Final = r"(?:days?|weeks?|fortnights?|weekends?|months?|quarters?|qtrs?|years?|yrs?|decades?|centur(?:y|ies))"
HERE: Final = r"(?:this|current|same|that|my|our|the)"
BACK: Final = r"(?:last|past|previous|prior)"
AHEAD: Final = r"(?:next|coming|upcoming|following)"
RELATIVE: Final = rf"(?:{HERE}|{BACK}|{AHEAD})"
COUNT: Final = r"(?:\d{1,4}|an?|few|a few|couple(?: of)?|a couple(?: of)?|several)"
DURATION: Final = rf"{COUNT} ?{UNIT}(?:(?:,? and |,? ?){COUNT} ?{UNIT})*"
PREPOSITION: Final = re.compile(r"^(?:on|at(?: the)?|in(?: the)?|during|around|about|approximately) (?=.)")
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

Reader = Callable[["Phrase", "re.Match[str]"], Point | None]
FORMS: list[tuple[re.Pattern[str], Reader]] = []


def form(*patterns: str) -> Callable[[Reader], Reader]:
    """Register a reader for phrases that match one of `patterns` as a whole; earlier forms win."""

    def register(reader: Reader) -> Reader:
        FORMS.extend((re.compile(pattern), reader) for pattern in patterns)
        return reader

    return register


def weekday_number(word: str) -> int:
    """Return 0 for "mon" to 6."""
    return next(day for name, day in WEEKDAYS.items() if name[:3] == word[:3])


def count_of(word: str) -> int:
    """Return the number that digits, "a", "a couple" (2) or "a few" (3) stand for."""
    if word.isdigit():
        return int(word)
    return 1 if word in ("a", "an") else 2 if "couple" in word else 3


def offset_of(word: str) -> int:
    """Return -1 for "last", 0 for "this", 1 for "next"."""
    return -1 if re.fullmatch(BACK, word) else 1 if re.fullmatch(AHEAD, word) else 0


def full_year(word: str) -> int:
    """Return the year; two digits are 1950 to 2049."""
    number = int(word.lstrip("'"))
    return number if len(word.lstrip("'")) > 2 else number + (1900 if number >= 50 else 2000)


def singular(unit: str) -> str:
    """Return the unit's name in full, without its plural."""
    unit = {"qtr": "quarter", "yr": "year", "centurie": "century"}.get(unit.removesuffix("s"), unit.removesuffix("s"))
    return "century" if unit.startswith("centur") else unit


def unit_at(unit: str, offset: int, reference: date) -> Point:
    """Return the unit `offset` units from the one that holds the reference."""
    if unit == "day":
        return day_point(reference + timedelta(days=offset))
    if unit in ("decade", "century"):
        size = 10 if unit == "decade" else 100
        first = reference.year // size * size + offset * size
        return Point(date(first, 1, 1), date(first + size - 1, 12, 31), unit)
    if unit == "weekend":
        week = calendar_unit("week", offset, reference)
        return Point(week.first + timedelta(days=5), week.last, "weekend")
    return calendar_unit(unit, offset, reference)


def moved(day: date, number: int, unit: str) -> date:
    """Return the day `number` units later."""
    days = {"day": 1, "week": 7, "fortnight": 14, "weekend": 7}.get(unit)
    if days is not None:
        return day + timedelta(days=number * days)
    return shift_months(day, number * {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}[unit])


def duration_parts(duration: str) -> list[tuple[int, str]]:
    """Return the (number, unit) pairs of "1 month and 21 days"."""
    found = re.finditer(rf"({COUNT}) ?({UNIT})", duration)
    return [(count_of(m[1]), singular(m[2])) for m in found]


def run_on(day: date, duration: str, sign: int = 1) -> date:
    """Return the day a duration later (`sign` -1: earlier), years first, then months, then days."""
    parts = duration_parts(duration)
    for place in ("year", "month", None):
        for number, unit in parts:
            if unit == place or place is None and unit not in ("year", "month"):
                day = moved(day, sign * number, unit)
    return day


def nth_weekday(place: int, weekday: int, within: Point) -> Point | None:
    """Return the weekday at `place` (from 1, or from -1 backwards) inside a span, or None when there are fewer."""
    days = [
        within.first + timedelta(days=n)
        for n in range((within.last - within.first).days + 1)
        if (within.first + timedelta(days=n)).weekday() == weekday
    ]
    return day_point(days[place - 1 if place > 0 else place]) if -len(days) <= place <= len(days) and place else None


class Phrase:
    """What a phrase is read against."""

    def __init__(self, reference: date, direction: Direction, order: DateOrder | None) -> None:
        self.reference = reference
        self.direction = direction
        self.order = order

    def read(self, text: str, direction: Direction | None = None) -> Point | None:
        """Read a phrase that is already folded, with its number words as digits."""
        text = text.strip(" ,")
        kept, self.direction = self.direction, direction or self.direction
        try:
            for pattern, reader in FORMS:
                if found := pattern.fullmatch(text):
                    point = reader(self, found)
                    if point is not None:
                        return point
            stripped = PREPOSITION.sub("", text)
            return self.read(stripped) if stripped != text else None
        finally:
            self.direction = kept

    def read_whole(self, text: str) -> Point | None:
        """Read what something is a part of; a unit without a word before it is the running one ("end of month")."""
        unit = text.strip(" ,").removeprefix("the ")
        if unit in ("week", "month", "quarter", "year"):
            return calendar_unit(unit, 0, self.reference)
        return self.read(text)

    def yearly(self, make: Callable[[int], Point]) -> Point:
        """Return the instance of a yearly phrase that fits the direction."""
        return choose_year(make, self.reference, self.direction)

    def day_of_month(self, day: int) -> Point | None:
        """Return the day of that number in the month that fits the direction."""
        found = []
        for months in (-2, -1, 0, 1, 2):
            start = shift_months(self.reference.replace(day=1), months)
            try:
                found.append(start.replace(day=day))
            except ValueError:
                continue
        if self.direction == "past":
            return next((day_point(one) for one in reversed(found) if one <= self.reference), None)
        if self.direction == "future":
            return next((day_point(one) for one in found if one >= self.reference), None)
        return day_point(min(found, key=lambda one: abs((one - self.reference).days)))
