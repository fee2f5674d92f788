"""What a containment leaves on paper: the evidence bundle before anything changes, and the report at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from tkg.ids import kind_of
from tkg.memory import containing, inspecting, questions
from tkg.memory.answers import ContainmentReport, Effect
from tkg.memory.caller import Caller
from tkg.memory.moments import written_at
from tkg.memory.renewing import FROM
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, scope_of
from tkg.model.time import iso

#: form of an evidence bundle
FORMAT: Final = "tkg.bundle/1"


def bundle(tenant: Tenant, caller: Caller, target: str) -> dict[str, Any]:
    """Return everything that is known about a target as it is now; see `Handle.evidence_bundle`."""
    tree = inspecting.lineage(tenant, caller, target)
    nodes = [one.id for one in (tree.root, *tree.up, *tree.down) if one.kind != "source"]
    return {
        "format": FORMAT,
        "made_at": iso(tenant.now()),
        "scope": caller.scope.path,
        "target": target,
        "transactions": tenant.ledger.head.seq,
        "lineage": tree.model_dump(mode="json"),
        "poison_chain": questions.poison_chain(tenant, caller, target).model_dump(mode="json"),
        "blast": questions.blast(tenant, caller, containing.aimed(target)).model_dump(mode="json"),
        "nodes": [inspecting.explain(tenant, caller, one).model_dump(mode="json") for one in nodes],
    }


def entries(bundle: dict[str, Any]) -> list[int]:
    """Return the transactions that wrote what a bundle rests on: the target and its chain."""
    links = [bundle["poison_chain"]["root"], *bundle["poison_chain"]["links"]]
    return sorted({one["written"]["seq"] for one in links})


def report(tenant: Tenant, caller: Caller, target: str) -> ContainmentReport:
    """See `Handle.containment_report`."""
    taken = {change.value: seq for seq, change in containing.marks(tenant, target)}
    blast = questions.blast(tenant, caller, containing.aimed(target))
    link = questions.poison_chain(tenant, caller, target).root
    ended = taken.get("withdraw")
    times = written_at(tenant, (seq for seq in (taken.get("freeze"), ended) if seq is not None))
    begun = times.get(taken.get("freeze", 0))
    gone = None if ended is None else times.get(ended)
    first = min((one.at for one in blast.reads if one.at is not None), default=None)
    fell = [
        one for one in containing.withdrawn(tenant, target) if one != target and kind_of(one) in ("claim", "artefact")
    ]
    fell = [one for one in fell if reaches(caller, scope_of(tenant, one) or "")] if ended is not None else []
    anew = dict(_rebuilt(tenant, fell))
    tree = inspecting.lineage(tenant, caller, target)
    right = containing.corrected_by(tenant, target)
    return ContainmentReport(
        target=target,
        label=tree.root.label,
        state=tree.root.state,
        written=link.written.at,
        first_shown=first,
        begun=begun,
        withdrawn=gone,
        seconds_to_withdraw=_seconds(begun, gone),
        seconds_exposed=_seconds(first, gone),
        reads=len(blast.reads),
        sessions=blast.sessions,
        fell=tuple(_effect(tenant, one) for one in fell),
        survived=tuple(_effect(tenant, one.id) for one in tree.down if one.state == "active" and one.id not in fell),
        cancelled=tuple(one.id for one in blast.actions if one.code == "cancelled"),
        ran=tuple(one.id for one in blast.actions if one.code in ("dispatched", "compensation")),
        correction=right,
        superseded=any(cut.winner == right for cut, _ in tenant.graph.supersessions(target) if cut.loser == target),
        rebuilt=tuple(anew.items()),
        derive_anew=tuple(one for one in fell if _authored(tenant, one) and one not in anew),
        residue=tuple(one for one in (target, *fell) if tenant.book.live(one)),
        texts_left=tuple(texts_left(tenant, caller, target)),
    )


def _seconds(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _effect(tenant: Tenant, node: str) -> Effect:
    shown = inspecting.node(tenant, node, 0)
    return Effect(id=node, kind=shown.kind, label=shown.label, before="", after=shown.state)


def _authored(tenant: Tenant, node: str) -> bool:
    view = tenant.graph.artefact(node)
    return view is not None and view.artefact.kind in ("summary", "skill", "action", "answer")


def _rebuilt(tenant: Tenant, fell: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (what fell, the summary that was written anew for it)."""
    wanted = set(fell)
    seen = set[str]()
    for one in fell:
        for needed in (
            needed for backer in tenant.graph.justifications(one) for needed in backer.justification.requires
        ):
            winners = [cut.winner for cut, _ in tenant.graph.supersessions(needed) if cut.loser == needed]
            for reach in (found for each in (needed, *winners) for found in tenant.graph.descendants(each)):
                view = tenant.graph.artefact(reach.id)
                old = None if view is None else (view.artefact.meta or {}).get(FROM)
                if old in wanted and old not in seen and state_of(tenant, reach.id).state == "active":
                    seen.add(old)
                    yield old, reach.id


def texts_left(tenant: Tenant, caller: Caller, target: str) -> Iterator[Effect]:
    """Yield the episodes of the sources of a target that still stand: the words can still be recalled with them."""
    sources: dict[str, None] = {}
    for reach in [*tenant.graph.ancestors(target)]:
        if (view := tenant.graph.evidence(reach.id)) is not None:
            sources[view.source.id] = None
    for source in sources:
        for evidence in tenant.graph.evidence_from(source):
            for reach in tenant.graph.descendants(evidence):
                text = tenant.graph.artefact(reach.id)
                if text is None or text.artefact.kind != "episode" or not reaches(caller, text.artefact.scope):
                    continue
                if tenant.book.live(reach.id):
                    yield _effect(tenant, reach.id)
