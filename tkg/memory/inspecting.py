"""Looking at one id: what is stored, its state and why, what it rests on and what grew from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush

from tkg.belief.confidence import confidence_of
from tkg.belief.origin import independent
from tkg.errors import IDS, NotFound
from tkg.ids import kind_of
from tkg.memory.answers import Decision, Edge, EvidenceShown, Explanation, Lineage, Node
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of
from tkg.memory.moments import written_at
from tkg.memory.remarks import against
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, scope_of, visible_node
from tkg.model.claim import Claim
from tkg.model.time import iso
from tkg.model.view import Reach, RetrievalView, SlotClaim
from tkg.recall.render import claim_text

#: longest label of a node in a lineage, in characters
_LABEL = 120


def explain(tenant: Tenant, caller: Caller, identifier: str) -> Explanation:
    """See `Handle.explain`."""
    scope = visible_node(tenant, caller, identifier)
    if (claim := tenant.graph.claim(identifier)) is not None:
        return _claim(tenant, caller, claim)
    if (artefact := tenant.graph.artefact(identifier)) is not None:
        state = state_of(tenant, identifier)
        return Explanation(
            id=identifier,
            kind=artefact.artefact.kind,
            scope=scope,
            state=state.state,
            by=state.by,
            code=state.code,
            content=artefact.artefact.content,
            meta=artefact.artefact.meta or {},
            written_seq=artefact.seq,
            channel=artefact.artefact.label,
            evidence=_evidence(tenant, identifier),
            rests_on=tuple(b.justification.requires for b in tenant.graph.justifications(identifier)),
            decisions=decisions(tenant, identifier),
        )
    if (evidence := tenant.graph.evidence(identifier)) is not None:
        return Explanation(
            id=identifier,
            kind="evidence",
            scope=scope,
            state=state_of(tenant, identifier).state,
            content=evidence.evidence.quote,
            written_seq=evidence.seq,
            channel=evidence.evidence.channel,
            evidence=shown_evidence(tenant, [identifier]),
            decisions=decisions(tenant, identifier),
        )
    read = tenant.graph.retrieval(identifier)
    if read is None:
        raise NotFound(f"no such id in this scope; {IDS}")
    return Explanation(
        id=identifier,
        kind="retrieval",
        scope=scope,
        state="active",
        content=read.retrieval.query,
        written_seq=read.seq,
        rests_on=(read.retrieval.shown,),
    )


def _claim(tenant: Tenant, caller: Caller, view: SlotClaim) -> Explanation:
    claim, state = view.claim, state_of(tenant, view.claim.id)
    return Explanation(
        remarks=against(tenant, caller, view, state.by),
        id=claim.id,
        kind="claim",
        scope=claim.scope,
        state=state.state,
        by=state.by,
        code=state.code,
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        polarity=claim.polarity,
        valid_from=iso(claim.interval.valid_from),
        valid_to=iso(claim.interval.valid_to),
        written_seq=view.seq,
        channel=label_of(tenant, claim.id),
        confidence=confidence_of(view.backers, tenant.book),
        independent_origins=independent(view.backers, tenant.book),
        evidence=_evidence(tenant, claim.id),
        rests_on=tuple(backer.justification.requires for backer in view.backers),
        edges=_edges(tenant, caller, claim.id, claim.depends_on),
        decisions=decisions(tenant, claim.id),
    )


def _evidence(tenant: Tenant, identifier: str) -> tuple[EvidenceShown, ...]:
    direct = [
        needed
        for backer in tenant.graph.justifications(identifier)
        for needed in backer.justification.requires
        if kind_of(needed) == "evidence"
    ]
    return shown_evidence(tenant, dict.fromkeys(direct))


def shown_evidence(tenant: Tenant, ids: Iterable[str]) -> tuple[EvidenceShown, ...]:
    """Return pieces of evidence as they are shown, in the order given."""
    shown = []
    for one in ids:
        view = tenant.graph.evidence(one)
        if view is None:
            continue
        stored, copied = view.evidence, None
        if stored.copy_of is not None:
            original = tenant.graph.source(stored.copy_of)
            copied = stored.copy_of if original is None else original.uri
        shown.append(
            EvidenceShown(
                id=one,
                uri=view.source.uri,
                version=stored.version,
                locator=stored.locator,
                quote=stored.quote,
                channel=stored.channel,
                principal=stored.principal,
                session=stored.session,
                observed_at=iso(stored.observed_at),
                status=tenant.book.status(one),
                copy_of=copied,
                extractor=stored.extractor,
            )
        )
    return tuple(shown)


def _edges(tenant: Tenant, caller: Caller, claim_id: str, depends_on: Iterable[str]) -> tuple[Edge, ...]:
    edges = []
    for cut, _ in tenant.graph.supersessions(claim_id):
        won = cut.winner == claim_id
        edges.append(
            Edge(
                edge="supersedes" if won else "superseded_by",
                other=cut.loser if won else cut.winner,
                valid_from=iso(cut.portion_from),
                valid_to=iso(cut.portion_to),
                rule=cut.rule,
                decided_by=cut.decided_by or "(erased)",
                counts=tenant.book.live(cut.winner),
            )
        )
    for clash, _ in tenant.graph.conflicts(claim_id):
        other = clash.right if clash.left == claim_id else clash.left
        both = tenant.book.live(clash.left) and tenant.book.live(clash.right)
        edges.append(
            Edge(
                edge="conflicts_with",
                other=other,
                valid_from=iso(clash.overlap_from),
                valid_to=iso(clash.overlap_to),
                rule=clash.rule,
                counts=both,
            )
        )
    for finer, _ in tenant.graph.refinements(claim_id):
        own = finer.finer == claim_id
        pair = tenant.graph.claim(finer.finer), tenant.graph.claim(finer.coarser)
        # the table names the row by which of the two came second
        later = pair[0] is not None and pair[1] is not None and pair[0].seq > pair[1].seq
        edges.append(
            Edge(
                edge="refines" if own else "refined_by",
                other=finer.coarser if own else finer.finer,
                rule="row-2" if later else "row-3",
                counts=tenant.book.live(finer.finer) and tenant.book.live(finer.coarser),
            )
        )
    edges += [Edge(edge="depends_on", other=other, counts=tenant.book.live(other)) for other in depends_on]
    edges += [Edge(edge="needed_by", other=other) for other in tenant.graph.dependents(claim_id)]
    return tuple(one for one in edges if reaches(caller, scope_of(tenant, one.other) or ""))


def decisions(tenant: Tenant, identifier: str) -> tuple[Decision, ...]:
    """Return every decision about a node, oldest first: verdicts of the gate and changes of state."""
    verdicts = tenant.graph.verdicts(identifier)
    changes = tenant.book.history(identifier)
    times = written_at(tenant, (*(seq for _, seq in verdicts), *(seq for seq, _ in changes)))
    made = [
        Decision(
            seq=seq,
            at=times.get(seq),
            what=verdict.outcome,
            code=verdict.code,
            actor=verdict.principal,
            checks=verdict.checks or (),
        )
        for verdict, seq in verdicts
    ]
    made += [
        Decision(
            seq=seq,
            at=times.get(seq),
            what=f"{change.axis}: {change.value}",
            code=change.code,
            reason=change.reason,
            actor=change.actor,
        )
        for seq, change in changes
    ]
    return tuple(sorted(made, key=lambda one: (one.seq, one.what)))


# -- lineage and exposure


def label(tenant: Tenant, identifier: str) -> str:
    """Return a short readable text for a node: what a claim says, how a text begins, where evidence lies."""
    text = identifier
    if (claim := tenant.graph.claim(identifier)) is not None:
        return label_of_claim(claim.claim)
    if (artefact := tenant.graph.artefact(identifier)) is not None:
        text = artefact.artefact.content or "(erased)"
    elif (evidence := tenant.graph.evidence(identifier)) is not None:
        text = f"{evidence.source.uri or '(erased)'}{'' if not evidence.evidence.locator else ' ' + evidence.evidence.locator}"
    return _short(text)


def label_of_claim(claim: Claim) -> str:
    """Return a short readable text for a claim."""
    return _short(claim_text(claim.subject, claim.predicate, claim.object, claim.polarity == "negative"))


def _short(text: str) -> str:
    return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def node(tenant: Tenant, identifier: str, depth: int, parents: Iterable[str] = ()) -> Node:
    """Return a node as a lineage shows it."""
    kind = kind_of(identifier) or "unknown"
    if (artefact := tenant.graph.artefact(identifier)) is not None:
        kind = artefact.artefact.kind
    return Node(
        id=identifier,
        kind=kind,
        state=state_of(tenant, identifier).state,
        label=label(tenant, identifier),
        depth=depth,
        parents=tuple(parents),
    )


def lineage(tenant: Tenant, caller: Caller, identifier: str) -> Lineage:
    """See `Handle.lineage`."""
    visible_node(tenant, caller, identifier)
    up = _reached(tenant, caller, spread(identifier, tenant.graph.ancestors, tenant.needs))
    down = spread(identifier, tenant.graph.descendants, tenant.needed_by)
    below = {identifier, *(reach.id for reach in down)}
    needed_by = _needed_by(tenant, [identifier, *(reach.id for reach in up)])
    antecedents = [node(tenant, reach.id, reach.depth, needed_by.get(reach.id, ())) for reach in up]
    return Lineage(
        root=node(tenant, identifier, 0),
        up=(*antecedents, *_sources(tenant, [identifier, *(reach.id for reach in up)], antecedents)),
        down=tuple(
            node(tenant, reach.id, reach.depth, _parents(tenant, reach.id, below))
            for reach in _reached(tenant, caller, down)
        ),
    )


def spread(identifier: str, reach: Callable[[str], Iterable[Reach]], also: Mapping[str, Sequence[str]]) -> list[Reach]:
    """Return everything that is reached from a node by derivation or dependency, each at its least depth.

    Args:
        identifier: where it begins; it is not returned.
        reach: `Graph.ancestors` or `Graph.descendants`.
        also: the same way by `depends_on`: what a claim depends on, or what depends on it.
    """
    depths: dict[str, int] = {}
    ahead, done = [(0, identifier)], set[str]()
    while ahead:
        depth, root = heappop(ahead)
        if root in done:
            continue
        done.add(root)
        for far, one in ((0, root), *((found.depth, found.id) for found in reach(root))):
            depths[one] = min(depths.get(one, depth + far), depth + far)
            for other in also.get(one, ()):
                heappush(ahead, (depth + far + 1, other))
    del depths[identifier]
    return sorted((Reach(one, depth) for one, depth in depths.items()), key=lambda one: (one.depth, one.id))


def _reached(tenant: Tenant, caller: Caller, found: Iterable[Reach]) -> list[Reach]:
    """Leave out what the caller may not name (another user's derivations)."""
    return [one for one in found if (scope := scope_of(tenant, one.id)) is not None and reaches(caller, scope)]


def _needed_by(tenant: Tenant, nodes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return for each antecedent the nodes that directly rest on it."""
    found: dict[str, tuple[str, ...]] = {}
    for head in nodes:
        for backer in tenant.graph.justifications(head):
            for needed in backer.justification.requires:
                found[needed] = tuple(dict.fromkeys((*found.get(needed, ()), head)))
        for needed in tenant.needs.get(head, ()):
            found[needed] = tuple(dict.fromkeys((*found.get(needed, ()), head)))
    return found


def _sources(tenant: Tenant, nodes: Iterable[str], antecedents: Iterable[Node]) -> list[Node]:
    """Return the sources that the evidence among some nodes comes from."""
    depths = {one.id: one.depth for one in antecedents}
    found: dict[str, Node] = {}
    for one in nodes:
        if (view := tenant.graph.evidence(one)) is None:
            continue
        earlier = found.get(view.source.id)
        found[view.source.id] = Node(
            id=view.source.id,
            kind="source",
            state=tenant.book.status(view.source.id),
            label=view.source.uri or "(erased)",
            depth=depths.get(one, 0) + 1 if earlier is None else min(earlier.depth, depths.get(one, 0) + 1),
            parents=(one,) if earlier is None else (*earlier.parents, one),
        )
    return list(found.values())


def _parents(tenant: Tenant, identifier: str, within: set[str]) -> tuple[str, ...]:
    """Return which nodes of the tree this one directly rests on."""
    needs = [needed for backer in tenant.graph.justifications(identifier) for needed in backer.justification.requires]
    return tuple(dict.fromkeys(one for one in (*needs, *tenant.needs.get(identifier, ())) if one in within))


def exposure(tenant: Tenant, caller: Caller, identifier: str) -> list[RetrievalView]:
    """See `Handle.exposure`."""
    visible_node(tenant, caller, identifier)
    return [view for view in tenant.graph.exposures(identifier) if reaches(caller, view.retrieval.scope)]
