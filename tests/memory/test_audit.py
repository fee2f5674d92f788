"""The audit finds exactly what comparing all claims with all claims finds, on every graph, in pages of any size."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines import ENGINES, engine_or_skip
from tests.memory.build import Stage
from tkg.belief import multirange
from tkg.belief.compare import Comparison
from tkg.belief.order import contradictory
from tkg.belief.validity import effective
from tkg.errors import RequestError
from tkg.memory.slots import Slots
from tkg.model.claim import Claim
from tkg.model.view import SlotClaim

pytestmark = pytest.mark.engine

PREDICATES: dict[str, dict[str, Any]] = {
    "city": {"cardinality": "one"},
    "badge": {"inverse_functional": True},
    "on_call": {"cardinality": 2},
    "tenure": {"disjoint": [["owner", "tenant"]]},
    "retired": {"excludes": ["employed"]},
    "employed": {"cardinality": "one"},
    "left": {"datatype": "date", "order": ["after hired"]},
    "hired": {"datatype": "date"},
}
VALUES = {
    "city": ("Lisbon", "Berlin"),
    "badge": ("b1", "b2"),
    "on_call": ("x", "y", "z", "w"),
    "tenure": ("owner", "tenant", "guest"),
    "retired": ("yes",),
    "employed": ("Mill", "Press"),
    "left": ("2020-05", "2022-05"),
    "hired": ("2019-01", "2021-01"),
    "likes": ("tea", "coffee"),
}
DAYS = [f"2026-0{month}-01T00:00:00Z" for month in range(1, 8)]

Said = tuple[str, str, str, str, str, int, int, bool]
said = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.tuples(
        st.sampled_from(("ana", "bo", "cy")),
        st.sampled_from(("Ida", "Noor")),
        st.just(name),
        st.sampled_from(VALUES[name]),
        st.sampled_from(("", "", "mina", "joan")),
        st.integers(0, 3),
        st.integers(4, 6),
        st.booleans(),
    )
)


def told(stage: Stage, claims: list[Said], revoked: int) -> list[SlotClaim]:
    """Let everything be said, take some of it back, and return every claim there is."""
    found: dict[str, None] = {}
    for who, subject, predicate, value, user, start, end, denied in claims:
        more: dict[str, Any] = {"polarity": "negative"} if denied and predicate in ("likes", "city") else {}
        verdict = stage.tells(
            who, subject, predicate, value, user=user or None, valid_from=DAYS[start], valid_to=DAYS[end], **more
        )
        if verdict.claim_id is not None:
            found[verdict.claim_id] = None
    warden = stage.by("warden", "human_verified")
    for one in list(found)[:revoked]:
        if stage.state(one) not in ("revoked", "rejected"):
            warden.revoke(warden.plan_revoke(claim=one), reason="r")
    graph = stage.memory.tenant("acme").graph
    return [view for one in found if (view := graph.claim(one)) is not None]


def nested(one: SlotClaim, other: SlotClaim) -> bool:
    a, b = sorted((one.claim.scope, other.claim.scope), key=len)
    return a == b or b.startswith(f"{a}/")


def across(a: Claim, b: Claim, together: bool, standing: bool) -> set[str]:
    """Return the patterns by which two claims of one or two slots clash."""
    same, names = a.subject_id == b.subject_id, {a.predicate, b.predicate}
    found = set[str]()
    if names == {"badge"} and not same and a.object_norm == b.object_norm and together:
        found.add("C4")
    if same and names == {"retired", "employed"} and together:
        found.add("C6")
    if same and names == {"hired", "left"} and standing:
        hired, left = (a, b) if a.predicate == "hired" else (b, a)
        if (left.object or "") < (hired.object or ""):
            found.add("C7")
    return found


def compared(stage: Stage, views: list[SlotClaim]) -> set[tuple[str, frozenset[str]]]:
    """Compare all with all, by the definitions."""
    tenant = stage.memory.tenant("acme")
    rest, found = {}, set[tuple[str, frozenset[str]]]()
    for view in views:
        slots = Slots.around(tenant, view.claim.scope)
        rest[view.claim.id] = effective(view, slots.of(view), slots.declared(view.claim), tenant.book)
    for one, other in combinations(views, 2):
        a, b = one.claim, other.claim
        pair = frozenset((a.id, b.id))
        together = bool(multirange.intersect(rest[a.id], rest[b.id]))
        registry = tenant.registry()
        if a.slot_id == b.slot_id:
            predicate = registry.get(a.predicate or "")
            equal = a.object_norm == b.object_norm
            relation = Comparison.EQUAL if equal else Comparison.DIFFERENT
            if together and contradictory(a, b, predicate, lambda relation=relation: relation):
                found.add(("C2" if a.polarity != b.polarity else "C3" if predicate.limit != 1 else "C1", pair))
        if a.polarity == b.polarity == "positive" and nested(one, other):
            found |= {(pattern, pair) for pattern in across(a, b, together, bool(rest[a.id] and rest[b.id]))}
    for slot in {view.claim.slot_id for view in views if view.claim.predicate == "on_call"}:
        here = [view.claim for view in views if view.claim.slot_id == slot]
        for day in {bound for claim in here for bound, _ in rest[claim.id]}:
            up = [c for c in here if multirange.contains(rest[c.id], day)]
            if len({c.object_norm for c in up}) > 2:
                found.add(("C5", frozenset(c.id for c in up)))
    return found


def audited(stage: Stage, limit: int) -> list[tuple[str, frozenset[str]]]:
    handle, found, after = stage.memory.scope("acme"), [], None
    while True:
        page = handle.audit_contradictions(limit=limit, after=after)
        found += [(one.pattern, frozenset(one.claims)) for one in page.items]
        if (after := page.next) is None:
            return found


@pytest.mark.parametrize("engine", ENGINES)
def test_the_audit_finds_what_comparing_all_with_all_finds(engine: str) -> None:
    engine_or_skip(engine)
    seen: set[str] = set()

    @given(st.lists(said, min_size=6, max_size=24), st.integers(0, 3), st.sampled_from((1, 3, 1_000)))
    @settings(max_examples=min(settings().max_examples, 25 if engine == "memory" else 8))
    def agrees(claims: list[Said], revoked: int, limit: int) -> None:
        stage = Stage(PREDICATES, engine=engine)
        wanted = compared(stage, told(stage, claims, revoked))
        found = audited(stage, limit)
        assert len(found) == len(set(found))
        assert set(found) == wanted
        seen.update(pattern for pattern, _ in wanted)
        stage.memory.close()

    agrees()
    assert seen  # what each pattern looks like is in the next test; here chance decides which of them come up


@pytest.mark.parametrize("engine", ENGINES)
def test_each_pattern_is_found_and_named(engine: str) -> None:
    stage = Stage({**PREDICATES, "starts": {}}, engine=engine_or_skip(engine))
    for claims in (
        [("ana", "Ida", "city", "Lisbon"), ("bo", "Ida", "city", "Berlin")],
        [("ana", "Ida", "badge", "b1"), ("bo", "Noor", "badge", "b1")],
        [("ana", "Ida", "on_call", "x"), ("bo", "Ida", "on_call", "y"), ("cy", "Ida", "on_call", "z")],
        [("ana", "Ida", "tenure", "owner"), ("bo", "Ida", "tenure", "tenant")],
        [("ana", "Ida", "retired", "yes"), ("bo", "Ida", "employed", "Mill")],
        [("ana", "Ida", "hired", "2021-01"), ("bo", "Ida", "left", "2020-01")],
    ):
        for one in claims:
            stage.says(*one)
    stage.says("ana", "Ida", "likes", "tea")
    stage.tells("bo", "Ida", "likes", "tea", polarity="negative")
    stage.says("mina", "Ida", "city", "Oslo", user="mina")
    rules = {one.pattern: one.rule for one in stage.memory.scope("acme").audit_contradictions(limit=1_000).items}
    assert rules == {
        "C1": "row-9",
        "C2": "row-9",
        "C3": "row-9",
        "C4": "pattern-C4",
        "C5": "pattern-C5",
        "C6": "pattern-C6",
        "C7": "pattern-C7",
    }
    hidden = stage.memory.scope("acme").audit_contradictions(patterns=["C9"]).items
    assert {(one.pattern, one.scope) for one in hidden} == {("C9", "acme/mina")}
    assert stage.memory.scope("acme", "joan").audit_contradictions(patterns=["C9"]).items == ()


def test_a_value_stored_before_its_type_was_declared_is_found(tmp_path: Any) -> None:
    stage = Stage({}, path=tmp_path / "store")
    claim = stage.says("ana", "Ida", "starts", "some day")
    stage.says("ana", "Noor", "starts", "2026-05")
    stage.reopen({"starts": {"datatype": "date"}})
    (one,) = stage.memory.scope("acme").audit_contradictions(patterns=["C8"]).items
    assert (one.left, one.right, one.claims, one.pattern) == (claim, None, (claim,), "C8")
    stage.memory.close()


def test_names_of_one_entity_and_other_ends_are_compared_once() -> None:
    stage = Stage({"city": {"cardinality": "one"}, "spouse": {"cardinality": "one", "symmetric": True}})
    pair = {stage.says("ana", "Ida Berg", "city", "Lisbon"), stage.says("bo", "I. Berg", "city", "Berlin")}
    ends = {stage.says("ana", "Ida Berg", "spouse", "Noor"), stage.says("bo", "Ola", "spouse", "Ida Berg")}
    found = [set(one.claims) for one in stage.memory.scope("acme").audit_contradictions(limit=1_000).items]
    assert found == [ends]
    stage.says("cy", "I. Berg", "same_as", "Ida Berg")
    found = [set(one.claims) for one in stage.memory.scope("acme").audit_contradictions(limit=1_000).items]
    assert sorted(found, key=sorted) == sorted([pair, ends], key=sorted)


@pytest.mark.parametrize("wrong", [{"patterns": ["C10"]}, {"limit": 0}, {"after": "no cursor"}, {"after": "WyJ4Iiwi"}])
def test_a_page_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    stage = Stage(PREDICATES)
    stage.says("ana", "Ida", "city", "Lisbon")
    with pytest.raises(RequestError):
        stage.memory.scope("acme").audit_contradictions(**wrong)
