"""Contradictions that reach across slots: patterns C4, C6, C7 and C8 (semantics 3.3).

The caller finds the claims (by object, or by subject and predicate); here it is decided whether they clash. None of
them ever supersedes or merges anything: they are conflicts for a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from tkg.belief.assessed import Clash
from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Comparison, Same, compare_claims
from tkg.belief.normalise import UNREADABLE, normalise
from tkg.belief.order import standing
from tkg.errors import InvalidTime
from tkg.model.claim import Claim, Polarity
from tkg.model.edtf import Bounds, bounds_of
from tkg.model.predicate import OrderRule, Predicate
from tkg.model.time import Certainty, Instant, Interval
from tkg.model.view import SlotClaim
from tkg.text import match_form

#: ends an entry of `excludes` that only means one object, as in "dislikes same object"
_SAME_OBJECT: Final = " same object"


def _live(view: SlotClaim, book: Book, as_of: int) -> bool:
    found = standing(view, book, as_of)
    return found is not None and found.live and view.claim.polarity is Polarity.POSITIVE


def _clash(a: Claim, b: Claim, pattern: str, certainty: Literal["definite", "possible"] | None = None) -> Clash | None:
    overlap = a.interval.overlap(b.interval)
    if certainty is None:
        if overlap is Certainty.NONE:
            return None
        certainty = "definite" if overlap is Certainty.DEFINITE else "possible"
    left, right = sorted((a, b), key=lambda claim: claim.id)
    start = max(a.interval.from_lo, b.interval.from_lo)
    end = min(a.interval.to_hi, b.interval.to_hi)
    if start >= end:
        # an order may be broken by claims that share no time: the whole stretch is in question
        start = min(a.interval.from_lo, b.interval.from_lo)
        end = max(a.interval.to_hi, b.interval.to_hi)
    return Clash(left.id, right.id, start, end, pattern, certainty, f"pattern-{pattern}")


def shared_key(
    new: SlotClaim,
    holders: Sequence[SlotClaim],
    predicate: Predicate,
    book: Book,
    as_of: int = LATEST,
    *,
    same: Same | None = None,
) -> list[Clash]:
    """C4: two subjects with one value of an inverse-functional predicate (two people, one passport number).

    Args:
        new: the claim written.
        holders: claims of the same predicate with the same object, whatever their subject.
        predicate: the declaration.
        book: all status changes.
        as_of: transaction.
        same: which entities are one; two names of one entity do not clash.
    """
    if not predicate.inverse_functional or new.claim.polarity is Polarity.NEGATIVE:
        return []
    found = []
    for old in holders:
        a, b = new.claim, old.claim
        if a.subject_id == b.subject_id or not _live(old, book, as_of):
            continue
        if same is not None and same.same(a.subject_id, b.subject_id):
            continue
        if compare_claims(a, b, predicate, same) is Comparison.EQUAL:
            found.append(_clash(a, b, "C4"))
    return sorted(each for each in found if each is not None)


def excluded(
    new: SlotClaim, others: Sequence[SlotClaim], predicate: Predicate, book: Book, as_of: int = LATEST
) -> list[Clash]:
    """C6: another predicate of the same subject that cannot hold at the same time.

    An entry of `excludes` is a predicate's name; "dislikes same object" excludes only with the same object.

    Args:
        new: the claim written.
        others: claims of the same subject under the excluded predicates (and under predicates that exclude this one).
        predicate: the declaration of the new claim's predicate.
        book: all status changes.
        as_of: transaction.
    """
    rules = {match_form(entry.removesuffix(_SAME_OBJECT)): entry.endswith(_SAME_OBJECT) for entry in predicate.excludes}
    found = []
    for old in others:
        same_object = rules.get(match_form(old.claim.predicate or ""))
        if same_object is None or not _live(old, book, as_of) or new.claim.polarity is Polarity.NEGATIVE:
            continue
        if not same_object or old.claim.object_id == new.claim.object_id:
            found.append(_clash(new.claim, old.claim, "C6"))
    return sorted(each for each in found if each is not None)


def _when(claim: Claim) -> Bounds | Interval:
    """Return the time a claim speaks of: its object where that is a date, else its validity."""
    if claim.object_type == "date" and claim.object_norm is not None:
        try:
            return bounds_of(claim.object_norm)
        except InvalidTime:
            pass
    return claim.interval


def _before(a: Bounds | Interval, b: Bounds | Interval) -> bool | None:
    """Return whether `a` starts before `b` starts; None where the bounds leave it open.

    Two dates that denote the same granule may lie either way round.
    """
    if isinstance(a, Bounds) and isinstance(b, Bounds):
        if a.to_hi <= b.from_lo:
            return True
        return False if a.from_lo >= b.to_hi else None
    if a.from_hi < b.from_lo:
        return True
    return False if a.from_lo > b.from_hi else None


def _during(a: Bounds | Interval, b: Bounds | Interval) -> bool | None:
    if a.from_lo >= b.from_hi and a.to_hi <= b.to_lo:
        return True
    return False if a.from_hi < b.from_lo or a.to_lo > b.to_hi else None


def _kept(rule: OrderRule, mine: Bounds | Interval, theirs: Bounds | Interval) -> bool | None:
    """Return whether two claims keep an order; None where the bounds leave it open."""
    if rule.word == "during":
        return _during(mine, theirs)
    if not rule.ends and not rule.later:
        return _before(mine, theirs) if rule.word == "before" else _before(theirs, mine)
    first, last = _moment(mine, ends=rule.ends)
    other_first, other_last = (bound + rule.later for bound in _moment(theirs, ends=False))
    if rule.word == "before":
        return True if last <= other_first else False if first > other_last else None
    return True if first >= other_last else False if last < other_first else None


def _moment(time: Bounds | Interval, *, ends: bool) -> tuple[Instant, Instant]:
    """Return between which instants a start or an end lies; a date lies anywhere in its granule."""
    if isinstance(time, Bounds):
        return time.from_lo, time.to_hi
    return (time.to_lo, time.to_hi) if ends else (time.from_lo, time.from_hi)


def out_of_order(
    new: SlotClaim, others: Sequence[SlotClaim], predicate: Predicate, book: Book, as_of: int = LATEST
) -> list[Clash]:
    """C7: an order rule such as "after started_at", "before ended_at" or "during employed_by" is broken.

    Definite where it certainly is, possible where the bounds leave it open.

    Args:
        new: the claim written.
        others: claims of the same subject under the predicates that the rules name.
        predicate: the declaration of the new claim's predicate.
        book: all status changes.
        as_of: transaction.
    """
    found = []
    for rule in predicate.order_rules:
        for old in others:
            if match_form(old.claim.predicate or "") != match_form(rule.name) or not _live(old, book, as_of):
                continue
            kept = _kept(rule, _when(new.claim), _when(old.claim))
            if kept is not True:
                found.append(_clash(new.claim, old.claim, "C7", "definite" if kept is False else "possible"))
    return sorted(each for each in found if each is not None)


def ill_typed(raw: str, predicate: Predicate) -> str | None:
    """C8: return a sentence when the declared datatype cannot read an object, else None."""
    found = normalise(raw, predicate)
    if found.type != UNREADABLE:
        return None
    kind = (
        "one of the listed values"
        if predicate.values and predicate.datatype in ("auto", "enum")
        else predicate.datatype
    )
    return f"the object of {predicate.name!r} must be {kind}"
