"""Three hundred hostile texts over every field a caller can fill: no command and no page lets one of them act."""

from __future__ import annotations

import csv
import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.browser import ABSENT, chromium, visit
from tests.cli.conftest import Run
from tests.hostile import Page, raw, strings
from tests.house.sources import ROOT
from tkg.cli.main import build, main
from tkg.cli.sheets import cell
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
        ("timeline", f"0 {TEXTS[0]}", "says"), ("value", f"0 {TEXTS[0]}", "says"), ("show", f"0 {TEXTS[0]}"),
        ("audit", "--most", "1000"), ("audit", "sample", "--accepted", "100"), ("audit", "drift", "--no-record"),
        ("audit", "regressions"), ("contain", claim, "--status"), ("contain",),
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


#: each page that `--html` writes, by the words that come before it
def pages(ids: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        ("poison-chain", ids["summary"]), ("blast", ids["claims"][0]), ("timeline", f"0 {TEXTS[0]}", "says"),
        ("lineage", ids["summary"]), ("exposure", ids["claims"][0]), ("audit", "--most", "1000"),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def written(store: tuple[Path, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every page, written from the hostile store."""
    pytest.importorskip("matplotlib")
    path, ids = store
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for words in pages(ids):
        page = found[words[0]] = folder / f"{words[0]}.html"
        code = main(
            [words[0], "--store", str(path), "--tenant", "acme", "--engine", "memory", *words[1:], "--html", str(page)]
        )
        assert code in (0, 1), words
    return found


def test_no_page_runs_or_fetches_anything(written: dict[str, Path]) -> None:
    shown = ""
    for name, page in written.items():
        text = page.read_text("utf-8")
        found = Page(text)
        assert found.faults == [] and raw(text) == [], name
        assert re.search(r"T\d\d:\d\d:\d\d\.\d+Z", found.text) is None, name  # times that people can read
        assert "overflow-wrap: anywhere" not in text, name  # it breaks words and ids in narrow columns
        assert "default-src 'none'" in unescape(text[:400])
        shown += found.text
    flat = re.sub(r"\s", "", shown)
    uris = [re.sub(r"\s", "", safe_text(f"at {one}")) for one in TEXTS[3::FIELDS]]
    assert [one for one in uris if one not in flat] == []  # the control: they are on the page, as text


@pytest.fixture(scope="module")
def notebook(store: tuple[Path, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What answers show of themselves in a notebook, on one page that has no policy of its own, as a notebook has none."""
    path, ids = store
    claim, subject = ids["claims"][0], f"0 {TEXTS[0]}"
    with tkg.open(path, engine="memory", read_only=True) as memory:
        handle = memory.scope("acme")
        answers: list[Any] = [
            handle.explain(claim), handle.explain(ids["claims"][3]), handle.lineage(ids["summary"]), handle.blast(claim),
            handle.poison_chain(ids["summary"]), handle.audit(), handle.about(subject), handle.value(subject, "says"),
            handle.plan_revoke(claim=claim), *handle.contradictions(), *handle.exposure(claim),
        ]  # fmt: skip
        shown = [one._repr_html_() for one in answers if hasattr(one, "_repr_html_")]
    assert len(shown) >= 9
    page = tmp_path_factory.mktemp("notebook") / "notebook.html"
    page.write_text(f'<!DOCTYPE html><html><meta charset="utf-8"><body>{"".join(shown)}</body></html>', "utf-8")
    return page


@pytest.mark.skipif(chromium() is None, reason=ABSENT)
def test_a_browser_runs_and_fetches_nothing(written: dict[str, Path], notebook: Path, tmp_path: Path) -> None:
    active = tmp_path / "active.html"
    active.write_text(
        "<script>console.log('ran')</script><img src='http://evil.invalid/x.png'>"
        "<meta http-equiv='refresh' content='1;url=http://evil.invalid/y'>"
        "<iframe sandbox srcdoc=\"<img src='http://evil.invalid/z.png'>\"></iframe>",
        "utf-8",
    )
    control = visit(active)
    assert set(control.asked) == {f"http://evil.invalid/{name}" for name in ("x.png", "y", "z.png")}
    assert len(control.console) == 1
    for name, page in {**written, "notebook": notebook}.items():
        seen = visit(page)
        assert seen.asked == (), name
        assert seen.console == (), name  # a script or a fetch that the page's policy stops is told there too
        assert "</html>" in seen.dom and Page(seen.dom).faults == [], name


def test_no_cell_of_a_sheet_is_a_formula(run: Run, store: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path, _ = store
    file = tmp_path / "audit.csv"
    at = ("--store", path, "--tenant", "acme", "--engine", "memory")
    assert run("audit", *at, "--most", "1000", "--csv", file).code in (0, 1)
    text = file.read_bytes().decode("utf-8")
    rows = list(csv.reader(text.splitlines(keepends=True)))
    assert raw(text.replace("\r\n", "\n")) == [] and len(rows) > 5 and {len(row) for row in rows} == {5}
    starts = ("=", "+", "-", "@", "\t", "\r")
    assert [one for row in rows for one in row if one.startswith(starts)] == []
    for text in ("=1+1", "+1", "-1", "@SUM(A1)", " =1", "'=1", "=cmd|' /C calc'!A0", "\uff1d1"):
        assert cell(text).startswith("'") and not cell(text).lstrip("' ").startswith("'"), text
    assert cell("\t=1") == "\\t=1" or cell("\t=1").startswith("'")
    assert [one for one in map(cell, TEXTS) if raw(one) or one.startswith(starts)] == []
    assert (cell("plain"), cell(-1), cell(None), cell("a=b")) == ("plain", "-1", "", "a=b")  # and the rest stays


def test_a_containment_shows_and_writes_no_raw_character(
    run: Run, store: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    copy = shutil.copytree(store[0], tmp_path / "store")
    target, folder = store[1]["claims"][5], tmp_path / "contained"
    at = ("--store", copy, "--tenant", "acme", "--engine", "memory")
    who = ("--channel", "human_verified", "--principal", TEXTS[7], "--reason", f"r {TEXTS[8]}")
    waits = run("contain", *at, target, *who, "--folder", folder)
    done = run(
        "contain", *at, target, *who, "--folder", folder, "--correct", f"c {TEXTS[9]}", "--uri", TEXTS[10], "--yes"
    )
    assert (waits.code, done.code) == (1, 0), done.err
    assert raw(waits.out + waits.err + done.out + done.err) == []
    files = sorted(folder.iterdir())
    assert [one.name for one in files] == ["evidence.json", "regressions.yaml", "report.json"]
    for file in files:
        assert raw(file.read_text("utf-8")) == [] and file.read_bytes().isascii()
    told = _strings(json.loads((folder / "evidence.json").read_text("utf-8")))
    assert TEXTS[26] in "\n".join(told)  # the control: it is in there
    shown = run("show", *at, f"25 {TEXTS[25]}")
    assert shown.code == 0 and raw(shown.out) == [] and run("metrics", *at, "--prometheus").out.isascii()


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


def test_every_page_and_every_sheet_is_looked_at(store: tuple[Path, dict[str, Any]]) -> None:
    app: Any = build()
    takes = {
        option: {name for name, one in app.commands.items() if any(option in each.opts for each in one.params)}
        for option in ("--html", "--csv")
    }
    assert takes["--html"] == {words[0] for words in pages(store[1])}
    assert takes["--csv"] == {"audit"}  # the sheet of the test above
    source = "".join(file.read_text("utf-8") for file in (ROOT / "tkg/cli").glob("*.py"))
    assert source.count("write_page(") - source.count("def write_page(") == len(takes["--html"])
    assert source.count("sheet(") - source.count("def sheet(") == len(takes["--csv"])
