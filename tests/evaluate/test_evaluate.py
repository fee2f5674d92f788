"""The evaluation finds what it looks for: right on a sound memory, and red on one that leaks, keeps or makes things up."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from tests.memory.build import Stage
from tkg.errors import NotFound, NotPermitted, RequestError
from tkg.evaluate import Seeded, evaluate, from_block, seeded
from tkg.evaluate.cases import _asked
from tkg.memory.handle import Handle


def test_a_sound_memory_helps_and_does_no_harm() -> None:
    found = evaluate(seed=3, count=30)
    assert found.recalled.rate == found.with_memory.rate == 1.0 and found.without_memory.hits == 0
    assert found.harm == 0 and found.leaked.n == 60 and found.leaked.bound == 3 / 60
    assert found.kept.rate == 1.0 and found.deleted.n == 15
    assert (
        found.stale_unchecked.hits == found.stale_unchecked.n > 0
    )  # the control: without the tool the stale value is shown
    assert found.corrected.rate == 1.0
    assert 0 < found.tokens_per_request <= found.most_tokens <= 1200


def test_the_same_seed_gives_the_same_and_another_store_each_time() -> None:
    assert evaluate(seed=4, count=6) == evaluate(seed=4, count=6)
    with seeded(5, 4) as one:
        one.by("human_verified", "keeper").forget(claim=one.facts[0].id, reason="case")
    with seeded(5, 4) as again:
        assert again.facts == one.facts and again.memory is not one.memory
        assert again.by().recall(again.facts[0].question).items  # what the case before did is gone


def test_a_leak_is_found() -> None:
    def by(
        store: Seeded, channel: str = "agent_inferred", principal: str = "agent", session: str | None = None
    ) -> Handle:
        return store.memory.scope("trial", "ben", channel=channel, principal=principal, session=session)

    with patch.object(Seeded, "by", by), seeded(3, 6) as store:
        assert any(one in store.by().recall(store.facts[0].question).text for one in store.foreign)
        found: dict[str, Any] = {}
        _asked(store, from_block, found)
    assert found["leaked"].hits >= 6 and found["recalled"].hits == 0


def test_a_deletion_that_does_nothing_is_found() -> None:
    with patch.object(Handle, "forget", lambda *_, **__: None):
        found = evaluate(seed=3, count=6)
    assert found.deleted.hits == found.deleted.n == 3


def test_an_answerer_that_makes_things_up_is_found() -> None:
    found = evaluate(seed=3, count=6, answerer=lambda question, block: "value1" if block else "")
    assert found.false_memory.hits == found.false_memory.n > 0 and found.with_memory.hits == 0
    knows: dict[str, str] = {}
    with seeded(3, 6) as store:
        knows.update((fact.question, fact.value) for fact in store.facts)
    found = evaluate(seed=3, count=6, answerer=lambda question, block: knows.get(question, ""))
    assert found.without_memory.rate == 1.0  # one that knows already needs no memory


@pytest.mark.parametrize("count", [0, 1, -3, True, 2.5, "9"])
def test_a_count_that_is_none_is_refused(count: Any) -> None:
    with pytest.raises(RequestError, match="count"):
        evaluate(count=count)


def test_the_answerer_takes_only_what_the_question_asks() -> None:
    with seeded(6, 8) as store:
        fact, other = store.facts[:2]
        block = store.by().recall(f"{fact.question} {other.question}").text
        assert from_block(fact.question, block) == fact.value
        assert from_block("What is the colour of the moon?", block) == "" and from_block(fact.question, None) == ""


# -- labels


def test_labels_say_the_precision_of_reads() -> None:
    stage = Stage()
    for number in range(4):
        stage.says("ana", "reports", "destination", f"desk {number}")
    ana = stage.by("ana")
    assert ana.precision(5).precision is None
    first, second = ana.recall("reports destination"), ana.recall("where is the destination of reports?")
    ids = [item.id for item in first.items]
    assert len(ids) == 4
    for one, relevant in zip(ids, (True, False, True, True), strict=True):
        ana.label(first.id, one, relevant=relevant)
    ana.label(second.id, second.items[0].id, relevant=False)
    found = ana.precision(2)
    assert (found.reads, found.labels, found.relevant, found.judged, found.shown) == (2, 5, 3, 3, 4)
    assert found.precision == pytest.approx((1 / 2 + 0) / 2)
    ana.label(second.id, second.items[0].id, relevant=True)  # the last label counts
    assert ana.precision(2).precision == pytest.approx((1 / 2 + 1) / 2)
    assert ana.precision(4).precision == pytest.approx((3 / 4 + 1) / 2)


def test_who_may_label_what() -> None:
    stage = Stage()
    claim = stage.says("ana", "reports", "destination", "desk")
    read = stage.by("ana", user="ana").recall("reports")
    with pytest.raises(NotPermitted):
        stage.by("bot", "agent_inferred").label(read.id, claim, relevant=True)
    for handle, one, item in (
        (stage.by("ben", user="ben"), read.id, claim),
        (stage.by("ana", user="ana"), "ret_none", claim),
        (stage.by("ana", user="ana"), read.id, "clm_none"),
    ):
        with pytest.raises(NotFound):
            handle.label(one, item, relevant=True)
    with pytest.raises(RequestError):
        stage.by("ana", user="ana").label(read.id, claim, relevant="yes")  # type: ignore[arg-type]
    with pytest.raises(RequestError):
        stage.by("ana").precision(0)
    stage.by("ana", user="ana").label(read.id, claim, relevant=True)
    assert stage.by("ben", user="ben").precision(5).labels == 0
