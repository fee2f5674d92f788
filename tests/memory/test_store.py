"""Stores on disk: tenants, scopes, crashes between ledger and graph, projections thrown away."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.engines import CYPHER, ENGINES, engine_or_skip
from tkg.clock import ManualClock
from tkg.errors import CODES, DiskFull
from tkg.ids import SeededIds
from tkg.memory.projections import buffer_pool_for

pytestmark = pytest.mark.engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


def open_store(path: Path | None, engine: str = "memory", **options: Any) -> tkg.Memory:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    return tkg.open(path, clock=clock, ids=SeededIds(3), engine=engine, **options)


def filled(path: Path, engine: str, **options: Any) -> tkg.Memory:
    memory = open_store(path, engine, **options)
    ana = memory.scope(tenant="acme", user="ana", channel="human_stated", principal="ana", session="s")
    for number in range(8):
        ana.propose(
            subject=f"depot {number}",
            predicate="opens_at",
            object=f"0{number}:30",
            evidence=tkg.Evidence(uri=f"notice/{number}", quote="as posted"),
        )
    result = ana.recall("when does depot 3 open")
    ana.derive("summary", "Depot 3 opens at 03:30.", used=result)
    ana.revoke(ana.plan_revoke(source="notice/5"), reason="another depot")
    return memory


def exported(memory: tkg.Memory) -> list[str]:
    return list(memory.scope(tenant="acme").export())


# -- scope


def test_a_recall_without_a_scope_is_an_error() -> None:
    with open_store(None) as memory, pytest.raises(tkg.TkgError) as caught:
        memory.recall("anything")
    assert caught.value.code == "scope_required"


@pytest.mark.parametrize("tenant", [None, ""])
def test_a_scope_without_a_tenant_is_an_error(tenant: str | None) -> None:
    with open_store(None) as memory, pytest.raises(tkg.TkgError) as caught:
        memory.scope(tenant=tenant)
    assert caught.value.code == "scope_required"


@pytest.mark.parametrize(
    "tenant", ["../up", "a b", "Acme", "ACME", "akmé", "a\x00b", "a/b", "-a", "a" * 64, "con", ".", "a.b", "а"]
)
def test_a_tenant_id_outside_the_grammar_is_refused_at_the_door(tmp_path: Path, tenant: str) -> None:
    with open_store(tmp_path / "store") as memory:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(tkg.TkgError) as caught:
            memory.scope(tenant=tenant, channel="human_stated", principal="ana").propose(
                subject="crane", predicate="located_in", object="north basin"
            )
        assert caught.value.code == "invalid_scope"
        assert sorted(tmp_path.rglob("*")) == before


def test_a_tenant_never_sees_one_whose_name_begins_with_its_own(tmp_path: Path, engine: str) -> None:
    with open_store(tmp_path / "store", engine) as memory:
        for tenant, month in (("acme", "May"), ("acme-corp", "October")):
            handle = memory.scope(tenant=tenant, channel="human_stated", principal="una")
            handle.propose(
                subject="freight contract",
                predicate="renewal_month",
                object=month,
                evidence=tkg.Evidence(uri="letter/1"),
            )
        for tenant, own, other in (("acme", "May", "October"), ("acme-corp", "October", "May")):
            handle = memory.scope(tenant=tenant, principal="una")
            result = handle.recall("renewal month of the freight contract", k=10)
            assert own in result.text
            assert other not in result.text
            assert handle.value("freight contract", "renewal_month").value == own


def test_a_user_sees_the_tenant_and_no_other_user(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as memory:
        for user, value in (("mina", "drawer 14"), (None, "front desk")):
            handle = memory.scope(tenant="larch", user=user, channel="human_stated", principal=user or "ops")
            handle.propose(subject="badge", predicate="kept_in", object=value, evidence=tkg.Evidence(uri="n/1"))
        assert len(memory.scope(tenant="larch", user="mina", principal="mina").recall("badge").items) == 2
        for reader in (memory.scope(tenant="larch", user="joan"), memory.scope(tenant="larch")):
            assert [item.object for item in reader.recall("badge").items] == ["front desk"]


def test_an_unknown_tenant_is_not_found_and_leaves_nothing(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as memory:
        agent = memory.scope(tenant="acme", channel="agent_inferred", principal="bot")
        for call in (lambda: agent.recall("x"), lambda: agent.propose(subject="a", predicate="b", object="c")):
            with pytest.raises(tkg.TkgError) as caught:
                call()
            assert caught.value.code == "not_found"
        assert memory.tenants() == []


def test_a_refused_first_write_creates_no_tenant(tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as memory:
        handle = memory.scope(tenant="acme", channel="human_stated", principal="ana")
        verdict = handle.propose(
            subject="ana", predicate="password", object="password is hunter2!x", evidence=tkg.Evidence(uri="chat/1")
        )
        assert verdict.outcome == "rejected"
        assert memory.tenants() == []
    assert not any(b"hunter2" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


# -- what was written survives


def test_a_store_reads_the_same_after_reopening(tmp_path: Path, engine: str) -> None:
    with filled(tmp_path / "store", engine) as memory:
        before = exported(memory)
    with open_store(tmp_path / "store", engine) as memory:
        assert exported(memory) == before
    assert any('"record":"claim"' in line for line in before)


def test_a_deleted_graph_file_is_made_again_and_the_export_is_byte_identical(tmp_path: Path, engine: str) -> None:
    store = tmp_path / "store"
    with filled(store, engine, graph_file_above=-1) as memory:
        before = exported(memory)
    removed = [file for file in store.glob("tenants/*/graph*") if file.is_file()]
    for file in removed:
        file.unlink()
    assert removed or engine == "memory"
    with open_store(store, engine, graph_file_above=-1) as memory:
        assert exported(memory) == before
        assert memory.rebuild("acme") > 0
        assert exported(memory) == before


def test_a_damaged_graph_file_is_made_again(tmp_path: Path, engine: str) -> None:
    store = tmp_path / "store"
    with filled(store, engine, graph_file_above=-1) as memory:
        before = exported(memory)
    for file in store.glob("tenants/*/graph*"):
        if file.is_file() and file.stat().st_size > 4096:
            file.write_bytes(b"\xff" * 4096 + file.read_bytes()[4096:])
    with open_store(store, engine, graph_file_above=-1) as memory:
        assert exported(memory) == before


def told(memory: tkg.Memory) -> list[Any]:
    """What is exported, asked and found; two questions with their traces."""
    ana = memory.scope(tenant="acme", user="ana", session="s")
    asked = [ana.recall(question).text for question in ("when does depot 6 open", "depot 5")]
    values = [ana.value(f"depot {number}", "opens_at") for number in range(8)]
    first = next(one.id for one in ana.recall("depot 2").items if one.kind != "summary")
    return [asked, values, ana.lineage(first), exported(memory)]


def test_a_graph_that_outgrows_memory_moves_to_its_file_and_nothing_is_answered_differently(
    tmp_path: Path, engine: str
) -> None:
    grown, small, plain = tmp_path / "grown", tmp_path / "small", tmp_path / "plain"
    with filled(small, engine) as memory:
        expected = told(memory)
        assert not list(small.glob("tenants/*/graph"))
    with filled(grown, engine, graph_file_above=6) as memory:
        assert told(memory) == expected
        assert bool(list(grown.glob("tenants/*/graph"))) == (engine != "memory")
    with filled(plain, "memory") as memory:
        assert told(memory) == expected
    with open_store(grown, engine, graph_file_above=6) as memory:
        assert exported(memory) == expected[-1]
        assert memory.verify().ok and memory.notices == []


def test_a_graph_that_finds_no_space_for_its_file_answers_on_from_memory(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine == "memory":
        pytest.skip("has no file")
    with filled(tmp_path / "plain", engine) as memory:
        expected = told(memory)
    projection = importlib.import_module("tkg.graph.projection")
    known = projection.open_graph

    def full(path: Path | None, **options: Any) -> Any:
        if path is not None:
            raise DiskFull("no space")
        return known(path, **options)

    monkeypatch.setattr(projection, "open_graph", full)
    with filled(tmp_path / "store", engine, graph_file_above=6) as memory:
        assert told(memory) == expected


def test_a_long_ledger_gets_more_memory_for_its_graph_and_never_half_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = {"SC_PHYS_PAGES": 4 << 20, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    assert [buffer_pool_for(entries) >> 20 for entries in (0, 30_000, 250_000, 10_000_000)] == [512, 512, 3906, 8192]


EXPORTS = """
import sys, tkg
from datetime import UTC, datetime
from tkg.clock import ManualClock
clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
with tkg.open(sys.argv[1], clock=clock, engine=sys.argv[2], graph_file_above=-1) as memory:
    print(*memory.scope(tenant="acme").export(), sep="\\n")
"""


def test_another_engine_opens_the_store_from_the_ledger(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with filled(store, engine_or_skip(CYPHER), graph_file_above=-1) as memory:
        before = exported(memory)
    for other in ("ladybug", "kuzu", "memory"):
        engine_or_skip(other)
        printed = subprocess.run(
            [sys.executable, "-c", EXPORTS, str(store), other],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert printed.stdout.split("\n")[:-1] == before


DIES = """
import os, sys
import tkg
memory = tkg.open(sys.argv[1], engine=sys.argv[2], graph_file_above=int(sys.argv[3]))
handle = memory.scope(tenant="acme", channel="human_stated", principal="ana")
handle.propose(subject="crane 1", predicate="located_in", object="south basin", evidence=tkg.Evidence(uri="n/1"))
tenant = memory.tenant("acme")
kind = type(getattr(tenant, sys.argv[4]))
kind.apply = lambda self, entries: os._exit(9)
handle.propose(subject="crane 2", predicate="located_in", object="north basin", evidence=tkg.Evidence(uri="n/2"))
"""


@pytest.mark.parametrize("above", ["-1", "1000"])
@pytest.mark.parametrize("room", ["graph", "index"])
def test_a_process_that_dies_between_ledger_and_projection_has_written_once(
    tmp_path: Path, engine: str, above: str, room: str
) -> None:
    store = tmp_path / "store"
    died = subprocess.run(
        [sys.executable, "-c", DIES, str(store), engine, above, room],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
        timeout=120,
    )
    assert died.returncode == 9, died.stderr.decode()
    with tkg.open(store, engine=engine, graph_file_above=int(above)) as memory:
        handle = memory.scope(tenant="acme", principal="ana")
        for crane, basin in (("crane 1", "south basin"), ("crane 2", "north basin")):
            answer = handle.value(crane, "located_in")
            assert (answer.value, len(answer.claims)) == (basin, 1)
        assert [item.object for item in handle.recall("where is crane 2").items].count("north basin") == 1


def test_a_second_process_is_told_who_owns_the_tenant(tmp_path: Path) -> None:
    with filled(tmp_path / "store", "memory"):
        code = (
            "import sys, tkg\n"
            "try: tkg.open(sys.argv[1], engine='memory').scope(tenant='acme').recall('depot')\n"
            "except tkg.TkgError as error: print(error.code, error); sys.exit(error.exit_code)\n"
        )
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        second = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "store")], env=env, capture_output=True, text=True, check=False
        )
    assert second.returncode == CODES["busy"], second.stderr
    assert second.stdout.startswith("busy") and str(os.getpid()) in second.stdout


def test_a_reader_works_beside_the_owner_and_records_nothing(tmp_path: Path, engine: str) -> None:
    with filled(tmp_path / "store", engine) as owner:
        before = exported(owner)
        with open_store(tmp_path / "store", engine, read_only=True) as reader:
            handle = reader.scope(tenant="acme")
            assert exported(reader) == before
            assert handle.contradictions() == []
            with pytest.raises(tkg.TkgError) as caught:
                handle.recall("depot")
        assert caught.value.code == "not_permitted"
        assert exported(owner) == before


def test_a_store_of_a_newer_format_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(tkg.TkgError) as caught:
        open_store(tmp_path)
    assert caught.value.code == "newer_format"
    assert [file.name for file in tmp_path.iterdir()] == ["store.json"]


def test_a_directory_with_other_files_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(tkg.TkgError) as caught:
        open_store(tmp_path)
    assert caught.value.exit_code == 2
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_what_is_no_id_no_number_and_no_receipt_is_said_to_be_none() -> None:
    with open_store(None) as memory:
        handle = memory.scope(tenant="acme", channel="human_stated", principal="ana")
        verdict = handle.propose(subject="Kim Berg", predicate="lives_in", object="Oslo")
        wrong: list[tuple[str, Any]] = [
            ("verdict.claim_id", lambda: handle.explain(verdict)),  # type: ignore[arg-type]
            ("verdict.claim_id", lambda: handle.lineage(verdict)),  # type: ignore[arg-type]
            ("verdict.claim_id", lambda: handle.exposure(verdict)),  # type: ignore[arg-type]
            ("verdict.claim_id", lambda: handle.plan_revoke(claim=verdict)),  # type: ignore[arg-type]
            ("not NoneType", lambda: handle.explain(verdict.artefact_id)),  # type: ignore[arg-type]
            (
                "list of texts, such as from_=",
                lambda: handle.derive("summary", "Kim is in Oslo.", from_=str(verdict.claim_id)),
            ),
            ("k must be a whole number", lambda: handle.recall("Kim Berg", k="3")),  # type: ignore[arg-type]
            ("no receipt", lambda: handle.verify_receipt({})),
            ("no receipt", lambda: handle.verify_receipt("opn_1")),  # type: ignore[arg-type]
        ]
        for said, call in wrong:
            with pytest.raises(tkg.TkgError, match=said):
                call()
        assert handle.recall("Kim Berg", k=3).items and verdict.claim_id is not None
        assert handle.explain(verdict.claim_id).state == "active"
