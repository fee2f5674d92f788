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
from tkg.graph.kuzu import Engine
from tkg.graph.rows import statements
from tkg.ids import digest
from tkg.queries import Query, parse

#: what makes a file one of ours
_FORMAT: Final = "tkg graph"
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
    about = statements("about")
    for migration in migrations():
        for step in migration.steps:
            engine.write(step)
        engine.write(about["add_migration"], {"number": migration.number, "digest": migration.digest})
    for key, value in _identity(engine).items():
        engine.write(about["add_identity"], {"key": key, "value": value})


def is_empty(engine: Engine) -> bool:
    """Return whether the database has no tables at all."""
    return not engine.read(statements("about")["tables"])


def check(engine: Engine) -> None:
    """Make sure that the graph is one of ours, of this engine and this schema.

    Raises:
        Damaged: it is not, and must be made anew.
    """
    about = statements("about")
    known = [(migration.number, migration.digest) for migration in migrations()]
    if [tuple(row) for row in engine.read(about["migrations"])] != known:
        raise Damaged(f"{engine.where}: the graph has another schema; run `tkg rebuild`")
    said = {str(key): str(value) for key, value in engine.read(about["identity"])}
    if said != _identity(engine):
        raise Damaged(f"{engine.where}: the graph was made by another engine or not to its end; run `tkg rebuild`")


def _identity(engine: Engine) -> dict[str, str]:
    return {"engine": engine.name, "engine_version": engine.version, "format": _FORMAT}
