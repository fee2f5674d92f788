"""What a new claim does to its slot: the edges to record and what the gate should do (semantics 2.4 and 3.4).

`assess` compares with *all* rivals, also unsupported and superseded ones, so that every pair has its own edge before
a third claim between them is taken back. The outcome looks only at rivals that stand somewhere in the new claim's time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from tkg.belief.assessed import Assessed, Clash, Cut, Finer, Outcome, Withdrawal
from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Comparison, Same, compare_claims
from tkg.belief.label import second_factor
from tkg.belief.order import Order, Point, assertions_of, standing
from tkg.belief.table import Effect, Judgement, classify, covers, denies_own
from tkg.model.claim import Polarity
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.model.view import SlotClaim

_INFERRED = Channel.AGENT_INFERRED.rank

#: the most telling effect of several names the row of the whole
_WEIGHT = {
    Effect.WITHDRAW: 9,
    Effect.CLOSE: 8,
    Effect.CONFLICT: 7,
    Effect.YIELD: 6,
    Effect.SUPERSEDE: 5,
    Effect.POSSIBLE: 4,
    Effect.REFINE: 3,
    Effect.GENERALISE: 2,
    Effect.CORROBORATE: 1,
    Effect.SUCCESSION: 0,
    Effect.COEXIST: -1,
}


class _Slot:
    """The other claims of the slot, and where in the new claim's time each of them stands."""

    def __init__(
        self,
        new: SlotClaim,
        others: Sequence[SlotClaim],
        predicate: Predicate,
        book: Book,
        as_of: int,
        same: Same | None,
    ) -> None:
        self.order = Order(others, predicate, book, as_of, same)
        self.index = {each.claim.id: place for place, each in enumerate(self.order.standings)}
        self._start, self._end = new.claim.interval.may
        self._points: dict[Instant, Point] = {}

    def at(self, instant: Instant) -> Point:
        if instant not in self._points:
            self._points[instant] = self.order.at(instant)
        return self._points[instant]

    def stands(self, claim_id: str) -> bool:
        """Return whether a live rival is uncut somewhere in the new claim's time."""
        place = self.index.get(claim_id)
        if place is None or not self.order.standings[place].live:
            return False
        interval = self.order.standings[place].claim.interval
        start, end = max(self._start, interval.from_lo), min(self._end, interval.to_hi)
        probes = [start, *self.order.edges_in(start + 1, end)] if start < end else []
        points = (self.at(probe) for probe in probes)
        return any(place in point.maximal or place in point.possible for point in points)

    def backed_at(self, claim_id: str, instant: Instant) -> bool:
        """Return whether some origin still says so at an instant (a higher rank may cut it all the same)."""
        place = self.index.get(claim_id)
        if place is None or not self.order.standings[place].live:
            return False
        point = self.at(instant)
        if place not in point.cut:
            return place in point.maximal
        cutter, own = self.order.standings[point.cut[place]], self.order.standings[place]
        return not {a.key for a in own.assertions} & {a.key for a in cutter.assertions}


def _target(
    new: SlotClaim, others: Iterable[SlotClaim], slot: _Slot, predicate: Predicate, same: Same | None
) -> SlotClaim | None:
    """Return the standing claim that `new` only repeats.

    The same time said again reinforces. So does an undated repetition where an origin still backs the claim. Another
    period is a claim of its own, as is a repetition of what its origins have left behind in the meantime. Claims with
    other conditions (`depends_on`) say something else.
    """
    interval, found = new.claim.interval, list[SlotClaim]()
    for old in others:
        claim = old.claim
        if claim.id not in slot.index or not slot.order.standings[slot.index[claim.id]].live:
            continue
        if claim.polarity is not new.claim.polarity or set(claim.depends_on) != set(new.claim.depends_on):
            continue
        if compare_claims(new.claim, claim, predicate, same) is not Comparison.EQUAL:
            continue
        if claim.interval.bounds == interval.bounds:
            return old
        if interval.undated and claim.interval.holds(interval.from_lo) and slot.backed_at(claim.id, interval.from_lo):
            found.append(old)
    return min(found, key=lambda old: (old.seq, old.claim.id), default=None)


def _edges(subject: str, judgements: Iterable[Judgement]) -> tuple[list[Cut], list[Clash], list[Finer]]:
    cuts, clashes, finer = list[Cut](), list[Clash](), list[Finer]()
    for found in judgements:
        if found.effect in (Effect.SUPERSEDE, Effect.CLOSE, Effect.WITHDRAW) and found.portion:
            cuts.append(Cut(subject, found.rival, *found.portion, found.row))
        elif found.effect is Effect.YIELD and found.portion:
            cuts.append(Cut(found.rival, subject, *found.portion, found.row))
        elif found.effect in (Effect.CONFLICT, Effect.POSSIBLE) and found.portion:
            certainty: Literal["definite", "possible"] = "definite" if found.effect is Effect.CONFLICT else "possible"
            left, right = sorted((subject, found.rival))
            clashes.append(Clash(left, right, *found.portion, found.pattern, certainty, found.row))
        elif found.effect is Effect.REFINE:
            finer.append(Finer(subject, found.rival))
        elif found.effect is Effect.GENERALISE:
            finer.append(Finer(found.rival, subject))
    return cuts, clashes, finer


def _withdrawals(
    new: SlotClaim,
    others: Sequence[SlotClaim],
    judgements: Iterable[Judgement],
    predicate: Predicate,
    book: Book,
    as_of: int,
) -> list[Withdrawal]:
    """Return what an origin takes back of its own by denying it for its whole time.

    Where other origins say so too, only its own word goes; the row of the table is then theirs.
    """
    if new.claim.polarity is Polarity.POSITIVE:
        return []
    found: list[Withdrawal] = []
    denied = {each.rival for each in judgements if each.pattern == "C2" and each.effect is not Effect.POSSIBLE}
    for old in others:
        place = standing(old, book, as_of)
        if old.claim.id not in denied or place is None or not place.live or not covers(new.claim, old.claim):
            continue
        own = set(denies_own(new, old, predicate, book, as_of))
        gone = [b for b in old.backers if b.seq <= as_of and own.issuperset(assertions_of(b))]
        if not gone:
            continue
        evidence = {e for b in gone if b.justification.kind == "evidence" for e in b.justification.requires}
        found.append(
            Withdrawal(
                old.claim.id,
                tuple(sorted(b.justification.id for b in gone)),
                tuple(sorted(evidence)),
                own.issuperset(place.assertions),
            )
        )
    return found


def assess(
    new: SlotClaim,
    others: Sequence[SlotClaim],
    predicate: Predicate,
    book: Book,
    *,
    as_of: int = LATEST,
    label: Channel | None = None,
    same: Same | None = None,
) -> Assessed:
    """Lay a claim beside all claims of its slot.

    Args:
        new: the claim as it would be written; also a claim in the store that was released or restored.
        others: every claim of the slot in any state; the claim itself may be among them.
        predicate: the declaration.
        book: all status changes.
        as_of: transaction up to which statuses and backers count.
        label: the lowest class that `new` was exposed to; by default the class of its backers. For the second factor.
        same: which entities are one.
    """
    rivals = [old for old in others if old.claim.id != new.claim.id]
    slot = _Slot(new, rivals, predicate, book, as_of, same)
    in_store = len(rivals) < len(others)
    target = None if in_store else _target(new, rivals, slot, predicate, same)
    high = predicate.consequence == "high" or new.claim.consequence == "high"
    if target is not None:
        found = _reinforcement(new, target, rivals, slot, predicate, book, as_of, same, label, high)
        if found is not None:
            return found
    judgements = [classify(new, old, predicate, book, as_of, same) for old in rivals]
    return _outcome(new, rivals, slot, judgements, predicate, book, as_of, label, high)


def _reinforcement(
    new: SlotClaim,
    target: SlotClaim,
    rivals: Sequence[SlotClaim],
    slot: _Slot,
    predicate: Predicate,
    book: Book,
    as_of: int,
    same: Same | None,
    label: Channel | None,
    high: bool,
) -> Assessed | None:
    """Return how the repeated claim stands with the new backer, or None where that needs a second factor first."""
    merged = SlotClaim(target.claim, target.seq, (*target.backers, *new.backers))
    rest = [old for old in rivals if old.claim.id != target.claim.id]
    before = {old.claim.id: classify(target, old, predicate, book, as_of, same) for old in rest}
    after = [classify(merged, old, predicate, book, as_of, same) for old in rest]
    changed = [each for each in after if each.effect is not before[each.rival].effect]
    wins = [each for each in changed if each.effect is Effect.SUPERSEDE and slot.stands(each.rival)]
    if high and wins and not second_factor(merged.backers, label):
        return None
    cuts, clashes, finer = _edges(target.claim.id, changed)
    reason = "It says again what a standing claim says; its evidence is added."
    if wins:
        reason = "It says again what a standing claim says, and with it that claim prevails."
    return Assessed(
        "reinforce",
        "row-1",
        reason,
        target.claim.id,
        tuple(cuts),
        tuple(clashes),
        tuple(finer),
        tuple(_withdrawals(merged, rest, changed, predicate, book, as_of)),
        tuple(each.rival for each in changed if each.effect is Effect.CLOSE),
        tuple(after),
    )


def _outcome(
    new: SlotClaim,
    rivals: Sequence[SlotClaim],
    slot: _Slot,
    judgements: list[Judgement],
    predicate: Predicate,
    book: Book,
    as_of: int,
    label: Channel | None,
    high: bool,
) -> Assessed:
    cuts, clashes, finer = _edges(new.claim.id, judgements)
    withdraws = _withdrawals(new, rivals, judgements, predicate, book, as_of)
    relevant = [
        each
        for each in judgements
        if each.effect in (Effect.CORROBORATE, Effect.COEXIST, Effect.SUCCESSION) or slot.stands(each.rival)
    ]
    closes = tuple(each.rival for each in relevant if each.effect is Effect.CLOSE)
    main = max(relevant, key=lambda each: _WEIGHT[each.effect], default=None)
    outcome: Outcome = "accept"
    row, reason = ("row-0", "Nothing else is known about it.") if main is None else (main.row, main.reason)
    if withdraws or closes:
        outcome = "withdraw" if withdraws else "close"
    yields = [each for each in relevant if each.effect is Effect.YIELD and each.row == "row-10"]
    top = max((assertion.rank for backer in new.backers for assertion in assertions_of(backer)), default=(False, -1))
    if yields and top <= (False, _INFERRED):
        outcome, row, reason = "quarantine", "row-10", "It contradicts a claim of higher authority."
    wins = [each for each in relevant if each.effect is Effect.SUPERSEDE]
    if high and wins and not second_factor(new.backers, label):
        outcome, row = "hold", "row-13"
        reason = "It would replace a value of high consequence; a second factor or a person must confirm it."
    return Assessed(
        outcome,
        row,
        reason,
        None,
        tuple(cuts),
        tuple(clashes),
        tuple(finer),
        tuple(withdraws),
        closes,
        tuple(judgements),
    )


__all__ = ["Assessed", "Clash", "Cut", "Finer", "Outcome", "Withdrawal", "assess"]
