"""Three hundred hostile texts over every field a caller can fill: no command and no page lets one of them act."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.cli.conftest import Run
from tests.hostile import Page, raw, strings
from tkg.model.artefact import Artefact
from tkg.text import safe_text

TEXTS = strings(300)
#: texts that one record carries, each in another field
FIELDS = 5


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A store whose sixty slots carry five texts each: subject, value, quote, uri and locator."""
    path = tmp_path_factory.mktemp("hostile") / "store"
    policies = tkg.Policies(write=tkg.WritePolicy(registry=tkg.Registry.of({"says": {"cardinality": "one"}})))
    claims, rivals = [], []
    with tkg.open(path, engine="memory", policies=policies) as memory:
        memory.create_tenant("acme")
        person = memory.scope("acme", channel="human_verified", principal=TEXTS[1], session=TEXTS[2])
        for number in range(0, len(TEXTS), FIELDS):
            subject, value, quote, uri, locator = TEXTS[number : number + FIELDS]
            sides = [("one", claims)] + ([("two", rivals)] if number % 100 == 0 else [])
            for side, into in sides:
                handle = memory.scope("acme", channel="human_stated", principal=f"{side} {value}", session=f"s {quote}")
                made = handle.propose(
                    subject=f"{number} {subject}",
                    predicate="says",
                    object=f"{side} {value}",
                    valid_from="2026-03-01",
                    evidence=tkg.Evidence(uri=f"at {uri}", version=uri, quote=f"q {quote}", locator=locator, owner=uri),
                )
                assert made.claim_id is not None, (made, TEXTS[number : number + FIELDS])
                into.append(made.claim_id)
        memory.scope("acme", principal=TEXTS[3], session=TEXTS[4]).recall(f"says 0 {TEXTS[0]}")
        agent = memory.scope("acme", channel="agent_inferred", principal=TEXTS[5])
        summary = agent.derive("summary", f"all of it: {TEXTS[17]}", from_=claims)
        assert isinstance(summary, Artefact)
        action = agent.derive("action", f"do {TEXTS[18]}", from_=[summary.id], meta={"tool": TEXTS[19]})
        person.quarantine(claim=claims[3], reason=TEXTS[20])
        person.release(claim=claims[3], reason=TEXTS[21])
    return path, {"claims": claims, "rivals": rivals, "summary": summary.id, "action": getattr(action, "id", None)}


def test_no_command_shows_a_raw_character(run: Run, store: tuple[Path, dict[str, Any]]) -> None:
    path, ids = store
    claim, rival = ids["claims"][0], ids["rivals"][0]
    commands: list[tuple[object, ...]] = [
        ("contradictions",), ("contradictions", "--pair", claim, "--pair", rival), ("review",), ("export",), ("metrics",),
        ("lineage", ids["summary"]), ("lineage", ids["summary"], "--dot"), ("blast", claim), ("exposure", claim),
        ("poison-chain", ids["summary"]), ("diff", "--as-of", "tx:1"), ("explain", ids["claims"][3]), ("show", claim),
        ("timeline", f"0 {TEXTS[0]}", "says"), ("value", f"0 {TEXTS[0]}", "says"),
    ]  # fmt: skip
    shown, told = "", set[str]()
    for words in commands:
        for form in ((), ("--json",)):
            if form and (words[0] == "export" or "--dot" in words):
                continue
            at = ("--store", path, "--tenant", "acme", "--engine", "memory")
            result = run(words[0], *at, *words[1:], *form)
            assert result.code in (0, 1), (words, form, result.err)
            assert raw(result.out) == [] and raw(result.err) == [], (words, form)
            shown += result.out
            for line in result.out.splitlines() if words[0] == "export" else ():
                told |= set(_strings(json.loads(line)))
    everything = "\n".join(told)
    assert [one for one in TEXTS if one not in everything] == []  # the control: every text went in and came out whole
    escaped = safe_text(TEXTS[0], one_line=True)
    assert escaped != TEXTS[0] and escaped in shown  # and what acts is shown, as escapes


def test_no_page_runs_or_fetches_anything(run: Run, store: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path, ids = store
    shown = ""
    at = ("--store", path, "--tenant", "acme", "--engine", "memory")
    for number, words in enumerate(
        (("poison-chain", ids["summary"]), ("blast", ids["claims"][0]), ("timeline", f"0 {TEXTS[0]}", "says"))
    ):
        page = tmp_path / f"{number}.html"
        result = run(words[0], *at, *words[1:], "--html", page)
        assert result.code == 0, (words, result.err)
        text = page.read_text("utf-8")
        found = Page(text)
        assert found.faults == [] and raw(text) == [], words
        assert "default-src 'none'" in unescape(text[:400])
        shown += found.text
    flat = re.sub(r"\s", "", shown)
    uris = [re.sub(r"\s", "", safe_text(f"at {one}")) for one in TEXTS[3::FIELDS]]
    assert [one for one in uris if one not in flat] == []  # the control: they are on the page, as text


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [one for each in value.values() for one in _strings(each)]
    return [one for each in value for one in _strings(each)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>", "<p onclick=x>", "<a href='javascript:x'>", "<a href=//evil>", "<img src=x>", "<svg onload=x>",
        "<svg><use xlink:href='//evil#x'/></svg>", "<style>@import '//evil';</style>", "<p style='background:url(//evil)'>",
        "<meta http-equiv=refresh content='0;url=//evil'>", "<base href=//evil>", "<link rel=stylesheet href=x>",
    ],
)  # fmt: skip
def test_the_probe_finds_what_acts(text: str) -> None:
    assert Page(f"<html><body>{text}</body></html>").faults


def test_the_probe_finds_raw_characters() -> None:
    assert all(raw(text) for text in TEXTS[:13]) and raw("plain → text\n\t") == []
