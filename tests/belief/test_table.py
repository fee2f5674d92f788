"""The decision table: every row, and what must hold for every pair."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.belief.build import MANY, ONE, backer, book, change, claim, span
from tests.belief.generate import book_of, history, lookup, predicate, views
from tkg.belief.book import Book
from tkg.belief.contradiction import assess
from tkg.belief.order import Order
from tkg.belief.table import Effect, classify
from tkg.ids import SeededIds
from tkg.model.claim import Conflict, Refinement, Supersession
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.view import SlotClaim

TREE = Predicate.build(name="based_in", cardinality="one", refines={"Aarhus": "Denmark", "Odense": "Denmark"})
HIGH = Predicate(name="payee", cardinality="one", consequence="high")
RECORD = {"channel": Channel.SYSTEM_OF_RECORD, "record": True}
VERIFIED, TOOL, AGENT, EXTERNAL = (
    {"channel": c} for c in (Channel.HUMAN_VERIFIED, Channel.TRUSTED_TOOL, Channel.AGENT_INFERRED, Channel.EXTERNAL)
)


def old(value: str = "x", start: int = 1, end: int = 50, **who: object) -> SlotClaim:
    return claim("old", value, span(start, end), 1, **{"origin": "a", **who})  # type: ignore[arg-type]


def new(value: str = "y", start: int = 1, end: int = 50, **who: object) -> SlotClaim:
    return claim("new", value, span(start, end), 2, **{"origin": "b", **who})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rival", "candidate", "declared", "row", "outcome"),
    [
        (old("x"), new("X"), ONE, "row-1", "reinforce"),
        (old("x"), new("x", 60, 90), ONE, "row-1", "accept"),
        (old("Denmark"), new("Aarhus"), TREE, "row-2", "accept"),
        (old("Aarhus"), new("Denmark"), TREE, "row-3", "accept"),
        (old("Denmark", **VERIFIED), new("Aarhus", **TOOL), TREE, "row-4", "accept"),
        (old(), new(), MANY, "row-4", "accept"),
        (old("x", 1, 10), new("y", 10, 20), ONE, "row-5", "accept"),
        (old(), new(**RECORD), ONE, "row-6", "accept"),
        (old(channel=Channel.SYSTEM_OF_RECORD), new(**RECORD), ONE, "row-6", "accept"),
        (old(), new(**VERIFIED), ONE, "row-7", "accept"),
        (old(origin="b"), new(), ONE, "row-8", "accept"),
        (old(), new(), ONE, "row-9", "accept"),
        (old(**VERIFIED), new(), ONE, "row-10", "accept"),
        (old(), new(**AGENT), ONE, "row-10", "quarantine"),
        (old(), new(**EXTERNAL), ONE, "row-10", "quarantine"),
        (old(**RECORD), new(**AGENT), ONE, "row-10", "quarantine"),
        (old(origin="b"), new("x", negative=True), ONE, "row-11", "withdraw"),
        (old(origin="b"), new("x", 20, 90, negative=True), ONE, "row-11", "close"),
        (old(), new("x", negative=True), ONE, "row-9", "accept"),
        (old(), new("x", negative=True, **VERIFIED), ONE, "row-7", "accept"),
        (old(predicate=HIGH), new(predicate=HIGH, **VERIFIED), HIGH, "row-7", "accept"),
        (old(predicate=HIGH), new(predicate=HIGH, **RECORD), HIGH, "row-13", "hold"),
        (old(origin="b", predicate=HIGH), new(predicate=HIGH), HIGH, "row-13", "hold"),
        (old(**RECORD), new(**RECORD), ONE, "row-15", "accept"),
        (old("Denmark"), new("Aarhus", negative=True), TREE, "row-4", "accept"),
        (old("Aarhus"), new("Denmark", negative=True), TREE, "row-9", "accept"),
    ],
)
def test_every_row_of_the_table(
    rival: SlotClaim, candidate: SlotClaim, declared: Predicate, row: str, outcome: str
) -> None:
    found = assess(candidate, [rival], declared, Book())
    assert (found.row, found.outcome) == (row, outcome)
    assert found.reason.endswith(".")


def test_what_cannot_be_compared_is_only_a_possible_conflict() -> None:
    weight = Predicate(name="weighs", cardinality="one", datatype="quantity")
    found = assess(new("3 pallets", predicate=weight, **VERIFIED), [old("4 t", predicate=weight)], weight, Book())
    assert (found.row, found.cuts, [c.certainty for c in found.clashes]) == ("row-12", (), ["possible"])


def test_a_rival_that_does_not_stand_gets_its_edge_and_decides_nothing() -> None:
    gone = book(change("e1-old", "revoked", 2))
    found = assess(new(**AGENT), [old()], ONE, gone)
    assert (found.outcome, [cut.winner for cut in found.cuts]) == ("accept", ["old"])
    held = assess(new(predicate=HIGH), [old(origin="b", predicate=HIGH)], HIGH, gone)
    assert held.outcome == "accept"


def test_an_inference_that_agrees_with_what_is_believed_is_not_quarantined_for_what_was_believed_before() -> None:
    before = claim("before", "x", span(1), 1, observed=1)
    now = claim("now", "y", span(5), 2, observed=2)
    agrees = claim("agrees", "y", span(7, 9), 3, origin="agent", **AGENT)
    assert assess(agrees, [before, now], ONE, Book()).outcome == "accept"


def test_a_repetition_that_tips_a_high_consequence_conflict_needs_its_second_factor() -> None:
    first = claim("first", "Mill", span(1), 1, predicate=HIGH, origin="a")
    second = claim("second", "Gull", span(1), 2, predicate=HIGH, origin="b", **TOOL)
    again = claim("again", "Gull", span(1), 3, predicate=HIGH, origin="a", channel=Channel.HUMAN_STATED)
    # with two independent origins of trusted class it is enough
    assert assess(again, [first, second], HIGH, Book()).outcome == "reinforce"
    assert assess(again, [first, second], HIGH, Book(), label=Channel.EXTERNAL).outcome == "hold"


def test_a_denial_leaves_what_another_origin_says_too() -> None:
    shared = claim("shared", "x", span(1), 1, backers=[backer("shared", 1), backer("shared", 2, origin="bo")])
    denial = claim("denial", "x", span(1), 3, negative=True)
    found = assess(denial, [shared], ONE, Book())
    assert (found.outcome, found.row) == ("withdraw", "row-9")
    assert found.withdraws[0].evidence == ("e1-shared",) and not found.withdraws[0].whole


def test_edges_become_records_in_a_fixed_order() -> None:
    rivals = [old(), claim("finer", "y.1", span(1), 1), claim("equal", "z", span(1), 1, origin="c")]
    found = assess(new(**VERIFIED), rivals, ONE, Book())
    made = found.records(SeededIds(1))
    assert made == found.records(SeededIds(1))
    assert {type(each) for each in made} <= {Supersession, Conflict, Refinement}
    refined = assess(new("Aarhus"), [old("Denmark")], TREE, Book()).records(SeededIds(1))
    assert [type(each) for each in refined] == [Refinement]


MIRROR = {
    Effect.SUPERSEDE: {Effect.YIELD},
    Effect.YIELD: {Effect.SUPERSEDE, Effect.CLOSE, Effect.WITHDRAW},
    Effect.CLOSE: {Effect.YIELD},
    Effect.WITHDRAW: {Effect.YIELD},
    Effect.REFINE: {Effect.GENERALISE},
    Effect.GENERALISE: {Effect.REFINE},
}


@given(st.randoms(use_true_random=False))
def test_swapping_the_roles_swaps_the_outcome(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known = book_of(story, made)
    for a in made.values():
        for b in made.values():
            if a.claim.slot_id != b.claim.slot_id or a is b:
                continue
            declared = predicate(story, a.claim.predicate or "")
            one, other = classify(a, b, declared, known), classify(b, a, declared, known)
            assert other.effect in MIRROR.get(one.effect, {one.effect})
            if one.effect in (Effect.CONFLICT, Effect.POSSIBLE):
                assert one.portion == other.portion


@given(st.randoms(use_true_random=False))
def test_of_two_claims_alone_the_table_and_the_order_say_the_same(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known = book_of(story, made)
    slots = lookup(story, made)
    for a in made.values():
        for b in slots[a.claim.id].claims:
            declared = predicate(story, a.claim.predicate or "")
            order = Order([a, b], declared, known)
            if a is b or len(order.standings) < 2:
                continue
            found = classify(a, b, declared, known)
            index = {s.claim.id: i for i, s in enumerate(order.standings)}
            wins = found.effect in (Effect.SUPERSEDE, Effect.CLOSE, Effect.WITHDRAW)
            for edge in order.edges():
                cut = order.at(edge).cut
                inside = found.portion is not None and found.portion[0] <= edge < found.portion[1]
                assert (index[b.claim.id] in cut) == (wins and inside)
                assert (index[a.claim.id] in cut) == (found.effect is Effect.YIELD and inside)
