"""Order and share: reciprocal rank fusion, weights by kind, a quota by origin, a hard cap. Pure functions.

`score = fused × strength × weight`, where `fused` is reciprocal rank fusion over the lists a candidate was found in
(Cormack, Clarke and Büttcher 2009, constant 60), scaled so that first place in one list is 1; `strength` is how well
the words fit beside the best match; `weight` is the confidence of the source's class, for an episode times its recency
(facts do not fade). Whether something is true was decided before: no score here brings back what a filter took out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tkg.model.policy import ReadPolicy
from tkg.model.time import Instant

#: the constant of reciprocal rank fusion
RRF_CONSTANT: Final = 60
_DAY: Final = 86_400_000_000
#: scores are compared at this grain, so that equal inputs order equally on every platform
_DIGITS: Final = 9


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate that passed the filters, with what its place depends on.

    `places` are its ranks (1 for first) in the lists it was found in; `strength` is 1 for the best match of words, more for a named slot; `weight` is in (0, 1]. `origins`
    are the roots it counts as in the quota.
    """

    id: str
    places: tuple[int, ...]
    strength: float
    weight: float
    origins: frozenset[str]
    #: a turn of talk or a passage: most of them say nothing of what is asked, and a faint match of one fills no place
    passing: bool = False


def fuse(lists: Sequence[Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Return each id's ranks (from 1) over all lists."""
    places: dict[str, list[int]] = {}
    for found in lists:
        for rank, identifier in enumerate(found, start=1):
            places.setdefault(identifier, []).append(rank)
    return {identifier: tuple(ranks) for identifier, ranks in places.items()}


def score(candidate: Ranked) -> float:
    """Return the candidate's score; 1.0 is a perfect single-list match of full weight."""
    fused = sum((RRF_CONSTANT + 1) / (RRF_CONSTANT + place) for place in candidate.places)
    return round(fused * candidate.strength * candidate.weight, _DIGITS)


def recency(observed_at: Instant, now: Instant, policy: ReadPolicy) -> float:
    """Return an episode's weight: halved every half-life, never under the floor, 1 for the future."""
    age = max(0, now - observed_at) / _DAY
    decayed: float = 2.0 ** (-age / max(policy.episode_half_life_days, 1))
    return max(policy.episode_floor, decayed)


def strengths(scores: Mapping[str, float]) -> dict[str, float]:
    """Return how well each text match fits beside the best one: the share of its score."""
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return {identifier: 1.0 for identifier in scores}
    return {identifier: max(value / best, 0.01) for identifier, value in scores.items()}


def order(candidates: Iterable[Ranked]) -> list[tuple[Ranked, float]]:
    """Return candidates, best first; ties go to the smaller id."""
    scored = [(candidate, score(candidate)) for candidate in candidates]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0].id))


def put_before(ordered: Sequence[tuple[Ranked, float]], pairs: Iterable[tuple[str, str]]) -> list[tuple[Ranked, float]]:
    """Return the candidates with the later of each pair before the earlier: corrections win by status, not by score.

    The later one takes the score of the one whose place it takes, so that the list stays ordered by score.

    Args:
        ordered: candidates with their scores, best first.
        pairs: (earlier, later), the pairs of older laters first.
    """
    found = list(ordered)
    place = {one.id: at for at, (one, _) in enumerate(found)}
    for earlier, later in pairs:
        if earlier not in place or later not in place or place[later] <= place[earlier]:
            continue
        at, (one, _) = place[earlier], found.pop(place[later])
        found.insert(at, (one, found[at][1]))
        place = {each.id: number for number, (each, _) in enumerate(found)}
    return found


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen, best first, and what was left out with its reason."""

    chosen: tuple[tuple[Ranked, float], ...]
    left_out: tuple[tuple[str, str], ...]


def select(
    ordered: Sequence[tuple[Ranked, float]],
    *,
    k: int,
    policy: ReadPolicy,
    alike: Callable[[str, str], float] = lambda one, other: 0.0,
) -> Selection:
    """Choose at most `k`: floor first, then at most a share of the places for each origin, then the cap.

    Each place goes to the best that is left after a penalty for saying what is already chosen (maximal marginal
    relevance, Carbonell and Goldstein 1998): a candidate loses up to `1 - policy.diversity` of its score.

    The quota (`ReadPolicy.origin_quota`, a half, rounded up) applies when something of another origin could take the
    place: it bounds what one origin can show, however well its texts are made to match.

    Args:
        ordered: candidates with their scores, best first.
        k: most places.
        policy: floor, quota, diversity.
        alike: how far two ids say the same, from 0 to 1.
    """
    least = max((value for _, value in ordered), default=0.0) * policy.least_share
    fits = [pair[1] > 0 and pair[1] >= max(policy.floor, least if pair[0].passing else 0.0) for pair in ordered]
    left = [pair for pair, good in zip(ordered, fits, strict=True) if good]
    left_out = [(pair[0].id, "floor") for pair, good in zip(ordered, fits, strict=True) if not good]
    shared = frozenset.intersection(*(pair[0].origins for pair in left)) if left else frozenset()
    most = max(1, -int(-k * policy.origin_quota // 1))
    taken: dict[str, int] = {}
    chosen: list[tuple[Ranked, float]] = []
    likeness: dict[str, tuple[int, float]] = {}
    while left and len(chosen) < k:
        place = _next(left, 1.0 - policy.diversity, lambda one: _compare(one, chosen, likeness, alike))
        one, value = left.pop(place)
        counted = one.origins - shared
        if any(taken.get(origin, 0) >= most for origin in counted):
            left_out.append((one.id, "quota"))
            continue
        chosen.append((one, value))
        for origin in counted:
            taken[origin] = taken.get(origin, 0) + 1
    left_out.extend((one.id, "cap") for one, _ in left)
    return Selection(tuple(chosen), tuple(left_out))


def _compare(
    one: str,
    chosen: Sequence[tuple[Ranked, float]],
    known: dict[str, tuple[int, float]],
    alike: Callable[[str, str], float],
) -> float:
    """Return the greatest likeness to what is chosen; what was compared before is not compared again."""
    compared, most = known.get(one, (0, 0.0))
    most = max([most, *(alike(one, other.id) for other, _ in chosen[compared:])])
    known[one] = (len(chosen), most)
    return most


def _next(
    left: Sequence[tuple[Ranked, float]],
    penalty: float,
    likeness: Callable[[str], float],
) -> int:
    """Return the place of the best candidate after the penalty; only those that could still win are compared."""
    best, at = -1.0, 0
    for place, (one, value) in enumerate(left):
        if value <= best:
            break  # the rest scores no more even without a penalty
        worth = round(value * (1.0 - penalty * likeness(one.id)), _DIGITS)
        if worth > best:
            best, at = worth, place
    return at
