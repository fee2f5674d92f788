"""What becomes the answer again when something is taken back (semantics 2.4).

A claim of high consequence that nothing replaces any more does not simply come back: else taking back the true value
would be a way to bring in an old one. It is held for a person in the same entry, and so is what comes up behind it.
Where the revocation is undone, what was held for it alone is let go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tkg.belief import cascade, validity
from tkg.belief.book import Book
from tkg.belief.mirror import opposite
from tkg.ids import kind_of
from tkg.memory.replan import consequences, marks
from tkg.memory.slots import Slots
from tkg.memory.tenant import Tenant
from tkg.model.claim import Claim
from tkg.model.entry import Record
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer, SlotClaim

#: code of the status changes made here
CODE: Final = "resurfaced"
#: leaving claims up to which each one's slot is read; for more it is asked first which slots hold several
_FEW: Final = 30


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a change brings about: the plan, which claims come back by it, and which of them wait for a person.

    `lifted` are claims that had waited because of an earlier change that this one undoes.
    """

    plan: cascade.Plan
    back: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()

    def records(self, tenant: Tenant, *, code: str, actor: str | None, reason: str | None = None) -> list[Record]:
        """Return all of it as records: the plan's, and an event for each claim that came back."""
        written: list[Record] = []
        for record in marks(tenant, self.plan, code=code, actor=actor, reason=reason):
            if isinstance(record, StatusChange) and record.axis == "status" and record.target in self.held:
                record = record.model_copy(update={"code": CODE, "reason": None})
            written.append(record)
        written += [
            StatusChange(id=tenant.ids.new("sta"), target=one, axis="review", value=CODE, code=code, actor=actor)
            for one in self.back
        ]
        return written


def follow(
    tenant: Tenant,
    changes: Mapping[str, str],
    added: Sequence[Backer] = (),
    new: SlotClaim | None = None,
    decided: frozenset[str] = frozenset(),
) -> Consequences:
    """Plan a change of statuses and of justifications, and what comes back by it.

    Args:
        tenant: the open tenant.
        changes: node -> new status.
        added: justifications that the same entry writes.
        new: a claim that the same entry writes; it takes part in its slot.
        decided: claims of which somebody else decides whether they may come back.
    """
    wanted = dict(changes)
    lifted = _undone(tenant, wanted, added, new)
    wanted |= dict.fromkeys(lifted, "active")
    held: dict[str, None] = {}
    while True:
        found = consequences(tenant, wanted, added)
        own = {*wanted, *decided, *found.returned, *(one.justification.head for one in added)}
        own |= set() if new is None else {new.claim.id}
        back = {one: high for one, high in _returning(tenant, found, new) if one not in own}
        fresh = [one for one, high in back.items() if high]
        if not fresh:
            return Consequences(found, tuple(back), tuple(held), tuple(lifted))
        held |= dict.fromkeys(fresh)
        wanted |= dict.fromkeys(fresh, "held")


def _undone(
    tenant: Tenant, changes: Mapping[str, str], added: Sequence[Backer], new: SlotClaim | None
) -> dict[str, None]:
    """Return the claims held for having come back that would not be the answer after a change that lets things back."""
    if "active" not in changes.values():
        return {}
    found = consequences(tenant, changes, added)
    waiting: dict[str, None] = {}
    for reader, view in _slots(tenant, found, new):
        for one in reader.of(view):
            last = tenant.book.last(one.claim.id, "status")
            if last is not None and (last.value, last.code) == ("held", CODE) and one.claim.id not in changes:
                waiting[one.claim.id] = None
    if not waiting:
        return {}
    tried = consequences(tenant, {**changes, **dict.fromkeys(waiting, "active")}, added)
    after = book_after(tenant, tried)
    answers = {one for reader, view in _slots(tenant, tried, new) for one in _answer(tenant, reader, view, after, new)}
    return {one: None for one in waiting if one not in answers}


def book_after(tenant: Tenant, found: cascade.Plan) -> Book:
    """Return the book as it would be once a plan is carried out."""
    seq = tenant.ledger.head.seq + 1
    fresh = [
        StatusChange(id=f"planned-{number}", target=node, axis="support", value=support.value)
        for number, (node, support) in enumerate(found.marks)
    ]
    fresh += [
        StatusChange(id=f"planned-{node}", target=node, axis="status", value=status) for node, status in found.changes
    ]
    return tenant.book.copy_with((change, seq) for change in fresh)


def _returning(tenant: Tenant, found: cascade.Plan, new: SlotClaim | None) -> Iterator[tuple[str, bool]]:
    """Yield the claims that become (part of) the answer of their slot now, and whether each is of high consequence."""
    after: Book | None = None
    for reader, view in _slots(tenant, found, new):
        after = after or book_after(tenant, found)
        before = _answer(tenant, reader, view, tenant.book, None)
        claims = {one.claim.id: one.claim for one in reader.of(view)}
        for one in _answer(tenant, reader, view, after, new):
            if one not in before and one in claims:
                declared = reader.declared(claims[one]).consequence
                yield one, "high" in (declared, claims[one].consequence)


def _answer(tenant: Tenant, reader: Slots, view: SlotClaim, book: Book, new: SlotClaim | None) -> tuple[str, ...]:
    """Return the claims that are the answer of a claim's slot now."""
    slot = reader.slot(view)
    claims = [*slot.claims, *([new] if new is not None and new.claim.slot_id == view.claim.slot_id else [])]
    found = validity.value([claims], slot.predicate, book, tenant.now(), lookup=reader.lookup, same=reader.same)
    return found.claims if found.kind != "suspended" else ()


def _slots(tenant: Tenant, found: cascade.Plan, new: SlotClaim | None) -> Iterator[tuple[Slots, SlotClaim]]:
    """Yield each slot in which a plan may change the answer, by one of its claims."""
    touched = [*dict(found.changes), *found.fallen, *found.suspended, *found.returned, *dict(found.survivors)]
    seen: set[str] = set()
    for claim in _room_makers(tenant, touched):
        if claim.slot_id not in seen and (view := tenant.graph.claim(claim.id)) is not None:
            seen.add(claim.slot_id)
            yield Slots.around(tenant, view.claim.scope), view


def _room_makers(tenant: Tenant, nodes: Iterable[str]) -> Iterator[Claim]:
    """Yield the claims among some nodes that may have others beside them; one that is alone makes room for nothing."""
    wanted = [node for node in dict.fromkeys(nodes) if kind_of(node) == "claim"]
    claims = tenant.graph.claims(wanted)
    if len(claims) <= _FEW or tenant.same_as:
        yield from claims.values()
        return
    shared, registry = tenant.graph.shared_slots(), tenant.registry()
    for claim in claims.values():
        turned = claim.predicate is None or opposite(registry.get(claim.predicate), registry) is not None
        if turned or claim.slot_id in shared:
            yield claim
