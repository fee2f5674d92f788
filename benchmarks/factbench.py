"""FactBench: correct facts of ten relations, and wrong ones made from them by changing subject, object or date.

Every correct fact goes into the store, then every wrong one. A wrong fact is found when a claim of it contradicts a claim of
a correct fact for certain; a correct fact that contradicts another correct one is a false alarm. What happens once in a
life (birth, death, a founding, a publication) holds at any time and has a date of its own; what lasts holds from its first
to its last year, each meant as some day in it (a day that is both an end and a start belongs to what starts), and has a date
on which it began and one on which it ended. A fact that only says what the correct one says (the wrong property, which the
set does not name) cannot be found; that a method holds something against the correct one too does not count as finding it.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.proposing import Entered, certain, enter, examples, store

_ONCE: Final = {"birth": "born in", "death": "died in", "foundationPlace": "founded in"}
_LASTING: Final = {"leader": "leads", "nbateam": "plays for", "spouse": "married to"}
_HELD_BY_ONE: Final = ("leader", "spouse", "subsidiary")
DECLARED: Final[Mapping[str, Mapping[str, Any]]] = {
    **{name: {"cardinality": "one"} for name in _ONCE.values()},
    "leads": {"cardinality": "one", "inverse_functional": True},
    "plays for": {"cardinality": "one"},
    "married to": {"cardinality": "one", "inverse_functional": True},
    "acquired": {"inverse_functional": True},
    "wrote": {"inverse_functional": True},
    "awarded": {"cardinality": "one"},
    "date": {"cardinality": "one", "datatype": "date"},
}


class Fact(NamedTuple):
    """One line: relation, how it was made, the fact it was made from, names, first and last date as EDTF."""

    relation: str
    kind: str
    origin: str
    subject: str
    object: str
    start: str
    end: str

    @property
    def correct(self) -> bool:
        """Whether nothing was changed."""
        return self.kind == "correct"


def read(path: Path) -> list[Fact]:
    """Return the facts of a file; an entity that the set gives no name for goes by its address."""
    with path.open(encoding="utf-8") as lines:
        return [_fact(json.loads(line)) for line in lines]


def _fact(row: Mapping[str, str]) -> Fact:
    return Fact(
        row["relation"],
        row["kind"],
        row["id"],
        row["s_label"] or row["s"],
        row["o_label"] or row["o"],
        row["frm"],
        row["to"] or row["frm"],
    )


def _within(date: str) -> str:
    """Return a date as some day of its granule."""
    return date + "-XX" * (2 - date.count("-"))


def _until(date: str) -> str:
    """Return an end as some day of its granule; a last day is the successor's first and counts as theirs."""
    return f"{date}T00:00:00Z" if date.count("-") == 2 else _within(date)


def claims(fact: Fact) -> Iterator[dict[str, Any]]:
    """Yield what a fact says as claims."""
    about, always = {"subject": fact.subject, "object": fact.object}, {"valid_from": ".."}
    if fact.relation in _ONCE:
        yield {**about, "predicate": _ONCE[fact.relation], **always}
        yield _dated(f"{fact.subject} {_ONCE[fact.relation]}", fact)
        return
    if fact.relation == "publicationDate":
        yield {**about, "predicate": "wrote", **always}
        yield _dated(f"{fact.object} published", fact)
        return
    if fact.relation == "subsidiary":
        yield {**about, "predicate": "acquired", **always}
        yield _dated(f"{fact.object} acquired", fact)
        return
    if fact.relation == "starring":
        yield {**about, "predicate": "stars", **always}
        yield _dated(f"{fact.subject} released", fact)
        return
    if fact.relation == "award":
        yield {**about, "predicate": "awarded", "valid_from": fact.start, "valid_to": fact.end}
        yield _dated(f"{fact.subject} awarded {fact.object}", fact)
        return
    predicate = _LASTING[fact.relation]
    same = fact.start == fact.end
    span = (fact.start, fact.end) if same else (_within(fact.start), _until(fact.end))
    yield {**about, "predicate": predicate, "valid_from": span[0], "valid_to": span[1]}
    yield _dated(f"{fact.subject} {predicate} {fact.object} from", fact)
    yield {**_dated(f"{fact.subject} {predicate} {fact.object} until", fact), "object": fact.end}


def _dated(what: str, fact: Fact) -> dict[str, Any]:
    return {"subject": what, "predicate": "date", "object": fact.start, "valid_from": ".."}


def measure(*, data: str, engine: str) -> dict[str, Any]:
    """Enter the facts and count what is found, by kind; for `children.run`."""
    files = sorted((Path(data) / "factbench").glob("factbench_*.jsonl"))
    return judge([fact for file in files for fact in read(file)], engine)


def judge(facts: Sequence[Fact], engine: str) -> dict[str, Any]:
    """Enter the facts, correct ones first, and count what is found, by kind."""
    entered = Entered()
    order = sorted(range(len(facts)), key=lambda place: not facts[place].correct)
    correct = {number for number, fact in enumerate(facts) if fact.correct}
    with store(engine, DECLARED) as memory:
        for number in order:
            enter(memory, entered, number, claims(facts[number]), f"factbench:{facts[number].origin}")
        found = certain(memory)
    flagged: set[int] = set()
    alarms: dict[str, list[str]] = defaultdict(list)
    for left, right in found:
        ours, theirs = entered.facts.get(left, set()), entered.facts.get(right, set())
        for one, other in ((ours, theirs), (theirs, ours)):
            known = other & correct
            if not known:
                continue
            if not one & correct:  # what a correct fact says too is not held against a wrong one
                flagged |= one
                continue
            for number in (one & correct) - flagged:
                flagged.add(number)
                alarms[facts[number].relation].append(f"{_shown(facts[number])} | {_shown(facts[min(known)])}")
    asked = Counter(fact.kind for fact in facts)
    return {
        "n": len(facts),
        "refused": Counter(entered.refused.values()).most_common(5),
        "kinds": {kind: [sum(facts[n].kind == kind for n in flagged), n] for kind, n in sorted(asked.items())},
        "relations": _relations(facts, flagged),
        "alarms": examples(alarms),
        "naive": naive(facts),
    }


def _relations(facts: Sequence[Fact], flagged: Iterable[int]) -> dict[str, int]:
    return dict(Counter(f"{facts[n].relation} {facts[n].kind}" for n in flagged))


def _shown(fact: Fact) -> str:
    return f"{fact.subject} – {fact.relation} – {fact.object} {fact.start}–{fact.end}"


def naive(facts: Sequence[Fact]) -> dict[str, list[int]]:
    """Count what comparing texts and years finds: one object per subject and time, one holder, one date."""
    correct = [fact for fact in facts if fact.correct]
    by_subject: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    by_object: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in correct:
        by_subject[fact.relation, fact.subject].append(fact)
        by_object[fact.relation, fact.object].append(fact)

    def meets(a: Fact, b: Fact) -> bool:
        return a.start[:4] <= b.end[:4] and b.start[:4] <= a.end[:4]

    def clashes(fact: Fact) -> bool:
        for other in by_subject[fact.relation, fact.subject]:
            ends = fact.start[:4] != other.start[:4] or fact.end[:4] != other.end[:4]
            if fact.object == other.object and ends:
                return True
            single = fact.relation in _ONCE or (fact.relation in _LASTING and meets(fact, other))
            if single and fact.object != other.object:
                return True
        held = by_object[fact.relation, fact.object] if fact.relation in _HELD_BY_ONE else ()
        return any(meets(fact, other) and fact.subject != other.subject for other in held)

    def said(fact: Fact) -> tuple[str, ...]:
        return fact.relation, fact.subject, fact.object, fact.start[:4], fact.end[:4]

    known = {said(fact) for fact in correct}
    found: dict[str, list[int]] = {}
    for fact in facts:
        count = found.setdefault(fact.kind, [0, 0])
        count[0] += clashes(fact) and (fact.correct or said(fact) not in known)
        count[1] += 1
    return found
