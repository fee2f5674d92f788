"""The questions of `as_of`, in the forms of the published sets: what is read, what the store answers, what is counted."""

from __future__ import annotations

import pytest

from benchmarks import as_of
from benchmarks.dated import Fact, situated, tempreason
from tests.engines import CYPHER, engine_or_skip

CHAIRS = (
    "Ada Berg is the chair of Harbour Board from Jan, 2001 to Jan, 2006. \n"
    "Bo Lind is the chair of Harbour Board from Jan, 2006 to Mar, 2010. \n"
    "Cy Moe is the chair of Harbour Board from Apr, 2010 to Dec, 2022."
)
TEAMS = "Di Nor plays for Red from Jan, 1999 to Jan, 1999. \n Di Nor plays for Blue from Jan, 2001 to Jan, 2003."
TIMED = [
    {"question": "Who was the chair of Harbour Board in Jun, 2009?", "answer": ["Bo Lind"], "fact_context": CHAIRS},
    # the end's month is included; half-open intervals find nobody here
    {"question": "Who was the chair of Harbour Board in Mar, 2010?", "answer": ["Bo Lind"], "fact_context": CHAIRS},
    {"question": "Which team did Di Nor play for in Jan, 1999?", "answer": ["Red"], "fact_context": TEAMS},
    # gold that is wrong must be counted as missed
    {"question": "Which team did Di Nor play for in Feb, 2002?", "answer": ["Red"], "fact_context": TEAMS},
]
ORDER = [
    {"question": "Who was the chair of Harbour Board after Bo Lind?", "answer": ["Cy Moe"], "fact_context": CHAIRS},
    {"question": "Who was the chair of Harbour Board before Bo Lind?", "answer": ["Ada Berg"], "fact_context": CHAIRS},
    {"question": "Which team did Di Nor play for before Red?", "answer": ["Blue"], "fact_context": TEAMS},
]


def _line(current: str, since: int, previous: str, before: int | None) -> dict[str, object]:
    return {
        "cur_answers": [current],
        "cur_start": {"year": since, "month": None, "date": None},
        "prev_answers": [previous],
        "prev_start": None if before is None else {"year": before, "month": 5, "date": None},
    }


TIMELINES = [
    {
        "id": 1,
        "question": "who holds the cup",
        "is_dependent": True,
        "timelines": [_line("Reds", 2018, "Blues", 2014), _line("Reds", 2018, "Zu\u0308rich", None)],
    },
    {"id": 2, "question": "how many legs has a cat", "is_dependent": False, "timelines": None},
]
ASKED = [
    {"id": 1, "edited_question": "who holds the cup as of 2019", "date": "2019", "answer": ["Reds"]},
    {"id": 1, "edited_question": "… as of 2018", "date": "2018", "answer": ["Reds"]},
    {"id": 1, "edited_question": "… as of May 3, 2012", "date": "May 3, 2012", "answer": ["Z\u00fcrich"]},
    {"id": 1, "edited_question": "… as of 2015", "date": "2015", "answer": ["Blues"]},
    {"id": 2, "edited_question": "how many legs has a cat as of 2020", "date": "2020", "answer": ["four"]},
]


def test_a_fact_is_about_what_the_question_asks_about() -> None:
    one = next(iter(tempreason(TIMED)))
    assert one.facts[0][:5] == ("Harbour Board", "is the chair of", "Ada Berg", "2001-01", "2006-01")
    assert one.at == "2009-06"
    assert next(iter(tempreason(TIMED[2:]))).facts[0][:3] == ("Di Nor", "plays for", "Red")


def test_a_fact_in_another_form_is_no_silent_gap() -> None:
    with pytest.raises(ValueError, match="not a dated fact"):
        list(tempreason([{"question": "?", "answer": [], "fact_context": "Di Nor liked Red once."}]))


@pytest.mark.engine
def test_questions_about_a_month_and_about_order() -> None:
    engine = engine_or_skip(CYPHER)
    timed = as_of.ask(list(tempreason(TIMED)), engine, single=False)
    assert (timed["n"], timed["right"], timed["any"], timed["refused"]) == (4, 3, 3, 0)
    assert timed["half_open"] == 1  # the ends are excluded there
    assert timed["last"] == 0
    assert timed["misses"] == {"not gold (value)": 1}
    order = as_of.ask(list(tempreason(ORDER)), engine, single=False)
    assert (order["n"], order["right"]) == (3, 2)
    assert order["misses"] == {"no answer (timeline)": 1}


@pytest.mark.engine
def test_the_later_answer_takes_the_place_of_the_earlier_and_annotators_may_differ() -> None:
    questions = list(situated(TIMELINES, ASKED))
    assert len(questions) == 4  # what does not depend on the date is left out
    assert questions[0].facts[0] == Fact(
        "who holds the cup", "answer", "Blues", "2014-05-XX", None, "annotator-0", "who holds the cup: Blues"
    )
    assert as_of.ask(questions, engine_or_skip(CYPHER), single=True)["right"] == 4
    found = as_of.ask(questions, engine_or_skip(CYPHER), single=True, by_annotator=True)
    assert (found["n"], found["right"], found["any"]) == (4, 3, 4)
    # as sources of their own, in 2015 one says Blues and the other Zürich: a conflict, with both values
    assert found["misses"] == {"gold and more (conflict)": 1}
    assert found["last"] == 2
