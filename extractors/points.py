"""Points in time as people write them: one phrase to the days it covers.

A small grammar of dates, months, quarters, years, weekdays and relative words. Relative words and dates without a year
are resolved against the reference day that the caller passes (the day the text was written), never against today.
What can be read in two ways, such as 03/04/2026, is not read at all.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple

Direction = Literal["past", "future", "near"]

MONTHS: Final = {
    name: index
    for index, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
WEEKDAYS: Final = {
    name: index
    for index, names in enumerate(
        (
            "monday mon",
            "tuesday tues tue",
            "wednesday weds wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday",
            "sunday",
        )
    )
    for name in names.split()
}
NUMBERS: Final = {
    word: value
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
} | {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_WEEKDAY = r"(?:Mondays?|Tuesdays?|Wednesdays?|Thursdays?|Fridays?|Saturdays?|Sundays?|Mon|Tues?|Weds?|Thu(?:rs?)?|Fri)"
_YEAR = r"(?:1[89]|20)\d\d"
_DAY = r"(?:[0-2]?\d|3[01])"
_NUMBER = r"(?:\d{1,4}|a\ couple\ of|a\ few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
UNIT: Final = r"(?:days?|weeks?|fortnights?|months?|quarters?|years?|hours?|minutes?)"
_CLOCK = r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?"

#: names of groups never repeat, so that one alternation can hold all forms
POINT: Final = rf"""(?:
    \d{{4}}-\d\d-\d\dT{_CLOCK}(?:Z|[+-]\d\d:?\d\d)
  | \d{{4}}-\d\d-\d\d\ {_CLOCK}\ ?(?:Z|UTC|[+-]\d\d:\d\d)
  | {_YEAR}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?(?![\d-])
  | {_DAY}[/.](?:0?[1-9]|[12]\d|3[01])[/.]{_YEAR}
  | (?:(?:early|mid|late)[-\ ])?(?:Q[1-4]|H[12])(?:\ (?:of\ )?|/|-){_YEAR} | {_YEAR}[-\ ](?:Q[1-4]|H[12])
  | (?:the\ )?(?:first|second|third|fourth|1st|2nd|3rd|4th)\ (?:quarter|half)\ of\ {_YEAR}
  | (?:the\ )?(?:(?:start|beginning|middle|end)\ of\ )(?:{_MONTH}(?:,?\ {_YEAR})? | {_YEAR} | (?:(?:the|this|last|next)\ )?(?:week|month|quarter|year)(?!\w))
  | (?:(?:{_WEEKDAY}),?\ )?(?:the\ )?{_DAY}(?:st|nd|rd|th)?\ (?:of\ )?{_MONTH}(?:,?\ {_YEAR})?(?![\w])
  | (?:(?:{_WEEKDAY}),?\ )?{_MONTH}\ {_DAY}(?:st|nd|rd|th)?(?![\w:.]\d|\d|\ ?(?:am|pm)\b)(?:,?\ {_YEAR})?
  | (?:(?:early|mid|late)[-\ ])?{_MONTH},?(?:\ of)?\ {_YEAR}
  | (?:early|mid|late)[-\ ](?:{_MONTH}|{_YEAR})
  | the\ (?:1[89]|20)\d0s
  | the\ day\ (?:before\ yesterday|after\ tomorrow) | last\ night | yesterday | today | tonight | tomorrow
  | {_NUMBER}\ {UNIT}\ (?:ago|earlier|from\ now)
  | (?:last|past|previous|this|next|coming)\ (?:weekend|week|month|quarter|year|{_WEEKDAY}|{_MONTH})(?![\w])
  | {_YEAR}(?![\d:]|[.,]\d|-\d)
  | {_WEEKDAY}(?![\w])
  | {_MONTH}(?![\w])
  )"""


class Point(NamedTuple):
    """The days `[first, last]` that a phrase covers, or an exact moment.

    `grain` names the unit that was said; where a range ends in another unit, `last_grain` names that.
    """

    first: date
    last: date
    grain: str
    moment: datetime | None = None
    approximate: bool = False
    last_grain: str | None = None


def _last_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def month_point(year: int, month: int) -> Point:
    """Return one calendar month."""
    return Point(date(year, month, 1), _last_of_month(year, month), "month")


def months_point(year: int, first: int, count: int, grain: str) -> Point:
    """Return `count` months from `first` on within one year."""
    return Point(date(year, first, 1), _last_of_month(year, first + count - 1), grain)


def year_point(year: int) -> Point:
    """Return one calendar year."""
    return Point(date(year, 1, 1), date(year, 12, 31), "year")


def day_point(day: date) -> Point:
    """Return one day."""
    return Point(day, day, "day")


def shift_months(day: date, months: int) -> date:
    """Return the day `months` later; the end of a shorter month stands in for a missing day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def choose_year(make: Callable[[int], Point], reference: date, direction: Direction) -> Point:
    """Return the year's instance of a yearly phrase that fits the direction."""
    around = []
    for year in (reference.year - 1, reference.year, reference.year + 1):
        try:
            around.append(make(year))
        except ValueError:  # 29 February
            continue
    if not around:
        return make(reference.year - reference.year % 4)
    if direction == "past":
        return max((p for p in around if p.first <= reference), default=around[0])
    if direction == "future":
        return min((p for p in around if p.last >= reference), default=around[-1])
    return min(around, key=lambda p: (max((p.first - reference).days, (reference - p.last).days, 0), p.first))


def month_number(text: str) -> int:
    """Return 1 for "January" or "jan." to 12."""
    return MONTHS[text.lower().rstrip(".")]


def weekday_of(text: str) -> int:
    """Return 0 for Monday to 6 for Sunday."""
    lowered = text.lower()
    return WEEKDAYS[lowered if lowered in WEEKDAYS else lowered.removesuffix("s")]


def weekday_point(day: int, reference: date, direction: Direction) -> Point:
    """Return the weekday (0 is Monday) that fits the direction; never the reference day itself, except near it."""
    ahead = (day - reference.weekday()) % 7
    if direction == "past":
        return day_point(reference - timedelta(days=(7 - ahead) if ahead else 7))
    return day_point(reference + timedelta(days=ahead or 7 if direction == "future" else ahead))


def number_of(text: str) -> int:
    """Return the number a word or digits stand for."""
    return int(text) if text.isdigit() else NUMBERS[text.lower()]


def calendar_unit(unit: str, offset: int, reference: date) -> Point:
    """Return the week, month, quarter or year `offset` units from the reference's own."""
    if unit == "week":
        monday = reference - timedelta(days=reference.weekday()) + timedelta(weeks=offset)
        return Point(monday, monday + timedelta(days=6), "week")
    if unit == "month":
        day = shift_months(reference.replace(day=1), offset)
        return month_point(day.year, day.month)
    if unit == "quarter":
        day = shift_months(date(reference.year, (reference.month - 1) // 3 * 3 + 1, 1), 3 * offset)
        return months_point(day.year, day.month, 3, "quarter")
    return year_point(reference.year + offset)


def shifted(number: int, unit: str, reference: date) -> Point:
    """Return the day `number` units from the reference (negative: before); months and years keep their own grain."""
    unit = unit.lower().removesuffix("s")
    if unit in ("hour", "minute"):
        return day_point(reference + timedelta(hours=number if unit == "hour" else 0))
    if unit == "day":
        return day_point(reference + timedelta(days=number))
    if unit in ("week", "fortnight"):
        return day_point(reference + timedelta(weeks=number * (2 if unit == "fortnight" else 1)))
    if unit == "year":
        return year_point(reference.year + number)
    day = shift_months(reference, number * (3 if unit == "quarter" else 1))
    return month_point(day.year, day.month)


_Form = Callable[["re.Match[str]", date, Direction], Point | None]


def _read_moment(m: re.Match[str], _reference: date, _direction: Direction) -> Point:
    text = re.sub(r" ?(?:UTC|Z)$", "+00:00", m.group())
    moment = datetime.fromisoformat(text)
    return Point(moment.date(), moment.date(), "instant", moment)


def _read_iso(m: re.Match[str], _reference: date, _direction: Direction) -> Point:
    year, month = int(m[1]), int(m[2])
    return day_point(date(year, month, int(m[3]))) if m[3] else month_point(year, month)


def _read_slashed(m: re.Match[str], _reference: date, _direction: Direction) -> Point | None:
    first, second, year = int(m[1]), int(m[2]), int(m[3])
    if first > 12 >= second or first == second:
        return day_point(date(year, second, first))
    return day_point(date(year, first, second)) if second > 12 else None  # day or month: not for us to choose


def _read_part_of_year(m: re.Match[str], _reference: date, _direction: Direction) -> Point:
    kind, index, year = m["kind"].upper(), int(m["index"]), int(m["year"])
    return (
        months_point(year, 3 * index - 2, 3, "quarter") if kind == "Q" else months_point(year, 6 * index - 5, 6, "half")
    )


def _read_ordinal_part(m: re.Match[str], _reference: date, _direction: Direction) -> Point | None:
    index, year = _ORDINALS[m[1].lower()], int(m[3])
    if m[2].lower() == "quarter":
        return months_point(year, 3 * index - 2, 3, "quarter")
    return months_point(year, 6 * index - 5, 6, "half") if index <= 2 else None


def _read_day(m: re.Match[str], reference: date, direction: Direction) -> Point:
    month, day = month_number(m["month"]), int(m["day"])
    if m["year"]:
        return day_point(date(int(m["year"]), month, day))
    return choose_year(lambda year: day_point(date(year, month, day)), reference, direction)


def _read_month(m: re.Match[str], reference: date, direction: Direction) -> Point:
    month = month_number(m["month"])
    if m["year"]:
        return month_point(int(m["year"]), month)
    return choose_year(lambda year: month_point(year, month), reference, direction)


def _read_word(m: re.Match[str], reference: date, _direction: Direction) -> Point:
    days = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1, "day after tomorrow": 2}
    return day_point(reference + timedelta(days=days.get(m.group().lower().removeprefix("the "), 0)))


def _read_ago(m: re.Match[str], reference: date, _direction: Direction) -> Point:
    number = number_of(m[1])
    return shifted(number if m[3].lower() == "from now" else -number, m[2], reference)


def _read_relative(m: re.Match[str], reference: date, _direction: Direction) -> Point | None:
    word, unit = m[1].lower(), m[2]
    offset = -1 if word in ("last", "past", "previous") else 0 if word == "this" else 1
    if unit.lower() == "weekend":
        week = calendar_unit("week", offset, reference)
        return Point(week.first + timedelta(days=5), week.last, "week")
    if unit.lower() in ("week", "month", "quarter", "year"):
        return calendar_unit(unit.lower(), offset, reference)
    bare = unit.rstrip(".").lower()
    if bare in MONTHS:
        month = MONTHS[bare]
        if offset == 0:
            return month_point(reference.year, month)
        if offset < 0:
            return month_point(reference.year - (month >= reference.month), month)
        return month_point(reference.year + (month <= reference.month), month)
    day = weekday_of(unit)
    if offset == 0 or word == "next":  # "next Friday" is next week's, "the coming Friday" the first one ahead
        return day_point(calendar_unit("week", offset, reference).first + timedelta(days=day))
    return weekday_point(day, reference, "past" if offset < 0 else "future")


def _read_weekday(m: re.Match[str], reference: date, direction: Direction) -> Point | None:
    if m.group().lower().endswith("days"):
        return None  # "on Fridays" recurs
    return weekday_point(weekday_of(m.group()), reference, direction)


_FORMS: Final[tuple[tuple[re.Pattern[str], _Form], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.VERBOSE), form)
    for pattern, form in (
        (rf"\d{{4}}-\d\d-\d\d[T\ ]{_CLOCK}\ ?(?:Z|UTC|[+-]\d\d:?\d\d)", _read_moment),
        (r"(\d{4})-(\d\d)(?:-(\d\d))?", _read_iso),
        (rf"(\d\d?)[/.](\d\d?)[/.]({_YEAR})", _read_slashed),
        (rf"(?P<kind>[QH])(?P<index>[1-4])(?:\ (?:of\ )?|/|-)(?P<year>{_YEAR})", _read_part_of_year),
        (rf"(?P<year>{_YEAR})[-\ ](?P<kind>[QH])(?P<index>[1-4])", _read_part_of_year),
        (rf"(?:the\ )?(\w+)\ (quarter|half)\ of\ ({_YEAR})", _read_ordinal_part),
        (
            rf"(?:{_WEEKDAY},?\ )?(?:the\ )?(?P<day>{_DAY})(?:st|nd|rd|th)?\ (?:of\ )?(?P<month>{_MONTH})(?:,?\ (?P<year>{_YEAR}))?",
            _read_day,
        ),
        (
            rf"(?:{_WEEKDAY},?\ )?(?P<month>{_MONTH})\ (?P<day>{_DAY})(?:st|nd|rd|th)?(?:,?\ (?P<year>{_YEAR}))?",
            _read_day,
        ),
        (rf"(?P<month>{_MONTH})(?:,?(?:\ of)?\ (?P<year>{_YEAR}))?", _read_month),
        (r"the\ day\ (?:before\ yesterday|after\ tomorrow)|last\ night|yesterday|today|tonight|tomorrow", _read_word),
        (rf"({_NUMBER})\ ({UNIT})\ (ago|earlier|from\ now)", _read_ago),
        (
            rf"(last|past|previous|this|next|coming)\ (weekend|week|month|quarter|year|{_WEEKDAY}|{_MONTH})",
            _read_relative,
        ),
        (rf"{_WEEKDAY}", _read_weekday),
        (rf"{_YEAR}", lambda m, _r, _d: year_point(int(m.group()))),
        (
            r"the\ (\d{3})0s",
            lambda m, _r, _d: Point(date(int(m[1]) * 10, 1, 1), date(int(m[1]) * 10 + 9, 12, 31), "decade"),
        ),
        (r"(?:the\ )?(week|month|quarter|year)", lambda m, r, _d: calendar_unit(m[1].lower(), 0, r)),
    )
)
_PART = re.compile(r"(?:the )?(early|mid|late)[- ](.+)|(?:the )?(start|beginning|middle|end) of (.+)", re.IGNORECASE)


def part_of(word: str, whole: Point) -> Point:
    """Return a part of a month or year: thirds for early, mid, late; the edge day, marked approximate, for its ends."""
    if word in ("start", "beginning"):
        return day_point(whole.first)
    if word == "end":
        return day_point(whole.last)
    days = (whole.last - whole.first).days + 1
    thirds = {"early": (0, days // 3), "mid": (days // 3, 2 * days // 3), "late": (2 * days // 3, days)}
    low, high = thirds["mid" if word == "middle" else word]
    if whole.grain == "year":
        first = {"early": 1, "mid": 5, "late": 9}["mid" if word == "middle" else word]
        return months_point(whole.first.year, first, 4, "part")._replace(approximate=True)
    return Point(whole.first + timedelta(days=low), whole.first + timedelta(days=high - 1), "part", approximate=True)


def read_point(text: str, reference: date, direction: Direction = "near") -> Point | None:
    """Return what one phrase denotes, or None when it denotes no single point or the calendar has no such day.

    Args:
        text: a phrase such as "11 April 2026", "last week", "Q3 2025", "3 days ago".
        reference: the day the text was written.
        direction: which way a phrase without a year or week points.
    """
    phrase = " ".join(text.split())
    try:
        if part := _PART.fullmatch(phrase):
            whole = read_point(part[2] or part[4], reference, direction)
            return None if whole is None else part_of((part[1] or part[3]).lower(), whole)
        for pattern, form in _FORMS:
            if found := pattern.fullmatch(phrase):
                return form(found, reference, direction)
    except (ValueError, OverflowError):
        return None
    return None
