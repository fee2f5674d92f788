"""Legal holds: what must be kept, whoever asks for it to be forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tkg.errors import Conflict, LegalHold, NotPermitted
from tkg.memory.answers import Hold
from tkg.memory.authority import check_deciding
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import bound_node, scope_of, visible_node
from tkg.model.base import Value
from tkg.model.scope import GLOBAL
from tkg.model.verdict import StatusChange
from tkg.text import MAX_NAME, clean


class Held(Value):
    """What a hold is on: exactly one; nothing at all means the whole scope."""

    subject: str | None = None
    source: str | None = None
    session: str | None = None
    principal: str | None = None
    id: str | None = None

    def target(self, tenant: Tenant, caller: Caller) -> str:
        """Return the id that carries the hold.

        Raises:
            Conflict: several things were named.
            NotFound: an id that is not in this scope. NotPermitted: a user's handle, and an id of the whole tenant.
        """
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        if len(given) > 1:
            raise Conflict("a hold is on one thing: a subject, a source, a session, a principal, an id, or the scope")
        if not given:
            return caller.scope.path
        what, name = next((what, str(name)) for what, name in given.items())
        if what == "id":
            if caller.scope.user is not None and visible_node(tenant, caller, name) != caller.scope.path:
                raise NotPermitted("it belongs to the whole tenant; only the tenant's own handle can hold it")
            if visible_node(tenant, caller, name) == GLOBAL:
                bound_node(tenant, caller, name)
            return name
        text = clean(name, what, limit=MAX_NAME)
        named = getattr(tenant.names, "entity" if what == "subject" else what)(text)
        return tenant.names.within(caller.scope.path, str(named))


def place(tenant: Tenant, caller: Caller, on: Held, value: str, reason: str) -> None:
    """See `Handle.hold` and `Handle.lift`."""
    check_deciding(caller, "placing and lifting a hold")
    target = on.target(tenant, caller)
    last = tenant.book.last(target, "hold")
    if (last is not None and last.value == "placed") is (value == "placed"):
        raise Conflict("it is under that hold already" if value == "placed" else "there is no hold on it to lift")
    change = StatusChange(
        id=tenant.ids.new("sta"),
        target=target,
        axis="hold",
        value=value,
        code="hold" if value == "placed" else "lift",
        reason=told(reason, "reason"),
        actor=caller.principal,
    )
    tenant.commit("hold" if value == "placed" else "lift", caller.scope.path, [change])


def _carriers(tenant: Tenant, node: str) -> Iterator[str]:
    """Yield everything a hold on a node may have been placed on, by the tenant or by the user whose node it is."""
    scope = scope_of(tenant, node) or ""
    for one in _touched(tenant, node):
        yield from (one, tenant.names.within(scope, one))


def _touched(tenant: Tenant, node: str) -> Iterator[str]:
    yield node
    scope = None
    if (claim := tenant.graph.claim(node)) is not None:
        scope = claim.claim.scope
        yield from (claim.claim.subject_id, claim.claim.object_id)
        for backer in claim.backers:
            for needed in backer.justification.requires:
                yield from _of_evidence(tenant, needed)
    elif (evidence := tenant.graph.evidence(node)) is not None:
        scope = evidence.evidence.scope
        yield from _of_evidence(tenant, node)
    elif (artefact := tenant.graph.artefact(node)) is not None:
        scope = artefact.artefact.scope
        if artefact.artefact.session_id is not None:
            yield artefact.artefact.session_id
        for backer in tenant.graph.justifications(node):
            for needed in backer.justification.requires:
                yield from _of_evidence(tenant, needed)
    if scope is not None:
        yield from (scope, scope.partition("/")[0])


def _of_evidence(tenant: Tenant, identifier: str) -> Iterator[str]:
    view = tenant.graph.evidence(identifier)
    if view is not None:
        yield from (identifier, view.evidence.source_id, view.evidence.principal_id)
        if view.evidence.session_id is not None:
            yield view.evidence.session_id


def holds_on(tenant: Tenant, nodes: Iterable[str]) -> list[Hold]:
    """Return the holds that keep some nodes, one for each node that has any."""
    placed = set(tenant.book.targets("hold", "placed"))
    if not placed:
        return []
    found = []
    for node in nodes:
        carrier = next((one for one in _carriers(tenant, node) if one in placed), None)
        if carrier is not None:
            change = tenant.book.last(carrier, "hold")
            assert change is not None
            found.append(Hold(id=node, on=carrier, reason=change.reason or "(erased)", placed_by=change.actor))
    return found


def refuse_held(tenant: Tenant, nodes: Iterable[str]) -> None:
    """Refuse to destroy what is under legal hold.

    Raises:
        LegalHold: something is; the message gives the reason that was recorded.
    """
    if found := holds_on(tenant, nodes):
        first = found[0]
        raise LegalHold(
            f"{len(found)} of them are under legal hold and nothing was erased: {first.reason} (on {first.on}); "
            "lift the hold first, or quarantine what should leave use"
        )
