"""Results as lines for people and as values for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tkg.conform.runner import Result
from tkg.text import safe_text


def line(result: Result) -> str:
    """Return one line for a passed case, and one more for each reason of a failed one."""
    head = f"{'pass' if result.passed else 'FAIL'}  {result.store:<8} {result.case.kind:<13} {result.case.id}"
    return "\n".join([head, *(f"      {safe_text(reason, one_line=True)}" for reason in result.reasons)])


def summary(results: Sequence[Result]) -> str:
    """Return `N passed, N failed`."""
    passed = sum(result.passed for result in results)
    return f"{passed} passed, {len(results) - passed} failed"


def table(results: Sequence[Result]) -> list[tuple[str, str, int, int]]:
    """Return (store, class, passed, failed), in order of first appearance."""
    counts = Counter((result.store, result.case.kind, result.passed) for result in results)
    keys = dict.fromkeys((result.store, result.case.kind) for result in results)
    return [(store, kind, counts[store, kind, True], counts[store, kind, False]) for store, kind in keys]


def document(results: Sequence[Result]) -> dict[str, Any]:
    """Return the results as one JSON document."""
    return {
        "passed": sum(result.passed for result in results),
        "failed": sum(not result.passed for result in results),
        "results": [
            {
                "id": result.case.id,
                "class": result.case.kind,
                "store": result.store,
                "passed": result.passed,
                "reasons": list(result.reasons),
                "seconds": round(result.seconds, 3),
            }
            for result in results
        ],
    }
