"""Times: percentiles, and how much of a call each stage takes by itself."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of all values does not exceed (nearest rank)."""
    ordered = sorted(values)
    place = max(0, min(len(ordered) - 1, -int(-share * len(ordered) // 1) - 1))
    return ordered[place]


def p50(values: Sequence[float]) -> float:
    """Return the median (nearest rank)."""
    return percentile(values, 0.50)


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile (nearest rank)."""
    return percentile(values, 0.95)


class Stages:
    """Where the time of a call goes: each stage counts without the stages inside it, the rest is `other`.

    Methods are replaced while measuring, by wrappers that cost about a microsecond.
    """

    def __init__(self) -> None:
        self._inside: list[float] = []
        self._now: dict[str, float] = defaultdict(float)
        self._undo: list[Callable[[], None]] = []
        #: milliseconds per call, for each stage
        self.samples: dict[str, list[float]] = defaultdict(list)
        #: milliseconds of whole calls
        self.totals: list[float] = []

    def watch(self, owner: Any, name: str, stage: str) -> None:
        """Count what `owner.name` takes as `stage`. `owner` is an object, a class or a module."""
        original = getattr(owner, name)
        own = name in vars(owner)

        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.stage(stage):
                return original(*args, **kwargs)

        setattr(owner, name, timed)
        self._undo.append(lambda: setattr(owner, name, original) if own else delattr(owner, name))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time inside as `name`, less that of stages within."""
        self._inside.append(0.0)
        start = perf_counter()
        try:
            yield
        finally:
            taken = perf_counter() - start
            self._now[name] += taken - self._inside.pop()
            if self._inside:
                self._inside[-1] += taken

    @contextmanager
    def call(self) -> Iterator[None]:
        """Measure one whole call."""
        self._now.clear()
        with self.stage("other"):
            yield
        for name, taken in self._now.items():
            self.samples[name].append(taken * 1000)
        self.totals.append(sum(self._now.values()) * 1000)

    def sofar(self) -> dict[str, float]:
        """Return the seconds that each stage took in the call that is running."""
        return dict(self._now)

    def clear(self) -> None:
        """Forget what was measured so far."""
        self.samples.clear()
        self.totals.clear()

    def restore(self) -> None:
        """Put everything back as it was."""
        while self._undo:
            self._undo.pop()()

    def medians(self) -> dict[str, float]:
        """Return the median milliseconds of each stage, calls without it counted as 0, the longest first."""
        calls = len(self.totals)
        found = {name: p50([*taken, *[0.0] * (calls - len(taken))]) for name, taken in self.samples.items()}
        return dict(sorted(found.items(), key=lambda one: -one[1]))


@contextmanager
def milliseconds(into: list[float]) -> Iterator[None]:
    """Append the milliseconds that the block takes."""
    start = perf_counter()
    yield
    into.append((perf_counter() - start) * 1000)


def settle() -> None:
    """Collect garbage now, so that what was built before is not paid for while measuring."""
    gc.collect()
    gc.freeze()
