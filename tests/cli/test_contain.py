"""The guided containment by command: the whole flow, waiting for a yes, dying anywhere and going on, and each step alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.cli.conftest import AGENT, PERSON, Acme, Run
from tests.house.sources import ROOT
from tkg.demo import play
from tkg.ledger.proof import Proof
from tkg.memory.containing import STEPS
from tkg.memory.tenant import Tenant

ASKED = "where do exception reports go"
RIGHT = ("--correct", "case-management queue", "--uri", "billing.yaml", "--locator", "line=14")
WHY = (*PERSON, "--reason", "names a retired mailbox")


@pytest.fixture
def poisoned(acme: Acme, mailbox: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """The mailbox, which was shown to somebody."""
    monkeypatch.chdir(tmp_path)
    shown = acme("recall", "--session", "desk-4", ASKED, "--json")
    assert mailbox["claim"] in [one["id"] for one in shown.json["items"]]
    return mailbox


def states(acme: Acme, ids: dict[str, str]) -> dict[str, str]:
    return {name: acme("show", one, "--json").json["state"] for name, one in ids.items()}


def test_from_a_wrong_answer_to_a_contained_store(acme: Acme, poisoned: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "incident"
    done = acme("contain", poisoned["claim"], *WHY, *RIGHT, "--folder", folder, "--yes", "--json")
    assert done.code == 0, done
    report = done.json["report"]
    assert [one["step"] for one in done.json["containment"]["steps"] if one["done"]] == list(STEPS)
    assert done.json["containment"]["under_way"] == "closed"
    found = states(acme, poisoned)
    assert (found["claim"], found["summary"], found["skill"], found["action"]) == ("revoked",) * 4
    assert report["residue"] == [] and report["cancelled"] == [poisoned["action"]] and report["superseded"]
    assert report["reads"] == 1 and report["sessions"] == ["desk-4"]
    assert acme("value", "exception reports", "destination").out.startswith("case-management queue")
    (anew,) = report["rebuilt"]
    assert anew[0] == poisoned["summary"] and "case-management queue" in acme("show", anew[1]).out
    assert set(report["derive_anew"]) == {poisoned["skill"], poisoned["action"]}
    after = acme("recall", ASKED, "--json").json
    assert after["items"] and not any("mailbox" in one["text"] for one in after["items"])
    assert acme.claim("exception reports", "owner", "ops", "--uri", "n").code == 0  # what was frozen is thawed
    cases = folder / "regressions.yaml"
    assert acme.run("conform", cases, "--on", "memory").out.endswith("1 passed, 0 failed\n")
    bundle = json.loads((folder / "evidence.json").read_text("utf-8"))
    assert bundle["lineage"]["root"]["state"] == "active"  # it was kept before anything was changed
    assert {one["id"] for one in bundle["nodes"]} >= set(poisoned.values())
    assert all(Proof.model_validate(one).holds() for one in bundle["proofs"]) and bundle["proofs"]
    assert {one["root"] for one in bundle["proofs"]} == {bundle["head"]["root"]}
    assert json.loads((folder / "report.json").read_text("utf-8"))["target"] == poisoned["claim"]
    again = acme("contain", poisoned["claim"], *WHY, "--yes", "--json")
    assert again.code == 0 and again.json["report"]["correction"] == report["correction"]
    assert acme("contain", "--json").json["items"][0]["under_way"] == "closed"


def test_nothing_is_withdrawn_without_a_yes(acme: Acme, poisoned: dict[str, str]) -> None:
    waits = acme("contain", poisoned["claim"], *WHY)
    assert waits.code == 1 and "Nothing was withdrawn" in waits.err and "Falls" in waits.out
    assert acme("contain", poisoned["claim"], *WHY, "--json").json["containment"]["next"] == "confirm"
    found = states(acme, poisoned)
    assert found["claim"] == "quarantined" and found["action"] == "suspended"
    assert acme("contain", poisoned["claim"], "--status", "--json").json["containment"]["under_way"] == "open"
    held = acme.claim("exception reports", "destination", "elsewhere", "--uri", "n")
    assert held.code == 3 and held.json["code"] == "frozen"
    again = acme("contain", poisoned["claim"], *WHY)
    assert again.code == 1 and "Falls" in again.out and "tkg thaw" in again.err  # no yes without the plan in sight
    assert acme("release", *WHY, poisoned["claim"]).code == 0  # all before the yes can be undone
    assert states(acme, poisoned)["claim"] == "active"


def test_what_was_confirmed_is_what_falls(acme: Acme, poisoned: dict[str, str], tmp_path: Path) -> None:
    target = poisoned["claim"]
    for step in STEPS[: STEPS.index("confirm") + 1]:
        assert acme("contain", target, *WHY, "--step", step, "--yes").code == 0, step
    assert acme("contain", target, "--status", "--json").json["containment"]["next"] == "cancel"
    second = acme.claim("exception reports", "copy to", "archive", "--depends-on", target, "--uri", "d")
    assert acme("decide", *PERSON, second.json["claim_id"], "accept", "--reason", "r").code in (0, 3)
    late = acme("derive", *AGENT, "--kind", "claim", "--from", target, "x", "--json")
    assert late.code != 0  # nothing new can grow from what is quarantined
    assert acme("contain", target, *WHY, "--step", "report").code == 3  # steps come in their order
    assert acme("contain", target, *WHY, "--step", "nonsense").code == 2
    assert acme("contain", target, *AGENT, "--reason", "r", "--step", "cancel").code == 3  # a person contains


def contained(acme: Acme, target: str, folder: Path) -> dict[str, Any]:
    done = acme("contain", target, *WHY, *RIGHT, "--folder", folder, "--yes", "--json")
    assert done.code == 0, done
    report = done.json["report"]
    told = {name: report[name] for name in ("state", "superseded", "residue", "cancelled", "derive_anew", "reads")}
    told |= {"fell": sorted(one["id"] for one in report["fell"]), "rebuilt": [one[0] for one in report["rebuilt"]]}
    with tkg.open(acme.store, engine="memory") as memory:
        ana = memory.scope("harbour", channel="human_stated", principal="ana")
        right = ana.value("exception reports", "destination")
        told |= {"value": right.value, "claims": len(right.claims)}
        fresh = ana.propose(
            subject="exception reports", predicate="owner", object="ops", evidence=tkg.Evidence(uri="n")
        )
        told["frozen"] = fresh.outcome.value
        said = [json.loads(line) for line in ana.export()]
    told["queues"] = sum(one.get("object") == "case-management queue" for one in said)
    told["anew"] = sum("rebuilt_from" in (one.get("meta") or {}) for one in said)
    return told


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The store of the demo on day 9, and the id of the poison."""
    store = tmp_path_factory.mktemp("demo") / "store"
    return store, play(store, engine="memory", until=9)["poison"]


def test_it_may_die_after_any_transaction_and_goes_on(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
    template: tuple[Path, str],
) -> None:
    monkeypatch.chdir(tmp_path)
    whole, number = None, 0
    while True:
        store, poison = shutil.copytree(template[0], tmp_path / f"store-{number}"), template[1]
        harbour = _Harbour(run, store)
        left = number

        def commit(self: Tenant, *words: Any, real: Any = Tenant.commit) -> Any:
            nonlocal left
            made = real(self, *words)
            left -= 1
            if left == 0:
                raise Killed
            return made

        died = False
        with monkeypatch.context() as patch, subtests.test(after=number):
            if number:
                patch.setattr(Tenant, "commit", commit)
                try:
                    harbour("contain", poison, *WHY, *RIGHT, "--folder", tmp_path / f"f{number}", "--yes")
                except Killed:
                    died = True
                patch.undo()
            found = contained(harbour, poison, tmp_path / f"f{number}")
            whole = whole or found
            assert found == whole
        if number and not died:
            break
        number += 1
    assert number > len(STEPS)  # it died at least once in every step
    assert whole["value"] == "case-management queue" and whole["queues"] == 1 and whole["anew"] == 1
    assert whole["residue"] == [] and whole["frozen"] == "accepted"


class _Harbour(Acme):
    def __call__(self, command: str, *words: object) -> Any:
        return self.run(command, "--store", self.store, "--tenant", "harbour", "--engine", self.engine, *words)


_KILLER = """
import os, sys
from tkg.cli.main import main
from tkg.memory.incidents import Incidents
real = Incidents.contain
def contain(self, identifier, step, **more):
    if step == sys.argv[1]:
        os._exit(9)
    return real(self, identifier, step, **more)
Incidents.contain = contain
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("step", ["quarantine", "withdraw", "supersede"])
def test_a_killed_process_is_followed_by_another(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, template: tuple[Path, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    store, poison = shutil.copytree(template[0], tmp_path / "store"), template[1]
    harbour = _Harbour(run, store)
    words = [
        "contain",
        "--store",
        str(harbour.store),
        "--tenant",
        "harbour",
        "--engine",
        "memory",
        poison,
        *WHY,
        *RIGHT,
        "--yes",
    ]
    dead = subprocess.run(
        [sys.executable, "-c", _KILLER, step, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert dead.returncode == 9, dead
    assert harbour("contain", poison, "--status", "--json").json["containment"]["next"] == step
    on = harbour(*words[:1], poison, *WHY, *RIGHT, "--yes")
    assert on.code == 0 and f"Going on with {step}" in on.err
    assert harbour("value", "exception reports", "destination").out.startswith("case-management queue")


def test_evidence_and_texts_are_contained_too(acme: Acme, poisoned: dict[str, str]) -> None:
    done = acme("contain", poisoned["evidence"], *WHY, "--yes", "--json")
    assert done.code == 0 and done.json["report"]["correction"] is None
    assert set(states(acme, {k: v for k, v in poisoned.items() if k != "evidence"}).values()) == {"revoked"}
    assert acme("contain", poisoned["evidence"], *WHY, "--correct", "x", "--yes").code == 0  # closed: nothing is done
    other = acme.claim("invoices", "destination", "desk", "--uri", "b.md").json["claim_id"]
    text = acme("derive", *AGENT, "--kind", "summary", "--from", other, "To the desk.", "--json").json["id"]
    assert acme("contain", text, *WHY, "--yes").code == 0
    assert acme("show", other, "--json").json["state"] == "active"
    assert acme("show", text, "--json").json["state"] == "revoked"


def test_what_is_held_or_in_another_scope_is_no_correction(acme: Acme, poisoned: dict[str, str]) -> None:
    target = poisoned["claim"]
    web = acme.claim("exception reports", "destination", "web", "--uri", "w",
                     who=("--channel", "external", "--principal", "web"))  # fmt: skip
    assert acme("contain", target, *WHY, "--correction", web.json["claim_id"], "--yes").code == 3
    assert acme("contain", target, "--status", "--json").json["containment"]["next"] == "correct"
    assert acme("contain", target, *WHY, "--correct", "a", "--correction", "b").code == 2
    assert acme("contain", target, *WHY, "--locator", "line=1").code == 2
    assert acme("decide", *PERSON, web.json["claim_id"], "accept", "--reason", "it is so").code == 0
    assert acme("contain", target, *WHY, "--correction", web.json["claim_id"], "--yes").code == 0
    assert acme("value", "exception reports", "destination").out.startswith("web")


def test_steps_that_no_other_command_has(acme: Acme, poisoned: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "evidence.json"
    kept = acme("preserve", poisoned["claim"], "--output", file, "--json")
    assert kept.code == 0 and json.loads(file.read_text("utf-8"))["target"] == poisoned["claim"]
    assert acme("preserve", poisoned["claim"], "--output", file).code == 2  # evidence is never written over
    assert acme("cancel", *WHY, poisoned["action"], "--json").json["state"] == "cancelled"
    assert acme("cancel", *WHY, poisoned["action"]).code == 3
    assert acme("cancel", *WHY, poisoned["summary"]).code == 3
    assert acme("dispatch", "--channel", "trusted_tool", "--principal", "runner", poisoned["action"]).code == 3
    assert acme("renew", *PERSON, poisoned["skill"]).code == 2
    assert acme("revoke", *WHY, poisoned["claim"], "--yes").code == 0
    assert acme("renew", *PERSON, poisoned["summary"], "--json").code == 1
    right = acme.claim("exception reports", "destination", "queue", "--uri", "b", who=PERSON).json["claim_id"]
    assert acme("supersede", *PERSON, poisoned["claim"], right, "--reason", "r").code == 0
    new = acme("renew", *PERSON, poisoned["summary"], "--json").json["renewed"]
    assert acme("renew", *PERSON, poisoned["summary"], "--json").json["renewed"] == new
    assert "queue" in acme("show", new).out
    assert acme("contain").out.startswith("Nothing was contained")


def test_a_user_cannot_name_what_others_contain(acme: Acme, poisoned: dict[str, str]) -> None:
    private = acme.claim("locker", "code", "blue", "--user", "ana", "--uri", "n").json["claim_id"]
    assert acme("contain", private, *WHY, "--user", "ben", "--yes").code == 2
    assert acme("contain", private, *WHY, "--correct", "red", "--yes").code == 3  # the correction belongs in her scope
    assert acme("contain", private, *WHY, "--user", "ana", "--correct", "red", "--yes").code == 0
    assert acme("value", "locker", "code", "--user", "ana").out.startswith("red")
    assert acme("contain", "--user", "ben", "--json").json["count"] == 0
    assert acme("contain", "--user", "ana", "--json").json["count"] == 1


def test_what_is_missing_is_named(acme: Acme, poisoned: dict[str, str]) -> None:
    part = acme("contain", poisoned["claim"], "--reason", "r")
    assert part.code == 2 and "--channel human_verified" in part.err and "--principal" in part.err
    assert "--reason" not in part.err
    wrong = acme("contain", poisoned["claim"], *PERSON, "--reason", "r", "--channel", "human")
    assert "'human' is not one of" in wrong.err and "Value error" not in wrong.err
