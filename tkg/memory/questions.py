"""The questions of an investigation: why, why not, what falls, what nothing could replace, and where it came from.

The graph finds (the named queries basis, poison_chain, blast_radius), belief decides, and this lays one on the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tkg.belief import questions as belief
from tkg.belief.book import LATEST
from tkg.errors import Conflict, RequestError
from tkg.ids import kind_of
from tkg.memory.answers import Effect, Plan
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of
from tkg.memory.findings import (
    HIDDEN,
    Blast,
    Lack,
    Link,
    Named,
    PoisonChain,
    ReadShown,
    Reason,
    SinglePoints,
    Why,
    WhyNot,
)
from tkg.memory.inspecting import decisions, label, shown_evidence, spread
from tkg.memory.moments import moment, written_at
from tkg.memory.revoking import Target, nodes_of, plan
from tkg.memory.states import state_of
from tkg.memory.tenant import AsOf, Tenant
from tkg.memory.visible import reaches, scope_of, visible_node
from tkg.model.time import iso
from tkg.model.view import Backer, RetrievalView

#: most sets of evidence that `why` looks for
MAX_REASONS = 50


def named(tenant: Tenant, caller: Caller, node_id: str, as_of: int = LATEST) -> Named:
    """Return a node as an answer names it, or that it is in a scope the caller does not reach."""
    kind = kind_of(node_id) or "unknown"
    scope = scope_of(tenant, node_id)
    if scope is None or not reaches(caller, scope):
        return Named(id=HIDDEN, kind=kind, state=HIDDEN, label="(in another scope)")
    if (artefact := tenant.graph.artefact(node_id)) is not None:
        kind = artefact.artefact.kind
    return Named(id=node_id, kind=kind, state=state_of(tenant, node_id, as_of).state, label=label(tenant, node_id))


def ground(tenant: Tenant, node_id: str) -> tuple[list[Backer], dict[str, Sequence[str]]]:
    """Return every justification of a node and of all it rests on, and what the claims among them depend on."""
    backers: dict[str, Backer] = {}
    depends: dict[str, Sequence[str]] = {}
    ahead, seen = [node_id], set[str]()
    while ahead:
        root = ahead.pop()
        if root in seen:
            continue
        fetched = tenant.graph.basis(root)
        backers.update((one.justification.id, one) for one in fetched)
        nodes = {root, *(needed for one in fetched for needed in one.justification.requires)} - seen
        seen |= nodes
        for node in sorted(nodes):
            if needs := tenant.needs.get(node):
                depends[node] = needs
                ahead += (one for one in needs if one not in seen)
    return sorted(backers.values(), key=lambda one: (one.seq, one.justification.id)), depends


def _known(tenant: Tenant, as_of: AsOf) -> tuple[int, int | None]:
    known = tenant.seq_of(as_of)
    return known, None if as_of is None else known


def why(tenant: Tenant, caller: Caller, node_id: str, *, k: int, as_of: AsOf) -> Why:
    """See `Handle.why`."""
    if not 0 < k <= MAX_REASONS:
        raise RequestError(f"k must be from 1 to {MAX_REASONS}")
    visible_node(tenant, caller, node_id)
    known, asked = _known(tenant, as_of)
    backers, depends = ground(tenant, node_id)
    found = belief.why(node_id, backers, tenant.book, k=k, as_of=known, depends=depends)
    reasons = [tuple(named(tenant, caller, one, known) for one in many) for many in found]
    return Why(
        node=named(tenant, caller, node_id, known),
        as_of=asked,
        reasons=tuple(
            Reason(evidence=many, shown=shown_evidence(tenant, [one.id for one in many if one.kind == "evidence"]))
            for many in reasons
        ),
    )


def why_not(tenant: Tenant, caller: Caller, node_id: str, *, as_of: AsOf) -> WhyNot:
    """See `Handle.why_not`."""
    visible_node(tenant, caller, node_id)
    known, asked = _known(tenant, as_of)
    backers, depends = ground(tenant, node_id)
    found = belief.why_not(node_id, backers, tenant.book, as_of=known, depends=depends)

    def told(pairs: Iterable[tuple[str, str]]) -> tuple[Named, ...]:
        return tuple(
            one if one.id == HIDDEN else one.model_copy(update={"state": state})
            for one, state in ((named(tenant, caller, node, known), state) for node, state in pairs)
        )

    return WhyNot(
        node=named(tenant, caller, node_id, known),
        as_of=asked,
        stands=not found,
        missing=tuple(
            Lack(justification=one.justification or None, lacking=told(one.lacking), causes=told(one.causes))
            for one in found
        ),
    )


def single_points(tenant: Tenant, caller: Caller, node_id: str, *, as_of: AsOf) -> SinglePoints:
    """See `Handle.single_points`."""
    visible_node(tenant, caller, node_id)
    known, asked = _known(tenant, as_of)
    backers, depends = ground(tenant, node_id)
    found = belief.single_points(node_id, backers, tenant.book, as_of=known, depends=depends)
    down = not found and bool(belief.why_not(node_id, backers, tenant.book, as_of=known, depends=depends))
    return SinglePoints(
        node=named(tenant, caller, node_id, known),
        as_of=asked,
        stands=not down,
        points=tuple(named(tenant, caller, one, known) for one in found),
    )


# -- exposure


def merged_reads(
    tenant: Tenant, caller: Caller, found: Iterable[tuple[str, RetrievalView]]
) -> tuple[list[ReadShown], dict[str, list[str]]]:
    """Return reads, each once and in order, and for each node the ids of the reads that showed it.

    Reads and nodes in scopes the caller does not reach are left out.
    """
    views: dict[str, RetrievalView] = {}
    nodes: dict[str, dict[str, None]] = {}
    may: dict[str, bool] = {}
    for node, view in found:
        if node not in may:
            scope = scope_of(tenant, node)
            may[node] = scope is not None and reaches(caller, scope)
        if may[node] and reaches(caller, view.retrieval.scope):
            views[view.retrieval.id] = view
            nodes.setdefault(view.retrieval.id, {})[node] = None
    times = written_at(tenant, (view.seq for view in views.values()))
    ordered = sorted(views.values(), key=lambda view: (view.seq, view.retrieval.id))
    by_node: dict[str, list[str]] = {}
    for view in ordered:
        for node in nodes[view.retrieval.id]:
            by_node.setdefault(node, []).append(view.retrieval.id)
    return [read_shown(view, nodes[view.retrieval.id], times) for view in ordered], by_node


def read_shown(view: RetrievalView, nodes: Iterable[str], times: Mapping[int, str | None]) -> ReadShown:
    """Return a read as an answer shows it."""
    read = view.retrieval
    return ReadShown(
        id=read.id,
        seq=view.seq,
        at=times.get(view.seq),
        scope=read.scope,
        query=read.query,
        principal=read.principal,
        session=read.session,
        valid_at=iso(read.valid_at),
        as_of=read.as_of,
        shown=tuple(nodes),
    )


def blast(tenant: Tenant, caller: Caller, target: Target) -> Blast:
    """See `Handle.blast`."""
    roots = nodes_of(tenant, caller, target, reaches)
    try:
        made = plan(tenant, caller, target, "revoked", reaches)
    except Conflict:  # it is revoked already: nothing more would fall, and what it reached is still worth knowing
        made = Plan(status="revoked", targets=(), planned_at=tenant.ledger.head.seq)
    found, grown = list[tuple[str, RetrievalView]](), dict[str, None]()
    for root in roots:
        found += ((root, view) for view in tenant.graph.exposures(root))
        found += tenant.graph.exposed_descendants(root)
        grown.update((reach.id, None) for reach in tenant.graph.descendants(root))
        for reach in spread(root, tenant.graph.descendants, tenant.needed_by):
            if reach.id not in grown:  # reached by `depends_on` only
                grown[reach.id] = None
                found += ((reach.id, view) for view in tenant.graph.exposures(reach.id))
    reads, _ = merged_reads(tenant, caller, found)
    return Blast(
        target=tuple(named(tenant, caller, one) for one in roots),
        plan=made,
        reads=tuple(reads),
        sessions=tuple(sorted({one.session for one in reads if one.session is not None})),
        principals=tuple(sorted({one.principal for one in reads if one.principal is not None})),
        actions=tuple(_actions(tenant, caller, [*roots, *grown])),
    )


def _actions(tenant: Tenant, caller: Caller, nodes: Iterable[str]) -> Iterable[Effect]:
    for node in dict.fromkeys(nodes):
        view = tenant.graph.artefact(node)
        if view is None or view.artefact.kind != "action" or not reaches(caller, view.artefact.scope):
            continue
        last = tenant.book.last(node, "action")
        state = state_of(tenant, node).state
        yield Effect(
            id=node,
            kind="action",
            label=label(tenant, node),
            before=state,
            after=state,
            code="" if last is None else last.value,
        )


# -- where it came from


def poison_chain(tenant: Tenant, caller: Caller, node_id: str) -> PoisonChain:
    """See `Handle.poison_chain`."""
    visible_node(tenant, caller, node_id)
    reached = spread(node_id, tenant.graph.ancestors, tenant.needs)
    depths = {node_id: 0, **{one.id: one.depth for one in reached}}
    found = [(node_id, view) for view in tenant.graph.exposures(node_id)]
    found += tenant.graph.exposed_ancestors(node_id)
    near = {node for node, _ in found} | {reach.id for reach in tenant.graph.ancestors(node_id)} | {node_id}
    for node in depths:
        if node not in near:  # reached by `depends_on` only
            found += ((node, view) for view in tenant.graph.exposures(node))
    reads, by_node = merged_reads(tenant, caller, found)
    by_id = {one.id: one for one in reads}
    parents = _parents(tenant, depths)
    links = []
    for node, depth in sorted(depths.items(), key=lambda item: (item[1], item[0])):
        scope = scope_of(tenant, node)
        if scope is not None and reaches(caller, scope):
            own = [by_id[one] for one in by_node.get(node, ())]
            links.append(_link(tenant, node, depth, parents.get(node, ()), own))
    return PoisonChain(root=links[0], links=tuple(links[1:]))


def _parents(tenant: Tenant, nodes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each node which others of the chain directly rest on it."""
    within = set(nodes)
    found: dict[str, dict[str, None]] = {}
    for head in sorted(within):
        needs = [needed for one in tenant.graph.justifications(head) for needed in one.justification.requires]
        for needed in (*needs, *tenant.needs.get(head, ())):
            if needed in within:
                found.setdefault(needed, {})[head] = None
    return {node: tuple(heads) for node, heads in found.items()}


def _link(tenant: Tenant, node: str, depth: int, parents: tuple[str, ...], reads: Sequence[ReadShown]) -> Link:
    kind, uri, principal, session, seq = kind_of(node) or "unknown", None, None, None, 0
    if (claim := tenant.graph.claim(node)) is not None:
        seq = claim.seq
    elif (artefact := tenant.graph.artefact(node)) is not None:
        kind, seq = artefact.artefact.kind, artefact.seq
    elif (evidence := tenant.graph.evidence(node)) is not None:
        seq, uri = evidence.seq, evidence.source.uri
        principal, session = evidence.evidence.principal, evidence.evidence.session
    return Link(
        id=node,
        kind=kind,
        state=state_of(tenant, node).state,
        label=label(tenant, node),
        depth=depth,
        parents=parents,
        channel=label_of(tenant, node),
        uri=uri,
        principal=principal,
        session=session,
        written=moment(tenant, seq),
        reads=len(reads),
        first_shown=reads[0] if reads else None,
        decisions=decisions(tenant, node),
    )
