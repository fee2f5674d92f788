"""Taking back: one planner for what would happen and for what happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from tkg.belief import cascade
from tkg.errors import Conflict, NotFound, RequestError
from tkg.ids import kind_of
from tkg.memory.answers import Effect, Plan
from tkg.memory.authority import check_taking_back
from tkg.memory.caller import Caller
from tkg.memory.inspecting import label, label_of_claim
from tkg.memory.resurfacing import CODE, Consequences, follow
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import bound_node, owns, reaches, scope_of, visible_node
from tkg.model.entry import Record

#: status -> the statuses it may follow
_FROM: Mapping[str, frozenset[str]] = {
    "revoked": frozenset({"active", "quarantined", "held"}),
    "quarantined": frozenset({"active"}),
    "active": frozenset({"quarantined", "revoked"}),
}
_CODES = {"revoked": "revoke", "quarantined": "quarantine", "active": "release"}


@dataclass(frozen=True, slots=True)
class Target:
    """What is taken back: exactly one of a claim, evidence, a source by its uri, a session, a principal.

    `version` narrows a source to what one version of it said.
    """

    claim: str | None = None
    evidence: str | None = None
    source: str | None = None
    session: str | None = None
    principal: str | None = None
    version: str | None = None

    def one(self) -> tuple[str, str]:
        """Return the field that is set and its value.

        Raises:
            RequestError: none or several are.
        """
        named = [one.name for one in fields(self) if one.name != "version"]
        given = [(name, value) for name in named if (value := getattr(self, name)) is not None]
        if len(given) != 1:
            raise RequestError("name exactly one of claim, evidence, source, session or principal")
        if self.version is not None and self.source is None:
            raise RequestError("a version is one of a source: name the source as well")
        return given[0]


def nodes_of(tenant: Tenant, caller: Caller, target: Target, within: Callable[[Caller, str], bool] = owns) -> list[str]:
    """Return the nodes a target names, within what the caller binds; names are compared whole.

    A source brings its copies with it, in any number of steps: a copy falls with its original. Of one version only what
    was read in it goes: a copy names the source it was made of, and not the version. A session brings the artefacts
    written in it.

    Args:
        tenant: the open tenant.
        caller: who asks.
        target: what is named.
        within: which scopes count: those the caller binds, or (`reaches`, to look only) those it may name.

    Raises:
        NotFound: nothing in this scope comes from it.
        NotPermitted: a user's handle named what belongs to the whole tenant.
    """
    what, name = target.one()
    if what in ("claim", "evidence"):
        (bound_node if within is owns else visible_node)(tenant, caller, name)
        if what == "evidence" and tenant.graph.evidence(name) is None:
            raise NotFound("no such evidence in this scope; `explain` of a claim lists its evidence")
        return [name]
    if what == "source" and target.version is not None:
        said = (one for source in tenant.sources_of(name) for one in tenant.graph.evidence_from(source))
        views = map(tenant.graph.evidence, said)
        found = [view.evidence.id for view in views if view is not None and view.evidence.version == target.version]
    elif what == "source":
        found = [one for source in tenant.sources_of(name) for one in with_copies(tenant, source)]
    elif what == "session":
        session = tenant.names.session(name)
        found = [*tenant.graph.evidence_from(session), *tenant.graph.session_artefacts(session)]
    else:
        found = tenant.graph.evidence_from(tenant.names.principal(name))
    nodes = [one for one in dict.fromkeys(found) if (scope := scope_of(tenant, one)) and within(caller, scope)]
    if not nodes:
        raise NotFound(f"nothing in this scope comes from that {what}; names are compared whole")
    return nodes


def with_copies(tenant: Tenant, source: str) -> Iterator[str]:
    """Yield the evidence from a source and from everything copied from it, in any number of steps."""
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


def plan(
    tenant: Tenant, caller: Caller, target: Target, status: str, within: Callable[[Caller, str], bool] = owns
) -> Plan:
    """Return what a change of status would bring about; see `Handle.plan_revoke`, and `nodes_of` for `within`."""
    changes = _changes(tenant, nodes_of(tenant, caller, target, within), status)
    return _plan(tenant, caller, changes, status, follow(tenant, changes))


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


def _plan(tenant: Tenant, caller: Caller, changes: Mapping[str, str], status: str, whole: Consequences) -> Plan:
    """Return what was found as it is shown: labels, states, what resurfaces."""
    found = whole.plan
    touched = [*found.fallen, *found.suspended, *found.returned, *dict(found.survivors)]
    seen = _Seen(tenant, caller, [*changes, *touched, *whole.back, *whole.held, *whole.lifted])
    return Plan(
        status=status,
        targets=tuple(changes),
        falls=tuple(seen.effects(found.fallen, "revoked", cancels=True)),
        suspended=tuple(seen.effects(found.suspended, "suspended")),
        returns=tuple(seen.effects((*found.returned, *whole.lifted), "active")),
        survives=tuple(seen.survivors(found)),
        resurfaces=tuple(seen.resurfaced(whole)),
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

    def resurfaced(self, found: Consequences) -> Iterator[Effect]:
        """Yield the claims that become the answer again, and those that would and wait for a person instead."""
        for nodes, after in ((found.back, "active"), (found.held, "held")):
            for one in self._mine(nodes):
                code = CODE if after == "held" else ""
                yield Effect(id=one, kind="claim", label=self._label(one), before="superseded", after=after, code=code)


def carry_out(tenant: Tenant, caller: Caller, made: Plan, reason: str, also: Sequence[Record] = ()) -> Plan:
    """Carry out a plan, if what it would do is still what was planned; see `Handle.revoke`.

    `also` are records that the same transaction writes.
    """
    caller.speaking()
    if not isinstance(made, Plan):
        raise RequestError("pass the plan that plan_revoke returned: revoke(plan_revoke(claim=…), reason=…)")
    reason = told(reason, "reason")
    if made.done_at is not None:
        raise Conflict("this plan was carried out already")
    for node in made.targets:
        bound_node(tenant, caller, node)
    changes = {node: made.status for node in made.targets if tenant.book.status(node) in _FROM[made.status]}
    check_taking_back(tenant, caller, changes, made.status)
    found = follow(tenant, changes) if changes else None
    fresh = None if found is None else _plan(tenant, caller, changes, made.status, found)
    if found is None or fresh is None or (fresh.targets, fresh.effects) != (made.targets, made.effects):
        raise Conflict("what would fall has changed since the plan was made; plan again")
    return _commit(tenant, caller, fresh, found, reason, also)


def change(
    tenant: Tenant, caller: Caller, target: Target, status: str, reason: str, also: Sequence[Record] = ()
) -> Plan:
    """Plan and carry out at once: quarantine and release. `also` are records that the same transaction writes."""
    caller.speaking()
    reason = told(reason, "reason")
    changes = _changes(tenant, nodes_of(tenant, caller, target), status)
    check_taking_back(tenant, caller, changes, status)
    found = follow(tenant, changes)
    return _commit(tenant, caller, _plan(tenant, caller, changes, status, found), found, reason, also)


def _commit(
    tenant: Tenant, caller: Caller, made: Plan, found: Consequences, reason: str, also: Sequence[Record]
) -> Plan:
    code = _CODES[made.status]
    records = [*found.records(tenant, code=code, actor=caller.principal, reason=reason), *also]
    entry = tenant.commit(code, caller.scope.path, records)
    return made.model_copy(update={"done_at": entry.seq})
