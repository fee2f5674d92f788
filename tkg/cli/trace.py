"""`contradictions`, `lineage`, `exposure`: what clashes, what grew from what, and who was shown it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from rich.text import Text
from rich.tree import Tree

from tkg.cli.command import Command
from tkg.cli.opening import reading
from tkg.cli.options import AsOf, Engine, EngineChoice, Identifier, Json, Store, Tenant, User, transaction
from tkg.cli.screen import (
    STYLES,
    console,
    period,
    print_fields,
    print_heading,
    print_json,
    print_line,
    print_table,
    when,
)
from tkg.memory.answers import Lineage, Node
from tkg.memory.reading import Contradiction
from tkg.model.time import iso
from tkg.model.view import RetrievalView
from tkg.text import safe_text


def contradictions(
    store: Store,
    tenant: Tenant,
    user: User = None,
    as_of: AsOf = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """List claims that cannot both hold and that nothing has settled.

    Exit 1 when there are some, 0 when there are none.
    """
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).contradictions(as_of=transaction(as_of))
    if json:
        print_json(
            "tkg.contradictions/1", {"count": len(found), "items": [one.model_dump(mode="json") for one in found]}
        )
    elif not found:
        print_line("No open contradictions.")
    else:
        for number, one in enumerate(found, 1):
            _show_pair(number, one)
    return 1 if found else 0


def _show_pair(number: int, one: Contradiction) -> None:
    print_heading(f"{number}. {one.subject} · {one.predicate}")
    print_fields(
        [
            ("says", one.left_object),
            ("", one.left),
            ("against", one.right_object),
            ("", one.right),
            ("both hold", period(one.valid_from, one.valid_to)),
            ("certainty", f"{one.certainty} ({one.pattern}, {one.rule})"),
            ("scope", one.scope),
        ]
    )


def lineage(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Show what an id rests on, up to its sources, and what grew from it, down to actions."""
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).lineage(identifier)
    if json:
        print_json("tkg.lineage/1", found.model_dump(mode="json"))
    else:
        show_lineage(found)


def show_lineage(found: Lineage) -> None:
    """Print a lineage as two trees."""
    out = console()
    for title, nodes in (("rests on", found.up), ("what grew from it", found.down)):
        tree = _tree(found.root, nodes)
        tree.label = Text.assemble(tree.label if isinstance(tree.label, Text) else "", (f"\n{title}:", "bold"))
        if nodes:
            out.print(tree)
        else:
            out.print(Text.assemble(_label(found.root), (f"\n{title}: nothing", "bold")))


def _label(node: Node) -> Text:
    label = Text(f"{node.kind} ")
    label.append(safe_text(node.state), style=STYLES.get(node.state, ""))
    if node.label:
        label.append(f"  {safe_text(node.label, one_line=True)}")
    label.append(f"\n{node.id}", style="dim")
    return label


def _tree(root: Node, nodes: Sequence[Node]) -> Tree:
    """Return nodes as a tree; one with several parents stands whole under the first, as a reference under the rest."""
    below: dict[str, list[Node]] = defaultdict(list)
    known = {root.id, *(node.id for node in nodes)}
    for node in nodes:
        for parent in [one for one in node.parents if one in known] or [root.id]:
            below[parent].append(node)
    tree = Tree(_label(root), guide_style="dim")
    placed = {root.id}
    waiting = [(root.id, tree)]
    while waiting:
        identifier, branch = waiting.pop(0)
        for node in below[identifier]:
            if node.id in placed:
                branch.add(Text(f"{node.kind} {node.id} (see its other place)", style="dim"))
            else:
                placed.add(node.id)
                waiting.append((node.id, branch.add(_label(node))))
    return tree


def exposure(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """List the reads that showed an id: who asked what, in which session, and when."""
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).exposure(identifier)
    if json:
        print_json("tkg.exposure/1", {"id": identifier, "count": len(found), "reads": [_read(one) for one in found]})
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
        print_table(["tx", "about", "question", "session", "who"], rows)


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
COMMANDS: Final = (
    Command("contradictions", contradictions, f"tkg contradictions {_AT}"),
    Command("lineage", lineage, f"tkg lineage {_AT} ID"),
    Command("exposure", exposure, f"tkg exposure {_AT} ID"),
)
