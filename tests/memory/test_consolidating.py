"""Consolidation: episodes become facts, every fact is checked with its reason, episodes are compressed; and all back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memory.build import Stage
from tkg.errors import Conflict, ModelAnswer, NotFound, NotPermitted, RequestError
from tkg.extractors import Extractor
from tkg.extractors.llm import ModelExtractor, Request
from tkg.extractors.text import TextExtractor
from tkg.memory.consolidated import Consolidation
from tkg.model.document import Document, Extracted

RULES = TextExtractor()
PREDICATES = {"drinks": {"cardinality": "one"}, "lives_in": {"cardinality": "one"}}


class Nothing:
    """Reads nothing: a store whose texts were only kept."""

    name, version = "nothing", "1"

    def extract(self, document: Document) -> list[Extracted]:
        return []


def model(*facts: tuple[str, str, str, str, str]) -> Extractor:
    """A model that finds (subject, predicate, object, quote, basis) wherever the quote stands."""

    def answer(_: object) -> dict[str, Any]:
        return {
            "facts": [
                {"subject": s, "predicate": p, "object": o, "quote": q, "basis": basis, "negated": False,
                 "source_turn": "0", "expiry": None}
                for s, p, o, q, basis in facts
            ]
        }  # fmt: skip

    return ModelExtractor(answer, model="fixed", rules=RULES)


TURNS = (
    "Ana lives in Oslo.",
    "Good night! The late trains again...",
    "For the record, Ben drinks tea.",
    "Ben drinks coffee now.",
)


def told(extractor: Extractor | None = None) -> Stage:
    """Return a store in which a session was told the turns, a day apart."""
    stage = Stage(PREDICATES)
    for number, text in enumerate(TURNS):
        stage.by("ana", session="chat").remember(text, turn=f"t{number}", media="turn", extractor=extractor)
        stage.later()
    return stage


def run(stage: Stage, **options: Any) -> Consolidation:
    return stage.by("olga", "human_verified").consolidate(dry_run=False, **options)


def state(found: Consolidation, stage: Stage, value: str) -> Any:
    handle = stage.memory.scope("acme")
    return next(one for one in found.checked if handle.explain(one.claim).object == value)


def test_episodes_that_were_only_kept_become_facts_in_the_name_of_who_said_them() -> None:
    stage = told(Nothing())
    assert stage.holds("Ben", "drinks") == (), "the control"
    found = run(stage)
    assert stage.holds("Ben", "drinks") == ("coffee",) and stage.holds("Ana", "lives_in") == ("Oslo",)
    assert [one.outcome for one in found.verdicts] == ["accepted"] * 3
    shown = stage.memory.scope("acme").explain(found.verdicts[0].claim_id or "")
    (said,) = shown.evidence
    assert (said.principal, said.channel, said.session) == ("ana", "human_stated", "chat")
    assert said.quote is not None and said.quote in TURNS[0] and (said.extractor or "").startswith("text/")


def test_every_fact_is_checked_with_reason_and_evidence() -> None:
    stage = told()
    stage.says("ana", "desk", "colour", "green", valid_to="2026-03-10")
    stage.says("ana", "Mira", "lives_in", "Lyon")
    stage.says("tom", "Mira", "lives_in", "Graz", valid_from="2026-03-01")
    stage.later(20)
    found = run(stage)
    assert found.verdicts == (), "the rules had read it all when it was said"
    tea, coffee, green = (state(found, stage, value) for value in ("tea", "coffee", "green"))
    assert tea.state == "superseded" and tea.by == (coffee.claim,) and tea.evidence == coffee.evidence
    assert coffee.state == "still true" and coffee.evidence and "nothing that stands says otherwise" in coffee.reason
    assert green.state == "ended" and "2026-03-11" in green.reason
    assert state(found, stage, "Lyon").state == state(found, stage, "Graz").state == "in dispute"
    claims = [e for e in stage.memory.tenant("acme").ledger.read_since(0) for r in e.records if r.record == "claim"]
    assert len(found.checked) == len(claims), "every existing fact"


def test_a_model_may_find_more_and_it_goes_through_the_gate_like_any_write() -> None:
    stage = told()
    late = "The late trains again"
    found = run(stage, extractor=model(
        ("trains", "state", "late", late, "stated"), ("Ana", "dislikes", "trains", late, "inferred"),
        ("Mallory", "owns", "the bank", "Mallory owns the bank", "stated")))  # fmt: skip
    assert [(one.channel, one.outcome) for one in found.verdicts][:1] == [("human_stated", "accepted")]
    assert {one.channel for one in found.verdicts} <= {"human_stated", "agent_inferred"}
    assert stage.holds("Mallory", "owns") == () and stage.holds("Ana", "dislikes") == ()
    assert all(one.checks for one in found.verdicts), "each has the outcome of every check"


def test_a_secret_that_a_model_finds_is_refused_as_anywhere() -> None:
    stage = Stage()
    stage.by("ana", session="s").remember("The door has a code.", extractor=Nothing())
    found = run(stage, extractor=model(("door", "password", "hunter2-Zq9!x", "The door has a code", "stated")))
    assert [one.outcome for one in found.verdicts] == ["rejected"]


def test_episodes_leave_recall_for_a_summary_that_rests_on_them() -> None:
    stage = told()
    handle = stage.memory.scope("acme")
    found = run(stage)
    (summary,) = found.summaries
    assert set(summary.sources) == set(found.archived) and len(found.archived) == len(TURNS)
    assert all(handle.explain(one).state == "archived" for one in found.archived)
    assert all(handle.explain(one).content for one in found.archived), "their words are kept"
    made = stage.memory.tenant("acme").graph.artefact(summary.id or "")
    assert made is not None and made.artefact.label == "agent_inferred"
    assert {line.partition(": ")[2] or line for line in summary.content.splitlines()}, "and it says something"
    shown = {one.id for one in stage.by("ana").recall("what does Ben drink?", k=20).items}
    assert shown.isdisjoint(found.archived)


def test_it_is_taken_back_whole() -> None:
    stage = told(Nothing())
    handle = stage.memory.scope("acme")
    found = run(stage)
    assert found.job is not None and stage.holds("Ben", "drinks") == ("coffee",)
    back = stage.by("olga", "human_verified").undo_consolidation(found.job, reason="too early")
    assert set(back.episodes) == set(found.archived) and len(back.evidence) == 3
    assert stage.holds("Ben", "drinks") == () and stage.holds("Ana", "lives_in") == ()
    assert all(handle.explain(one).state == "active" for one in found.archived)
    assert handle.explain(found.summaries[0].id or "").state == "archived"
    with pytest.raises(Conflict):
        stage.by("olga", "human_verified").undo_consolidation(found.job, reason="again")
    with pytest.raises(NotFound):
        stage.by("olga", "human_verified").undo_consolidation("nte_nothing", reason="none")


def test_the_ledger_tells_the_job() -> None:
    stage = told(Nothing())
    found = run(stage)
    ops = [
        (entry.op, one.record) for entry in stage.memory.tenant("acme").ledger.read_since(0) for one in entry.records
    ]
    assert (
        ("consolidate", "note") in ops
        and ops.count(("consolidate", "verdict")) == 3
        and ("condense", "artefact") in ops
    )
    (note,) = (r for e in stage.memory.tenant("acme").ledger.read_since(0) for r in e.records if r.record == "note")
    assert note.id == found.job and note.actor == "olga" and found.checked[0].claim in (note.body or "")
    assert "superseded" in (note.body or ""), "with what was found of each fact"


def test_running_it_again_proposes_and_compresses_nothing() -> None:
    stage = told(Nothing())
    run(stage)
    again = run(stage)
    assert (again.episodes, again.verdicts, again.summaries, again.archived) == (0, (), (), ())
    assert len(again.checked) == 3, "and every fact is checked again"


def test_a_dry_run_writes_nothing_and_says_what_would_leave() -> None:
    stage = told(Nothing())
    head = stage.memory.tenant("acme").ledger.head
    found = stage.by("olga", "human_verified").consolidate()
    assert stage.memory.tenant("acme").ledger.head == head
    assert found.job is None and found.episodes == len(TURNS) and len(found.archived) == len(TURNS)


def test_a_window_takes_what_was_said_in_it() -> None:
    stage = told(Nothing())
    found = run(stage, since="2026-03-03", until="2026-03-03", compress=False)
    assert found.episodes == 1 and stage.holds("Ben", "drinks") == ("tea",) and found.archived == ()
    with pytest.raises(RequestError):
        run(stage, since="2026-03-05", until="2026-03-03")


def test_an_agent_may_not() -> None:
    stage = told(Nothing())
    with pytest.raises(NotPermitted):
        stage.by("bot", "agent_inferred").consolidate(dry_run=False)
    assert stage.by("bot", "agent_inferred").consolidate().episodes == len(TURNS)


def test_what_was_erased_is_not_read_again_out_of_what_is_left() -> None:
    stage = told()
    other = "The weather is fine and Ben drinks tea."
    stage.by("tom", session="other").remember(other, extractor=Nothing())
    stage.later()
    stage.by("olga", "human_verified").forget(subject="Ben", reason="request")
    told_again = model(
        ("Ben", "drinks", "tea", "Ben drinks tea", "stated"), ("weather", "is", "fine", "The weather is fine", "stated")
    )
    found = run(stage, extractor=told_again)
    assert stage.holds("Ben", "drinks") == ()
    assert {one.outcome for one in found.verdicts if one.claim_id is None} == {"rejected"}
    assert all("Ben" not in one.content for one in found.summaries)
    control = told()
    control.by("tom", session="other").remember("Cleo told me that Cleo drinks tea.", extractor=Nothing())
    run(control, extractor=model(("Cleo", "drinks", "tea", "Cleo drinks tea", "stated")))
    ledger = control.memory.tenant("acme").ledger
    assert any(entry.op == "consolidate" for entry in ledger.read_since(0)), "the control: what was not erased is read"


def test_what_a_user_said_is_consolidated_by_that_user_only() -> None:
    stage = Stage(PREDICATES)
    stage.by("ana", user="ana", session="s").remember("Ben drinks tea.", extractor=Nothing())
    assert run(stage).episodes == 0
    mine = stage.by("ana", user="ana").consolidate(dry_run=False)
    assert mine.episodes == 1 and stage.holds("Ben", "drinks", user="ana") == ("tea",)
    assert stage.holds("Ben", "drinks") == ()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(TURNS), min_size=1, max_size=6), st.booleans())
def test_reading_later_believes_what_reading_at_once_believes(turns: list[str], compress: bool) -> None:
    at_once, later = Stage(PREDICATES), Stage(PREDICATES)
    for number, text in enumerate(turns):
        for stage, reads in ((at_once, None), (later, Nothing())):
            stage.by("ana", session="chat").remember(text, turn=f"t{number}", media="turn", extractor=reads)
            stage.later()
    found = run(later, compress=compress)
    for subject, predicate in (("Ben", "drinks"), ("Ana", "lives_in")):
        assert later.holds(subject, predicate) == at_once.holds(subject, predicate)
    if found.archived and found.job is not None:
        later.by("olga", "human_verified").undo_consolidation(found.job, reason="back")
        assert later.holds("Ben", "drinks") == ()


# -- scheduled reading


def test_turns_are_kept_at_once_and_read_together_every_n_and_at_the_end() -> None:
    stage, asked = Stage(PREDICATES), []

    def answer(request: Request) -> dict[str, Any]:
        turns = json.loads(request.text)["turns"]
        asked.append(len(turns))
        return {
            "facts": [
                {"subject": "Ben", "predicate": "drinks", "object": "tea", "quote": "Ben drinks tea", "basis": "stated",
                 "negated": False, "source_turn": one["id"], "expiry": None}
                for one in turns if "Ben drinks tea" in one["text"]
            ]
        }  # fmt: skip

    reads = ModelExtractor(answer, model="fixed", rules=RULES)
    with stage.by("ana", session="chat").schedule(every=3, extractor=reads) as turns:
        for number, text in enumerate(("Hello there!", "Ben drinks tea.", "Bye for now!", "One more thing!")):
            assert turns.add(text, turn=f"t{number}").outcome == "accepted"
            assert stage.holds("Ben", "drinks") == (("tea",) if number >= 2 else ())
        assert asked == [3]
    assert asked == [3, 1] and [one.outcome for one in turns.verdicts] == ["accepted"]
    (said,) = stage.memory.scope("acme").explain(turns.verdicts[0].claim_id or "").evidence
    assert (said.locator, said.principal, said.session) == ("t1", "ana", "chat")
    assert run(stage, compress=False).verdicts == (), "nothing is left to read"


def test_a_schedule_whose_model_fails_has_kept_the_turns_and_reads_them_later() -> None:
    stage, answers = Stage(PREDICATES), iter(("none", "none"))
    reads = ModelExtractor(lambda _: next(answers, {"facts": []}), model="flaky", rules=RULES)
    turns = stage.by("ana", session="chat").schedule(every=1, extractor=reads)
    with pytest.raises(ModelAnswer):
        turns.add("Ben drinks tea.")
    assert turns.read() == [] and stage.holds("Ben", "drinks") == ()
    run(stage)
    assert stage.holds("Ben", "drinks") == ("tea",), "a consolidation with the rules finds what was kept"
    with pytest.raises(RequestError):
        stage.by("ana").schedule(every=-1)


def test_a_schedule_by_the_rules_reads_at_the_end() -> None:
    stage = Stage(PREDICATES)
    with stage.by("ana", session="chat").schedule(every=0) as turns:
        turns.add("Ben drinks tea.")
        turns.add("Ana lives in Oslo.")
        assert stage.holds("Ben", "drinks") == ()
    assert stage.holds("Ben", "drinks") == ("tea",) and stage.holds("Ana", "lives_in") == ("Oslo",)
