"""Phrases that are known to be times; the day of writing is Wednesday 18 November 2026."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.extractors.numerals import in_digits, ordinal
from tkg.extractors.points import Direction
from tkg.extractors.spoken import read_spoken

TODAY = date(2026, 11, 18)


@pytest.mark.parametrize(
    ("phrase", "first", "last"),
    [
        ("the 27th", "2026-11-27", "2026-11-27"),
        ("20th of next month", "2026-12-20", "2026-12-20"),
        ("the second last week of October 2018", "2018-10-15", "2018-10-21"),
        ("the third Wednesday of previous month", "2026-10-21", "2026-10-21"),
        ("tenth of September, two thousand", "2000-09-10", "2000-09-10"),
        ("Friday of next week", "2026-11-27", "2026-11-27"),
        ("two weeks from tomorrow", "2026-12-03", "2026-12-03"),
        ("1 month and 21 days ago", "2026-09-27", "2026-09-27"),
        ("in four business days", "2026-11-24", "2026-11-24"),
        ("the next 3 months", "2026-11-19", "2027-02-18"),
        ("the past 2 decades", "2000-01-01", "2019-12-31"),
        ("within 5 years 1 month 12 days", "2026-11-18", "2031-12-29"),
        ("a week starting 1 May 2026", "2026-05-01", "2026-05-07"),
        ("the week of 4 May 2026", "2026-05-04", "2026-05-10"),
        ("2026-W15", "2026-04-06", "2026-04-12"),
        ("2026-W15-3", "2026-04-08", "2026-04-08"),
        ("week 10", "2026-03-02", "2026-03-08"),
        ("the third quarter of 2020", "2020-07-01", "2020-09-30"),
        ("18q4", "2018-10-01", "2018-12-31"),
        ("2016H2", "2016-07-01", "2016-12-31"),
        ("the seventies", "1970-01-01", "1979-12-31"),
        ("15th century", "1400-01-01", "1499-12-31"),
        ("summer of 2016", "2016-06-01", "2016-08-31"),
        ("winter 2016", "2016-12-01", "2017-02-28"),
        ("end of next week", "2026-11-27", "2026-11-29"),
        ("early 2025", "2025-01-01", "2025-04-30"),
        ("later this month", "2026-11-18", "2026-11-30"),
        ("rest of the year", "2026-11-18", "2026-12-31"),
        ("4 to 22 January, 1995", "1995-01-04", "1995-01-22"),
        ("November between 19 and 20", "2026-11-19", "2026-11-20"),
        ("from Feb 1st to March 2019", "2019-02-01", "2019-03-31"),
        ("next week between Wednesday and Friday", "2026-11-25", "2026-11-27"),
        ("2014-2018", "2014-01-01", "2018-12-31"),
        ("Easter 2026", "2026-04-05", "2026-04-05"),
        ("Good Friday 2027", "2027-03-26", "2027-03-26"),
        ("Christmas Eve", "2026-12-24", "2026-12-24"),
        ("29 February 2028", "2028-02-29", "2028-02-29"),
        ("25/12/2025", "2025-12-25", "2025-12-25"),
        # a unit without a word before it is the running one, where a part or the whole of it is meant
        ("end of month", "2026-11-21", "2026-11-30"),
        ("the start of quarter", "2026-10-01", "2026-10-30"),
        ("mid-year", "2026-05-01", "2026-08-31"),
        ("late week", "2026-11-20", "2026-11-22"),
        ("last day of quarter", "2026-12-31", "2026-12-31"),
        ("second Monday of month", "2026-11-09", "2026-11-09"),
        ("all month", "2026-11-01", "2026-11-30"),
        ("all of last quarter", "2026-07-01", "2026-09-30"),
        ("the whole of March 2025", "2025-03-01", "2025-03-31"),
        ("the entire year", "2026-01-01", "2026-12-31"),
        ("throughout the 1990s", "1990-01-01", "1999-12-31"),
        # one day found from another time
        ("last week's Thursday", "2026-11-12", "2026-11-12"),
        ("next month's 21st", "2026-12-21", "2026-12-21"),
        ("last year's March", "2025-03-01", "2025-03-31"),
        ("this month's last Friday", "2026-11-27", "2026-11-27"),
        ("the Thursday before Christmas", "2026-12-24", "2026-12-24"),
        ("the Friday before Christmas", "2026-12-18", "2026-12-18"),
        ("the first Tuesday after 3 November 2026", "2026-11-10", "2026-11-10"),
        ("the third Wednesday after Easter 2026", "2026-04-22", "2026-04-22"),
        ("the second Friday before March 2026", "2026-02-20", "2026-02-20"),
        ("the last Sunday before June 2026", "2026-05-31", "2026-05-31"),
        ("the Sunday nearest to 1 March 2028", "2028-02-27", "2028-02-27"),
        ("closest Tuesday to 10 March 2026", "2026-03-10", "2026-03-10"),
        ("the Sunday closest to 11 March 2026", "2026-03-08", "2026-03-08"),
        # counted from the end
        ("the fourth last day of June 2026", "2026-06-27", "2026-06-27"),
        ("the tenth-to-last day of 2026", "2026-12-22", "2026-12-22"),
        ("third to last Friday of May 2026", "2026-05-15", "2026-05-15"),
        ("the second-to-last Monday of 2026", "2026-12-21", "2026-12-21"),
        ("next to last day of February 2028", "2028-02-28", "2028-02-28"),
        ("penultimate Sunday of this month", "2026-11-22", "2026-11-22"),
        # short writings and eras
        ("3rd qtr of 2024", "2024-07-01", "2024-09-30"),
        ("next wk", "2026-11-23", "2026-11-29"),
        ("the last 3 mths", "2026-08-18", "2026-11-17"),
        ("2 yrs. ago", "2024-01-01", "2024-12-31"),
        ("the past two qtrs.", "2026-05-18", "2026-11-17"),
        ("in 1066 AD", "1066-01-01", "1066-12-31"),
        ("AD 79", "0079-01-01", "0079-12-31"),
        ("476 C.E.", "0476-01-01", "0476-12-31"),
        ("14 October 1066 AD", "1066-10-14", "1066-10-14"),
        ("the 5th century CE", "0400-01-01", "0499-12-31"),
        ("two coming weeks", "2026-11-19", "2026-12-02"),
        ("the 5 past days", "2026-11-13", "2026-11-17"),
    ],
)
def test_a_phrase_covers_its_days(phrase: str, first: str, last: str) -> None:
    point = read_spoken(phrase, TODAY)
    assert point is not None
    assert (point.first.isoformat(), point.last.isoformat()) == (first, last)


@pytest.mark.parametrize(
    "phrase",
    [
        "03/04/2026",
        "30 February",
        "2/29/2019",
        "the fifth Sunday of February 2026",
        "on Fridays",
        "Monday to Friday",
        "from 9 to 3 May 2026",
        "room 12",
        "",
        "of",
        "31st of this month",
        "month",
        "the whole day",
        "all hands",
        "all Fridays",
        "44 BC",
        "a place",
        "the Monday closest to March 2026",
        "the Friday before last",
        "Fridays before Christmas",
        "last week's 3rd",
        "the sixth last Friday of May 2026",
        "the 40th last day of May 2026",
    ],
)
def test_what_names_no_days_or_could_be_two_is_not_read(phrase: str) -> None:
    assert read_spoken(phrase, TODAY) is None


def test_the_order_of_day_and_month_is_a_setting() -> None:
    american, european = read_spoken("03/04/2026", TODAY, order="MDY"), read_spoken("03/04/2026", TODAY, order="DMY")
    assert american is not None and american.first == date(2026, 3, 4)
    assert european is not None and european.first == date(2026, 4, 3)


@given(st.integers(1, 31), st.sampled_from(["past", "future"]))
def test_a_bare_day_lies_on_the_side_that_was_asked_for(day: int, direction: Direction) -> None:
    point = read_spoken(f"the {ordinal(day)}", TODAY, direction)
    assert point is not None and point.first.day == day
    assert (point.first <= TODAY) if direction == "past" else (point.first >= TODAY)


@given(st.dates(date(1000, 1, 1), date(2199, 12, 31)))
def test_a_full_date_is_read_whatever_the_reference(day: date) -> None:
    for text in (f"{day.day} {day:%B} {day.year}", f"{day:%B} {ordinal(day.day)}, {day.year}", day.isoformat()):
        point = read_spoken(text, TODAY)
        assert point is not None and (point.first, point.last) == (day, day)


@given(st.text(max_size=60))
def test_any_text_is_read_or_not_and_nothing_is_raised(text: str) -> None:
    point = read_spoken(text, TODAY)
    assert point is None or point.first <= point.last


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("september the twenty-first nineteen seventy eight", "september the 21st 1978"),
        ("nineteen zero one", "1901"),
        ("one thousand seven hundred and eighty nine", "1789"),
        ("the two thousand and tens", "the 2010s"),
        ("three weeks", "3 weeks"),
        ("one two", "1 2"),
    ],
)
def test_number_words_become_digits(words: str, digits: str) -> None:
    assert in_digits(words) == digits
