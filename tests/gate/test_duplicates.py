"""A duplicate says the same; nothing that reads nearly the same is one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tkg.gate import Assessment, GateContext, judge, same_statement
from tkg.model.document import Candidate
from tkg.model.policy import WritePolicy
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.text import match_form

PERMITS = "the north door controller permits badge entry for cleaning crew on weekdays"
BLOCKS = PERMITS.replace("permits", "blocks")


def jaccard(left: str, right: str) -> float:
    one, two = set(left.casefold().split()), set(right.casefold().split())
    return len(one & two) / len(one | two)


def test_an_opposite_is_no_duplicate_however_alike() -> None:
    assert round(jaccard(PERMITS, BLOCKS), 3) == 0.846
    assert not same_statement(PERMITS, BLOCKS)


def test_digits_dates_signs_and_order_count() -> None:
    for left, right in (
        ("14 days", "41 days"),
        ("on 2026-03-01", "on 2026-03-11"),
        ("5 %", "5"),
        ("-5 degrees", "5 degrees"),
        ("1.5 t", "15 t"),
        ("Ana pays Ben", "Ben pays Ana"),
        ("not open", "open"),
        ("3/4", "34"),
    ):
        assert not same_statement(left, right), (left, right)


def test_spelling_case_articles_and_punctuation_do_not() -> None:
    assert same_statement("North Door  permits badge entry.", "the north door permits badge entry")
    assert same_statement("Caf\u00e9", "Cafe\u0301")
    assert same_statement("Ana\u2019s desk", "Ana's desk")
    assert not same_statement("", "") and not same_statement("...", "!")
    assert same_statement("The The", "the the") and not same_statement("a", "the")


@given(st.text(min_size=1))
def test_sameness_is_reflexive_where_anything_is_said(text: str) -> None:
    assert same_statement(text, text) or not match_form(text)


@given(st.text(), st.text())
def test_sameness_is_symmetric(left: str, right: str) -> None:
    assert same_statement(left, right) == same_statement(right, left)


def test_only_belief_reinforces_and_the_judgement_says_by_which_row() -> None:
    context = GateContext(
        channel=Channel.TRUSTED_TOOL,
        label=Channel.TRUSTED_TOOL,
        now=0,
        predicate=Predicate(name="entry_rule"),
        system_of_record=False,
        assessment=Assessment(outcome="reinforce", rule="row-1", reason="Known.", target="clm_1"),
    )
    candidate = Candidate(scope="mill", subject="north door", predicate="entry_rule", object=PERMITS, observed_at=0)
    judgement = judge(candidate, context, WritePolicy())
    assert (judgement.outcome, judgement.code) == ("reinforced", "row-1")
