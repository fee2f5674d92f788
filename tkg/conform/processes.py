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
from typing import IO, Any, Final

from tkg.conform.cases import Step
from tkg.conform.world import Answer, World
from tkg.model.time import iso, parse_when
from tkg.model.verdict import Verdict

#: what a child exits with when it was made to die
DEAD: Final = 86
_START: Final = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from tkg.conform.child import main; main()"


def _plain(value: Any) -> Any:
    """Return a step's content as JSON can carry it; a datetime becomes the text that means the same."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, datetime):
        return iso(parse_when(value).start)
    return value.isoformat() if isinstance(value, date) else value


def _request(world: World, steps: Sequence[Step], seed: int, point: int, stay: bool) -> str:
    return json.dumps(
        {
            "root": str(world.root),
            "engine": world.engine,
            "now": world.clock.now().isoformat(),
            "predicates": _plain(world.predicates),
            "seed": seed,
            "point": point,
            "stay": stay,
            "steps": [{"verb": s.verb, "body": _plain(s.body), "label": s.label, "at": _plain(s.at)} for s in steps],
            "answers": {label: _sent(answer) for label, answer in world.answers.items()},
        }
    )


def _sent(answer: Answer) -> dict[str, Any]:
    return {
        "verb": answer.verb,
        "scope": answer.scope,
        "ids": answer.ids,
        "episode": answer.episode,
        "error": answer.error,
        "message": answer.message,
        "verdicts": [one.model_dump(mode="json") for one in answer.verdicts],
    }


def received(sent: Mapping[str, Any]) -> Answer:
    """Return an answer as another process sent it (without its result)."""
    return Answer(
        verb=sent["verb"],
        scope=sent["scope"],
        ids=tuple(sent["ids"]),
        verdicts=tuple(Verdict(**one) for one in sent["verdicts"]),
        episode=sent["episode"],
        error=sent["error"],
        message=sent["message"],
    )


def send(stream: IO[str], label: str | None, answer: Answer) -> None:
    """Write one answer as a line."""
    stream.write(json.dumps({"label": label, **_sent(answer)}) + "\n")
    stream.flush()


class Child:
    """A process that does some steps of a story on the store of `world`, which must be closed."""

    def __init__(self, world: World, steps: Sequence[Step], *, seed: int, point: int = 0, stay: bool = False) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, json.dumps([str(Path(one).absolute()) for one in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
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
        sent = json.loads(line)
        if "points" in sent:
            self.points = sent["points"]
        elif sent["label"] is not None:
            self.answers[sent["label"]] = received(sent)


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
