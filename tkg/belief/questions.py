"""Questions about support: why, why not, what would fall, and which evidence nothing else could replace.

Pure functions over the justifications of a node's ancestors or descendants and the book.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tkg.belief import cascade
from tkg.belief.book import LATEST, Book
from tkg.belief.cascade import Plan
from tkg.belief.support import LIVE, fixpoint
from tkg.model.view import Backer

#: environments kept per node while searching; the search stays polynomial whatever the graph
_KEPT = 64


class Missing(NamedTuple):
    """One justification that does not stand: what it lacks directly, and the leaves at the bottom of it."""

    justification: str
    lacking: tuple[tuple[str, str], ...]
    causes: tuple[tuple[str, str], ...]


class _World:
    def __init__(
        self, node: str, backers: Iterable[Backer], book: Book, as_of: int, depends: Mapping[str, Sequence[str]]
    ) -> None:
        self.backers = [b for b in backers if b.seq <= as_of]
        self.book, self.as_of, self.depends = book, as_of, depends
        self.heads = {b.justification.head for b in self.backers}
        nodes = {node} | {needed for b in self.backers for needed in b.justification.requires}
        nodes |= {needed for many in depends.values() for needed in many}
        self.leaves = nodes - self.heads
        self.statuses = {node: book.status(node, as_of) for node in nodes | self.heads}
        for leaf in self.leaves:
            if self.statuses[leaf] == "active" and not book.live(leaf, as_of):
                self.statuses[leaf] = "unsupported"

    def supported(self, node: str, leaves: Iterable[str]) -> bool:
        found = fixpoint(self.backers, self.statuses, LIVE, leaves=leaves, depends=self.depends)
        return node in found


def why(
    node: str,
    backers: Iterable[Backer],
    book: Book,
    *,
    k: int = 5,
    as_of: int = LATEST,
    depends: Mapping[str, Sequence[str]] | None = None,
) -> list[tuple[str, ...]]:
    """Return up to `k` minimal sets of evidence that each carry the node by themselves, the smallest first.

    What no justification carries (evidence, an episode) stands by itself: its one set is itself.

    Args:
        node: a claim, artefact or piece of evidence.
        backers: the justifications of the node and of all its ancestors.
        book: statuses.
        k: most sets.
        as_of: transaction.
        depends: claim -> what it depends on, for the claims among them.
    """
    world = _World(node, backers, book, as_of, depends or {})
    if not world.supported(node, world.leaves):
        return []
    found: dict[str, list[frozenset[str]]] = {
        leaf: [frozenset({leaf})] for leaf in sorted(world.leaves) if world.statuses[leaf] == "active"
    }
    changed = True
    while changed:
        changed = False
        for backer in sorted(world.backers, key=lambda b: b.justification.id):
            head = backer.justification.head
            if world.statuses[head] != "active":
                continue
            joint: list[frozenset[str]] = [frozenset()]
            for needed in (*backer.justification.requires, *world.depends.get(head, ())):
                joint = _least(a | b for a in joint for b in found.get(needed, ()))
            merged = _least([*found.get(head, ()), *joint])
            if merged != found.get(head, []):
                found[head], changed = merged, True
    minimal = {frozenset(_pruned(node, each, world)) for each in found.get(node, ())}
    return sorted((tuple(sorted(each)) for each in minimal), key=lambda each: (len(each), each))[:k]


def _least(sets: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    kept: list[frozenset[str]] = []
    for each in sorted(set(sets), key=lambda one: (len(one), sorted(one))):
        if not any(other <= each for other in kept):
            kept.append(each)
            if len(kept) == _KEPT:
                break
    return kept


def _pruned(node: str, leaves: frozenset[str], world: _World) -> set[str]:
    kept = set(leaves)
    for leaf in sorted(leaves):
        if world.supported(node, kept - {leaf}):
            kept.discard(leaf)
    return kept


def why_not(
    node: str,
    backers: Iterable[Backer],
    book: Book,
    *,
    as_of: int = LATEST,
    depends: Mapping[str, Sequence[str]] | None = None,
) -> list[Missing]:
    """Return, for each justification of a node that does not stand, what is missing; empty when the node stands.

    A node that is blocked itself (revoked, held, …) has one entry without a justification, before the others.
    """
    world = _World(node, backers, book, as_of, depends or {})
    live = fixpoint(world.backers, world.statuses, LIVE, leaves=world.leaves, depends=world.depends)
    if node in live:
        return []
    into: dict[str, list[Backer]] = {}
    for backer in world.backers:
        into.setdefault(backer.justification.head, []).append(backer)

    def state(each: str) -> str:
        status = world.statuses.get(each, book.status(each, as_of))
        return status if status != "active" else book.support(each, as_of) if each in world.leaves else "unsupported"

    def causes(start: str) -> list[str]:
        seen, ahead, found = {start}, [start], set[str]()
        while ahead:
            each = ahead.pop()
            if each in live:
                continue
            if world.statuses.get(each, "active") != "active" or each in world.leaves:
                found.add(each)
            below = {r for b in into.get(each, ()) for r in b.justification.requires}
            more = (below | set(world.depends.get(each, ()))) - seen
            seen |= more
            ahead += sorted(more)
        return sorted(found)

    missing: list[Missing] = []
    if world.statuses.get(node, "active") != "active" or node in world.leaves:
        missing.append(Missing("", ((node, state(node)),), ((node, state(node)),)))
    for backer in into.get(node, ()):
        needed = (*backer.justification.requires, *world.depends.get(node, ()))
        lacking = tuple((each, state(each)) for each in dict.fromkeys(needed) if each not in live)
        bottom = sorted({cause for each, _ in lacking for cause in causes(each)})
        if lacking:
            missing.append(Missing(backer.justification.id, lacking, tuple((each, state(each)) for each in bottom)))
    return missing


def single_points(
    node: str,
    backers: Iterable[Backer],
    book: Book,
    *,
    as_of: int = LATEST,
    depends: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Return the evidence whose loss alone would take the node down; empty when the node does not stand."""
    world = _World(node, backers, book, as_of, depends or {})
    if not world.supported(node, world.leaves):
        return []
    return [
        leaf
        for leaf in sorted(world.leaves)
        if world.statuses[leaf] == "active" and not world.supported(node, world.leaves - {leaf})
    ]


def blast(
    targets: Iterable[str],
    backers: Iterable[Backer],
    book: Book,
    *,
    status: str = "revoked",
    as_of: int = LATEST,
    depends: Mapping[str, Sequence[str]] | None = None,
) -> Plan:
    """Return what would happen if `targets` got that status: a dry run of the planner."""
    return cascade.plan(backers, book, dict.fromkeys(targets, status), depends=depends, as_of=as_of)
