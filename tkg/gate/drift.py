"""Drift: writes that come faster, from worse classes, or walk away from what somebody once checked. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import log, log2, sqrt
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)


class Crossing(NamedTuple):
    """Where a CUSUM crossed its limit: the place, its height there, and where the rise began."""

    at: int
    score: float
    since: int


def reference(rate: float, factor: float = 2.0) -> float:
    """Return k of a Poisson CUSUM that looks for a change of `rate` (per unit) by `factor`: (r1 - r0) / ln(r1 / r0)."""
    return (factor - 1) * rate / log(factor)


def cusum(counts: Sequence[int], rate: float, *, limit: float = 10.0, factor: float = 2.0) -> Crossing | None:
    """Return the first place at which counts have risen above their usual rate for too long; None while they have not.

    Args:
        counts: writes per unit of time, oldest first.
        rate: the usual number per unit, above 0.
        limit: h: higher is slower and calmer.
        factor: the change looked for.
    """
    k, score, since = reference(rate, factor), 0.0, 0
    for place, count in enumerate(counts):
        if score == 0.0:
            since = place
        score = max(0.0, score + count - k)
        if score > limit:
            return Crossing(place, score, since)
    return None


def ewma(flags: Iterable[bool], usual: float, *, weight: float = 0.1, width: float = 3.0) -> float | None:
    """Return the smoothed share at its first crossing of the upper control limit, or None.

    Args:
        flags: one for each write, oldest first: whether it counts.
        usual: the usual share; 0 is taken for one in a thousand.
        weight: of the newest write.
        width: of the limit, in standard deviations.
    """
    share = max(usual, 0.001)
    limit = share + width * sqrt(share * (1 - share) * weight / (2 - weight))
    smoothed = share
    for flag in flags:
        smoothed += weight * (flag - smoothed)
        if smoothed > limit:
            return smoothed
    return None


def divergence(before: Mapping[K, int], after: Mapping[K, int]) -> float:
    """Return the Jensen-Shannon divergence of two histograms in bits: 0 the same, 1 nothing in common."""
    n, m = sum(before.values()), sum(after.values())
    if not n or not m:
        return 0.0
    total = 0.0
    for key in {*before, *after}:
        p, q = before.get(key, 0) / n, after.get(key, 0) / m
        middle = (p + q) / 2
        total += (p * log2(p / middle) if p else 0.0) / 2 + (q * log2(q / middle) if q else 0.0) / 2
    return total


def per_unit(times: Iterable[int], *, start: int, end: int, unit: int) -> list[int]:
    """Return how many of `times` lie in each unit of `[start, end)`."""
    counted = Counter((at - start) // unit for at in times if start <= at < end)
    return [counted[place] for place in range(max(0, -(-(end - start) // unit)))]
