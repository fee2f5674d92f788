"""The gate's books as a caller reads them: figures, samples and marks, policies compared, drift, promotion."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

import tkg
from tests.memory.test_gate import World, evidence
from tkg.errors import Conflict, NotFound, NotPermitted, RequestError
from tkg.model.policy import LossWeights, WritePolicy
from tkg.model.scope import Channel


def busy() -> tuple[World, dict[str, str]]:
    """A tenant with one of everything: accepted, repeated, refused, held, revoked after it was shown."""
    world = World(pays={"consequence": "high"})
    tool, ana = world.who("trusted_tool", "loader", "run-1"), world.who("human_verified", "ana")
    made: dict[str, str] = {}
    for number in range(6):
        found = tool.propose(
            subject=f"depot {number}",
            predicate="opens_at",
            object=f"0{number}:30",
            evidence=evidence(f"notice/{number}"),
        )
        made[f"depot {number}"] = found.claim_id or ""
    tool.propose(subject="depot 1", predicate="opens_at", object="01:30", evidence=evidence("notice/99"))
    world.who("agent_inferred", "bot", "run-2").propose(subject="depot 7", predicate="opens_at", object="07:30")
    world.who("agent_inferred", "bot", "run-3").propose(subject="depot 7", predicate="opens_at", object="07:30")
    for number in range(3):
        world.who("external", "web").propose(
            subject=f"shop {number}", predicate="opens_at", object="9", evidence=evidence("page.html", str(number))
        )
    world.who("human_stated", "ben", "run-1").remember("Good morning!")
    assert ana.recall("when does depot 5 open").items
    ana.revoke(ana.plan_revoke(source="notice/5"), reason="forged")
    return world, made


def test_the_figures_count_what_was_decided() -> None:
    world, _ = busy()
    found = world.who("human_verified", "ana").gate_figures()
    stages = {one.name: one for one in found.funnel}
    assert stages["routed"].routed == 1 and stages["provenance"].rejected == 2
    assert stages["kind"].held == 3 and stages["duplicates"].merged == 1 and stages["contradiction"].leaving == 6
    assert found.outcomes == {"accepted": 7, "held": 3, "reinforced": 1, "rejected": 2}
    assert (found.accepted_by_class["trusted_tool"].hits, found.accepted_by_class["external"].hits) == (7, 0)
    assert found.runs == 3 and ("notice/0", "claim", 100 / 3) in found.writes_per_hundred_runs
    assert found.poison_exposure == 1 and found.rediscovered == 1
    assert found.queue.length == 3 and found.queue.by_source == (("page.html", 3),) and found.queue.alarm == ""


def test_a_queue_that_is_too_long_or_too_old_says_so_and_reviews_are_timed() -> None:
    world, _ = busy()
    policy = world.memory.policies.write.model_copy(update={"review_alarm": 3})
    world.memory.tenant("acme").policies = world.memory.policies.model_copy(update={"write": policy})
    ana = world.who("human_verified", "ana")
    assert "3 wait" in ana.gate_figures().queue.alarm and "page.html" in ana.gate_figures().queue.alarm
    first, second, third = (one.id for one in ana.review())
    for seconds, one in ((30, first), (90, second)):
        ana.decide(one, "reject", seconds=seconds)
    figures = ana.gate_figures().queue
    assert (figures.length, figures.reviews, figures.seconds_per_review, figures.grown) == (1, 2, 60.0, 1)
    assert figures.alarm == ""
    world.later(days=8, minutes=1)
    assert "8 days" in ana.gate_figures().queue.alarm
    ana.decide(third, "accept", reason="rang them")
    assert ana.gate_figures().queue.length == 0


def test_a_sample_is_drawn_again_alike_and_marks_become_rates() -> None:
    world, _ = busy()
    ana = world.who("human_verified", "ana")
    refused = ana.audit_sample("rejected", 50)
    assert len(refused) == 2 and refused == ana.audit_sample("rejected", 50)
    assert all(one.says is None and one.reasons and one.stage == "provenance" for one in refused)
    accepted = ana.audit_sample("accepted", 4, seed=3)
    assert len(accepted) == 4 and all(one.says for one in accepted)
    ana.audit_mark(refused[0].verdict, right=False, reason="it was true")
    for number, one in enumerate(accepted):
        ana.audit_mark(one.verdict, right=number > 0)
    found = ana.gate_figures()
    assert (found.false_rejects.hits, found.false_rejects.n) == (1, 1)
    assert (found.false_accepts.hits, found.false_accepts.n) == (1, 4)
    assert {one.verdict: one.marked for one in ana.audit_sample("rejected", 50)}[refused[0].verdict] is False
    with pytest.raises(NotPermitted):
        world.who("agent_inferred", "bot").audit_mark(refused[0].verdict, right=True)
    with pytest.raises(NotFound):
        ana.audit_mark("vrd_" + "0" * 26, right=True)
    with pytest.raises(RequestError):
        ana.audit_sample("held", 5)


def test_policies_are_compared_on_what_was_recorded() -> None:
    world, _ = busy()
    ana = world.who("human_verified", "ana")
    current = world.memory.policies.write
    strict = current.model_copy(update={"held_channels": (Channel.TRUSTED_TOOL,), "loss": LossWeights(review=1)})
    found = ana.compare_policies({"current": current, "strict": strict})
    # one believed claim was revoked: that false acceptance becomes one of eight more reviews
    assert found["current"].total == 20 + 3 * 0.25
    assert found["current"].by_kind["claim/low"].false_accepts == 1
    assert found["strict"].by_kind["claim/low"].reviews == 10 and found["strict"].total == 10
    for one in ana.audit_sample("rejected", 50):
        ana.audit_mark(one.verdict, right=False)
    assert ana.compare_policies({"current": current})["current"].by_kind["claim/low"].false_rejects == 2


# -- drift


def writing(world: World, hours: int, rate: float, chance: random.Random, source: str = "feed") -> None:
    tool = world.who("trusted_tool", source)
    for hour in range(hours):
        for number in range(int(rate) + (chance.random() < rate % 1)):
            stamp = f"{world.clock.now():%j%H}-{hour}-{number}"
            tool.propose(subject=f"item {stamp}", predicate="weighs", object="3 kg", evidence=evidence(source, stamp))
        world.later(hours=1)


def test_a_burst_is_seen_and_written_down_once() -> None:
    world, chance = World(), random.Random(1)
    ana = world.who("human_verified", "ana")
    writing(world, 40, 2, chance)
    world.later(days=5)
    writing(world, 40, 2, chance)
    calm = ana.audit_drift()
    assert [one.kind for one in calm.alarms] == [] and calm.recorded is None and calm.streams == 1
    writing(world, 4, 12, chance)
    found = ana.audit_drift()
    assert [one.kind for one in found.alarms] == ["burst"] and "feed" in found.alarms[0].about
    assert found.recorded is not None and ana.audit_drift().recorded is None
    entry = next(e for e in world.memory.tenant("acme").ledger.read_since(0) if e.seq == found.recorded)
    assert entry.op == "alarm" and "feed" in str(entry.records[0])


def test_a_value_that_walks_away_from_its_anchor_is_told() -> None:
    world = World(price={"cardinality": "one", "datatype": "number"})
    ana, ben = world.who("human_verified", "ana"), world.who("human_stated", "ben")
    ben.propose(subject="crate", predicate="price", object="100", evidence=evidence("list", "0"))
    for number in range(1, 8):
        world.later(days=1)
        ben.propose(
            subject="crate", predicate="price", object=str(100 + 5 * number), evidence=evidence("list", str(number))
        )
    assert [one.kind for one in ana.audit_drift().alarms if one.kind == "anchor"] == ["anchor"]
    claim = ben.value("crate", "price").claims[0]
    ana.verify(claim)
    assert not [one for one in ana.audit_drift().alarms if one.kind == "anchor"]


def test_what_is_young_of_low_class_and_shown_often_is_told() -> None:
    world = World()
    ana, bot = world.who("human_verified", "ana"), world.who("agent_inferred", "bot", "s")
    bot.propose(subject="crane", predicate="fails_in", object="wind", evidence=evidence("note"))
    ana.propose(subject="ladder", predicate="stands_in", object="hall 2", evidence=evidence("plan"))
    for _ in range(6):
        world.who("human_stated", "ben").recall("crane fails in wind")
        world.who("human_stated", "ben").recall("ladder stands in hall")
    assert [one.kind for one in ana.audit_drift().alarms] == ["young"]
    world.later(hours=30)
    assert ana.audit_drift().alarms == ()


# -- promotion


def personal(world: World) -> str:
    mina = world.memory.scope("acme", "mina", channel="human_stated", principal="mina")
    return (
        mina.propose(subject="badge", predicate="kept_in", object="drawer 14", evidence=evidence("chat")).claim_id or ""
    )


def test_a_promotion_is_a_persons_act_with_a_reason_and_falls_with_what_it_came_from() -> None:
    world = World()
    claim = personal(world)
    joan = world.memory.scope("acme", "joan", channel="human_stated", principal="joan")
    assert joan.value("badge", "kept_in").kind == "none"
    for channel in ("agent_inferred", "trusted_tool", "system_of_record"):
        with pytest.raises(NotPermitted):
            world.who(channel, "x").promote(claim, reason="handy")
    ana = world.who("human_verified", "ana")
    with pytest.raises(tkg.TkgError):
        ana.promote(claim, reason=" ")
    with pytest.raises(Conflict):
        ana.promote(claim, to="global", reason="from a user straight to everybody")
    wider = ana.promote(claim, reason="the team shares the drawer")
    assert wider.outcome == "accepted" and joan.value("badge", "kept_in").values == ("drawer 14",)
    assert claim in {one.id for one in ana.lineage(wider.claim_id or "").up}
    with pytest.raises(Conflict):
        ana.promote(wider.claim_id or "", reason="again")
    ana.revoke(ana.plan_revoke(claim=claim), reason="moved")
    assert joan.value("badge", "kept_in").kind == "none"


def test_global_is_written_by_a_verified_person_only_and_listed() -> None:
    world = World()
    ana = world.who("human_verified", "ana")
    claim = (
        ana.propose(subject="ISO 4217", predicate="names", object="currencies", evidence=evidence("iso")).claim_id or ""
    )
    with pytest.raises(NotPermitted):
        world.who("human_stated", "ben").promote(claim, to="global", reason="for all")
    with pytest.raises(RequestError):
        ana.promote(claim, to="galaxy", reason="for all")
    assert ana.global_claims() == []
    ana.promote(claim, to="global", reason="true everywhere")
    (found,) = ana.global_claims()
    assert (found.subject, found.object, found.scope) == ("ISO 4217", "currencies", "global")
    for channel, user in (("human_stated", None), ("system_of_record", None), ("human_verified", "ben")):
        with pytest.raises(NotPermitted):
            world.memory.scope("global", user, channel=channel, principal="ana")
    with pytest.raises(NotPermitted, match="promotion"):
        world.memory.scope("global", channel="human_verified", principal="ana").propose(
            subject="ISO 3166", predicate="names", object="countries", evidence=evidence("iso")
        )


def test_time_between_runs_does_not_change_the_counts() -> None:
    one, _ = busy()
    other, _ = busy()
    other.clock.set(other.clock.now() + timedelta(hours=3))
    left, right = (world.who("human_verified", "ana").gate_figures() for world in (one, other))
    assert left.funnel == right.funnel and left.outcomes == right.outcomes
    assert isinstance(one.memory.policies.write, WritePolicy)
