"""Both ledgers, given equal clocks, ids and operations, are equal to the byte, whatever happens to them."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.ledger.histories import appends
from tkg.clock import ManualClock
from tkg.errors import RequestError
from tkg.ids import SeededIds
from tkg.ledger.memory import MemoryLedger
from tkg.ledger.sqlite import open_ledger, verify_ledger
from tkg.model.entry import Draft
from tkg.testing.ledger import START


class TwoLedgers(RuleBasedStateMachine):
    """The file and the reference go through the same history."""

    @initialize(seed=st.integers(0, 9))
    def begin(self, seed: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "acme", "ledger.sqlite")
        # each ledger has its own clock and ids, equal to the other's; record ids come from a third
        step = timedelta(microseconds=1)
        self.clocks = ManualClock(START, step), ManualClock(START, step)
        self.salts = SeededIds(seed), SeededIds(seed)
        self.ids = SeededIds(99)
        self.plain = MemoryLedger("acme", self.clocks[0], self.salts[0])
        self.filed = open_ledger(self.path, "acme", self.clocks[1], self.salts[1], create=True)
        self.known: list[str] = []
        self.last: list[Draft] = []

    @rule(make=appends)
    def append(self, make) -> None:  # type: ignore[no-untyped-def]
        drafts = make(self.ids)
        assert self.plain.append(drafts) == self.filed.append(drafts)
        self.known += [record.id for draft in drafts for record in draft.records]
        self.last = drafts or self.last

    @rule(make=appends)
    def append_what_is_there(self, make) -> None:  # type: ignore[no-untyped-def]
        if any(draft.records for draft in self.last):
            drafts = make(self.ids) + self.last
            for ledger in (self.plain, self.filed):
                try:
                    ledger.append(drafts)
                except RequestError:
                    continue
                raise AssertionError("an id was taken twice")

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if self.known:
            ids = data.draw(st.lists(st.sampled_from([*self.known, "clm_unknown"]), max_size=4))
            assert self.plain.remove_content(ids) == self.filed.remove_content(ids)

    @rule(seconds=st.integers(-100, 100))
    def move_the_clock(self, seconds: int) -> None:
        for clock in self.clocks:
            clock.advance(timedelta(seconds=seconds))

    @rule()
    def reopen(self) -> None:
        self.filed.close()
        assert verify_ledger(self.path, "acme") == []
        self.filed = open_ledger(self.path, "acme", self.clocks[1], self.salts[1])

    @rule(seq=st.integers(0, 20))
    def read(self, seq: int) -> None:
        assert list(self.plain.read_since(seq)) == list(self.filed.read_since(seq))

    @rule(data=st.data())
    def look_at_a_time(self, data: st.DataObject) -> None:
        times = [entry.tx_time for entry in self.plain.read_since(0)] or [0]
        instant = data.draw(st.sampled_from(times)) + data.draw(st.integers(-2, 2))
        assert self.plain.seq_at(instant) == self.filed.seq_at(instant)

    @invariant()
    def the_same(self) -> None:
        if not hasattr(self, "filed"):
            return
        assert self.plain.key == self.filed.key and self.plain.head == self.filed.head
        assert list(self.plain.rows()) == list(self.filed.rows())

    def teardown(self) -> None:
        if not hasattr(self, "filed"):
            return
        try:
            assert list(self.plain.read_since(0)) == list(self.filed.read_since(0))
            assert self.plain.verify() == self.filed.verify() == []
        finally:
            self.filed.close()
            self.folder.cleanup()


TestTwoLedgers = TwoLedgers.TestCase
TestTwoLedgers.settings = settings(stateful_step_count=20)
