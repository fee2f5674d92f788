"""Answers as they were known then are the same for good; what is still to come is not answered as if it were known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tkg
from tests.memory.stories import SLOTS, Story
from tkg.clock import ManualClock
from tkg.errors import InvalidTime, NotFound
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.memory.tenant import AsOf

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ASKED: tuple[Callable[[Handle, str, AsOf], object], ...] = (
    lambda handle, claim, as_of: handle.value("crane 5", "status", as_of=as_of),
    lambda handle, claim, as_of: handle.timeline("crane 5", "status", as_of=as_of),
    lambda handle, claim, as_of: handle.history("crane 5", "status", as_of=as_of),
    lambda handle, claim, as_of: handle.contradictions(as_of=as_of),
    lambda handle, claim, as_of: handle.audit_contradictions(as_of=as_of),
    lambda handle, claim, as_of: handle.predicates(as_of=as_of),
    lambda handle, claim, as_of: handle.disputes(as_of=as_of),
    lambda handle, claim, as_of: handle.why(claim, as_of=as_of),
    lambda handle, claim, as_of: handle.why_not(claim, as_of=as_of),
    lambda handle, claim, as_of: handle.single_points(claim, as_of=as_of),
    lambda handle, claim, as_of: handle.diff(as_of),
    lambda handle, claim, as_of: handle.diff(1, as_of),
    lambda handle, claim, as_of: handle.recall("status of crane 5", as_of=as_of),
)


@pytest.fixture
def memory() -> Any:
    with tkg.open(None, clock=ManualClock(NOW, timedelta(milliseconds=1)), ids=SeededIds(2), engine="memory") as opened:
        yield opened


@pytest.mark.parametrize("ask", ASKED, ids=map(str, range(len(ASKED))))
def test_what_is_still_to_come_is_refused_by_every_question(memory: Any, ask: Any) -> None:
    handle = memory.scope("acme", channel="human_stated", principal="ana")
    claim = handle.propose(
        subject="crane 5", predicate="status", object="open", evidence=tkg.Evidence(uri="log")
    ).claim_id
    newest = memory.tenant("acme").ledger.head.seq
    with pytest.raises(InvalidTime, match=f"no transaction {newest + 1}: the newest is {newest}"):
        ask(handle, claim, newest + 1)
    for future in ("2026-06-02", "2027", NOW + timedelta(hours=1)):
        with pytest.raises(InvalidTime, match="future"):
            ask(handle, claim, future)
    with pytest.raises(InvalidTime, match="no transaction -1"):
        ask(handle, claim, -1)
    # the controls: what is written, and the day, month and year that have begun
    for known in (newest, "2026-06-01", "2026-06", "2026", "2026-06-01T12:00:00Z"):
        ask(handle, claim, known)


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_an_answer_once_given_at_a_transaction_never_changes(rng: Any) -> None:
    story = Story(rng)
    given_: dict[tuple[str, str, int], object] = {}
    for _ in range(rng.randrange(6, 16)):
        story.step()
        try:
            newest = story.memory.tenant("acme").ledger.head.seq
        except NotFound:
            continue
        for subject, predicate in SLOTS:
            given_[subject, predicate, newest] = story.seen.value(
                subject, predicate, valid_at="2026-05-15", as_of=newest
            )
    for (subject, predicate, seq), answer in given_.items():
        assert story.seen.value(subject, predicate, valid_at="2026-05-15", as_of=seq) == answer
