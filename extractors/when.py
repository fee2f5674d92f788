"""Validity phrases in a sentence: since, until, before, from–to, in, on, effective, for the last N …

Own grammar first; dateparser only for a single date behind a trigger word that the grammar could not read, never to
search a sentence (it takes "may", "sat" and "30 days" for dates). The end of a named unit is included: "until March"
lasts through March, "before March" through February. Texts come out at the grain that was said, as ISO 8601 or EDTF.
Definition of the half-open form: `tkg.model.time`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from tkg.extractors.points import (
    MONTHS,
    POINT,
    UNIT,
    WEEKDAYS,
    Direction,
    Point,
    number_of,
    read_point,
    shift_months,
    shifted,
)
from tkg.extractors.spoken import read_spoken
from tkg.model.time import Instant, to_datetime

Tense = Literal["past", "present", "future"]


class TimeSpan(NamedTuple):
    """A validity phrase at `[start, end)` of a text.

    `trigger` is the relation that was said: since, until, before, after, by, range, last, at (in, on, during) or
    bare. `firm` spans are validity wherever they stand; the others may be the value itself ("the meeting is on Tuesday").
    """

    start: int
    end: int
    trigger: str
    valid_from: str | None
    valid_to: str | None
    firm: bool


class _Phrase(NamedTuple):
    start: int
    end: int
    trigger: str
    first: str
    second: str | None = None


_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_B: Final = r"(?<![\w-])"
_WORDS: Final = {
    "since": r"(?:ever\ )?since | as\ (?:of|from) | (?:with\ effect\ |effective\ |starting\ |beginning\ |commencing\ )(?:from|as\ of|on|in)?"
    r" | effective | starting | from",
    "until": r"(?:up\ )?until | till? | up\ to | through | valid\ to",
    "before": r"before | prior\ to",
    "after": r"after | following",
    "by": r"by(?:\ the\ end\ of)? | no\ later\ than",
    "at": r"in | on | during | throughout | over | as\ at | dated",
}
_TO: Final = r"(?:\ (?:to|until|till|through|up\ to)\ |\ ?[–—]\ ?|\ -\ )"
_D: Final = r"(?:[0-2]?\d|3[01])(?:st|nd|rd|th)?"
_MONTH_YEAR: Final = r"(?:of\ )?[A-Z][a-z]{2,8}\.?(?:,?\ (?:1[89]|20)\d\d)?"

#: ranges first: they hold two points
_RANGES: Final = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        rf"{_B}(?:from|between)\ (?P<first>{POINT})(?:{_TO}|\ and\ )(?P<second>{POINT})(?!\w)",
        rf"{_B}(?:from|between)\ (?:the\ )?(?P<first>{_D})(?:{_TO}|\ and\ |-)(?P<second>{_D}\ {_MONTH_YEAR})(?!\w)",
        rf"{_B}(?:the\ )?(?P<first>{_D})\ ?[-–—]\ ?(?P<second>{_D}\ {_MONTH_YEAR})(?!\w)",
        rf"{_B}(?:from|between)\ (?P<first>[A-Z][a-z]{{2,8}})(?:{_TO}|\ and\ )(?P<second>[A-Z][a-z]{{2,8}}\ (?:1[89]|20)\d\d)(?!\w)",
        r"(?<![\w/-])(?P<first>\d{4}-\d\d-\d\d)/(?P<second>\d{4}-\d\d-\d\d|\.\.)(?![\w/-])",
        rf"{_B}(?:in\ |during\ )?(?P<first>{POINT}){_TO}(?P<second>{POINT})(?!\w)",
    )
)
_LAST: Final = re.compile(
    rf"{_B}(?:for|over|in|during|within)\ the\ (?:last|past|previous)\ (?:(?P<number>\d{{1,4}}|a\ few|\w+)\ )?(?P<unit>{UNIT})(?!\w)",
    _FLAGS,
)
_TRIGGERED: Final = re.compile(
    rf"{_B}(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _WORDS.items()) + rf")\ (?P<point>{POINT})"
    r"(?!\w)(?:\ (?:on(?:wards?)?|forward)(?!\w)(?!\ (?:the|a|an|our|all)\b))?",
    _FLAGS,
)
_BARE: Final = re.compile(rf"{_B}(?P<point>{POINT})(?!\w)", _FLAGS)
_FOREVER: Final = re.compile(rf"{_B}(?:until\ further\ notice|indefinitely|permanently)(?!\w)", _FLAGS)
_UNREAD: Final = re.compile(
    rf"{_B}(?:(?P<since>since|as\ of|effective|starting|from)|(?P<until>until|till)|(?P<before>before)|(?P<after>after)"
    r"|(?P<at>on|in))\ (?P<point>(?:[\w./:+-]+,?\ ){0,3}[\w./:+-]+)",
    _FLAGS,
)

_MONTH_WORD: Final = re.compile(r"(?:may|march|mar|jan|feb|apr|jun|jul|aug|oct|nov|dec|sept?)$", re.IGNORECASE)
#: what may follow a month written small; any other word makes it a name ("in jan format", "in may cases")
_GOES_ON: Final = re.compile(
    r"\W*$|\s*[,;:.!?)]|\ (?:and|or|but|we|i|it|the|they|he|she|this|when|so|for|at|with|to|until|last|next)\b"
)
_YEAR_ALONE: Final = re.compile(r"\d{4}$")
#: a trigger, and the words behind it as far as no sign parts them
_SAID: Final = re.compile(
    rf"{_B}(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _WORDS.items() if name != "by")
    + r"|(?P<range>from|between))\ (?=(?P<words>(?:[\w'’/-]+,?\ ){1,11}[\w'’/-]+))",
    _FLAGS,
)
_NEXT: Final = re.compile(r"\b(?:since|until|till?|through|to)\b", re.IGNORECASE)
#: what holds such a word and is one point all the same
_WITH_TO: Final = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)|next|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)[\ -]to[\ -]last\b"
    r"|\b(?:closest|nearest)\ to\b",
    _FLAGS,
)
#: what makes a run of words a time, beyond that it can be read as one
_ANCHOR: Final = re.compile(
    r"\b(?:last|past|previous|next|coming|following|this)\ (?:\w+\ )?(?:day|week|weekend|month|quarter|year|decade|wk|mth|qtr|yr)s?\b"
    r"|\b(?:1[89]|20)\d\ds?\b|\b(?:ago|yesterday|today|tomorrow|century|(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies|Christmas|Easter|Halloween|New\ Year)\b"
    r"|\b(?:"
    + "|".join(sorted((m for m in MONTHS if m not in ("may", "march", "mar")), key=len, reverse=True))
    + r")\b"
    r"|\b(?-i:May|March|Mar)\b|\b(?:" + "|".join(WEEKDAYS) + r")\b",
    _FLAGS,
)
_DATE_WORD: Final = re.compile(r"\b(?:" + "|".join(MONTHS) + r")\b|\b(?:1[89]|20)\d\d\b", re.IGNORECASE)
#: forms that are dates without a word in front of them
_STRONG: Final = re.compile(
    r"(?:the\ day\ .*|yesterday|today|tonight|tomorrow|.*\ (?:ago|earlier|from\ now)|(?:last|past|previous|this|next|coming)\ .*"
    r"|.*\d.*[a-z]{3,}.*\d{4}|[a-z]{3,}\.?\ .*\d.*,?\ \d{4}|\d{4}-\d\d-\d\d.*)$",
    _FLAGS,
)


@lru_cache(maxsize=64)
def zone_of(name: str) -> tzinfo:
    """Return the zone of an IANA name or of an offset such as "+13:00".

    Raises:
        ValueError: there is no such zone.
    """
    if name == "UTC":
        return UTC
    if found := re.fullmatch(r"([+-])(\d\d):(\d\d)", name):
        minutes = int(found[2]) * 60 + int(found[3])
        return timezone(timedelta(minutes=minutes if found[1] == "+" else -minutes))
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"no time zone {name!r}; pass an IANA name or an offset such as +13:00") from None


def _plausible(text: str, phrase: _Phrase) -> bool:
    """Say whether a phrase is a time and not a word that looks like one ("in may", "by 2000 users")."""
    point, after = phrase.first, text[phrase.end :]
    if _MONTH_WORD.match(point) and phrase.second is None:
        if phrase.trigger == "bare" or re.match(r"\ (?:not|be|have|also|on)\b", after):
            return False
        return point[0].isupper() or phrase.trigger != "by" and bool(_GOES_ON.match(after))
    if _YEAR_ALONE.match(point) and phrase.second is None:
        if phrase.trigger == "at" and text[phrase.start :][:3].lower() == "on ":
            return False  # "listens on 1999"
        counted = re.match(r"\ ?(?:[a-z]+s|ms|[kKMG]i?B|%|percent|px|m|km|kg)\b", after)
        return phrase.trigger in ("since", "at") and not re.match(r"\ ?(?:ms|[kKMG]i?B|%|px)\b", after) or not counted
    return True


def _overlaps(found: list[_Phrase], start: int, end: int) -> bool:
    return any(start < other.end and other.start < end for other in found)


def _phrases(text: str) -> list[_Phrase]:
    found: list[_Phrase] = []

    def add(phrase: _Phrase) -> None:
        if not _overlaps(found, phrase.start, phrase.end) and _plausible(text, phrase):
            found.append(phrase)

    for pattern in _RANGES:
        for m in pattern.finditer(text):
            add(_Phrase(*m.span(), "range", m["first"], m["second"]))
    for m in _LAST.finditer(text):
        add(_Phrase(*m.span(), "last", m["number"] or "1", m["unit"]))
    for m in _FOREVER.finditer(text):
        add(_Phrase(*m.span(), "forever", m.group()))
    for m in _TRIGGERED.finditer(text):
        trigger = next(name for name in _WORDS if m[name] is not None)
        if m[trigger].lower().endswith("end of"):
            add(_Phrase(*m.span(), "by", f"end of {m['point']}"))
        else:
            add(_Phrase(*m.span(), trigger, m["point"]))
    for m in _BARE.finditer(text):
        if _STRONG.match(m["point"]):
            add(_Phrase(*m.span(), "bare", m["point"]))
    return sorted(found)


def _said(
    text: str, phrases: list[_Phrase], reference: date, tense: Tense
) -> Iterator[tuple[tuple[int, int], str, Point]]:
    """Read the longest run of words behind each trigger that is a time and goes further than the grammar came.

    Phrases do not overlap, and a run never swallows the next trigger ("since March until March").
    """
    after = 0
    for m in _SAID.finditer(text):
        if m.start() < after:
            continue
        trigger = next(name for name in (*_WORDS, "range") if name != "by" and m[name] is not None)
        words = m["words"].split(" ")
        for count in range(len(words), 1, -1):
            chunk = " ".join(words[:count]).rstrip(",")
            start, end = m.start(), m.start("words") + len(chunk)
            if any(
                start < p.end and p.start < end and p.start <= start and (p.end >= end or p.start < start)
                for p in phrases
            ):
                break
            if not _ANCHOR.search(chunk) or not _GOES_ON.match(text[end:]) and not text[end : end + 1].isspace():
                continue
            ranged = m["since"] is not None and m["since"].lower() == "from" or trigger == "range"
            point = read_spoken(f"from {chunk}", reference, _direction("at", tense)) if ranged else None
            if point is not None:
                after = end
                yield (start, end), "range", point
                break
            point = (
                None
                if trigger == "range" or _NEXT.search(_WITH_TO.sub("", chunk))
                else read_spoken(chunk, reference, _direction(trigger, tense))
            )
            if point is not None:
                after = end
                yield (start, end), trigger, point
                break


def _direction(trigger: str, tense: Tense) -> Direction:
    if tense == "past":
        return "past"
    if trigger in ("until", "by"):
        return "future"
    if tense == "future":
        return "future"
    return "past" if trigger == "since" else "near"


class _Writer:
    """Writes points as texts: at their grain in UTC, as timestamps with offset in another zone."""

    def __init__(self, zone: str) -> None:
        self._zone = None if zone == "UTC" else zone_of(zone)

    def _midnight(self, day: date) -> str:
        return datetime.combine(day, time(0), tzinfo=self._zone).isoformat()

    def _text(self, point: Point, day: date, grain: str | None = None) -> str:
        mark, grain = "~" if point.approximate else "", grain or point.grain
        if grain in ("year", "decade"):
            return f"{day.year:04d}{mark}"
        if grain in ("month", "quarter", "half") or (grain == "part" and point.first.day == 1 and mark):
            return f"{day.year:04d}-{day.month:02d}{mark}"  # strftime does not pad years
        return day.isoformat() + mark

    def start(self, point: Point) -> str:
        """Return the text of a start."""
        if point.moment is not None:
            return point.moment.isoformat().replace("+00:00", "Z")
        return self._text(point, point.first) if self._zone is None else self._midnight(point.first)

    def end(self, point: Point) -> str:
        """Return the text of an end that includes the point; a moment is exclusive."""
        if point.moment is not None:
            return point.moment.isoformat().replace("+00:00", "Z")
        if self._zone is None:
            return self._text(point, point.last, point.last_grain)
        return self._midnight(point.last + timedelta(days=1))

    def end_before(self, point: Point) -> str:
        """Return the text of an end that excludes the point."""
        if point.moment is not None:
            return self.end(point)
        before = point.first - timedelta(days=1)
        if self._zone is not None:
            return self._midnight(point.first)
        return self._text(point, before)

    def start_after(self, point: Point) -> str:
        """Return the text of a start that excludes the point."""
        if point.moment is not None:
            return self.start(point)
        after = point.last + timedelta(days=1)
        return self._text(point, after) if self._zone is None else self._midnight(after)


def _is_weekday(text: str) -> bool:
    return text.lower() in WEEKDAYS or text.lower().removesuffix("s") in WEEKDAYS


def _resolve_range(
    phrase: _Phrase, reference: date, tense: Tense, write: _Writer
) -> tuple[str | None, str | None] | None:
    if phrase.second is None or (_is_weekday(phrase.first) and _is_weekday(phrase.second)):
        return None  # "Monday to Friday" recurs
    if phrase.second == "..":
        first = read_point(phrase.first, reference)
        return None if first is None else (write.start(first), "..")
    span = read_spoken(f"from {phrase.first} to {phrase.second}", reference, _direction("at", tense))
    if span is not None:
        return write.start(span), write.end(span)
    first, second = (read_point(text, reference) for text in (phrase.first, phrase.second))  # moments
    if first is None or second is None or first.first > second.last:
        return None
    return write.start(first), write.end(second)


def _resolve(phrase: _Phrase, reference: date, tense: Tense, write: _Writer) -> tuple[str | None, str | None] | None:
    if phrase.trigger == "range":
        return _resolve_range(phrase, reference, tense, write)
    if phrase.trigger == "forever":
        return None, ".."
    if phrase.trigger == "last":
        number = _count(phrase.first)
        unit = (phrase.second or "days").lower()
        if number is None:
            return None
        start = shifted(-number, unit, reference)
        if unit.startswith(("month", "quarter")):
            start = Point(*(2 * (shift_months(reference, -number * (3 if unit[0] == "q" else 1)),)), "day")
        return write.start(start), None
    point = read_point(phrase.first, reference, _direction(phrase.trigger, tense))
    return None if point is None else _bounds(phrase.trigger, point, write)


def _count(text: str) -> int | None:
    try:
        return number_of(text)
    except KeyError:
        return None


def _bounds(trigger: str, point: Point, write: _Writer) -> tuple[str | None, str | None]:
    match trigger:
        case "since" | "by":
            return write.start(point), None
        case "until":
            return None, write.end(point)
        case "before":
            return None, write.end_before(point)
        case "after":
            return write.start_after(point), None
        case _:
            return write.start(point), write.end(point)


@lru_cache(maxsize=8)
def _parser(direction: Direction) -> Any:
    from dateparser.date import DateDataParser

    prefer = {"past": "past", "future": "future", "near": "current_period"}[direction]
    settings = {"PREFER_DATES_FROM": prefer, "STRICT_PARSING": False, "PARSERS": ["absolute-time"], "TIMEZONE": "UTC"}
    return DateDataParser(languages=["en"], settings=settings)


def _by_library(text: str, reference: date, direction: Direction) -> Point | None:
    """Read one date with dateparser, only where a month's name or a year stands beside another number."""
    if not _DATE_WORD.search(text) or len(re.findall(r"\w+", text)) < 2 or re.search(r"\d:\d|\bmay\b", text):
        return None
    found = _parser(direction).get_date_data(text)
    moment: datetime | None = found.date_obj
    if moment is None or found.period not in ("day", "month", "year"):
        return None
    form = {"day": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}[found.period]
    day = moment.date()
    if not re.search(r"\b(?:1[89]|20)\d\d\b", text):
        day = day.replace(year=reference.year)
    return read_point(day.strftime(form), reference)


def _unread(text: str, taken: list[_Phrase], reference: date, tense: Tense, write: _Writer) -> list[TimeSpan]:
    """Give dateparser the words behind a trigger that the grammar could not read, longest first."""
    out = []
    for m in _UNREAD.finditer(text):
        counted = re.match(r"on\ \d{4}(?![\w-])", m.group(), _FLAGS)  # "listens on 1999"
        if counted or _overlaps(taken, *m.span()) or not _DATE_WORD.search(m["point"]):
            continue
        trigger = next(name for name in ("since", "until", "before", "after", "at") if m[name] is not None)
        words = m["point"].split(" ")
        for count in range(len(words), 0, -1):
            chunk = " ".join(words[:count])
            point = _by_library(chunk.strip(" ,."), reference, _direction(trigger, tense))
            if point is not None:
                end = m.start("point") + len(chunk.rstrip(" ,."))
                out.append(TimeSpan(m.start(), end, trigger, *_bounds(trigger, point, write), trigger != "at"))
                break
    return out


def find_times(
    text: str, observed_at: Instant, *, tense: Tense = "present", zone: str = "UTC", library: bool = True
) -> list[TimeSpan]:
    """Return the validity phrases of a sentence, in order, without overlaps.

    Args:
        text: one sentence.
        observed_at: when it was written; its day in `zone` is the reference for relative words.
        tense: of the sentence; decides which March is meant.
        zone: IANA name or offset of the writer; outside UTC the texts are timestamps with offset.
        library: also try dateparser behind trigger words.
    """
    reference = to_datetime(observed_at).astimezone(zone_of(zone)).date()
    write = _Writer(zone)
    phrases = _phrases(text)
    out = []
    for (start, end), trigger, point in list(_said(text, phrases, reference, tense)):
        phrases = [p for p in phrases if p.end <= start or end <= p.start]
        phrases.append(_Phrase(start, end, "said", ""))
        out.append(TimeSpan(start, end, trigger, *_bounds(trigger, point, write), trigger != "at"))
    for phrase in phrases:
        if phrase.trigger == "said":
            continue
        try:
            bounds = _resolve(phrase, reference, tense, write)
        except (ValueError, OverflowError):  # a day outside the calendar
            continue
        if bounds is not None:
            firm = phrase.trigger not in ("at", "bare", "by")
            out.append(TimeSpan(phrase.start, phrase.end, phrase.trigger, *bounds, firm))
    if library:
        out.extend(_unread(text, phrases, reference, tense, write))
    return sorted(out)
