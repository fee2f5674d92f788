"""Forms that name more than a day: weeks, months, quarters, seasons, decades, their parts, and ranges."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from tkg.extractors.points import (
    Point,
    calendar_unit,
    choose_year,
    day_point,
    month_number,
    month_point,
    months_point,
    part_of,
    shift_months,
    year_point,
)
from tkg.extractors.spoken.book import (
    DAY,
    HERE,
    MONTH,
    RELATIVE,
    SEASONS,
    TH,
    UNIT,
    WEEKDAY,
    YEAR,
    Phrase,
    form,
    full_year,
    offset_of,
    singular,
    unit_at,
    weekday_number,
)

# --- units -------------------------------------------------------------------------------------------------------


@form(rf"(?:{HERE} )?({RELATIVE}) ({UNIT})", r"()(weekend)", r"(next) (season)")
def _relative_unit(ctx: Phrase, m: re.Match[str]) -> Point | None:
    if m[2] == "season":
        start = shift_months(ctx.reference.replace(day=1), 3 - ctx.reference.month % 3)
        return Point(start, shift_months(start, 3) - timedelta(days=1), "season")
    return unit_at(singular(m[2]), offset_of(m[1]), ctx.reference)


@form(rf"(?:the )?({UNIT}) (after (?:the )?next|before last)")
def _unit_after_next(ctx: Phrase, m: re.Match[str]) -> Point:
    return unit_at(singular(m[1]), 2 if m[2].startswith("after") else -2, ctx.reference)


@form(
    rf"(?P<m>{MONTH}),?(?: of| in)? ?(?P<y>{YEAR}|'\d\d|\d\d)",
    rf"(?P<y>{YEAR}) ?,?-? ?(?P<m>{MONTH})",
    rf"(?P<m>{MONTH})(?: (?:of )?(?P<rel>{RELATIVE} year))?",
    rf"(?:the )?(?:month of )(?P<m>{MONTH})",
)
def _named_month(ctx: Phrase, m: re.Match[str]) -> Point | None:
    groups, month = m.groupdict(), month_number(m["m"])
    if groups.get("rel"):
        year = ctx.read(groups["rel"])
        return None if year is None else month_point(year.first.year, month)
    if groups.get("y"):
        return month_point(full_year(groups["y"]), month)
    return ctx.yearly(lambda year: month_point(year, month))


@form(rf"(?:the )?({RELATIVE}) ({MONTH})")
def _relative_month(ctx: Phrase, m: re.Match[str]) -> Point:
    offset, month, here = offset_of(m[1]), month_number(m[2]), ctx.reference
    if offset < 0:
        return month_point(here.year - (month >= here.month), month)
    return month_point(here.year + (offset > 0 and month <= here.month), month)


@form(rf"(?P<y>{YEAR}) ?[-/.] ?(?P<m>0?[1-9]|1[0-2])", rf"(?P<m>0?[1-9]|1[0-2]) ?[-/.] ?(?P<y>{YEAR})")
def _numeric_month(_ctx: Phrase, m: re.Match[str]) -> Point:
    return month_point(int(m["y"]), int(m["m"]))


@form(
    rf"q(?P<q>[1-4])(?:[ -/]?(?:of )?(?P<y>{YEAR}|'?\d\d))?",
    rf"(?P<y>{YEAR}|\d\d)[ -]?q(?P<q>[1-4])",
    r"q(?P<q>[1-4]) (?:of )?(?P<rel>.+ year)",
    rf"h(?P<h>[12])(?:[ -/]?(?:of )?(?P<y>{YEAR}))?",
    rf"(?P<y>{YEAR})[ -]?h(?P<h>[12])",
    r"(?:the )?(?P<q>[1-4])(?:st|nd|rd|th) (?:quarter|qtr)(?: (?:of |for )?(?P<y>\d\d))?",
)
def _quarter(ctx: Phrase, m: re.Match[str]) -> Point | None:
    groups = m.groupdict()
    size, index, grain = (3, int(groups["q"]), "quarter") if groups.get("q") else (6, int(groups["h"]), "half")
    if groups.get("rel"):
        year = ctx.read(groups["rel"])
        return None if year is None else months_point(year.first.year, size * index - size + 1, size, grain)
    if groups.get("y"):
        return months_point(full_year(groups["y"]), size * index - size + 1, size, grain)
    return ctx.yearly(lambda year: months_point(year, size * index - size + 1, size, grain))


@form(r"(?:the )?week (?:of|starting|beginning|commencing)(?: on)? (.+)", r"w/c (.+)")
def _week_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    point = ctx.read(m[1].replace(".", " "))
    return None if point is None else calendar_unit("week", 0, point.first)


@form(rf"(?:the )?month of ({MONTH})\.? ?({DAY}){TH}")
def _month_of(ctx: Phrase, m: re.Match[str]) -> Point:
    return ctx.yearly(lambda year: month_point(year, month_number(m[1])))


@form(rf"week (\d\d?)(?:,? (?:of )?({YEAR}))?", rf"()({YEAR})-w(\d\d)(?:-([1-7]))?")
def _week_number(ctx: Phrase, m: re.Match[str]) -> Point:
    week = int(m[1] or m[3])
    year = int(m[2]) if m[2] else ctx.reference.year
    if m.re.groups == 4 and m[4]:
        return day_point(date.fromisocalendar(year, week, int(m[4])))
    monday = date.fromisocalendar(year, week, 1)
    return Point(monday, monday + timedelta(days=6), "week")


@form(r"(.+?) ?(?:ad|ce|a\.d|c\.e)\.?", r"(?:ad|a\.d\.) ?(\d{1,4})")
def _of_our_era(ctx: Phrase, m: re.Match[str]) -> Point | None:
    if re.fullmatch(r"\d{1,4}", m[1]):
        return year_point(int(m[1]))
    return ctx.read(m[1]) if re.search(rf"\b{YEAR}$|century$", m[1]) else None


@form(rf"({YEAR})", r"year (\d{1,4})")
def _plain_year(_ctx: Phrase, m: re.Match[str]) -> Point:
    return year_point(int(m[1]))


@form(r"(?:the )?(\d{3}0)'?s", r"(?:the )?'?(\d0)'?s")
def _decade(ctx: Phrase, m: re.Match[str]) -> Point:
    year = int(m[1])
    if year < 100:  # the nearest that has begun
        year += next(century for century in (2000, 1900) if century + year <= ctx.reference.year)
    return Point(date(year, 1, 1), date(year + 9, 12, 31), "decade")


@form(r"(?:the )?(\d\d?)(?:st|nd|rd|th) +century")
def _century(_ctx: Phrase, m: re.Match[str]) -> Point:
    first = int(m[1]) * 100 - 100
    return Point(date(max(first, 1), 1, 1), date(first + 99, 12, 31), "century")


@form(rf"(?:(?P<rel>{RELATIVE}) )?(?P<s>spring|summer|autumn|fall|winter)(?: (?:of |in )?(?P<y>{YEAR}))?")
def _season(ctx: Phrase, m: re.Match[str]) -> Point:
    first = SEASONS[m["s"]]

    def of(year: int) -> Point:
        start = date(year, first, 1)
        return Point(start, shift_months(start, 3) - timedelta(days=1), "season")

    if m["y"]:
        return of(int(m["y"]))
    offset = offset_of(m["rel"] or "")
    here = choose_year(of, ctx.reference, "near" if not m["rel"] or not offset else "past" if offset < 0 else "future")
    inside = here.first <= ctx.reference <= here.last
    return of(here.first.year + offset) if offset and inside else here


# --- parts of units ----------------------------------------------------------------------------------------------


@form(
    r"(?:the )?(?P<p>early|mid|late|start of|beginning of|middle of|end of)[- ](?:in |of )?(?P<u>.+)",
    r"(?:the )?(?P<p>eom|bom|eoy|boy)",
)
def _part_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    word = m["p"].removesuffix(" of")
    if word in ("eom", "bom", "eoy", "boy"):
        whole: Point | None = calendar_unit("month" if word[2] == "m" else "year", 0, ctx.reference)
        word = "end" if word[0] == "e" else "beginning"
    else:
        whole = ctx.read_whole(m["u"])
    if whole is None:
        return None
    word = {"start": "early", "beginning": "early", "middle": "mid", "end": "late"}.get(word, word)
    if whole.grain == "week" and word != "mid":
        days = timedelta(days=2)
        return (
            Point(whole.first, whole.first + days, "part")
            if word == "early"
            else Point(whole.last - days, whole.last, "part")
        )
    return part_of(word, whole)


_WHOLES: Final = ("week", "month", "quarter", "half", "season", "year", "decade", "century")


@form(r"(?:all(?: of| through)?|throughout|(?:the )?(?:whole|entire)(?: of)?)(?: the)? (.+)")
def _all_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    whole = ctx.read_whole(m[1])
    return whole if whole is not None and whole.grain in _WHOLES else None


@form(r"(?:the )?(rest|earlier|later)(?: of| in)? ?((?:the|this|my|our|current)? ?(?:week|month|quarter|year))")
def _rest(ctx: Phrase, m: re.Match[str]) -> Point | None:
    whole = calendar_unit(m[2].split()[-1], 0, ctx.reference)
    if m[1] == "earlier":
        return Point(whole.first, max(whole.first, ctx.reference - timedelta(days=1)), "range")
    return Point(ctx.reference, whole.last, "range")


# --- ranges ------------------------------------------------------------------------------------------------------

_TO: Final = r"(?: (?:to|until|till|thru|through|and|up to) (?:the )?| ?[-–—] ?)"


@form(
    rf"(?:from |between )?(?:the )?(?P<a>{DAY}){TH}{_TO}(?P<b>{DAY}){TH}(?:,? (?:of|in))? (?P<m>.+)",
    rf"(?P<m>{MONTH}|.+ month|{MONTH} {YEAR})(?:,? (?:from|between))? (?P<a>{DAY}){TH}{_TO}(?P<b>{DAY}){TH}(?:,? (?P<y>{YEAR}))?",
    rf"(?:from |between )?(?P<a>{DAY}){TH}{_TO}(?P<m>{MONTH}) (?P<b>{DAY}){TH}(?:,? (?P<y>{YEAR}))?",
)
def _days_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    month = ctx.read(f"{m['m']} {m['y']}" if m.groupdict().get("y") else m["m"])
    if month is None or month.grain != "month":
        return None
    return _between(day_point(month.first.replace(day=int(m["a"]))), day_point(month.first.replace(day=int(m["b"]))))


@form(rf"(?P<week>{RELATIVE} week),? (?:from|between) (?P<a>{WEEKDAY}){_TO}(?P<b>{WEEKDAY})")
def _weekdays_of(ctx: Phrase, m: re.Match[str]) -> Point | None:
    week = ctx.read(m["week"])
    if week is None:
        return None
    return _between(*(day_point(week.first + timedelta(days=weekday_number(m[name]))) for name in ("a", "b")))


@form(
    r"(?:from |between |in )?(?P<a>.+?) (?:to|until|till|thru|through|up to) (?P<b>.+)",
    r"(?:from |between )(?P<a>.+?) and (?P<b>.+)",
    r"(?:from |between |in )?(?P<a>.+?)(?: ?[–—] ?| - )(?P<b>.+)",
    r"(?:from |between )(?P<a>.+?) ?- ?(?P<b>.+)",
    rf"(?P<a>{YEAR}|{YEAR}-\d\d-\d\d) ?[-/] ?(?P<b>{YEAR}|{YEAR}-\d\d-\d\d)",
)
def _range(ctx: Phrase, m: re.Match[str]) -> Point | None:
    first, second = m["a"], m["b"]
    if re.fullmatch(WEEKDAY, first) and re.fullmatch(WEEKDAY, second):
        return None  # "Monday to Friday" recurs
    if first.isdigit() and len(first) < 3 and re.search(MONTH, second):
        return None  # days of one month, and not in order
    low, high = ctx.read(first), ctx.read(second)
    if low is None or high is None:
        return None
    year_said = re.search(rf"\b{YEAR}\b", second)
    if year_said and not re.search(rf"\b{YEAR}\b|\bnow|day\b|month|year|week", first):
        # "from February 1st to March 2019": the year is said once
        low = Phrase(high.last, "past", ctx.order).read(first) or low
    if low.first > high.last:
        low = ctx.read(first, "past") or low
    if low.first > high.last:
        high = Phrase(low.first, "future", ctx.order).read(second) or high
    return _between(low, high)


def _between(low: Point, high: Point) -> Point | None:
    return None if low.first > high.last else Point(low.first, high.last, low.grain, last_grain=high.grain)
