"""Named queries: Cypher files with a header, one statement each, run by name with parameters.

A file `queries/<name>.cypher` begins with comment lines: what it answers, then `parameters:` and `columns:` (names
separated by commas, or `none`), and `sweep` on a line of its own if it may look at the whole graph. This package reads
the files; it knows no engine.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from tkg.errors import NotFound, Unsupported

_PARAMETER = re.compile(r"\$(\w+)")
_TEXT = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_SECTION = re.compile(r"^// name: *(\w+) *$", re.MULTILINE)


class Query(NamedTuple):
    """One statement: its name, its text without comments, and what its header says."""

    name: str
    text: str
    doc: str
    parameters: frozenset[str]
    columns: tuple[str, ...]
    #: whether it may look at the whole graph; every other query begins at a key
    sweep: bool


def load(name: str) -> Query:
    """Return the query of this name.

    Raises:
        NotFound: there is none.
    """
    if not _NAME.fullmatch(name) or name not in names():
        raise NotFound(f"there is no query {name[:60]!r}; `tkg.queries.names()` lists them")
    return _load(name)


@cache
def names() -> tuple[str, ...]:
    """Return the names of all queries, in order."""
    found = (file.name for file in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".cypher") for name in found if name.endswith(".cypher")))


@cache
def _load(name: str) -> Query:
    return parse(name, files(__name__).joinpath(f"{name}.cypher").read_text("utf-8"))


def parse(name: str, text: str) -> Query:
    """Return the query written in `text`: header, then one statement.

    Raises:
        Unsupported: more than one statement, or the header and the statement name different parameters.
    """
    lines = text.strip().splitlines()
    header = [line.lstrip("/").strip() for line in lines if line.lstrip().startswith("//")]
    statement = "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip().rstrip(";").rstrip()
    bare = _TEXT.sub("''", statement)
    if ";" in bare or not bare:
        raise Unsupported(f"query {name} must hold exactly one statement")
    lists = {key: _listed(line) for line in header for key in ("parameters", "columns") if line.startswith(f"{key}:")}
    parameters = frozenset(lists.get("parameters", ()))
    if parameters != frozenset(_PARAMETER.findall(bare)):
        raise Unsupported(f"the header of query {name} and its statement name different parameters")
    doc = " ".join(line for line in header if line != "sweep" and not line.startswith(("parameters:", "columns:")))
    return Query(name, statement, doc.strip(), parameters, tuple(lists.get("columns", ())), "sweep" in header)


def parse_many(text: str) -> dict[str, Query]:
    """Return the statements of a text in which each begins with a line `// name: <name>`.

    Their parameters are read from the statements; comments before the first name are for people.
    """
    pieces = _SECTION.split(text)[1:]
    found = {}
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        used = ", ".join(dict.fromkeys(_PARAMETER.findall(_TEXT.sub("''", body)))) or "none"
        found[name] = parse(name, f"// parameters: {used}\n{body}")
    return found


def _listed(line: str) -> list[str]:
    words = [word.strip() for word in line.partition(":")[2].split(",")]
    return [word for word in words if word and word != "none"]
