"""Every query is a file with a header, takes parameters only, and uses the fast forms of the engine.

What the engines do well and badly is measured: an index serves only `{key: $parameter}`; `IN $list`, `UNWIND … MATCH`
and two patterns in one MATCH scan; recursion is bounded and `* SHORTEST`, since every other form explodes on diamonds
and an unbounded star silently stops. A query that is meant to look at everything says `sweep` in its header.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.sources import ROOT

QUERIES = sorted((ROOT / "queries").rglob("*.cypher"))
CLAUSE = re.compile(
    r"\b(OPTIONAL\s+MATCH|MATCH|WHERE|WITH|RETURN|CREATE|MERGE|ORDER\s+BY|SKIP|LIMIT|UNION(?:\s+ALL)?|UNWIND|CALL|SET|DELETE"
    r"|DETACH\s+DELETE|COPY)\b",
    re.IGNORECASE,
)
RELATION = re.compile(r"-\s*\[((?:[^\[\]]|\[[^\]]*\])*)\]\s*-|<?-\s*\[((?:[^\[\]]|\[[^\]]*\])*)\]\s*->?")
BOUNDED_SHORTEST = re.compile(r"\*\s*(ALL\s+)?SHORTEST\s*(\([^)]*\))?\s*\d+\s*\.\.\s*\d+", re.IGNORECASE)


def split(text: str) -> tuple[str, str]:
    """Return the header (leading comment, without slashes) and the statement (without comments and texts)."""
    lines = text.splitlines()
    count = next((i for i, line in enumerate(lines) if not line.lstrip().startswith("//")), len(lines))
    header = "\n".join(line.lstrip().removeprefix("//").strip() for line in lines[:count])
    body = re.sub(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", "''", "\n".join(lines[count:]))
    return header, re.sub(r"//[^\n]*|/\*.*?\*/", "", body, flags=re.DOTALL)


def slow_forms(body: str) -> list[str]:
    """Return the forms in a statement that do not use an index or do not end."""
    found = []
    if re.search(r"\bIN\s+\$", body, re.IGNORECASE):
        found.append("IN $")
    if re.search(r"\bUNWIND\b", body, re.IGNORECASE):
        found.append("UNWIND")
    pieces = CLAUSE.split(body)
    for clause, rest in zip(pieces[1::2], pieces[2::2], strict=True):
        if clause.upper().endswith("MATCH") and "," in _outside_brackets(rest):
            found.append("two patterns in one MATCH")
    for relation in RELATION.finditer(body):
        inside = relation.group(1) or relation.group(2) or ""
        if "*" in inside and not BOUNDED_SHORTEST.search(inside):
            found.append(f"recursion other than a bounded * SHORTEST: [{inside.strip()}]")
    return found


def _outside_brackets(text: str) -> str:
    depth, kept = 0, []
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            kept.append(char)
    return "".join(kept)


def faults(text: str) -> list[str]:
    """Return what is wrong with the text of one query file."""
    header, body = split(text)
    found = []
    first = header.strip().split("\n", 1)[0]
    if len(first.split()) < 3:
        found.append("the header does not say what the query answers")
    for word in ("parameters", "columns"):
        if not re.search(rf"^{word}\s*:", header, re.IGNORECASE | re.MULTILINE):
            found.append(f"the header has no line '{word}:'")
    used = set(re.findall(r"\$(\w+)", body))
    found += [f"the header does not name ${name}" for name in sorted(used) if not re.search(rf"\b{name}\b", header)]
    if re.search(r"\{\w*\}|%\(?\w*\)?s\b|\$\{", body):
        found.append("it has a gap for pasting text in")
    if not re.search(r"\bsweep\b", header, re.IGNORECASE):
        found += slow_forms(body)
    return found


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_query(query: Path) -> None:
    assert faults(query.read_text("utf-8")) == []


STATEMENTS = sorted((ROOT / "tkg").glob("*/statements/*.cypher"))
ALL = [*QUERIES, *STATEMENTS, *sorted((ROOT / "tkg").glob("*/migrations/*.cypher"))]


@pytest.mark.parametrize("file", STATEMENTS, ids=lambda file: file.name)
def test_own_statements_of_the_stores_have_no_slow_form(file: Path) -> None:
    _, *named = re.split(r"^// name: *", file.read_text("utf-8"), flags=re.MULTILINE)
    bodies = {part.split("\n", 1)[0]: split(part.split("\n", 1)[1])[1] for part in named}
    assert {name: slow_forms(body) for name, body in bodies.items() if slow_forms(body)} == {}


@pytest.mark.parametrize("file", ALL, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_the_graph_only_appends(file: Path) -> None:
    _, body = split(file.read_text("utf-8"))
    assert re.findall(r"\b(SET|DELETE|DETACH|REMOVE|DROP|ROLLBACK)\b", body, re.IGNORECASE) == []


def test_there_are_queries() -> None:
    assert QUERIES


@pytest.mark.parametrize(
    "body",
    [
        "MATCH (c:Claim) WHERE c.id IN $ids RETURN c.id",
        "UNWIND $ids AS i MATCH (c:Claim {id: i}) RETURN c.id",
        "MATCH (a:Claim {id: $a}), (b:Claim {id: $b}) RETURN a.id",
        "MATCH (a:Claim {id: $a})-[:REQUIRES*]->(b) RETURN b.id",
        "MATCH (a:Claim {id: $a})-[:REQUIRES* 1..5]->(b) RETURN b.id",
        "MATCH (a:Claim {id: $a})<-[:REQUIRES* SHORTEST]-(b) RETURN b.id",
        "MATCH (a:Claim {id: $a})-[r:REQUIRES|HEAD* TRAIL 1..9]-(b) RETURN b.id",
    ],
)
def test_the_probe_finds_slow_forms(body: str) -> None:
    assert slow_forms(body)


@pytest.mark.parametrize(
    "body",
    [
        "MATCH (a:Claim {id: $a, scope: $s})-[:IN_SLOT]->(s:Slot) RETURN a.id, s.id, count(*)",
        "MATCH (a:Claim {id: $a})<-[:HEAD|REQUIRES* SHORTEST 1..100000]-(b) RETURN b.id, length(p) * 2",
        "MATCH p = (a:Claim {id: $a})-[e:HEAD* ALL SHORTEST 1..30]->(b) WITH a, b RETURN a.id, b.id",
    ],
)
def test_the_probe_lets_fast_forms_pass(body: str) -> None:
    assert slow_forms(body) == []


def test_the_probe_finds_a_missing_header_and_gaps() -> None:
    assert len(faults("MATCH (c:Claim {id: {key}}) RETURN c.id, $x")) >= 4
    assert (
        faults("// Which claims there are.\n// parameters: id\n// columns: id\nMATCH (c:Claim {id: $id}) RETURN c.id")
        == []
    )
