"""A new version of a document: still there, moved, changed, gone; the same bytes change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.memory.build import Stage
from tkg.memory.loading import Loader, Tally, documents_of
from tkg.model.scope import Channel
from tkg.model.time import to_instant

OLD = "# Guide\n\nThe archive runs on Redis. The cutoff is 17:00.\n\nMira owns the ledger.\n\nThe gateway is hosted in Oslo.\n"
NEW = "# Guide\n\nHello.\n\nThe gateway is hosted in Oslo.\n\nThe cutoff is 18:00.\n\nThe archive runs on Redis.\n"
PREDICATES = {"value": {"cardinality": "one"}, "owns": {"cardinality": "one"}}


class Shelf:
    """A store and a folder of documents that are read into it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stage = folder, Stage(PREDICATES)

    def read(
        self, text: str | None, channel: Channel = Channel.HUMAN_STATED, who: str = "loader", name: str = "guide.md"
    ) -> tuple[Tally, list[str]]:
        """Write the file, read the folder a day later, and return the tally and the lines."""
        self.stage.later()
        if text is not None:
            (self.folder / name).write_text(text, "utf-8")
        tally, lines = Tally(), list[str]()
        now = to_instant(self.stage.clock.now())
        loader = Loader(self.stage.memory, "acme", None, channel, who)
        stated = now if text is not None else now - 86_400_000_000
        loader.load_all(
            documents_of(self.folder, now=now, stated=stated), tally, problem=lines.append, notice=lines.append
        )
        return tally, lines

    def head(self) -> Any:
        return self.stage.memory.tenant("acme").ledger.head

    def states(self) -> dict[str, str]:
        handle = self.stage.memory.scope("acme")
        found = {}
        for name, predicate in (
            ("archive", "runs_on"),
            ("Mira", "owns"),
            ("gateway", "hosted_on"),
            ("cutoff", "value"),
        ):
            answer = handle.value(name, predicate)
            found[name] = answer.value or answer.kind
        return found


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    found = Shelf(tmp_path)
    found.read(OLD)
    assert found.states() == {"archive": "Redis", "Mira": "ledger", "gateway": "Oslo", "cutoff": "17:00"}
    return found


def test_the_same_bytes_change_nothing(shelf: Shelf) -> None:
    before = shelf.head()
    tally, lines = shelf.read(None)
    assert (tally.skipped, tally.renewed, lines) == (1, {}, []) and shelf.head() == before


def test_every_claim_of_the_old_version_is_told(shelf: Shelf) -> None:
    tally, lines = shelf.read(NEW)
    assert sum(tally.renewed.values()) == 4
    assert tally.renewed["gone"] == 1 and tally.renewed["changed"] == 1
    assert tally.renewed["moved"] + tally.renewed["still there"] == 2
    assert shelf.states() == {"archive": "Redis", "Mira": "none", "gateway": "Oslo", "cutoff": "18:00"}
    assert len(lines) == 2 and any("gone" in one and "it is suspended: Mira owns ledger" in one for one in lines)
    assert any("changed" in one and "another took its place: cutoff value 17:00" in one for one in lines)


def test_what_another_value_replaced_keeps_its_past(shelf: Shelf) -> None:
    shelf.read(NEW)
    assert shelf.stage.holds("cutoff", "value", valid_at="2026-03-02T12:00:00Z") == ("17:00",)


def test_the_words_coming_back_bring_the_claim_back(shelf: Shelf) -> None:
    shelf.read(NEW)
    shelf.read(NEW + "\nMira owns the ledger.\n")
    assert shelf.states()["Mira"] == "ledger"


def test_reading_the_new_version_twice_looks_once(shelf: Shelf) -> None:
    shelf.read(NEW)
    before = shelf.head()
    tally, lines = shelf.read(None)
    assert (tally.renewed, lines) == ({}, []) and shelf.head() == before


def test_a_run_that_stopped_before_looking_looks_the_next_time(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Loader, "_renew", lambda *_: None)
        shelf.read(NEW)
    assert shelf.states()["Mira"] == "ledger", "the control: without the look the claim stands"
    shelf.read(None)
    assert shelf.states()["Mira"] == "none"


def test_nobody_suspends_what_a_higher_class_or_another_read(shelf: Shelf) -> None:
    tally, _ = shelf.read("# Guide\n\nNothing.\n", Channel.EXTERNAL, "web")
    assert tally.renewed == {} and shelf.states()["Mira"] == "ledger"
    tally, _ = shelf.read("# Guide\n\nNothing else.\n", Channel.HUMAN_STATED, "somebody")
    assert tally.renewed == {} and shelf.states()["Mira"] == "ledger"


def test_other_evidence_keeps_a_claim(shelf: Shelf) -> None:
    shelf.stage.says("ana", "Mira", "owns", "ledger")
    tally, lines = shelf.read(NEW)
    assert tally.renewed["gone"] == 1 and shelf.states()["Mira"] == "ledger"
    assert any("other evidence holds it" in one for one in lines)
