"""`audit` as a whole, `metrics` over a window, `show SUBJECT`: what a person is told, and that each figure moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

import tkg
from tests.cli.conftest import AGENT, PERSON, WHO, Acme
from tests.hostile import Page

ASKED = "where do exception reports go"


def sections(acme: Acme) -> dict[str, Any]:
    return {one["name"]: one for one in acme("audit", "--json").json["sections"]}


def test_nothing_needs_a_person_in_an_empty_store(acme: Acme) -> None:
    found = acme("audit", "--json")
    assert found.code == 0 and found.json["needs"] == [] and found.json["claims"] == 0
    assert "Nothing." in acme("audit").out


def test_what_is_shown_most_says_how_it_is_known(acme: Acme, mailbox: dict[str, str]) -> None:
    for _ in range(3):
        acme("recall", "--session", "desk-4", ASKED)
    found = acme("audit", "--json").json
    first = next(one for one in found["most_shown"] if one["id"] == mailbox["claim"])
    assert first["reads"] == 3 and first["weak"] == [] and first["verified"] is None
    assert "guide-loader (trusted_tool) said so in guide.md, version 3, line=75 on " in first["how"]
    assert first["evidence"][0]["quote"] in "Exception reports are sent to the regional settlement mailbox."
    assert acme("confirm", *PERSON, mailbox["claim"], "--uri", "ticket-88").code == 0
    found = acme("audit", "--json").json
    first = next(one for one in found["most_shown"] if one["id"] == mailbox["claim"])
    assert first["verified"] is not None and first["independent_origins"] == 2
    assert "verified on" in first["how"] and first["how"] in " ".join(acme("audit").out.split())
    assert first["marked"] is None
    assert acme("audit", "mark", mailbox["claim"], "--is", "wrong", *PERSON).code == 0  # by the claim's own id
    found = acme("audit", "--json").json
    assert next(one for one in found["most_shown"] if one["id"] == mailbox["claim"])["marked"] is False
    assert acme("metrics", "--json").json["false_accepts"]["hits"] == 1


def test_each_weakness_is_found_and_its_control_is_not(acme: Acme) -> None:
    good = acme.claim(
        "depot", "opens_at", "06:00", "--uri", "notice.md", "--quote", "The depot opens at six in the morning, always."
    )
    assert good.code == 0
    calm = acme("audit", "--json")
    assert calm.code == 0 and calm.json["standing"] == 1, calm.json["needs"]
    told = acme.claim("depot", "closes_at", "18:00", "--uri", "said:ana")
    copy = acme.claim("annex", "opens_at", "07:00", "--uri", "wiki.md", "--copy-of", "notice.md")
    same = acme.claim("yard", "opens_at", "06:00", "--uri", "other.md",
                      "--quote", "The depot opens at six in the  morning, always.")  # fmt: skip
    assert (told.code, copy.code, same.code) == (0, 0, 0)
    seen = acme("derive", *AGENT, "--kind", "claim", "--from", good.json["claim_id"],
                '{"subject": "depot", "predicate": "habit", "object": "early"}', "--json")  # fmt: skip
    found = sections(acme)
    assert [one["id"] for one in found["no_evidence"]["items"]][:1] == [told.json["claim_id"]]
    assert "said:ana" in found["no_evidence"]["items"][0]["why"]
    assert {one["why"] for one in found["copied"]["items"]} == {
        "copied from notice.md", "the same words as in notice.md"}  # fmt: skip
    assert not found["copied"]["person"] and found["unverified"]["count"] == 0 and found["over_broad"]["count"] == 0
    text = acme("derive", *AGENT, "--kind", "summary", "--from", good.json["claim_id"], "Early.", "--json").json["id"]
    assert [one["id"] for one in sections(acme)["no_session"]["items"]][-1:] == [text] or seen.code
    whole = acme("audit")
    assert whole.code == 1 and "claims without evidence that can be fetched again" in whole.out


def test_what_only_an_agent_said_and_what_one_user_did_are_too_broad(tmp_path: Path) -> None:
    with tkg.open(None, engine="memory") as memory:
        memory.create_tenant("acme")
        ana = memory.scope("acme", "ana", channel="human_stated", principal="ana", session="chat-9")
        own = ana.propose(subject="ana", predicate="leaves at", object="six", evidence=tkg.Evidence(uri="chat/9"))
        wide = memory.scope("acme", channel="human_stated", principal="ana", session="chat-9")
        habit = wide.propose(
            subject="support", predicate="closes at", object="six", evidence=tkg.Evidence(uri="chat/9")
        )
        other = memory.scope("acme", channel="human_stated", principal="ben", session="desk-1")
        fine = other.propose(
            subject="office", predicate="closes at", object="eight", evidence=tkg.Evidence(uri="chat/1")
        )
        found = {one.name: one for one in wide.audit().sections}["over_broad"]
        assert [one.id for one in found.items] == [habit.claim_id]
        assert "one work session of acme/ana alone" in found.items[0].why
        assert {own.claim_id, fine.claim_id} & {one.id for one in found.items} == set()
        only = {one.name: one for one in ana.audit().sections}["over_broad"]
        assert only.of == 3  # a user's audit sees the tenant's claims and the user's own


def test_time_without_verification_and_texts_without_edges_are_counted() -> None:
    from datetime import UTC, datetime, timedelta

    from tkg.clock import ManualClock
    from tkg.model.artefact import Artefact
    from tkg.model.scope import Channel

    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC), timedelta(seconds=1))
    with tkg.open(None, engine="memory", clock=clock) as memory:
        memory.create_tenant("acme")
        tool = memory.scope("acme", channel="trusted_tool", principal="loader")
        old = tool.propose(subject="depot", predicate="opens at", object="six", evidence=tkg.Evidence(uri="n.md"))
        before = {one.name: one.count for one in tool.audit().sections}
        clock.set(datetime(2026, 6, 1, tzinfo=UTC))
        new = tool.propose(subject="yard", predicate="opens at", object="six", evidence=tkg.Evidence(uri="n.md"))
        found = {one.name: one for one in tool.audit().sections}
        assert before["unverified"] == 0 and [one.id for one in found["unverified"].items] == [old.claim_id]
        assert new.claim_id not in {one.id for one in found["unverified"].items}
        assert found["no_edges"].count == 0
        tenant = memory.tenant("acme")
        lost = Artefact.build(id=tenant.ids.new("art"), scope="acme", kind="summary", label=Channel.AGENT_INFERRED,
                              observed_at=tenant.now(), content="From an import.")  # fmt: skip
        tenant.commit("derive", "acme", [lost])
        assert [one.id for one in {s.name: s for s in tool.audit().sections}["no_edges"].items] == [lost.id]
        assert any("texts without derivation edges" in one for one in tool.audit().needs)


def test_an_audit_is_one_page(acme: Acme, mailbox: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    acme("recall", ASKED)
    page = tmp_path / "audit.html"
    assert acme("audit", "--html", page).code in (0, 1)
    found = Page(page.read_text("utf-8"))
    assert found.faults == [] and "guide-loader (trusted_tool) said so in guide.md" in found.text
    assert acme("audit", "sample", "--html", page).code == 2


def test_wrong_reads_become_cases_that_run(acme: Acme, mailbox: dict[str, str], tmp_path: Path) -> None:
    acme("recall", "--session", "desk-4", ASKED)
    assert acme("audit", "regressions", "--json").json == {"schema": "tkg.audit.regressions/1", "count": 0, "cases": []}
    acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired", "--yes")
    file = tmp_path / "cases.yaml"
    assert acme("audit", "regressions", "--output", file).code == 0
    assert acme("audit", "regressions", "--output", file).code == 2  # nothing is written over
    assert acme.run("conform", file, "--on", "memory").out.endswith("1 passed, 0 failed\n")
    assert acme("audit", "regressions").out == file.read_text("utf-8")


def test_metrics_over_a_window(acme: Acme, mailbox: dict[str, str]) -> None:
    read = acme("recall", "--session", "desk-4", ASKED, "--json").json
    acme.claim("depot", "opens_at", "06:00", "--uri", "n", "--session", "desk-4")
    before = acme("metrics", "--json").json
    assert before["poisoned_reads"] == {**before["poisoned_reads"], "hits": 0, "n": 1}
    assert before["tokens_per_request"] > 5 and before["deletions_complete"]["n"] == 0
    assert before["precision_at"]["1"]["judged"] == 0 and before["precision_at"]["1"]["precision"] is None
    acme("revoke", *PERSON, mailbox["claim"], "--reason", "retired", "--yes")
    after = acme("metrics", "--json").json
    assert after["poisoned_reads"]["hits"] == 1 and after["withdrawn_accepts"]["hits"] == 1
    assert after["false_accepts"]["n"] == 0  # nobody marked anything: the two are told apart
    assert after["precision_at"]["5"]["judged"] == 0  # whether it bore on the question is for a person to say
    label = ("audit", "label", read["id"][:-1], "--item", mailbox["claim"][:-1], "--is", "wrong", *PERSON)
    assert acme(*label).code == 0
    for k in ("1", "5"):  # one definition, wherever it is told
        told = acme("audit", "precision", "--k", k, "--json").json
        assert {"schema": "tkg.audit.precision/1", **acme("metrics", "--json").json["precision_at"][k]} == told
    assert told["precision"] == 0.0 and (told["reads"], told["judged"]) == (1, 1)
    assert acme("metrics", "--until", "2020", "--json").json["precision_at"]["5"]["reads"] == 0
    none = acme("metrics", "--until", "2020", "--json").json
    assert none["candidates"] == 0 and none["poisoned_reads"]["n"] == 0 and none["until"].startswith("2021")
    assert acme("metrics", "--since", "2020", "--json").json["candidates"] == after["candidates"]
    assert acme("metrics", "--since", "next to nothing").code == 2
    assert acme("forget", mailbox["claim"], *PERSON, "--reason", "asked", "--yes").code == 0
    gone = acme("metrics", "--json").json["deletions_complete"]
    assert gone["n"] >= 1 and gone["hits"] == gone["n"]


def test_metrics_in_the_text_format_of_prometheus(acme: Acme, mailbox: dict[str, str]) -> None:
    uri = 'page "a"\\b\nc\x1b[31mé'
    acme.claim("shop", "opens_at", "9", "--uri", uri)
    acme("recall", ASKED)
    shown = acme("metrics", "--prometheus")
    assert shown.code == 0 and shown.out.isascii() and "\x1b" not in shown.out
    families = {one.name: one for one in text_string_to_metric_families(shown.out)}
    document = acme("metrics", "--json").json
    assert families["tkg_candidates"].samples[0].value == document["candidates"]
    writes = {one.labels["source"]: one.value for one in families["tkg_writes_per_hundred_runs"].samples}
    assert any('page "a"' in source for source in writes) and all(
        one.labels["scope"] == "acme" for f in families.values() for one in f.samples
    )
    funnel = {(one.labels["stage"], one.labels["way"]): one.value for one in families["tkg_funnel"].samples}
    for step in document["funnel"]:
        assert funnel[(step["name"], "entering")] == step["entering"]
    assert acme("metrics", "--prometheus", "--json").code == 2


def test_a_person_sees_corrects_and_deletes_what_is_remembered(acme: Acme, mailbox: dict[str, str]) -> None:
    told = acme("show", "Exception  Reports")
    assert told.code == 0, told
    shown = " ".join(told.out.split())
    assert "exception reports: destination is regional settlement mailbox, from " in shown
    assert "Said by guide-loader (a tool) in guide.md, version 3, line=75, on " in shown
    assert "It is believed now. It was never shown to anybody." in shown and "A summary that was made from it" in shown
    document = acme("show", "exception reports", "--json").json
    assert document["schema"] == "tkg.show.subject/1" and len(document["texts"]) == 3
    assert acme("show", "nobody").code == 2
    at = ("show", "exception reports")
    assert acme(*at, "--correct", mailbox["claim"], *PERSON, "--reason", "r").code == 2
    assert acme(*at, "--correct", mailbox["claim"], "--to", "queue").code == 2
    done = acme(*at, "--correct", mailbox["claim"], "--to", "case queue", *PERSON, "--reason", "it moved", "--json")
    assert done.code == 0
    assert acme("value", "exception reports", "destination").out.startswith("case queue")
    assert "Something newer has taken its place." in acme(*at).out
    assert acme(*at, "--correct", mailbox["claim"], "--to", "x", *AGENT, "--reason", "r").code == 3
    waits = acme(*at, "--delete", mailbox["claim"][:-2], *PERSON, "--reason", "asked")
    assert waits.code == 1 and "Nothing was erased" in waits.err
    assert acme("show", mailbox["claim"], "--json").json["state"] == "superseded"
    gone = acme(*at, "--delete", mailbox["claim"], *PERSON, "--reason", "asked", "--yes", "--json")
    assert gone.code == 0 and mailbox["claim"] in gone.json["erases"] and gone.json["receipts"][0]["receipt_id"]
    assert "mailbox" not in acme(*at).out
    assert acme(*at, "--delete-everything", *PERSON, "--reason", "asked", "--yes").code == 0
    assert acme(*at).code == 2
    assert "case queue" not in json.dumps(acme("export", "--json").json)


def test_a_user_sees_and_corrects_only_the_own(acme: Acme) -> None:
    mine = acme.claim("ana", "desk", "4", "--user", "ana", "--uri", "n", who=WHO).json["claim_id"]
    acme.claim("ana", "badge", "7", "--user", "ben", "--uri", "n", who=WHO)
    assert [one["id"] for one in acme("show", "ana", "--user", "ana", "--json").json["claims"]] == [mine]
    assert acme("show", "ana", "--correct", mine, "--to", "5", *WHO, "--reason", "r").code == 3
    assert acme("show", "ana", "--correct", mine, "--to", "5", *WHO, "--reason", "r", "--user", "ana").code == 0
    assert acme("value", "ana", "desk", "--user", "ana").out.startswith("5")
