"""Confidence by (max, min): copies do not add and a text derived from itself does not add (semantics 5.2).

Best-first (Knuth 1977, the generalisation of Dijkstra's algorithm): a node is final when the best justification that
can still be completed is. The number of independent origins is shown beside the confidence and never folded in.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from typing import Final

from tkg.belief.book import LATEST, Book
from tkg.belief.order import backs
from tkg.model.scope import Channel
from tkg.model.view import Backer

#: what one piece of evidence of each class is worth by itself
LADDER: Final[Mapping[Channel, float]] = {
    Channel.SYSTEM_OF_RECORD: 1.0,
    Channel.HUMAN_VERIFIED: 0.95,
    Channel.HUMAN_STATED: 0.8,
    Channel.TRUSTED_TOOL: 0.7,
    Channel.AGENT_INFERRED: 0.5,
    Channel.EXTERNAL: 0.3,
}


def confidence(backers: Iterable[Backer], leaves: Mapping[str, float]) -> dict[str, float]:
    """Return the confidence of every node that has any.

    Args:
        backers: all justifications of the nodes in question and of what they rest on.
        leaves: confidence of live evidence (`LADDER` by class, capped by the extractor's); what is not in it counts
            for nothing.
    """
    made = sorted({b.justification.id: b.justification for b in backers}.values(), key=lambda j: j.id)
    uses: dict[str, list[int]] = {}
    missing: list[int] = []
    for place, each in enumerate(made):
        needed = set(each.requires)
        missing.append(len(needed))
        for antecedent in needed:
            uses.setdefault(antecedent, []).append(place)
    found: dict[str, float] = {}
    queue = [(-worth, node) for node, worth in leaves.items() if worth > 0]
    heapq.heapify(queue)
    while queue:
        worth, node = heapq.heappop(queue)
        if node in found:
            continue
        found[node] = -worth
        for place in uses.get(node, ()):
            missing[place] -= 1
            # nodes come in falling order, so the last antecedent to become final is the least of them
            if missing[place] == 0 and made[place].head not in found:
                heapq.heappush(queue, (worth, made[place].head))
    return found


def confidence_of(backers: Iterable[Backer], book: Book, as_of: int = LATEST) -> float:
    """Return the confidence of one node from its own justifications; 0 when none of them stands.

    A justification repeats the lowest class it rests on, so this equals `confidence` over the whole graph whenever
    nothing but the class bounds the evidence.
    """
    return max((LADDER[b.justification.channel] for b in backers if backs(b, book, as_of)), default=0.0)
