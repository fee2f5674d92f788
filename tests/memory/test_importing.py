"""Access and portability: what an export holds, and that import and export undo each other."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tkg
from tests.engines import ENGINES, engine_or_skip
from tkg.clock import ManualClock
from tkg.ids import SeededIds

pytestmark = pytest.mark.engine
START = datetime(2026, 3, 1, tzinfo=UTC)


def open_store(path: Path, engine: str = "memory", seed: int = 1) -> tkg.Memory:
    clock = ManualClock(START + timedelta(days=seed), timedelta(milliseconds=1))
    return tkg.open(path, clock=clock, ids=SeededIds(seed), engine=engine)


def filled(memory: tkg.Memory) -> dict[str, str]:
    ana: dict[str, Any] = {"channel": "human_stated", "principal": "ana", "session": "s"}
    said = tkg.Evidence(uri="mail/1", version="2", quote="Ada lives in Ystad – näh der Küste", owner="bo")
    handle = memory.scope("acme", **ana)
    made = {}
    for name, value, start in (("old", "Ystad", "2026-01"), ("new", "Lund", "2026-02")):
        verdict = handle.propose(
            subject="Ada Venn", predicate="home", object=value, valid_from=start, valid_to="..", evidence=said
        )
        made[name] = str(verdict.claim_id)
    own = memory.scope("acme", "ada", **ana)
    made["own"] = str(
        own.propose(subject="Ada Venn", predicate="locker", object="7", evidence=tkg.Evidence(uri="form")).claim_id
    )
    made["rolf"] = str(handle.propose(subject="Rolf", predicate="home", object="Kiel", evidence=said).claim_id)
    shown = handle.recall("where is the home of Ada Venn")
    made["summary"] = handle.derive("summary", "Ada lives in Lund.", used=shown).id
    handle.remember("Ada Venn is allergic to lupin.", evidence=tkg.Evidence(uri="note"))
    handle.quarantine(claim=made["old"], reason="asked")
    handle.forget(claim=made["own"], reason="gone")
    return made


def portable(memory: tkg.Memory, user: str | None = None, **fields: Any) -> list[str]:
    return list(memory.scope("acme", user).export(portable=True, **fields))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("part", ["tenant", "user", "subject"])
def test_export_import_export_is_the_same_bytes(tmp_path: Path, engine: str, part: str) -> None:
    engine = engine_or_skip(engine)
    user, fields = ("ada" if part == "user" else None), ({"subject": "Ada Venn"} if part == "subject" else {})
    with open_store(tmp_path / "one", engine) as first:
        made = filled(first)
        lines = portable(first, user, **fields)
        asked = first.scope("acme").value("Ada Venn", "home", as_of=2)
    with open_store(tmp_path / "two", engine, seed=9) as second:
        assert second.import_archive(lines)[0] == "acme"
        assert portable(second, user, **fields) == lines
        if part == "tenant":
            assert second.scope("acme").value("Ada Venn", "home", as_of=2) == asked
            assert second.scope("acme").explain(made["old"]).state == "quarantined"
            assert second.scope("acme").explain(made["own"]).state == "erased"
        assert second.verify().ok
        # what was erased before the export stays erased after the import
        tool = second.scope("acme", "ada", channel="trusted_tool", principal="loader")
        if part != "subject":
            again = tool.propose(subject="Ada Venn", predicate="locker", object="7", evidence=tkg.Evidence(uri="x"))
            assert again.code == "tombstone"


def test_an_archive_about_a_subject_holds_all_of_it_and_nothing_of_others(tmp_path: Path) -> None:
    with open_store(tmp_path / "one") as memory:
        made = filled(memory)
        lines = list(memory.scope("acme").export(subject="Ada Venn"))
        whole = list(memory.scope("acme").export())
    text = "\n".join(lines)
    for word in ("Ystad", "Lund", "lupin", made["summary"], "mail/1", "quarantine", '"record":"retrieval"', "näh"):
        assert word in text
    for word in ("Kiel", "Rolf"):
        assert word not in text and word in "\n".join(whole)
    parsed = [json.loads(line) for line in lines[1:]]
    assert all({"seq", "tx_time", "op", "under"} <= set(line) for line in parsed)
    claims = [line for line in parsed if line["record"] == "claim"]
    assert {line["interval"]["valid_from"] for line in claims if line["id"] == made["new"]} == {"2026-02-01T00:00:00Z"}
    assert "key" not in json.loads(lines[0])


def test_a_contradicted_claim_carries_its_note(tmp_path: Path) -> None:
    toml = '[predicates.home]\ncardinality = "one"\n'
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "tkg.toml").write_text(toml, encoding="utf-8")
    with open_store(tmp_path / "one") as memory:
        ids = []
        for who, value in (("ana", "Ystad"), ("bo", "Lund")):
            handle = memory.scope("acme", channel="human_stated", principal=who)
            verdict = handle.propose(
                subject="Ada", predicate="home", object=value, valid_from="2026-01", evidence=tkg.Evidence(uri=who)
            )
            ids.append(verdict.claim_id)
        lines = [json.loads(line) for line in memory.scope("acme").export(subject="Ada")]
    assert {line["id"] for line in lines if line.get("disputed")} == set(ids)


Edit = Callable[[list[str]], list[str]]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda lines: [], "no archive"),
        (lambda lines: ["[]", *lines[1:]], "line 1 "),
        (lambda lines: [lines[0].replace("tkg.export/1", "tkg.export/9"), *lines[1:]], "no archive"),
        (
            lambda lines: [json.dumps({k: v for k, v in json.loads(lines[0]).items() if k != "key"}), *lines[1:]],
            "no key",
        ),
        (lambda lines: [lines[0], "{", *lines[2:]], "line 2 "),
        (lambda lines: [lines[0], *reversed(lines[1:])], "out of order"),
        (lambda lines: [*lines, lines[1]], "out of order"),
        (lambda lines: [*lines[:3], lines[3].replace('"record":"', '"record":"un'), *lines[4:]], "line 4 "),
        (lambda lines: [*lines[:2], lines[2].replace('"under":"acme', '"under":"other'), *lines[3:]], "line 3 "),
    ],
    ids=["empty", "no object", "newer", "no key", "torn", "reversed", "repeated", "unknown record", "another tenant"],
)
def test_a_broken_archive_leaves_nothing(tmp_path: Path, edit: Edit, message: str) -> None:
    with open_store(tmp_path / "one") as first:
        filled(first)
        lines = portable(first)
    with open_store(tmp_path / "two") as second:
        with pytest.raises(tkg.TkgError, match=message) as caught:
            second.import_archive(edit(lines))
        assert caught.value.exit_code == 2
        assert second.tenants() == [] and not list((tmp_path / "two" / "tenants").iterdir())
        second.import_archive(lines)
        with pytest.raises(tkg.TkgError, match="exists already"):
            second.import_archive(lines)


TEXT = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(
            TEXT,
            TEXT,
            TEXT,
            st.sampled_from((None, "2026-02", "1999~", "2026-03-01T10:00:00Z")),
            st.booleans(),
            st.booleans(),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_any_history_survives_the_way_there_and_back(told: list[tuple[str, str, str, str | None, bool, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with open_store(Path(folder) / "one") as first:
            ids = []
            for subject, predicate, value, start, private, revoke in told:
                handle = first.scope(
                    "acme", "ada" if private else None, channel="human_stated", principal="ana", session="s"
                )
                verdict = handle.propose(
                    subject=subject,
                    predicate=predicate,
                    object=value,
                    valid_from=start,
                    evidence=tkg.Evidence(uri=value),
                )
                if verdict.claim_id is not None and revoke and handle.explain(verdict.claim_id).state == "active":
                    handle.revoke(handle.plan_revoke(claim=verdict.claim_id), reason=subject)
                ids.append(verdict.claim_id)
            first.scope("acme", "ada", principal="ada").recall(told[0][0])
            lines = portable(first)
        with open_store(Path(folder) / "two", seed=5) as second:
            second.import_archive(lines)
            assert portable(second) == lines
