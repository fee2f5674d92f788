"""Symmetric and inverse predicates, and names of one entity."""

from __future__ import annotations

from tests.belief.build import backer, book, change, evidence_of, span
from tests.belief.build import claim as made
from tkg.belief.book import Book
from tkg.belief.compare import compare_claims
from tkg.belief.contradiction import assess
from tkg.belief.mirror import mirrored, opposite, same_of
from tkg.belief.validity import value
from tkg.model.predicate import Predicate, Registry
from tkg.model.view import SlotClaim

PARTNER = Predicate(name="partner_of", symmetric=True)
REGISTRY = Registry.of({"parent_of": {"inverse_of": "child_of"}, "child_of": {}, "owns": {}})


def between(name: str, subject: str, predicate: Predicate, target: str, seq: int, **who: str) -> SlotClaim:
    view = made(name, target, span(1), seq, predicate=predicate, **who)
    fields = {"subject": subject, "subject_id": f"ent-{subject.lower()}", "slot_id": f"{subject}-{predicate.name}"}
    return type(view)(view.claim.model_copy(update=fields), view.seq, view.backers)


def test_the_opposite_of_a_predicate_is_found_from_either_declaration() -> None:
    assert opposite(PARTNER, REGISTRY) == "partner_of"
    assert opposite(REGISTRY.get("parent_of"), REGISTRY) == "child_of"
    assert opposite(REGISTRY.get("child_of"), REGISTRY) == "parent_of"
    assert opposite(REGISTRY.get("owns"), REGISTRY) is None


def test_a_symmetric_claim_stated_from_the_other_end_reinforces() -> None:
    forward = between("forward", "Mill", PARTNER, "Press", 1)
    backward = between("backward", "Press", PARTNER, "Mill", 2, origin="bo")
    turned = mirrored(forward, PARTNER, backward.claim.slot_id)
    found = assess(backward, [turned], PARTNER, Book())
    assert (found.outcome, found.target) == ("reinforce", "forward")
    assert value([[turned]], PARTNER, Book(), 5).value == "Mill"
    both = type(turned)(turned.claim, 1, (*turned.backers, backer("forward", 2, origin="bo")))
    assert value([[both]], PARTNER, book(change(evidence_of(forward), "revoked", 3)), 5).value == "Mill"


def test_turning_round_twice_is_nothing() -> None:
    forward = between("forward", "Mill", PARTNER, "Press", 1)
    twice = mirrored(mirrored(forward, PARTNER, "x"), PARTNER, forward.claim.slot_id)
    assert twice == forward


def test_two_names_are_one_entity_only_while_the_claim_that_says_so_stands() -> None:
    same_as = Predicate(name="same_as", datatype="entity")
    merge = between("merge", "Ana Ruiz", same_as, "A. Ruiz", 1)
    boss = Predicate(name="boss", cardinality="one", datatype="entity")
    one, other = (
        made("one", "Ana Ruiz", span(1), 2, predicate=boss),
        made("other", "A. Ruiz", span(1), 3, predicate=boss),
    )
    merged = same_of([merge], Book())
    assert merged.same("ent-ana ruiz", "ent-a. ruiz")
    assert compare_claims(one.claim, other.claim, boss, merged) == "equal"
    apart = same_of([merge], book(change(evidence_of(merge), "revoked", 4)))
    assert compare_claims(one.claim, other.claim, boss, apart) == "different"
