"""Contradictions across slots: shared keys, exclusion, order, type."""

from __future__ import annotations

import pytest

from tests.belief.build import book, change, claim, evidence_of, span, when
from tkg.belief.book import Book
from tkg.belief.compare import Same
from tkg.belief.patterns import excluded, ill_typed, out_of_order, shared_key
from tkg.errors import InvalidPredicate
from tkg.model.predicate import Predicate
from tkg.model.view import SlotClaim


def about(subject: str, view: SlotClaim) -> SlotClaim:
    return type(view)(view.claim.model_copy(update={"subject_id": subject}), view.seq, view.backers)


def test_two_people_with_one_passport_clash_and_are_never_merged() -> None:
    passport = Predicate(name="passport", inverse_functional=True)
    ana = about("ana", claim("a", "X 123", span(1), 1, predicate=passport))
    bo = about("bo", claim("b", "x 123", span(5), 2, predicate=passport))
    found = shared_key(bo, [ana, bo], passport, Book())
    assert [(c.left, c.right, c.overlap_from, c.pattern, c.certainty) for c in found] == [
        ("a", "b", 5, "C4", "definite")
    ]
    assert shared_key(bo, [ana], passport, Book(), same=Same([("ana", "bo")])) == []
    assert shared_key(bo, [ana], passport, book(change(evidence_of(ana), "revoked", 3))) == []
    assert shared_key(bo, [ana], Predicate(name="shirt"), Book()) == []


def test_predicates_that_exclude_each_other_clash_where_they_overlap() -> None:
    retired = Predicate(name="retired_from", excludes=("employed_by", "dislikes same object"))
    jobs = Predicate(name="employed_by")
    dislikes = Predicate(name="dislikes")
    new = claim("r", "Mill", span(10), 9, predicate=retired)
    job = claim("j", "Press", span(1, 20), 1, predicate=jobs)
    past = claim("p", "Press", span(1, 10), 1, predicate=jobs)
    mill, press = (claim(n, v, span(1), 1, predicate=dislikes) for n, v in (("m", "Mill"), ("q", "Press")))
    assert [(c.left, c.right, c.pattern) for c in excluded(new, [job, past, mill, press], retired, Book())] == [
        ("j", "r", "C6"),
        ("m", "r", "C6"),
    ]


@pytest.mark.parametrize(
    ("ended", "expected"),
    [("2020-05", ["definite"]), ("2021-06", []), ("2021", ["possible"]), ("2022-01-01", []), ("2021~", ["possible"])],
)
def test_an_end_before_its_start_is_a_violation(ended: str, expected: list[str]) -> None:
    end = Predicate(name="ended_at", datatype="date", order=("after started_at",))
    start = Predicate(name="started_at", datatype="date")
    began = claim("s", "2021-05", span(1), 1, predicate=start)
    found = out_of_order(claim("e", ended, span(1), 2, predicate=end), [began], end, Book())
    assert [c.certainty for c in found] == expected


def test_a_rule_about_validity_uses_the_intervals() -> None:
    badge = Predicate(name="badge", order=("during employed_by",))
    job = claim("j", "Mill", span(when("2020"), when("2022")), 1, predicate=Predicate(name="employed_by"))
    inside = claim("i", "7", span(when("2020"), when("2021")), 2, predicate=badge)
    outside = claim("o", "7", span(when("2021"), when("2023")), 2, predicate=badge)
    assert out_of_order(inside, [job], badge, Book()) == []
    assert [c.certainty for c in out_of_order(outside, [job], badge, Book())] == ["definite"]
    with pytest.raises(InvalidPredicate, match="order rule"):
        out_of_order(inside, [job], Predicate(name="badge", order=("near employed_by",)), Book())


@pytest.mark.parametrize(
    ("rule", "start", "end", "expected"),
    [
        ("after born + 16y", "2017", "2020", []),
        ("after born + 16y", "2010", "2020", ["definite"]),
        # born on some day of May 2000: sixteen on some day of May 2016
        ("after born + 16y", "2016-05-15", "2020", ["possible"]),
        ("ends before born + 50y", "2016", "2049", []),
        ("ends before born + 50y", "2016", "2055", ["definite"]),
        ("ends before born", "1990", "1999", []),
        ("ends before born", "1990", "2005", ["definite"]),
        ("before born + 1y", "2000-06", "2020", []),
    ],
)
def test_an_order_may_keep_a_distance_and_mean_the_end(rule: str, start: str, end: str, expected: list[str]) -> None:
    plays = Predicate(name="plays_for", order=(rule,))
    born = claim(
        "b", "2000-05" if "16y" in rule else "2000", span(1), 1, predicate=Predicate(name="born", datatype="date")
    )
    found = out_of_order(claim("p", "Mill", span(when(start), when(end)), 2, predicate=plays), [born], plays, Book())
    assert [c.certainty for c in found] == expected


@pytest.mark.parametrize("rule", ["near born", "after", "during born + 2y", "ends during born", "after born + 2 moons"])
def test_an_order_rule_of_another_form_is_refused_when_it_is_declared(rule: str) -> None:
    with pytest.raises(InvalidPredicate, match="order rule"):
        Predicate(name="plays_for", order=(rule,))


def test_an_object_of_another_type_is_named() -> None:
    assert ill_typed("soon", Predicate(name="starts", datatype="date")) == "the object of 'starts' must be date"
    assert ill_typed("2026-03", Predicate(name="starts", datatype="date")) is None
    listed = Predicate.build(name="tenure", values=[["tenant", "owner"]])
    assert ill_typed("guest", listed) == "the object of 'tenure' must be one of the listed values"
