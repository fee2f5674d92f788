"""Options and commands around the gate: where a fact belongs, notes of a run, keys of requests, distance from an anchor."""

from __future__ import annotations

import json
from pathlib import Path

import tkg
from tests.cli.conftest import Run


def test_the_command_writes_by_kind_when_asked(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "s"
    store.mkdir()
    (store / "tkg.toml").write_text('[predicates.runs_on]\nabout = "system"\n', encoding="utf-8")
    words = ("propose", "--store", str(store), "--tenant", "acme", "--user", "ana", "--channel", "human_stated",
             "--principal", "ana", "--subject", "Larch", "--predicate", "runs_on", "--uri", "m", "--engine", "memory")  # fmt: skip
    assert run(*words, "--object", "Redis", "--by-kind").code == 0
    assert run(*words, "--object", "Valkey").code == 0
    with tkg.open(store, engine="memory") as memory:
        assert memory.scope("acme").value("Larch", "runs_on").values == ("Redis",)


def words(command: str, store: Path, channel: str = "human_stated", principal: str = "ana", **fields: str) -> list[str]:
    who = {"store": str(store), "tenant": "acme", "engine": "memory", "channel": channel, "principal": principal}
    return [
        command,
        *(part for name, one in {**who, **fields}.items() for part in (f"--{name.replace('_', '-')}", one)),
    ]


def test_the_notes_of_a_run_are_kept_shown_and_destroyed(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "s"
    with tkg.open(store, engine="memory") as memory:
        memory.create_tenant("acme")
    asked = words("notes", store, "agent_inferred", "agent", session="run-7")
    assert run(*asked, "--keep", "next=ask Bo").code == 0
    kept = json.loads(run(*asked, "--json").out)
    assert (kept["notes"], kept["ended"]) == ({"next": "ask Bo"}, False)
    assert (
        json.loads(run(*words("notes", store, "agent_inferred", "agent", session="run-8"), "--json").out)["notes"] == {}
    )
    assert run(*asked, "--keep", "next").code == 2
    assert "ask Bo" in run(*asked, "--end").out
    assert json.loads(run(*asked, "--json").out)["notes"] == {}
    assert run(*words("notes", store, "agent_inferred", "agent")).code == 2  # no run


def test_a_request_repeated_with_its_key_changes_nothing(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "s"
    told = [*words("remember", store, idempotency_key="k"), "--json", "Ada lives in Lund."]
    first, again = json.loads(run(*told).out), json.loads(run(*told).out)
    assert [one["id"] for one in first["verdicts"]] == [one["id"] for one in again["verdicts"]]
    assert run(*told[:-1], "Ada lives in Kiel.").code == 3
    made = [*words("derive", store, kind="summary", idempotency_key="k"), "--from", first["verdicts"][0]["artefact_id"]]
    one, two = (json.loads(run(*made, "--json", "Ada is in Lund.").out) for _ in range(2))
    assert one["id"] == two["id"]
    waits = json.loads(
        run(
            *words("propose", store, "external", "web", subject="Ada", predicate="home", object="Ystad", uri="web/1",
                   quote="Ada moved."), "--json",
        ).out
    )  # fmt: skip
    decided = [
        *words("decide", store, "human_verified", "bo", idempotency_key="k"),
        "--json",
        waits["claim_id"],
        "reject",
    ]
    assert run(*decided).code == 0 and run(*decided).code == 0
    assert run(*words("decide", store, "human_verified", "bo"), waits["claim_id"], "reject").code == 3


def test_drift_tells_how_far_each_key_lies_from_what_was_vouched_for(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "s"
    store.mkdir()
    (store / "tkg.toml").write_text('[predicates.price]\ncardinality = "one"\n', encoding="utf-8")
    asked = ("audit", "drift", "--store", str(store), "--tenant", "acme", "--engine", "memory", "--no-record")
    for number, value in enumerate(("100", "101", "103")):
        with tkg.open(store, engine="memory") as memory:
            handle = memory.scope("acme", channel="human_stated", principal="ben")
            said = tkg.Evidence(uri="prices", version=str(number))
            made = handle.propose(subject="Larch", predicate="price", object=value, evidence=said)
    (key,) = json.loads(run(*asked, "--json").out)["anchors"]
    assert (key["about"], key["scope"], key["distance"], key["anchor"]) == ("Larch · price", "acme", 3, None)
    assert "Larch · price" in run(*asked).out
    with tkg.open(store, engine="memory") as memory:
        memory.scope("acme", channel="human_verified", principal="ana").verify(str(made.claim_id))
    (key,) = json.loads(run(*asked, "--json").out)["anchors"]
    assert (key["distance"], key["anchor"], key["displacement"]) == (0, made.claim_id, 0.0)
