"""Reads: recall, value, timeline, contradictions, lineage and exposure. Recall is recorded before it returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from tkg.belief import validity
from tkg.belief.book import LATEST
from tkg.belief.compare import Same
from tkg.belief.suspension import Lookup
from tkg.belief.validity import Answer
from tkg.errors import EmbedderFailed, RequestError
from tkg.html import element, folded, table
from tkg.memory import at_use
from tkg.memory.answers import Value
from tkg.memory.auditing import in_slots
from tkg.memory.caller import Caller
from tkg.memory.pins import pins
from tkg.memory.pointers import look_up
from tkg.memory.slots import Slots
from tkg.memory.tenant import AsOf, Tenant
from tkg.memory.told import secret_in
from tkg.model.artefact import Retrieval
from tkg.model.base import Value as Frozen
from tkg.model.display import Displayed, Parts
from tkg.model.predicate import Predicate, check_predicate
from tkg.model.time import When, iso
from tkg.model.view import SlotClaim
from tkg.recall.judge import Judge, Window
from tkg.recall.model import KINDS, RecallItem, RecallOutcome, RecallRequest
from tkg.recall.search import recall as search
from tkg.text import MAX_NAME, clean

#: longest question, in bytes of UTF-8
MAX_QUERY = 4 * 1024


@dataclass(frozen=True, slots=True)
class Recalled(Displayed):
    """What `recall` returns: `items`, `text` for the user turn, and `trace` (everything that was decided)."""

    id: str
    outcome: RecallOutcome
    seq: int

    @property
    def items(self) -> tuple[RecallItem, ...]:
        """What is shown, best first."""
        return self.outcome.items

    @property
    def text(self) -> str:
        """The data block for the user turn."""
        return self.outcome.text

    @property
    def message(self) -> dict[str, str]:
        """The block as one message of the user's turn; never a system message."""
        return {"role": "user", "content": self.text}

    @property
    def trace(self) -> RecallOutcome:
        """Scores, both times, what was left out and why."""
        return self.outcome

    _repr_pretty_ = Displayed._repr_pretty_  # else the dataclass would show itself in full

    def _brief_(self) -> str:
        return f"{len(self.items)} item(s)"

    def _heading_(self) -> str:
        return f"Recall: {len(self.items)} item(s), {self.outcome.tokens} of {self.outcome.token_budget} tokens"

    def _display_(self) -> Parts:
        left_out = self.outcome.left_out
        return {
            "valid at": iso(self.outcome.valid_at),
            "known at": f"tx:{self.outcome.as_of}",
            "abstained": self.outcome.abstained and f"{self.outcome.abstained.code}: {self.outcome.abstained.resolve}",
            "notes": tuple(one.text for one in self.outcome.notes),
            "items": self.items,
            "left_out": folded(f"{len(left_out)} left out", table(["id", "why"], left_out)) if left_out else None,
            "text": folded("what the model is shown", element("pre", self.text)),
        }


class Segment(Frozen):
    """One stretch of a timeline: `[valid_from, valid_to)` as ISO text (None: open) and what held there."""

    valid_from: str | None
    valid_to: str | None
    answer: Value

    def _display_(self) -> Parts:
        return {"valid from": self.valid_from or "open", "to": self.valid_to or "open", "answer": self.answer}


class Contradiction(Frozen):
    """Two standing claims that cannot both hold, with the stretch they share and the row of the decision table."""

    left: str
    right: str
    subject: str | None
    predicate: str | None
    left_object: str | None
    right_object: str | None
    valid_from: str | None
    valid_to: str | None
    pattern: str
    certainty: str
    rule: str
    scope: str


def recall(
    tenant: Tenant,
    caller: Caller,
    query: str,
    *,
    k: int | None,
    token_budget: int | None,
    valid_at: When,
    as_of: AsOf,
) -> Recalled:
    """See `Handle.recall`."""
    request = request_of(tenant, caller, query, k=k, token_budget=token_budget, valid_at=valid_at, as_of=as_of)
    nonce = tenant.ids.new("ret").partition("_")[2]
    outcome = answer(tenant, caller, request, nonce=nonce)
    if tenant.verifiers and outcome.intent.present and outcome.as_of >= request.latest:
        remarks = at_use.verify(tenant, caller, outcome, tenant.verifiers)
        if remarks:  # what the sources say now counts in the answer
            latest = tenant.ledger.head.seq
            request = replace(request, remarks=remarks, latest=latest, now=max(request.now, tenant.now()))
            outcome = answer(tenant, caller, request, nonce=nonce)
    principal = caller.principal or "reader"
    record = Retrieval(
        id=tenant.ids.new("ret"),
        scope=caller.scope.path,
        session_id=None if caller.session is None else tenant.names.session(caller.session),
        principal_id=tenant.names.principal(principal),
        valid_at=outcome.valid_at,
        as_of=outcome.as_of,
        k=request.k,
        shown=outcome.shown,
        left_out=outcome.left_out,
        policy=tenant.policies.read.version,
        query=_kept(tenant, request.query),
        principal=principal,
        session=caller.session,
    )
    entry = tenant.commit("recall", caller.scope.path, [record])
    return Recalled(record.id, outcome, entry.seq)


def _kept(tenant: Tenant, query: str) -> str | None:
    """Return the query as the trace keeps it: nothing of one that holds a secret, or names what is erased for good."""
    if secret_in((query,)) is not None:
        return None
    names = tenant.names
    for part in tenant.tombstones.named_in(names, query):
        said = tenant.graph.mentions(names.entity(part), 1)
        if not said or tenant.book.status(said[0]) == "erased":
            return None
    return query


def request_of(
    tenant: Tenant,
    caller: Caller,
    query: str,
    *,
    k: int | None,
    token_budget: int | None,
    valid_at: When,
    as_of: AsOf,
) -> RecallRequest:
    """Return what `Handle.recall` asks, with the defaults of the read policy, at this moment."""
    for name, given in (("k", k), ("token_budget", token_budget)):
        if given is not None and not isinstance(given, int):
            raise RequestError(f"{name} must be a whole number, not {type(given).__name__}")
        if given is not None and (isinstance(given, bool) or given < 1):
            raise RequestError(f"{name} must be 1 or more: nothing can be shown in none")
    policy = tenant.policies.read
    latest = tenant.ledger.head.seq
    known = None if as_of is None else min(tenant.seq_of(as_of), latest)
    return RecallRequest(
        query=clean(query, "query", limit=MAX_QUERY),
        visible=tenant.visible(caller.scope),
        now=tenant.now(),
        k=policy.k if k is None else k,
        token_budget=policy.token_budget if token_budget is None else token_budget,
        latest=latest,
        valid_at=None if valid_at is None else tenant.instant_of(valid_at),
        as_of=known,
        kinds=KINDS,
        count_tokens=tenant.count_tokens,
        pinned=pins(tenant, tenant.visible(caller.scope), latest if known is None else known),
    )


def answer(tenant: Tenant, caller: Caller, request: RecallRequest, *, nonce: str) -> RecallOutcome:
    """Answer a request without recording it: the same request, store and nonce give the same outcome."""
    vectors, failed = tenant.vectors, None
    if vectors is not None:
        try:
            vectors.bring_up(request.latest)
        except EmbedderFailed as error:  # words and graph answer without it
            vectors, failed = None, f"unavailable: {error}"
    outcome = search(
        request,
        graph=tenant.graph,
        index=tenant.index,
        judge=lambda window, known: judge_at(tenant, caller, window, known, request.latest),
        policy=tenant.policies.read,
        nonce=nonce,
        seq_at=tenant.ledger.seq_at,
        vectors=vectors,
    )
    return outcome if failed is None else replace(outcome, vectors=failed)


def judge_at(tenant: Tenant, caller: Caller, window: Window, known: int, latest: int) -> Judge:
    """Return the judge of what this caller may be shown."""
    slots = Slots(tenant, tenant.visible(caller.scope), LATEST if known >= latest else known)
    judge = Judge(
        tenant.graph,
        tenant.book,
        tenant.policies,
        caller.scope,
        window,
        known,
        slot_of=tenant.names.slot,
        slots=slots,
        visible=slots.visible,
    )
    if known >= latest:
        judge.expire(tenant.written_by)
    return judge


# -- slots


def name_slot(subject: str, predicate: str) -> tuple[str, str]:
    """Return a subject and predicate as slots are named, or refuse them."""
    return clean(subject, "subject", limit=MAX_NAME).strip(), check_predicate(predicate)


class OpenSlot(NamedTuple):
    """A slot as a caller sees it at a transaction, with what belief asks for."""

    subject: str
    known: int
    layers: list[list[SlotClaim]]
    predicate: Predicate
    lookup: Lookup
    same: Same | None


def open_slot(tenant: Tenant, caller: Caller, subject: str, predicate: str, as_of: AsOf) -> OpenSlot:
    """Open a slot for a question about its value or its history."""
    subject, predicate = name_slot(subject, predicate)
    known = tenant.seq_of(as_of)
    slots = Slots(tenant, tenant.visible(caller.scope), known)
    return OpenSlot(
        subject, known, slots.layers(subject, predicate), slots.registry.get(predicate), slots.lookup, slots.same
    )


def shown_answer(answer: Answer) -> Value:
    """Return an answer of belief as the facade shows it; erased words are said to be erased, never shown as a value."""
    told = tuple(one for one in answer.values if one)  # a value is never empty: only what was erased reads as nothing
    erased = len(told) < len(answer.values)
    return Value(
        kind="none" if erased and not told else answer.kind,
        value=told[0] if answer.kind == "value" and told else None,
        values=told,
        previously=(answer.previously[0] or None) if answer.previously else None,
        claims=answer.claims,
        reason="erased" if erased else "" if answer.certainty == "definite" else "possible",
    )


def value(tenant: Tenant, caller: Caller, subject: str, predicate: str, *, valid_at: When, as_of: AsOf) -> Value:
    """See `Handle.value`."""
    slot = open_slot(tenant, caller, subject, predicate, as_of)
    answer = validity.value(
        slot.layers,
        slot.predicate,
        tenant.book,
        tenant.instant_of(valid_at),
        slot.known,
        lookup=slot.lookup,
        same=slot.same,
    )
    return shown_answer(answer).model_copy(update={"look_up": look_up(slot.subject, slot.predicate)})


def timeline(tenant: Tenant, caller: Caller, subject: str, predicate: str, *, as_of: AsOf) -> list[Segment]:
    """See `Handle.timeline`."""
    slot = open_slot(tenant, caller, subject, predicate, as_of)
    found = validity.timeline(slot.layers, slot.predicate, tenant.book, slot.known, lookup=slot.lookup, same=slot.same)
    return [
        Segment(valid_from=iso(s.valid_from), valid_to=iso(s.valid_to), answer=shown_answer(s.answer)) for s in found
    ]


# -- contradictions


def contradictions(
    tenant: Tenant, caller: Caller, *, as_of: AsOf, subject: str | None = None, predicate: str | None = None
) -> list[Contradiction]:
    """See `Handle.contradictions`: the graph finds slots in which claims meet, belief says which pairs are open."""
    found = in_slots(tenant, caller, tenant.seq_of(as_of), subject=subject, predicate=predicate)
    return [
        Contradiction(
            left=one.left,
            right=one.right or "",
            subject=one.subject,
            predicate=one.predicate,
            left_object=one.left_object,
            right_object=one.right_object,
            valid_from=one.valid_from,
            valid_to=one.valid_to,
            pattern=one.pattern,
            certainty=one.certainty,
            rule=one.rule,
            scope=one.scope,
        )
        for one in found
    ]
