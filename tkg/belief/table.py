"""The decision table of contradiction (semantics 3.4): one row for a claim laid beside a rival of its slot.

Roles come from rank, never from arrival: classifying (a, b) and (b, a) names the same winner. Rivals whose support is
gone are judged by what once backed them, because it may come back.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal, NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Comparison, Same, compare_claims
from tkg.belief.multirange import Range
from tkg.belief.order import Assertion, Rank, assertions_of, contradictory, exclusive, newer, standing
from tkg.model.claim import Claim, Polarity
from tkg.model.instant import duration
from tkg.model.predicate import Predicate
from tkg.model.time import Certainty
from tkg.model.view import SlotClaim


class Effect(StrEnum):
    """What a row asks for."""

    CORROBORATE = "corroborate"
    REFINE = "refine"
    GENERALISE = "generalise"
    COEXIST = "coexist"
    SUCCESSION = "succession"
    #: the new claim takes time of the rival
    SUPERSEDE = "supersede"
    #: the rival takes time of the new claim
    YIELD = "yield"
    CONFLICT = "conflict"
    POSSIBLE = "possible"
    #: the origin denies its own claim, for a part of its time or for all of it
    CLOSE = "close"
    WITHDRAW = "withdraw"


class Judgement(NamedTuple):
    """One row of the table for a new claim and one rival."""

    rival: str
    row: str
    effect: Effect
    reason: str
    #: the time taken or disputed
    portion: Range | None = None
    pattern: Literal["C1", "C2", "C3"] = "C1"


class Contest(NamedTuple):
    """Who prevails of two contradicting claims: "new", "old", or None for a tie, and by what."""

    winner: Literal["new", "old"] | None
    by: Literal["origin", "record", "class", "tie"]


def said(view: SlotClaim, book: Book, as_of: int = LATEST) -> tuple[Assertion, ...]:
    """Return what counts for a claim, or, where nothing does now, everything that ever backed it."""
    found = standing(view, book, as_of)
    if found is not None:
        return found.assertions
    return tuple(a for backer in view.backers if backer.seq <= as_of for a in assertions_of(backer))


def _left(own: Iterable[Assertion], other: Iterable[Assertion], epsilon: int) -> Rank | None:
    """Return the highest rank of `own` that `other` does not follow."""
    theirs = list(other)
    kept = [
        mine.rank for mine in own if not any(later.key == mine.key and newer(later, mine, epsilon) for later in theirs)
    ]
    return max(kept, default=None)


def contest(new: Iterable[Assertion], old: Iterable[Assertion], epsilon: int = 0) -> Contest:
    """Decide between two contradicting claims from what backs them."""
    mine, theirs = list(new), list(old)
    left, against = _left(mine, theirs, epsilon), _left(theirs, mine, epsilon)
    if left is None or against is None:
        if left is None and against is None:
            return Contest(None, "tie")
        return Contest("old" if left is None else "new", "origin")
    if left == against:
        return Contest(None, "tie")
    return Contest("new" if left > against else "old", "record" if left[0] != against[0] else "class")


def denies_own(
    new: SlotClaim, old: SlotClaim, predicate: Predicate, book: Book, as_of: int = LATEST
) -> list[Assertion]:
    """Return what `old` was asserted by that an origin behind `new` said earlier and with no higher authority."""
    later, epsilon = said(new, book, as_of), duration(predicate.epsilon)
    return [
        mine
        for mine in said(old, book, as_of)
        if any(each.origin == mine.origin and each.rank >= mine.rank and newer(each, mine, epsilon) for each in later)
    ]


def denied_since(new: SlotClaim, old: SlotClaim) -> bool:
    """Return whether `new` denies `old` and an origin that once backed `old` said so later; what was withdrawn counts too."""
    if new.claim.polarity is not Polarity.NEGATIVE or old.claim.polarity is not Polarity.POSITIVE:
        return False
    if new.claim.object_id != old.claim.object_id:
        return False
    return any(
        set(later.justification.origins) & set(earlier.justification.origins)
        and later.justification.observed_at > earlier.justification.observed_at
        for later in new.backers
        for earlier in old.backers
    )


def covers(new: Claim, old: Claim) -> bool:
    """Return whether one claim certainly covers all the time that another may."""
    return new.interval.from_hi <= old.interval.from_lo and new.interval.to_lo >= old.interval.to_hi


def _portion(winner: Claim, loser: Claim) -> Range | None:
    """Return the time the winner certainly takes of what the loser may cover."""
    start = max(winner.interval.from_hi, loser.interval.from_lo)
    end = min(winner.interval.to_lo, loser.interval.to_hi)
    return (start, end) if start < end else None


def _shared(a: Claim, b: Claim) -> Range:
    return max(a.interval.from_lo, b.interval.from_lo), min(a.interval.to_hi, b.interval.to_hi)


def classify(
    new: SlotClaim, old: SlotClaim, predicate: Predicate, book: Book, as_of: int = LATEST, same: Same | None = None
) -> Judgement:
    """Return the row of the decision table for `new` beside `old`, whichever arrived first.

    Args:
        new: the claim being judged; it need not be in the store.
        old: another claim of the same slot, in any state.
        predicate: the declaration of their predicate.
        book: all status changes.
        as_of: transaction up to which statuses and backers count.
        same: which entities are one.
    """
    relation = compare_claims(new.claim, old.claim, predicate, same)
    overlap = new.claim.interval.overlap(old.claim.interval)
    if contradictory(new.claim, old.claim, predicate, lambda: relation):
        return _opposed(new, old, predicate, book, as_of, overlap)
    rival = old.claim.id
    if new.claim.polarity is not old.claim.polarity:
        return Judgement(rival, "row-4", Effect.COEXIST, "One denies what the other does not say.")
    if relation is Comparison.EQUAL:
        return Judgement(rival, "row-1", Effect.CORROBORATE, "Both say the same.")
    if predicate.limit != 1 or new.claim.polarity is Polarity.NEGATIVE:
        return Judgement(rival, "row-4", Effect.COEXIST, "The predicate takes several values.")
    if overlap is Certainty.NONE:
        return Judgement(rival, "row-5", Effect.SUCCESSION, "They hold at different times.")
    if relation is Comparison.UNKNOWN:
        reason = "Nobody can say whether the two values agree; nothing is decided."
        return Judgement(rival, "row-12", Effect.POSSIBLE, reason, _shared(new.claim, old.claim))
    finer, coarser = (new, old) if relation is Comparison.REFINES else (old, new)
    if _top(finer, book, as_of) < _top(coarser, book, as_of):
        return Judgement(rival, "row-4", Effect.COEXIST, "The finer value has the lower authority; both stand.")
    if finer is new:
        return Judgement(rival, "row-2", Effect.REFINE, "It says the same more precisely.")
    return Judgement(rival, "row-3", Effect.GENERALISE, "It says the same less precisely.")


def _top(view: SlotClaim, book: Book, as_of: int) -> Rank:
    return max((assertion.rank for assertion in said(view, book, as_of)), default=(False, -1))


def _opposed(
    new: SlotClaim, old: SlotClaim, predicate: Predicate, book: Book, as_of: int, overlap: Certainty
) -> Judgement:
    rival = old.claim.id
    if overlap is Certainty.NONE:
        return Judgement(rival, "row-5", Effect.SUCCESSION, "They hold at different times.")
    opposite = new.claim.polarity is not old.claim.polarity
    pattern: Literal["C1", "C2", "C3"] = "C2" if opposite else "C1"
    if not opposite and predicate.limit != 1 and exclusive(new.claim, old.claim, predicate):
        pattern = "C3"
    if overlap is Certainty.POSSIBLE:
        reason = "Whether they hold at the same time is not known; nothing is decided."
        return Judgement(rival, "row-12", Effect.POSSIBLE, reason, _shared(new.claim, old.claim), pattern)
    if new.claim.polarity is Polarity.NEGATIVE:
        own = denies_own(new, old, predicate, book, as_of)
        if own and set(own) == set(said(old, book, as_of)):
            return _withdrawal(new.claim, old.claim)
    return _ranked(new, old, predicate, book, as_of, pattern)


def _withdrawal(new: Claim, old: Claim) -> Judgement:
    portion = _portion(new, old)
    if covers(new, old):
        reason = "Its own origin denies it for its whole time: it is withdrawn."
        return Judgement(old.id, "row-11", Effect.WITHDRAW, reason, portion, "C2")
    reason = "Its own origin denies it from a later date: it ends there."
    return Judgement(old.id, "row-11", Effect.CLOSE, reason, portion, "C2")


def _ranked(
    new: SlotClaim, old: SlotClaim, predicate: Predicate, book: Book, as_of: int, pattern: Literal["C1", "C2", "C3"]
) -> Judgement:
    rival, epsilon = old.claim.id, duration(predicate.epsilon)
    mine, theirs = said(new, book, as_of), said(old, book, as_of)
    winner, by = contest(mine, theirs, epsilon)
    if winner is None:
        both_record = max((a.rank for a in mine), default=(False, -1))[0]
        row = "row-15" if both_record else "row-9"
        who = "Two systems of record" if both_record else "Two origins of equal class"
        reason = f"{who} disagree; a person decides."
        return Judgement(rival, row, Effect.CONFLICT, reason, _shared(new.claim, old.claim), pattern)
    if winner == "old":
        row = "row-8" if by == "origin" else "row-10"
        reason = (
            "Its own origin has said something newer."
            if by == "origin"
            else "It contradicts a claim of higher authority and yields to it."
        )
        return Judgement(rival, row, Effect.YIELD, reason, _portion(old.claim, new.claim), pattern)
    row = {"origin": "row-8", "record": "row-6", "class": "row-7"}[by]
    reason = {
        "origin": "The same origin has changed or corrected what it said.",
        "record": "It comes from the declared system of record.",
        "class": "It comes from a higher class.",
    }[by]
    return Judgement(rival, row, Effect.SUPERSEDE, reason, _portion(new.claim, old.claim), pattern)
