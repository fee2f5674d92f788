"""The questions of an investigation, against what the ledger says when it is read from end to end."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tkg
from tests.belief.build import change
from tests.engines import CYPHER, engine_or_skip
from tests.memory.stories import SLOTS, TENANT, Facts, Story
from tkg.belief import questions as belief
from tkg.belief.support import LIVE, fixpoint, supports
from tkg.errors import TooLarge
from tkg.memory import comparing
from tkg.memory.answers import Value

RANDOM = st.randoms(use_true_random=False)


def grown(rng: random.Random, steps: int = 14, engine: str = "memory") -> Story:
    story = Story(rng, engine)
    for _ in range(rng.randrange(4, steps)):
        story.step()
    return story


def check_support(story: Story) -> int:
    """Compare why, why_not and single_points of every node with the definition over the whole ledger."""
    facts, seen = Facts(story.memory), story.seen
    statuses = {node: facts.base.status(node) for node in facts.nodes}
    standing = fixpoint(facts.backers, statuses, LIVE, leaves=facts.evidence, depends=facts.depends)
    for node in facts.nodes:
        stands = node in standing
        found = seen.why(node, k=50)
        reasons = [{one.id for one in reason.evidence} for reason in found.reasons]
        assert bool(reasons) == stands, node
        for reason in reasons:
            for gone in (None, *reason):
                left = reason - {gone}
                holds = node in fixpoint(facts.backers, statuses, LIVE, leaves=left, depends=facts.depends)
                assert holds == (gone is None), (node, reason, gone)
        alone = set()
        for leaf in facts.evidence if stands else ():
            without = {**statuses, leaf: "revoked"}
            left = fixpoint(facts.backers, without, LIVE, leaves=facts.evidence, depends=facts.depends)
            alone |= {leaf} - left if node not in left else set()
        single = seen.single_points(node)
        assert ({one.id for one in single.points}, single.stands) == (alone, stands)
        not_why = seen.why_not(node)
        whole = belief.why_not(node, facts.backers, story.memory.tenant(TENANT).book, depends=facts.depends)
        assert not_why.stands == stands == (not not_why.missing)
        assert [(one.justification or "", [n.id for n in one.lacking]) for one in not_why.missing] == [
            (one.justification, [n for n, _ in one.lacking]) for one in whole
        ]
        for lack in not_why.missing:
            assert lack.lacking and lack.causes
            assert all(cause.id not in standing for cause in lack.causes)
    return len(facts.nodes)


def check_spread(story: Story) -> int:
    """Compare blast and poison_chain of every node with closures and fixpoints over the whole ledger."""
    facts, seen = Facts(story.memory), story.seen
    before = supports(facts.backers, facts.base, depends=facts.depends)
    for node in facts.nodes:
        down = facts.reach(node, facts.above)
        found = seen.blast(node)
        assert {read.id: set(read.shown) for read in found.reads} == facts.shown(down)
        assert [read.seq for read in found.reads] == sorted(read.seq for read in found.reads)
        actions = {name for name, (artefact, _) in facts.artefacts.items() if artefact.kind == "action"}
        assert {one.id for one in found.actions} == actions & set(down)
        after = facts.base.copy_with([change(node, "revoked", 10**6)])
        then = supports(facts.backers, after, depends=facts.depends)
        lost = {one for one in facts.nodes if one != node and one in before and before[one] != then[one]}
        assert {one.id for one in (*found.plan.falls, *found.plan.suspended)} == lost, node
        up = facts.reach(node, facts.below)
        chain = seen.poison_chain(node)
        links = (chain.root, *chain.links)
        assert {one.id: one.depth for one in links} == up and chain.root.id == node
        for one in links:
            reads = sorted((facts.reads[name][1], name) for name in facts.shown([one.id]))
            assert one.reads == len(reads)
            assert (one.first_shown and one.first_shown.id) == (reads[0][1] if reads else None)
            assert set(one.parents) == {head for head in up if one.id in facts.below(head)}
            written = {**facts.claims, **facts.artefacts, **facts.evidence}[one.id][1]
            assert one.written.seq == written and one.written.at is not None
    return len(facts.nodes)


def snapshot(story: Story) -> tuple[dict[str, str], dict[tuple[str, str, str], list[tuple[datetime, Value]]]]:
    """Return the state of every node and what every slot holds on a grid, asked now."""
    states = {node: story.seen.explain(node).state for node in Facts(story.memory).nodes}
    held = {}
    for user in (None, "ana"):
        reader = story.memory.scope(TENANT, user)
        for subject, predicate in SLOTS:
            held[user or "", subject, predicate] = [(at, reader.value(subject, predicate, valid_at=at)) for at in GRID]
    return states, held


GRID = [datetime(2025, 12, 15, tzinfo=UTC) + timedelta(days=days) for days in range(0, 200, 12)]


def check_diff(rng: random.Random, engine: str = "memory") -> int:
    """Compare diff with what was answered while the store grew."""
    story = Story(rng, engine)
    shots = {}
    for _ in range(rng.randrange(3, 10)):
        shots[story.memory.tenant(TENANT).ledger.head.seq] = snapshot(story)
        story.step()
    shots[story.memory.tenant(TENANT).ledger.head.seq] = snapshot(story)
    old, new = rng.choice(list(shots)), rng.choice(list(shots))
    found = story.seen.diff(old, new)
    assert (found.before.seq, found.after.seq) == (old, new)
    everything = {**shots[old][0], **shots[new][0]}
    states = {node: (shots[old][0].get(node, "unknown"), shots[new][0].get(node, "unknown")) for node in everything}
    assert {one.id: (one.before, one.after) for one in found.nodes} == {
        node: pair for node, pair in states.items() if pair[0] != pair[1]
    }
    told = {(one.subject, one.predicate): one for one in found.slots if one.scope == TENANT}
    for subject, predicate in SLOTS:
        stretches = told[subject, predicate].stretches if (subject, predicate) in told else ()
        pairs = zip(shots[old][1]["", subject, predicate], shots[new][1]["", subject, predicate], strict=True)
        for (at, one), (_, other) in pairs:
            within = [s for s in stretches if (s.valid_from or "") <= iso(at) < (s.valid_to or "9")]
            assert bool(within) == (said(one) != said(other)), (subject, predicate, at)
            for stretch in within:
                assert (said(stretch.before), said(stretch.after)) == (said(one), said(other))
    return len(states)


def iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def said(answer: Value) -> tuple[object, ...]:
    return answer.kind, answer.values, answer.previously, answer.reason


def check_history(story: Story) -> int:
    """Compare every point of both axes with `value`."""
    head = story.memory.tenant(TENANT).ledger.head.seq
    points = 0
    for subject, predicate in SLOTS:
        found = story.seen.history(subject, predicate)
        for seq in range(1, head + 1):
            for at in GRID[::3]:
                within = [
                    one
                    for one in found
                    if one.tx_from <= seq < (one.tx_to or head + 1)
                    and (one.valid_from or "") <= iso(at) < (one.valid_to or "9")
                ]
                answer = story.seen.value(subject, predicate, valid_at=at, as_of=seq)
                assert len(within) == (answer.kind != "none")
                assert not within or said(within[0].answer) == said(answer)
                points += 1
    return points


@given(RANDOM)
@settings(deadline=None, max_examples=15)
def test_support_is_what_the_definition_says(rng: random.Random) -> None:
    check_support(grown(rng))


@given(RANDOM)
@settings(deadline=None, max_examples=15)
def test_spread_is_what_the_closures_say(rng: random.Random) -> None:
    check_spread(grown(rng))


def test_a_difference_that_is_too_large_is_refused_and_says_how_large(monkeypatch: pytest.MonkeyPatch) -> None:
    with tkg.open(None, engine="memory") as memory:
        memory.create_tenant(TENANT)
        ana = memory.scope(TENANT, channel="human_verified", principal="ana")
        for number in range(3):
            ana.propose(subject=f"desk {number}", predicate="phone", object=str(number))
        found = ana.diff(1)
        monkeypatch.setattr(comparing, "_MOST", 3)
        with pytest.raises(TooLarge, match=r"\d nodes were written or changed between tx:1 and tx:\d+; .* nearer"):
            ana.diff(1)
        assert found.slots and ana.diff(found.after.seq - 1).nodes  # the control: nearer points are told


@given(RANDOM)
@settings(deadline=None, max_examples=15)
def test_a_diff_is_the_difference_of_what_was_answered_then(rng: random.Random) -> None:
    check_diff(rng)


@given(RANDOM)
@settings(deadline=None, max_examples=6)
def test_a_history_is_what_each_point_of_both_axes_answers(rng: random.Random) -> None:
    check_history(grown(rng))


@pytest.mark.engine
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("check", [check_support, check_spread], ids=lambda check: check.__name__)
def test_the_same_on_an_engine(check: Callable[[Story], int], seed: int) -> None:
    assert check(grown(random.Random(f"engine-{seed}"), 20, engine_or_skip(CYPHER)))


@pytest.mark.engine
@pytest.mark.parametrize("seed", range(3))
def test_diffs_on_an_engine(seed: int) -> None:
    assert check_diff(random.Random(f"diff-{seed}"), engine_or_skip(CYPHER))


def test_a_claim_that_depends_on_what_does_not_stand_does_not_stand_either() -> None:
    story = Story(random.Random(1))
    ids = []
    for change_it in (story.seen.quarantine, None):
        known = story.seen.propose(subject="crane 5", predicate="city", object="Lisbon", valid_from="2026-02").claim_id
        if change_it is not None:
            change_it(claim=known, reason="under review")
        else:
            story.seen.revoke(story.seen.plan_revoke(claim=known), reason="wrong")
        made = story.seen.propose(subject="crane 5", predicate="skill", object=f"n{len(ids)}", depends_on=[known or ""])
        ids.append(made.claim_id or "")
    suspended, fallen = (story.seen.why_not(one) for one in ids)
    assert [one.lacking[0].state for one in suspended.missing] == ["quarantined"]
    assert [one.lacking[0].state for one in fallen.missing] == ["revoked"]
    assert [story.memory.tenant(TENANT).book.support(one) for one in ids] == ["suspended", "unsupported"]
    story.seen.release(claim=suspended.missing[0].lacking[0].id, reason="it was right")
    assert story.seen.explain(ids[0]).state == "active" and story.seen.why_not(ids[0]).stands


# -- ids by their beginnings


def test_the_shortest_beginning_finds_and_an_ambiguous_one_lists() -> None:
    story = grown(random.Random(5), 30)
    nodes = Facts(story.memory).nodes
    for one, beginning in story.seen.short(nodes).items():
        assert one.startswith(beginning) and story.seen.find(beginning) == story.seen.find(one) == one
    claims = [one for one in nodes if one.startswith("clm")]
    with pytest.raises(tkg.TkgError) as caught:
        story.seen.find("clm_0")
    assert caught.value.exit_code == 2 and all(one in str(caught.value) for one in claims[:3])


def test_a_beginning_never_reaches_into_another_scope() -> None:
    story = Story(random.Random(1))
    ids = {}
    for user in ("ana", "bo"):
        handle = story.handle("human_stated", user, user=user)
        ids[user] = handle.propose(subject="badge", predicate="city", object="Lisbon").claim_id or ""
    ana, operator = story.memory.scope(TENANT, "ana"), story.memory.scope(TENANT)
    assert ana.find("clm_") == ids["ana"]  # bo's claim makes it neither ambiguous nor is it listed
    with pytest.raises(tkg.TkgError) as caught:
        ana.find(ids["bo"])
    missing = str(caught.value)
    with pytest.raises(tkg.TkgError) as caught:
        ana.find(ids["bo"][:-1] + ("0" if ids["bo"][-1] != "0" else "1"))
    assert str(caught.value) == missing and caught.value.code == "not_found"
    with pytest.raises(tkg.TkgError) as caught:
        operator.find("clm_")
    assert ids["ana"] in str(caught.value) and ids["bo"] in str(caught.value)


@pytest.mark.parametrize("text", ["", " ", "clm_' OR 1=1", "\x1b[31m", "../..", "x" * 5000, "é", "%", "*"])
def test_what_is_no_beginning_of_an_id_is_not_found(text: str) -> None:
    story = grown(random.Random(2), 8)
    with pytest.raises(tkg.TkgError) as caught:
        story.seen.find(text)
    assert caught.value.code == "not_found" and not str(caught.value).isspace()


# -- scope


def test_what_lies_in_another_scope_is_named_to_nobody_else() -> None:
    story = Story(random.Random(1))
    shared = story.seen.propose(subject="badge", predicate="city", object="Lisbon").claim_id or ""
    for user in ("ana", "bo"):
        handle = story.handle("agent_inferred", user, f"s-{user}", user=user)
        handle.recall("badge city")
        handle.derive("summary", f"{user} asked about badges", from_=[shared])
    ana = story.memory.scope(TENANT, "ana").blast(shared)
    assert ana.sessions == ("s-ana",) and ana.principals == ("ana",)
    assert ["ana" in one.label for one in ana.plan.falls] == [True]
    everybody = story.seen.blast(shared)
    assert everybody.sessions == ("s-ana", "s-bo") and len(everybody.plan.falls) == 2


def main() -> int:
    """Run the checks at length: `python -m tests.memory.test_questions [STORIES]`; prints what was compared."""
    stories, compared = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, 0
    for number in range(stories):
        story = grown(random.Random(f"long-{number}"))
        compared += check_support(story) + check_spread(story) + check_diff(random.Random(f"diff-{number}"))
        compared += check_history(story) if number % 10 == 0 else 0
    print(f"{stories:,} stores, {compared:,} answers compared, 0 differences (95 % bound {3 / compared:.1e} an answer)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
