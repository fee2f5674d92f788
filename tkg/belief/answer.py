"""From the maximal claims of a slot to its answer: scope shadowing, refinement, equal values as one, suspension last.

Definitions: design "Settled" 2, 4, 6 and 9; semantics 1.4 and 3.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from tkg.belief.compare import Comparison, Same, compare_claims
from tkg.belief.order import Rank, Standing, contradictory
from tkg.model.claim import Claim, Polarity
from tkg.model.predicate import Predicate

Kind = Literal["value", "values", "conflict", "none", "suspended"]


@dataclass(frozen=True)
class Answer:
    """What a slot holds at one point.

    `values` are objects as they were written, `claims` the claims that say so (several for one value count as one),
    in the order written. `certainty` is "possible" where the bounds or the comparison leave it open. `previously`
    holds the values that wait when `kind` is suspended; `suspended`, `contested` and `possible` are ids of claims.
    """

    kind: Kind
    values: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    certainty: Literal["definite", "possible"] = "definite"
    previously: tuple[str, ...] = ()
    suspended: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()

    @property
    def value(self) -> str | None:
        """The one value, or None."""
        return self.values[0] if self.kind == "value" else None


NOTHING = Answer("none")


class Candidate(NamedTuple):
    """A maximal claim of one layer (0 is the narrowest scope)."""

    standing: Standing
    rank: Rank
    layer: int

    @property
    def claim(self) -> Claim:
        """The claim itself."""
        return self.standing.claim


def _collide(a: Candidate, b: Candidate, predicate: Predicate, same: Same | None) -> bool:
    def relation() -> Comparison:
        return compare_claims(a.claim, b.claim, predicate, same)

    if contradictory(a.claim, b.claim, predicate, relation):
        return True
    both = a.claim.polarity is b.claim.polarity is Polarity.POSITIVE
    return both and predicate.limit == 1 and relation() is Comparison.UNKNOWN


_Sides = dict[Polarity, list[Candidate]]


def _facing(pool: list[Candidate], predicate: Predicate) -> _Sides:
    """Return, for claims of each polarity, those that could be their rivals."""
    if predicate.limit == 1 or predicate.exclusive:
        return dict.fromkeys(Polarity, pool)
    positive = [each for each in pool if each.claim.polarity is Polarity.POSITIVE]
    negative = [each for each in pool if each.claim.polarity is Polarity.NEGATIVE]
    return {Polarity.POSITIVE: negative, Polarity.NEGATIVE: positive}


def _against(one: Candidate, sides: _Sides, predicate: Predicate, same: Same | None) -> Iterator[Candidate]:
    """Yield the claims that cannot hold beside one, or of which nobody can say whether they can."""
    for other in sides[one.claim.polarity]:
        if other is not one and _collide(one, other, predicate, same):
            yield other


def _shadowed(pool: list[Candidate], predicate: Predicate, same: Same | None) -> list[Candidate]:
    """Drop what another scope hides: the narrower unless the wider one has the higher rank (design "Settled" 4)."""
    if len({each.layer for each in pool}) < 2:
        return pool

    sides = _facing(pool, predicate)

    def hidden(one: Candidate) -> bool:
        return any(
            other.rank >= one.rank if other.layer < one.layer else other.rank > one.rank
            for other in _against(one, sides, predicate, same)
            if other.layer != one.layer
        )

    return [one for one in pool if not hidden(one)]


def _finest(pool: list[Candidate], predicate: Predicate, same: Same | None) -> list[Candidate]:
    """Keep of two values that agree the finer, unless only a lower rank knows it."""
    if predicate.limit is None:
        return pool

    def outdone(one: Candidate, other: Candidate) -> bool:
        relation = compare_claims(other.claim, one.claim, predicate, same)
        if relation is Comparison.REFINES:
            return other.rank >= one.rank
        return relation is Comparison.GENERALISES and other.rank > one.rank

    return [one for one in pool if not any(outdone(one, other) for other in pool if other is not one)]


#: types whose values are equal only when their norms are, so that they can be looked up instead of compared
_EXACT: Final = frozenset({"text", "enum", "boolean", "url", "email", "version"})


def _groups(pool: list[Candidate], predicate: Predicate, same: Same | None) -> list[list[Candidate]]:
    """Group claims of equal values, in the order written."""
    groups: list[list[Candidate]] = []
    known: dict[object, list[Candidate]] = {}
    others: list[list[Candidate]] = []
    for each in pool:
        claim = each.claim
        exact = claim.object_type in _EXACT and claim.object_norm is not None
        keys: tuple[object, ...] = (
            (claim.object_id, (claim.object_type, claim.object_norm)) if exact else (claim.object_id,)
        )
        group = next((known[key] for key in keys if key in known), None)
        if group is None and not exact:
            like = (g for g in others if compare_claims(g[0].claim, claim, predicate, same) is Comparison.EQUAL)
            group = next(like, None)
        if group is None:
            group = []
            groups.append(group)
            if not exact:
                others.append(group)
        group.append(each)
        for key in keys:
            known.setdefault(key, group)
    return groups


def _shown(groups: list[list[Candidate]]) -> tuple[str, ...]:
    return tuple(group[0].claim.object or "" for group in groups)


def _ids(groups: list[list[Candidate]]) -> tuple[str, ...]:
    return tuple(each.claim.id for group in groups for each in group)


def resolve(pool: list[Candidate], predicate: Predicate, same: Same | None, suspended: set[str]) -> Answer:
    """Turn maximal claims of all layers into an answer."""
    pool = _shadowed(pool, predicate, same)
    positive = [each for each in pool if each.claim.polarity is Polarity.POSITIVE]
    positive.sort(key=lambda each: (each.layer, each.standing.seq, each.claim.id))
    sides = _facing(pool, predicate)
    disputes = [(one, other) for one in positive for other in _against(one, sides, predicate, same)]
    contested = {each.claim.id for pair in disputes for each in pair}
    denied = {one.claim.id for one, other in disputes if other.claim.polarity is Polarity.NEGATIVE}
    waiting = _finest([each for each in positive if each.claim.id in suspended], predicate, same)
    groups = _groups(_finest([e for e in positive if e.claim.id not in suspended], predicate, same), predicate, same)
    waits = tuple(sorted(each.claim.id for each in waiting))
    if not groups:
        if not waiting:
            return NOTHING
        before = _groups(waiting, predicate, same)
        return Answer("suspended", (), _ids(before), previously=_shown(before), suspended=waits)
    values, claims = _shown(groups), _ids(groups)
    in_dispute = tuple(sorted(contested - suspended))
    limit = predicate.limit
    open_question = all(group[0].claim.id in denied for group in groups)
    if (limit is not None and len(groups) > limit) or open_question or (limit is None and _clash(groups, predicate)):
        unclear = limit == 1 and not _definite(groups, predicate, same) and not open_question
        disputed = tuple(sorted({*in_dispute, *claims}))
        return Answer(
            "conflict", values, claims, "possible" if unclear else "definite", suspended=waits, contested=disputed
        )
    kind: Kind = "value" if len(groups) == 1 else "values"
    return Answer(kind, values, claims, suspended=waits, contested=in_dispute)


def _clash(groups: list[list[Candidate]], predicate: Predicate) -> bool:
    """Return whether every value of a multi-valued predicate excludes another one."""
    return (
        bool(predicate.exclusive)
        and len(groups) > 1
        and all(
            any(_collide(one[0], other[0], predicate, None) for other in groups if other is not one) for one in groups
        )
    )


def _definite(groups: list[list[Candidate]], predicate: Predicate, same: Same | None) -> bool:
    return any(
        compare_claims(one[0].claim, other[0].claim, predicate, same) is Comparison.DIFFERENT
        for place, one in enumerate(groups)
        for other in groups[place + 1 :]
    )
