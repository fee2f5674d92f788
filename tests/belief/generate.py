"""Random histories, and the same histories as belief sees them."""

from __future__ import annotations

import random
from collections.abc import Iterable

from tests.belief.build import backer, book, change
from tests.belief.oracle import TREE, Event, Fact, History, Say
from tkg.belief.book import Book
from tkg.belief.cascade import plan
from tkg.belief.normalise import normalise
from tkg.belief.validity import Slot
from tkg.model.claim import Claim, Polarity
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import FOREVER, Interval
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer, SlotClaim

VALUES = ("a", "a1", "a2", "b", "c")
_CHANNELS = (
    (Channel.SYSTEM_OF_RECORD, True),
    (Channel.HUMAN_VERIFIED, False),
    (Channel.HUMAN_STATED, False),
    (Channel.HUMAN_STATED, False),
    (Channel.HUMAN_STATED, False),
    (Channel.HUMAN_STATED, False),
    (Channel.AGENT_INFERRED, False),
)
HORIZON = 24


def _bounds(rng: random.Random) -> tuple[int, int, int, int]:
    start = min(rng.randrange(HORIZON - 2), rng.randrange(HORIZON - 2))
    end = FOREVER if rng.random() < 0.6 else rng.randrange(start + 1, HORIZON)
    if rng.random() < 0.8:
        return start, start, end, end
    late = min(start + rng.randrange(4), HORIZON)
    early = end if end == FOREVER else max(end - rng.randrange(4), 0)
    return start, late, early, end


def history(rng: random.Random, size: int | None = None) -> History:
    """Return a random history of claims, repetitions, and changes of status.

    Observation times of one origin never tie (T2.4 leaves ties out) and are independent of the order of arrival.
    """
    many = frozenset(slot for slot in ("s0", "s1") if rng.random() < 0.25)
    count = size or rng.randrange(2, 9)
    times = rng.sample(range(1000), 3 * count)
    facts: list[Fact] = []
    events: list[Event] = []
    seq = 0
    for _ in range(count + rng.randrange(count + 3)):
        seq += 1
        if len(facts) > 1 and rng.random() < 0.4:
            _happen(rng, facts, events, seq, times)
            continue
        _assert(rng, facts, seq, times)
    return History(facts, events, many)


def _assert(rng: random.Random, facts: list[Fact], seq: int, times: list[int]) -> None:
    if not times:
        return
    slot = "s0" if rng.random() < 0.8 else "s1"
    name = f"c{len(facts)}"
    origin, (channel, record) = rng.choice("xyz"), rng.choice(_CHANNELS)
    observed, evidence = times.pop(), f"e{seq}"
    depends: tuple[str, ...] = ()
    if facts and rng.random() < 0.15:
        depends = (rng.choice(facts).name,)
    facts.append(
        Fact(
            name,
            slot,
            rng.choice((0, 1, 1, 1, 1)),
            rng.choice(VALUES),
            rng.random() < 0.15,
            _bounds(rng),
            seq,
            [Say(origin, (record, channel.rank), observed, seq, evidence)],
            depends,
        )
    )


def _happen(rng: random.Random, facts: list[Fact], events: list[Event], seq: int, times: list[int]) -> None:
    fact = rng.choice(facts)
    kind = rng.random()
    if kind < 0.3 and times:
        origin, (channel, record) = rng.choice("xyz"), rng.choice(_CHANNELS)
        fact.says.append(Say(origin, (record, channel.rank), times.pop(), seq, f"e{seq}"))
        return
    erased = {e.target for e in events if e.status == "erased"}
    evidence = rng.choice(fact.says).evidence
    if kind < 0.4 and fact.name not in erased:
        events += [Event(seq, target, "erased") for target in (fact.name, *(s.evidence for s in fact.says))]
        return
    target = evidence if rng.random() < 0.7 else fact.name
    if target not in erased:
        events.append(Event(seq, target, rng.choice(("revoked", "quarantined", "active", "active", "held"))))


def predicate(history_: History, slot: str) -> Predicate:
    """Return the declaration of a slot's predicate."""
    return Predicate(name=slot, cardinality="many" if slot in history_.many else "one", refines=TREE)


_CHANNEL = {channel.rank: channel for channel in Channel}


def views(history_: History) -> dict[str, SlotClaim]:
    """Return the claims of a history."""
    made: dict[str, SlotClaim] = {}
    for fact in history_.facts:
        declared = predicate(history_, fact.slot)
        norm = normalise(fact.value, declared)
        from_lo, from_hi, to_lo, to_hi = fact.bounds
        claim = Claim(
            id=fact.name,
            scope="t/u" if fact.layer == 0 else "t",
            slot_id=f"{fact.slot}-{fact.layer}",
            subject_id="subject",
            object_id=f"ent-{fact.value}",
            object_type=norm.type,
            polarity=Polarity.NEGATIVE if fact.negative else Polarity.POSITIVE,
            interval=Interval(from_lo=from_lo, from_hi=from_hi, to_lo=to_lo, to_hi=to_hi),
            depends_on=fact.depends,
            subject="subject",
            predicate=fact.slot,
            object=fact.value,
            object_norm=norm.norm,
        )
        backers = [
            backer(
                fact.name,
                say.seq,
                origin=say.origin,
                channel=_CHANNEL[say.rank[1]],
                record=say.rank[0],
                observed=say.observed,
                requires=(say.evidence,),
                name=f"j-{say.evidence}",
            )
            for say in sorted(fact.says, key=lambda s: s.seq)
        ]
        made[fact.name] = SlotClaim(claim, fact.seq, tuple(backers))
    return made


def layers(made: dict[str, SlotClaim], slot: str) -> list[list[SlotClaim]]:
    """Return the claims of a slot by scope, the narrowest first."""
    return [[v for v in made.values() if v.claim.slot_id == f"{slot}-{layer}"] for layer in (0, 1)]


def lookup(history_: History, made: dict[str, SlotClaim]) -> dict[str, Slot]:
    """Return the slot of every claim."""
    by_slot: dict[str, list[SlotClaim]] = {}
    for view in made.values():
        by_slot.setdefault(view.claim.slot_id, []).append(view)
    return {
        name: Slot(by_slot[view.claim.slot_id], predicate(history_, view.claim.predicate or ""))
        for name, view in made.items()
    }


def book_of(history_: History, made: dict[str, SlotClaim], upto: int | None = None) -> Book:
    """Return the book as the store would have written it: every change with the marks its cascade found.

    A claim written on what does not stand gets its mark when it is written.
    """
    found = book()
    limit = history_.last if upto is None else upto
    depends = {view.claim.id: view.claim.depends_on for view in made.values() if view.claim.depends_on}
    backers = [b for view in made.values() for b in view.backers]
    for seq in range(1, limit + 1):
        changes = {e.target: e.status for e in history_.events if e.seq == seq}
        fresh = [b for b in backers if b.seq == seq]
        if changes or fresh:
            _step(found, backers, fresh, changes, depends, seq)
    return found


def _step(
    found: Book,
    backers: Iterable[Backer],
    fresh: list[Backer],
    changes: dict[str, str],
    depends: dict[str, tuple[str, ...]],
    seq: int,
) -> None:
    made = plan(backers, found, changes, added=fresh, depends=depends, as_of=seq - 1)
    notes: list[tuple[StatusChange, int]] = [change(target, status, seq) for target, status in changes.items()]
    notes += [change(node, mark.value, seq, "support") for node, mark in made.marks]
    for note, at in notes:
        found.note(note, at)
