"""`tkg forget` and `tkg hold` as a shell runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import PERSON, Acme
from tkg.conform import scan

REASON = ("--reason", "request of 3 May")


def filled(acme: Acme) -> str:
    acme.claim("Rolf Teague", "allergic_to", "sesame-KEPT")
    return str(acme.claim("Ada Venn", "allergic_to", "lupin-CANARY-4471").json["claim_id"])


def test_a_plan_changes_nothing_and_an_erasure_prints_a_receipt(acme: Acme, tmp_path: Path) -> None:
    claim = filled(acme)
    before = acme.bytes()
    plan = acme("forget", "--subject", "Ada Venn", "--json")
    assert plan.code == 0 and plan.json["receipt"] is None
    assert claim in [one["id"] for one in plan.json["plan"]["erases"]]
    shown = acme("forget", "--subject", "Ada Venn")
    assert claim in shown.out and "nothing was changed" in shown.out
    assert acme.bytes() == before and scan.find(acme.store, "CANARY-4471")
    receipt = tmp_path / "ada.json"
    assert acme("forget", "--subject", "Ada Venn", "--yes").code == 2  # who asks, and why?
    done = acme("forget", "--subject", "Ada Venn", *PERSON, *REASON, "--yes", "--receipt", receipt)
    assert done.code == 0 and "Not covered" in done.out, done.err
    assert scan.find(acme.store, "CANARY-4471") == [] and scan.find(acme.store, "KEPT")
    assert "Ada" not in receipt.read_text("ascii")
    assert acme("forget", "--verify", receipt).code == 0
    name = json.loads(receipt.read_text("ascii"))["receipt_id"]
    checked = acme("forget", "--verify", name, "--text", "lupin-CANARY-4471", "--json")
    assert checked.code == 0 and all(one["holds"] for one in checked.json["checks"])
    assert acme("forget", "--verify", name, "--text", "sesame-KEPT").code == 1


def test_a_changed_receipt_fails_and_what_is_none_is_refused(acme: Acme, tmp_path: Path) -> None:
    claim = filled(acme)
    done = acme("forget", claim, *PERSON, *REASON, "--yes", "--json")
    assert done.code == 0, done.err
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps(done.json["receipt"] | {"requested_at": "2020-01-01T00:00:00Z"}), encoding="utf-8")
    assert acme("forget", "--verify", receipt).code == 1
    receipt.write_text("[]", encoding="utf-8")
    assert acme("forget", "--verify", receipt).code == 2
    assert acme("forget", "--verify", tmp_path / "nothing.json").code == 2
    assert acme("forget", "--verify", "opn_00000000000000000000000000").code == 2


def test_a_hold_refuses_until_it_is_lifted(acme: Acme) -> None:
    claim = filled(acme)
    assert acme("hold", "--subject", "Ada Venn", *PERSON, "--reason", "case 2026-17").code == 0
    plan = acme("forget", claim)
    assert plan.code == 0 and "case 2026-17" in plan.out
    refused = acme("forget", claim, *PERSON, *REASON, "--yes")
    assert refused.code == 3 and "case 2026-17" in refused.err
    lifted = acme("hold", "--subject", "Ada Venn", *PERSON, "--reason", "settled", "--lift", "--json")
    assert lifted.json["state"] == "lifted"
    assert acme("forget", claim, *PERSON, *REASON, "--yes").code == 0


def test_nothing_of_that_name(acme: Acme) -> None:
    filled(acme)
    assert acme("forget", "--subject", "Ada").code == 2
    assert acme("forget").code == 2


def test_an_export_as_prov_json(acme: Acme, tmp_path: Path) -> None:
    pytest.importorskip("prov")
    claim = filled(acme)
    shown = acme("export", "--subject", "Ada Venn", "--format", "prov")
    assert shown.code == 0 and f"tkg:{claim}" in json.loads(shown.out)["entity"], shown.err
    file = tmp_path / "ada.json"
    assert acme("export", "--subject", "Ada Venn", "--format", "prov", "--output", file).code == 0
    assert json.loads(file.read_text("ascii")) == json.loads(shown.out)
    assert acme("export", "--format", "prov", "--portable").code == 2
    assert acme("export", "--format", "prov", "--json").code == 2


def test_maintenance_fetches_sources_again_where_it_may(acme: Acme, tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "guide.md").write_text("Deploys need nobody.\n", encoding="utf-8")
    evidence = ("--uri", "guide.md", "--quote", "Deploys need two approvals.")
    claim = str(acme.claim("deploys", "needs", "two approvals", *evidence).json["claim_id"])
    assert "were not fetched again" in acme("maintain").out
    plan = acme("maintain", "--root", folder, "--json").json["evidence"]
    assert [(one["state"], one["suspended"], one["recorded"]) for one in plan["items"]] == [("changed", [claim], False)]
    assert acme("show", claim, "--json").json["state"] == "active"
    done = acme("maintain", "--root", folder, "--yes", *PERSON)
    assert done.code == 0 and "changed" in done.out and "1 looked at" in done.out, done.err
    assert acme("show", claim, "--json").json["state"] == "suspended"


def test_what_left_recall_is_summarised_and_comes_back(acme: Acme) -> None:
    (acme.store / "tkg.toml").write_text("[forget]\nmost_in_use = 0\nsummarise_from = 2\n", encoding="utf-8")
    for text in ("Blue herring smokes badly.", "Alder suits the herring."):
        assert acme("remember", *PERSON, "--session", "s-1", "--uri", "chat", text).code == 0
    shown = acme("maintain")
    assert (
        "Summary of 2 episodes, as agent_inferred (planned)" in shown.out and "Blue herring smokes badly." in shown.out
    )
    done = acme("maintain", "--yes", *PERSON, "--json").json
    (made,) = done["summaries"]
    assert made["outcome"] == "accepted" and done["moved"] >= 2
    back = acme("unarchive", *PERSON, made["id"], "--reason", "needed", "--json")
    assert back.code == 0 and set(back.json["restored"]) == set(made["sources"])
    assert "Back in recall" in acme("unarchive", *PERSON, made["id"], "--reason", "rather the summary").out
    assert acme("unarchive", made["sources"][0], "--reason", "x").code == 2
    assert acme("show", made["sources"][0], "--json").json["content"] == "Blue herring smokes badly."
