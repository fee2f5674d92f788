"""Sets of instants as disjoint, ascending, half-open ranges that never touch."""

from __future__ import annotations

from collections.abc import Iterable

from tkg.model.time import Instant

Range = tuple[Instant, Instant]
Multirange = tuple[Range, ...]


def union(ranges: Iterable[Range]) -> Multirange:
    """Return the smallest multirange with every instant of every range; empty ranges and shared ends vanish."""
    merged: list[Range] = []
    for start, end in sorted(each for each in ranges if each[0] < each[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def subtract(ranges: Iterable[Range], taken: Iterable[Range]) -> Multirange:
    """Return the instants of `ranges` that are in none of `taken`."""
    left: list[Range] = []
    holes = union(taken)
    for start, end in union(ranges):
        for hole_start, hole_end in holes:
            if hole_end <= start or hole_start >= end:
                continue
            if start < hole_start:
                left.append((start, hole_start))
            start = hole_end
            if start >= end:
                break
        if start < end:
            left.append((start, end))
    return tuple(left)


def intersect(ranges: Iterable[Range], others: Iterable[Range]) -> Multirange:
    """Return the instants that are in both."""
    second = union(others)
    return union((max(a, c), min(b, d)) for a, b in union(ranges) for c, d in second if max(a, c) < min(b, d))


def contains(ranges: Iterable[Range], instant: Instant) -> bool:
    """Return whether an instant lies in one of the ranges."""
    return any(start <= instant < end for start, end in ranges)
