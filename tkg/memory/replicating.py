"""What everybody reads, in each tenant's own ledger: a tenant copies the global claims before its next use.

So recall, value, timeline, lineage, exposure, derivation, cascades, replay and erasure work on what is global by the ways that
exist, on the tenant's own transactions, with no lock across tenants. The copies keep their ids; every keyed id is made anew
from the words with this tenant's key. Nothing says who promoted a claim, from which tenant and why: that is for those who
read the global ledger itself.

A copy is compared with the global ledger as a whole, not replayed: what is missing is written, what has another status there
gets it here (by the plan that a decision of this tenant would go through, so that everything derived falls with it), and
what was erased there is erased here. Doing it twice changes nothing, and a mark says up to where it was done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from tkg.belief.book import Book
from tkg.belief.normalise import Normal
from tkg.errors import Busy, LegalHold, TkgError
from tkg.ids import kind_of
from tkg.ledger.port import Ledger
from tkg.memory import forgetting, resurfacing
from tkg.memory.answers import Recipient
from tkg.memory.caller import Caller
from tkg.memory.global_state import GlobalState
from tkg.memory.reverifying import outside_the_base
from tkg.memory.tenant import REPLICATED, Tenant
from tkg.memory.writing import meeting
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.scope import GLOBAL, Channel, Scope
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer

if TYPE_CHECKING:
    from tkg.memory.store import Memory

#: operation of the entries made here
OP: Final = "replicate"
#: who and where a tenant sees instead of the person and the tenant that promoted
WHO: Final = "promotion"
PLACE: Final = "global:promotion"
#: seconds to wait for a tenant that another thread of this process is using
_PATIENCE: Final = 5.0
_CALLER: Final = Caller(Scope(tenant=GLOBAL), Channel.HUMAN_VERIFIED, WHO, None)


def is_current(tenant: Tenant, state: GlobalState) -> bool:
    """Return whether a tenant has everything that is global, and nothing else of it."""
    last = tenant.book.last(GLOBAL, REPLICATED)
    if last is None:
        return not state.mark
    # what a legal hold of this tenant kept from being erased is tried again when its holds have changed
    return last.value == state.mark and last.code in ("", _holds(tenant))


def _holds(tenant: Tenant) -> str:
    return str(len(tenant.book.of_axis("hold")))


def copied(ledger: Ledger) -> list[str]:
    """Return the claims and evidence that a tenant copied, in the order it did, whatever became of them."""
    found: dict[str, None] = {}
    for row in ledger.rows():
        if f'"op":"{OP}"' in row.body:
            made = json.loads(row.body)["records"]
            found |= {one["id"]: None for one in made if one["record"] in ("claim", "evidence")}
    return list(found)


def replicate(tenant: Tenant, state: GlobalState) -> tuple[Recipient, ...]:
    """Bring a tenant's copy up to date; the caller holds its lock.

    Returns:
        Who was shown here what was erased.

    Raises:
        DiskFull, Damaged, Busy, RequestError: as for a write. What was done is done, and the next use goes on.
    """
    last = tenant.book.last(GLOBAL, REPLICATED)
    # a mark of another ledger: the tenant was brought from another store, or the global ledger was set back
    strangers = copied(tenant.ledger) if last is not None and last.value not in state.marks else []
    kept, shown = _erase(tenant, state)
    copy = _Copy(tenant, state)
    *before, records = copy.entries()
    for one in before:  # each claim in a transaction of its own, as at global: ties go by the order of writing
        tenant.commit(OP, GLOBAL, one)
    changes = _changes(tenant, state) | dict.fromkeys(kept, "revoked")
    changes |= {one: "revoked" for one in strangers if one not in state.claims and one not in state.evidence}
    changes = {one: status for one, status in changes.items() if tenant.book.status(one) not in (status, "erased")}
    if changes or copy.added:
        added = [Backer(one, tenant.ledger.head.seq + 1) for one in copy.added]
        found = resurfacing.follow(tenant, changes, added, decided=frozenset(state.claims))
        records += found.records(tenant, code=GLOBAL, actor=GLOBAL)
    code = _holds(tenant) if kept else ""
    records.append(_change(tenant, GLOBAL, REPLICATED, state.mark, code))
    tenant.commit(OP, GLOBAL, records)
    return tuple(one.model_copy(update={"tenant": tenant.ledger.tenant}) for one in shown)


def _change(tenant: Tenant, target: str, axis: Any, value: str, code: str) -> StatusChange:
    return StatusChange(id=tenant.ids.new("sta"), target=target, axis=axis, value=value, code=code)


def _erase(tenant: Tenant, state: GlobalState) -> tuple[list[str], list[Recipient]]:
    """Erase what was erased at global; return what a legal hold of this tenant keeps, and who was shown the rest."""
    kept, shown = list[str](), dict[str, Recipient]()
    for one in (*state.claims, *state.evidence):
        if state.book.status(one) != "erased" or not _known(tenant, one) or tenant.book.status(one) == "erased":
            continue
        claim = kind_of(one) == "claim"
        wanted = forgetting.Wanted(claim=one) if claim else forgetting.Wanted(evidence=one)
        try:
            shown |= {each.retrieval: each for each in forgetting.follow(tenant, _CALLER, wanted).notify}
        except LegalHold:
            kept.append(one)
    return kept, list(shown.values())


def _stood(book: Book, identifier: str) -> bool:
    return book.before_erasure(identifier) == "active"


def _known(tenant: Tenant, identifier: str) -> bool:
    graph = tenant.graph
    return (graph.claim if kind_of(identifier) == "claim" else graph.evidence)(identifier) is not None


def _changes(tenant: Tenant, state: GlobalState) -> dict[str, str]:
    """Return what the tenant has already and has another status at global by now."""
    found = {}
    for one in (*state.claims, *state.evidence):
        status = state.book.status(one)
        if status == "erased" or not _known(tenant, one):
            continue
        if status == "active" and outside_the_base(tenant, one):
            continue  # a source told this tenant otherwise
        found[one] = status
    return found


class _Copy:
    """What a tenant has not copied yet, as its own records."""

    def __init__(self, tenant: Tenant, state: GlobalState) -> None:
        self.tenant, self.state = tenant, state
        #: new justifications of claims that were copied before
        self.added: list[Justification] = []
        self._records: list[Record] = []
        self._fresh: set[str] = set()
        #: slot at global -> slot and subject here
        self._slots = {one.slot_id: self._named(one) for one in state.claims.values() if one.subject is not None}

    def entries(self) -> list[list[Record]]:
        """Return it: the new claims each by itself, and with the last (or alone) what else is new."""
        made: list[list[Record]] = []
        for claim in self.state.claims.values():
            known, self._records = self.tenant.graph.claim(claim.id), []
            if known is None:
                self._claim(claim)
                made += [self._records] if claim.id in self._fresh else []
            elif self.tenant.book.status(claim.id) != "erased":
                there = {one.justification.id for one in known.backers}
                added = list(self._backers(claim.id, known.claim.slot_id, there, ("active",)))
                self.added += added
                made += [self._records] if self._records else []
        self._records = [*(made.pop() if made else ()), *self.added]
        for edge in self.state.edges:
            self._edge(edge)
        for one in self.state.claims:
            self._confirmed(one)
        return [*made, self._records]

    def _has(self, identifier: str) -> bool:
        return identifier in self._fresh or self.tenant.graph.claim(identifier) is not None

    def _named(self, claim: Claim) -> tuple[str, str]:
        names = self.tenant.names
        subject = claim.subject or ""
        return names.slot(GLOBAL, subject, claim.predicate or ""), names.entity(subject)

    def _claim(self, claim: Claim) -> None:
        """Take a claim in that stands; of one that was erased, its place in time, so that nothing older comes up."""
        book, names = self.state.book, self.tenant.names
        erased = book.status(claim.id) == "erased"
        if claim.slot_id not in self._slots or not (book.live(claim.id) or (erased and _stood(book, claim.id))):
            return
        slot_id, subject_id = self._slots[claim.slot_id]
        value = meeting(claim.object or "", Normal(claim.object_norm or "", claim.object_type))
        mine = claim.model_copy(
            update={
                "slot_id": slot_id,
                "subject_id": subject_id,
                "object_id": names.entity(f"{GLOBAL}:{claim.id}" if erased else value),
                "depends_on": tuple(one for one in claim.depends_on if self._has(one)),
            }
        )
        backers = list(self._backers(claim.id, slot_id, set(), ("active", "erased") if erased else ("active",)))
        if not backers:
            return
        self._fresh.add(claim.id)
        self._records += [mine, *backers]
        if erased:
            gone = {claim.id, *(one for each in backers for one in each.requires if book.status(one) == "erased")}
            self._records += [_change(self.tenant, one, "status", "erased", GLOBAL) for one in sorted(gone)]

    def _backers(self, head: str, slot_id: str, known: set[str], counts: tuple[str, ...]) -> Iterator[Justification]:
        """Yield the new justifications of a claim whose evidence has a status that counts, after taking that in."""
        for one in self.state.backers.get(head, ()):
            if one.id in known or any(self.state.book.status(needed) not in counts for needed in one.requires):
                continue
            if all(self._evidence(needed) for needed in one.requires):
                origins = tuple(map(self._origin, one.origins))
                yield one.model_copy(update={"slot_id": slot_id, "origins": origins})

    def _origin(self, there: str) -> str:
        """Return the origin of what one person promoted: the same person is one witness, and no name is told."""
        return self.tenant.names.origin(f"{GLOBAL}:{there}")

    def _evidence(self, identifier: str) -> bool:
        """Take a piece of evidence in unless it is there; return whether there is such a one."""
        there = self.state.evidence.get(identifier)
        if there is None or identifier in self._fresh or self.tenant.graph.evidence(identifier) is not None:
            return there is not None
        tenant = self.tenant
        source = Source(id=tenant.source_id(PLACE), uri=PLACE)
        if source.id not in self._fresh and tenant.graph.source(source.id) is None:
            self._fresh.add(source.id)
            self._records.append(source)
        self._fresh.add(identifier)
        self._records.append(
            StoredEvidence(
                id=identifier,
                scope=GLOBAL,
                source_id=source.id,
                channel=there.channel,
                system_of_record=there.system_of_record,
                origin=self._origin(there.origin),
                principal_id=tenant.names.principal(WHO),
                observed_at=there.observed_at,
                principal=WHO,
            )
        )
        return True

    def _edge(self, edge: Supersession | Conflict | Refinement) -> None:
        graph = self.tenant.graph
        known: Callable[[str], Sequence[tuple[Supersession | Conflict | Refinement, int]]]
        match edge:
            case Supersession():
                ends, known = (edge.winner, edge.loser), graph.supersessions
                edge = edge.model_copy(update={"decided_by": "gate" if edge.decided_by == "gate" else GLOBAL})
            case Conflict():
                ends, known = (edge.left, edge.right), graph.conflicts
            case Refinement():
                ends, known = (edge.finer, edge.coarser), graph.refinements
        if all(map(self._has, ends)) and all(one.id != edge.id for one, _ in known(ends[0])):
            self._records.append(edge)

    def _confirmed(self, identifier: str) -> None:
        """Take over when a claim was confirmed: its time to live counts from there."""
        if not self._has(identifier):
            return
        known = {one.id for _, one in self.tenant.book.history(identifier)}
        for _, one in self.state.book.history(identifier):
            if one.axis == "verified" and one.id not in known:
                self._records.append(one.model_copy(update={"actor": GLOBAL, "reason": None}))


# -- when it is done


def follow_global(
    memory: Memory, tenant: Tenant, state: GlobalState | None, patience: float = -1
) -> tuple[Recipient, ...]:
    """Let an open tenant copy what is new at global, if anything is; return who was shown what it erased.

    Args:
        memory: the store.
        tenant: the open tenant; its lock is taken.
        state: what is global.
        patience: seconds to wait for the lock (negative: as long as it takes).

    Raises:
        Busy: another thread did not let go of the lock in that time.
    """
    if state is None or is_current(tenant, state):
        return ()
    if not tenant.lock.acquire(timeout=patience):
        raise Busy("another thread of this process is using the tenant")
    try:
        return () if is_current(tenant, state) else replicate(tenant, state)
    except TkgError:
        memory.drop(tenant.ledger.tenant)  # what is open may not agree with the files; the next use goes on
        raise
    finally:
        tenant.lock.release()


def spread(memory: Memory) -> forgetting.Elsewhere:
    """Let every tenant follow at once what was decided at global.

    A tenant that another process owns, or that is in use, follows before its next use instead. Asked again after nothing
    was decided, it does nothing.
    """
    state, missed, shown = memory.global_state(), list[tuple[str, str]](), list[Recipient]()
    if state is None or state.spread:
        return forgetting.Elsewhere()
    state.spread = True
    for name in memory.tenants():
        if name == GLOBAL:
            continue
        owned = memory.is_open(name)
        try:
            memory.tenant(GLOBAL)  # used last, so that opening the others does not close it
            shown += follow_global(memory, memory.tenant(name, follow=False), state, _PATIENCE)
        except TkgError as error:
            why = f"it could not be opened for writing ({error.code}): it follows before its next use"
            missed.append((f"tenant {name}", why))
        if not owned:
            memory.let_go(name)  # another process may be waiting for it
    return forgetting.Elsewhere(tuple(missed), tuple(shown))


def announce(memory: Memory) -> None:
    """Let every tenant follow what was decided at global; the store's notices name those that could not yet."""
    missed = spread(memory).missed
    memory.notices += [f"{who} has not followed what was decided at global: {why}" for who, why in missed]
