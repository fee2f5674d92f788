"""Taking back: one planner for what would happen and for what happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from tkg.belief import cascade, validity
from tkg.belief.book import Book
from tkg.errors import Conflict, NotFound, RequestError
from tkg.ids import kind_of
from tkg.memory.answers import Effect, Plan
from tkg.memory.caller import Caller
from tkg.memory.inspecting import label
from tkg.memory.replan import consequences, marks
from tkg.memory.slots import Slots
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, scope_of, visible_node
from tkg.model.verdict import StatusChange
from tkg.model.view import SlotClaim
from tkg.text import MAX_TEXT, clean

#: status -> the statuses it may follow
_FROM: Mapping[str, frozenset[str]] = {
    "revoked": frozenset({"active", "quarantined", "held"}),
    "quarantined": frozenset({"active"}),
    "active": frozenset({"quarantined", "revoked"}),
}
_CODES = {"revoked": "revoke", "quarantined": "quarantine", "active": "release"}


@dataclass(frozen=True, slots=True)
class Target:
    """What is taken back: exactly one of a claim, evidence, a source by its uri, a session, a principal."""

    claim: str | None = None
    evidence: str | None = None
    source: str | None = None
    session: str | None = None
    principal: str | None = None

    def one(self) -> tuple[str, str]:
        """Return the field that is set and its value.

        Raises:
            RequestError: none or several are.
        """
        given = [(one.name, value) for one in fields(self) if (value := getattr(self, one.name)) is not None]
        if len(given) != 1:
            raise RequestError("name exactly one of claim, evidence, source, session or principal")
        return given[0]


def nodes_of(tenant: Tenant, caller: Caller, target: Target) -> list[str]:
    """Return the nodes a target names, within what the caller reaches; names are compared whole.

    A source brings its copies with it, in any number of steps: a copy falls with its original. A session brings the
    artefacts written in it.

    Raises:
        NotFound: nothing in this scope comes from it.
    """
    what, name = target.one()
    if what in ("claim", "evidence"):
        visible_node(tenant, caller, name)
        if what == "evidence" and tenant.graph.evidence(name) is None:
            raise NotFound("no such evidence in this scope")
        return [name]
    if what == "source":
        found = list(_with_copies(tenant, tenant.names.source(name)))
    elif what == "session":
        session = tenant.names.session(name)
        found = [*tenant.graph.evidence_from(session), *tenant.graph.session_artefacts(session)]
    else:
        found = tenant.graph.evidence_from(tenant.names.principal(name))
    nodes = [one for one in dict.fromkeys(found) if (scope := scope_of(tenant, one)) and reaches(caller, scope)]
    if not nodes:
        raise NotFound(f"nothing in this scope comes from that {what}; names are compared whole")
    return nodes


def _with_copies(tenant: Tenant, source: str) -> Iterator[str]:
    ahead, seen = [source], set[str]()
    while ahead:
        one = ahead.pop()
        if one in seen:
            continue
        seen.add(one)
        yield from tenant.graph.evidence_from(one)
        for copy in tenant.graph.copies(one):
            yield copy
            view = tenant.graph.evidence(copy)
            if view is not None:
                ahead.append(view.source.id)


def plan(tenant: Tenant, caller: Caller, target: Target, status: str) -> Plan:
    """Return what a change of status would bring about; see `Handle.plan_revoke`."""
    changes = _changes(tenant, nodes_of(tenant, caller, target), status)
    return _plan(tenant, caller, changes, status, consequences(tenant, changes))


def _changes(tenant: Tenant, nodes: Iterable[str], status: str) -> dict[str, str]:
    """Return which nodes change to a status.

    Raises:
        Conflict: none of them can; the message says what they are.
    """
    before = {node: tenant.book.status(node) for node in nodes}
    changes = {node: status for node, was in before.items() if was in _FROM[status]}
    if not changes:
        raise Conflict(f"nothing to do: it is {' and '.join(sorted(set(before.values())))} already")
    return changes


def _plan(tenant: Tenant, caller: Caller, changes: Mapping[str, str], status: str, found: cascade.Plan) -> Plan:
    """Return what was found as it is shown: labels, states, what resurfaces."""
    after = _after(tenant, found)
    return Plan(
        status=status,
        targets=tuple(changes),
        falls=tuple(_effects(tenant, caller, found.fallen, "revoked", cancels=True)),
        suspended=tuple(_effects(tenant, caller, found.suspended, "suspended")),
        returns=tuple(_effects(tenant, caller, found.returned, "active")),
        survives=tuple(_survivors(tenant, caller, found)),
        resurfaces=tuple(_resurfaced(tenant, caller, [*changes, *found.fallen, *found.suspended], after)),
        planned_at=tenant.ledger.head.seq,
    )


def _kind(tenant: Tenant, node: str) -> str:
    artefact = tenant.graph.artefact(node)
    return artefact.artefact.kind if artefact is not None else kind_of(node) or "unknown"


def _mine(tenant: Tenant, caller: Caller, nodes: Iterable[str]) -> Iterator[str]:
    """Leave out of what is shown (never of what is done) nodes the caller may not name."""
    for node in nodes:
        if (scope := scope_of(tenant, node)) is not None and reaches(caller, scope):
            yield node


def _effects(
    tenant: Tenant, caller: Caller, nodes: Iterable[str], after: str, *, cancels: bool = False
) -> Iterator[Effect]:
    for node in _mine(tenant, caller, nodes):
        last = tenant.book.last(node, "action") if cancels else None
        code = "" if last is None else {"queued": "cancelled", "dispatched": "compensation"}.get(last.value, "")
        yield Effect(
            id=node,
            kind=_kind(tenant, node),
            label=label(tenant, node),
            before=tenant.book.support(node),
            after=after,
            code=code,
        )


def _survivors(tenant: Tenant, caller: Caller, found: cascade.Plan) -> Iterator[Effect]:
    kept = dict(found.survivors)
    for node in _mine(tenant, caller, kept):
        yield Effect(
            id=node,
            kind=_kind(tenant, node),
            label=label(tenant, node),
            before="supported",
            after="active",
            kept_by=kept[node],
        )


def _after(tenant: Tenant, found: cascade.Plan) -> Book:
    """Return the book as it would be once the plan is carried out."""
    seq = tenant.ledger.head.seq + 1
    fresh = [
        StatusChange(id=f"planned-{number}", target=node, axis="support", value=support.value)
        for number, (node, support) in enumerate(found.marks)
    ]
    fresh += [
        StatusChange(id=f"planned-{node}", target=node, axis="status", value=status) for node, status in found.changes
    ]
    return tenant.book.copy_with((change, seq) for change in fresh)


def _resurfaced(tenant: Tenant, caller: Caller, leaving: Iterable[str], after: Book) -> Iterator[Effect]:
    """Yield the claims that become (part of) the answer of their slot now, where a leaving claim was it before."""
    now = tenant.now()
    for claim in _claims_of(tenant, leaving):
        slots = Slots.around(tenant, claim.claim.scope)
        slot = slots.slot(claim)
        before = validity.value([slot.claims], slot.predicate, tenant.book, now, lookup=slots.lookup, same=slots.same)
        then = validity.value([slot.claims], slot.predicate, after, now, lookup=slots.lookup, same=slots.same)
        for one in _mine(tenant, caller, (back for back in then.claims if back not in before.claims)):
            yield Effect(id=one, kind="claim", label=label(tenant, one), before="superseded", after="active")


def _claims_of(tenant: Tenant, nodes: Iterable[str]) -> Iterator[SlotClaim]:
    """Yield one claim for each slot touched by claims among the nodes, or backed by evidence among them."""
    slots: set[str] = set()
    for node in nodes:
        view = tenant.graph.claim(node)
        if view is not None and view.claim.slot_id not in slots:
            slots.add(view.claim.slot_id)
            yield view


def carry_out(tenant: Tenant, caller: Caller, made: Plan, reason: str) -> Plan:
    """Carry out a plan, if what it would do is still what was planned; see `Handle.revoke`."""
    caller.speaking()
    reason = clean(reason, "reason", limit=MAX_TEXT)
    if made.done_at is not None:
        raise Conflict("this plan was carried out already")
    for node in made.targets:
        visible_node(tenant, caller, node)
    changes = {node: made.status for node in made.targets if tenant.book.status(node) in _FROM[made.status]}
    found = consequences(tenant, changes) if changes else None
    fresh = None if found is None else _plan(tenant, caller, changes, made.status, found)
    if found is None or fresh is None or (fresh.targets, fresh.effects) != (made.targets, made.effects):
        raise Conflict("what would fall has changed since the plan was made; plan again")
    return _commit(tenant, caller, fresh, found, reason)


def change(tenant: Tenant, caller: Caller, target: Target, status: str, reason: str) -> Plan:
    """Plan and carry out at once: quarantine and release."""
    caller.speaking()
    reason = clean(reason, "reason", limit=MAX_TEXT)
    changes = _changes(tenant, nodes_of(tenant, caller, target), status)
    found = consequences(tenant, changes)
    return _commit(tenant, caller, _plan(tenant, caller, changes, status, found), found, reason)


def _commit(tenant: Tenant, caller: Caller, made: Plan, found: cascade.Plan, reason: str) -> Plan:
    code = _CODES[made.status]
    records = marks(tenant, found, code=code, actor=caller.principal, reason=reason)
    entry = tenant.commit(code, caller.scope.path, records)
    return made.model_copy(update={"done_at": entry.seq})
