"""Recording how a skill did when it was run."""

from __future__ import annotations

from tkg.belief.runs import AXIS, FAILED, SUCCEEDED, VERIFIED, Runs, runs
from tkg.errors import NotFound, NotPermitted, RequestError
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import visible_node
from tkg.model.scope import Channel
from tkg.model.verdict import StatusChange


def record_run(tenant: Tenant, caller: Caller, skill_id: str, succeeded: bool, note: str) -> Runs:
    """See `Handle.record_run`."""
    channel, principal = caller.speaking()
    if not isinstance(succeeded, bool):
        raise RequestError("succeeded is True or False")
    visible_node(tenant, caller, skill_id)
    view = tenant.graph.artefact(skill_id)
    if view is None or view.artefact.kind != "skill":
        raise NotFound("no such skill; `skills` lists them")
    proves = channel.rank >= Channel.TRUSTED_TOOL.rank
    if view.artefact.scope != caller.scope.path and not proves:
        raise NotPermitted(
            "a run of another scope's skill is told by a tool or a person: it changes what others are shown"
        )
    value = FAILED if not succeeded else VERIFIED if proves else SUCCEEDED
    change = StatusChange(
        id=tenant.ids.new("sta"),
        target=skill_id,
        axis=AXIS,
        value=value,
        code=AXIS,
        reason=told(note, "note") if note else None,
        actor=principal,
    )
    tenant.commit("run", view.artefact.scope, [change])
    return runs(tenant.book, skill_id)
