"""Support, cascades and confidence: the invariants I1 to I7, I10 to I12, and the questions."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.belief.build import backer, book, change, claim, evidence_of, span
from tests.belief.cascades import World, check, exhaustive
from tests.belief.generate import book_of, history, layers, lookup, predicate, views
from tkg.belief import cascade, questions
from tkg.belief.book import Book
from tkg.belief.cascade import plan
from tkg.belief.confidence import LADDER, confidence, confidence_of
from tkg.belief.label import Exposure, label_of, second_factor, window
from tkg.belief.origin import Witness, clusters, independent, independent_witnesses
from tkg.belief.support import LIVE, Support, fixpoint, supports
from tkg.belief.validity import timeline
from tkg.model.scope import Channel
from tkg.model.view import Backer, SlotClaim

RANDOM = st.randoms(use_true_random=False)


def derived(head: str, seq: int, *requires: str) -> Backer:
    return backer(head, seq, kind="derivation", requires=requires, name=f"j-{head}-{'-'.join(requires)}")


@given(RANDOM, st.booleans())
def test_the_planner_says_what_the_fixpoint_and_the_search_for_proofs_say(rng: random.Random, small: bool) -> None:
    world, counts = World(rng, small=small), Counter[str]()
    for _ in range(4):
        assert check(world, counts, small=small) == []


@given(RANDOM)
def test_revoking_and_restoring_is_doing_nothing(rng: random.Random) -> None:
    world = World(rng)
    before = supports(world.backers, world.book, depends=world.depends)
    target = rng.choice(world.leaves + world.heads)
    for status in (rng.choice(("revoked", "quarantined", "held")), "active"):
        world.seq += 1
        made = plan(world.cone([target]), world.book, {target: status}, depends=world.depends)
        world.book.note(*change(target, status, world.seq))
        for node, mark in made.marks:
            world.book.note(*change(node, mark.value, world.seq, "support"))
    assert supports(world.backers, world.book, depends=world.depends) == before
    assert all(world.book.support(node) == support for node, support in before.items())


@given(RANDOM)
def test_a_set_falls_as_its_members_do_one_by_one_in_any_order(rng: random.Random) -> None:
    seed = rng.random()
    worlds = [World(random.Random(seed)) for _ in range(3)]
    targets = rng.sample(worlds[0].leaves, min(2, len(worlds[0].leaves)))
    for world, steps in zip(worlds, ([targets], [[t] for t in targets], [[t] for t in reversed(targets)]), strict=True):
        for step in steps:
            world.seq += 1
            made = plan(world.cone(step), world.book, dict.fromkeys(step, "revoked"), depends=world.depends)
            for note in [change(t, "revoked", world.seq) for t in step] + [
                change(node, mark.value, world.seq, "support") for node, mark in made.marks
            ]:
                world.book.note(*note)
    nodes = worlds[0].leaves + worlds[0].heads
    first, *others = [[world.book.support(node) for node in nodes] for world in worlds]
    assert all(other == first for other in others)


@given(RANDOM)
def test_new_evidence_never_takes_support_away(rng: random.Random) -> None:
    world = World(rng)
    head = next((h for h in world.heads if h[0] == "c"), None)
    if head is None:
        return
    before = supports(world.backers, world.book, depends=world.depends)
    made = plan(world.cone([head]), world.book, {}, added=[derived(head, 2, "fresh")], depends=world.depends)
    assert made.fallen == () and made.suspended == ()
    assert all(before[node] is not Support.SUPPORTED for node in made.returned)


@given(RANDOM)
def test_what_falls_lies_in_the_cone_and_has_no_proof_left(rng: random.Random) -> None:
    world = World(rng, small=True)
    target = rng.choice(world.leaves)
    cone = {b.justification.head for b in world.cone([target])}
    made = plan(world.cone([target]), world.book, {target: "revoked"}, depends=world.depends)
    world.book.note(*change(target, "revoked", 9))
    assert set(made.fallen) <= cone
    assert not any(exhaustive(world, node, {"active"}) for node in made.fallen)
    artefacts = [b.justification for b in world.backers if b.justification.head[0] == "a"]
    gone = {target, *made.fallen}
    assert all(j.head in gone or not gone & set(j.requires) or before_dead(world, j.head) for j in artefacts)


def before_dead(world: World, node: str) -> bool:
    return world.book.support(node) != "supported"


@given(RANDOM)
def test_a_text_derived_from_a_node_and_read_back_into_it_revives_and_raises_nothing(rng: random.Random) -> None:
    world = World(rng)
    for _ in range(rng.randrange(3)):
        world.step()
    nodes = world.leaves + world.heads
    echoes: list[Backer] = []
    for i in range(rng.randrange(1, 6)):
        head = rng.choice(world.heads)
        others = rng.sample(nodes, rng.randrange(0, min(3, len(nodes))))
        echoes += [derived(f"text{i}", 90 + i, head, *others), derived(head, 95 + i, f"text{i}")]
    leaves = {leaf: rng.choice(list(LADDER.values())) for leaf in world.leaves if world.book.live(leaf)}
    before, after = confidence(world.backers, leaves), confidence([*world.backers, *echoes], leaves)
    assert {node: after.get(node) for node in nodes} == {node: before.get(node) for node in nodes}
    known = supports(world.backers, world.book, depends=world.depends)
    again = supports([*world.backers, *echoes], world.book, depends=world.depends)
    assert {node: again[node] for node in known} == known


@given(RANDOM)
def test_best_first_confidence_is_the_fixpoint_of_max_and_min(rng: random.Random) -> None:
    world = World(rng)
    leaves = {leaf: rng.choice([0.0, 0.3, 0.5, 0.8, 1.0]) for leaf in world.leaves}
    slow = {leaf: worth for leaf, worth in leaves.items() if worth}
    for _ in range(len(world.heads) + 1):
        for b in world.backers:
            worth = min((slow.get(n, 0.0) for n in b.justification.requires), default=0.0)
            if worth > slow.get(b.justification.head, 0.0):
                slow[b.justification.head] = worth
    assert confidence(world.backers, leaves) == slow


@given(RANDOM)
def test_the_slots_that_a_cascade_changes_are_those_of_what_it_lists(rng: random.Random) -> None:
    story = history(rng)
    made = views(story)
    known = book_of(story, made)
    target = rng.choice([s.evidence for f in story.facts for s in f.says])
    if known.status(target) == "erased":
        return
    depends = {v.claim.id: v.claim.depends_on for v in made.values() if v.claim.depends_on}
    found = plan([b for v in made.values() for b in v.backers], known, {target: "revoked"}, depends=depends)
    seq = story.last + 1
    for note in [change(target, "revoked", seq)] + [change(n, m.value, seq, "support") for n, m in found.marks]:
        known.note(*note)
    # a backer less can also move a claim that survives
    moved = {*found.fallen, *found.suspended, *(n for n, _ in found.survivors), *(n for n, _ in found.marks)}
    for slot in ("s0", "s1"):
        arguments = layers(made, slot), predicate(story, slot), known
        before = timeline(*arguments, seq - 1, lookup=lookup(story, made).get)
        after = timeline(*arguments, seq, lookup=lookup(story, made).get)
        if before != after:
            touched = {v.claim.predicate for v in made.values() if v.claim.id in moved or _said_by(v, target)}
            dependent = {v.claim.predicate for v in made.values() if v.claim.depends_on}
            assert slot in touched | dependent


def _said_by(view: SlotClaim, evidence: str) -> bool:
    return any(evidence in b.justification.requires for b in view.backers)


def test_a_diamond_stands_on_its_other_arm_and_a_text_that_used_both_does_not() -> None:
    graph = [
        derived("camera", 1, "e-camera"),
        derived("survey", 1, "e-survey"),
        derived("arm1", 2, "camera"),
        derived("arm2", 2, "survey"),
        derived("apex", 3, "arm1"),
        derived("apex", 3, "arm2"),
        derived("note", 4, "arm1", "arm2"),
    ]
    first = plan(graph, Book(), {"e-camera": "revoked"})
    assert first.fallen == ("note", "arm1", "camera")
    assert first.survivors == (("apex", ("j-apex-arm2",)),)
    after = book(change("e-camera", "revoked", 5), *(change(n, m.value, 5, "support") for n, m in first.marks))
    second = plan(graph, after, {"e-survey": "revoked"})
    assert second.fallen == ("apex", "arm2", "survey") and second.survivors == ()


def test_a_ring_of_summaries_falls_with_its_one_real_source() -> None:
    ring = [
        derived("claim", 1, "sheet"),
        derived("round1", 2, "claim"),
        derived("claim", 3, "round1"),
        derived("round2", 4, "claim"),
        derived("claim", 5, "round2"),
    ]
    assert set(plan(ring, Book(), {"sheet": "revoked"}).fallen) == {"claim", "round1", "round2"}


def test_descendants_come_before_what_they_grew_from() -> None:
    chain = [derived(f"c{i}", i, f"c{i - 1}" if i else "root") for i in range(30)]
    chain += [derived("c29", 40, "root", "c3")]
    made = plan(chain, Book(), {"root": "revoked"})
    assert list(made.fallen) == [f"c{i}" for i in range(29, -1, -1)]


def test_a_thousand_deep_chain_needs_no_deep_stack() -> None:
    chain = [derived(f"c{i}", i, f"c{i - 1}" if i else "root") for i in range(5000)]
    assert len(plan(chain, Book(), {"root": "revoked"}).fallen) == 5000


class Fake:
    """The part of a graph that `gather` asks, over two dictionaries."""

    def __init__(self, claims: list[SlotClaim]) -> None:
        self.claims = {v.claim.id: v for v in claims}

    def cone(self, node_id: str) -> list[Backer]:
        reached = {node_id}
        everything = [b for v in self.claims.values() for b in v.backers]
        while more := {b.justification.head for b in everything if reached & set(b.justification.requires)} - reached:
            reached |= more
        return [b for b in everything if b.justification.head in reached]

    def dependents(self, claim_id: str) -> list[str]:
        return [v.claim.id for v in self.claims.values() if claim_id in v.claim.depends_on]

    def depends_on(self, node_id: str) -> tuple[str, ...]:
        return self.claims[node_id].claim.depends_on if node_id in self.claims else ()


def test_the_cone_follows_derivation_and_dependency() -> None:
    room = claim("room", "Winter Garden", span(1), 1)
    catering = claim("catering", "garden door", span(1), 2, depends_on=["room"])
    menu = claim("menu", "soup", span(1), 3, backers=[derived("menu", 3, "catering")])
    backers, depends = cascade.gather([evidence_of(room)], Fake([room, catering, menu]))
    assert depends == {"catering": ("room",)}
    assert set(plan(backers, Book(), {evidence_of(room): "revoked"}, depends=depends).fallen) == {
        "room",
        "catering",
        "menu",
    }


def test_why_gives_minimal_sets_and_why_not_what_is_missing() -> None:
    graph = [
        derived("a", 1, "e1"),
        derived("a", 1, "e2", "e3"),
        derived("a", 1, "e1", "e3"),
        derived("b", 2, "a", "e4"),
        derived("a", 3, "b"),
    ]
    assert questions.why("a", graph, Book()) == [("e1",), ("e2", "e3")]
    assert questions.why("b", graph, Book(), k=1) == [("e1", "e4")]
    assert questions.single_points("b", graph, Book()) == ["e4"]
    gone = book(change("e1", "revoked", 5), change("e2", "quarantined", 6))
    assert questions.why("a", graph, gone) == []
    missing = questions.why_not("a", graph, gone)
    assert [m.lacking for m in missing] == [
        (("e1", "revoked"),),
        (("e2", "quarantined"),),
        (("e1", "revoked"),),
        (("b", "unsupported"),),
    ]
    assert missing[-1].causes == (("e1", "revoked"), ("e2", "quarantined"))
    assert questions.why_not("a", graph, Book()) == []
    held = book(change("a", "held", 7))
    assert questions.why_not("a", graph, held)[0].lacking == (("a", "held"),)
    assert questions.blast(["e4"], graph, Book()).fallen == ("b",)


@given(RANDOM)
def test_every_reason_suffices_and_no_part_of_it_does(rng: random.Random) -> None:
    world = World(rng, small=True)
    statuses = {node: world.book.status(node) for node in world.leaves + world.heads}
    for node in world.heads:
        found = questions.why(node, world.backers, world.book, k=9, depends=world.depends)
        live = world.book.live(node)
        assert bool(found) == live
        for reason in found:

            def stands(leaves: set[str], node: str = node) -> bool:
                return node in fixpoint(world.backers, statuses, LIVE, leaves=leaves, depends=world.depends)

            assert stands(set(reason))
            assert not any(stands(set(reason) - {leaf}) for leaf in reason)
        single = set(questions.single_points(node, world.backers, world.book, depends=world.depends))
        if found and len(found) < 9:
            assert single == set.intersection(*(set(reason) for reason in found))


# -- origins, labels, the second factor


def witness(name: str, *, text: str | None = None, channel: Channel = Channel.TRUSTED_TOOL, **keys: str) -> Witness:
    fields = {"origin": f"o-{name}", "source": f"s-{name}", "principal": f"p-{name}", **keys}
    return Witness(id=name, channel=channel, text=text, **fields)  # type: ignore[arg-type]


def test_copies_of_one_original_are_one_witness() -> None:
    wiki = witness("wiki", source="wiki")
    mail = witness("mail", source="mail", copy_of="wiki")
    ticket = witness("ticket", copy_of="mail")
    plate = witness("plate")
    assert clusters([wiki, mail, ticket, plate]) == [("mail", "ticket", "wiki"), ("plate",)]
    assert independent_witnesses([wiki, mail, ticket, plate]) == 2


def test_near_copies_are_one_witness_and_a_stranger_joins_nothing() -> None:
    words = "gantry two carries at most nine hundred kilograms when both brakes are set and the wind is low"
    a, b = witness("a", text=words), witness("b", text=words.upper().replace("LOW", "weak"))
    c = witness("c", text="the plate on the beam reads nine hundred")
    assert independent_witnesses([a, b, c]) == 2
    bridge = witness("z", channel=Channel.EXTERNAL, origin="o-a", source="s-c")
    assert independent_witnesses([a, c, bridge]) == independent_witnesses([a, c]) == 2
    sybils = [witness(f"s{i}", channel=Channel.AGENT_INFERRED) for i in range(50)]
    assert independent_witnesses([a, *sybils]) == 1


@given(st.integers(1, 40))
def test_any_number_of_copies_changes_nothing(count: int) -> None:
    copies = [witness(f"k{i}", text="Gantry 2 carries at most 900 kg.", origin="o") for i in range(count)]
    assert independent_witnesses(copies) == 1
    said = [backer("c", i + 1, origin="o", channel=Channel.TRUSTED_TOOL) for i in range(count)]
    assert confidence_of(said, Book()) == 0.7
    assert independent(said, Book()) == 1


def test_a_label_is_the_least_of_everything_shown_and_alternatives_do_not_improve_it() -> None:
    shown = [Exposure("good", Channel.HUMAN_VERIFIED, 1), Exposure("web", Channel.EXTERNAL, 2)]
    assert label_of(shown, Channel.AGENT_INFERRED) is Channel.EXTERNAL
    assert label_of(shown[:1], Channel.HUMAN_STATED) is Channel.HUMAN_STATED
    assert label_of(shown[:1], Channel.HUMAN_VERIFIED, session=False) is Channel.AGENT_INFERRED


def test_the_window_starts_anew_at_a_human_turn_except_for_skills_and_actions() -> None:
    shown = [Exposure("web", Channel.EXTERNAL, 2), Exposure("good", Channel.HUMAN_STATED, 6)]
    assert [e.id for e in window(shown, until=9, human_turns=[5], whole_session=False)] == ["good"]
    assert [e.id for e in window(shown, until=9, human_turns=[5], whole_session=True)] == ["web", "good"]
    assert [e.id for e in window(shown, until=4, whole_session=True)] == ["web"]


def test_the_second_factor() -> None:
    tool = {"channel": Channel.TRUSTED_TOOL}
    one, same = backer("c", 1, origin="a", **tool), backer("c", 2, origin="a", **tool)  # type: ignore[arg-type]
    two = backer("c", 3, origin="b", **tool)  # type: ignore[arg-type]
    agents = [backer("c", i, origin=f"g{i}", channel=Channel.AGENT_INFERRED) for i in range(9)]
    person = backer("c", 4, origin="p", channel=Channel.HUMAN_VERIFIED)
    assert not second_factor([one, same])
    assert second_factor([one, two]) and second_factor([person])
    assert not second_factor(agents) and not second_factor([one, *agents])
    assert not second_factor([person], Channel.AGENT_INFERRED)
