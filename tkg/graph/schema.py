"""The schema of the graph: numbered migrations, and what a graph says about itself.

`migrations/<number>_<name>.cypher` holds statements separated by semicolons. Each applied one is a row in the graph with its
digest. A graph of another engine, engine version or schema is not migrated in place: it is a projection, so it is made anew.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from tkg.errors import Damaged
from tkg.graph.kuzu import Engine, Transaction
from tkg.graph.rows import statements
from tkg.ids import digest
from tkg.queries import Query, parse

#: what makes a file one of ours
_FORMAT: Final = "tkg graph/3"
#: kinds of marks: what is written down about the graph
_KINDS: Final = ("migration", "identity", "announced", "applied")
_COMMENT: Final = re.compile(r"^\s*//.*$", re.MULTILINE)


class Migration(NamedTuple):
    """One step of the schema."""

    number: int
    name: str
    digest: str
    steps: tuple[Query, ...]


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations in order."""
    found = []
    for file in files("tkg.graph").joinpath("migrations").iterdir():
        if not file.name.endswith(".cypher"):
            continue
        name = file.name.removesuffix(".cypher")
        text = _COMMENT.sub("", file.read_text("utf-8"))
        steps = tuple(parse(name, step) for step in text.split(";") if step.strip())
        found.append(Migration(int(name[:4]), name, digest(text), steps))
    return tuple(sorted(found))


def create(engine: Engine) -> None:
    """Make the schema in an empty database."""
    for migration in migrations():
        for step in migration.steps:
            engine.write(step)
        mark(engine, "migration", migration.number, migration.digest)
    for place, value in enumerate(_identity(engine)):
        mark(engine, "identity", place, value)


def mark(writer: Engine | Transaction, kind: str, seq: int, value: str) -> None:
    """Write down something about the graph; marks of one kind with one `seq` are written once."""
    parameters = {"number": len(_KINDS) * seq + _KINDS.index(kind), "kind": kind, "seq": seq, "value": value}
    statement = statements("about")["add_mark"]
    if isinstance(writer, Engine):
        writer.write(statement, parameters)
    else:
        writer.run(statement, parameters)


def last(engine: Engine, kind: str) -> tuple[int, str]:
    """Return the newest mark of a kind; `(0, "")` where there is none."""
    rows = engine.read(statements("about")["last"], {"kind": kind})
    return (int(rows[0][0]), str(rows[0][1])) if rows else (0, "")


def is_empty(engine: Engine) -> bool:
    """Return whether the database has no tables at all."""
    return not engine.read(statements("about")["tables"])


def check(engine: Engine) -> None:
    """Make sure that the graph is one of ours, of this engine and this schema.

    Raises:
        Damaged: it is not, and must be made anew.
    """
    every = statements("about")["all"]
    known = [(migration.number, migration.digest) for migration in migrations()]
    if engine.read(every, {"kind": "migration"}) != known:
        raise Damaged(f"{engine.where}: the graph has another schema; run `tkg rebuild`")
    if [value for _, value in engine.read(every, {"kind": "identity"})] != list(_identity(engine)):
        raise Damaged(f"{engine.where}: the graph was made by another engine or not to its end; run `tkg rebuild`")


def _identity(engine: Engine) -> tuple[str, ...]:
    return _FORMAT, engine.name, engine.version
