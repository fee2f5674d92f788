"""What a change of statuses or of justifications brings about, found on the affected cone and made into records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tkg.belief.cascade import Plan, gather, plan
from tkg.memory.tenant import Tenant
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Record
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer


class _Cones:
    """What belief asks of a tenant: cones from the graph, dependency from the maps kept beside the book."""

    def __init__(self, tenant: Tenant) -> None:
        self._tenant = tenant

    def cone(self, node_id: str) -> list[Backer]:
        """Return every justification of the node and of what is derived from it."""
        return self._tenant.graph.cone(node_id)

    def dependents(self, claim_id: str) -> list[str]:
        """Return the claims that depend on a claim."""
        return self._tenant.needed_by.get(claim_id, [])

    def depends_on(self, node_id: str) -> list[str]:
        """Return what a claim depends on."""
        return self._tenant.needs.get(node_id, [])


def consequences(tenant: Tenant, changes: Mapping[str, str], added: Sequence[Backer] = ()) -> Plan:
    """Plan a change of statuses (node -> new status) and of justifications against the store as it is."""
    roots = {*changes, *(one.justification.head for one in added)}
    backers, depends = gather(roots, _Cones(tenant))
    return plan(backers, tenant.book, changes, added=added, depends=depends)


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


def born(tenant: Tenant, claim: Claim) -> list[StatusChange]:
    """Return the mark of a new claim that depends on something that does not stand: it does not stand either."""
    found = {tenant.book.support(needed) for needed in claim.depends_on}
    value = next((word for word in ("unsupported", "suspended") if word in found), None)
    if value is None:
        return []
    return [StatusChange(id=tenant.ids.new("sta"), target=claim.id, axis="support", value=value, code="depends_on")]


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
