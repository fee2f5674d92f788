"""The pages that `--html` writes: a picture, and below it everything the picture shows, in words."""

from __future__ import annotations

from collections.abc import Sequence

from tkg.memory.answers import Effect, Lineage, Node
from tkg.memory.findings import Believed, Blast, Link, PoisonChain, ReadShown
from tkg.plot import counts, graph, times
from tkg.plot.audits import audit
from tkg.plot.looks import look
from tkg.plot.page import Html, element, facts, page, picture, table
from tkg.plot.save import shown, svg
from tkg.text import when

__all__ = ["audit", "blast", "exposure", "lineage", "poison_chain", "timeline"]


def _link(identifier: str, words: object) -> Html:
    return element("a", words, href=f"#n-{identifier}")


def lineage(found: Lineage, chain: PoisonChain) -> str:
    """Return the interactive lineage: every box of the picture leads to its card, every card to its neighbours.

    Args:
        found: what `handle.lineage` answers.
        chain: what `handle.poison_chain` answers of the same id: sources, first exposure, decisions.
    """
    nodes = {one.id: one for one in (found.root, *found.up, *found.down)}
    told = {one.id: one for one in (chain.root, *chain.links)}
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for start, end in graph.edges_of(found):
        below.setdefault(start, []).append(end)
        above.setdefault(end, []).append(start)
    cards = [
        _card(one, told.get(one.id), above.get(one.id, []), below.get(one.id, []), nodes) for one in nodes.values()
    ]
    drawing = picture(svg(graph.lineage(found, links=True)), "Follow a box to its card; follow “picture” back.")
    return page(f"Lineage of {shown(found.root.label)}", drawing, element("h2", "Everything in it"), *cards)


def _card(one: Node, link: Link | None, above: list[str], below: list[str], nodes: dict[str, Node]) -> Html:
    def named(ids: Sequence[str]) -> Html:
        return element("span", *(element("div", _link(each, shown(nodes[each].label))) for each in ids))

    style = look(one.state)
    pairs: list[tuple[str, object]] = [("id", element("code", one.id))]
    if link is not None:
        first = link.first_shown
        pairs += [
            ("class", link.channel),
            ("from", " · ".join(p for p in (link.uri, link.principal, link.session) if p)),
            ("written", f"{when(link.written.at)} (tx:{link.written.seq})"),
            (
                "first shown",
                "never" if first is None else f"{when(first.at)}, session {first.session}, {link.reads} read(s)",
            ),
            ("decided", _decided(link)),
        ]
    pairs += [("rests on", named(above) if above else None), ("carries", named(below) if below else None)]
    title = element("h3", f"{one.kind} ", element("span", f"{style.sign} {one.state}", class_="state"))
    words = element("p", one.label, " ", element("a", "picture", href=f"#g-{one.id}"))
    return element("article", title, words, facts(pairs), id=f"n-{one.id}", style=f"border-left-color: {style.edge}")


def _decided(link: Link) -> Html | None:
    rows = [(f"tx:{d.seq}", when(d.at), d.what, d.reason or d.code, d.actor) for d in link.decisions]
    if not rows:
        return None
    return element(
        "details", element("summary", f"{len(rows)} decision(s)"), table(["tx", "at", "what", "why", "who"], rows)
    )


def timeline(subject: str, predicate: str, history: Sequence[Believed]) -> str:
    """Return the two axes of a slot."""
    rows = [
        (when(one.known_from), when(one.known_to or "now"), when(one.valid_from), when(one.valid_to), one.answer.said)
        for one in history
    ]
    return page(
        f"{shown(subject)} · {shown(predicate)}",
        picture(svg(times.timeline(subject, predicate, history)), "An area that reaches an edge is open there."),
        table(["known from", "until", "valid from", "to", "answer"], rows),
    )


def poison_chain(found: PoisonChain) -> str:
    """Return where something came from, day by day."""
    rows = [
        (
            when(one.written.at),
            f"{one.kind} ({one.state})",
            one.label,
            one.channel,
            " · ".join(p for p in (one.uri, one.principal, one.session) if p),
            "never" if one.first_shown is None else when(one.first_shown.at),
            one.reads,
        )
        for one in sorted((found.root, *found.links), key=lambda one: one.written.seq)
    ]
    return page(
        f"Where it came from: {shown(found.root.label)}",
        picture(svg(times.poison_chain(found)), "Each link when it was written; a bar where it was first shown."),
        table(["written", "what", "says", "class", "from", "first shown", "reads"], rows),
    )


def blast(found: Blast) -> str:
    """Return what a revocation would bring down, before and after, and who was shown it."""
    plan = found.plan
    sections = (
        ("Falls", plan.falls),
        ("Waits", plan.suspended),
        ("Survives", plan.survives),
        ("Becomes the answer again", plan.resurfaces),
        ("Actions that grew from it", found.actions),
    )
    tables = [element("div", element("h2", title), _effects(many)) for title, many in sections if many]
    target = ", ".join(one.label for one in found.target)
    return page(
        f"Blast radius of {shown(target)}",
        picture(svg(counts.blast(found)), "State now and after a revocation."),
        *tables,
        element("h2", "Reads"),
        _reads(found.reads),
    )


def exposure(found: Blast, tree: Lineage) -> str:
    """Return who was shown something over time, and what grew from it."""
    grown = [(one.kind, one.state, one.label, one.id) for one in tree.down]
    return page(
        f"Exposure of {shown(tree.root.label)}",
        picture(svg(counts.exposure(found)), "Each mark is a read; below, how many there were by then."),
        element("h2", "Reads"),
        _reads(found.reads),
        element("h2", "What grew from it"),
        table(["kind", "state", "says", "id"], grown),
    )


def _effects(effects: Sequence[Effect]) -> Html:
    rows = [(one.kind, one.label, one.before, one.after, one.code, one.id) for one in effects]
    return table(["kind", "says", "now", "after", "code", "id"], rows)


def _reads(reads: Sequence[ReadShown]) -> Html:
    rows = [(when(one.at), one.session, one.principal, one.query, ", ".join(one.shown)) for one in reads]
    return table(["when", "session", "who", "question", "was shown"], rows)
