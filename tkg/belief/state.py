"""The state of a claim or artefact in one word, by the precedence of design "Settled" 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.order import Order, backs
from tkg.belief.suspension import Lookup, Suspension, nowhere
from tkg.belief.table import contest, covers, denies_own
from tkg.belief.validity import Answer
from tkg.model.claim import Polarity
from tkg.model.instant import duration
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.model.view import Backer, SlotClaim

PRECEDENCE: Final = (
    "erased",
    "revoked",
    "rejected",
    "quarantined",
    "held",
    "suspended",
    "superseded",
    "expired",
    "unverified",
    "stale",
    "active",
)

#: statuses of what waits for a person
_WAITING: Final = frozenset({"held", "quarantined"})
#: code of a change that was made because a source no longer says it: nobody judged the claim
REVERIFIED: Final = "reverify"

_DAY: Final = 86_400_000_000


class State(NamedTuple):
    """A state, the claims that brought it about, and the code of the decision behind it."""

    name: str
    by: tuple[str, ...] = ()
    reason: str = ""


def lapsed(
    view: SlotClaim,
    predicate: Predicate,
    book: Book,
    ttl_days: Mapping[Channel, int | None],
    written_by: Callable[[int], int],
    as_of: int = LATEST,
) -> bool:
    """Return whether every live backer is older than its class stays usable, and nobody verified the claim since.

    Time to live counts from the later of the write and the last verification (design "Settled" 8); the predicate's own
    `ttl` replaces that of the class.

    Args:
        view: the claim.
        predicate: its declaration.
        book: all status changes.
        ttl_days: how long each class stays usable, in days; None: until changed.
        written_by: the newest transaction that is at least so many microseconds old.
        as_of: transaction.
    """
    own = None if predicate.ttl is None else duration(predicate.ttl)
    last = book.last(view.claim.id, "verified", as_of)
    fresh = book.history(view.claim.id) if last is not None and last.value == "fresh" else []
    checked = max((seq for seq, change in fresh if change.axis == "verified"), default=0)
    live = [backer for backer in view.backers if backs(backer, book, as_of)]
    for backer in live:
        days = ttl_days.get(backer.justification.channel)
        ttl = own if own is not None else None if days is None else days * _DAY
        if ttl is None or max(backer.seq, checked) > written_by(ttl):
            return False
    return bool(live)


def _waiting_word(backers: Iterable[Backer], book: Book, as_of: int) -> str:
    """Return quarantined or held when a person or the gate did that to the claim's own evidence, else suspended."""
    statuses = {
        book.status(needed, as_of)
        for backer in backers
        if backer.seq <= as_of and backer.justification.kind == "evidence"
        for needed in backer.justification.requires
        if _code(book, needed, "status", as_of) != REVERIFIED
    }
    for word in ("quarantined", "held"):
        if word in statuses:
            return word
    return "suspended"


def _code(book: Book, target: str, axis: str, as_of: int) -> str:
    change = book.last(target, axis, as_of)
    return "" if change is None else change.code


def state_of(
    view: SlotClaim,
    claims: Sequence[SlotClaim],
    predicate: Predicate,
    book: Book,
    valid_at: Instant,
    as_of: int = LATEST,
    *,
    lookup: Lookup | None = None,
    same: Same | None = None,
    unverified: bool = False,
) -> State:
    """Return the state of a claim.

    Args:
        view: the claim.
        claims: all claims of its slot, itself among them.
        predicate: the declaration.
        book: all status changes.
        valid_at: "now": decides suspension and expiry.
        as_of: transaction.
        lookup: finds the slots of what it depends on.
        same: which entities are one.
        unverified: its time to live has run out (`lapsed`).
    """
    claim = view.claim
    status = book.status(claim.id, as_of)
    if status == "revoked":
        return State(
            "revoked", _denied_by(view, claims, predicate, book, as_of), _code(book, claim.id, "status", as_of)
        )
    if status != "active":
        # what waits and has lost what it rests on is revoked: there is nothing left to decide about
        if status in _WAITING and book.support(claim.id, as_of) == "unsupported":
            return _fallen(view, claims, predicate, book, as_of)
        return State(status, (), _code(book, claim.id, "status", as_of))
    order = Order(claims, predicate, book, as_of, same)
    index = next((i for i, s in enumerate(order.standings) if s.claim.id == claim.id), None)
    waits = book.support(claim.id, as_of) == "suspended"
    if index is None or not order.standings[index].live:
        return _fallen(view, claims, predicate, book, as_of)
    suspension = Suspension(lookup or nowhere, book, as_of, same)
    if waits or (claim.depends_on and suspension.waits(claim, _present(claim.interval.may, valid_at))):
        return State("suspended", claim.depends_on)
    if by := superseded_by(order, index):
        return State("superseded", by)
    if claim.interval.kind == "ttl" and claim.interval.to_hi <= valid_at:
        return State("expired")
    return State("unverified" if unverified else "active")


def _present(covered: tuple[Instant, Instant], now: Instant) -> Instant:
    """Return the moment of a claim's time that is nearest to now."""
    return min(max(now, covered[0]), covered[1] - 1)


def _fallen(view: SlotClaim, claims: Sequence[SlotClaim], predicate: Predicate, book: Book, as_of: int) -> State:
    """Return the state of a claim whose own status is active and which nothing carries."""
    support = book.support(view.claim.id, as_of)
    written = [b for b in view.backers if b.seq <= as_of]
    needed = [book.support(r, as_of) for b in written for r in b.justification.requires]
    lost = [b for b in written if any(book.support(r, as_of) == "unsupported" for r in b.justification.requires)]
    if support == "suspended" or (support == "supported" and needed and len(lost) < len(written)):
        return State(_waiting_word(written, book, as_of))
    code = _code(book, view.claim.id, "support", as_of)
    return State("revoked", _denied_by(view, claims, predicate, book, as_of), code)


def _denied_by(
    view: SlotClaim, claims: Sequence[SlotClaim], predicate: Predicate, book: Book, as_of: int
) -> tuple[str, ...]:
    """Return the denials by its own origin that withdrew a claim."""
    return tuple(
        other.claim.id
        for other in claims
        if other.claim.polarity is Polarity.NEGATIVE
        and view.claim.polarity is Polarity.POSITIVE
        and other.seq <= as_of
        and other.claim.object_id == view.claim.object_id
        and covers(other.claim, view.claim)
        and book.live(other.claim.id, as_of)
        and denies_own(other, view, predicate, book, as_of)
    )


def superseded_by(order: Order, index: int) -> tuple[str, ...]:
    """Return the claims that take some of a claim's time, those that take it earliest first."""
    own = order.standings[index]
    start, end = own.claim.interval.may
    quick = _single_cut(order, index)
    if quick is not None and len(order.standings) > 64:
        return (quick,)
    found: dict[str, None] = {}
    for edge in [start, *order.edges_in(start + 1, end)]:
        for other in order.cutters(index, edge):
            found[order.standings[other].claim.id] = None
    return tuple(found)


def _single_cut(order: Order, index: int) -> str | None:
    """Return one claim that by itself takes some of a claim's time; quick on busy slots, not complete."""
    own = order.standings[index]
    for other in range(len(order.standings) - 1, -1, -1):
        rival = order.standings[other]
        if other == index or not order.may_take(other, index):
            continue
        starts, ends = rival.claim.interval.from_hi, rival.claim.interval.to_lo
        if max(starts, own.claim.interval.from_lo) >= min(ends, own.claim.interval.to_hi):
            continue
        left, by = contest(own.assertions, rival.assertions, order.epsilon)
        if left == "old" and by == "origin":
            return rival.claim.id
    return None


def artefact_state(
    artefact_id: str, justification: Backer | None, book: Book, as_of: int = LATEST, *, stale: bool = False
) -> State:
    """Return the state of an artefact; its one justification tells quarantine from waiting.

    Args:
        artefact_id: the artefact.
        justification: what it was written from; None for an episode that rests on nothing else.
        book: all status changes.
        as_of: transaction.
        stale: a claim it used is no longer the value of its slot (`is_stale`).
    """
    status = book.status(artefact_id, as_of)
    # what waits and has lost what it rests on is revoked: there is nothing left to decide about
    support = book.support(artefact_id, as_of)
    if status != "active" and not (status in _WAITING and support == "unsupported"):
        return State(status, (), _code(book, artefact_id, "action", as_of) or _code(book, artefact_id, "status", as_of))
    if support == "suspended":
        backers = () if justification is None else (justification,)
        return State(_waiting_word(backers, book, as_of))
    if support == "unsupported":
        code = _code(book, artefact_id, "action", as_of) or _code(book, artefact_id, "support", as_of)
        return State("revoked", (), code)
    return State("stale" if stale else "active")


def is_stale(used: Iterable[tuple[str, Answer]]) -> bool:
    """Return whether a text is out of date: one of the claims it used is no longer in the answer of its slot.

    Args:
        used: each claim it used, with what its slot holds now at the time the text speaks of.
    """
    return any(claim not in answer.claims for claim, answer in used)
