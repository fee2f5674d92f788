"""The cascade planner against two oracles, on random graphs with cycles.

    python -m tests.belief.cascades --graphs 10000 [--seed 0]

Each graph lives through several changes of its base (revoke, quarantine, release, hold, erase, new justifications).
After each, what the planner says must equal the naive fixpoint; on small graphs also an exhaustive search for acyclic
proofs, which shares nothing with either.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable

from tests.belief.build import backer, change
from tkg.belief.book import Book
from tkg.belief.cascade import Plan, plan
from tkg.belief.support import Support, supports
from tkg.model.view import Backer

STATUSES = ("revoked", "revoked", "quarantined", "held", "active", "active", "erased")
#: largest graph for the exhaustive search
SMALL = 9


class World:
    """A graph of evidence, claims and artefacts with its book, changed step by step."""

    def __init__(self, rng: random.Random, *, small: bool = False) -> None:
        self.rng = rng
        leaves = rng.randrange(1, 4) if small else rng.randrange(1, 12)
        inner = rng.randrange(1, SMALL - leaves + 1) if small else rng.randrange(1, 30)
        self.leaves = [f"e{i}" for i in range(leaves)]
        self.heads = [f"c{i}" if rng.random() < 0.7 else f"a{i}" for i in range(inner)]
        self.backers: list[Backer] = []
        self.depends: dict[str, tuple[str, ...]] = {}
        self.book = Book()
        self.seq = 1
        for head in self.heads:
            # claims may have alternatives, artefacts have one justification; edges may go back: rings
            for _ in range(rng.randrange(1, 4) if head[0] == "c" else 1):
                self._justify(head)
            if head[0] == "c" and rng.random() < 0.15:
                earlier = [h for h in self.heads[: self.heads.index(head)] if h[0] == "c"]
                if earlier:
                    self.depends[head] = (rng.choice(earlier),)
        first = supports(self.backers, self.book, depends=self.depends)
        self._write({node: mark for node, mark in first.items() if mark is not Support.SUPPORTED})

    def _justify(self, head: str) -> Backer:
        pool = self.leaves + self.heads if self.rng.random() < 0.6 else self.leaves
        needed = self.rng.sample(pool, min(len(pool), self.rng.randrange(1, 4)))
        made = backer(head, self.seq, requires=needed, kind="derivation", name=f"j{len(self.backers)}")
        self.backers.append(made)
        return made

    def _write(self, marks: dict[str, Support]) -> None:
        for node, mark in marks.items():
            self.book.note(*change(node, mark.value, self.seq, "support"))

    def cone(self, roots: Iterable[str]) -> list[Backer]:
        """The justifications of everything that grows from the roots, as the graph would hand them over."""
        reached = set(roots)
        while True:
            more = {b.justification.head for b in self.backers if reached & set(b.justification.requires)}
            more |= {head for head, needed in self.depends.items() if reached & set(needed)}
            if more <= reached:
                return [b for b in self.backers if b.justification.head in reached]
            reached |= more

    def step(self) -> tuple[dict[str, str], list[Backer], Plan, Book]:
        """Change the base once and carry out the plan; return the change, the plan and the book before."""
        self.seq += 1
        before = Book((note, seq) for node in (*self.leaves, *self.heads) for seq, note in self.book.history(node))
        targets = self.rng.sample(self.leaves + self.heads, self.rng.randrange(0, 3) or 1)
        changes = {target: self.rng.choice(STATUSES) for target in targets}
        known = list(self.backers)
        added: list[Backer] = []
        claims = [h for h in self.heads if h[0] == "c"]
        if claims and self.rng.random() < 0.2:
            added.append(self._justify(self.rng.choice(claims)))
            if self.rng.random() < 0.5:
                changes = {}
        roots = [*changes, *(b.justification.head for b in added)]
        backers = [b for b in self.cone(roots) if b in known]
        made = plan(backers, self.book, changes, added=added, depends=self.depends, as_of=self.seq - 1)
        for target, status in changes.items():
            self.book.note(*change(target, status, self.seq))
        self._write(dict(made.marks))
        return changes, added, made, before


def exhaustive(world: World, node: str, allowed: set[str], path: frozenset[str] = frozenset()) -> bool:
    """Return whether an acyclic proof of `node` exists whose every node has an allowed status."""
    if node in path or world.book.status(node) not in allowed:
        return False
    below = path | {node}
    if not all(exhaustive(world, needed, allowed, below) for needed in world.depends.get(node, ())):
        return False
    if node in world.leaves:
        return True
    return any(
        all(exhaustive(world, needed, allowed, below) for needed in b.justification.requires)
        for b in world.backers
        if b.justification.head == node
    )


def check(world: World, counts: Counter[str], *, small: bool) -> list[str]:
    """Make one change and return the differences in words."""
    changes, added, made, before = world.step()
    what = f"{changes} + {[b.justification.head for b in added]}"
    expected = supports(world.backers, world.book, depends=world.depends)
    wrong: list[str] = []
    old = {node: before.support(node) for node in expected}
    for node, support in expected.items():
        counts["nodes"] += 1
        if world.book.support(node) != support:
            wrong.append(f"{what}: {node} is {world.book.support(node)}, fixpoint says {support}")
        if small:
            counts["proofs"] += 1
            proof = exhaustive(world, node, {"active"})
            if proof != (support is Support.SUPPORTED):
                wrong.append(f"{what}: {node} is {support}, exhaustive search says {proof}")
    for listed, support in (
        (made.fallen, Support.UNSUPPORTED),
        (made.suspended, Support.SUSPENDED),
        (made.returned, Support.SUPPORTED),
    ):
        counts["lost" if support is not Support.SUPPORTED else "back"] += len(listed)
        should = {n for n, s in expected.items() if s is support and old[n] != s and n not in changes}
        if set(listed) != should:
            wrong.append(f"{what}: plan lists {sorted(listed)} as {support}, oracle {sorted(should)}")
    return wrong + _survivors(world, made, expected, what, counts)


def _survivors(world: World, made: Plan, expected: dict[str, Support], what: str, counts: Counter[str]) -> list[str]:
    into = {b.justification.id: b.justification for b in world.backers}
    wrong = []
    for node, supports_ in made.survivors:
        counts["survivors"] += 1
        whole = all(expected[r] is Support.SUPPORTED for j in supports_ for r in into[j].requires)
        if expected[node] is not Support.SUPPORTED or not supports_ or not whole:
            wrong.append(f"{what}: {node} is said to survive by {supports_}")
    return wrong


def main() -> int:
    """Run and report; 1 when anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--graphs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    differences, start = 0, time.perf_counter()
    for number in range(options.graphs):
        rng = random.Random(f"{options.seed}-{number}")
        small = number % 2 == 0
        world = World(rng, small=small)
        for _ in range(4):
            counts["steps"] += 1
            wrong = check(world, counts, small=small)
            differences += len(wrong)
            for line in wrong[:3] if differences <= 30 else ():
                print(f"graph {options.seed}-{number}: {line}")
            if wrong:
                break
    print(f"graphs       {options.graphs:,}, {counts['steps']:,} changes in {time.perf_counter() - start:.0f} s")
    print(
        f"nodes        {counts['nodes']:,} compared with the fixpoint, {counts['proofs']:,} with exhaustive proof search"
    )
    print(
        f"moved        {counts['lost']:,} fell or wait, {counts['back']:,} came back, {counts['survivors']:,} survived"
    )
    print(f"differences  {differences:,}")
    if not differences:
        print(f"bound        a share of more than {3 / counts['steps']:.1e} wrong changes is excluded at 95 %")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
