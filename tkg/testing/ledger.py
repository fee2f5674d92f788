"""What every ledger must do."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from contextlib import closing
from datetime import UTC, datetime, timedelta

from tkg.clock import Clock, ManualClock
from tkg.errors import InvalidScope, InvalidText, RequestError
from tkg.ids import Ids, SeededIds, chain_hash, commitment
from tkg.ledger.port import Head, Ledger
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Draft, Entry
from tkg.model.evidence import Source
from tkg.model.scope import Channel
from tkg.model.time import BEGINNING, FOREVER, Interval, to_instant
from tkg.model.verdict import CheckResult, Note, Outcome, StatusChange, Verdict
from tkg.testing.expect import raises

START = datetime(2026, 1, 1, tzinfo=UTC)
#: texts that stores get wrong
ODD_TEXTS = (
    "",
    " ",
    "'; DROP TABLE entries; --",
    'quote " and \\',
    "line\nbreak",
    "é ö 漢字 🙂",
    "a\x00b",
    "\u2028",
    "x" * 70_000,
)


def note(ids: Ids, body: str | None = "a body", about: str = "policy") -> Note:
    """Return a record that seals `body`."""
    return Note(id=ids.new("pol"), about=about, body=body)


def status(ids: Ids, target: str = "clm_x", value: str = "revoked") -> StatusChange:
    """Return a record that seals nothing."""
    return StatusChange(id=ids.new("sta"), target=target, axis="status", value=value)


def claim_draft(ids: Ids, subject: str = "exception report", value: str = "case queue") -> Draft:
    """Return an operation like a gated write: source, claim, justification, verdict."""
    claim = ids.new("clm")
    return Draft(
        op="propose",
        scope="acme/ana",
        records=(
            Source(id=ids.new("src"), uri="guide.md"),
            Claim(
                id=claim,
                scope="acme/ana",
                slot_id="slt_1",
                subject_id="ent_1",
                object_id="ent_2",
                interval=Interval(from_lo=0, from_hi=0, to_lo=FOREVER, to_hi=FOREVER, kind="until_changed"),
                subject=subject,
                predicate="destination",
                object=value,
                object_norm=value,
            ),
            Justification(
                id=ids.new("jst"),
                head=claim,
                requires=("evd_1",),
                channel=Channel.HUMAN_STATED,
                origins=("org_1",),
                observed_at=0,
                slot_id="slt_1",
            ),
            Verdict(
                id=ids.new("vrd"),
                scope="acme/ana",
                outcome=Outcome.ACCEPTED,
                code="ok",
                claim_id=claim,
                candidate="c",
                checks=(CheckResult(check="shape", outcome="pass"),),
            ),
        ),
    )


def one(record: Note | StatusChange) -> Draft:
    """Return an operation of one record."""
    return Draft(op="note", scope="acme", records=(record,))


class LedgerContract(ABC):
    """Subclass it in a test module as `Test…` and say how to make a ledger and how to open it again."""

    @abstractmethod
    def make(self, clock: Clock, ids: Ids, tenant: str = "acme") -> Ledger:
        """Return a new, empty ledger."""

    @abstractmethod
    def reopen(self, ledger: Ledger, clock: Clock, ids: Ids) -> Ledger:
        """Close a ledger and return it as a later run finds it."""

    def fresh(self) -> tuple[Ledger, ManualClock, Ids]:
        """Return a ledger with a clock that stands and ids from a seed."""
        clock, ids = ManualClock(START), SeededIds(1)
        return self.make(clock, ids), clock, ids

    def test_an_empty_ledger_has_no_head_and_a_key(self) -> None:
        ledger, _, _ = self.fresh()
        with closing(ledger):
            assert ledger.head == Head(0, "", BEGINNING)
            assert ledger.tenant == "acme"
            assert len(ledger.key) == 32
            assert list(ledger.read_since(0)) == [] and list(ledger.rows()) == []
            assert ledger.append([]) == ()
            assert ledger.seq_at(FOREVER) == 0
            assert ledger.verify() == []

    def test_a_tenant_id_that_is_none_is_refused(self) -> None:
        for tenant in ("../acme", "ACME", "a b", "acmé", "a\x00"):
            with raises(InvalidScope):
                self.make(ManualClock(START), SeededIds(1), tenant)

    def test_what_is_appended_is_read_back(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            first = ledger.append([claim_draft(ids), one(status(ids))])
            second = ledger.append([one(note(ids))])
            assert [entry.seq for entry in first + second] == [1, 2, 3]
            assert list(ledger.read_since(0)) == [*first, *second]
            assert list(ledger.read_since(1)) == [first[1], *second]
            assert list(ledger.read_since(3)) == [] and list(ledger.read_since(9)) == []
            assert list(ledger.read_since(-5)) == [*first, *second]
            assert ledger.head == Head(3, second[0].hash, second[0].tx_time)

    def test_entries_are_chained_over_their_bodies(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            ledger.append([claim_draft(ids), one(status(ids))])
            ledger.append([one(note(ids))])
            prev = ""
            for row, entry in zip(ledger.rows(), ledger.read_since(0), strict=True):
                assert row.hash == chain_hash(row.body) == entry.hash
                assert json.loads(row.body)["prev"] == prev == entry.prev
                assert json.loads(row.body)["seq"] == row.seq == entry.seq
                prev = row.hash
            assert [row.seq for row in ledger.rows(1)] == [2, 3]

    def test_transaction_time_never_goes_back(self) -> None:
        ledger, clock, ids = self.fresh()
        with closing(ledger):
            base = to_instant(START)
            ledger.append([one(note(ids)), one(note(ids))])
            clock.set(START - timedelta(days=400))
            ledger.append([one(note(ids))])
            clock.set(START + timedelta(seconds=1))
            ledger.append([one(note(ids))])
            assert [entry.tx_time - base for entry in ledger.read_since(0)] == [0, 1, 2, 1_000_000]

    def test_the_sequence_at_a_time(self) -> None:
        ledger, clock, ids = self.fresh()
        with closing(ledger):
            for day in range(5):
                clock.set(START + timedelta(days=day))
                ledger.append([one(note(ids)), one(note(ids))])
            base, day_long = to_instant(START), 86_400_000_000
            assert ledger.seq_at(base - 1) == 0
            assert [ledger.seq_at(base + offset) for offset in (0, 1, day_long - 1, day_long, 4 * day_long + 1)] == [
                *(1, 2, 2, 3, 10)
            ]
            assert ledger.seq_at(FOREVER) == 10

    def test_a_record_id_is_taken_once_and_nothing_is_written_otherwise(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            taken, new = note(ids), note(ids)
            ledger.append([one(taken)])
            before = list(ledger.rows())
            for drafts in ([one(new), one(taken)], [one(new), one(new)], [one(new), one(taken), one(status(ids))]):
                with raises(RequestError, saying="already in the ledger"):
                    ledger.append(drafts)
                assert list(ledger.rows()) == before
            bare = status(ids)
            ledger.append([one(new), one(bare)])
            with raises(RequestError, saying=bare.id):
                ledger.append([one(bare)])

    def test_the_id_of_an_erased_record_stays_taken(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            erased = note(ids)
            ledger.append([one(erased)])
            ledger.remove_content([erased.id])
            with raises(RequestError, saying=erased.id):
                ledger.append([one(erased)])

    def test_sealed_content_is_not_in_the_chain_and_is_found_by_its_commitment(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            ledger.append([one(note(ids, "violet elephant"))])
            (row,) = ledger.rows()
            assert "violet" not in row.body
            bound = json.loads(row.body)["records"][0]["commitment"]
            assert json.loads(ledger.content(bound) or "") == {"actor": None, "body": "violet elephant"}
            assert ledger.content(commitment(b"", "nothing")) is None

    def test_equal_content_has_different_commitments(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            ledger.append([one(note(ids, "same")), one(note(ids, "same"))])
            bound = [json.loads(row.body)["records"][0]["commitment"] for row in ledger.rows()]
            assert len(set(bound)) == 2

    def test_removed_content_reads_as_none_and_the_chain_still_holds(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            draft, other, bare = claim_draft(ids), note(ids, "stays"), status(ids)
            ledger.append([draft, one(other), one(bare)])
            rows = list(ledger.rows())
            claim = draft.records[1]
            assert ledger.remove_content([claim.id, bare.id, "clm_unknown"]) == 1
            assert ledger.remove_content([claim.id]) == 0
            entries = list(ledger.read_since(0))
            blank = dict.fromkeys(claim.sealed)
            assert entries[0].records == (draft.records[0], claim.model_copy(update=blank), *draft.records[2:])
            assert [entry.records for entry in entries[1:]] == [(other,), (bare,)]
            assert list(ledger.rows()) == rows and ledger.verify() == []
            bound = json.loads(rows[0].body)["records"][1]["commitment"]
            assert ledger.content(bound) is None

    def test_archived_content_is_read_as_before_and_can_be_removed(self) -> None:
        ledger, clock, ids = self.fresh()
        stays, moves, goes = note(ids, "stays"), note(ids, "moves"), note(ids, "goes")
        ledger.append([one(stays), claim_draft(ids), one(moves), one(goes)])
        entries, rows, sealed = list(ledger.read_since(0)), list(ledger.rows()), list(ledger.sealed())
        assert ledger.archive([moves.id, goes.id, "opn_unknown"]) == 2
        assert ledger.archive([moves.id]) == 0 and ledger.archived([stays.id, moves.id, goes.id]) == 2
        bound = json.loads(rows[2].body)["records"][0]["commitment"]
        for _ in range(2):
            assert list(ledger.read_since(0)) == entries and list(ledger.rows()) == rows
            assert list(ledger.sealed()) == sealed and ledger.verify() == []
            assert json.loads(ledger.content(bound) or "")["body"] == "moves"
            ledger = self.reopen(ledger, clock, ids)
        with closing(ledger):
            assert ledger.remove_content([goes.id]) == 1
            assert [one for one, _ in ledger.sealed()] == [one for one, _ in sealed if one != goes.id]
            assert list(ledger.read_since(0))[:3] == entries[:3] and ledger.verify() == []
            (after,) = ledger.append([one(note(ids))])
            assert after.seq == 5
            with raises(RequestError, saying=moves.id):
                ledger.append([one(moves)])

    def test_removing_all_content_leaves_a_ledger_that_goes_on(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            ledger.append([claim_draft(ids)])
            ledger.remove_content(record.id for entry in ledger.read_since(0) for record in entry.records)
            ledger.append([claim_draft(ids)])
            assert ledger.verify() == [] and ledger.head.seq == 2

    def test_texts_come_back_as_they_went_in(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            written = ledger.append([one(note(ids, text, about=text)) for text in ODD_TEXTS])
            assert list(ledger.read_since(0)) == list(written)
            assert [entry.records[0].body for entry in written if isinstance(entry.records[0], Note)] == [*ODD_TEXTS]

    def test_a_lone_surrogate_is_refused_and_nothing_is_written(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            for bad in (note(ids, "\ud800"), note(ids, "fine", about="\udfff")):
                with raises(InvalidText):
                    ledger.append([one(note(ids)), one(bad)])
            assert ledger.head.seq == 0

    def test_an_operation_without_records_is_an_entry(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            ledger.append([Draft(op="nothing", scope="acme", records=()), one(note(ids))])
            assert [len(entry.records) for entry in ledger.read_since(0)] == [0, 1]
            assert ledger.verify() == []

    def test_what_is_appended_while_reading_is_read_too(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            ledger.append([one(note(ids)) for _ in range(3)])
            seen: list[Entry] = []
            for entry in ledger.read_since(0):
                seen.append(entry)
                if entry.seq < 5:
                    ledger.append([one(note(ids))])
            assert [entry.seq for entry in seen] == list(range(1, 8))

    def test_a_ledger_of_many_portions_reads_whole(self) -> None:
        ledger, _, ids = self.fresh()
        with closing(ledger):
            for _ in range(7):
                ledger.append([one(note(ids)) for _ in range(100)])
            assert [entry.seq for entry in ledger.read_since(255)] == list(range(256, 701))

    def test_a_later_run_finds_everything(self) -> None:
        ledger, clock, ids = self.fresh()
        written = ledger.append([claim_draft(ids), one(note(ids))])
        ledger.remove_content([written[0].records[0].id])
        key, head, rows, entries = ledger.key, ledger.head, list(ledger.rows()), list(ledger.read_since(0))
        ledger = self.reopen(ledger, clock, ids)
        with closing(ledger):
            assert (ledger.key, ledger.head, ledger.tenant) == (key, head, "acme")
            assert list(ledger.rows()) == rows and list(ledger.read_since(0)) == entries
            clock.set(START - timedelta(days=1))
            (after,) = ledger.append([one(note(ids))])
            assert after.prev == head.hash and after.tx_time == head.tx_time + 1

    def test_closing_twice_is_closing(self) -> None:
        ledger, _, _ = self.fresh()
        ledger.close()
        ledger.close()
