"""The benchmark of commands on small stores: it has every command, counts what goes wrong, and asks what it says it asks."""

from __future__ import annotations

from pathlib import Path

import pytest

import tkg
from benchmarks import commands
from benchmarks.result import Result
from benchmarks.stores import TENANT
from tests.engines import CYPHER, engine_or_skip
from tkg.cli.main import COMMANDS


def test_no_command_is_left_out(tmp_path: Path) -> None:
    named = {name.split(" ")[0] for name in commands.lines({}, tmp_path)}
    assert named == {one.name for one in COMMANDS}


@pytest.mark.engine
def test_a_store_is_made_once_and_each_question_finds_something(tmp_path: Path) -> None:
    engine = engine_or_skip(CYPHER)
    store, ids = commands.kept(tmp_path, engine, 120, 60)
    assert commands.kept(tmp_path, engine, 120, 60) == (store, ids)
    assert len(ids["ends"].split()) == len(ids["roots"].split()) == len(set(ids["ends"].split())) == 5
    with tkg.open(store, engine=engine, read_only=True) as memory:
        handle = memory.scope(TENANT)
        for end in ids["ends"].split():
            up = handle.lineage(end).up
            assert {one.kind for one in up} == {"summary", "claim", "evidence", "source"}
            assert max(one.depth for one in up if one.kind == "summary") == 9  # a chain of ten
        for root in ids["roots"].split():
            assert handle.exposure(root) and handle.lineage(root).down
        assert handle.contradictions()
    found = commands.measure(str(store), ids, engine)
    assert set(found["questions"]) == {
        "lineage", "lineage_of_a_claim", "exposure", "contradictions", "contradictions_page", "audit",
    }  # fmt: skip
    assert all(whole > 0 and bare > 0 for whole, bare in found["questions"].values())
    assert set(found["opening"]) == {"kept_file", "to_read_beside_an_owner", "graph_made_anew"}


def test_a_command_is_timed_and_one_that_breaks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, ids = tmp_path / "store", commands.make(tmp_path / "store", 0, 0)
    asked = {"predicates": [], "value": ["nothing", "owner"], "explain": ["clm_0"]}
    monkeypatch.setattr(commands, "lines", lambda ids, place: asked)
    result, said = Result("commands"), list[str]()
    told = dict(commands._commands(store, ids, "memory", result, "empty", said.append))
    assert list(told) == list(asked) and len(said) == 3 and result.missed == []
    exits = {name: result.figures[f"memory_{name}_empty_exit"] for name in asked}
    assert exits == {"predicates": 0, "value": 0, "explain": 2}
    assert all(
        result.figures[f"memory_{name}_empty_{key}"] > 0 for name in asked for key in ("seconds", "processor", "mb")
    )
    for code, err, missed in ((4, "busy", 3), (0, "Traceback (most recent call last)", 3), (3, "refused", 0)):
        answer = lambda *words, code=code, err=err: (1.0, 1.0, 1.0, 0 if words[0] == "export" else code, err)
        monkeypatch.setattr(commands, "_tkg", answer)
        result = Result("commands")
        list(commands._commands(tmp_path / f"other-{code}", ids, "memory", result, "empty", said.append))
        assert len(result.missed) == missed, result.missed
