"""Support: the least fixpoint of an AND/OR graph (semantics 1.2), by the shortest definition there is.

This module is the oracle: slow and obvious. `tkg.belief.cascade` computes the same by delete-and-rederive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from tkg.belief.book import LATEST, Book
from tkg.model.view import Backer


class Support(StrEnum):
    """Whether there is live, non-circular evidence for a node."""

    SUPPORTED = "supported"
    #: it would be, were it not for something quarantined or held
    SUSPENDED = "suspended"
    UNSUPPORTED = "unsupported"


#: statuses that leave a node in the base of the live and of the optimistic fixpoint
LIVE = frozenset({"active"})
OPTIMISTIC = frozenset({"active", "quarantined", "held"})


def fixpoint(
    backers: Iterable[Backer],
    statuses: Mapping[str, str],
    base: frozenset[str],
    *,
    leaves: Iterable[str] = (),
    depends: Mapping[str, Iterable[str]] | None = None,
) -> frozenset[str]:
    """Return the nodes with well-founded support.

    Args:
        backers: all justifications.
        statuses: status of every node that is not active.
        base: statuses under which a node may stand: `LIVE` or `OPTIMISTIC`.
        leaves: nodes that stand by themselves (evidence).
        depends: what a claim depends on beside its justifications; all of it must stand too.
    """
    made = [backer.justification for backer in backers]
    needs = depends or {}
    found = {leaf for leaf in leaves if statuses.get(leaf, "active") in base}
    while True:
        more = {
            each.head
            for each in made
            if each.head not in found
            and statuses.get(each.head, "active") in base
            and found.issuperset(each.requires)
            and found.issuperset(needs.get(each.head, ()))
        }
        if not more:
            return frozenset(found)
        found |= more


def supports(
    backers: Iterable[Backer], book: Book, as_of: int = LATEST, *, depends: Mapping[str, Iterable[str]] | None = None
) -> dict[str, Support]:
    """Return the support of every node named in `backers`, from the statuses of the book alone."""
    made = [backer for backer in backers if backer.seq <= as_of]
    heads = {backer.justification.head for backer in made}
    nodes = heads | {needed for backer in made for needed in backer.justification.requires}
    nodes |= {needed for many in (depends or {}).values() for needed in many}
    statuses = {node: book.status(node, as_of) for node in nodes}
    live = fixpoint(made, statuses, LIVE, leaves=nodes - heads, depends=depends)
    hoped = fixpoint(made, statuses, OPTIMISTIC, leaves=nodes - heads, depends=depends)
    return {
        node: Support.SUPPORTED if node in live else Support.SUSPENDED if node in hoped else Support.UNSUPPORTED
        for node in sorted(nodes)
    }
