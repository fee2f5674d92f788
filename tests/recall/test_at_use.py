"""Claims of high consequence are checked against their source when recall is about to show them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.errors import RequestError
from tkg.ids import SeededIds
from tkg.memory.at_use import CallableVerifier, Observed, SourceVerifier, Verifier, YamlVerifier
from tkg.memory.fetching import Limits
from tkg.memory.handle import Handle
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry

REGISTRY = Registry.of({"queue": {"cardinality": "one", "consequence": "high"}, "overflow": {"consequence": "high"}})
HIGH = Policies(write=WritePolicy(registry=REGISTRY))
ASKED = "which queue takes exception reports"


@contextmanager
def opened(*verifiers: Verifier, count: list[int] | None = None) -> Iterator[Handle]:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(seconds=1))
    with tkg.open(
        None, clock=clock, ids=SeededIds(2), engine="memory", policies=HIGH, verifiers=verifiers,
        count_tokens=None if count is None else lambda text: count.append(1) or len(text),  # type: ignore[func-returns-value]
    ) as memory:  # fmt: skip
        yield memory.scope("acme", channel="human_stated", principal="ana")


def told(
    handle: Handle, uri: str, *, locator: str | None = None, quote: str | None = None, predicate: str = "queue"
) -> str:
    evidence = tkg.Evidence(uri=uri, locator=locator, quote=quote)
    verdict = handle.propose(subject="exception reports", predicate=predicate, object="north", evidence=evidence)
    assert verdict.claim_id is not None
    return verdict.claim_id


def test_a_source_that_says_the_same_is_noted_and_extends_the_time(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("Exception reports go to north.\n", encoding="utf-8")
    with opened(SourceVerifier(Limits(roots=(tmp_path,)))) as handle:
        claim = told(handle, "guide.md", quote="reports go to north")
        result = handle.recall(ASKED)
        assert [(item.id, item.note) for item in result.items] == [(claim, "verified against its source now")]
        assert "verified against its source now" in result.text


def test_a_source_that_lost_the_words_takes_the_claim_out_and_gives_it_back(tmp_path: Path) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("Nothing of it any more.\n", encoding="utf-8")
    with opened(SourceVerifier(Limits(roots=(tmp_path,)))) as handle:
        told(handle, "guide.md", quote="reports go to north")
        result = handle.recall(ASKED)
        assert result.items == () and result.trace.abstained is not None
        assert handle.value("exception reports", "queue").kind != "value"


def test_a_fresh_observation_wins_and_the_mismatch_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "mail.yaml").write_text("mail:\n  - queue: south\n", encoding="utf-8")
    with opened(YamlVerifier(Limits(roots=(tmp_path,)))) as handle:
        old = told(handle, "mail.yaml", locator="/mail/0/queue", predicate="overflow")
        result = handle.recall("overflow of exception reports")
        assert [item.object for item in result.items] == ["south"]
        assert result.items[0].note == f"observed now instead of what was stored ({old})"
        assert handle.value("exception reports", "overflow").values == ("south",)
        assert any('"verify-at-use"' in line and old in line for line in handle.export())


def test_the_same_value_in_another_form_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "mail.json").write_text('{"mail": {"queue": "North"}}', encoding="utf-8")
    with opened(YamlVerifier(Limits(roots=(tmp_path,)))) as handle:
        claim = told(handle, "mail.json", locator="/mail/queue")
        assert [(one.id, one.note) for one in handle.recall(ASKED).items] == [
            (claim, "verified against its source now")
        ]


def test_a_path_that_is_gone_or_no_file_that_is_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "mail.yaml").write_text("mail: {queue: [a, b]}\n", encoding="utf-8")
    with opened(YamlVerifier(Limits(roots=(tmp_path,)))) as handle:
        told(handle, "mail.yaml", locator="/mail/queue")
        assert handle.recall(ASKED).items == ()
    with opened(YamlVerifier(Limits(roots=(tmp_path,)))) as handle:
        told(handle, "../outside.yaml", locator="/mail/queue")
        (item,) = handle.recall(ASKED).items
        assert item.note is not None and "cannot be reached" in item.note


def test_an_unreachable_source_is_said_and_changes_nothing() -> None:
    def down(subject: str) -> str | None:
        raise TimeoutError

    with opened(CallableVerifier("queue", down)) as handle:
        claim = told(handle, "ticket-7")
        (item,) = handle.recall(ASKED).items
        assert item.id == claim
        assert item.note == "not verified now: the source cannot be reached (TimeoutError)"
        assert handle.value("exception reports", "queue").value == "north"


def test_another_value_of_high_consequence_waits_and_the_old_one_is_not_served() -> None:
    with opened(CallableVerifier("queue", lambda subject: "east")) as handle:
        old = told(handle, "ticket-7")
        result = handle.recall(ASKED)
        assert result.items == ()
        (note,) = result.trace.notes
        assert (note.id, note.code) == (old, "verify") and "'east'" in note.text
        assert result.trace.abstained is not None and result.trace.abstained.code == "not_supported"
        assert [one.object for one in handle.review()] == ["east"]
        assert any('"verify-at-use"' in line and old in line for line in handle.export())


def test_what_weighs_little_and_what_is_of_the_past_is_not_asked_for() -> None:
    asked: list[str] = []

    class Counting:
        def observe(self, claim: object, evidence: object) -> Observed | None:
            asked.append("asked")
            return None

    with opened(Counting()) as handle:
        handle.propose(subject="exception reports", predicate="colour", object="red")
        handle.recall("colour of exception reports")
        told(handle, "ticket-7")
        handle.recall(ASKED, as_of=1)
        assert asked == []
        handle.recall(ASKED)
        assert asked == ["asked"]


def test_nothing_can_be_asked_for_in_no_places() -> None:
    with opened() as handle:
        told(handle, "guide.md")
        for wrong in (0, -1, True):
            for name in ("k", "token_budget"):
                with pytest.raises(RequestError, match=name):
                    handle.recall(ASKED, **{name: wrong})
        assert handle.recall(ASKED, k=1).items  # the control


def test_a_tokenizer_counts_the_budget_and_the_block_is_a_users_message() -> None:
    counted: list[int] = []
    with opened(count=counted) as handle:
        told(handle, "ticket-7")
        result = handle.recall(ASKED, token_budget=2_000)
        assert counted and len(result.text) <= result.trace.tokens <= 2_000
        assert result.message == {"role": "user", "content": result.text}
        assert handle.recall(ASKED, token_budget=200).items == ()
