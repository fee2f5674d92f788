"""The thirteen relations of two intervals (Allen 1983) on half-open time: exactly one holds between any two."""

from __future__ import annotations

from enum import StrEnum

from tkg.model.time import Instant


class Allen(StrEnum):
    """How the first interval lies to the second."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished_by"
    CONTAINS = "contains"
    STARTED_BY = "started_by"
    OVERLAPPED_BY = "overlapped_by"
    MET_BY = "met_by"
    AFTER = "after"

    @property
    def inverse(self) -> Allen:
        """How the second lies to the first."""
        return _ORDER[len(_ORDER) - 1 - _ORDER.index(self)]

    @property
    def shares_time(self) -> bool:
        """Whether the two share an instant; meeting ends do not."""
        return self not in (Allen.BEFORE, Allen.MEETS, Allen.MET_BY, Allen.AFTER)


_ORDER = tuple(Allen)


def relate(a: tuple[Instant, Instant], b: tuple[Instant, Instant]) -> Allen:
    """Return the relation of `[a0, a1)` to `[b0, b1)`; neither may be empty."""
    (a0, a1), (b0, b1) = a, b
    if a1 <= b0:
        return Allen.BEFORE if a1 < b0 else Allen.MEETS
    if b1 <= a0:
        return Allen.AFTER if b1 < a0 else Allen.MET_BY
    if a0 == b0:
        return Allen.EQUALS if a1 == b1 else Allen.STARTS if a1 < b1 else Allen.STARTED_BY
    if a1 == b1:
        return Allen.FINISHES if a0 > b0 else Allen.FINISHED_BY
    if a0 < b0:
        return Allen.CONTAINS if a1 > b1 else Allen.OVERLAPS
    return Allen.DURING if a1 < b1 else Allen.OVERLAPPED_BY
