"""Investigating with commands alone: short ids, why and why not, pairs side by side, both axes, pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import AGENT, PERSON, WHO, Acme


def test_any_beginning_that_is_the_only_one_names_an_id(acme: Acme, mailbox: dict[str, str]) -> None:
    claim = mailbox["claim"]
    short = next(line for line in acme("lineage", claim).out.splitlines() if line.startswith("clm_"))
    assert claim.startswith(short) and len(short) < len(claim)
    for command in ("lineage", "show", "explain", "exposure", "blast", "poison-chain"):
        assert acme(command, short, "--json").json == acme(command, claim, "--json").json, command
    assert acme("quarantine", *PERSON, short, "--reason", "under review").code == 0
    assert acme("show", claim, "--json").json["state"] == "quarantined"
    assert acme("release", *PERSON, short, "--reason", "it was right").code == 0


def test_every_command_that_writes_takes_a_beginning_too(acme: Acme, mailbox: dict[str, str]) -> None:
    short = {name: identifier[:-1] for name, identifier in mailbox.items()}
    why = (*PERSON, "--reason", "checked")
    mine = acme.claim("ana", "prefers", "tea", "--user", "ana", who=PERSON).json["claim_id"]
    made = acme("promote", "--user", "ana", *why, mine[:-1], "--json")
    assert made.code == 0 and made.json["claim_id"]
    rests = acme("derive", *AGENT, "--kind", "summary", "--from", short["claim"], "It says so.", "--json").json["id"]
    assert acme("lineage", rests, "--json").json["up"][0]["id"] == mailbox["claim"]
    bound = acme.claim("desk", "phone", "12", "--depends-on", short["claim"]).json["claim_id"]
    assert mailbox["claim"] in {one["other"] for one in acme("explain", bound, "--json").json["edges"]}
    assert acme("hold", *why, short["claim"]).code == 0
    assert acme("forget", short["claim"]).code == 0 and acme("forget", *why, short["claim"], "--yes").code == 3
    assert acme("hold", *why, short["claim"], "--lift").code == 0
    assert acme("audit", "mark", short["claim"], "--is", "right", *PERSON).code == 0
    assert acme("forget", *why, short["claim"], "--yes").code == 0
    assert acme("show", mailbox["claim"], "--json").json["state"] == "erased"
    for words in (("promote", *why), ("forget",), ("hold", *why), ("unarchive", *why)):
        unknown = acme(*words, "clm_zzz")
        assert unknown.code == 2 and "begins like that" in unknown.err, words


def test_a_beginning_of_several_ids_lists_them(acme: Acme, mailbox: dict[str, str]) -> None:
    result = acme("show", "art_")
    assert result.code == 2 and all(mailbox[kind] in result.err for kind in ("summary", "skill", "action"))
    assert acme("show", "clm_zzzz").code == 2 and acme("show", "").code == 2


def test_why_and_why_not_and_single_points(acme: Acme, mailbox: dict[str, str]) -> None:
    summary, evidence = mailbox["summary"], mailbox["evidence"]
    why = acme("lineage", summary, "--why", "--json").json
    assert [[one["id"] for one in reason["evidence"]] for reason in why["reasons"]] == [[evidence]]
    assert "sent to the regional settlement mailbox" in " ".join(acme("lineage", summary, "--why").out.split())
    single = acme("lineage", summary, "--single-points", "--json").json
    assert single["stands"] and [one["id"] for one in single["points"]] == [evidence]
    acme("revoke", *PERSON, "--evidence", evidence, "--reason", "retired", "--yes")
    missing = acme("lineage", summary, "--why-not", "--json").json
    assert not missing["stands"] and missing["missing"][0]["causes"][0]["id"] == evidence
    assert acme("lineage", summary, "--why", "--json").json["reasons"] == []
    then = acme("lineage", summary, "--why", "--as-of", "tx:5", "--json").json
    assert then["as_of"] == 5 and len(then["reasons"]) == 1
    for words in (("--why", "--why-not"), ("--as-of", "tx:3"), ("--why", "--dot")):
        assert acme("lineage", summary, *words).code == 2


def test_blast_and_poison_chain_and_diff(acme: Acme, mailbox: dict[str, str]) -> None:
    acme("recall", "where do exception reports go", "--session", "desk-4")
    blast = acme("blast", mailbox["evidence"], "--json").json
    assert {one["id"] for one in blast["plan"]["falls"]} == {
        mailbox[k] for k in ("claim", "summary", "skill", "action")
    }
    assert blast["sessions"] == ["desk-4"] and [one["id"] for one in blast["actions"]] == [mailbox["action"]]
    assert acme("blast", "--source", "guide.md", "--json").json["plan"]["falls"] == blast["plan"]["falls"]
    assert acme("blast").code == 2 and acme("blast", mailbox["claim"], "--source", "guide.md").code == 2
    chain = acme("poison-chain", mailbox["action"], "--json").json
    assert [one["id"] for one in chain["links"]] == [mailbox["claim"], mailbox["evidence"]]
    assert chain["links"][0]["first_shown"]["session"] == "desk-4" and chain["links"][1]["uri"] == "guide.md"
    before = acme("explain", mailbox["claim"], "--json").json["written_seq"]
    late = acme("diff", "--as-of", "tx:900", "--json")
    assert late.code == 2 and "there is no transaction 900: the newest is" in late.err
    acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired", "--yes")
    result = acme("diff", "--as-of", f"tx:{before}", "--json")
    assert result.code == 1
    assert {one["id"]: one["after"] for one in result.json["nodes"]}[mailbox["claim"]] == "revoked"
    (slot,) = result.json["slots"]
    assert slot["stretches"][0]["before"]["value"] == "regional settlement mailbox"
    assert slot["stretches"][0]["after"]["kind"] == "none"
    for words in ((), ("--as-of", "tx:1", "--as-of", "tx:2", "--as-of", "tx:3"), ("--as-of", "soon")):
        assert acme("diff", *words).code == 2


@pytest.fixture
def clash(acme: Acme) -> tuple[str, str]:
    ids = []
    for who, value, since in (("ana", "case-management queue", "2026-02"), ("ben", "regional mailbox", "2026-03")):
        made = acme.claim(
            "exception reports", "destination", value, "--valid-from", since, "--uri", f"mail/{who}",
            "--quote", f"Use the {value}.", who=("--channel", "human_stated", "--principal", who),
        )  # fmt: skip
        ids.append(made.json["claim_id"])
    acme("derive", *AGENT, "--kind", "summary", "--from", ids[1], "Use the mailbox.")
    return ids[0], ids[1]


def test_a_pair_side_by_side(acme: Acme, clash: tuple[str, str]) -> None:
    listed = acme("contradictions", "--json")
    assert listed.code == 1 and listed.json["count"] == 1
    found = acme("contradictions", "--pair", clash[0], "--pair", clash[1], "--json").json
    assert {found["left"]["evidence"][0]["quote"], found["right"]["evidence"][0]["quote"]} == {
        "Use the case-management queue.",
        "Use the regional mailbox.",
    }
    assert found["row"] == "row-9" and found["overlap_from"].startswith("2026-03-01") and found["overlap_to"] is None
    choices = {one["what"]: one for one in found["choices"]}
    assert choices["leave it"]["answer"]["kind"] == "conflict"
    assert choices["keep case-management queue"]["answer"]["value"] == "case-management queue"
    assert len(choices["keep case-management queue"]["stale"]) == 1
    assert len(choices["withdraw regional mailbox"]["falls"]) == 1
    out = acme("contradictions", "--pair", clash[0], "--pair", clash[1]).out
    upper, lower = (
        next(line for line in out.splitlines() if line.strip().startswith(word)) for word in ("says │", "against │")
    )
    assert upper.index("█") < lower.index("█") and upper.rstrip("│").endswith("█")
    assert all(len(line) <= 80 for line in out.splitlines())


def test_what_a_choice_says_is_what_it_does(acme: Acme, clash: tuple[str, str]) -> None:
    found = acme("contradictions", "--pair", clash[0], "--pair", clash[1], "--json").json
    keep = next(one for one in found["choices"] if one["what"] == "keep case-management queue")
    _, command, old, new = keep["command"].split(" ")
    assert acme(command, *PERSON, old, new, "--reason", "asked operations").code == 0
    answer = acme("value", "exception reports", "destination", "--valid-at", found["asked_at"], "--json").json
    assert (answer["kind"], answer["value"]) == (keep["answer"]["kind"], keep["answer"]["value"])
    assert acme("contradictions").code == 0
    settled = acme("contradictions", "--state", "settled", "--json")
    assert settled.code == 0 and [one["certainty"] for one in settled.json["items"]] == ["settled"]


def test_contradictions_by_subject_predicate_and_source(acme: Acme, clash: tuple[str, str]) -> None:
    assert clash
    for words, count in (
        (("--subject", "Exception  Reports"), 1), (("--subject", "crane"), 0),
        (("--predicate", "destination"), 1), (("--predicate", "colour"), 0),
        (("--source", "mail/ben"), 1), (("--source", "mail"), 0),
        (("--state", "open"), 1), (("--state", "possible"), 0), (("--state", "all"), 1),
    ):  # fmt: skip
        assert acme("contradictions", *words, "--json").json["count"] == count, words


def test_a_timeline_shows_what_was_believed_earlier(acme: Acme, clash: tuple[str, str]) -> None:
    acme("supersede", *PERSON, clash[1], clash[0], "--reason", "asked operations")
    found = acme("timeline", "exception reports", "destination", "--json").json
    assert [one["answer"]["value"] for one in found["segments"]] == ["case-management queue"]
    kinds = [(one["answer"]["kind"], one["tx_to"] is None) for one in found["history"]]
    assert ("conflict", False) in kinds and ("value", True) in kinds
    assert "Believed earlier" in acme("timeline", "exception reports", "destination").out


def test_each_page_is_written_and_its_file_is_private(acme: Acme, mailbox: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    acme("recall", "where do exception reports go", "--session", "desk-4")
    for words in (
        ("lineage", mailbox["claim"]), ("blast", mailbox["claim"]), ("poison-chain", mailbox["action"]),
        ("exposure", mailbox["claim"]), ("timeline", "exception reports", "destination"),
    ):  # fmt: skip
        page = tmp_path / f"{words[0]}.html"
        result = acme(*words, "--html", page)
        assert result.code == 0 and str(page.name) in result.out.replace("\n", ""), result
        text = page.read_text("utf-8")
        assert text.startswith("<!DOCTYPE html>") and "<svg" in text and "regional settlement mailbox" in text
        assert page.stat().st_mode & 0o077 == 0
    assert acme("lineage", mailbox["claim"], "--html", tmp_path / "no" / "such.html").code == 2


def test_the_dot_form_is_one_graph(acme: Acme, mailbox: dict[str, str]) -> None:
    out = acme("lineage", mailbox["claim"], "--dot").out
    assert out.startswith("digraph lineage {") and out.rstrip().endswith("}")
    assert f'"{mailbox["evidence"]}" -> "{mailbox["claim"]}";' in out
    assert f'"{mailbox["claim"]}" -> "{mailbox["action"]}";' in out


def test_a_long_list_of_contradictions_is_cut_and_says_how_long_it_is(
    acme: Acme, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        acme.claim("reports", "destination", f"desk {number}", "--principal", f"p{number}", who=WHO[:2])
    whole = acme("contradictions")
    assert whole.code == 1 and "3. reports" in whole.out and "These are" not in whole.out
    monkeypatch.setattr("tkg.cli.disputes._SHOWN", 2)
    cut = acme("contradictions")
    assert cut.code == 1 and "3. reports" not in cut.out and "These are 2 of 3." in cut.out
    assert acme("contradictions", "--json").json["count"] == 3
