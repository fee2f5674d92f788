"""What a notebook shows of an answer: everything that matters, as text, and nothing that acts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

import tkg
from tests.hostile import Page, raw, strings
from tkg.clock import ManualClock
from tkg.html import Html
from tkg.ids import SeededIds
from tkg.memory.answers import Lineage, Node
from tkg.model.base import Value
from tkg.model.display import MOST_ROWS, MOST_TEXT, Rows, card, rows
from tkg.text import safe_text

TEXTS = strings(300)
FIELDS = 5


def flat(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Every sort of answer, from a store whose fields carry all the texts; every text stands in some answer."""
    registry = tkg.Registry.of({"says": {"cardinality": "one"}})
    policies = tkg.Policies(write=tkg.WritePolicy(registry=registry))
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    found: dict[str, Any] = {}
    claims: list[str] = []
    with tkg.open(None, engine="memory", policies=policies, clock=clock, ids=SeededIds(3)) as memory:
        memory.create_tenant("acme")
        person = memory.scope("acme", channel="human_verified", principal=TEXTS[1], session=TEXTS[2])
        for number in range(0, len(TEXTS), FIELDS):
            subject, value, quote, uri, locator = TEXTS[number : number + FIELDS]
            for side in ("one", "two") if number == 0 else ("one",):
                who = memory.scope("acme", channel="human_stated", principal=f"{side} by {value}", session=f"s {quote}")
                verdict = who.propose(
                    subject=f"{number} {subject}",
                    predicate="says",
                    object=f"{side} {value}",
                    valid_from="2026-02-01",
                    evidence=tkg.Evidence(uri=f"at {uri}", version=uri, quote=f"{side} {quote}", locator=locator),
                )
                assert verdict.claim_id is not None, verdict
                claims.append(verdict.claim_id)
                found[f"claim {number} {side}"] = person.explain(verdict.claim_id)
        clock.set(datetime(2026, 3, 2, tzinfo=UTC))
        agent = memory.scope("acme", channel="agent_inferred", principal=TEXTS[5], session=TEXTS[6])
        result = agent.recall(f"what says 0 {TEXTS[0]}", k=8)
        summary = agent.derive("summary", f"all of it: {TEXTS[17]}", from_=claims)
        action = agent.derive("action", f"do {TEXTS[18]}", from_=[summary.id], meta={"tool": TEXTS[19]})
        subject = f"0 {TEXTS[0]}"
        found |= {
            "verdict": verdict, "verdicts": Rows([verdict]), "recall": result, "summary": summary,
            "lineage": person.lineage(claims[0]), "chain": person.poison_chain(action.id), "blast": person.blast(claims[0]),
            "plan": person.plan_revoke(claim=claims[0]), "value": person.value(subject, "says"),
            "claims": Rows([person.explain(one) for one in claims]), "timeline": person.timeline(subject, "says"), "history": person.history(subject, "says"),
            "contradictions": person.contradictions(), "disputes": person.disputes(), "exposure": person.exposure(claims[0]),
            "dispute": person.dispute(claims[0], claims[1]), "why": person.why(summary.id), "diff": person.diff(1),
            "why not": person.why_not(claims[1]), "single points": person.single_points(claims[3]),
            "figures": person.gate_figures(), "sample": person.audit_sample("accepted"), "review": person.review(),
            "predicates": person.predicates(),
        }  # fmt: skip
        found["quarantined"] = person.quarantine(claim=claims[3], reason=TEXTS[20])
        found["explained"] = person.explain(claims[3])
    return found


def test_nothing_in_a_notebook_acts(shown: dict[str, Any]) -> None:
    everything = ""
    for name, one in shown.items():
        html = one._repr_html_()
        page = Page(html)
        assert page.faults == [] and raw(html) == [], name
        everything += page.text
    text = flat(everything)
    assert [one for one in TEXTS if flat(safe_text(one)) not in text] == []  # the control: each is shown, as text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("recall", ["Recall:", "items (", "what the model is shown", "human_stated"]),
        ("verdict", ["Verdict: accepted", "checks", "provenance"]),
        ("plan", ["Planned: revoked", "falls (", "summary", "action"]),
        ("quarantined", ["Done: quarantined"]),
        ("lineage", ["Lineage of:", "rests on (", "what grew from it (2)", "source (active)"]),
        ("contradictions", ["left object", "right object"]),
        ("dispute", ["row of the table", "sides (2)", "choices ("]),
        ("history", ["known from", "until", "now", "conflict: "]),
        ("timeline", ["valid from", "answer", "conflict: "]),
        ("chain", ["first shown", "2026-03-02", "agent_inferred"]),
        ("explained", ["Claim (quarantined)", "evidence (1)", "decision(s)"]),
        ("exposure", ["asked", "as of", "2026-03-02"]),
    ],
)
def test_what_matters_is_told(shown: dict[str, Any], name: str, words: list[str]) -> None:
    text = Page(shown[name]._repr_html_()).text
    assert [one for one in words if one not in text] == []


class Pair(Value):
    name: str
    parts: tuple[Pair, ...] = ()
    note: str | None = None


def cells(html: str, name: str) -> Iterator[str]:
    return (Page(one).text for one in re.findall(rf"<{name}[ >].*?</{name}>", html, flags=re.DOTALL))


def test_a_table_has_the_columns_that_something_fills() -> None:
    html = rows([Pair(name="a"), Pair(name="b", note="c")])
    assert list(cells(html, "th")) == ["name", "note"]
    assert list(cells(html, "td")) == ["a", "", "b", "c"]
    assert Rows[Pair]()._repr_html_() == "<p>nothing</p>" and Rows([1, 2]) == [1, 2]


def test_what_is_too_much_is_counted() -> None:
    html = rows([Pair(name=str(n)) for n in range(MOST_ROWS + 7)])
    assert "and 7 more" in html and html.count("<tr>") == MOST_ROWS + 1
    long = card(Pair(name="x" * (MOST_TEXT + 1)))
    assert f"… ({MOST_TEXT + 1} characters)" in long and "x" * (MOST_TEXT + 1) not in long


def test_a_value_in_a_value_and_a_text_that_looks_like_html() -> None:
    html = card(Pair(name="<b>bold</b>", parts=(Pair(name="inside"),)))
    assert "&lt;b&gt;bold&lt;/b&gt;" in html and "parts (1)" in html and "inside" in html
    kept = Pair.model_validate({"name": Html("<script>x</script>")})
    assert "<script>" not in card(kept)


def test_a_lineage_deeper_than_is_shown_and_in_a_circle() -> None:
    root = Node(id="n0", kind="claim", state="active", label="root", depth=0)
    chain = [Node(id=f"n{n}", kind="claim", state="active", label=f"l{n}", depth=n, parents=(f"n{n - 1}",)) for n in range(1, 90)]  # fmt: skip
    html = Lineage(root=root, up=(), down=(*chain, chain[0]))._repr_html_()
    assert "l1<" in html and "1 deeper" in html and "what grew from it (90)" in html


class Printer:
    """What IPython passes to `_repr_pretty_`."""

    def __init__(self) -> None:
        self.told = ""

    def text(self, text: str) -> None:
        self.told += text


def test_where_only_text_is_shown_a_few_lines_are(shown: dict[str, Any]) -> None:
    for name, one in shown.items():
        printer = Printer()
        owner = next(each for each in type(one).__mro__ if "_repr_pretty_" in vars(each) or "__repr__" in vars(each))
        assert "_repr_pretty_" in vars(owner), name  # IPython takes whichever comes first
        one._repr_pretty_(printer, False)
        assert printer.told and raw(printer.told) == [], name
    many = Printer()
    Rows(Pair(name=str(n)) for n in range(50))._repr_pretty_(many, False)
    assert many.told.splitlines()[-1] == "and 30 more" and many.told.startswith("name: 0\n")
