"""Taking back: one planner for what would happen and for what happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from tkg.belief import cascade, validity
from tkg.belief.book import Book
from tkg.belief.mirror import opposite
from tkg.errors import Conflict, NotFound, RequestError
from tkg.ids import kind_of
from tkg.memory.answers import Effect, Plan
from tkg.memory.authority import check_taking_back
from tkg.memory.caller import Caller
from tkg.memory.inspecting import label, label_of_claim
from tkg.memory.replan import consequences, marks
from tkg.memory.slots import Slots
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, scope_of, visible_node
from tkg.model.claim import Claim
from tkg.model.verdict import StatusChange
from tkg.model.view import SlotClaim
from tkg.text import MAX_TEXT, clean

#: status -> the statuses it may follow
_FROM: Mapping[str, frozenset[str]] = {
    "revoked": frozenset({"active", "quarantined", "held"}),
    "quarantined": frozenset({"active"}),
    "active": frozenset({"quarantined", "revoked"}),
}
#: leaving claims up to which each one's slot is read; for more it is asked first which slots hold several
_FEW = 30
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
    seen = _Seen(tenant, caller, [*changes, *found.fallen, *found.suspended, *found.returned, *dict(found.survivors)])
    return Plan(
        status=status,
        targets=tuple(changes),
        falls=tuple(seen.effects(found.fallen, "revoked", cancels=True)),
        suspended=tuple(seen.effects(found.suspended, "suspended")),
        returns=tuple(seen.effects(found.returned, "active")),
        survives=tuple(seen.survivors(found)),
        resurfaces=tuple(seen.resurfaced([*changes, *found.fallen, *found.suspended], found)),
        planned_at=tenant.ledger.head.seq,
    )


class _Seen:
    """The nodes of a plan as the caller sees them; their claims are read once and together, since they may be many."""

    def __init__(self, tenant: Tenant, caller: Caller, nodes: Iterable[str]) -> None:
        self._tenant, self._caller = tenant, caller
        self._claims = tenant.graph.claims([node for node in dict.fromkeys(nodes) if kind_of(node) == "claim"])

    def _mine(self, nodes: Iterable[str]) -> Iterator[str]:
        """Leave out of what is shown (never of what is done) nodes the caller may not name."""
        for node in nodes:
            claim = self._claims.get(node)
            scope = scope_of(self._tenant, node) if claim is None else claim.scope
            if scope is not None and reaches(self._caller, scope):
                yield node

    def _kind(self, node: str) -> str:
        kind = kind_of(node)
        artefact = self._tenant.graph.artefact(node) if kind == "artefact" else None
        return artefact.artefact.kind if artefact is not None else kind or "unknown"

    def _label(self, node: str) -> str:
        claim = self._claims.get(node)
        return label(self._tenant, node) if claim is None else label_of_claim(claim)

    def effects(self, nodes: Iterable[str], after: str, *, cancels: bool = False) -> Iterator[Effect]:
        """Yield what becomes of nodes; with `cancels` also of the actions among them."""
        for node in self._mine(nodes):
            last = self._tenant.book.last(node, "action") if cancels else None
            code = "" if last is None else {"queued": "cancelled", "dispatched": "compensation"}.get(last.value, "")
            yield Effect(
                id=node,
                kind=self._kind(node),
                label=self._label(node),
                before=self._tenant.book.support(node),
                after=after,
                code=code,
            )

    def survivors(self, found: cascade.Plan) -> Iterator[Effect]:
        """Yield what was reached and still stands, with what carries it."""
        kept = dict(found.survivors)
        for node in self._mine(kept):
            yield Effect(
                id=node,
                kind=self._kind(node),
                label=self._label(node),
                before="supported",
                after="active",
                kept_by=kept[node],
            )

    def resurfaced(self, leaving: Iterable[str], found: cascade.Plan) -> Iterator[Effect]:
        """Yield the claims that become (part of) the answer of their slot, where a leaving claim was it before."""
        tenant, now = self._tenant, self._tenant.now()
        slots: dict[str, SlotClaim] = {}
        for claim in self._room_makers(list(leaving)):
            if claim.slot_id not in slots and (view := tenant.graph.claim(claim.id)) is not None:
                slots[claim.slot_id] = view
        after = _after(tenant, found) if slots else tenant.book
        for view in slots.values():
            reader = Slots.around(tenant, view.claim.scope)
            slot, lookup, same = reader.slot(view), reader.lookup, reader.same
            before = validity.value([slot.claims], slot.predicate, tenant.book, now, lookup=lookup, same=same)
            then = validity.value([slot.claims], slot.predicate, after, now, lookup=lookup, same=same)
            for one in self._mine(back for back in then.claims if back not in before.claims):
                yield Effect(id=one, kind="claim", label=self._label(one), before="superseded", after="active")

    def _room_makers(self, leaving: Sequence[str]) -> Iterator[Claim]:
        """Yield the leaving claims that may have others beside them; a claim that is alone makes room for nothing."""
        claims = [claim for node in leaving if (claim := self._claims.get(node)) is not None]
        if len(claims) <= _FEW or self._tenant.same_as:
            yield from claims
            return
        shared, registry = self._tenant.graph.shared_slots(), self._tenant.registry()
        for claim in claims:
            turned = claim.predicate is None or opposite(registry.get(claim.predicate), registry) is not None
            if turned or claim.slot_id in shared:
                yield claim


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


def carry_out(tenant: Tenant, caller: Caller, made: Plan, reason: str) -> Plan:
    """Carry out a plan, if what it would do is still what was planned; see `Handle.revoke`."""
    caller.speaking()
    reason = clean(reason, "reason", limit=MAX_TEXT)
    if made.done_at is not None:
        raise Conflict("this plan was carried out already")
    for node in made.targets:
        visible_node(tenant, caller, node)
    changes = {node: made.status for node in made.targets if tenant.book.status(node) in _FROM[made.status]}
    check_taking_back(tenant, caller, changes, made.status)
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
    check_taking_back(tenant, caller, changes, status)
    found = consequences(tenant, changes)
    return _commit(tenant, caller, _plan(tenant, caller, changes, status, found), found, reason)


def _commit(tenant: Tenant, caller: Caller, made: Plan, found: cascade.Plan, reason: str) -> Plan:
    code = _CODES[made.status]
    records = marks(tenant, found, code=code, actor=caller.principal, reason=reason)
    entry = tenant.commit(code, caller.scope.path, records)
    return made.model_copy(update={"done_at": entry.seq})
