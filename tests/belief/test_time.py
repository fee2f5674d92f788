"""Dates of every grain, intervals with four bounds, Allen's relations, sets of instants."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.belief.build import span, when
from tkg.belief import multirange
from tkg.belief.allen import Allen, relate
from tkg.errors import InvalidInterval, InvalidTime
from tkg.model.edtf import bounds_of, read_edtf
from tkg.model.instant import duration
from tkg.model.time import (
    BEGINNING,
    FOREVER,
    YEAR_ONE,
    Certainty,
    Interval,
    iso,
    parse_observed,
    parse_when,
    to_datetime,
    to_instant,
)


@pytest.mark.parametrize(
    ("text", "start", "end", "grain", "approximate"),
    [
        ("2026", "2026-01-01", "2027-01-01", "year", False),
        ("2026-02", "2026-02-01", "2026-03-01", "month", False),
        ("2024-02-29", "2024-02-29", "2024-03-01", "day", False),
        ("199X", "1990-01-01", "2000-01-01", "decade", True),
        ("19XX", "1900-01-01", "2000-01-01", "century", True),
        ("2004-XX", "2004-01-01", "2005-01-01", "month", True),
        ("2004-06-XX", "2004-06-01", "2004-07-01", "day", True),
        ("1979-08~", "1979-07-01", "1979-10-01", "month", True),
        ("2004-06?", "2004-05-01", "2004-08-01", "month", True),
        ("2004-06-11%", "2004-06-09", "2004-06-14", "day", True),
        ("2001-21", "2001-03-01", "2001-06-01", "season", False),
        ("2001-24", "2001-12-01", "2002-03-01", "season", False),
        ("2001-33", "2001-01-01", "2001-04-01", "quarter", False),
    ],
)
def test_a_date_denotes_its_granule(text: str, start: str, end: str, grain: str, approximate: bool) -> None:
    granule = parse_when(text)
    assert (iso(granule.start), iso(granule.end)) == (f"{start}T00:00:00Z", f"{end}T00:00:00Z")
    assert (granule.grain, granule.approximate) == (grain, approximate)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "-0000",
        "-0000-01-01",
        "-999",
        "-10000",
        "0000-13",
        "-0001-02-29",
        "-0043-03-15T12:00",
        "2026-13",
        "2026-00",
        "2026-02-30",
        "2026-2-3",
        "20X6",
        "2026-01-01T09:00:00",
    ]
    + [
        "2026-01-01T25:00Z",
        "2026-01-01T09:30:60Z",
        "2026-01-01T09:00:00+02:99",
        "2026-01-01 nine",
        "2026-W01",
        "２０２６",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidTime):
        parse_when(text)


def test_a_naive_datetime_is_refused_and_a_date_is_a_day() -> None:
    with pytest.raises(InvalidTime, match="no zone"):
        parse_when(datetime(2026, 3, 1))  # noqa: DTZ001
    assert parse_when(date(2026, 3, 1)) == parse_when("2026-03-01")
    assert parse_when(datetime(2026, 3, 1, tzinfo=UTC)).start == when("2026-03-01")


def test_days_are_as_long_as_the_zone_makes_them() -> None:
    hour = 3_600_000_000
    spring = parse_when("2026-03-29", zone="Europe/Oslo")
    autumn = parse_when("2026-10-25", zone="Europe/Oslo")
    assert spring.end - spring.start == 23 * hour
    assert autumn.end - autumn.start == 25 * hour
    with pytest.raises(InvalidTime):
        parse_when("2026", zone="Moon/Crater")


def test_the_edges_of_time_hold() -> None:
    assert parse_when("-9999").start == parse_when("-9999~").start == BEGINNING
    assert parse_when("9999-12-31").end == FOREVER
    assert parse_when("9999-12-31", zone="America/New_York").end == FOREVER
    assert parse_when("-9999-01-01", zone="Asia/Tokyo").start == BEGINNING
    assert parse_when("-9999-01-01T00:00:00+14:00").start == BEGINNING
    assert parse_when("0001").start == parse_when("0000").end == YEAR_ONE == to_instant(datetime(1, 1, 1, tzinfo=UTC))
    assert parse_when("0001-01-01", zone="Asia/Tokyo").start == YEAR_ONE - 33_539_000_000  # local mean time
    leap = parse_when("2016-12-31T23:59:60Z")
    assert leap.start == parse_when("2017-01-01T00:00:00Z").start
    assert parse_when("2017-01-01T00:59:60+01:00").start == leap.start
    tick = parse_when("2026-03-01T00:00:00.000001Z").start
    assert tick == when("2026-03-01") + 1


def test_a_missing_start_is_when_it_was_observed_and_a_missing_end_lasts_until_changed() -> None:
    made = Interval.make(None, None, default_from=7)
    assert (made.bounds, made.kind, made.undated) == ((7, 7, FOREVER, FOREVER), "until_changed", True)
    assert not Interval.make("2026", None, default_from=7).undated
    assert not Interval.make(None, "2026", default_from=7).undated


def test_ends_open_unknown_and_approximate() -> None:
    assert Interval.make("2004", "..", default_from=0).kind == "open"
    unknown = Interval.make("2004", "", default_from=0)
    assert (unknown.kind, unknown.to_lo, unknown.to_hi) == ("unknown", when("2005"), FOREVER)
    began = Interval.make("", "2004", default_from=0)
    assert began.bounds == (BEGINNING, when("2004"), when("2005"), when("2005"))
    # the end may be the last day, and the start the day before
    late = Interval.make("", "2004-XX-XX", default_from=0)
    assert late.bounds == (BEGINNING, when("2005") - 1, when("2004"), when("2005"))
    about = Interval.make("1979-08~", "1981", default_from=0)
    assert (about.from_lo, about.from_hi) == (when("1979-07"), when("1979-10"))
    assert about.holds(when("1979-08-15")) is None and about.holds(when("1980")) is True
    assert Interval.parse("2004-06-01/2004-06-30").bounds == Interval.parse("2004-06").bounds


@pytest.mark.parametrize("ends", [("2026-03-02", "2026-03-01"), ("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z")])
def test_an_empty_interval_is_refused(ends: tuple[str, str]) -> None:
    with pytest.raises(InvalidInterval, match="empty"):
        Interval.make(*ends, default_from=0)


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-15/2026-03",
        "2026-03-15/2026",
        "-0043-03/-0043",
        "2026-02~/2026",
        "2026-02/2026?",
        "2026-03-15%/2026-03~",
        "2026-23/2026",
        "2026-06-XX/2026",
        "2026-03-15T09:00:00Z/2026-03-15",
    ],
)
def test_an_end_that_names_a_unit_around_the_start_is_refused_in_a_text(text: str) -> None:
    for read in (read_edtf, Interval.parse):
        with pytest.raises(InvalidInterval, match="as finely as the start"):
            read(text)
    # what was accepted before lasts through the unit, and so does an end that a caller gives by itself
    first, _, second = text.partition("/")
    assert bounds_of(text).to_hi == parse_when(second).end == Interval.make(first, second, default_from=0).to_hi


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01/2026",
        "2026-03-01/2026-03",
        "2026-01/2026-01-03",
        "2026/2026",
        "2026-03~/2026-03-15%",
        "2026-03-15/2027",
        "2026-03-15/2026-03-XX",
        "2026-03-15/2026-03-31",
        "2026-03-15/",
        "2026-03-15/..",
        "/2026",
        "../2026",
    ],
)
def test_an_end_that_cannot_lie_before_the_start_is_read(text: str) -> None:
    assert read_edtf(text) == bounds_of(text)
    assert Interval.parse(text).bounds == bounds_of(text)[:4]


@given(st.dates(), st.dates(), st.sampled_from((4, 7, 10)), st.sampled_from((4, 7, 10)))
def test_an_interval_of_two_grains_is_read_where_its_end_cannot_begin_first(a: date, b: date, m: int, n: int) -> None:
    first, second = a.isoformat()[:m], b.isoformat()[:n]
    try:
        read_edtf(f"{first}/{second}")
    except InvalidInterval:
        assert parse_when(second).start < parse_when(first).start
    else:
        assert parse_when(second).start >= parse_when(first).start


def test_a_start_is_in_and_an_end_is_out_to_the_microsecond() -> None:
    made = span(10, 20)
    assert [made.holds(t) for t in (9, 10, 19, 20)] == [False, True, True, False]


def test_lengths_of_time() -> None:
    assert [duration(text) for text in ("0s", "15m", "30d", "2w")] == [
        0,
        900_000_000,
        2_592_000_000_000,
        1_209_600_000_000,
    ]
    with pytest.raises(InvalidTime):
        duration("a while")


@given(st.integers(BEGINNING, FOREVER - 1))
def test_instants_are_read_back_as_they_were_written(instant: int) -> None:
    if instant >= YEAR_ONE:
        assert to_instant(to_datetime(instant)) == instant
    if instant > BEGINNING:
        assert parse_when(iso(instant) or "").start == instant


@given(st.dates(max_value=date(9999, 12, 30)))
def test_days_meet(day: date) -> None:
    assert parse_when(day).end == parse_when(day + timedelta(days=1)).start


_FORMS = (
    "{y}",
    "{y}-{m:02}",
    "{y}-{m:02}-{d:02}",
    "{y}-{m:02}-{d:02}T{h:02}:59:07.000001Z",
    "{y}-{m:02}-{d:02}T{h:02}:00+05:30",
)


def _written(year: int, form: str, rest: dict[str, int]) -> str:
    return form.format(y=f"{'-' if year < 0 else ''}{abs(year):04}", **rest)


@given(
    st.integers(-9600, 9598),
    st.sampled_from(_FORMS),
    st.fixed_dictionaries({"m": st.integers(1, 12), "d": st.integers(1, 28), "h": st.integers(0, 23)}),
    st.sampled_from(["", "~", "?", "%"]),
)
def test_the_calendar_repeats_itself_every_400_years_on_both_sides_of_the_year_0(
    year: int, form: str, rest: dict[str, int], mark: str
) -> None:
    mark = "" if "T" in form else mark
    here = parse_when(_written(year, form, rest) + mark)
    later = parse_when(_written(year + 400, form, rest) + mark)
    cycle = 146_097 * 86_400_000_000
    assert (later.start - here.start, later.end - here.end) == (cycle, cycle)
    assert (later.grain, later.approximate) == (here.grain, here.approximate)


@given(st.integers(-9999, 9998), st.sampled_from(["UTC", "Asia/Tokyo", "America/New_York"]))
def test_years_meet_and_their_months_fill_them(year: int, zone: str) -> None:
    one, other = (parse_when(_written(y, "{y}", {}), zone=zone) for y in (year, year + 1))
    assert one.start < one.end == other.start < other.end
    months = [parse_when(_written(year, "{y}-{m:02}", {"m": m}), zone=zone) for m in range(1, 13)]
    assert (months[0].start, months[-1].end) == one[:2]
    assert all(a.end == b.start for a, b in pairwise(months))


def test_unspecified_digits_before_the_year_0_lead_away_from_it() -> None:
    assert parse_when("-004X")[:2] == (parse_when("-0049").start, parse_when("-0040").end)
    assert parse_when("-01XX")[:2] == (parse_when("-0199").start, parse_when("-0100").end)
    assert parse_when("000X")[:2] == (parse_when("0000").start, parse_when("0009").end)


def test_what_was_said_to_have_no_start_still_has_none_where_time_began_in_the_year_1() -> None:
    old = {"from_lo": YEAR_ONE, "from_hi": YEAR_ONE, "to_lo": FOREVER, "to_hi": FOREVER, "kind": "until_changed"}
    assert Interval.model_validate(old | {"edtf": "../"}).bounds == Interval.make("..", None, default_from=0).bounds
    # a start that was given, or was when it was observed, stays
    for text in ("0001/", "/"):
        assert Interval.model_validate(old | {"edtf": text}).from_lo == YEAR_ONE
    ends = {"to_lo": when("2005"), "to_hi": when("2005"), "kind": "closed", "edtf": "/2004"}
    unknown = Interval.model_validate(old | {"from_hi": when("2004")} | ends)
    assert unknown.bounds == Interval.make("", "2004", default_from=0).bounds
    assert Interval.model_validate(old | ends).from_lo == YEAR_ONE


def test_no_clock_showed_a_time_before_the_year_1() -> None:
    assert parse_observed("0001-01-01") == YEAR_ONE
    with pytest.raises(InvalidTime, match="before the year 1"):
        parse_observed("-0043-03-15")


BOUNDS = (
    st.lists(st.integers(0, 9), min_size=4, max_size=4)
    .map(lambda raw: (min(raw[:2]), max(raw[:2]), min(raw[2:]), max(raw[2:])))
    .filter(lambda b: b[0] < b[3])
)


def interval(bounds: tuple[int, int, int, int]) -> Interval:
    return Interval(from_lo=bounds[0], from_hi=bounds[1], to_lo=bounds[2], to_hi=bounds[3])


def completions(one: Interval) -> list[tuple[int, int]]:
    """Every interval that the bounds allow."""
    return [
        (start, end)
        for start in range(one.from_lo, one.from_hi + 1)
        for end in range(one.to_lo, one.to_hi + 1)
        if start < end
    ]


@given(BOUNDS, st.integers(-1, 10))
def test_true_holds_in_every_completion_and_false_in_none(bounds: tuple[int, int, int, int], point: int) -> None:
    made = interval(bounds)
    found = [start <= point < end for start, end in completions(made)]
    if made.holds(point) is True:
        assert all(found)
    elif made.holds(point) is False:
        assert not any(found)
    else:
        assert any(found), "unknown is never said without reason"


@given(BOUNDS, BOUNDS)
def test_overlap_is_definite_only_where_every_completion_shares_a_point(
    a: tuple[int, int, int, int], b: tuple[int, int, int, int]
) -> None:
    one, other = interval(a), interval(b)
    shared = [relate(x, y).shares_time for x in completions(one) for y in completions(other)]
    found = one.overlap(other)
    assert found is other.overlap(one)
    if found is Certainty.DEFINITE:
        assert all(shared)
    elif found is Certainty.NONE:
        assert not any(shared)
    else:
        assert any(shared)


SPANS = [(a, b) for a in range(8) for b in range(a + 1, 8)]


def test_exactly_one_of_allens_thirteen_relations_holds() -> None:
    tests = {
        Allen.BEFORE: lambda a, b, c, d: b < c,
        Allen.MEETS: lambda a, b, c, d: b == c,
        Allen.OVERLAPS: lambda a, b, c, d: a < c < b < d,
        Allen.STARTS: lambda a, b, c, d: a == c and b < d,
        Allen.DURING: lambda a, b, c, d: c < a and b < d,
        Allen.FINISHES: lambda a, b, c, d: c < a and b == d,
        Allen.EQUALS: lambda a, b, c, d: a == c and b == d,
    }
    assert len(SPANS) ** 2 == 784
    for one in SPANS:
        for other in SPANS:
            held = {r for r, test in tests.items() if test(*one, *other)}
            held |= {r.inverse for r, test in tests.items() if test(*other, *one)}
            assert held == {relate(one, other)}
            assert relate(one, other).inverse is relate(other, one)
            assert relate(one, other).shares_time == bool(set(range(*one)) & set(range(*other)))


RANGES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6)


def instants(ranges: object) -> set[int]:
    return {t for a, b in ranges for t in range(a, b)}  # type: ignore[attr-defined]


@given(RANGES, RANGES)
def test_sets_of_instants_are_added_taken_away_and_shared(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    a, b = [x for x in a if x[0] <= x[1]], [x for x in b if x[0] <= x[1]]
    assert instants(multirange.union([*a, *b])) == instants(a) | instants(b)
    assert instants(multirange.subtract(a, b)) == instants(a) - instants(b)
    assert instants(multirange.intersect(a, b)) == instants(a) & instants(b)
    for made in (multirange.union(a), multirange.subtract(a, b), multirange.intersect(a, b)):
        assert all(one[0] < one[1] < other[0] for one, other in pairwise(made))
    assert all(multirange.contains(multirange.union(a), t) == (t in instants(a)) for t in range(21))


@given(st.text(max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        found = read_edtf(text)
    except (InvalidTime, InvalidInterval):
        return
    assert BEGINNING <= found.from_lo <= found.from_hi <= FOREVER
    assert found.from_lo < found.to_hi


@given(st.from_regex(r"\A-?[0-9X]{4}(-[0-9X]{2}){0,2}[~?%]?(/-?[0-9X]{4}(-[0-9X]{2}){0,2}[~?%]?)?\Z"))
def test_whatever_looks_like_a_date_gives_ordered_bounds_or_is_refused(text: str) -> None:
    test_no_text_breaks_the_reader.hypothesis.inner_test(text)  # type: ignore[attr-defined]
