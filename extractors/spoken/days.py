"""Forms that name one day, or one counted from another: dates, weekdays, holidays, durations from a day."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from dateutil.easter import easter

from tkg.extractors.points import (
    Point,
    calendar_unit,
    day_point,
    month_number,
    month_point,
    months_point,
    shift_months,
    weekday_point,
    year_point,
)
from tkg.extractors.spoken.book import (
    AHEAD,
    BACK,
    COUNT,
    DAY,
    DURATION,
    MONTH,
    RELATIVE,
    TH,
    UNIT,
    WEEKDAY,
    YEAR,
    Phrase,
    count_of,
    duration_parts,
    form,
    full_year,
    moved,
    nth_weekday,
    offset_of,
    run_on,
    singular,
    unit_at,
    weekday_number,
)

# --- single days -------------------------------------------------------------------------------------------------


@form(
    r"(?:right )?now",
    r"today|tonight|as of today",
    r"yesterday|last night",
    r"tomorrow",
    r"the day (?:before yesterday|after tomorrow)",
)
def _word(ctx: Phrase, m: re.Match[str]) -> Point:
    text = m.group()
    days = (
        -2
        if "before" in text
        else 2
        if "after" in text
        else -1
        if "yest" in text or "last" in text
        else text == "tomorrow"
    )
    return day_point(ctx.reference + timedelta(days=int(days)))


@form(rf"({YEAR})[-/.](\d\d?)[-/.](\d\d?)")
def _year_first(_ctx: Phrase, m: re.Match[str]) -> Point:
    return day_point(date(int(m[1]), int(m[2]), int(m[3])))


@form(rf"(\d\d?)([-/.,])(\d\d?)[-/.,] ?('?\d\d|{YEAR})", r"(\d\d?)([-/.])(\d\d?)")
def _numeric(ctx: Phrase, m: re.Match[str]) -> Point | None:
    first, second = int(m[1]), int(m[3])
    if first > 12 >= second or first == second:
        day, month = first, second
    elif second > 12 >= first or ctx.order == "MDY":
        month, day = first, second
    elif ctx.order == "DMY":
        day, month = first, second
    else:
        return None  # day or month: not for us to choose
    if m.re.groups == 4:
        return day_point(date(full_year(m[4]), month, day))
    return ctx.yearly(lambda year: day_point(date(year, month, day)))


@form(
    rf"(?:{WEEKDAY},? )?(?:the )?(?P<d>{DAY}){TH}\.?[- ]?(?:day )?(?:of )?(?P<m>{MONTH})(?:(?:,? ?|-)(?:of |in )?(?P<y>{YEAR}|'?\d\d))?",
    rf"(?:{WEEKDAY},? )?(?P<m>{MONTH})[-/ ]?(?:the )?(?P<d>{DAY}){TH}(?:(?:, ?| )(?:of )?(?P<y>{YEAR}|'\d\d))?",
    rf"(?P<y>{YEAR})[-/ ](?P<m>{MONTH})[-/ ](?P<d>{DAY}){TH}",
    rf"(?P<m>{MONTH}) (?P<d>{DAY}){TH},? (?:{WEEKDAY})(?P<y>)",
)
def _day(ctx: Phrase, m: re.Match[str]) -> Point:
    month, day, year = month_number(m["m"]), int(m["d"]), m["y"]
    if year:
        return day_point(date(full_year(year), month, day))
    return ctx.yearly(lambda year: day_point(date(year, month, day)))


@form(rf"(?:the )?({DAY}){TH}(?: (?:day )?(?:of|in) ({RELATIVE} month))?")
def _bare_day(ctx: Phrase, m: re.Match[str]) -> Point | None:
    day = int(m[1])
    if not 1 <= day <= 31:
        return None
    if m[2]:
        month = ctx.read(m[2])
        return None if month is None else day_point(month.first.replace(day=day))
    return ctx.day_of_month(day)


@form(rf"({WEEKDAY}),? (?:the )?({DAY}){TH}")
def _weekday_the(ctx: Phrase, m: re.Match[str]) -> Point | None:
    for months in (0, -1, 1, -2, 2, -3, 3):
        try:
            day = shift_months(ctx.reference.replace(day=1), months).replace(day=int(m[2]))
        except ValueError:
            continue
        if day.weekday() == weekday_number(m[1]):
            return day_point(day)
    return None


@form(rf"(?:on )?({WEEKDAY})")
def _named_weekday(ctx: Phrase, m: re.Match[str]) -> Point | None:
    if m[1].endswith("days"):
        return None  # "on Fridays" recurs
    return weekday_point(weekday_number(m[1]), ctx.reference, ctx.direction)


@form(rf"(?:the )?({RELATIVE}) ({WEEKDAY})")
def _relative_weekday(ctx: Phrase, m: re.Match[str]) -> Point:
    offset, day = offset_of(m[1]), weekday_number(m[2])
    if offset == 0 or m[1] == "next":  # "next Sunday" is next week's, "the coming Sunday" the first one ahead
        return day_point(calendar_unit("week", offset, ctx.reference).first + timedelta(days=day))
    return weekday_point(day, ctx.reference, "past" if offset < 0 else "future")


@form(
    rf"(?:on )?(?P<w>{WEEKDAY})(?: of| in|,)? (?P<week>{RELATIVE} week)",
    rf"(?P<week>{RELATIVE} week),?(?: on)? (?P<w>{WEEKDAY})",
)
def _weekday_of_week(ctx: Phrase, m: re.Match[str]) -> Point | None:
    week = ctx.read(m["week"])
    return None if week is None else day_point(week.first + timedelta(days=weekday_number(m["w"])))


@form(rf"(\d) ({WEEKDAY}) (from now|later|hence|ago)")
def _weekdays_from_now(ctx: Phrase, m: re.Match[str]) -> Point:
    near = weekday_point(weekday_number(m[2].removesuffix("s")), ctx.reference, "past" if m[3] == "ago" else "future")
    weeks = int(m[1]) - 1
    return day_point(near.first + timedelta(weeks=-weeks if m[3] == "ago" else weeks))


@form(rf"({WEEKDAY}) after next")
def _weekday_after_next(ctx: Phrase, m: re.Match[str]) -> Point:
    return day_point(weekday_point(weekday_number(m[1]), ctx.reference, "future").first + timedelta(weeks=1))


@form(rf"(?:the )?(?P<in>{RELATIVE} (?:week|month|quarter|year))'s? (?P<what>.+)")
def _of_possessor(ctx: Phrase, m: re.Match[str]) -> Point | None:
    return ctx.read(f"{m['what']} of {m['in']}")


@form(
    rf"(?:the )?(?:(?P<n>\d)(?:st|nd|rd|th) |last )?(?P<w>{WEEKDAY}) (?P<side>before|after) (?P<from>.+)",
    rf"(?:the )?(?P<w>{WEEKDAY}) (?P<side>closest|nearest) to (?P<from>.+)",
    rf"(?:the )?(?P<side>closest|nearest) (?P<w>{WEEKDAY}) to (?P<from>.+)",
)
def _weekday_beside(ctx: Phrase, m: re.Match[str]) -> Point | None:
    point, weekday = ctx.read(m["from"]), weekday_number(m["w"])
    if point is None or m["w"].endswith("days"):
        return None  # "Fridays before Christmas" recurs
    weeks = timedelta(weeks=int(m.groupdict().get("n") or 1) - 1)
    if m["side"] == "before":
        return day_point(weekday_point(weekday, point.first, "past").first - weeks)
    if m["side"] == "after":
        return day_point(weekday_point(weekday, point.last, "future").first + weeks)
    if point.first != point.last:
        return None
    ahead = (weekday - point.first.weekday() + 3) % 7 - 3
    return day_point(point.first + timedelta(days=ahead))


_LAST: Final = r"(?:\d\d?(?:st|nd|rd|th) )?last"


def _from_the_end(words: str) -> int:
    """Return -1 for "last", -5 for "5th last"."""
    found = re.match(r"\d+", words)
    return -int(found.group()) if found else -1


@form(
    rf"(?:the )?(?P<n>\d)(?:st|nd|rd|th) (?P<w>{WEEKDAY})(?: (?:of|in) (?P<in>.+))?",
    rf"(?:the )?(?P<last>{_LAST}) (?P<w>{WEEKDAY}) (?:of|in) (?P<in>.+)",
)
def _nth_weekday_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    within = ctx.read_whole(m["in"]) if m["in"] else calendar_unit("month", 0, ctx.reference)
    groups = m.groupdict()
    place = int(groups["n"]) if "n" in groups else _from_the_end(groups["last"])
    return None if within is None else nth_weekday(place, weekday_number(m["w"]), within)


@form(
    rf"(?:the )?(?P<last>{_LAST}) (?P<u>day|week) (?:of|in) (?P<in>.+)",
    r"(?:the )?(?P<n>\d\d?)(?:st|nd|rd|th) (?P<u>day|week|quarter|half)(?: of| in)? (?P<in>.+)",
    rf"(?P<in>{YEAR}),? (?:the )?(?P<n>\d)(?:st|nd|rd|th) (?P<u>quarter|half)",
)
def _nth_unit_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    within = ctx.read_whole(m["in"])
    if within is None:
        return None
    groups = m.groupdict()
    place = int(groups["n"]) if groups.get("n") else _from_the_end(groups["last"])
    if m["u"] == "day":
        day = within.first + timedelta(days=place - 1) if place > 0 else within.last + timedelta(days=place + 1)
        return day_point(day) if within.first <= day <= within.last else None
    if m["u"] in ("quarter", "half"):
        size, count = (3, 4) if m["u"] == "quarter" else (6, 2)
        return months_point(within.first.year, size * place - size + 1, size, m["u"]) if 1 <= place <= count else None
    return _nth_week(place, within)


def _nth_week(place: int, within: Point) -> Point | None:
    """ISO 8601: a week belongs to the month or year that holds its Thursday."""
    thursdays = nth_weekday(place, 3, within)
    if thursdays is None:
        return None
    monday = thursdays.first - timedelta(days=3)
    return Point(monday, monday + timedelta(days=6), "week")


_FIXED: Final = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "xmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year's day": (1, 1),
    "new year's eve": (12, 31),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
}
_MOVABLE: Final = {"good friday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1, "pentecost": 49}


@form(rf"({'|'.join((*_FIXED, *_MOVABLE))})(?: (?:of |in )?(?P<y>{YEAR}))?")
def _holiday(ctx: Phrase, m: re.Match[str]) -> Point:
    def of(year: int) -> Point:
        if m[1] in _FIXED:
            return day_point(date(year, *_FIXED[m[1]]))
        return day_point(easter(year) + timedelta(days=_MOVABLE[m[1]]))

    return of(int(m["y"])) if m["y"] else ctx.yearly(of)


# --- durations ---------------------------------------------------------------------------------------------------


def _grained(day: date, unit: str) -> Point:
    """Years and months that were counted keep their own grain."""
    if unit == "year":
        return year_point(day.year)
    return month_point(day.year, day.month) if unit in ("month", "quarter") else day_point(day)


@form(rf"({DURATION}) (ago|earlier|before now|from now|later|hence)", rf"in (?:about )?({DURATION})")
def _from_reference(ctx: Phrase, m: re.Match[str]) -> Point:
    back = m.re.groups == 2 and m[2] in ("ago", "earlier", "before now")
    day = run_on(ctx.reference, m[1], -1 if back else 1)
    parts = duration_parts(m[1])
    return _grained(day, parts[0][1]) if len(parts) == 1 else day_point(day)


@form(r"in (\d) business days")
def _business_days(ctx: Phrase, m: re.Match[str]) -> Point:
    day, left = ctx.reference, int(m[1])
    while left:
        day += timedelta(days=1)
        left -= day.weekday() < 5
    return day_point(day)


@form(rf"(?:more than )?({DURATION}) (after|from|before) (.+)")
def _from_point(ctx: Phrase, m: re.Match[str]) -> Point | None:
    point = ctx.read(m[3])
    if point is None:
        return None
    return day_point(run_on(point.first, m[1], -1 if m[2] == "before" else 1))


@form(
    rf"(?:within|less than)(?: the)?(?: {AHEAD})? ({DURATION})(?:(?: from| after) (.+))?",
    rf"(?:for )?({DURATION}),? (?:starting|beginning|from|commencing)(?: from| on)? (.+)",
)
def _window(ctx: Phrase, m: re.Match[str]) -> Point | None:
    start = ctx.read(m[2]) if m[2] else day_point(ctx.reference)
    if start is None:
        return None
    return Point(start.first, run_on(start.first, m[1]) - timedelta(days=1), "range")


@form(rf"(?:from )?(.+?),? for ({DURATION})")
def _for(ctx: Phrase, m: re.Match[str]) -> Point | None:
    start = ctx.read(m[1])
    return None if start is None else Point(start.first, run_on(start.first, m[2]) - timedelta(days=1), "range")


@form(
    rf"(?:(?:for|over|in|during) )?(?:the )?(?P<way>{BACK}|{AHEAD}) (?P<n>{COUNT}) ?(?P<unit>{UNIT})",
    rf"(?:the )?(?P<n>\d{{1,4}}|few|couple(?: of)?) (?P<way>{BACK}|{AHEAD}) (?P<unit>{UNIT})",
)
def _last_n(ctx: Phrase, m: re.Match[str]) -> Point:
    number, unit, day = count_of(m["n"]), singular(m["unit"]), ctx.reference
    if unit in ("decade", "century"):
        here = unit_at(unit, 0, day)
        if offset_of(m["way"]) < 0:
            return Point(unit_at(unit, -number, day).first, here.first - timedelta(days=1), unit)
        return Point(unit_at(unit, 1, day).first, unit_at(unit, number, day).last, unit)
    if offset_of(m["way"]) < 0:
        return Point(moved(day, -number, unit), day - timedelta(days=1), "range")
    start = day + timedelta(days=1)
    return Point(start, moved(start, number, unit) - timedelta(days=1), "range")
