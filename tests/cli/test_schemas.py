"""Every `--json` document has a schema that is shipped, up to date, and true of what the commands print."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import AGENT, PERSON, SYSTEM, Acme, Run
from tests.house.sources import ROOT
from tkg.cli.forms import FOLDER, file_of, forms, schema_of, text_of

#: documents whose commands need more than this store; only the form of their schemas is checked here
ELSEWHERE = {
    "tkg.conform/1",
    "tkg.consolidate.undo/1",
    "tkg.consolidate/1",
    "tkg.evidence/1",
    "tkg.forget/1",
    "tkg.forget.verify/1",
    "tkg.hold/1",
    "tkg.import/1",
    "tkg.unarchive/1",
}


def test_the_files_are_up_to_date() -> None:
    names = {file_of(name).name: text_of(name) for name in forms()}
    stored = {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.json")}
    assert stored == names, "make them again: python -m tkg.cli.forms"


def test_every_name_that_is_printed_has_a_schema() -> None:
    source = "".join(
        file.read_text("utf-8") for file in sorted((ROOT / "tkg/cli").glob("*.py")) if file.name != "forms.py"
    )
    printed = set(re.findall(r'"(tkg\.[a-z_.]+/\d+)"', source)) | {"tkg.why/1", "tkg.why_not/1", "tkg.single_points/1"}
    assert printed == set(forms())


@pytest.mark.parametrize("name", sorted(forms()))
def test_each_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))


def check(document: dict[str, Any], seen: set[str]) -> None:
    name = document["schema"]
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in
              Draft202012Validator(schema_of(name)).iter_errors(document)]  # fmt: skip
    assert errors == [], name
    seen.add(name)


def test_what_commands_print_is_what_the_schemas_say(
    acme: Acme, mailbox: dict[str, str], run: Run, tmp_path: Path
) -> None:
    claim, seen = mailbox["claim"], set[str]()
    made = acme.claim("exception reports", "destination", "queue", "--uri", "billing.yaml", who=SYSTEM)
    other = acme.claim("invoices", "destination", "desk", "--uri", "b.md").json["claim_id"]
    rival = acme.claim("invoices", "destination", "hall", "--uri", "c.md", "--valid-from", "2026-01-01",
                       who=("--channel", "human_stated", "--principal", "ben")).json["claim_id"]  # fmt: skip
    extra = acme.claim("x", "colour", "red", "--uri", "n").json["claim_id"]
    held = acme.claim("x", "p", "y", "--uri", "w", who=("--channel", "external", "--principal", "web"))
    text = tmp_path / "note.md"
    text.write_text("Deploys need two approvals since March.\n", encoding="utf-8")
    at = ("--store", acme.store, "--json")
    read = acme("recall", "where do exception reports go", "--json")
    calls: list[Any] = [
        made, held,
        run("init", *at), run("doctor", *at), run("verify", *at), run("demo", "--store", tmp_path / "demo", "--engine", "memory", "--json"),
        acme("remember", *PERSON, "Deploys need two approvals since March.", "--json"),
        acme("ingest", *PERSON, text, "--json"),
        acme("recall", "where do exception reports go", "--session", "desk-4", "--json"),
        acme("recall", "nothing of the kind at all", "--json"),
        acme("value", "exception reports", "destination", "--json"),
        acme("timeline", "exception reports", "destination", "--json"),
        *(acme(verb, claim, "--json") for verb in ("show", "explain", "lineage", "exposure", "blast", "poison-chain")),
        *(acme(verb, mailbox["summary"], "--json") for verb in ("show", "explain", "lineage", "exposure", "blast")),
        *(acme("lineage", claim, flag, "--json") for flag in ("--why", "--why-not", "--single-points")),
        acme("contradictions", "--limit", "5", "--json"), acme("skills", "--json"),
        acme("contradictions", "--json"), acme("contradictions", "--pair", other, "--pair", rival, "--json"),
        acme("review", "--json"), acme("confirm", *PERSON, other, "--json"),
        run("evaluate", "--count", "4", "--json"), acme("audit", "precision", "--json"),
        acme("audit", "label", read.json["id"], "--item", read.json["items"][0]["id"], "--is", "right", *PERSON, "--json"),
        acme("core", *PERSON, "--pin", other, "--json"), acme("core", "--output", tmp_path / "core.md", "--json"),
        acme("core", *PERSON, "--read", tmp_path / "core.md", "--json"),
        acme("ran", mailbox["skill"], "failed", *PERSON, "--note", "no answer", "--json"),
        acme("decide", *PERSON, held.json["claim_id"], "accept", "--reason", "looked at", "--json"),
        acme("freeze", *PERSON, "--subject", "z", "--reason", "r", "--json"),
        acme("thaw", *PERSON, "--subject", "z", "--reason", "r", "--json"),
        acme("supersede", *PERSON, rival, other, "--reason", "r", "--json"),
        acme("derive", *AGENT, "--kind", "action", "--from", other, "Send it to the desk.", "--json"),
        acme("notes", *AGENT, "--session", "run-7", "--keep", "next=ask", "--json"),
        acme("contain", mailbox["skill"], *PERSON, "--reason", "r", "--json", "--folder", tmp_path / "c0"),
        acme("contain", mailbox["skill"], *PERSON, "--reason", "r", "--yes", "--json", "--folder", tmp_path / "c"),
        acme("contain", "--json"), acme("preserve", claim, "--output", tmp_path / "bundle.json", "--json"),
        acme("cancel", mailbox["action"], *PERSON, "--reason", "r", "--json"),
        acme("renew", mailbox["summary"], *PERSON, "--json"),
        acme("quarantine", *PERSON, claim, "--reason", "r", "--json"),
        acme("lineage", mailbox["summary"], "--why-not", "--json"),
        acme("release", *PERSON, claim, "--reason", "r", "--json"),
        acme("revoke", *PERSON, claim, "--reason", "r", "--dry-run", "--json"),
        acme("revoke", *PERSON, claim, "--reason", "r", "--yes", "--json"),
        acme("diff", "--as-of", "tx:2", "--json"), acme("maintain", "--json"),
        acme("predicates", "--json"), acme("predicates", "suggest", "--json"), acme("export", "--json"),
        acme("audit", "--json"), acme("audit", "regressions", "--json"), acme("show", "exception reports", "--json"),
        acme("show", "x", "--correct", extra, "--to", "blue", *PERSON, "--reason", "r", "--json"),
        acme("show", "x", "--delete", extra, *PERSON, "--reason", "r", "--json"),
        acme("metrics", "--json"), acme("audit", "sample", "--json"), acme("audit", "drift", "--json"),
        acme("audit", "global", "--json"), acme("audit", "sources", "--json"), acme("policy", "compare", acme.store / "tkg.toml", "--json"),
        acme("audit", "mark", held.json["id"], "--is", "right", *PERSON, "--json"),
        acme("derive", *AGENT, "--kind", "skill", "--from", other, "Use the desk.", "--json"),
        acme("promote", *PERSON, other, "--to", "global", "--reason", "r", "--json"),
        acme("rebuild", "--json"), run("backup", "--store", acme.store, tmp_path / "copy", "--json"),
        run("restore", "--store", tmp_path / "back", tmp_path / "copy", "--json"),
        acme.run("head", "--store", acme.store, "--tenant", "acme", "--json"),
        acme.run("proof", "--store", acme.store, "--tenant", "acme", "2", "--json"),
    ]  # fmt: skip
    action = next(r.json["id"] for r in calls if r.out.startswith('{"schema": "tkg.derive'))
    calls.append(acme("dispatch", "--channel", "trusted_tool", "--principal", "runner", action, "--json"))
    for result in calls:
        assert result.code in (0, 1, 3) and result.out, result
        check(result.json, seen)
    assert set(forms()) - seen - ELSEWHERE == set()


def test_a_document_with_a_field_too_many_or_too_few_is_no_document(acme: Acme, mailbox: dict[str, str]) -> None:
    document = acme("lineage", mailbox["claim"], "--json").json
    check(document, set())
    for change in ({"root": None}, {"more": 1}, {"schema": "tkg.lineage/2"}):
        wrong = {**copy.deepcopy(document), **change}
        assert list(Draft202012Validator(schema_of("tkg.lineage/1")).iter_errors(wrong))
    del document["down"]
    assert list(Draft202012Validator(schema_of("tkg.lineage/1")).iter_errors(document))


def test_a_person_can_read_a_schema(run: Run) -> None:
    listed = run("schema")
    assert listed.code == 0 and all(name in listed.out for name in forms())
    assert json.loads(run("schema", "tkg.recall/1").out) == schema_of("tkg.recall/1")
    assert run("schema", "recall").out == run("schema", "tkg.recall/1").out and run("schema", "nothing").code == 2
