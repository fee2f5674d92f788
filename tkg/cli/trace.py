"""`exposure`: who was shown it."""

from __future__ import annotations

from typing import Any, Final

from tkg.cli.command import Command
from tkg.cli.naming import full
from tkg.cli.opening import reading
from tkg.cli.options import Engine, EngineChoice, Html, Identifier, Json, Store, Tenant, User
from tkg.cli.pages import write_page
from tkg.cli.screen import print_json, print_line, print_table
from tkg.model.time import iso
from tkg.model.view import RetrievalView
from tkg.text import when


def exposure(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    user: User = None,
    html: Html = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """List the reads that showed an id: who asked what, in which session, and when.

    With --html also what grew from it, and what became of that: reads, texts and actions on a time axis.
    """
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        node = full(handle, identifier)
        if html is not None:
            write_page(html, "exposure", handle.blast(node), handle.lineage(node))
            return
        found = handle.exposure(node)
    if json:
        print_json("tkg.exposure/1", {"id": node, "count": len(found), "reads": [_read(one) for one in found]})
    elif not found:
        print_line("Nobody was shown it.")
    else:
        rows = [
            (
                one.seq,
                when(iso(one.retrieval.valid_at)),
                one.retrieval.query,
                one.retrieval.session,
                one.retrieval.principal,
            )
            for one in found
        ]
        print_table(["tx", "valid at", "question", "session", "who"], rows)


def _read(one: RetrievalView) -> dict[str, Any]:
    read = one.retrieval
    return {
        "id": read.id,
        "seq": one.seq,
        "scope": read.scope,
        "query": read.query,
        "principal": read.principal,
        "session": read.session,
        "valid_at": iso(read.valid_at),
        "as_of": read.as_of,
        "shown": list(read.shown),
    }


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (Command("exposure", exposure, f"tkg exposure {_AT} ID"),)
