"""Running one case on a fresh store, and once more for each point of death where a step is to be killed."""

from __future__ import annotations

import tempfile
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tkg.clock import ManualClock
from tkg.conform.cases import Case, Step
from tkg.conform.checks import check
from tkg.conform.processes import dying, side_by_side
from tkg.conform.verbs import perform
from tkg.conform.world import Answer, NotAvailable, World
from tkg.errors import TkgError

#: store -> engine of its graph; "memory" is the reference in plain Python
STORES: Final[Mapping[str, str]] = {"memory": "memory", "kuzu": "kuzu", "ladybug": "ladybug"}
#: most points at which a step is killed, spread over all there are, the last always among them
MOST_POINTS: Final = 8
_SEED_OF_CHILDREN: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """How one case did on one store; `reasons` is empty when it passed."""

    case: Case
    store: str
    reasons: tuple[str, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return not self.reasons


@dataclass
class _Due:
    """One expectation, or a part of an `any_of`, waiting for its moment."""

    wanted: Mapping[str, Any]
    kind: str
    place: str
    done: bool = False
    problem: str | None = None
    alternatives: list[list[_Due]] = field(default_factory=list)

    @classmethod
    def of(cls, wanted: Mapping[str, Any], kind: str, place: str) -> _Due:
        due = cls(wanted, kind, place)
        for number, alternative in enumerate(wanted.get("any_of", ())):
            due.alternatives.append([cls.of(one, kind, f"{place}.{number}") for one in alternative])
        return due

    def leaves(self) -> Iterator[_Due]:
        if not self.alternatives:
            yield self
        for alternative in self.alternatives:
            for one in alternative:
                yield from one.leaves()

    def verdict(self) -> str | None:
        """Return None when it holds, else what is wrong."""
        if not self.alternatives:
            return self.problem if self.done else f"{self.wanted.get('after')} was never done"
        whole = [[problem for one in alternative if (problem := one.verdict())] for alternative in self.alternatives]
        return None if any(not problems for problems in whole) else "none of: " + " | ".join(p[0] for p in whole)


def run_case(case: Case, store: str) -> Result:
    """Run one case on one fresh store, removed afterwards."""
    began = time.perf_counter()
    kills = [place for place, step in enumerate(case.steps) if step.verb == "kill"]
    reasons, points = _play(case, store, kills, 0)
    if kills and not reasons:
        for point in _spread(points):
            found, _ = _play(case, store, kills, point)
            reasons += [f"killed at point {point} of {points}: {reason}" for reason in found]
    return Result(case, store, tuple(dict.fromkeys(reasons)), time.perf_counter() - began)


def _spread(points: int) -> list[int]:
    """Return at most `MOST_POINTS` of 1..points, evenly spread, with both ends."""
    if points <= MOST_POINTS:
        return list(range(1, points + 1))
    return sorted({1 + round(n * (points - 1) / (MOST_POINTS - 1)) for n in range(MOST_POINTS)})


def _play(case: Case, store: str, kills: Sequence[int], point: int) -> tuple[list[str], int]:
    """Play a story once; return what did not hold, and how many chances to die the killed steps had."""
    with tempfile.TemporaryDirectory(prefix="tkg-conform-") as folder:
        world = World(Path(folder) / "store", STORES[store], ManualClock(case.clock), case.predicates)
        due = [_Due.of(w, "expect", f"expect[{n}]") for n, w in enumerate(case.expect)]
        due += [_Due.of(w, "control", f"control[{n}]") for n, w in enumerate(case.control)]
        try:
            points = _tell(world, case, kills, point, [leaf for one in due for leaf in one.leaves()])
        except NotAvailable as missing:
            return [str(missing)], 0
        except TkgError as error:
            return [f"the story cannot be told: {error.code}: {error}"], 0
        except Exception as error:  # noqa: BLE001 - a crash of the engine is a failure of the case, told with its place
            where = traceback.extract_tb(error.__traceback__)[-1]
            return [f"crashed with {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"], 0
        finally:
            world.close()
        wrong = [(one, problem) for one in due if (problem := one.verdict()) is not None]
        return [f"{one.kind}: {problem}" for one, problem in wrong], points


def _tell(world: World, case: Case, kills: Sequence[int], point: int, leaves: Sequence[_Due]) -> int:
    points = 0
    for place, step in enumerate(case.steps):
        if step.at is not None:
            world.set_clock(step.at)
        if step.verb == "kill":
            continue
        if place - 1 in kills:
            _, chances = dying(world, step, seed=_SEED_OF_CHILDREN, point=point)
            points = max(points, chances)
            if step.label is not None:
                world.answers.setdefault(step.label, Answer(step.verb, step.body.get("scope")))
        elif step.verb == "concurrent":
            _concurrent(world, step, place)
        else:
            _do(world, step)
        for leaf in leaves:
            if leaf.wanted.get("after") in {one.label for one in step.walk()} - {None}:
                leaf.problem, leaf.done = check(world, leaf.wanted), True
    for leaf in leaves:
        if not leaf.done and "after" not in leaf.wanted:
            leaf.problem, leaf.done = check(world, leaf.wanted), True
    return points


def _do(world: World, step: Step) -> None:
    answer = perform(world, step)
    if step.label is not None:
        world.answers[step.label] = answer


def _concurrent(world: World, step: Step, place: int) -> None:
    if step.processes:
        side_by_side(world, step.branches, _SEED_OF_CHILDREN * (place + 2))
    else:
        gate = threading.Barrier(len(step.branches))
        _ = world.memory  # opened before the threads race for it

        def tell(branch: Sequence[Step]) -> None:
            gate.wait()
            for one in branch:
                _do(world, one)

        with ThreadPoolExecutor(len(step.branches)) as threads:
            for told in [threads.submit(tell, branch) for branch in step.branches]:
                told.result()
    if step.label is not None:
        world.answers[step.label] = Answer("concurrent")
