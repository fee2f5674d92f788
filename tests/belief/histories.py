"""The value of a slot against the replay oracle, on random histories.

    python -m tests.belief.histories --histories 10000 [--seed 0]

Every history is asked at every instant of a grid and every transaction, on both axes; then again with the order of
arrival permuted, after a revocation and after its reversal, and with only the past known (an answer once given may
not change later). Prints what was compared and how much differed, with the 95 % bound that zero in n means.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from tests.belief.generate import HORIZON, book_of, history, layers, lookup, predicate, views
from tests.belief.oracle import Event, History, Replay, Seen
from tkg.belief.book import LATEST, Book
from tkg.belief.validity import Answer, Layers
from tkg.model.view import SlotClaim

POINTS = tuple(range(-1, HORIZON + 2, 2))


def seen(answer: Answer) -> Seen:
    """Return an answer in the oracle's terms."""
    return Seen(
        answer.kind,
        frozenset(answer.values),
        frozenset(answer.previously),
        answer.certainty == "possible" and bool(answer.possible) and not _certain(answer),
    )


def _certain(answer: Answer) -> bool:
    return bool(answer.claims) and not set(answer.claims) <= set(answer.possible)


def asked(
    story: History, made: dict[str, SlotClaim], book: Book, slot: str, known: int, points: tuple[int, ...]
) -> list[Answer]:
    """Return what belief answers at several instants."""
    view = Layers(layers(made, slot), predicate(story, slot), book, known, lookup(story, made).get)
    return [view.at(point) for point in points]


def compare(story: History, counts: Counter[str], rng: random.Random) -> list[str]:
    """Ask one history everything and return the differences in words."""
    made = views(story)
    book = book_of(story, made)
    wrong: list[str] = []
    points = (*POINTS, *(p + 1 for p in rng.sample(POINTS, 3)))
    for known in range(1, story.last + 1):
        replay = Replay(story, known)
        for slot in ("s0", "s1"):
            for point, answer in zip(points, asked(story, made, book, slot, known, points), strict=True):
                counts["points"] += 1
                expected = replay.answer(slot, point, (0, 1))
                counts[expected.kind] += 1
                if seen(answer) != expected:
                    wrong.append(f"{slot} at {point} known {known}: belief {answer}, oracle {expected}")
    wrong += _immutable(story, made, book, counts, rng)
    wrong += _permuted(story, counts, rng)
    wrong += _restored(story, made, book, counts, rng)
    return wrong


def _immutable(
    story: History, made: dict[str, SlotClaim], book: Book, counts: Counter[str], rng: random.Random
) -> list[str]:
    """T2.2: what was answered when only the past was known is answered the same today."""
    known = rng.randrange(1, story.last + 1)
    past = {
        name: SlotClaim(view.claim, view.seq, tuple(b for b in view.backers if b.seq <= known))
        for name, view in made.items()
        if view.seq <= known
    }
    counts["immutable"] += len(POINTS)
    then = asked(story, past, book_of(story, made, known), "s0", LATEST, POINTS)
    now = asked(story, made, book, "s0", known, POINTS)
    return [f"answered {a} then, {b} now" for a, b in zip(then, now, strict=True) if a != b]


def _permuted(story: History, counts: Counter[str], rng: random.Random) -> list[str]:
    """T2.4: the same assertions in another order of arrival give the same values."""
    facts = [f for f in story.facts if not f.depends]
    kept = {f.name for f in facts}
    order = list(range(1, len(facts) + 1))
    answers = []
    for _ in range(2):
        rng.shuffle(order)
        moved = []
        for fact, seq in zip(facts, order, strict=True):
            says = [type(s)(s.origin, s.rank, s.observed, seq, s.evidence) for s in fact.says]
            moved.append(
                type(fact)(fact.name, fact.slot, fact.layer, fact.value, fact.negative, fact.bounds, seq, says)
            )
        statuses = {e.target: e.status for e in story.events if e.status != "erased"}
        end = len(facts) + 1
        events = [
            Event(end, t, s)
            for t, s in sorted(statuses.items())
            if t in kept or any(t == say.evidence for f in facts for say in f.says)
        ]
        other = History(moved, events, story.many)
        made = views(other)
        answers.append(
            [seen(a) for a in asked(other, made, book_of(other, made), "s0", LATEST, POINTS)] if moved else []
        )
    counts["permuted"] += len(answers[0])
    return [f"order of arrival matters: {a} or {b}" for a, b in zip(*answers, strict=True) if a != b]


def _restored(
    story: History, made: dict[str, SlotClaim], book: Book, counts: Counter[str], rng: random.Random
) -> list[str]:
    """T2.3: revoking and restoring gives back every answer."""
    erased = {e.target for e in story.events if e.status == "erased"}
    end = story.last
    targets = [
        t
        for f in story.facts
        for t in (f.name, *(s.evidence for s in f.says))
        if t not in erased and book.status(t) == "active"
    ]
    if not targets:
        return []
    chosen = rng.sample(targets, min(len(targets), rng.randrange(1, 3)))
    later = History(
        story.facts,
        [
            *story.events,
            *(Event(end + 1, t, "revoked") for t in chosen),
            *(Event(end + 2, t, "active") for t in chosen),
        ],
        story.many,
    )
    new_book = book_of(later, made)
    wrong = []
    for slot in ("s0", "s1"):
        before = asked(story, made, book, slot, end, POINTS)
        gone = asked(later, made, new_book, slot, end + 1, POINTS)
        after = asked(later, made, new_book, slot, end + 2, POINTS)
        replay = Replay(later, end + 1)
        counts["restored"] += len(POINTS)
        for point, a, b, c in zip(POINTS, before, gone, after, strict=True):
            if a != c:
                wrong.append(f"restoring {chosen} at {point}: {a} before, {c} after")
            if seen(b) != replay.answer(slot, point, (0, 1)):
                wrong.append(f"revoked {chosen} at {point}: belief {b}, oracle {replay.answer(slot, point, (0, 1))}")
    return wrong


def main() -> int:
    """Run and report; 1 when anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--histories", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    differences, start = 0, time.perf_counter()
    for number in range(options.histories):
        rng = random.Random(f"{options.seed}-{number}")
        wrong = compare(history(rng), counts, rng)
        differences += len(wrong)
        for line in wrong[:3] if differences <= 30 else ():
            print(f"history {options.seed}-{number}: {line}")
    kinds = ", ".join(f"{kind} {counts[kind]:,}" for kind in ("value", "values", "conflict", "suspended", "none"))
    checked = counts["points"] + counts["immutable"] + counts["permuted"] + counts["restored"]
    print(f"histories    {options.histories:,} in {time.perf_counter() - start:.0f} s")
    print(f"points       {counts['points']:,} on both axes ({kinds})")
    print(
        f"again        {counts['immutable']:,} answers of the past, {counts['permuted']:,} with another order of arrival, "
        f"{counts['restored']:,} after revoke and restore"
    )
    print(f"differences  {differences:,}")
    if not differences:
        print(f"bound        a share of more than {3 / checked:.1e} wrong points is excluded at 95 %")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
