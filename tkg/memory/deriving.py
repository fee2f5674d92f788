"""What agents make from memory: summaries, skills, queued actions and inferred claims, with the edges that let a
revocation find them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, get_args

from tkg.errors import Conflict, Frozen, NotFound, Rejected, RequestError
from tkg.memory import skills, writing
from tkg.memory.acting import check_authority
from tkg.memory.caller import Caller
from tkg.memory.exposure import label_of, label_of_session, least, shown_antecedents
from tkg.memory.proposal import Proposal
from tkg.memory.repeating import OTHER_REQUEST, request_id, same_request
from tkg.memory.slots import Slots
from tkg.memory.states import contested, stale_inputs
from tkg.memory.tenant import Tenant
from tkg.memory.texts import held, judge_written, verdict_on
from tkg.memory.visible import visible_node
from tkg.model.artefact import Artefact, ArtefactKind
from tkg.model.claim import Justification
from tkg.model.entry import Record
from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.model.verdict import Outcome, StatusChange, Verdict
from tkg.text import MAX_NAME, clean, names_in

#: kinds whose label counts everything the session was shown, whatever the taint window of claims
_ACTING = ("skill", "action")
_KINDS = "kind is summary, skill, action, answer or claim (episodes are written by remember)"


@dataclass(frozen=True, slots=True)
class Basis:
    """What something is derived from: one or more all-of lists, and the least class over all of them."""

    alternatives: tuple[tuple[str, ...], ...]
    label: Channel
    origins: tuple[str, ...]

    def justifications(
        self, tenant: Tenant, head: str, slot_id: str | None, observed_at: Instant
    ) -> list[Justification]:
        """Return one justification for each alternative."""
        return [
            Justification(
                id=tenant.ids.new("jst"),
                head=head,
                requires=requires,
                kind="derivation",
                channel=self.label,
                origins=self.origins,
                observed_at=observed_at,
                slot_id=slot_id,
            )
            for requires in self.alternatives
        ]


def _used(used: object) -> list[str]:
    """Return the ids shown by results of recall."""
    results = used if isinstance(used, list | tuple) else [] if used is None else [used]
    shown: list[str] = []
    for result in results:
        items = getattr(result, "items", None)
        if isinstance(items, tuple):
            shown += [item.id for item in items]
        else:
            raise RequestError("used takes results of recall; pass ids as from_=[…]")
    return shown


def basis(
    tenant: Tenant, caller: Caller, kind: str, used: object, from_: Iterable[str], alternatives: Sequence[Sequence[str]]
) -> Basis:
    """Resolve antecedents: they exist, are visible and stand, and the label is the minimum over all of them.

    Raises:
        NotFound, Conflict, RequestError: see `Handle.derive`.
    """
    named = names_in(from_, "from_")
    if not isinstance(alternatives, list | tuple):
        raise RequestError("alternatives takes lists of ids: pass alternatives=[[id], [id]]")
    common = list(dict.fromkeys([*_used(used), *named, *shown_antecedents(tenant, caller, whole=kind in _ACTING)]))
    lists = [tuple(dict.fromkeys([*names_in(one, "alternatives"), *common])) for one in alternatives] or [tuple(common)]
    if any(not one for one in lists):
        raise RequestError(f"a {kind} must rest on something: pass used=a result of recall, or from_=[ids] (--from ID)")
    nodes = sorted({node for one in lists for node in one})
    for node in nodes:
        visible_node(tenant, caller, node)
    standing = [one for one in lists if all(tenant.book.live(node) for node in one)]
    if len(standing) < len(lists):
        raise Conflict(f"something this {kind} rests on was withdrawn or is suspended; read again and derive from that")
    channel, _ = caller.speaking()
    label = least(channel, *(label_of(tenant, node) for node in nodes))
    if caller.session is None:
        label = least(label, Channel.AGENT_INFERRED)
    else:
        label = least(label, label_of_session(tenant, caller, default=channel, whole=kind in _ACTING))
    return Basis(tuple(lists), label, origins_of(tenant, nodes))


def origins_of(tenant: Tenant, nodes: Iterable[str]) -> tuple[str, ...]:
    """Return the union of the origins behind some nodes: what is derived has none of its own."""
    found: set[str] = set()
    for node in nodes:
        if (view := tenant.graph.evidence(node)) is not None:
            found.add(view.evidence.origin)
        for backer in tenant.graph.justifications(node):
            found.update(backer.justification.origins)
    return tuple(sorted(found))


def derive(
    tenant: Tenant,
    caller: Caller,
    kind: str,
    content: str | Mapping[str, Any],
    *,
    used: object,
    from_: Sequence[str],
    alternatives: Sequence[Sequence[str]],
    meta: Mapping[str, str] | None,
    idempotency_key: str | None = None,
) -> Artefact | Verdict:
    """See `Handle.derive`."""
    caller.stating()
    if not isinstance(kind, str):
        raise RequestError(_KINDS)
    if meta is not None and not isinstance(meta, Mapping):
        raise RequestError("meta takes a mapping of plain texts, such as {'name': 'file-a-report'}")
    version = 1
    if kind == "claim":
        proposal = Proposal.from_mapping(content)
        verdict_id, before = _asked_before(tenant, caller, idempotency_key)
        if before is not None:
            name = Slots(tenant, tenant.visible(caller.scope)).registry.get(proposal.predicate).name
            if not same_request(before, writing.statement_digest(tenant, caller.scope.path, proposal, name)):
                raise Conflict(OTHER_REQUEST)
            return before
        found = basis(tenant, caller, kind, used, from_, alternatives)
        prepared = writing.prepare(tenant, caller, proposal, found)
        return writing.write(tenant, caller, prepared, verdict_id or tenant.ids.new("vrd"))
    if kind not in get_args(ArtefactKind) or kind == "episode":
        raise RequestError(_KINDS)
    if len(alternatives) > 1:
        raise RequestError("a text rests on all that was in its context: alternatives exist for claims only")
    if kind == "skill":
        content, meta, version = skills.as_written(tenant, caller, content, meta or {})
    if not isinstance(content, str):
        raise RequestError(f"the content of a {kind} is text")
    text = clean(content, "content")
    kept = {clean(key, "meta", limit=MAX_NAME): clean(value, "meta") for key, value in (meta or {}).items()}
    verdict_id, before = _asked_before(tenant, caller, idempotency_key)
    if before is not None:
        return _answer_again(tenant, before, kind, text, kept)
    made = basis(tenant, caller, kind, used, from_, alternatives)
    return _write_artefact(tenant, caller, kind, text, made, kept, verdict_id, version)


def _asked_before(tenant: Tenant, caller: Caller, key: str | None) -> tuple[str | None, Verdict | None]:
    """Return the id that the key gives the verdict on this request, and the verdict where it was given before."""
    if key is None:
        return None, None
    verdict_id = request_id(tenant, caller, "derive", key)
    before = tenant.graph.verdict(verdict_id)
    return verdict_id, None if before is None else before[0]


def _answer_again(tenant: Tenant, before: Verdict, kind: str, text: str, meta: Mapping[str, str]) -> Artefact | Verdict:
    view = None if before.artefact_id is None else tenant.graph.artefact(before.artefact_id)
    other = view is not None and view.artefact.content is not None and dict(view.artefact.meta or {}) != dict(meta)
    if not same_request(before, tenant.names.digest(kind, text)) or other:
        raise Conflict(OTHER_REQUEST)
    if before.outcome is Outcome.REJECTED:
        raise Rejected(f"the {kind} was refused before: {before.code}")
    return before if before.outcome is Outcome.HELD or view is None else view.artefact


def _write_artefact(
    tenant: Tenant,
    caller: Caller,
    kind: str,
    text: str,
    found: Basis,
    meta: Mapping[str, str],
    verdict_id: str | None,
    version: int = 1,
) -> Artefact | Verdict:
    """Let the gate judge a text with the label of its whole basis, and write what it allows.

    Returns:
        The artefact; the verdict where it waits for a person.

    Raises:
        Rejected: it may not be kept; the verdict is recorded, without the text.
    """
    channel, _ = caller.speaking()
    # without a session the trace is missing; that lowers the stored label, and says nothing of who proposes
    label = found.label if caller.session is not None else channel
    judged = judge_written(tenant, caller, (text, *meta, *meta.values()), kind, label)
    candidate = tenant.names.digest(kind, text)
    if judged.outcome is Outcome.REJECTED:
        refused = verdict_on(
            caller,
            judged,
            verdict_id=verdict_id or tenant.ids.new("vrd"),
            candidate=candidate,
            kind=kind,
            label=found.label,
        )
        tenant.commit("derive", caller.scope.path, [refused])
        reason = next((one.reason for one in judged.checks if one.outcome == "reject"), judged.code)
        raise Rejected(f"the {kind} was refused: {reason}")
    artefact = Artefact.build(
        id=tenant.ids.new("art"),
        scope=caller.scope.path,
        kind=kind,
        label=found.label,
        observed_at=tenant.now(),
        session_id=None if caller.session is None else tenant.names.session(caller.session),
        version=version,
        content=text,
        meta=dict(meta),
    )
    verdict = verdict_on(
        caller,
        judged,
        verdict_id=verdict_id or tenant.ids.new("vrd"),
        candidate=candidate,
        kind=kind,
        label=found.label,
        artefact_id=artefact.id,
    )
    supports = found.justifications(tenant, artefact.id, None, artefact.observed_at)
    records: list[Record] = [artefact, *supports, verdict]
    if judged.outcome is Outcome.HELD:
        records.append(held(tenant, artefact.id, judged.code))
    if kind == "action":
        records.append(
            StatusChange(
                id=tenant.ids.new("sta"), target=artefact.id, axis="action", value="queued", actor=caller.principal
            )
        )
    tenant.commit("derive", caller.scope.path, records)
    return verdict if judged.outcome is Outcome.HELD else artefact


def dispatch(tenant: Tenant, caller: Caller, action_id: str) -> Artefact:
    """See `Handle.dispatch`."""
    caller.speaking()
    visible_node(tenant, caller, action_id)
    view = tenant.graph.artefact(action_id)
    if view is None or view.artefact.kind != "action":
        raise NotFound("that is no action; `lineage` of what it rests on tells the ids of actions")
    last = tenant.book.last(action_id, "action")
    state = "queued" if last is None else last.value
    if state != "queued":
        raise Conflict(f"the action is {state}; only a queued one can be dispatched")
    if not tenant.book.live(action_id):
        raise Conflict("what the action rests on no longer stands; derive it anew from what does")
    claims = [one for reach in tenant.graph.ancestors(action_id) if (one := tenant.graph.claim(reach.id)) is not None]
    paths = {view.artefact.scope.partition("/")[0], view.artefact.scope, *(one.claim.scope for one in claims)}
    about = [(one.claim.subject_id, tenant.names.predicate(one.claim.predicate or "")) for one in claims]
    if tenant.book.frozen(sorted(paths | tenant.names.decided(paths, chain.from_iterable(about)))):
        raise Frozen("the scope, or something the action is about, is frozen; thaw it first")
    check_authority(tenant, caller, view.artefact, _exposed(tenant, action_id), claims)
    if stale := stale_inputs(tenant, claims):
        raise Conflict(f"the action rests on {stale[0]}, which no longer holds; derive it anew")
    if dispute := contested(tenant, claims):
        raise Conflict(f"the action rests on {dispute[0]}, which is contradicted; settle that first")
    change = StatusChange(
        id=tenant.ids.new("sta"), target=action_id, axis="action", value="dispatched", actor=caller.principal
    )
    tenant.commit("dispatch", view.artefact.scope, [change])
    return view.artefact


def _exposed(tenant: Tenant, action_id: str) -> list[str]:
    """Return everything that was in the context of an action when it was queued."""
    return [one for backer in tenant.graph.justifications(action_id) for one in backer.justification.requires]
