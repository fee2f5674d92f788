"""What a caller may name: ids of other scopes are not found, in the same words as ids that never existed."""

from __future__ import annotations

from tkg.errors import IDS, NotFound, NotPermitted
from tkg.ids import kind_of
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.model.scope import GLOBAL
from tkg.model.view import SlotClaim


def reaches(caller: Caller, scope: str) -> bool:
    """Return whether a caller may name nodes of a scope path.

    A user's handle reaches its own scope and the tenant's; the tenant's handle reaches every scope of the tenant (it
    is how an operator investigates; recall and value never widen). What is global everybody reaches.
    """
    if scope == GLOBAL:
        return True
    if caller.scope.user is None:
        return scope == caller.scope.tenant or scope.startswith(f"{caller.scope.tenant}/")
    return scope in caller.scope.visible


def owns(caller: Caller, scope: str) -> bool:
    """Return whether what a caller decides or erases may reach a scope.

    A user's handle binds its own scope, whatever the class it speaks in; the tenant's handle binds all of the tenant.
    """
    if caller.scope.user is not None:
        return scope == caller.scope.path
    return scope.partition("/")[0] == caller.scope.tenant


def scope_of(tenant: Tenant, node_id: str) -> str | None:
    """Return the scope of a claim, artefact, evidence or read; None for anything else."""
    match kind_of(node_id):
        case "claim":
            claim = tenant.graph.claim(node_id)
            return None if claim is None else claim.claim.scope
        case "artefact":
            artefact = tenant.graph.artefact(node_id)
            return None if artefact is None else artefact.artefact.scope
        case "evidence":
            evidence = tenant.graph.evidence(node_id)
            return None if evidence is None else evidence.evidence.scope
        case "retrieval":
            read = tenant.graph.retrieval(node_id)
            return None if read is None else read.retrieval.scope
        case _:
            return None


def visible_node(tenant: Tenant, caller: Caller, node_id: str) -> str:
    """Return the scope of a node the caller may name.

    Raises:
        NotFound: it does not exist, or belongs to a scope the caller does not reach.
    """
    scope = scope_of(tenant, node_id)
    if scope is None or not reaches(caller, scope):
        raise NotFound(f"no such id in this scope; {IDS}")
    return scope


def bound_node(tenant: Tenant, caller: Caller, node_id: str) -> str:
    """Return the scope of a node that a decision of the caller may change.

    Raises:
        NotFound: as `visible_node`.
        NotPermitted: it belongs to the whole tenant, and the caller is one user of it; or it is global.
    """
    scope = visible_node(tenant, caller, node_id)
    if not owns(caller, scope):
        if scope == GLOBAL:
            raise NotPermitted(
                f"{node_id} is global: dispute it with a claim of your own, which goes before it in this tenant, or decide "
                "about it for everybody through a handle of the tenant global"
            )
        raise NotPermitted(
            f"{node_id} belongs to the whole tenant: a user's handle may dispute it with a claim of its own, and only the "
            "tenant's handle changes it"
        )
    return scope


def visible_claim(tenant: Tenant, caller: Caller, claim_id: str) -> SlotClaim:
    """Return a claim the caller may name.

    Raises:
        NotFound: as `visible_node`, or the id is not a claim's.
    """
    found = tenant.graph.claim(claim_id)
    if found is None or not reaches(caller, found.claim.scope):
        raise NotFound(f"no such claim in this scope; {IDS}")
    return found
