"""`contradiction` on a few facts in the forms of the published sets: what is found, what must not be, what is dropped."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import contradiction, factbench, truth, utkg
from benchmarks.result import Result
from benchmarks.truth import Said, Task
from benchmarks.utkg import Fact
from tests.engines import CYPHER, engine_or_skip

LINES = """
pinstConf("Q1", "P569", "19500311", "195003", "195003", "true", 2.1)
sameAs("Q1", "Q1")
pinstConf("Q2", "P570", "-00290810", "-00290", "-00290", "true", 2.2)
"""


def true(predicate: str, value: str, start: str, end: str, weight: float = 2.0, subject: str = "Q1") -> Fact:
    return Fact(subject, predicate, value, start, end, True, weight)


def false(predicate: str, value: str, start: str, end: str, weight: float = 1.0, subject: str = "Q1") -> Fact:
    return Fact(subject, predicate, value, start, end, False, weight)


FACTS = [
    true("P569", "19500311", "195003", "195003"),
    true("P570", "20010511", "200105", "200105"),
    # one club after the other, the same month; a coach's statement may share a boundary with itself
    true("P54", "Q10", "197002", "197503"),
    true("P54", "Q11", "197503", "198003"),
    true("P26", "Q20", "198002", "199003"),
    true("P26", "Q20", "199003", "199505"),
    # it ends before it begins: until then, and again from then
    true("P54", "Q12", "197906", "197502"),
    # sixteen some day of that year, if it was late enough
    true("P54", "Q13", "196601", "196701"),
    # injected: born elsewhere in time; playing as a child; married for longer than the statement says; after death
    false("P569", "19500311", "192503", "192503", weight=0.4),
    false("P54", "Q10", "195502", "198503", weight=3.0),
    false("P26", "Q20", "197502", "199909"),
    false("P26", "Q21", "199602", "200509"),
    # injected, and the same as a true one in every field
    false("P570", "20010511", "200105", "200105"),
]


def test_lines_are_read_and_months_become_granules(tmp_path: Path) -> None:
    (tmp_path / "slice.csv").write_text(LINES, encoding="utf-8")
    facts = utkg.read(tmp_path / "slice.csv")
    assert facts[0] == Fact("Q1", "P569", "19500311", "195003", "195003", True, 2.1)
    assert len(facts) == 2
    assert [utkg.granule(month) for month in ("195003", "195001", "195000", "195040")] == [
        "1950-03",
        "1950",
        "1950",
        "1950",
    ]
    assert [utkg.granule(month) for month in ("-00290", "-00681")] == ["-0029", "-0068"]
    assert [utkg.rung(weight) for weight in (3.0, 1.4, 0.9, 0.1, -0.1, 1e19)] == [4, 3, 2, 1, 0, 4]


@pytest.mark.engine
def test_injected_intervals_are_found_and_shared_boundaries_are_not() -> None:
    found = utkg.judge(FACTS, engine_or_skip(CYPHER))
    assert (found["true"], found["false"], found["repeated"]) == (8, 5, 1)
    assert found["flagged_distinct"] == 4
    # what repeats a true fact in every field shares its claim, and with it what stands against that
    assert found["flagged_false"] == 5
    assert (found["refused_true"], found["crossed_true"]) == (0, 1)
    # true ones are flagged only because an injected one stands against them
    alone = utkg.judge([fact for fact in FACTS if fact.true], engine_or_skip(CYPHER))
    assert (alone["flagged_true"], alone["refused_true"], alone["strict_true"]) == (0, 0, 1)
    assert alone["naive"]["false_rate"] > 0.2  # the same constraints on months as numbers
    assert alone["kinds"] == {}


def test_a_line_whose_end_lies_before_its_start_is_two_stretches_and_still_compared() -> None:
    crossed = true("P54", "Q12", "197906", "197502")
    said = list(utkg.claims(crossed))
    assert [(one["valid_from"], one["valid_to"]) for one in said] == [("", "1975-02-XX"), ("1979-06-XX", "")]
    # born after it ended: wrong all the same; before the year 1 the order holds as well
    born = true("P569", "19770311", "197703", "197703")
    early = [true("P569", "", "-00681", "-00681", subject="Q2"), true("P570", "", "-00990", "-00990", subject="Q2")]
    found = utkg.judge([crossed, born, *early], "memory")
    assert (found["flagged_true"], found["refused_true"], found["strict_true"]) == (4, 0, 4)


def test_the_lower_weight_or_class_is_dropped_and_gold_is_not_looked_at() -> None:
    facts = [true("P54", "Q1", "", "", 3.5), false("P54", "Q2", "", "", 1.5), true("P54", "Q3", "", "", 1.6)]
    assert utkg.sides(facts, {(0, 1), (1, 2)}) == {"class": {1}, "weight": {1}}
    turned = [fact._replace(true=not fact.true) for fact in facts]
    assert utkg.sides(turned, {(0, 1), (1, 2)}) == {"class": {1}, "weight": {1}}


def fact(relation: str, kind: str, subject: str, value: str, start: str, end: str = "") -> factbench.Fact:
    return factbench.Fact(relation, kind, "x", subject, value, start, end or start)


BENCH = [
    fact("birth", "correct", "Ada Berg", "Hamar", "1950-03-11"),
    fact("birth", "correct", "Bo Lind", "Oslo", "1960-01-02"),
    fact("leader", "correct", "Cy Moe", "Norland", "2001", "2005"),
    fact("leader", "correct", "Di Nor", "Norland", "2005", "2009"),
    fact("publicationDate", "correct", "Ada Berg", "The Lake", "1990"),
    fact("birth", "range", "Ada Berg", "Bergen", "1950"),
    fact("birth", "date", "Ada Berg", "Hamar", "1940"),
    fact("birth", "domain", "Bo Lind", "Hamar", "1950"),
    fact("leader", "domain", "Ed Vik", "Norland", "2002", "2004"),
    fact("publicationDate", "domain", "Bo Lind", "The Lake", "1990"),
    # coarser and right; the wrong property, which looks like the correct fact; nothing is known of these two
    fact("birth", "date", "Bo Lind", "Oslo", "1960"),
    fact("birth", "property", "Ada Berg", "Hamar", "1950-03-11"),
    fact("starring", "random", "Angoss", "The Bronx", "1950"),
]


@pytest.mark.engine
def test_wrong_facts_are_found_by_what_the_correct_ones_say() -> None:
    found = factbench.judge(BENCH, engine_or_skip(CYPHER))
    assert found["kinds"] == {
        "correct": [0, 5], "date": [1, 2], "domain": [3, 3], "property": [0, 1], "random": [0, 1], "range": [1, 1],
    }  # fmt: skip
    assert found["refused"] == []
    # two leaders in the year of the change: comparing years flags both
    assert found["naive"]["correct"] == [2, 5]
    assert found["naive"]["domain"][0] < 3


def test_a_correct_fact_against_another_is_a_false_alarm() -> None:
    again = [*BENCH[:5], fact("leader", "correct", "Ed Vik", "Norland", "2002", "2004")]
    found = factbench.judge(again, "memory")
    assert found["kinds"]["correct"] == [2, 6]
    assert sum(one["n"] for one in found["alarms"].values()) == 2


def said(item: str, source: str, value: str, minute: int = 0) -> Said:
    return Said(item, source, value, datetime(2010, 1, 29, 8, minute, tzinfo=UTC))


@pytest.mark.engine
def test_sources_that_agree_more_often_are_believed() -> None:
    known = [said(f"i{n}", source, str(n)) for n in range(8) for source in ("good", "fair", "fine", "firm", "full")]
    wrong = [said(f"i{n}", f"bad{n % 5}", str(90 + n)) for n in range(8)]
    disputed = [said("d", "good", "1"), said("d", "bad1", "2", 1), said("d", "bad2", "2", 2)]
    task = Task([*known, *wrong, *disputed], {"d": "1.0", "i1": "1"}, truth.same_number)
    found = truth.compare(task, engine_or_skip(CYPHER), 10)
    assert found["n"] == 2
    assert found["right"] == {
        "last claim": 0, "majority": 1, "Sums": 2, "TruthFinder": 2, "TruthFinder, these items": 1,
        "tkg, one class": 0, "tkg, classes by trust": 1,
        "tkg, one class, estimate": 1,
    }  # fmt: skip
    # of one class, sources that differ are a conflict and no answer; "good" is only the fifth in trust
    assert (found["answered"]["tkg, one class"], found["answered"]["tkg, classes by trust"]) == (0, 1)
    assert found["ceiling"] == 1.0


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("O'Leary, Timothy J.; O'Leary, Linda I.", {"oleary"}),
        ("Yacht, Carol/ Crosson, Susan", {"yacht", "crosson"}),
        ("Timothy J Oandapos;Leary, Linda I Oandapos;Leary", {"oleary"}),
        ("Yacht, Carol, And Crosson, Susan", {"yacht", "crosson"}),
        ("David V. Hutton|David Hutton", {"hutton"}),
        ("HAAG", {"haag"}),
        ("", set()),
    ],
)
def test_family_names_are_found_in_any_order(text: str, names: set[str]) -> None:
    assert truth.family_names(text) == names


def test_a_number_is_right_at_the_precision_of_gold() -> None:
    assert truth.same_number("41.4", "41")
    assert not truth.same_number("41.6", "41")
    assert truth.same_number("48", "48.0")
    assert not truth.same_number("NA", "48")


def test_what_misses_a_target_is_said() -> None:
    result = Result("contradiction")
    one = utkg.judge(FACTS, "memory") | {"peak_mb": 1.0}
    contradiction._utkg(result, contradiction._utkg_table(), 50, one)
    assert result.figures["utkg_50_recall"] == 1.0
    assert result.figures["utkg_50_recall_with_repeated"] == 1.0
    contradiction._utkg(result, contradiction._utkg_table(), 0, one)
    assert any("of the true facts flagged" in sentence for sentence in result.missed)
