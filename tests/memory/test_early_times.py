"""Facts from before the year 1: written, asked about, corrected, exported and imported like any other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tkg
from tests.engines import CYPHER, ENGINES, engine_or_skip
from tkg.clock import ManualClock
from tkg.errors import InvalidTime
from tkg.ids import SeededIds
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.plot.looks import moment

ANA: dict[str, Any] = {"channel": "human_stated", "principal": "ana"}
DECLARED = {
    "consul": {"cardinality": "one"},
    "born": {"cardinality": "one", "datatype": "date"},
    "died": {"cardinality": "one", "datatype": "date", "order": ["after born"]},
}


def open_store(path: Path | None, engine: str = "memory") -> tkg.Memory:
    return tkg.open(
        path,
        clock=ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(milliseconds=1)),
        ids=SeededIds(1),
        engine=engine,
        policies=Policies(write=WritePolicy(registry=Registry.of(DECLARED))),
    )


def say(handle: Any, subject: str, predicate: str, value: str, *span: str, source: str = "annals") -> str:
    start, end = (*span, None)[:2] if span else ("..", None)
    verdict = handle.propose(
        subject=subject, predicate=predicate, object=value, valid_from=start, valid_to=end,
        evidence=tkg.Evidence(uri=source, quote=f"{subject} {predicate} {value}"),
    )  # fmt: skip
    return str(verdict.claim_id)


@pytest.mark.engine
@pytest.mark.parametrize("engine", ENGINES)
def test_a_slot_has_a_history_across_the_year_0(tmp_path: Path, engine: str) -> None:
    with open_store(tmp_path / "store", engine_or_skip(engine)) as memory:
        handle = memory.scope("acme", **ANA)
        say(handle, "Rome", "consul", "Caesar", "-0058", "-0043-03-14")
        say(handle, "Rome", "consul", "Antony", "-0043-03-15", "-0042")
        say(handle, "Rome", "consul", "Carbo", "0000", "0003")
        for at, value in (("-0050", "Caesar"), ("-0043-03-15T10:00:00Z", "Antony"), ("0000-06", "Carbo")):
            assert handle.value("Rome", "consul", valid_at=at).value == value
        assert handle.value("Rome", "consul", valid_at="-0041").kind == "none"
        known = handle.timeline("Rome", "consul")
        assert [(one.valid_from, one.answer.value) for one in known if one.answer.value] == [
            ("-0058-01-01T00:00:00Z", "Caesar"),
            ("-0043-03-15T00:00:00Z", "Antony"),
            ("0000-01-01T00:00:00Z", "Carbo"),
        ]
        # two consuls at one time, from two sources, are a contradiction there and nowhere else
        say(memory.scope("acme", channel="human_stated", principal="ben"), "Rome", "consul", "Dolabella", "-0043-06")
        assert handle.value("Rome", "consul", valid_at="-0043-07").kind == "conflict"
        assert [(one.valid_from, one.valid_to) for one in handle.contradictions()] == [
            ("-0043-06-01T00:00:00Z", "-0041-01-01T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0004-01-01T00:00:00Z"),
        ]
    with open_store(tmp_path / "store", engine_or_skip(engine)) as memory:
        assert memory.verify().ok
        assert memory.scope("acme", **ANA).value("Rome", "consul", valid_at="-0050").value == "Caesar"


@pytest.mark.engine
@pytest.mark.parametrize("engine", ["memory", CYPHER])
def test_dates_as_values_keep_their_order(engine: str) -> None:
    with open_store(None, engine_or_skip(engine)) as memory:
        memory.create_tenant("acme")
        handle = memory.scope("acme", **ANA)
        say(handle, "Augustus", "born", "-0062-09-23")
        say(handle, "Augustus", "died", "0014-08-19")
        assert [one for one in handle.audit_contradictions().items if one.pattern == "C7"] == []
        say(handle, "Cicero", "born", "-0042-12-07")
        say(handle, "Cicero", "died", "-0105")
        found = [one for one in handle.audit_contradictions().items if one.pattern == "C7"]
        assert [one.certainty for one in found] == ["definite"]


def test_what_was_observed_was_observed_by_a_clock() -> None:
    with open_store(None) as memory:
        memory.create_tenant("acme")
        handle, before = memory.scope("acme", **ANA), memory.tenant("acme").ledger.head.seq
        with pytest.raises(InvalidTime, match="before the year 1"):
            handle.propose(
                subject="Rome", predicate="consul", object="Caesar", observed_at="-0058",
                evidence=tkg.Evidence(uri="annals"),
            )  # fmt: skip
        with pytest.raises(InvalidTime, match="before the year 1"):
            handle.remember("Caesar is consul.", observed_at="-0058", evidence=tkg.Evidence(uri="annals"))
        assert memory.tenant("acme").ledger.head.seq == before


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(-9998, 9997), st.integers(0, 400)), min_size=1, max_size=4))
def test_what_is_exported_is_imported_with_the_same_answers(
    tmp_path_factory: Any, spans: list[tuple[int, int]]
) -> None:
    def year(number: int) -> str:
        return f"{'-' if number < 0 else ''}{abs(number):04}"

    folder = tmp_path_factory.mktemp("early")
    with open_store(folder / "one") as memory:
        handle = memory.scope("acme", **ANA)
        for number, (start, length) in enumerate(spans):
            say(handle, "Rome", "consul", f"consul {number}", year(start), year(min(start + length, 9998)))
        say(handle, "Rome", "name", "Roma")
        lines, answers = list(handle.export(portable=True)), handle.timeline("Rome", "consul")
        assert memory.verify().ok
    with open_store(folder / "two") as memory:
        memory.import_archive(lines)
        other = memory.scope("acme", **ANA)
        assert list(other.export(portable=True)) == lines
        assert other.timeline("Rome", "consul") == answers
        assert other.value("Rome", "name", valid_at="-9999").value == "Roma"
        for start, _ in spans:
            assert other.value("Rome", "consul", valid_at=year(start)).kind != "none"


def test_a_picture_begins_in_the_year_1() -> None:
    assert moment("-0043-03-15T00:00:00Z") == datetime(1, 1, 1, tzinfo=UTC)
    assert moment("0014-08-19T00:00:00Z") == datetime(14, 8, 19, tzinfo=UTC)
    assert moment(None) is None
