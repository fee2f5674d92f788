"""`verify`, `doctor`, `rebuild`, `backup`, `restore`, `head`, `proof` as a person uses them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tkg
from tests.cli.conftest import Acme, Run
from tkg.memory.directory import folder_name


def ledger_of(store: Path) -> Path:
    return store / "tenants" / folder_name("acme") / "ledger.sqlite"


def test_verify_says_all_is_well_and_what_is_not(acme: Acme, mailbox: dict[str, str], run: Run) -> None:
    well = run("verify", "--store", acme.store, "--json")
    assert well.code == 0 and well.json["ok"] and well.json["findings"] == []
    assert "Everything agrees" in run("verify", "--store", acme.store).out
    content = ledger_of(acme.store).read_bytes()
    ledger_of(acme.store).write_bytes(content.replace(b'"propose"', b'"PROPOSE"', 1))
    bad = run("verify", "--store", acme.store, "--json")
    assert bad.code == 1 and not bad.json["ok"]
    assert {"ledger_entry", "not_compared"} == {one["code"] for one in bad.json["findings"]}
    shown = run("verify", "--store", acme.store, "--tenant", "acme").out
    assert "ledger_entry" in shown and "tkg restore" in shown
    assert run("verify", "--store", acme.store, "--tenant", "nobody").code == 2


def test_verify_beside_an_owner_names_it(acme: Acme, mailbox: dict[str, str], run: Run) -> None:
    with tkg.open(acme.store, engine="memory") as memory:
        memory.scope("acme").value("x", "y")
        seen = run("verify", "--store", acme.store, "--json")
        assert seen.code == 0 and [one["code"] for one in seen.json["findings"]] == ["in_use"]
        assert str(os.getpid()) in seen.json["findings"][0]["detail"]
        told = run("doctor", "--store", acme.store, "--json")
        assert f"open in process {os.getpid()}" in [one["detail"] for one in told.json["checks"]]


def test_heads_and_proofs(acme: Acme, mailbox: dict[str, str], run: Run, tmp_path: Path) -> None:
    elsewhere = tmp_path / "heads.jsonl"
    made = acme("head", "--output", elsewhere, "--json")
    size = run("verify", "--store", acme.store, "--json").json["tenants"][0]["entries"]
    assert made.code == 0 and made.json["size"] == size >= 4 and elsewhere.read_text().count("\n") == 1
    acme.claim("deploys", "needs", "two approvals")
    assert run("verify", "--store", acme.store, "--witness", elsewhere).code == 0
    proof = run("proof", "--store", acme.store, "--tenant", "acme", 2, "--since", size, "--json")
    assert proof.code == 0 and proof.json["since_root"] == made.json["root"] and len(proof.json["inclusion"]) == 3
    assert run("proof", "--store", acme.store, "--tenant", "acme", 77).code == 2
    assert run("proof", "--store", acme.store, "--tenant", "nobody", 1).code == 2


def test_backup_and_restore(acme: Acme, mailbox: dict[str, str], run: Run, tmp_path: Path) -> None:
    with tkg.open(acme.store, engine="memory") as memory:  # beside an owner
        memory.scope("acme").value("x", "y")
        made = run("backup", "--store", acme.store, tmp_path / "copy", "--json")
    assert made.code == 0 and made.json["backup"]["tenants"][0]["entries"] >= 4
    assert run("backup", "--store", acme.store, tmp_path / "copy").code == 2
    assert run("restore", "--store", tmp_path / "again", tmp_path / "copy").code == 0
    again = Acme(run, tmp_path / "again")
    assert again("show", mailbox["claim"], "--json").json["state"] == "active"
    assert run("verify", "--store", tmp_path / "again").code == 0
    assert run("restore", "--store", tmp_path / "again", tmp_path / "copy").code == 2


def test_doctor(acme: Acme, mailbox: dict[str, str], run: Run) -> None:
    codes = {one["code"]: one for one in run("doctor", "--store", acme.store, "--json").json["checks"]}
    assert {"version", "format", "settings", "disk_space", "owner", "sizes", "ledger", "index", "graph", "head"} <= set(
        codes
    )
    assert codes["ledger"]["detail"].endswith(" entries") and codes["index"]["detail"] == "up to date"
    folder = ledger_of(acme.store).parent
    (folder / "index.sqlite").write_bytes(b"spoilt")
    (folder / "left.new").write_text("")
    ledger_of(acme.store).chmod(0o644)
    (acme.store / "tkg.toml").write_text("[wrong]\n")
    (folder / "link").symlink_to(folder / "head.json")
    told = run("doctor", "--store", acme.store, "--json")
    assert told.code in (1, 2)
    (acme.store / "tkg.toml").write_text("")
    told = run("doctor", "--store", acme.store, "--json")
    amiss = {one["code"] for one in told.json["checks"] if one["status"] != "ok"}
    assert told.code == 1 and {"index", "left_over", "permissions", "symbolic_link"} <= amiss
    assert "warning" in run("doctor", "--store", acme.store).out


def test_doctor_says_which_embedder_the_settings_name_and_whether_the_vectors_are_its(
    acme: Acme, mailbox: dict[str, str], run: Run
) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("safetensors")

    def told() -> dict[str, tuple[str, str]]:
        checks = run("doctor", "--store", acme.store, "--json").json["checks"]
        return {one["code"]: (one["status"], one["detail"]) for one in checks}

    assert told()["embedder"] == ("ok", "none: recall finds by words and graph")
    (acme.store / "tkg.toml").write_text('[embedding]\nkind = "static"\n')
    assert told()["embedder"][1].startswith("static-256-") and "made when recall asks" in told()["vectors"][1]
    run("recall", "where does mail go?", "--tenant", "acme", "--store", acme.store)
    assert told()["vectors"][0] == "ok" and "entries behind" in told()["vectors"][1]  # the read itself
    assert "vectors in a file" in " ".join(run("verify", "--store", acme.store).out.split())
    (acme.store / "tkg.toml").write_text('[embedding]\nkind = "endpoint"\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    assert told()["vectors"][0] == "error" and "not by endpoint-m" in told()["vectors"][1]
    wrong = run("verify", "--store", acme.store, "--json")
    assert wrong.code == 1 and [one["code"] for one in wrong.json["findings"]] == ["vectors_model"]
    (acme.store / "tkg.toml").write_text('[embedding]\nkind = "onnx"\nfolder = "nowhere"\n')
    assert told()["embedder"][0] == "error"


def test_a_rebuild_repairs_the_index_and_opening_says_when_it_had_to(
    acme: Acme, mailbox: dict[str, str], run: Run
) -> None:
    index = ledger_of(acme.store).parent / "index.sqlite"
    index.write_bytes(b"spoilt" * 1000)
    assert run("verify", "--store", acme.store).code == 1
    assert acme("rebuild").code == 0
    assert run("verify", "--store", acme.store).code == 0
    index.write_bytes(b"spoilt" * 1000)
    said = acme.claim("deploys", "needs", "two approvals")
    assert said.code == 0 and "the text index of tenant acme was made anew" in said.err


def test_evidence_is_fetched_again(acme: Acme, mailbox: dict[str, str], run: Run, tmp_path: Path) -> None:
    only = acme.claim(
        "late reports", "destination", "the queue", "--uri", "late.md", "--quote", "Late ones queue."
    ).json
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "late.md").write_text("Late ones queue.")
    guide = tmp_path / "docs" / "guide.md"
    guide.write_text("\n" * 74 + "Exception reports are sent to the regional settlement mailbox.\n")
    words = ("--evidence", "--root", tmp_path / "docs", "--json")
    well = acme("verify", *words)
    assert well.code == 0 and well.json["counts"]["fresh"] == 2
    guide.unlink()
    (tmp_path / "docs" / "late.md").write_text("Late ones wait.")
    gone = acme("verify", *words)
    assert gone.code == 1 and gone.json["counts"]["gone"] == 1
    assert gone.json["counts"]["changed"] == 1
    assert acme("show", only["claim_id"], "--json").json["state"] == "suspended"
    assert "looked at" in acme("verify", "--evidence", "--root", tmp_path / "docs").out
    assert run("verify", "--store", acme.store, "--evidence").code == 2
