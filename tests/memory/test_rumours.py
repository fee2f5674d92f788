"""Repetition is no proof, and a word's opposite is no repetition: a rumour told forty times, a door that permits and blocks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle

RUMOUR = {"subject": "North mill", "predicate": "closing", "object": "in autumn"}
PERMITS = "The north door controller permits badge entry for cleaning crew on weekdays"
Told = Callable[[tkg.Memory, int], Handle]


def opened(**predicates: dict[str, str]) -> tkg.Memory:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(seconds=1))
    policies = tkg.Policies(write=tkg.WritePolicy(held_channels=(), registry=tkg.Registry.of(predicates)))
    memory = tkg.open(None, clock=clock, ids=SeededIds(3), engine="memory", policies=policies)
    memory.create_tenant("acme")
    return memory


def by_one(memory: tkg.Memory, number: int) -> Handle:
    return memory.scope("acme", channel="external", principal="crawler", session=f"s{number}")


def by_forty(memory: tkg.Memory, number: int) -> Handle:
    return memory.scope("acme", channel="external", principal=f"blog-{number}", session=f"s{number}")


def tell(handle: Handle, number: int, copy_of: str | None = None) -> tkg.Evidence:
    return tkg.Evidence(uri=f"https://blog-{number}.example", quote="The north mill closes in autumn.", copy_of=copy_of)


@pytest.mark.parametrize("told", [by_one, by_forty])
@pytest.mark.parametrize("admitted", [True, False])
def test_forty_copies_of_a_rumour_are_as_strong_as_the_best_of_them(told: Told, admitted: bool) -> None:
    with opened() as memory:
        first = told(memory, 0).propose(**RUMOUR, evidence=tell(told(memory, 0), 0))
        reader = memory.scope("acme")
        alone = reader.explain(str(first.claim_id))
        for number in range(1, 40):
            source = "https://blog-0.example" if admitted else None
            again = told(memory, number).propose(**RUMOUR, evidence=tell(told(memory, number), number, source))
            assert again.claim_id == first.claim_id
        after = reader.explain(str(first.claim_id))
        assert len(after.evidence) == 40
        assert (after.confidence, after.channel) == (alone.confidence, alone.channel)
        # whoever is not trusted is no independent witness, however many there are
        assert after.independent_origins == alone.independent_origins == 0
        # the control: one who is trusted counts, and the copies then are as strong as that one
        memory.scope("acme", channel="human_stated", principal="ana").propose(
            **RUMOUR, evidence=tkg.Evidence(uri="mail/1")
        )
        best = reader.explain(str(first.claim_id))
        assert best.independent_origins == 1
        assert best.confidence is not None and after.confidence is not None and best.confidence > after.confidence


def test_forty_copies_through_trusted_hands_are_one_witness() -> None:
    with opened() as memory:
        claim = ""
        for number in range(40):
            handle = memory.scope("acme", channel="trusted_tool", principal=f"feed-{number}", session=f"s{number}")
            source = f"wire/{number}"
            copied = None if number == 0 else "wire/0"
            said = tkg.Evidence(uri=source, quote="The north mill closes in autumn.", copy_of=copied)
            claim = str(handle.propose(**RUMOUR, evidence=said).claim_id)
        told = memory.scope("acme").explain(claim)
        assert (len(told.evidence), told.independent_origins) == (40, 1)


def test_a_rumour_told_forty_times_displaces_nothing() -> None:
    with opened(closing={"cardinality": "one"}) as memory:
        ana = memory.scope("acme", channel="human_stated", principal="ana")
        ana.propose(**{**RUMOUR, "object": "never"}, evidence=tkg.Evidence(uri="mail/1"))
        for number in range(40):
            by_forty(memory, number).propose(**RUMOUR, evidence=tell(by_forty(memory, number), number))
        found = memory.scope("acme").value("North mill", "closing")
        assert (found.kind, found.value) == ("value", "never")


def test_what_permits_and_what_blocks_contradict_each_other_and_are_no_repetition() -> None:
    with opened(entry_rule={"cardinality": "one"}) as memory:
        verdicts = []
        for who, word in (("ana", "permits"), ("bo", "blocks")):
            handle = memory.scope("acme", channel="human_stated", principal=who)
            said = PERMITS.replace("permits", word)
            verdicts.append(
                handle.propose(
                    subject="north door",
                    predicate="entry_rule",
                    object=said,
                    valid_from="2026-03-01",
                    evidence=tkg.Evidence(uri=f"mail/{who}", quote=said),
                )
            )
        first, second = verdicts
        assert first.outcome == "accepted" and second.outcome != "reinforced"
        assert first.claim_id != second.claim_id
        (found,) = memory.scope("acme").contradictions()
        assert {found.left, found.right} == {first.claim_id, second.claim_id}
        # the control: the same words again are a repetition and contradict nothing
        again = memory.scope("acme", channel="human_stated", principal="cy").propose(
            subject="north door", predicate="entry_rule", object=PERMITS, valid_from="2026-03-01",
            evidence=tkg.Evidence(uri="mail/cy", quote=PERMITS),
        )  # fmt: skip
        assert (again.outcome, again.claim_id) == ("reinforced", first.claim_id)
