"""`lineage`, `blast`, `poison-chain`: what an id rests on, what grew from it, how far it was seen, where it came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import typer
from rich.text import Text
from rich.tree import Tree

from tkg.cli.command import Command
from tkg.cli.naming import full, shortened
from tkg.cli.opening import reading
from tkg.cli.options import (
    AsOf,
    Engine,
    EngineChoice,
    Html,
    Identifier,
    Json,
    OfPrincipal,
    OfSession,
    OfSource,
    Store,
    Tenant,
    User,
    transaction,
)
from tkg.cli.pages import write_page
from tkg.cli.plans import show_plan
from tkg.cli.screen import STYLES, console, print_fields, print_heading, print_json, print_line, print_table
from tkg.errors import RequestError
from tkg.memory.answers import Lineage, Node
from tkg.memory.findings import Blast, Link, Named, PoisonChain, ReadShown, SinglePoints, Why, WhyNot
from tkg.memory.handle import Handle
from tkg.plot.dot import dot
from tkg.text import safe_text, when

_Short = Callable[[str], str]


def lineage(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    user: User = None,
    why: Annotated[bool, typer.Option("--why", help="Instead: the smallest sets of evidence that carry it.")] = False,
    why_not: Annotated[bool, typer.Option("--why-not", help="Instead: what is missing for it to stand.")] = False,
    single_points: Annotated[
        bool, typer.Option("--single-points", help="Instead: the evidence whose loss alone would take it down.")
    ] = False,
    k: Annotated[int, typer.Option("--k", min=1, max=50, help="Most sets that --why shows.")] = 5,
    as_of: AsOf = None,
    html: Html = None,
    dot_form: Annotated[bool, typer.Option("--dot", help="Print the graph in the DOT language.")] = False,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Show what an id rests on, up to its sources, and what grew from it, down to actions.

    --as-of goes with --why, --why-not and --single-points: as the store knew it then.
    """
    asked = [name for name, on in (("why", why), ("why_not", why_not), ("single_points", single_points)) if on]
    if len(asked) > 1 or (asked and (html or dot_form)):
        raise RequestError("--why, --why-not and --single-points are each asked alone, without --html or --dot")
    if as_of is not None and not asked:
        raise RequestError("--as-of goes with --why, --why-not or --single-points")
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        node = full(handle, identifier)
        if asked:
            options: dict[str, Any] = {"as_of": transaction(as_of), **({"k": k} if why else {})}
            answer = getattr(handle, asked[0])(node, **options)
            _told(handle, asked[0], answer, json=json)
            return
        found = handle.lineage(node)
        if json:
            print_json("tkg.lineage/1", found.model_dump(mode="json"))
        elif dot_form:
            console().print(Text(dot(found)), soft_wrap=True)
        elif html is not None:
            chain = handle.poison_chain(node)
            write_page(html, "lineage", found, chain)
        else:
            nodes = (found.root, *found.up, *found.down)
            show_lineage(found, shortened(handle, (one.id for one in nodes)))


def _told(handle: Handle, what: str, answer: Any, *, json: bool) -> None:
    if json:
        print_json(f"tkg.{what}/1", answer.model_dump(mode="json"))
        return
    show: dict[str, Callable[[Handle, Any], None]] = {
        "why": _show_why,
        "why_not": _show_why_not,
        "single_points": _show_single,
    }
    show[what](handle, answer)


def _says(one: Named) -> str:
    return f"{one.kind} [{one.state}] {safe_text(one.label, one_line=True)}"


def _show_why(handle: Handle, found: Why) -> None:
    print_line(_says(found.node))
    if not found.reasons:
        print_line("It does not stand; `--why-not` says what is missing.", "yellow")
    for number, reason in enumerate(found.reasons, 1):
        print_heading(f"{number}. Enough by itself:")
        short = shortened(handle, (one.id for one in reason.evidence))
        quotes = {one.id: one.quote for one in reason.shown}
        rows = [(short(one.id), one.state, one.label, quotes.get(one.id)) for one in reason.evidence]
        print_table(["id", "state", "what", "quote"], rows, whole=(0,))


def _show_why_not(handle: Handle, found: WhyNot) -> None:
    print_line(_says(found.node))
    if found.stands:
        print_line("It stands; `--why` says on what.", "green")
    for number, lack in enumerate(found.missing, 1):
        print_heading(f"{number}. " + ("It is blocked itself" if lack.justification is None else "A reason that fails"))
        short = shortened(handle, (one.id for one in (*lack.lacking, *lack.causes)))
        rows = [("lacks", short(one.id), one.state, one.label) for one in lack.lacking]
        rows += [("because of", short(one.id), one.state, one.label) for one in lack.causes if one not in lack.lacking]
        print_table(["", "id", "state", "what"], rows, whole=(1,))


def _show_single(handle: Handle, found: SinglePoints) -> None:
    print_line(_says(found.node))
    if not found.stands:
        print_line("It does not stand; `--why-not` says what is missing.", "yellow")
    elif not found.points:
        print_line("No single piece of evidence carries it alone.", "green")
    else:
        print_heading("Each of these would take it down by its loss alone")
        short = shortened(handle, (one.id for one in found.points))
        rows = [(short(one.id), one.state, one.label) for one in found.points]
        print_table(["id", "state", "what"], rows, whole=(0,))


# -- trees


def show_lineage(found: Lineage, short: _Short = str) -> None:
    """Print a lineage as two trees."""
    out = console()
    for title, nodes in (("rests on", found.up), ("what grew from it", found.down)):
        tree = _tree(found.root, nodes, short)
        tree.label = Text.assemble(tree.label if isinstance(tree.label, Text) else "", (f"\n{title}:", "bold"))
        if nodes:
            out.print(tree)
        else:
            out.print(Text.assemble(_label(found.root, short), (f"\n{title}: nothing", "bold")))


def _label(node: Node, short: _Short) -> Text:
    label = Text(f"{node.kind} ")
    label.append(safe_text(node.state), style=STYLES.get(node.state, ""))
    if node.label:
        label.append(f"  {safe_text(node.label, one_line=True)}")
    label.append(f"\n{safe_text(short(node.id))}", style="dim")
    return label


def _tree(root: Node, nodes: Sequence[Node], short: _Short) -> Tree:
    """Return nodes as a tree; one with several parents stands whole under the first, as a reference under the rest."""
    below: dict[str, list[Node]] = defaultdict(list)
    known = {root.id, *(node.id for node in nodes)}
    for node in nodes:
        for parent in [one for one in node.parents if one in known] or [root.id]:
            below[parent].append(node)
    tree = Tree(_label(root, short), guide_style="dim")
    placed = {root.id}
    waiting = [(root.id, tree)]
    while waiting:
        identifier, branch = waiting.pop(0)
        for node in below[identifier]:
            if node.id in placed:
                branch.add(Text(f"{node.kind} {short(node.id)} (see its other place)", style="dim"))
            else:
                placed.add(node.id)
                waiting.append((node.id, branch.add(_label(node, short))))
    return tree


# -- how far it was seen


def blast(
    store: Store,
    tenant: Tenant,
    identifier: Annotated[str | None, typer.Argument(metavar="[ID]", help="A claim, artefact or evidence.")] = None,
    source: OfSource = None,
    of_session: OfSession = None,
    of_principal: OfPrincipal = None,
    user: User = None,
    html: Html = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Say what a revocation would bring down, and which reads, sessions and actions it reached. Writes nothing."""
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        node = None if identifier is None else full(handle, identifier)
        found = handle.blast(node, source=source, session=of_session, principal=of_principal)
        if json:
            print_json("tkg.blast/1", found.model_dump(mode="json"))
        elif html is not None:
            write_page(html, "blast", found)
        else:
            _show_blast(handle, found)


def _show_blast(handle: Handle, found: Blast) -> None:
    for one in found.target:
        print_line(_says(one))
    show_plan(found.plan, title="If it were revoked")
    print_heading(f"Reads that showed it or what grew from it: {len(found.reads)}")
    if found.reads:
        print_fields([("sessions", ", ".join(found.sessions)), ("people", ", ".join(found.principals))])
        show_reads(handle, found.reads)
    if found.actions:
        print_heading("Actions that grew from it")
        short = shortened(handle, (one.id for one in found.actions))
        print_table(["id", "state", "queue", "what"], [(short(a.id), a.after, a.code, a.label) for a in found.actions])


def show_reads(handle: Handle, reads: Sequence[ReadShown]) -> None:
    """Print reads as a table, in order."""
    short = shortened(handle, (node for one in reads for node in one.shown))
    rows = [
        (when(one.at), one.session, one.principal, one.query, "\n".join(short(node) for node in one.shown))
        for one in reads
    ]
    print_table(["when", "session", "who", "question", "was shown"], rows, whole=(4,))


# -- where it came from


def poison_chain(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    user: User = None,
    html: Html = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Walk from an id to everything it rests on: who said it, when it was written and first shown, what was decided."""
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        found = handle.poison_chain(full(handle, identifier))
        if json:
            print_json("tkg.poison_chain/1", found.model_dump(mode="json"))
        elif html is not None:
            write_page(html, "poison_chain", found)
        else:
            _show_chain(handle, found)


def _show_chain(handle: Handle, found: PoisonChain) -> None:
    links = (found.root, *found.links)
    short = shortened(handle, (one.id for one in links))
    for one in links:
        print_heading(f"{'↑' * one.depth or '●'} {one.kind} [{one.state}] {safe_text(one.label, one_line=True)}")
        print_fields(_facts(one, short))


def _facts(one: Link, short: _Short) -> list[tuple[str, object]]:
    first = one.first_shown
    shown = "never shown" if first is None else f"{when(first.at)} in {first.session or 'no session'}"
    source = [one.uri, one.principal, one.session]
    refused = [f"{d.what}: {c.reason}" for d in one.decisions for c in d.checks if c.outcome not in ("pass", "note")]
    return [
        ("id", short(one.id)),
        ("class", one.channel),
        ("from", " · ".join(part for part in source if part)),
        ("written", f"{when(one.written.at)} (tx:{one.written.seq})"),
        ("first shown", shown if one.reads < 2 else f"{shown}; {one.reads} reads"),
        ("decided", "\n".join(f"tx:{d.seq} {d.what} {d.reason or d.code}" for d in one.decisions)),
        ("the gate said", "\n".join(refused)),
    ]


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (
    Command("lineage", lineage, f"tkg lineage {_AT} ID\ntkg lineage {_AT} ID --why-not"),
    Command("blast", blast, f"tkg blast {_AT} ID\ntkg blast {_AT} --source guide.md"),
    Command("poison-chain", poison_chain, f"tkg poison-chain {_AT} ID --html chain.html"),
)
