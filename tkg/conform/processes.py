"""Steps in processes of their own: killed at a chosen point, or side by side on one store.

A child is given one JSON document on its standard input and answers with one JSON document a line. It opens the store
that the parent has closed, so nothing is shared but files.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from tkg.conform.cases import Step
from tkg.conform.world import Answer, NotAvailable, World
from tkg.model.time import iso, parse_when
from tkg.model.verdict import Verdict

#: what a child exits with when it was made to die
DEAD: Final = 86
_START: Final = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from tkg.conform.{} import main; main()"


def start(module: str) -> subprocess.Popen[str]:
    """Start a process that runs `main` of a module of this package, with pipes for all three streams."""
    return subprocess.Popen(
        [sys.executable, "-c", _START.format(module), json.dumps([str(Path(one).absolute()) for one in sys.path])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def plain(value: Any) -> Any:
    """Return a step's content as JSON can carry it; a datetime becomes the text that means the same."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, datetime):
        return iso(parse_when(value).start)
    return value.isoformat() if isinstance(value, date) else value


def _request(world: World, steps: Sequence[Step], seed: int, point: int, stay: bool) -> str:
    return json.dumps(
        {
            "root": str(world.root),
            "engine": world.engine,
            "now": world.clock.now().isoformat(),
            "predicates": plain(world.predicates),
            "seed": seed,
            "point": point,
            "stay": stay,
            "steps": [{"verb": s.verb, "body": plain(s.body), "label": s.label, "at": plain(s.at)} for s in steps],
            "answers": {label: sent(answer) for label, answer in world.answers.items()},
        }
    )


def sent(answer: Answer) -> dict[str, Any]:
    """Return an answer as it is sent to another process (without its result)."""
    return {
        "verb": answer.verb,
        "scope": answer.scope,
        "ids": answer.ids,
        "episode": answer.episode,
        "error": answer.error,
        "message": answer.message,
        "verdicts": [one.model_dump(mode="json") for one in answer.verdicts],
    }


def received(fields: Mapping[str, Any]) -> Answer:
    """Return an answer as another process sent it (without its result)."""
    return Answer(
        verb=fields["verb"],
        scope=fields["scope"],
        ids=tuple(fields["ids"]),
        verdicts=tuple(Verdict(**one) for one in fields["verdicts"]),
        episode=fields["episode"],
        error=fields["error"],
        message=fields["message"],
    )


class Child:
    """A process that does some steps of a story on the store of `world`, which must be closed.

    `point` is the chance at which it dies; 0 only counts them, -1 does neither. With `stay` it keeps the store open
    until `finish`.
    """

    def __init__(self, world: World, steps: Sequence[Step], *, seed: int, point: int = -1, stay: bool = False) -> None:
        self._process = start("child")
        assert self._process.stdin is not None
        self._process.stdin.write(_request(world, steps, seed, point, stay) + "\n")
        self._process.stdin.flush()
        self.answers: dict[str, Answer] = {}
        self.points = 0

    def read(self, lines: int) -> None:
        """Wait for so many answers."""
        assert self._process.stdout is not None
        for _ in range(lines):
            self._take(self._process.stdout.readline())

    def finish(self) -> bool:
        """Let the child go and wait for its end; return whether it died as it was made to.

        Raises:
            RuntimeError: it ended in any other way than done or made to die; its last words are the message.
        """
        out, err = self._process.communicate(timeout=300)
        for line in out.splitlines():
            self._take(line)
        if self._process.returncode not in (0, DEAD):
            raise RuntimeError(f"a child process ended with {self._process.returncode}: {err.strip()[-2000:]}")
        return self._process.returncode == DEAD

    def _take(self, line: str) -> None:
        if not line.strip():
            return
        said = json.loads(line)
        if "missing" in said:
            raise NotAvailable(said["missing"])
        if "points" in said:
            self.points = said["points"]
        elif said["label"] is not None:
            self.answers[said["label"]] = received(said)


def side_by_side(world: World, branches: Sequence[Sequence[Step]], seed: int) -> None:
    """Run each branch in a process of its own; the first opens first and stays open until the others are done."""
    world.close()
    first = Child(world, branches[0], seed=seed, stay=True)
    first.read(len(branches[0]))
    children = [first]
    for number, branch in enumerate(branches[1:], start=1):
        other = Child(world, branch, seed=seed + number)
        other.finish()
        children.append(other)
    first.finish()
    for child in children:
        world.answers.update(child.answers)


def dying(world: World, step: Step, *, seed: int, point: int) -> tuple[bool, int]:
    """Do a step in a child that dies at its `point`-th chance (0: it lives); return whether it died and how many it had."""
    world.close()
    child = Child(world, [step], seed=seed, point=point)
    died = child.finish()
    if not died:
        world.answers.update(child.answers)
    return died, child.points
