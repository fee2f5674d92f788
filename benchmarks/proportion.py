"""Shares of a count, with the interval in which the true share lies."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

#: 97.5 % quantile of the normal distribution
_Z = 1.959963984540054


class Share(NamedTuple):
    """`hits` of `n`, printed with its Wilson 95 % interval."""

    hits: int
    n: int

    @property
    def rate(self) -> float:
        """The share; 0 of nothing is 0."""
        return self.hits / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson score interval at 95 %; (0, 1) where nothing was counted."""
        if not self.n:
            return 0.0, 1.0
        square = _Z * _Z
        middle = (self.rate + square / (2 * self.n)) / (1 + square / self.n)
        half = _Z / (1 + square / self.n) * sqrt(self.rate * (1 - self.rate) / self.n + square / (4 * self.n * self.n))
        # the ends are exact where nothing or everything was hit; rounding must not say otherwise
        low = 0.0 if self.hits == 0 else max(0.0, middle - half)
        high = 1.0 if self.hits == self.n else min(1.0, middle + half)
        return low, high

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits} ({100 * low:.1f}–{100 * high:.1f} %)"
