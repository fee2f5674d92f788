"""What a change of statuses or of justifications brings about, found on the affected cone and made into records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tkg.belief.cascade import Plan, plan
from tkg.memory.tenant import Tenant
from tkg.model.claim import Justification
from tkg.model.entry import Record
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer


class Cone(NamedTuple):
    """All justifications that can be affected, and what the claims among them depend on."""

    backers: list[Backer]
    depends: dict[str, Sequence[str]]


def cone(tenant: Tenant, roots: Iterable[str]) -> Cone:
    """Return what is derived from, or depends on, some nodes, in any number of steps, with all alternatives."""
    backers: dict[str, Backer] = {}
    depends: dict[str, Sequence[str]] = {}
    ahead, seen = sorted(set(roots)), set[str]()
    while ahead:
        root = ahead.pop()
        fetched = tenant.graph.cone(root)
        backers.update((backer.justification.id, backer) for backer in fetched)
        nodes = {root, *(backer.justification.head for backer in fetched)} - seen
        seen |= nodes
        for node in sorted(nodes & tenant.needs.keys()):
            depends[node] = tenant.needs[node]
        ahead += (other for node in sorted(nodes & tenant.needed_by.keys()) for other in tenant.needed_by[node])
        ahead = [node for node in dict.fromkeys(ahead) if node not in seen]
    return Cone(sorted(backers.values(), key=lambda one: (one.seq, one.justification.id)), depends)


def consequences(tenant: Tenant, changes: Mapping[str, str], added: Sequence[Backer] = ()) -> Plan:
    """Plan a change of statuses (node -> new status) and of justifications against the store as it is."""
    roots = {*changes, *(one.justification.head for one in added)}
    affected = cone(tenant, roots)
    return plan(affected.backers, tenant.book, changes, added=added, depends=affected.depends)


def support_changes(
    tenant: Tenant,
    added: Iterable[Justification],
    changes: Mapping[str, str],
    seq: int,
    *,
    code: str = "cascade",
    actor: str | None = None,
) -> list[Record]:
    """Return the records of what new justifications and changed statuses bring about: the changes and their marks.

    Nothing is read when nothing can change: a new support of a claim that stands already changes no state.
    """
    fresh = [Backer(one, seq) for one in added]
    if not changes and all(tenant.book.live(one.justification.head) for one in fresh):
        return []
    found = consequences(tenant, changes, fresh)
    return marks(tenant, found, code=code, actor=actor)


def marks(tenant: Tenant, found: Plan, *, code: str, actor: str | None, reason: str | None = None) -> list[Record]:
    """Return a plan as records: descendants first, then the changed statuses, then what happens to actions."""
    records: list[Record] = [
        StatusChange(id=tenant.ids.new("sta"), target=node, axis="support", value=support.value, code=code)
        for node, support in found.marks
    ]
    records += [
        StatusChange(
            id=tenant.ids.new("sta"), target=node, axis="status", value=status, code=code, reason=reason, actor=actor
        )
        for node, status in found.changes
    ]
    gone = {node for node, status in found.changes if status in ("revoked", "rejected", "erased")}
    for node in dict.fromkeys((*found.fallen, *sorted(gone))):
        last = tenant.book.last(node, "action")
        if last is not None and last.value in ("queued", "dispatched"):
            # what left the house cannot be called back; it is listed as something to make good
            value = "cancelled" if last.value == "queued" else "compensation"
            records.append(
                StatusChange(id=tenant.ids.new("sta"), target=node, axis="action", value=value, code=value, actor=actor)
            )
    return records
