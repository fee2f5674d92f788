"""The value of a slot against the replay oracle, and what must hold on every history (T2.1 to T2.8)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.belief.build import ONE, backer, book, change, claim, span
from tests.belief.generate import HORIZON, book_of, history, layers, lookup, predicate, views
from tests.belief.histories import POINTS, compare
from tests.belief.oracle import Replay, clash
from tkg.belief import multirange
from tkg.belief.book import LATEST, Book
from tkg.belief.history import rectangles
from tkg.belief.order import Order
from tkg.belief.sweep import contradictions, crowds
from tkg.belief.validity import cut_of, effective, timeline, value
from tkg.model.predicate import Predicate
from tkg.model.time import FOREVER

RANDOM = st.randoms(use_true_random=False)


@given(RANDOM)
def test_the_value_is_what_the_replay_oracle_says_on_both_axes(rng: random.Random) -> None:
    counts: Counter[str] = Counter()
    assert compare(history(rng), counts, rng) == []


@given(RANDOM)
def test_a_timeline_says_at_every_instant_what_the_value_is(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known, slot = book_of(story, made), "s0"
    arguments = layers(made, slot), predicate(story, slot), known
    fine = timeline(*arguments, lookup=lookup(story, made).get, coalesce=False)
    coarse = timeline(*arguments, lookup=lookup(story, made).get)
    for point in range(-1, HORIZON + 2):
        answer = value(*arguments, point, lookup=lookup(story, made).get)
        for line in (fine, coarse):
            here = [s.answer for s in line if s.valid_from <= point < s.valid_to]
            assert [a.kind for a in here] == ([] if answer.kind == "none" else [answer.kind])
            assert [a.values for a in here] == ([] if answer.kind == "none" else [answer.values])
    assert all(one.valid_to <= other.valid_from for one, other in pairwise(coarse))
    assert len(coarse) <= len(fine)


@given(RANDOM)
def test_rectangles_tell_every_past_belief(rng: random.Random) -> None:
    story = history(rng, size=3)
    made = views(story)
    known, slot = book_of(story, made), "s0"
    arguments = layers(made, slot), predicate(story, slot), known
    found = rectangles(*arguments, lookup=lookup(story, made).get)
    for seq in range(story.last + 1):
        for point in POINTS:
            answer = value(*arguments, point, seq, lookup=lookup(story, made).get)
            here = [r.answer for r in found if r.tx_from <= seq < r.tx_to and r.valid_from <= point < r.valid_to]
            assert [(a.kind, a.values) for a in here] == (
                [] if answer.kind == "none" else [(answer.kind, answer.values)]
            )


@given(RANDOM)
def test_what_is_effective_is_what_nothing_cuts(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known, replay = book_of(story, made), Replay(story, story.last)
    for fact in story.facts:
        slot = lookup(story, made)[fact.name]
        kept = effective(made[fact.name], slot.claims, slot.predicate, known)
        for point in range(-1, HORIZON + 2):
            expected = replay.live(fact) and fact.holds(point) is not False and not replay.cut(fact, point)
            assert multirange.contains(kept, point) == expected


@given(RANDOM)
def test_the_sweep_finds_the_open_contradictions_that_looking_at_every_instant_finds(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known, replay = book_of(story, made), Replay(story, story.last)
    for slot_id in ("s0-0", "s0-1"):
        claims = [v for v in made.values() if v.claim.slot_id == slot_id]
        declared = predicate(story, "s0")
        found = {c[:2] for c in contradictions(claims, declared, known) if c.status == "open"}
        facts = [f for f in story.facts if f"{f.slot}-{f.layer}" == slot_id and replay.live(f)]
        expected = {
            tuple(sorted((a.name, b.name)))
            for a in facts
            for b in facts
            if a.name < b.name and clash(a, b, "s0" in story.many)
            for point in range(-1, HORIZON + 2)
            if a.holds(point) and b.holds(point) and not replay.cut(a, point) and not replay.cut(b, point)
        }
        assert found == expected


@given(RANDOM)
def test_the_sweep_says_of_every_pair_what_the_order_says_at_every_edge(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known, declared = book_of(story, made), predicate(story, "s0")
    for slot_id in ("s0-0", "s0-1"):
        claims = [v for v in made.values() if v.claim.slot_id == slot_id]
        order = Order(claims, declared, known)
        points = [order.at(edge) for edge in order.edges()]
        live = [index for index, each in enumerate(order.standings) if each.live]
        expected = {}
        for a, b in combinations(live, 2):
            one, other = order.standings[a].claim, order.standings[b].claim
            clear = order.contradicts(a, b)
            if one.interval.overlap(other.interval) == "none" or not (clear or order.unclear(a, b)):
                continue
            both = [p for p in points if {a, b} <= {*p.maximal, *p.possible}]
            is_open = clear and any({a, b} <= p.maximal.keys() for p in both)
            key = tuple(sorted((one.id, other.id)))
            expected[key] = "open" if is_open else "possible" if both else "settled"
        assert {c[:2]: c.status for c in contradictions(claims, declared, known, settled=True)} == expected
        told = {c[:2]: c.status for c in contradictions(claims, declared, known)}
        assert told == {pair: status for pair, status in expected.items() if status != "settled"}


@given(RANDOM)
def test_what_is_cut_has_cutters_and_what_stands_has_none(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    claims = [v for v in made.values() if v.claim.slot_id == "s0-0"]
    order = Order(claims, predicate(story, "s0"), book_of(story, made))
    for edge in order.edges():
        cut = order.at(edge).cut
        for index in range(len(order.standings)):
            found = order.cutters(index, edge)
            assert bool(found) == (index in cut) and (index not in cut or cut[index] in found)


def test_more_values_than_the_predicate_takes_at_one_instant_are_a_crowd() -> None:
    two = Predicate(name="keyholder", cardinality=2)
    claims = [
        claim(n, n, span(start, 20), i + 1, predicate=two, origin=n)
        for i, (n, start) in enumerate([("ana", 1), ("bo", 5), ("cy", 10)])
    ]
    assert [(c.valid_from, c.valid_to, c.claims) for c in crowds(claims, two, Book())] == [
        (10, 20, ("ana", "bo", "cy"))
    ]
    assert value([claims], two, Book(), 7).kind == "values"
    assert value([claims], two, Book(), 12).kind == "conflict"


def test_a_future_claim_becomes_visible_without_a_write() -> None:
    later = claim("later", "Oslo", span(100), 1)
    assert value([[later]], ONE, Book(), 99).kind == "none"
    assert value([[later]], ONE, Book(), 100).value == "Oslo"
    assert value([[later]], ONE, Book(), 100, as_of=0).kind == "none"


def test_listed_values_of_a_multi_valued_predicate_exclude_each_other() -> None:
    status = Predicate.build(name="status", cardinality="many", disjoint=[["open", "closed"]])
    opened = claim("o", "open", span(1), 1, predicate=status, origin="a")
    closed = claim("c", "closed", span(5), 2, predicate=status, origin="b")
    urgent = claim("u", "urgent", span(1), 3, predicate=status, origin="c")
    moved = claim("m", "closed", span(5), 4, predicate=status, origin="a")
    assert value([[opened, closed]], status, Book(), 7).kind == "conflict"
    assert value([[opened, moved, urgent]], status, Book(), 7).values == ("urgent", "closed")
    assert [c.pattern for c in contradictions([opened, closed, urgent], status, Book())] == ["C3"]


def test_a_busy_slot_stays_quick() -> None:
    claims = [claim(f"c{i}", f"value {i}", span(i), i + 1, observed=i) for i in range(3000)]
    order = Order(claims, ONE, Book())
    point = order.at(5000)
    assert list(point.maximal) == [2999] and len(point.cut) == 2999
    assert value([claims], ONE, Book(), 1500).value == "value 1500"


def test_cutters_are_named() -> None:
    claims = [claim("a", "x", span(1), 1), claim("b", "y", span(5), 2), claim("c", "z", span(9), 3)]
    order = Order(claims, ONE, Book())
    assert cut_of(order, 0) == ((5, FOREVER),)
    assert [order.cutters(0, t) for t in (3, 7, 12)] == [[], [1], [1, 2]]
    assert order.cutters(2, 12) == []


def test_two_origins_must_both_move_on_before_a_claim_is_cut() -> None:
    shared = claim("shared", "Oslo", span(1), 1, backers=[backer("shared", 1), backer("shared", 2, origin="bo")])
    ana_moves = claim("ana-moves", "Bergen", span(5), 3, origin="ana")
    bo_moves = claim("bo-moves", "Bergen", span(7), 4, origin="bo")
    assert value([[shared, ana_moves]], ONE, Book(), 9).kind == "conflict"
    assert value([[shared, ana_moves, bo_moves]], ONE, Book(), 6).kind == "conflict"
    assert value([[shared, ana_moves, bo_moves]], ONE, Book(), 9).value == "Bergen"


def test_ties_of_one_origin_go_to_the_later_transaction_and_epsilon_widens_them() -> None:
    one = claim("one", "Oslo", span(1), 1, observed=50)
    two = claim("two", "Bergen", span(1), 2, observed=50)
    assert value([[one, two]], ONE, Book(), 5).value == "Bergen"
    loose = Predicate(name="lives_in", cardinality="one", epsilon="1s")
    later = claim("later", "Voss", span(1), 3, observed=50 + 1_000_000)
    assert value([[one, later]], loose, Book(), 5).kind == "conflict"
    assert value([[one, later]], ONE, Book(), 5).value == "Voss"


def test_the_book_knows_the_past() -> None:
    made = book(change("x", "revoked", 5), change("x", "active", 9))
    assert [made.status("x", seq) for seq in (4, 5, 8, 9, LATEST)] == [
        "active",
        "revoked",
        "revoked",
        "active",
        "active",
    ]
