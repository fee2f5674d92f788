"""Candidates for declarations, mined from what is stored. A suggestion is for a person; nothing here takes effect.

Each counts what would have to be true if the declaration held (support) and how often it was (semantics 3.1): subjects
for a cardinality, objects for an inverse-functional predicate, pairs for symmetry, inverse and order, values for a type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tkg.belief.normalise import UNREADABLE, normalise
from tkg.errors import TkgError
from tkg.model.claim import Claim
from tkg.model.edtf import Bounds, bounds_of
from tkg.model.predicate import Predicate

#: examples and counter-examples shown of each
_SHOWN: Final = 3
#: types that are told from the way a value is written
_TYPES: Final = ("date", "email", "url", "version", "quantity")


class Suggestion(NamedTuple):
    """A declaration that what is stored speaks for.

    `support` is how many cases there are, `holds` in how many of them it would hold; `examples` and `against` show a few.
    """

    predicate: str
    key: str
    value: str
    support: int
    holds: int
    examples: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def confidence(self) -> float:
        """The share of cases in which it holds."""
        return self.holds / self.support


class _Count:
    """Cases for and against one declaration."""

    def __init__(self) -> None:
        self.support = self.holds = 0
        self.examples: list[str] = []
        self.against: list[str] = []

    def add(self, holds: bool, shown: str) -> None:
        self.support += 1
        self.holds += holds
        kept = self.examples if holds else self.against
        if len(kept) < _SHOWN:
            kept.append(shown)

    def suggestion(self, predicate: str, key: str, value: str) -> Suggestion:
        examples, against = tuple(self.examples), tuple(self.against)
        return Suggestion(predicate, key, value, self.support, self.holds, examples, against)


def suggest(
    claims: Mapping[str, Sequence[Claim]], *, least_support: int = 5, least_confidence: float = 0.95
) -> list[Suggestion]:
    """Return what could be declared, by predicate and key.

    Args:
        claims: live positive claims by predicate.
        least_support: fewest cases that say something.
        least_confidence: least share of cases in which it holds, 0 to 1.
    """
    found: list[Suggestion] = []
    for name in sorted(claims):
        found += _alone(name, claims[name])
    found += _together(claims)
    return sorted(one for one in found if one.support >= least_support and one.holds >= least_confidence * one.support)


def _said(claim: Claim) -> str:
    return f"{claim.subject} · {claim.object}"


def _by(claims: Iterable[Claim], field: str) -> dict[str, list[Claim]]:
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(getattr(claim, field), []).append(claim)
    return groups


def most_at_once(claims: Sequence[Claim]) -> int:
    """Return the largest number of different values that stand at one time."""
    starts = sorted({claim.interval.from_lo for claim in claims})
    return max(
        (len({c.object_norm for c in claims if c.interval.from_lo <= at < c.interval.to_hi}) for at in starts),
        default=0,
    )


def _alone(name: str, claims: Sequence[Claim]) -> Iterator[Suggestion]:
    one, key, mirror = _Count(), _Count(), _Count()
    types = {kind: _Count() for kind in _TYPES}
    for group in _by(claims, "subject_id").values():
        shown = f"{group[0].subject}: {', '.join(sorted({c.object or '' for c in group})[:_SHOWN])}"
        one.add(most_at_once(group) <= 1, shown)
    pairs = {(c.subject_id, c.object_id) for c in claims}
    subjects = {c.subject_id for c in claims}
    for group in _by(claims, "object_id").values():
        holders = sorted({c.subject or "" for c in group})
        key.add(len({c.subject_id for c in group}) == 1, f"{group[0].object}: {', '.join(holders[:_SHOWN])}")
    for claim in claims:
        if claim.object_id in subjects:
            mirror.add((claim.object_id, claim.subject_id) in pairs, _said(claim))
        for kind, count in types.items():
            read = normalise(claim.object or "", Predicate(name=name, datatype=kind))
            count.add(read.type != UNREADABLE and not (kind == "quantity" and _bare(claim)), _said(claim))
    made = [("cardinality", '"one"', one), ("inverse_functional", "true", key), ("symmetric", "true", mirror)]
    # where few values are shared by chance, every object has one subject: only many values of many subjects tell
    if len(subjects) < 2:
        made.pop(1)
    for key_name, value, count in made:
        if count.support:
            yield count.suggestion(name, key_name, value)
    best = max(_TYPES, key=lambda kind: types[kind].holds)
    if types[best].holds:
        yield types[best].suggestion(name, "datatype", f'"{best}"')


def _bare(claim: Claim) -> bool:
    return claim.object_type == "number" or not any(char.isdigit() for char in claim.object or "")


def _when(claim: Claim) -> Bounds | None:
    try:
        return bounds_of((claim.object or "").strip())
    except TkgError:
        return None


def _together(claims: Mapping[str, Sequence[Claim]]) -> Iterator[Suggestion]:
    pairs = {name: {(c.subject_id, c.object_id) for c in some} for name, some in claims.items()}
    dates = {name: _dates(some) for name, some in claims.items()}
    for one in sorted(claims):
        for other in sorted(claims):
            if one == other:
                continue
            inverse = _Count()
            for claim in claims[one] if one < other else ():
                inverse.add((claim.object_id, claim.subject_id) in pairs[other], _said(claim))
            if inverse.holds:
                yield inverse.suggestion(one, "inverse_of", f'"{other}"')
            order = _Count()
            for subject in sorted(set(dates[one]) & set(dates[other])):
                (first, name), (second, _) = dates[one][subject], dates[other][subject]
                order.add(first.to_hi <= second.from_lo, f"{name}: {first.text} before {second.text}")
            if order.holds:
                yield order.suggestion(one, "order", f'["before {other}"]')


class _Day(NamedTuple):
    from_lo: int
    to_hi: int
    text: str


def _dates(claims: Sequence[Claim]) -> dict[str, tuple[_Day, str]]:
    """Return, for each subject with exactly one date under a predicate, that date."""
    found: dict[str, tuple[_Day, str]] = {}
    for subject, group in _by(claims, "subject_id").items():
        bounds = _when(group[0]) if len(group) == 1 else None
        if bounds is not None:
            day = _Day(bounds.from_lo, bounds.to_hi, group[0].object or "")
            found[subject] = (day, group[0].subject or "")
    return found


def as_toml(suggestions: Iterable[Suggestion]) -> str:
    """Return suggestions as tables for tkg.toml, each with its figures; a second one for a key is a comment."""
    lines: list[str] = []
    table, keys = "", set[str]()
    for one in sorted(suggestions):
        if one.predicate != table:
            table, keys = one.predicate, set()
            lines += ([""] if lines else []) + [f"[predicates.{_quoted(table)}]"]
        again = "# or: " if one.key in keys else ""
        keys.add(one.key)
        lines.append(f"{again}{one.key} = {one.value}  # holds in {one.holds} of {one.support}")
    return "\n".join(lines)


def _quoted(name: str) -> str:
    """Return a name as a TOML key."""
    if name.isascii() and name.replace("_", "").replace("-", "").isalnum():
        return name
    escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 32 or c in '"\\\x7f' else c for c in name)
    return f'"{escaped}"'
