"""A process that runs whole cases on one engine: two drivers of the same family cannot live in one process.

It reads one case a line and answers with one result a line, until its input ends.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from tkg.conform.cases import Case, parse_case
from tkg.conform.processes import plain, start
from tkg.conform.runner import Result, run_case
from tkg.errors import StoreError


class Worker:
    """Runs cases on one store in a process of its own: `hand` one over, then `take` its result.

    Args:
        store: a name in `tkg.conform.STORES`.
    """

    def __init__(self, store: str) -> None:
        self._store = store
        self._process = start("worker")

    def hand(self, case: Case) -> None:
        """Give a case to the process, which begins at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"store": self._store, "case": plain(case.raw)}) + "\n")
        self._process.stdin.flush()

    def take(self, case: Case) -> Result:
        """Wait for the result of the case handed over.

        Raises:
            StoreError: the process died; its last words are the message.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            _, err = self._process.communicate()
            raise StoreError(f"the process for {self._store} died in {case.id}: {err.strip()[-1000:]}")
        told: dict[str, Any] = json.loads(line)
        return Result(case, self._store, tuple(told["reasons"]), told["seconds"])

    def close(self) -> None:
        """Let the process end."""
        self._process.communicate()


def main() -> None:
    """Run the cases on standard input."""
    for line in sys.stdin:
        asked = json.loads(line)
        result = run_case(parse_case(asked["case"]), asked["store"])
        sys.stdout.write(json.dumps({"reasons": result.reasons, "seconds": result.seconds}) + "\n")
        sys.stdout.flush()
