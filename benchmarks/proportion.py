"""Shares of a count, with the interval in which the true share lies."""

from __future__ import annotations

from typing import NamedTuple

from tkg.gate.accounts import wilson

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
        return wilson(self.hits, self.n, _Z)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits} ({100 * low:.1f}–{100 * high:.1f} %)"
