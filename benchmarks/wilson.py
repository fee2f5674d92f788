"""The Wilson score interval of a share (E. B. Wilson, 1927)."""

from __future__ import annotations

from math import sqrt


def wilson(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Return the bounds of the share `hits / n`; (0, 1) when nothing was counted. `z` 1.96 gives 95 %."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = hits / n, z * z
    middle, half = share + z2 / (2 * n), z * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n))
