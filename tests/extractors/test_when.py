"""Validity phrases in sentences; the day of writing is Wednesday 18 November 2026."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.labelled import WRITTEN
from tkg.errors import InvalidInterval
from tkg.extractors.when import Tense, find_times, zone_of
from tkg.model.time import Interval

PHRASES: list[tuple[str, str | None, str | None]] = [
    ("since March", "2026-03", None),
    ("since last week", "2026-11-09", None),
    ("since 2021", "2021", None),
    ("since 3 weeks ago", "2026-10-28", None),
    ("until March", None, "2027-03"),
    ("until 31 March 2026", None, "2026-03-31"),
    ("till Friday", None, "2026-11-20"),
    ("before March 2026", None, "2026-02"),
    ("before 1 March 2024", None, "2024-02-29"),
    ("after 15 June 2025", "2025-06-16", None),
    ("after December 2025", "2026-01", None),
    ("from 3 to 9 May 2026", "2026-05-03", "2026-05-09"),
    ("3-9 May 2026", "2026-05-03", "2026-05-09"),
    ("from March to June 2026", "2026-03", "2026-06"),
    ("between 2019 and 2021", "2019", "2021"),
    ("between 1 March and 15 April 2026", "2026-03-01", "2026-04-15"),
    ("in Q3 2025", "2025-07", "2025-09"),
    ("in the second half of 2025", "2025-07", "2025-12"),
    ("in 2024", "2024", "2024"),
    ("in April 2026", "2026-04", "2026-04"),
    ("on 11 April 2026", "2026-04-11", "2026-04-11"),
    ("on April 11, 2026", "2026-04-11", "2026-04-11"),
    ("on Saturday, 11 April 2026", "2026-04-11", "2026-04-11"),
    ("on 25/12/2025", "2025-12-25", "2025-12-25"),
    ("in the 1990s", "1990", "1999"),
    ("as of 2026-03-01", "2026-03-01", None),
    ("effective 1 April 2026", "2026-04-01", None),
    ("starting next Monday", "2026-11-23", None),
    ("from 1 May 2026 onwards", "2026-05-01", None),
    ("for the last 3 months", "2026-08-18", None),
    ("over the past year", "2025", None),
    ("by Friday", "2026-11-20", None),
    ("by the end of March 2026", "2026-03-31", None),
    ("yesterday", "2026-11-17", "2026-11-17"),
    ("two days ago", "2026-11-16", "2026-11-16"),
    ("last weekend", "2026-11-14", "2026-11-15"),
    ("last night", "2026-11-17", "2026-11-17"),
    ("last month", "2026-10", "2026-10"),
    ("last Friday", "2026-11-13", "2026-11-13"),
    ("next Monday", "2026-11-23", "2026-11-23"),
    ("next quarter", "2027-01", "2027-03"),
    ("until further notice", None, ".."),
    ("2026-01-01/2026-03-31", "2026-01-01", "2026-03-31"),
    ("since 2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z", None),
    ("since the 5th of November", "2026-11-05", None),
    ("until end of month", None, "2026-11-30"),
    ("through end of next quarter", None, "2027-03-31"),
    ("since start of year", "2026-01-01", None),
    ("until the end of quarter", None, "2026-12-31"),
]


@pytest.mark.parametrize(("phrase", "start", "end"), PHRASES, ids=[p[0] for p in PHRASES])
def test_a_phrase_denotes_its_interval(phrase: str, start: str | None, end: str | None) -> None:
    text = f"The limit is 20 {phrase}."
    (span,) = find_times(text, WRITTEN)
    assert (span.valid_from, span.valid_to) == (start, end)
    assert text[span.start : span.end] == phrase
    Interval.make(span.valid_from, span.valid_to, default_from=WRITTEN - 10**15)


@pytest.mark.parametrize(
    "text",
    [
        "You may want to sit.",
        "She sat on a chair.",
        "We march on.",
        "Retention is 30 days.",
        "The port is 8080.",
        "The timeout is 30s and the limit 2000 ms.",
        "It responds in 2000 ms.",
        "It serves up to 2000 users.",
        "The queue drains by 1900 jobs.",
        "Call 021 555 0199.",
        "Support is open from Monday to Friday.",
        "We deploy on Fridays.",
        "It was signed on 03/04/2026.",
        "The cutoff is 17:00.",
        "The second half of the file is empty.",
        "April owns the parser.",
        "In may cases it fails.",
        "Version 2026 is out before v2.",
        "Meet me in room 2024b.",
        "The mar file is in jan format.",
        "There is no date on 31 February 2026.",
        "Invoices go out at end of month.",
        "The end of year report is late.",
        "The meeting after the demo before lunch is off.",
        "The ad budget rose over all campaigns.",
    ],
)
def test_words_that_look_like_times_are_none(text: str) -> None:
    assert find_times(text, WRITTEN) == []


SAID: list[tuple[str, str | None, str | None]] = [
    ("since the third quarter of last year", "2025-07", None),
    ("in the last week of October 2018", "2018-10-22", "2018-10-28"),
    ("from last Monday to 3 December", "2026-11-16", "2026-12-03"),
    ("between Christmas 2025 and 5 January 2026", "2025-12-25", "2026-01-05"),
    ("during the summer of 2021", "2021-06-01", "2021-08-31"),
    ("until two weeks after 1 March 2026", None, "2026-03-15"),
    ("in the nineteen nineties", "1990", "1999"),
    ("since the first Friday of May 2026", "2026-05-01", None),
    ("before Easter 2026", None, "2026-04-04"),
    ("from 1990 until March 1995", "1990", "1995-03"),
    ("starting next Friday", "2026-11-27", None),
    ("starting the coming Friday", "2026-11-20", None),
    ("until the Friday before Christmas", None, "2026-12-18"),
    ("since the Monday after Easter 2026", "2026-04-06", None),
    ("until next month's first Tuesday", None, "2026-12-01"),
    ("since last week's Thursday", "2026-11-12", None),
    ("until the second to last Friday of May 2027", None, "2027-05-21"),
    ("until the Monday closest to 5 October 2027", None, "2027-10-04"),
    ("since the penultimate day of March 2026", "2026-03-30", None),
    ("throughout the whole of last year", "2025", "2025"),
    ("since the 3rd qtr of last yr", "2025-07", None),
]


@pytest.mark.parametrize(("phrase", "start", "end"), SAID, ids=[p[0] for p in SAID])
def test_a_longer_phrase_denotes_its_interval(phrase: str, start: str | None, end: str | None) -> None:
    text = f"The limit was 20 {phrase}, they say."
    (span,) = find_times(text, WRITTEN)
    assert (span.valid_from, span.valid_to, text[span.start : span.end]) == (start, end, phrase)


def test_no_time_is_found_in_sentences_without_one() -> None:
    sentences = (Path(__file__).parent / "date_free.txt").read_text(encoding="utf-8").splitlines()
    assert len(sentences) >= 200
    assert [one for one in sentences if find_times(one, WRITTEN)] == []
    assert all(find_times(f"{one[:-1]} since 3 March 2026.", WRITTEN) for one in sentences), "the control"


@pytest.mark.parametrize(("tense", "expected"), [("past", "2026-03"), ("future", "2027-03"), ("present", "2027-03")])
def test_the_tense_decides_which_march_is_meant(tense: Tense, expected: str) -> None:
    (span,) = find_times("The limit is 20 until March.", WRITTEN, tense=tense)
    assert span.valid_to == expected


def test_yesterday_is_the_writers_yesterday() -> None:
    late = WRITTEN + 13 * 3600 * 10**6  # 23:30 UTC, already the 19th in +13:00
    (here,) = find_times("since yesterday", late)
    (there,) = find_times("since yesterday", late, zone="+13:00")
    assert here.valid_from == "2026-11-17"
    assert there.valid_from == "2026-11-18T00:00:00+13:00"


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        zone_of("Mars/Olympus")


@given(st.text(max_size=200), st.integers(-62_000_000_000_000_000, 253_000_000_000_000_000))
def test_any_text_at_any_time_is_read_without_error(text: str, observed_at: int) -> None:
    for span in find_times(text, observed_at):
        assert 0 <= span.start < span.end <= len(text)


@given(
    st.lists(
        st.sampled_from([phrase for phrase, _, _ in PHRASES] + ["and", "the limit", "by", "from", ";"]), max_size=6
    ),
    st.integers(-62_000_000_000_000_000, 253_000_000_000_000_000),
)
def test_every_answer_can_be_made_an_interval(parts: list[str], observed_at: int) -> None:
    text = " ".join(parts)
    spans = find_times(text, observed_at)
    for before, after in pairwise(spans):
        assert before.end <= after.start
    for span in spans:
        try:
            Interval.make(span.valid_from or "..", span.valid_to, default_from=0)
        except InvalidInterval:
            raise AssertionError(f"{text!r} gives {span}") from None
