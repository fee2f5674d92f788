"""Both axes: the whole history of a slot, and what two transactions know differently."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from tkg.belief import history as belief
from tkg.belief import validity
from tkg.belief.answer import NOTHING, Answer
from tkg.belief.book import LATEST
from tkg.belief.mirror import opposite
from tkg.belief.validity import Segment
from tkg.errors import TooLarge
from tkg.memory.caller import Caller
from tkg.memory.findings import Believed, Diff, NodeChange, SlotChange, Stretch
from tkg.memory.moments import moment, written_at
from tkg.memory.questions import named
from tkg.memory.reading import open_slot, shown_answer
from tkg.memory.slots import SAME_AS, Slots
from tkg.memory.states import state_of
from tkg.memory.tenant import AsOf, Tenant
from tkg.memory.visible import reaches, scope_of
from tkg.model.time import Instant, iso
from tkg.text import match_form

#: nodes between two points of which a difference is told: each takes a few milliseconds
_MOST = 10_000
#: more claims than any entity is named in
_ALL = 2**31


def history(tenant: Tenant, caller: Caller, subject: str, predicate: str, *, as_of: AsOf) -> list[Believed]:
    """See `Handle.history`."""
    slot = open_slot(tenant, caller, subject, predicate, as_of)
    found = belief.rectangles(slot.layers, slot.predicate, tenant.book, slot.known, lookup=slot.lookup, same=slot.same)
    times = written_at(tenant, {seq for one in found for seq in (one.tx_from, one.tx_to)})
    return [
        Believed(
            valid_from=iso(one.valid_from),
            valid_to=iso(one.valid_to),
            tx_from=one.tx_from,
            tx_to=None if one.tx_to == LATEST else one.tx_to,
            known_from=times.get(one.tx_from),
            known_to=times.get(one.tx_to),
            answer=shown_answer(one.answer),
        )
        for one in found
    ]


def diff(tenant: Tenant, caller: Caller, before: AsOf, after: AsOf) -> Diff:
    """See `Handle.diff`: the graph finds what was written or changed between, belief says what that did."""
    old, new = (min(tenant.seq_of(each), tenant.ledger.head.seq) for each in (before, after))
    changed = tenant.graph.changed(min(old, new), max(old, new))
    if len(changed) > _MOST:
        raise TooLarge(
            f"{len(changed):,} nodes were written or changed between tx:{min(old, new)} and tx:{max(old, new)}; what that did is "
            f"told of at most {_MOST:,}: name two points that are nearer to each other"
        )
    nodes = _touched(tenant, min(old, new), max(old, new), changed)
    keys: dict[tuple[str, str, str], None] = {}
    for node in nodes:
        view = tenant.graph.claim(node)
        if view is not None and view.claim.subject and view.claim.predicate and reaches(caller, view.claim.scope):
            keys.setdefault((view.claim.scope, view.claim.subject, view.claim.predicate))
            for registry in (tenant.registry(old), tenant.registry(new)):
                turned = opposite(registry.get(view.claim.predicate), registry)
                if turned is not None and view.claim.object:
                    keys.setdefault((view.claim.scope, view.claim.object, turned))
    changes = [found for key in sorted(keys) if (found := _slot_change(tenant, key, old, new)) is not None]
    return Diff(
        before=moment(tenant, old),
        after=moment(tenant, new),
        slots=tuple(changes),
        nodes=tuple(_node_changes(tenant, caller, nodes, old, new)),
    )


def _touched(tenant: Tenant, old: int, new: int, changed: Sequence[str]) -> list[str]:
    """Return what may stand differently at two transactions, in id order.

    What grew from anything changed between them; every claim of the slots of those, since one claim decides for its
    rivals; what depends on any of them, and so on; and all claims of a predicate that was declared anew.
    """
    found, ahead, slots = set[str](), list(changed), set[str]()
    readers = [(tenant.registry(old), old), (tenant.registry(new), new)]
    declared = {name for registry, _ in readers for name in registry.predicates}
    for name in sorted(declared):
        if readers[0][0].get(name) != readers[1][0].get(name):
            ahead += _pages(tenant, match_form(name))
    while ahead:
        node = ahead.pop()
        if node in found:
            continue
        found.add(node)
        ahead += (reach.id for reach in tenant.graph.descendants(node) if reach.id not in found)
        view = tenant.graph.claim(node)
        if view is None:
            continue
        ahead += tenant.needed_by.get(node, ())
        if view.claim.slot_id in slots:
            continue
        slots.add(view.claim.slot_id)
        for seq in (old, new):
            ahead += (other.claim.id for other in Slots.around(tenant, view.claim.scope, seq).of(view))
        if view.claim.predicate == SAME_AS:  # two names are one, or no longer
            for name in (view.claim.subject_id, view.claim.object_id):
                ahead += tenant.graph.mentions(name, _ALL)
    return sorted(found)


def _pages(tenant: Tenant, predicate: str) -> list[str]:
    found: list[str] = []
    while page := tenant.graph.claims_of(predicate, found[-1] if found else "", 1000):
        found += page
    return found


def _slot_change(tenant: Tenant, key: tuple[str, str, str], old: int, new: int) -> SlotChange | None:
    scope, subject, predicate = key
    told: list[list[Segment]] = []
    for seq in (old, new):
        slots = Slots.around(tenant, scope, seq)
        told.append(
            validity.timeline(
                [slots.claims(scope, subject, predicate)],
                slots.registry.get(predicate),
                tenant.book,
                seq,
                lookup=slots.lookup,
                same=slots.same,
                coalesce=False,
            )
        )
    stretches = tuple(
        Stretch(valid_from=iso(start), valid_to=iso(end), before=shown_answer(one), after=shown_answer(other))
        for start, end, one, other in differing(*told)
    )
    return SlotChange(scope=scope, subject=subject, predicate=predicate, stretches=stretches) if stretches else None


def differing(before: Sequence[Segment], after: Sequence[Segment]) -> list[tuple[Instant, Instant, Answer, Answer]]:
    """Return the stretches in which two timelines say different things, neighbours that differ alike as one."""
    edges = sorted({edge for one in (*before, *after) for edge in (one.valid_from, one.valid_to)})
    found: list[tuple[Instant, Instant, Answer, Answer]] = []
    for start, end in pairwise(edges):
        one, other = _at(before, start), _at(after, start)
        if _said(one) == _said(other):
            continue
        last = found[-1] if found else None
        if last is not None and last[1] == start and (_said(last[2]), _said(last[3])) == (_said(one), _said(other)):
            found[-1] = (last[0], end, last[2], last[3])
        else:
            found.append((start, end, one, other))
    return found


def _at(timeline: Sequence[Segment], instant: Instant) -> Answer:
    return next((one.answer for one in timeline if one.valid_from <= instant < one.valid_to), NOTHING)


def _said(answer: Answer) -> tuple[object, ...]:
    return answer.kind, answer.values, answer.certainty, answer.previously


def _node_changes(tenant: Tenant, caller: Caller, nodes: Iterable[str], old: int, new: int) -> Iterable[NodeChange]:
    for node in nodes:
        scope = scope_of(tenant, node)
        if scope is None or not reaches(caller, scope):
            continue
        seq = _written(tenant, node)
        before = "unknown" if seq > old else state_of(tenant, node, old).state
        after = "unknown" if seq > new else state_of(tenant, node, new).state
        if before != after:
            shown = named(tenant, caller, node)
            yield NodeChange(id=node, kind=shown.kind, label=shown.label, before=before, after=after)


def _written(tenant: Tenant, node: str) -> int:
    claim = tenant.graph.claim(node)
    if claim is not None:
        return claim.seq
    artefact = tenant.graph.artefact(node)
    if artefact is not None:
        return artefact.seq
    evidence = tenant.graph.evidence(node)
    return 0 if evidence is None else evidence.seq
