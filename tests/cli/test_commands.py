"""What the commands do, told by their exit codes and their JSON."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import AGENT, PERSON, SYSTEM, WHO, Acme, Run
from tkg.cli.options import transaction
from tkg.cli.screen import period
from tkg.text import when


def test_init_makes_a_store_and_keeps_one(run: Run, tmp_path: Path) -> None:
    for _ in range(2):
        result = run("init", "--store", tmp_path / "s", "--tenant", "acme", "--tenant", "birch", "--json")
        assert result.code == 0 and result.json["tenants"] == ["acme", "birch"]


def test_propose_tells_verdicts_by_exit_codes(acme: Acme) -> None:
    accepted = acme.claim("exception reports", "destination", "queue", "--uri", "guide.md")
    assert (accepted.code, accepted.json["outcome"]) == (0, "accepted")
    again = acme.claim("exception reports", "destination", "queue", "--uri", "memo.md", who=PERSON)
    assert (again.code, again.json["outcome"]) == (0, "reinforced")
    assert again.json["claim_id"] == accepted.json["claim_id"]
    held = acme.claim(
        "exceptions", "owner", "Ben", "--uri", "page.html", who=("--channel", "external", "--principal", "web")
    )
    assert (held.code, held.json["outcome"]) == (3, "held")
    assert held.err.startswith("Held: ") and held.err.count("\n") == 1
    rejected = acme.claim("exceptions", "limit", "5", who=AGENT)
    assert (rejected.code, rejected.json["outcome"]) == (3, "rejected")


def test_a_claim_is_read_back(acme: Acme, mailbox: dict[str, str]) -> None:
    found = acme("recall", "where do exception reports go?", "--session", "s1", "--json").json
    assert found["items"][0]["id"] == mailbox["claim"] and found["schema"] == "tkg.recall/1"
    assert "regional settlement mailbox" in found["text"]
    value = acme("value", "exception reports", "destination", "--json").json
    assert (value["kind"], value["value"]) == ("value", "regional settlement mailbox")
    assert acme("value", "exception reports", "destination", "--as-of", "tx:0", "--json").json["kind"] == "none"
    (segment,) = [one for one in acme("timeline", "exception reports", "destination", "--json").json["segments"]
                  if one["answer"]["kind"] == "value"]  # fmt: skip
    assert segment["valid_to"] is None
    shown = acme("show", mailbox["claim"], "--json").json
    assert shown["state"] == "active" and shown["evidence"][0]["locator"] == "line=75" and "decisions" not in shown
    assert acme("explain", mailbox["claim"], "--json").json["decisions"]
    reads = acme("exposure", mailbox["claim"], "--json").json
    assert [one["session"] for one in reads["reads"]] == ["s1"] and reads["count"] == 1


def test_lineage_reaches_up_and_down(acme: Acme, mailbox: dict[str, str]) -> None:
    found = acme("lineage", mailbox["claim"], "--json").json
    assert {one["id"] for one in found["down"]} == {mailbox[kind] for kind in ("summary", "skill", "action")}
    assert mailbox["evidence"] in {one["id"] for one in found["up"]} and found["up"][-1]["kind"] == "source"
    table = acme("lineage", mailbox["claim"])
    assert table.code == 0
    for identifier in mailbox.values():
        assert named(identifier, table.out)


def named(identifier: str, out: str) -> bool:
    """Return whether an id is shown, whole or by a beginning of it."""
    return any(len(word) >= 12 and identifier.startswith(word) for word in out.split())


def test_contradictions_are_found_by_exit_code(acme: Acme) -> None:
    assert acme("contradictions").code == 0
    acme.claim("invoices", "destination", "desk one", "--uri", "a.md", "--valid-from", "2026-01-01")
    acme.claim("invoices", "destination", "desk two", "--uri", "b.md", "--valid-from", "2026-01-01",
               who=("--channel", "human_stated", "--principal", "ben"))  # fmt: skip
    result = acme("contradictions", "--json")
    assert result.code == 1 and result.json["count"] == 1
    assert {result.json["items"][0]["left_object"], result.json["items"][0]["right_object"]} == {"desk one", "desk two"}
    shown = acme("contradictions")
    assert shown.code == 1 and "desk one" in shown.out and "desk two" in shown.out
    value = acme("value", "invoices", "destination")
    assert value.code == 0 and "in conflict" in value.out


def test_a_revocation_is_planned_asked_for_and_carried_out(acme: Acme, mailbox: dict[str, str]) -> None:
    before = acme.bytes()
    plan = acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired", "--dry-run", "--json")
    assert plan.code == 0 and plan.json["done_at"] is None
    assert {mailbox[kind] for kind in ("summary", "skill", "action")} <= {one["id"] for one in plan.json["falls"]}
    assert acme.bytes() == before
    unasked = acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired")
    assert unasked.code == 2 and "--yes" in unasked.err and mailbox["action"] in unasked.out
    assert acme("show", mailbox["claim"], "--json").json["state"] == "active"
    done = acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired", "--yes", "--json")
    assert done.code == 0 and done.json["done_at"] is not None and done.json["falls"] == plan.json["falls"]
    for identifier in (mailbox["claim"], mailbox["summary"], mailbox["action"]):
        assert acme("show", identifier, "--json").json["state"] == "revoked"
    refused = acme("dispatch", *AGENT, mailbox["action"])
    assert refused.code == 3 and refused.err.count("\n") == 1


@pytest.mark.parametrize(("answer", "state"), [("y", "revoked"), ("n", "active"), ("", "active")])
def test_in_a_terminal_a_revocation_asks(
    acme: Acme, mailbox: dict[str, str], monkeypatch: pytest.MonkeyPatch, answer: str, state: str
) -> None:
    monkeypatch.setattr("tkg.cli.contain._in_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(answer + "\n"))
    result = acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired")
    assert result.code == 0 and "Carry it out?" in result.out and mailbox["action"] in result.out
    assert acme("show", mailbox["claim"], "--json").json["state"] == state


def test_a_question_that_nobody_answers_changes_nothing(
    acme: Acme, mailbox: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tkg.cli.contain._in_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired").code == 130
    assert acme("show", mailbox["claim"], "--json").json["state"] == "active"


def test_a_quarantine_is_undone_by_a_release(acme: Acme, mailbox: dict[str, str]) -> None:
    assert acme("quarantine", *PERSON, mailbox["claim"], "--reason", "under review").code == 0
    assert acme("show", mailbox["claim"], "--json").json["state"] == "quarantined"
    assert acme("dispatch", *AGENT, mailbox["action"]).code == 3
    assert acme("release", *PERSON, mailbox["claim"], "--reason", "it is right", "--json").code == 0
    assert acme("show", mailbox["claim"], "--json").json["state"] == "active"
    assert acme("dispatch", *AGENT, mailbox["action"], "--json").json["state"] == "dispatched"


@pytest.mark.parametrize("command", [("revoke", "--dry-run"), ("revoke", "--yes"), ("revoke",), ("quarantine",)])
def test_who_takes_back_a_claim_is_told_which_texts_still_say_it(
    acme: Acme, tmp_path: Path, command: tuple[str, ...]
) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("Exception reports are sent to the old mailbox. Ana Reed lives in Leeds.", encoding="utf-8")
    assert acme("ingest", "--channel", "trusted_tool", "--principal", "guide-loader", guide).code == 0
    claim = acme("value", "exception reports", "destination", "--json").json["claims"][0]
    shown = acme("recall", "exception reports", "--json").json["items"]
    text = next(one["id"] for one in shown if one["kind"] == "episode")
    verb, *options = command
    told = acme(verb, *PERSON, claim, "--reason", "retired", *options)
    assert text in told.out and "--source" in told.out, told
    assert acme("revoke", *PERSON, text, "--reason", "says it too", "--yes").code == 0
    if "--yes" in options:  # the text is gone, too: a second claim of the same source has nothing left to tell of
        other = acme("value", "Ana Reed", "lives_in", "--json").json["claims"][0]
        again = acme("revoke", *PERSON, other, "--reason", "moved", "--yes")
        assert again.code == 0 and "can still be recalled" not in again.out
        left = acme("recall", "exception reports", "--json").json["items"]
        assert not [one for one in left if "old mailbox" in str(one)]


@pytest.mark.parametrize("target", [("--source", "guide.md"), ("--of-principal", "guide-loader")])
def test_a_revocation_by_source_or_principal(acme: Acme, mailbox: dict[str, str], target: tuple[str, str]) -> None:
    assert acme("revoke", *PERSON, *target, "--reason", "wrong version", "--yes").code == 0
    assert acme("show", mailbox["claim"], "--json").json["state"] == "revoked"


def test_a_target_is_named_once(acme: Acme, mailbox: dict[str, str]) -> None:
    for target in ((), (mailbox["claim"], "--claim", mailbox["claim"]), ("--claim", "a", "--source", "b")):
        assert acme("quarantine", *PERSON, *target, "--reason", "x").code == 2


def test_a_freeze_holds_writes(acme: Acme) -> None:
    assert acme("freeze", *PERSON, "--subject", "deploys", "--reason", "incident 7").code == 0
    assert acme.claim("deploys", "needs", "two approvals").json["outcome"] == "held"
    assert acme.claim("invoices", "needs", "one approval").json["outcome"] == "accepted"
    assert acme("thaw", *PERSON, "--subject", "deploys", "--reason", "closed", "--json").json["state"] == "thawed"
    assert acme.claim("deploys", "tool", "a pipeline").json["outcome"] == "accepted"


def test_a_correction_supersedes(acme: Acme, mailbox: dict[str, str]) -> None:
    new = acme.claim("exception reports", "destination", "case-management queue", "--uri", "billing.yaml",
                     "--valid-from", "2025-01-01", who=SYSTEM).json["claim_id"]  # fmt: skip
    result = acme("supersede", *PERSON, mailbox["claim"], new, "--reason", "retired", "--json")
    assert result.code == 0 and result.json["new"] == new
    assert acme("value", "exception reports", "destination", "--json").json["value"] == "case-management queue"
    assert acme("show", mailbox["claim"], "--json").json["state"] == "superseded"


def test_what_waits_is_decided_by_a_person(acme: Acme) -> None:
    assert acme("review").code == 0
    held = acme.claim("exceptions", "owner", "Ben", "--uri", "page.html", "--quote", "Ben owns exceptions.",
                      who=("--channel", "external", "--principal", "web")).json["claim_id"]  # fmt: skip
    waiting = acme("review", "--json").json
    assert [one["id"] for one in waiting["items"]] == [held]
    assert held in acme("review").out
    assert acme("decide", *AGENT, held, "accept").code == 3
    assert acme("decide", *PERSON, held, "accept", "--reason", "checked").code == 0
    assert acme("value", "exceptions", "owner", "--json").json["values"] == ["Ben"]
    assert acme("decide", *PERSON, held, "reject").code == 3
    assert acme("decide", *PERSON, held, "perhaps").code == 2


def test_a_person_verifies(acme: Acme, mailbox: dict[str, str]) -> None:
    result = acme("confirm", *PERSON, mailbox["claim"], "--uri", "ticket-88", "--json")
    assert result.code == 0
    assert acme("show", mailbox["claim"], "--json").json["channel"] == "human_verified"


def test_remember_reads_sentences(acme: Acme) -> None:
    result = acme("remember", *WHO, "--speaker", "Ana", "The payments team owns the ledger service.", "--json")
    assert result.code == 0
    episode, *claims = result.json["verdicts"]
    assert episode["outcome"] == "accepted" and [one["outcome"] for one in claims] == ["accepted"]
    assert acme("remember", *WHO, "--speaker", "Ana", "The audit team owns the archive.").code == 0


def test_export_and_rebuild_agree(acme: Acme, mailbox: dict[str, str], tmp_path: Path) -> None:
    first = acme("export")
    assert first.code == 0 and all(json.loads(line) for line in first.out.splitlines())
    assert acme("rebuild", "--json").json["entries"] > 3
    assert acme("export").out == first.out
    assert acme("export", "--output", tmp_path / "out.jsonl").code == 0
    assert (tmp_path / "out.jsonl").read_text() == first.out
    assert acme("export", "--output", tmp_path / "out.jsonl").code == 2
    assert acme("export", "--output", tmp_path / "no" / "out.jsonl").code == 2
    assert len(acme("export", "--json").json["records"]) == len(first.out.splitlines())


def test_derive_refuses_what_rests_on_nothing(acme: Acme) -> None:
    result = acme("derive", *AGENT, "--kind", "summary", "Nothing.")
    assert result.code == 2 and result.err.count("\n") == 1
    assert acme("derive", *AGENT, "--kind", "poem", "Nothing.").code == 2
    assert acme("derive", *AGENT, "--kind", "skill", "--meta", "nameless", "--from", "clm_1", "x").code == 2


READS = {
    "recall": ("anything at all",), "value": ("a", "b"), "timeline": ("a", "b"), "contradictions": (), "review": (),
    "export": (),
}  # fmt: skip


@pytest.mark.parametrize("command", READS)
def test_an_empty_tenant_answers(acme: Acme, command: str) -> None:
    assert acme(command, *READS[command]).code == 0
    result = acme(command, *READS[command], "--json")
    assert result.code == 0 and result.json["schema"] == f"tkg.{command}/1"


def test_tables_fit_eighty_columns_and_keep_ids_whole(acme: Acme, mailbox: dict[str, str]) -> None:
    acme("recall", "exception reports")
    for command, *words in (
        ["show", mailbox["claim"]], ["explain", mailbox["claim"]], ["lineage", mailbox["claim"]], ["review"],
        ["exposure", mailbox["claim"]], ["timeline", "exception reports", "destination"], ["recall", "exception reports"],
        ["revoke", *PERSON, mailbox["claim"], "--reason", "x", "--dry-run"],
    ):  # fmt: skip
        out = acme(command, *words).out
        assert max(map(len, out.splitlines())) <= 80, (command, out)
        assert "\x1b" not in out
        if command not in ("review", "exposure"):
            assert named(mailbox["claim"], out), (command, out)


def test_as_of_takes_transactions_and_times() -> None:
    assert transaction("tx:12") == 12 and transaction("TX:0") == 0
    assert transaction("2026-03-01") == "2026-03-01" and transaction(None) is None and transaction("12") == "12"


def test_times_are_shortened() -> None:
    assert when("2026-03-01T00:00:00Z") == "2026-03-01" and when("2026-03-01T09:30:00Z") == "2026-03-01T09:30Z"
    assert when("2026-03-01T09:30:05Z") == "2026-03-01T09:30:05Z" and when(None) == "…"
    assert period(None, "2026-03-01T00:00:00Z") == "… → 2026-03-01"
