"""What falls, waits or returns when the base changes: delete-and-rederive inside the affected cone (semantics 4.2).

Two fixpoints are kept: the live one (statuses active) and the optimistic one (also quarantined and held). A node in
the optimistic but not the live one is suspended. Over-delete whatever is supported through a node that leaves; then
re-derive, inside what was deleted, whatever another justification still carries. A ring with no live evidence is
over-deleted as a whole and nothing in it comes back.

Plan and commit share this planner: the plan is a value, carrying it out is writing its `marks` with the status change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tkg.belief.book import LATEST, Book
from tkg.belief.support import LIVE, OPTIMISTIC, Support
from tkg.ids import kind_of
from tkg.model.claim import Justification
from tkg.model.view import Backer


@dataclass(frozen=True, slots=True)
class Plan:
    """The consequences of a change of the base; every list has descendants before what they grew from.

    `fallen`, `suspended` and `returned` are nodes whose support changes (the changed nodes themselves are in
    `changes`); `survivors` were reached and still stand, each with the justifications that carry it. `marks` are the
    (node, support) pairs to record as status changes on the axis "support", in the same entry.
    """

    changes: tuple[tuple[str, str], ...]
    fallen: tuple[str, ...] = ()
    suspended: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    survivors: tuple[tuple[str, tuple[str, ...]], ...] = ()
    marks: tuple[tuple[str, Support], ...] = ()

    def of_kind(self, kind: str) -> Plan:
        """Return the same plan with only nodes of one kind ("claim", "artefact", "evidence") in its lists."""

        def only(nodes: Iterable[str]) -> tuple[str, ...]:
            return tuple(node for node in nodes if kind_of(node) == kind)

        return Plan(
            self.changes,
            only(self.fallen),
            only(self.suspended),
            only(self.returned),
            tuple(item for item in self.survivors if kind_of(item[0]) == kind),
            self.marks,
        )


class _Graph:
    """Justifications indexed both ways, with claim-to-claim dependency as one more thing a head needs."""

    def __init__(self, backers: Iterable[Backer], depends: Mapping[str, Sequence[str]]) -> None:
        made = sorted({b.justification.id: b.justification for b in backers}.values(), key=lambda j: j.id)
        self.into: dict[str, list[Justification]] = {}
        self.depends = {head: tuple(dict.fromkeys(needed)) for head, needed in depends.items() if needed}
        self._users: dict[str, dict[str, None]] = {}
        for each in made:
            self.into.setdefault(each.head, []).append(each)
            for needed in each.requires:
                self._users.setdefault(needed, {})[each.head] = None
        for head, many in self.depends.items():
            for needed in many:
                self._users.setdefault(needed, {})[head] = None

    def users(self, node: str) -> Iterable[str]:
        return self._users.get(node, ())

    def whole(self, node: str, standing: Callable[[str], bool]) -> Iterator[Justification]:
        """Yield the justifications of a node that stand (leaves have none and stand by themselves)."""
        if all(standing(needed) for needed in self.depends.get(node, ())):
            for each in self.into.get(node, ()):
                if all(standing(needed) for needed in each.requires):
                    yield each


class _Level:
    """One of the two fixpoints before the change, and after it."""

    def __init__(
        self,
        graph: _Graph,
        before: Callable[[str], bool],
        allowed: Callable[[str], bool],
        external: Callable[[str], bool],
    ) -> None:
        self._graph = graph
        self._before = before
        self._allowed = allowed
        self._external = external
        #: only where it differs from `before`, or is known to be looked at
        self._now: dict[str, bool] = {}
        self.deleted: dict[str, None] = {}

    def stands(self, node: str) -> bool:
        """Return whether the node is in the fixpoint, as far as computed."""
        found = self._now.get(node)
        return self._before(node) if found is None else found

    def derivable(self, node: str) -> bool:
        """Return whether something carries the node, whatever its own status."""
        if node not in self._graph.into:
            return self._external(node)
        return next(self._graph.whole(node, self.stands), None) is not None

    def run(self, leaving: Iterable[str], joining: Iterable[str]) -> set[str]:
        """Move from the fixpoint before to the one after; return the nodes whose membership changed."""
        ahead = list(leaving)
        while ahead:
            node = ahead.pop()
            if node in self.deleted or not self._before(node):
                continue
            self.deleted[node] = None
            self._now[node] = False
            ahead += (user for user in self._graph.users(node) if user not in self.deleted)
        # everything deleted is looked at again, against what stands after the whole deletion
        waiting = dict.fromkeys([*self.deleted, *joining])
        while waiting:
            node = next(iter(waiting))
            del waiting[node]
            if self.stands(node) or not self._allowed(node) or not self.derivable(node):
                continue
            self._now[node] = True
            waiting.update((user, None) for user in self._graph.users(node) if not self.stands(user))
        return {node for node, now in self._now.items() if now != self._before(node)}


def plan(
    backers: Iterable[Backer],
    book: Book,
    changes: Mapping[str, str],
    *,
    added: Iterable[Backer] = (),
    depends: Mapping[str, Sequence[str]] | None = None,
    as_of: int = LATEST,
) -> Plan:
    """Return what a change of the base brings about.

    Args:
        backers: every justification of every node in the cone of the changed nodes (`Graph.cone`), alternatives
            included. Nodes that head none of them count as they stand in the book.
        book: statuses and recorded supports before the change.
        changes: node -> new status (active, held, rejected, quarantined, revoked, erased).
        added: justifications that the same entry writes; they are not among `backers`.
        depends: claim -> what it depends on, for the claims of the cone (see `gather`).
        as_of: transaction before the change.
    """
    fresh = list(added)
    graph = _Graph([*(b for b in backers if b.seq <= as_of), *fresh], depends or {})
    status_now = {node: book.status(node, as_of) for node in changes}

    def status(node: str) -> str:
        return changes.get(node) or book.status(node, as_of)

    def recorded(node: str) -> str:
        last = book.last(node, "support", as_of)
        return "supported" if last is None else last.value

    def level(base: frozenset[str], enough: tuple[str, ...]) -> tuple[_Level, set[str]]:
        found = _Level(
            graph,
            lambda node: node not in newborn and book.status(node, as_of) in base and recorded(node) in enough,
            lambda node: status(node) in base,
            lambda node: recorded(node) in enough,
        )
        leaving = [node for node in sorted(changes) if status_now[node] in base and changes[node] not in base]
        joining = [node for node in sorted(changes) if changes[node] in base]
        return found, found.run(leaving, [*joining, *(b.justification.head for b in fresh)])

    # a head whose every justification is new did not stand before this entry
    new_ids = {b.justification.id for b in fresh}
    newborn = {head for head, into in graph.into.items() if new_ids and all(each.id in new_ids for each in into)}
    live, moved = level(LIVE, ("supported",))
    hoped, moved_too = level(OPTIMISTIC, ("supported", "suspended"))
    touched = moved | moved_too | set(changes) | newborn
    touched |= {b.justification.head for b in fresh}
    touched |= {user for node in list(touched) for user in graph.users(node)}
    return _report(graph, book, changes, touched, live, hoped, status, recorded, newborn, as_of)


def _report(
    graph: _Graph,
    book: Book,
    changes: Mapping[str, str],
    touched: set[str],
    live: _Level,
    hoped: _Level,
    status: Callable[[str], str],
    recorded: Callable[[str], str],
    newborn: set[str],
    as_of: int,
) -> Plan:
    order = descendants_first(touched, graph.users)
    lists: dict[Support, list[str]] = {each: [] for each in Support}
    marks: list[tuple[str, Support]] = []
    for node in order:
        if node not in graph.into:
            continue
        carried = (
            Support.SUPPORTED
            if live.derivable(node)
            else Support.SUSPENDED
            if hoped.derivable(node)
            else Support.UNSUPPORTED
        )
        if carried != recorded(node):
            marks.append((node, carried))
        if node in changes or node in newborn:
            continue
        after = _effective(status(node), carried)
        if after != book.support(node, as_of):
            lists[after].append(node)
    survivors = [
        (node, tuple(each.id for each in graph.whole(node, live.stands)))
        for node in order
        if node in live.deleted and live.stands(node)
    ]
    return Plan(
        tuple(sorted(changes.items())),
        tuple(lists[Support.UNSUPPORTED]),
        tuple(lists[Support.SUSPENDED]),
        tuple(lists[Support.SUPPORTED]),
        tuple(survivors),
        tuple(marks),
    )


def _effective(status: str, carried: Support) -> Support:
    """Return the support of a node from its own status and from what carries it."""
    if status not in OPTIMISTIC:
        return Support.UNSUPPORTED
    return Support.SUSPENDED if status not in LIVE and carried is Support.SUPPORTED else carried


def descendants_first(nodes: Iterable[str], users: Callable[[str], Iterable[str]]) -> list[str]:
    """Return `nodes` so that each comes after everything that grew from it (in a ring: in some fixed order)."""
    wanted, seen, done = set(nodes), set[str](), list[str]()
    for root in sorted(wanted):
        stack: list[tuple[str, Iterator[str]]] = [] if root in seen else [(root, iter(sorted(users(root))))]
        seen.add(root)
        while stack:
            node, rest = stack[-1]
            for user in rest:
                if user in wanted and user not in seen:
                    seen.add(user)
                    stack.append((user, iter(sorted(users(user)))))
                    break
            else:
                done.append(node)
                stack.pop()
    return done


class Cones(Protocol):
    """The part of a graph that `gather` asks."""

    def cone(self, node_id: str) -> list[Backer]:
        """Every justification of every node derived from this one, and of the node itself."""
        ...

    def dependents(self, claim_id: str) -> list[str]:
        """Ids of claims that name this one in `depends_on`."""
        ...

    def depends_on(self, node_id: str) -> Sequence[str]:
        """Ids of the claims a node depends on; empty for what is no claim."""
        ...


def gather(roots: Iterable[str], graph: Cones) -> tuple[list[Backer], dict[str, Sequence[str]]]:
    """Return the justifications and dependencies that `plan` needs for a change of `roots`.

    Follows derivation and `depends_on`, in any number of steps.
    """
    backers: dict[str, Backer] = {}
    depends: dict[str, Sequence[str]] = {}
    ahead, seen = sorted(set(roots)), set[str]()
    while ahead:
        root = ahead.pop()
        if root in seen:  # in the cone of another root, and its own cone with it
            continue
        fetched = graph.cone(root)
        nodes = {root, *(b.justification.head for b in fetched)} - seen
        seen |= nodes
        backers.update((b.justification.id, b) for b in fetched)
        for node in sorted(nodes):
            if needed := graph.depends_on(node):
                depends[node] = needed
            ahead += (other for other in graph.dependents(node) if other not in seen)
    return sorted(backers.values(), key=lambda b: (b.seq, b.justification.id)), depends
