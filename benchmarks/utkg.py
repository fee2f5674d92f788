"""UTKG: facts of Wikidata with intervals, among which wrong ones were injected by changing the interval only.

What is declared is what the set publishes as constraints, as far as they are meant without exception: one birth and one
death; born before dying, within 150 years; playing from 16 to under 50 years of age and not after death; a statement about
one spouse, employer or club of a coach has one extent at a time. A month or year denotes its granule, and a start or an end
given as one lies somewhere in it, so two statements that merely share it do not contradict. Wikidata writes a year as its
January. A birth or death is a date, wherever its interval lies. Of a date before the year 1 the set keeps the year alone.

A statement of Wikidata may have several starts and several ends, of which the set made every pair: in some the end lies
before the start. No interval does; such a line is read as the two stretches it has ends of, until then and again from then.
How many there are is printed, and what the false flags would be if every one of them counted as one.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.proposing import Entered, certain, enter, examples, f1, ratio, store
from tkg.model.time import parse_when

LEVELS: Final = (0, 1, 10, 25, 50, 75, 100)
DECLARED: Final[Mapping[str, Mapping[str, Any]]] = {
    "P569": {"cardinality": "one", "datatype": "date"},
    "P570": {"cardinality": "one", "datatype": "date", "order": ["after P569", "before P569 + 150y"]},
    "P54": {"order": ["after P569 + 16y", "ends before P569 + 50y", "ends before P570"]},
    "P26": {"order": ["after P569", "ends before P570"]},
    "P108": {"order": ["after P569", "ends before P570"]},
    "P286": {"order": ["after P569", "ends before P570"]},
    "extent": {"cardinality": "one"},
}
#: births and deaths, and statements that have one extent at a time
_DATES: Final = ("P569", "P570")
_ONE_EXTENT: Final = ("P26", "P108", "P286")
_LINE: Final = re.compile(r'pinstConf\("(.*?)", "(.*?)", "(.*?)", "(-?\d+)", "(-?\d+)", "(true|false)", ([0-9.]+)\)')
#: confidence from which a class of the ladder may be taken
_LADDER: Final = (0.95, 0.8, 0.7, 0.5)


class Fact(NamedTuple):
    """One line: a statement, from and to as YYYYMM, the gold label and the weight."""

    subject: str
    predicate: str
    object: str
    start: str
    end: str
    true: bool
    weight: float


def read(path: Path) -> list[Fact]:
    """Return the facts of one slice; lines that only say that a thing is itself are left out."""
    with path.open(encoding="utf-8") as lines:
        found = (_LINE.match(line.strip()) for line in lines)
        return [Fact(*match.groups()[:5], true=match[6] == "true", weight=float(match[7])) for match in found if match]


def granule(month: str) -> str:
    """Return YYYYMM as EDTF: a year where the month is none or January, which is how years are written there.

    Before the year 1 only the first six characters are kept, and with them no month: "-00681" is the year -0068.
    """
    if month.startswith("-"):
        return month[:5]
    year, number = month[:4], int(month[4:])
    return f"{year}-{number:02}" if 2 <= number <= 12 else year


def _within(date: str) -> str:
    """Return a date as some day of its granule."""
    return f"{date}-XX" if "-" in date else f"{date}-XX-XX"


def crossed(fact: Fact) -> bool:
    """Return whether a fact is said to end before it begins."""
    return parse_when(granule(fact.end)).end <= parse_when(granule(fact.start)).start


def claims(fact: Fact) -> Iterator[dict[str, Any]]:
    """Yield what a fact says as claims."""
    start, end = granule(fact.start), granule(fact.end)
    if fact.predicate in _DATES:
        yield {"subject": fact.subject, "predicate": fact.predicate, "object": start, "valid_from": ".."}
        return
    if crossed(fact):
        said = {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
        yield {**said, "valid_from": "", "valid_to": _within(end)}
        yield {**said, "valid_from": _within(start), "valid_to": ""}
        return
    when = {"valid_from": _within(start), "valid_to": _within(end)}
    yield {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object, **when}
    if fact.predicate in _ONE_EXTENT:
        # what starts and ends in one granule is said to hold in it, and no longer
        when = {"valid_from": start, "valid_to": end} if start == end else when
        statement = f"{fact.subject} {fact.predicate} {fact.object}"
        yield {"subject": statement, "predicate": "extent", "object": f"from {start} to {end}", **when}


def measure(*, data: str, level: int, engine: str, most: int) -> dict[str, Any]:
    """Enter one slice and count what is flagged; for `children.run`."""
    facts = read(Path(data) / f"utkg_wikidata/rockit_wikidata_{level}_5k.csv")
    return judge(facts[:most], engine)


def judge(facts: Sequence[Fact], engine: str) -> dict[str, Any]:
    """Enter facts and count what is flagged, and which side of a contradiction is dropped."""
    entered = Entered()
    with store(engine, DECLARED) as memory:
        # births and deaths first: every other fact is then compared with few
        for number in sorted(range(len(facts)), key=lambda place: facts[place].predicate not in _DATES):
            enter(memory, entered, number, claims(facts[number]), f"wikidata:{facts[number].subject}")
        found = certain(memory)
        pairs = entered.pairs(found)
    true = {number for number, fact in enumerate(facts) if fact.true}
    false = set(range(len(facts))) - true
    said = {facts[number][:5] for number in true}
    repeated = {number for number in false if facts[number][:5] in said}
    flagged = {number for pair in pairs for number in pair}
    reversed_ = {number for number, fact in enumerate(facts) if crossed(fact)}
    return {
        "n": len(facts),
        "true": len(true),
        "false": len(false),
        "repeated": len(repeated),
        "flagged_true": len(flagged & true),
        "wronged_true": len((flagged | set(entered.refused)) & true),
        "crossed_true": len(reversed_ & true),
        "strict_true": len((flagged | reversed_ | set(entered.refused)) & true),
        "flagged_false": len(flagged & false),
        "flagged_distinct": len((flagged & false) - repeated),
        "refused_true": len(set(entered.refused) & true),
        "refused_false": len(set(entered.refused) & false),
        "sides": {name: f1(drop, false) for name, drop in sides(facts, pairs).items()},
        "naive": naive(facts),
        "kinds": examples(_kinds(facts, entered, found, true)),
        "missed": examples(_missed(facts, (false - flagged) - repeated)),
    }


def _shown(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object} {fact.start}–{fact.end}"


def _kinds(
    facts: Sequence[Fact], entered: Entered, found: Mapping[tuple[str, str], str], true: set[int]
) -> dict[str, list[str]]:
    """Return true facts that are flagged or refused, by kind."""
    kinds: dict[str, list[str]] = defaultdict(list)
    seen: set[int] = set()
    for (left, right), pattern in found.items():
        for a, b in sorted(entered.pairs([(left, right)])):
            if not {a, b} <= true:
                continue
            between = " and ".join(sorted({facts[a].predicate, facts[b].predicate}))
            what = "two extents or dates at one time" if pattern == "C1" else "order or age"
            for number in {a, b} - seen:
                kinds[f"{what}: {between}"].append(f"{_shown(facts[a])} | {_shown(facts[b])}")
                seen.add(number)
    for number, why in entered.refused.items():
        if number in true:
            kinds[f"refused: {why}"].append(_shown(facts[number]))
    return kinds


def _missed(facts: Sequence[Fact], numbers: set[int]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for number in sorted(numbers):
        kinds[f"injected {facts[number].predicate}, not flagged"].append(_shown(facts[number]))
    return kinds


def rung(weight: float) -> int:
    """Return the class of the ladder that a weight (log odds) is enough for, 4 the highest."""
    confidence = 1 / (1 + math.exp(-min(weight, 50.0)))
    return next((4 - place for place, least in enumerate(_LADDER) if confidence >= least), 0)


def sides(facts: Sequence[Fact], pairs: set[tuple[int, int]]) -> dict[str, set[int]]:
    """Return what is dropped: the side of the lower class of the ladder (equal classes stay), or of the lower weight."""
    by_class: set[int] = set()
    by_weight: set[int] = set()
    for a, b in pairs:
        if (one := rung(facts[a].weight)) != (other := rung(facts[b].weight)):
            by_class.add(a if one < other else b)
        if facts[a].weight != facts[b].weight:
            by_weight.add(a if facts[a].weight < facts[b].weight else b)
    return {"class": by_class, "weight": by_weight}


def naive(facts: Sequence[Fact]) -> dict[str, Any]:
    """Count what comparing the texts flags: the same constraints, months as numbers, shared ones overlapping."""
    by: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, fact in enumerate(facts):
        by[fact.subject][fact.predicate].append(number)
    pairs: set[tuple[int, int]] = set()
    for slots in by.values():
        for predicate in (*_DATES, *_ONE_EXTENT):
            numbers = slots[predicate]
            pairs |= {
                (a, b)
                for place, a in enumerate(numbers)
                for b in numbers[place + 1 :]
                if _naive_pair(facts[a], facts[b])
            }
        for birth in slots["P569"]:
            born = int(facts[birth].start)
            late = {n for n in slots["P570"] if not born < int(facts[n].start) < born + 15000}
            late |= {n for n in slots["P54"] if int(facts[n].start) <= born + 1600 or int(facts[n].end) >= born + 5000}
            late |= {n for predicate in _ONE_EXTENT for n in slots[predicate] if int(facts[n].start) <= born}
            pairs |= {(birth, n) for n in late}
        for death in slots["P570"]:
            died = int(facts[death].start)
            pairs |= {(death, n) for name in ("P54", *_ONE_EXTENT) for n in slots[name] if int(facts[n].end) >= died}
    pairs = {(min(pair), max(pair)) for pair in pairs}
    flagged = {number for pair in pairs for number in pair}
    flagged |= {number for number, fact in enumerate(facts) if fact.start > fact.end}
    false = {number for number, fact in enumerate(facts) if not fact.true}
    dropped = sides(facts, pairs)["weight"]
    return {
        "recall": ratio(len(flagged & false), len(false)),
        "false_rate": ratio(len(flagged - false), len(facts) - len(false)),
        "side": f1(dropped, false),
    }


def _naive_pair(a: Fact, b: Fact) -> bool:
    if a.predicate in _DATES:
        return a[2:5] != b[2:5]
    # another spouse, employer or club at one time, or the same with other dates
    return (a.object != b.object or a[3:5] != b[3:5]) and a.start <= b.end and b.start <= a.end
