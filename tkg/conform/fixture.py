"""Memory as a fixture: seed, act, assert, reset; the steps and checks of the cases in a project's own tests.

import pytest
from tkg.conform import story

@pytest.fixture
def memory():
    with story() as told:
        yield told

def test_the_agent_follows_the_correction(memory):
    memory.step(claim={"as": "old", "scope": "acme", "channel": "human_stated", "principal": "ana", …})
    my_agent(memory.handle("acme"))
    memory.expect(of="old", state="superseded")
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from tkg.clock import ManualClock
from tkg.conform.cases import parse_step
from tkg.conform.checks import check
from tkg.conform.runner import STORES
from tkg.conform.verbs import perform
from tkg.conform.world import Answer, World
from tkg.errors import RequestError
from tkg.memory.handle import Handle

_START: Final = datetime(2026, 1, 1, 9, tzinfo=UTC)


class Story:
    """A store to seed and to make assertions about. Made by `story`."""

    def __init__(self, root: Path, store: str, start: datetime, predicates: Mapping[str, Mapping[str, Any]]) -> None:
        self._root, self._store, self._start, self._predicates = root, store, start, predicates
        self._rounds = 0
        self._world = self._fresh()

    def _fresh(self) -> World:
        self._rounds += 1
        return World(
            self._root / f"store-{self._rounds}", STORES[self._store], ManualClock(self._start), self._predicates
        )

    @property
    def path(self) -> Path:
        """The store's directory, for an agent in another process (call `close` first)."""
        return self._world.root

    def step(self, *, at: str | date | datetime | None = None, label: str | None = None, **verb: Any) -> Answer:
        """Do one step, written as in a case: `step(claim={…})`, `step(at="2026-02-01", revoke={…}, label="cut")`.

        Returns:
            The answer; `answer.error` is the code when it was refused.

        Raises:
            RequestError: not a step.
            NotAvailable: no such verb in this engine.
        """
        beside = {"at": at, "as": label}
        step = parse_step({**verb, **{key: value for key, value in beside.items() if value is not None}}, "step")
        if step.verb in ("kill", "concurrent"):
            raise RequestError(f"{step.verb} is for case files; use your own processes here")
        if step.at is not None:
            self._world.set_clock(step.at)
        answer = perform(self._world, step)
        if step.label is not None:
            self._world.answers[step.label] = answer
        return answer

    def expect(self, **wanted: Any) -> None:
        """Assert one expectation, written as in a case: `expect(of="old", state="superseded", by="new")`.

        Raises:
            AssertionError: it does not hold; the message says what was found.
        """
        for alternative in wanted.get("any_of", ()):
            if not [problem for one in alternative if (problem := check(self._world, one)) is not None]:
                return
        problem = "none of the alternatives holds" if "any_of" in wanted else check(self._world, wanted)
        if problem is not None:
            raise AssertionError(problem)

    def handle(self, scope: str, **caller: Any) -> Handle:
        """Return a handle of the public face on the same store: `handle("acme/ana", channel=…, principal=…)`."""
        return self._world.handle(scope, **caller)

    def name(self, label: str, identifier: str) -> None:
        """Label something that was written through a handle, so that expectations can speak of it."""
        scope = None
        for tenant in self._world.memory.tenants():
            if any(identifier in line for line in self._world.handle(tenant).export()):
                scope = tenant
        self._world.answers[label] = Answer("named", scope, (identifier,))

    def reset(self) -> None:
        """Start anew: an empty store, the first time, no labels."""
        self._world.close()
        self._world = self._fresh()

    def close(self) -> None:
        """Close the store; the next step opens it again."""
        self._world.close()


@contextmanager
def story(
    store: str = "memory",
    *,
    start: datetime = _START,
    predicates: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[Story]:
    """Yield a `Story` on a fresh store in a temporary directory, removed at the end.

    Args:
        store: a name in `tkg.conform.STORES`.
        start: first time on its clock.
        predicates: declarations, as in a case file.
    """
    if store not in STORES:
        raise RequestError(f"unknown store {store}; known: {', '.join(STORES)}")
    with tempfile.TemporaryDirectory(prefix="tkg-story-") as folder:
        told = Story(Path(folder), store, start, predicates or {})
        try:
            yield told
        finally:
            told.close()
