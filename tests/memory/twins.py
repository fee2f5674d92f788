"""Two stores driven by the same calls: a real one on disk and the reference in memory.

Both get the same clock readings and the same seeded ids, so everything they answer must be equal, ids included. Any
difference is a fault of a ledger, a graph or an index, since the facade is the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tkg
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle

START = datetime(2026, 3, 1, 9, tzinfo=UTC)

REGISTRY = tkg.Registry.of(
    {
        "city": {"cardinality": "one", "system_of_record": "people.yaml"},
        "limit": {"cardinality": "one", "datatype": "number", "consequence": "high"},
        "skill": {"cardinality": "many"},
        "status": {"cardinality": "one", "values": [["open"], ["closed"]]},
    }
)
POLICIES = tkg.Policies(write=tkg.WritePolicy(registry=REGISTRY))


class Twins:
    """A real store and the reference, side by side."""

    def __init__(self, path: Path, engine: str, graph_file_above: int) -> None:
        self.path, self.engine, self.above = path, engine, graph_file_above
        self.clocks = (ManualClock(START), ManualClock(START))
        self.ids = (SeededIds(7), SeededIds(7))
        self.reference = tkg.open(None, clock=self.clocks[1], ids=self.ids[1], engine="memory", policies=POLICIES)
        self.real = self._open()

    def _open(self) -> tkg.Memory:
        return tkg.open(
            self.path,
            clock=self.clocks[0],
            ids=self.ids[0],
            engine=self.engine,
            policies=POLICIES,
            graph_file_above=self.above,
        )

    def advance(self, by: timedelta) -> None:
        """Move both clocks on."""
        for clock in self.clocks:
            clock.advance(by)

    def reopen(self, *, drop_projections: bool = False) -> None:
        """Close and open the real store, optionally without its graph and index files."""
        self.real.close()
        if drop_projections:
            for file in self.path.glob("tenants/*/*"):
                if not file.name.startswith("ledger"):
                    shutil.rmtree(file) if file.is_dir() else file.unlink()
        self.real = self._open()

    def both(self, call: Callable[[Handle], Any], **scope: Any) -> Any:
        """Make one call on both stores; the answers, or the errors, must be equal. Returns the answer or the code."""
        answers = [_answer(lambda memory=memory: call(memory.scope(**scope))) for memory in (self.real, self.reference)]
        shown = [_plain(answer) for answer in answers]
        assert shown[0] == shown[1], f"real: {shown[0]}\nreference: {shown[1]}"
        return answers[1]

    def close(self) -> None:
        """Close both."""
        self.real.close()
        self.reference.close()


class Refused(str):
    """The code of an error both stores answered with."""


def _answer(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except tkg.TkgError as error:
        return Refused(f"{error.code}: {error}")


def _plain(answer: Any) -> Any:
    """Return an answer as plain values; scores are compared to nine digits (sums of floats differ in the last ones)."""
    outcome = getattr(answer, "outcome", None)
    if hasattr(answer, "items") and hasattr(answer, "trace"):
        return (
            answer.id,
            answer.text,
            [(item.id, item.state, round(item.score, 9)) for item in answer.items],
            sorted(outcome.left_out),
            outcome.abstained,
        )
    if isinstance(answer, list | tuple):
        return [_plain(one) for one in answer]
    return repr(answer)
