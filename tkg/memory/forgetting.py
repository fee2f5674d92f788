"""Forgetting for good: what an erasure would take, and taking it. A likeness is never an order to delete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from tkg.belief.book import LATEST
from tkg.errors import IDS, Conflict, NotFound, NotPermitted, RequestError
from tkg.ids import canonical, commitment, digest, kind_of
from tkg.memory import erasing, receipts
from tkg.memory.answers import Effect, Forgetting, Recipient
from tkg.memory.caller import Caller
from tkg.memory.closure import Closure, close_over, holds, records
from tkg.memory.holding import holds_on, refuse_held
from tkg.memory.inspecting import label
from tkg.memory.replan import consequences, marks
from tkg.memory.residue import LEAST
from tkg.memory.revoking import with_copies
from tkg.memory.slots import Entities
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.tombstones import Stone, changes, for_claim, for_name, for_source, for_subject, for_text
from tkg.memory.visible import owns, scope_of, visible_node
from tkg.model.claim import Claim
from tkg.model.entry import Draft, Record
from tkg.model.scope import GLOBAL, Channel, Scope
from tkg.model.time import iso
from tkg.model.verdict import Note, StatusChange
from tkg.text import MAX_NAME, clean, match_form

#: who may have something erased
_MAY: Final = frozenset({Channel.SYSTEM_OF_RECORD, Channel.HUMAN_VERIFIED, Channel.HUMAN_STATED})
_ALL: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten: exactly one of these.

    An id, everything about a subject, everything a source, session or principal brought, or everything in the scope.
    `mentions` also takes what only names the subject.
    """

    claim: str | None = None
    evidence: str | None = None
    artefact: str | None = None
    subject: str | None = None
    source: str | None = None
    session: str | None = None
    principal: str | None = None
    scope: bool = False
    mentions: bool = False

    def one(self) -> tuple[str, str]:
        """Return what is named, and the name.

        Raises:
            RequestError: nothing or several things are.
        """
        given = [
            (one.name, str(value))
            for one in fields(self)
            if one.name != "mentions" and (value := getattr(self, one.name)) not in (None, False)
        ]
        if len(given) != 1:
            raise RequestError(
                "name exactly one of claim, evidence, artefact, subject, source, session, principal or scope"
            )
        return given[0]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What an erasure did: the plan, the receipt (without personal data), and who has to be told."""

    plan: Forgetting
    receipt: dict[str, Any]

    @property
    def notify(self) -> tuple[Recipient, ...]:
        """Who was shown it. The store no longer knows these names: this answer is the last place that tells them."""
        return self.plan.exposed


class Elsewhere(NamedTuple):
    """What an erasure did in other tenants: those it could not reach, each with why, and who was shown it in the others."""

    missed: tuple[tuple[str, str], ...] = ()
    shown: tuple[Recipient, ...] = ()


def _roots(tenant: Tenant, caller: Caller, wanted: Wanted) -> list[str]:
    """Return the nodes that are named, within what the caller may erase.

    Raises:
        NotFound: there are none; names are compared whole.
        NotPermitted: it is of a wider scope than the caller's.
        Conflict: it is erased already.
    """
    what, name = wanted.one()
    if what in ("claim", "evidence", "artefact"):
        scope = visible_node(tenant, caller, name)
        if kind_of(name) not in ("claim", "evidence", "artefact"):
            raise NotFound(f"no such claim, evidence or text in this scope; {IDS}")
        if not owns(caller, scope):
            whose = (
                "is global; only the tenant global"
                if scope == GLOBAL
                else "belongs to the whole tenant; only the tenant"
            )
            raise NotPermitted(f"it {whose}'s own handle can erase it")
        found = [name]
    else:
        mine = (
            one for one in _named(tenant, caller, what, name) if (path := scope_of(tenant, one)) and owns(caller, path)
        )
        found = list(dict.fromkeys(mine))
        if not found:
            raise NotFound(f"nothing in this scope comes from that {what}; names are compared whole")
    fresh = [one for one in found if tenant.book.status(one) != "erased"]
    if not fresh:
        raise Conflict("it is erased already; `tkg forget --verify` checks its receipt")
    return fresh


def _named(tenant: Tenant, caller: Caller, what: str, name: str) -> Iterable[str]:
    names = tenant.names
    if what == "scope":
        return [
            record["id"]
            for _, scope, record in records(tenant.ledger)
            if record["record"] in ("claim", "evidence", "artefact") and owns(caller, scope)
        ]
    name = clean(name, what, limit=MAX_NAME)
    if what == "subject":
        said = [*tenant.graph.mentions(names.entity(name), _ALL)]
        for path, others in aliases(tenant, caller, name).items():
            known = (one for other in others for one in tenant.graph.mentions(names.entity(other), _ALL))
            said += [one for one in known if scope_of(tenant, one) == path]
        return said
    if what == "source":
        return [one for source in tenant.sources_of(name) for one in with_copies(tenant, source)]
    if what == "session":
        session = names.session(name)
        return [*tenant.graph.evidence_from(session), *tenant.graph.session_artefacts(session)]
    return tenant.graph.evidence_from(names.principal(name))


def aliases(tenant: Tenant, caller: Caller, name: str) -> dict[str, list[str]]:
    """Return for each scope the other names that live `same_as` claims give a subject there, by scope.

    Who is who is asked of each scope by itself: what one user calls somebody decides nothing about another's claims.
    """
    if not tenant.same_as:
        return {}
    paths = {
        scope for _, scope, record in records(tenant.ledger) if record["record"] == "claim" and owns(caller, scope)
    }
    found = {path: Entities(tenant, tenant.visible(Scope.parse(path)), LATEST).others(name) for path in sorted(paths)}
    return {path: others for path, others in found.items() if others}


def _names_of(tenant: Tenant, caller: Caller, wanted: Wanted) -> list[str]:
    """Return the subject's name and its other names in the caller's own scope, none where no subject is named."""
    if wanted.subject is None:
        return []
    return [wanted.subject, *aliases(tenant, caller, wanted.subject).get(caller.scope.path, ())]


def _close(tenant: Tenant, caller: Caller, wanted: Wanted) -> Closure:
    named = _names_of(tenant, caller, wanted)
    return close_over(
        tenant,
        _roots(tenant, caller, wanted),
        mine=lambda scope: owns(caller, scope),
        names=named,
        mentions=wanted.mentions,
    )


def plan(tenant: Tenant, caller: Caller, wanted: Wanted) -> Forgetting:
    """Return what an erasure would take; see `Handle.plan_forget`."""
    return _plan(tenant, caller, wanted, _close(tenant, caller, wanted))


def _plan(tenant: Tenant, caller: Caller, wanted: Wanted, found: Closure) -> Forgetting:
    nodes = sorted(found.nodes)
    others = {} if wanted.subject is None else aliases(tenant, caller, wanted.subject)
    gone = {one: "erased" for one in nodes if tenant.book.status(one) != "erased"}
    kept = dict(consequences(tenant, gone).survivors)
    return Forgetting(
        what=wanted.one()[0],
        also=tuple(sorted({one for some in others.values() for one in some})),
        erases=tuple(_effect(tenant, one, "erased") for one in nodes),
        removes=tuple(sorted(found.blanked)),
        survives=tuple(_effect(tenant, one, "active", kept[one]) for one in kept),
        mentions=tuple(sorted(found.mentions)),
        held=tuple(holds_on(tenant, nodes)),
        exposed=tuple(_recipients(tenant, nodes)),
        dispatched=tuple(one for one in nodes if _dispatched(tenant, one)),
        planned_at=tenant.ledger.head.seq,
    )


def _effect(tenant: Tenant, node: str, after: str, kept_by: tuple[str, ...] = ()) -> Effect:
    artefact = tenant.graph.artefact(node)
    kind = artefact.artefact.kind if artefact is not None else kind_of(node) or "unknown"
    before = tenant.book.status(node)
    shown = before if before != "active" else tenant.book.support(node)
    return Effect(id=node, kind=kind, label=label(tenant, node), before=shown, after=after, kept_by=kept_by)


def _dispatched(tenant: Tenant, node: str) -> bool:
    last = tenant.book.last(node, "action")
    return last is not None and last.value in ("dispatched", "compensation")


def _recipients(tenant: Tenant, nodes: Iterable[str]) -> Iterator[Recipient]:
    reads = {view.retrieval.id: view for node in nodes for view in tenant.graph.exposures(node)}
    for view in sorted(reads.values(), key=lambda one: (one.seq, one.retrieval.id)):
        read = view.retrieval
        yield Recipient(principal=read.principal, session=read.session, at=f"tx:{view.seq}", retrieval=read.id)


def forget(
    tenant: Tenant,
    caller: Caller,
    wanted: Wanted,
    reason: str,
    made: Forgetting | None = None,
    spread: Callable[[], Elsewhere] = Elsewhere,
) -> Forgotten:
    """Erase; see `Handle.forget`.

    `spread` takes the acknowledged erasure to wherever else it has to be done.
    """
    channel, _ = caller.speaking()
    if channel not in _MAY:
        raise NotPermitted("erasing takes a person or a system of record: an agent may not destroy memory")
    if made is not None and not isinstance(made, Forgetting):
        raise RequestError("the first argument is the plan of plan_forget; name what to erase: claim=…, subject=…")
    if made is not None and wanted == Wanted(mentions=wanted.mentions):
        raise RequestError(f"name again what the plan is about: forget(plan, {made.what}=…, reason=…)")
    reason = told(reason, "reason")
    found = _close(tenant, caller, wanted)
    fresh = _plan(tenant, caller, wanted, found)
    refuse_held(tenant, found.nodes)
    unused = _Unused(tenant, found)
    _check_reason(tenant, wanted, fresh, unused, reason)
    if made is not None and (fresh.erases, fresh.removes) != (made.erases, made.removes):
        raise Conflict("what would be erased has changed since the plan was made; plan again")
    return _carry_out(tenant, caller, wanted, fresh, unused, reason, spread)


def follow(tenant: Tenant, caller: Caller, wanted: Wanted) -> Forgotten:
    """Erase here what was erased at global; the request and its reason are recorded there.

    Raises:
        LegalHold: something that goes with it is under a hold of this tenant; nothing was erased.
    """
    found = _close(tenant, caller, wanted)
    refuse_held(tenant, found.nodes)
    fresh = _plan(tenant, caller, wanted, found)
    return _carry_out(tenant, caller, wanted, fresh, _Unused(tenant, found), GLOBAL, Elsewhere)


def _carry_out(
    tenant: Tenant,
    caller: Caller,
    wanted: Wanted,
    fresh: Forgetting,
    unused: _Unused,
    reason: str,
    spread: Callable[[], Elsewhere],
) -> Forgotten:
    (_, principal), found = caller.speaking(), unused.found
    request = _request(tenant, caller, fresh, found, reason)
    drafted = [*_records(tenant, caller, wanted, unused, principal)]
    drafted.append(Note(id=request["receipt_id"], about="forget", body=canonical(request), actor=principal))
    work = erasing.prepare(tenant, request, found.ids)
    erasing.mark(tenant.folder)
    # should this fail, the next opening asks the ledger whether there is something to finish
    (entry,) = tenant.ledger.append([Draft(op="forget", scope=caller.scope.path, records=tuple(drafted))])
    work = erasing.acknowledged(work, entry)
    elsewhere = spread()
    work.uncovered = elsewhere.missed
    fresh = fresh.model_copy(update={"exposed": (*fresh.exposed, *elsewhere.shown)})
    return Forgotten(fresh, erasing.complete(tenant, work))


def _check_reason(tenant: Tenant, wanted: Wanted, fresh: Forgetting, unused: _Unused, reason: str) -> None:
    """Refuse a reason that would keep what is erased: it stays in the ledger as long as the tenant does.

    Raises:
        RequestError: it holds the name that was given, or a subject or value that nothing else in the store says.
    """
    what, given = wanted.one()
    names = {given, *fresh.also} if what in ("subject", "source", "session", "principal") else set[str]()
    for node in unused.found.nodes:
        claim = tenant.graph.claim(node)
        for name, entity in () if claim is None else _names(claim.claim):
            if name is not None and len(name) >= LEAST and unused(entity):
                names.add(name)
    told = match_form(reason)
    if any(holds(told, form) for form in map(match_form, names) if form):
        raise RequestError(
            "the reason holds words that are to be erased, and a reason is kept: give the number or date of the request"
        )


def _names(claim: Claim) -> tuple[tuple[str | None, str], ...]:
    return (claim.object, claim.object_id), (claim.subject, claim.subject_id)


def _request(tenant: Tenant, caller: Caller, made: Forgetting, found: Closure, reason: str) -> dict[str, Any]:
    """Return what is asked, without any name: the receipt is built from it, also after a crash."""
    salt = tenant.ids.salt()
    sessions = {one.session for one in made.exposed if one.session is not None}
    people = sorted({tenant.names.principal(one.principal) for one in made.exposed if one.principal is not None})
    return {
        "receipt_id": tenant.ids.new("opn"),
        "tenant": tenant.ledger.tenant,
        "request": made.what,
        "requester": tenant.names.principal(caller.principal or ""),
        "legal_basis": commitment(salt, reason),
        "reason": reason,
        "scope_hash": commitment(salt, caller.scope.path),
        "requested_at": iso(tenant.now()),
        "salt": salt.hex(),
        "erased": receipts.counted(found.nodes, {one.id: one.kind for one in made.erases}),
        "content_removed": receipts.counted(found.blanked, {one: kind_of(one) or "record" for one in found.blanked}),
        "cascade": {"lost": len(found.nodes), "ids_sha256": digest(canonical(sorted(found.ids)))},
        "exposures": {
            "reads": len(made.exposed),
            "sessions": len(sessions),
            "actions": len(made.dispatched),
            "recipients": people,
        },
        "mentions_left": len(made.mentions),
    }


def _records(tenant: Tenant, caller: Caller, wanted: Wanted, unused: _Unused, principal: str) -> Iterator[Record]:
    found = unused.found
    gone = {one: "erased" for one in sorted(found.nodes) if tenant.book.status(one) != "erased"}
    yield from marks(tenant, consequences(tenant, gone), code="forget", actor=principal)
    for one in found.blanked:
        yield StatusChange(
            id=tenant.ids.new("sta"), target=one, axis="content", value="removed", code="forget", actor=principal
        )
    stones = [*_stones(tenant, caller, wanted, unused)]
    yield from changes(stones, (tenant.ids.new("sta") for _ in stones))


def _stones(tenant: Tenant, caller: Caller, wanted: Wanted, unused: _Unused) -> Iterator[Stone]:
    """Yield the tombstones: of each statement and text, and of the subject or source as a whole."""
    names, path = tenant.names, caller.scope.path
    for node in unused.found.nodes:
        if (claim := tenant.graph.claim(node)) is not None and claim.claim.predicate is not None:
            one = claim.claim
            yield for_claim(names, one.scope, one.subject_id, one.predicate or "", one.object_id)
            for name, entity in _names(one):
                if name is not None and unused(entity):
                    yield for_name(names, name)
        elif (text := tenant.graph.artefact(node)) is not None and text.artefact.content is not None:
            yield for_text(names, text.artefact.scope, text.artefact.content)
    for name in _names_of(tenant, caller, wanted):
        yield for_subject(names, path, names.entity(name))
        yield for_name(names, name)
    for scope, others in {} if wanted.subject is None else aliases(tenant, caller, wanted.subject).items():
        yield from (for_subject(names, scope, names.entity(one)) for one in others)
    if wanted.source is not None:
        yield for_source(names, path, names.source(wanted.source))


class _Unused:
    """Whether no remaining claim is about an entity or has it as its value; each entity is asked once."""

    def __init__(self, tenant: Tenant, found: Closure) -> None:
        self._tenant, self.found = tenant, found
        self._known: dict[str, bool] = {}

    def __call__(self, entity: str) -> bool:
        if entity not in self._known:
            # a town may be in ten thousand claims: more of the newest than can go say enough
            most = len(self.found.nodes) + 1
            some = self._tenant.graph.mentions(entity, most)
            unused = all(map(self._goes, some))
            if unused and len(some) == most:
                unused = all(map(self._goes, self._tenant.graph.mentions(entity, _ALL)))
            self._known[entity] = unused
        return self._known[entity]

    def _goes(self, claim: str) -> bool:
        return claim in self.found.nodes or self._tenant.book.status(claim) == "erased"
