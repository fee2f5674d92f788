"""Truth discovery: sources that contradict each other, and which value each method takes.

Beside tkg stand the last claim, the majority, and two published methods that estimate trust without gold: Sums (after
Kleinberg's hubs and authorities; Pasternack and Roth, 2010) and TruthFinder (Yin, Han and Yu, 2008, without its measure of
likeness between values), over everything that is said. tkg answers through the store, from the classes of the sources: all
of one class (then it gives a value only where all agree, and otherwise names the conflict, which counts as wrong), or the
three that TruthFinder trusts most in three classes above the rest. "tkg, one class, estimate" asks the same store what its
own estimate of the sources favours where it names a conflict (`Handle.audit_sources`), from the claims that went in alone,
which is what "TruthFinder, these items" has.
A value is right when it is the gold one, as a number at gold's precision; of authors, when the set of family names is.
"""

from __future__ import annotations

import csv
import gzip
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NamedTuple

import tkg
from benchmarks.proposing import TENANT, ratio, store

SETS: Final = ("weather", "book")
_ROUNDS: Final = 20
#: TruthFinder: trust before anything is known, and how far a fact's confidence is damped
_FIRST_TRUST: Final = 0.9
_DAMPING: Final = 0.3
_CLASSES: Final = ("human_verified", "human_stated", "trusted_tool")
_REST: Final = "agent_inferred"
_START: Final = datetime(2000, 1, 1, tzinfo=UTC)


class Said(NamedTuple):
    """One claim of a source about an item."""

    item: str
    source: str
    value: str
    at: datetime


class Task(NamedTuple):
    """What is asked: all that was said, the gold value of items, and how a value is compared."""

    said: Sequence[Said]
    gold: Mapping[str, str]
    right: Callable[[str, str], bool]


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def same_number(value: str, gold: str) -> bool:
    """Return whether a value is the gold one, as a number at gold's precision."""
    one, other = _number(value), _number(gold)
    if one is None or other is None:
        return value.strip().casefold() == gold.strip().casefold()
    return one.quantize(other) == other if abs(one) < 10**9 else False


def weather(folder: Path) -> Task:
    """Return the weather of an hour in a city, told by web sites."""
    with (folder / "weather_truth.csv").open(encoding="utf-8", newline="") as lines:
        gold = {f"{row['ObjectID']} {row['PropertyID']}": row["PropertyValue"] for row in csv.DictReader(lines)}
    with gzip.open(folder / "weather_claims_all.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        said = [one for row in csv.DictReader(lines) if (one := _reading(row)).item in gold]
    return Task(said, gold, same_number)


def _reading(row: Mapping[str, str]) -> Said:
    when = " ".join(row["TimeStamp"].split()[1:])
    at = (
        _START
        if when == "" or row["SourceID"] == "SourceID"
        else datetime.strptime(when + " +0000", "%b %d %H:%M:%S %Y %z")
    )
    return Said(f"{row['ObjectID']} {row['PropertyID']}", row["SourceID"], row["PropertyValue"].strip(), at)


_SEPARATOR: Final = re.compile(r"[;/|&]|\band\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_TITLES: Final = frozenset({"by", "dr", "jr", "ed", "editor", "editors", "phd", "et", "al", "series", "unknown"})


def family_names(text: str) -> frozenset[str]:
    """Return the family names in a list of authors: "Last, First; Last, First", "First Last, First Last", …"""
    text = text.casefold().replace("oandapos;", "o'").replace("&amp;", ";").replace("(", ";").replace(")", ";")
    found: set[str] = set()
    for part in _SEPARATOR.split(text):
        pieces = [[word for word in _WORD.findall(piece) if word not in _TITLES] for piece in part.split(",")]
        pieces = [piece for piece in pieces if piece]
        if len(pieces) >= 2 and all(len(piece) >= 2 for piece in pieces):
            found |= {piece[-1] for piece in pieces}  # full names between commas
        elif len(pieces) >= 2:
            found |= {piece[-1] for piece in pieces[::2]}  # family name, comma, first name
        elif pieces:
            found.add(pieces[0][-1])
    return frozenset(name.replace("'", "") for name in found)


def same_authors(value: str, gold: str) -> bool:
    """Return whether two lists of authors have the same family names."""
    return value == gold


def book(folder: Path) -> Task:
    """Return the authors of books, told by booksellers."""
    said = []
    with (folder / "book.txt").open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines):
            source, isbn, _, authors = line.rstrip("\n").split("\t")
            if names := family_names(authors):
                at = _START.replace(hour=number // 3600 % 24, minute=number // 60 % 60, second=number % 60)
                said.append(Said(isbn, source, ", ".join(sorted(names)), at))
    with (folder / "book_golden.txt").open(encoding="utf-8", errors="replace") as lines:
        rows = [line.strip().split("\t") for line in lines if line.strip()]
    return Task(said, {isbn: ", ".join(sorted(family_names(names))) for isbn, names in rows}, same_authors)


# -- methods without a store

Votes = Mapping[str, Mapping[str, str]]


def votes(said: Sequence[Said]) -> dict[str, dict[str, str]]:
    """Return each source's latest value of each item."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for one in sorted(said, key=lambda each: each.at):
        found[one.item][one.source] = one.value
    return found


def last(said: Sequence[Said]) -> dict[str, str]:
    """Return the value said last of each item."""
    return {one.item: one.value for one in sorted(said, key=lambda each: each.at)}


def majority(found: Votes) -> dict[str, str]:
    """Return the value that most sources give; of several the first in order."""
    return {item: min(counted, key=lambda value: (-counted[value], value)) for item, counted in _counts(found)}


def _counts(found: Votes) -> Iterator[tuple[str, Counter[str]]]:
    for item, values in found.items():
        yield item, Counter(values.values())


def _best(found: Votes, belief: Mapping[tuple[str, str], float]) -> dict[str, str]:
    return {
        item: max(sorted(set(values.values())), key=lambda value: belief[item, value]) for item, values in found.items()
    }


def _claims_of(found: Votes) -> dict[str, list[tuple[str, str]]]:
    made: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item, values in found.items():
        for source, value in values.items():
            made[source].append((item, value))
    return made


def sums(found: Votes) -> dict[str, str]:
    """Return the values that Sums believes: trust is the sum of beliefs, belief the sum of trusts, both scaled to 1."""
    claims = _claims_of(found)
    trust = dict.fromkeys(claims, 1.0)
    belief: dict[tuple[str, str], float] = {}
    for _ in range(_ROUNDS):
        belief = defaultdict(float)
        for source, made in claims.items():
            for claim in made:
                belief[claim] += trust[source]
        most = max(belief.values())
        belief = {claim: value / most for claim, value in belief.items()}
        trust = {source: sum(belief[claim] for claim in made) for source, made in claims.items()}
        most = max(trust.values())
        trust = {source: value / most for source, value in trust.items()}
    return _best(found, belief)


def truthfinder(found: Votes) -> tuple[dict[str, str], dict[str, float]]:
    """Return the values that TruthFinder believes, and its trust in each source."""
    claims = _claims_of(found)
    trust = dict.fromkeys(claims, _FIRST_TRUST)
    belief: dict[tuple[str, str], float] = {}
    for _ in range(_ROUNDS):
        score: dict[tuple[str, str], float] = defaultdict(float)
        for source, made in claims.items():
            weight = -math.log(max(1 - trust[source], 1e-9))
            for claim in made:
                score[claim] += weight
        belief = {claim: 1 / (1 + math.exp(-_DAMPING * value)) for claim, value in score.items()}
        trust = {source: sum(belief[claim] for claim in made) / len(made) for source, made in claims.items()}
    return _best(found, belief), trust


# -- tkg


def resolve(
    said: Sequence[Said], items: Sequence[str], engine: str, channels: Mapping[str, str]
) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Return what the store answers for each item (None where it names a conflict), and that with what it would favour.

    Args:
        said: all claims.
        items: which are asked; only what is said of them goes in.
        engine: of the graph.
        channels: class of each source; others are in the lowest.
    """
    wanted = set(items)
    with store(engine, {"value": {"cardinality": "one"}}) as memory:
        for one in sorted((one for one in said if one.item in wanted), key=lambda each: each.at):
            channel = channels.get(one.source, _REST)
            memory.scope(tenant=TENANT, channel=channel, principal=one.source).propose(
                subject=one.item,
                predicate="value",
                object=one.value or "none",
                valid_from="..",
                observed_at=one.at,
                evidence=tkg.Evidence(uri=f"site:{one.source}"),
            )
        handle = memory.scope(tenant=TENANT)
        answers = {item: handle.value(item, "value").value for item in items}
        favoured = {one.subject: one.value for one in handle.audit_sources("value").favoured}
        return answers, {item: favoured.get(item) if found is None else found for item, found in answers.items()}


def measure(*, data: str, name: str, engine: str, most: int) -> dict[str, Any]:
    """Compare the methods on one set; for `children.run`."""
    folder = Path(data) / "truth_discovery" / name
    return compare({"weather": weather, "book": book}[name](folder), engine, most)


def compare(task: Task, engine: str, most: int) -> dict[str, Any]:
    """Compare the methods on at most so many items, chosen once; trust is estimated on everything that is said."""
    found = votes(task.said)
    known = sorted(set(task.gold) & set(found))
    items = random.Random("truth").sample(known, min(most, len(known)))
    believed, trust = truthfinder(found)
    ranked = sorted(trust, key=lambda source: (-trust[source], source))
    equal, estimated = resolve(task.said, items, engine, dict.fromkeys(trust, "trusted_tool"))
    classes, _ = resolve(task.said, items, engine, dict(zip(ranked, _CLASSES, strict=False)))
    answers: dict[str, Mapping[str, str | None]] = {
        "last claim": last(task.said),
        "majority": majority(found),
        "Sums": sums(found),
        "TruthFinder": believed,
        "TruthFinder, these items": truthfinder({item: found[item] for item in items})[0],
        "tkg, one class": equal,
        "tkg, classes by trust": classes,
        "tkg, one class, estimate": estimated,
    }
    right = {name: sum(_right(task, item, made[item]) for item in items) for name, made in answers.items()}
    answered = {name: sum(made[item] is not None for item in items) for name, made in answers.items()}
    ceiling = sum(any(task.right(value, task.gold[item]) for value in found[item].values()) for item in items)
    return {
        "n": len(items),
        "claims": len(task.said),
        "sources": len(trust),
        "right": right,
        "answered": answered,
        "ceiling": ratio(ceiling, len(items)),
    }


def _right(task: Task, item: str, value: str | None) -> bool:
    return value is not None and task.right(value, task.gold[item])
