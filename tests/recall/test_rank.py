"""Order and share: the same inputs give the same places, one origin never takes more than its part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tkg.model.policy import ReadPolicy
from tkg.recall.rank import Ranked, fuse, order, recency, score, select, strengths

POLICY = ReadPolicy()
DAY = 86_400_000_000

candidates = st.lists(
    st.builds(
        Ranked,
        id=st.integers(0, 10**6).map(lambda n: f"clm_{n:06}"),
        places=st.lists(st.integers(1, 50), min_size=1, max_size=3).map(tuple),
        strength=st.sampled_from([0.1, 0.5, 1.0]),
        weight=st.sampled_from([0.3, 0.8, 1.0]),
        origins=st.sets(st.sampled_from("abcd"), min_size=1, max_size=2).map(frozenset),
    ),
    max_size=25,
    unique_by=lambda c: c.id,
)


@given(candidates, st.data(), st.integers(1, 10))
def test_the_order_of_arrival_changes_nothing(found: list[Ranked], data: st.DataObject, k: int) -> None:
    shuffled = data.draw(st.permutations(found))

    assert select(order(found), k=k, policy=POLICY) == select(order(shuffled), k=k, policy=POLICY)


def test_ties_go_to_the_smaller_id() -> None:
    tied = [Ranked(f"clm_{name}", (1,), 1.0, 1.0, frozenset("a")) for name in "cab"]

    assert [candidate.id for candidate, _ in order(tied)] == ["clm_a", "clm_b", "clm_c"]


@given(candidates, st.integers(1, 10))
def test_never_more_than_k_and_everything_is_accounted_for(found: list[Ranked], k: int) -> None:
    selection = select(order(found), k=k, policy=POLICY)

    assert len(selection.chosen) <= k
    named = [pair[0].id for pair in selection.chosen] + [identifier for identifier, _ in selection.left_out]
    assert sorted(named) == sorted(c.id for c in found)


@given(candidates, st.integers(1, 10))
def test_no_origin_takes_more_than_half_where_there_is_another(found: list[Ranked], k: int) -> None:
    selection = select(order(found), k=k, policy=POLICY)
    everywhere = frozenset.intersection(*(c.origins for c in found)) if found else frozenset()

    for origin in {o for c in found for o in c.origins} - everywhere:
        assert sum(origin in pair[0].origins for pair in selection.chosen) <= -(-k // 2)


@given(candidates, st.integers(1, 10))
def test_an_origin_that_is_alone_takes_all(found: list[Ranked], k: int) -> None:
    alone = [Ranked(c.id, c.places, c.strength, c.weight, frozenset("z")) for c in found]

    policy = POLICY.model_copy(update={"least_share": 0.0})
    assert len(select(order(alone), k=k, policy=policy).chosen) == min(k, len(alone))


def test_one_loud_origin_does_not_push_out_the_other() -> None:
    loud = [Ranked(f"clm_a{n}", (n,), 1.0, 1.0, frozenset("a")) for n in range(1, 30)]
    quiet = Ranked("clm_b", (30,), 0.2, 0.5, frozenset("b"))

    chosen = [c.id for c, _ in select(order([*loud, quiet]), k=5, policy=POLICY).chosen]

    assert chosen == ["clm_a1", "clm_a2", "clm_a3", "clm_b"]


def test_fusion_prefers_what_several_lists_found() -> None:
    places = fuse([["x", "y", "z"], ["y", "w"]])
    scores = {i: score(Ranked(i, p, 1.0, 1.0, frozenset())) for i, p in places.items()}

    assert places["y"] == (2, 1)
    assert max(scores, key=lambda i: scores[i]) == "y"
    assert scores["x"] == 1.0


def test_episodes_fade_by_half_in_a_half_life_and_never_under_the_floor() -> None:
    assert recency(0, 0, POLICY) == 1.0
    assert recency(0, 30 * DAY, POLICY) == 0.5
    assert recency(0, 3000 * DAY, POLICY) == 0.4
    assert recency(50 * DAY, 0, POLICY) == 1.0


def test_a_floor_cuts_what_fits_badly() -> None:
    good, poor = (Ranked(i, (1,), s, 1.0, frozenset(i)) for i, s in (("clm_g", 1.0), ("clm_p", 0.2)))

    selection = select(order([good, poor]), k=5, policy=ReadPolicy(floor=0.5))

    assert [c.id for c, _ in selection.chosen] == ["clm_g"]
    assert selection.left_out == (("clm_p", "floor"),)


def test_talk_that_fits_a_hundred_times_worse_than_the_best_fills_no_place() -> None:
    strong = [
        Ranked(i, (1,), s, 1.0, frozenset(i), True) for i, s in (("art_a", 1.0), ("art_b", 0.02), ("art_c", 0.001))
    ]

    assert [c.id for c, _ in select(order(strong), k=5, policy=ReadPolicy()).chosen] == ["art_a", "art_b"]
    assert [c.id for c, _ in select(order(strong[2:]), k=5, policy=ReadPolicy()).chosen] == ["art_c"]
    # what is believed says something of what it matched, however faintly
    claim = Ranked("clm_c", (1,), 0.001, 1.0, frozenset("c"))
    assert [c.id for c, _ in select(order([*strong, claim]), k=5, policy=ReadPolicy()).chosen] == [
        "art_a",
        "art_b",
        "clm_c",
    ]


def test_strength_is_relative_to_the_best_match() -> None:
    assert strengths({"a": 8.0, "b": 2.0, "c": 0.0}) == {"a": 1.0, "b": 0.25, "c": 0.01}
    assert strengths({}) == {}
    assert strengths({"a": 0.0}) == {"a": 1.0}
