"""`cascade` on a handful of packages: rings are cut, what falls through the store is what propagation says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import cascade, debian
from tests.engines import CYPHER, engine_or_skip

EDGES = debian.acyclic(debian.SAMPLE)


def test_rings_are_cut_and_an_empty_group_never_holds() -> None:
    assert EDGES["dpkg"] == (("libc",),)  # tar asks for dpkg and dpkg for tar: neither counts
    assert EDGES["tar"] == (("libc",),)
    assert EDGES["lost"] == ((),)  # empty from the start stays
    holding = debian.holding(EDGES)
    assert set(EDGES) - holding == {"lost", "far"}
    assert debian.holding(EDGES, ["libc"]) == set()
    assert holding - debian.holding(EDGES, ["exim"]) == {"exim"}  # postfix carries mailer
    assert holding - debian.holding(EDGES, ["exim", "openssl"]) == {
        "exim",
        "openssl",
        "postfix",
        "mailer",
        "web",
        "near",
    }


def test_the_digest_is_of_sorted_lines() -> None:
    assert debian.digest(["b", "a"]) == debian.digest(["a", "b"]) != debian.digest(["a"])
    assert debian.digest([]).startswith("e3b0c44298fc1c14")


@pytest.mark.engine
@pytest.mark.parametrize("in_file", [False, True])
def test_every_removal_falls_as_propagation_says_and_comes_back(tmp_path: Path, in_file: bool) -> None:
    cascade.build(tmp_path / "store", EDGES)
    (tmp_path / "packages.json").write_text(json.dumps(EDGES), encoding="utf-8")
    removed = ["libc", "openssl", "exim", "web", "tar"]
    found = cascade.measure(place=str(tmp_path), engine=engine_or_skip(CYPHER), removed=removed, in_file=in_file)
    assert (found["never"], found["never_exact"]) == (2, True)
    rows = {row["package"]: row for row in found["rows"]}
    assert {package: row["fall"] for package, row in rows.items()} == {
        "libc": 8, "openssl": 3, "exim": 0, "web": 1, "tar": 0,
    }  # fmt: skip
    assert all(row["as_plain"] and row["returned_all"] and row["said"] and row["said_after"] for row in rows.values())
    assert rows["exim"]["survive"] == 1
    assert rows["openssl"]["sha256"] == debian.digest(["postfix", "web", "near"])


def test_the_planner_and_its_oracles_agree() -> None:
    counts = cascade.planner(20)
    assert (counts["graphs"], counts["changes"], counts["differences"]) == (20, 80, 0)
    assert counts["lost"] > 20 and counts["proofs"] > 100


def test_an_oracle_that_differs_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.belief import cascades

    monkeypatch.setattr(cascades, "exhaustive", lambda *_: True)
    assert cascade.planner(20)["differences"] > 0
