"""Candidates nobody would write, through API and command line: each ends in a verdict or a named error.

`python -m tests.gate.fuzz [N] [--processes P] [--seed S]` runs N candidates (default 100,000), one in twenty through the
command line's in-process runner, split over P processes of one seed each. It prints how each kind of request ended, p50
and p99 of processor time per candidate and kind, and the resident memory of each process at every tenth of its run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import tkg
from tests.gate import odd
from tkg.cli.main import main as tkg_command
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.model.scope import Channel
from tkg.model.verdict import Verdict

#: candidates of one store, so that what is measured is the gate and not the size of what it has let in
_PER_STORE = 1_000
_COMMANDS_PER_STORE = 100
#: parts of a run at whose ends the memory is looked at
PARTS = 10
#: one candidate in so many goes through the command line
_BY_COMMAND = 20
#: most milliseconds of processor time of ninety-nine in a hundred structured candidates
LIMIT = 50.0

Request = Callable[[], Any]


@dataclass
class Outcome:
    """What came of a run: how requests of each kind ended, what each took in ms, and MiB at the end of each part."""

    ends: dict[str, Counter[str]] = field(default_factory=dict)
    taken: dict[str, list[float]] = field(default_factory=dict)
    memory: list[float] = field(default_factory=list)

    def note(self, kind: str, how: str, taken: float) -> None:
        """Take in one request."""
        self.ends.setdefault(kind, Counter())[how] += 1
        self.taken.setdefault(kind, []).append(taken)

    def add(self, other: Outcome) -> None:
        """Take in what came of another run."""
        for kind, ends in other.ends.items():
            self.ends.setdefault(kind, Counter()).update(ends)
        for kind, taken in other.taken.items():
            self.taken.setdefault(kind, []).extend(taken)


# -- what is asked of the API


def _proposal(chance: random.Random) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "subject": odd.text(chance, 400),
        "predicate": odd.text(chance, 100) if chance.random() < 0.5 else chance.choice(("stores", "payee", "likes")),
        "object": odd.text(chance, 5_000 if chance.random() < 0.98 else 80_000),
    }
    for name in ("polarity", "modality", "valid_from", "valid_to", "observed_at", "idempotency_key"):
        if chance.random() < 0.1:
            fields[name] = odd.text(chance, 50)
    return fields


def _evidence(chance: random.Random, number: int) -> tkg.Evidence:
    names = [name for name in ("version", "quote", "locator", "owner", "copy_of") if chance.random() < 0.3]
    return tkg.Evidence(uri=f"fuzz:{number}", **{name: odd.text(chance, 300) for name in names})


def _propose(handle: Handle, chance: random.Random, number: int) -> Any:
    evidence = _evidence(chance, number) if chance.random() < 0.5 else None
    return handle.propose(**_proposal(chance), evidence=evidence)


def _propose_nested(handle: Handle, chance: random.Random, number: int) -> Any:
    fields = {**_proposal(chance), "evidence": tkg.Evidence(uri=f"fuzz:{number}")}
    names = (*fields, "depends_on", "expected_digest", "idempotency_key", "valid_from")
    for name in chance.sample(names, chance.randrange(1, 3)):
        fields[name] = odd.nested(chance)
    if chance.random() < 0.1:  # a name that no claim has
        return handle.propose_many([{**fields, odd.text(chance, 9): odd.nested(chance)}])
    return handle.propose(**fields)


def _propose_nested_text(handle: Handle, chance: random.Random, number: int) -> Any:
    fields = {"subject": f"Depot {number}", "predicate": "settings", "object": odd.nested_json(chance)}
    return handle.propose(**fields, evidence=tkg.Evidence(uri="a", quote=odd.nested_json(chance)))


def _propose_many(handle: Handle, chance: random.Random, number: int) -> Any:
    several: Any = [_proposal(chance) for _ in range(chance.randrange(3))]
    if chance.random() < 0.5:
        several = odd.nested(chance)
    return handle.propose_many(several)


def _evidence_of_anything(handle: Handle, chance: random.Random, number: int) -> Any:
    fields = {name: odd.value(chance, 3_000) for name in ("uri", "version", "quote", "locator", "owner", "copy_of")}
    if chance.random() < 0.1:
        fields[odd.text(chance, 20)] = odd.nested(chance)
    return handle.propose(subject=f"Depot {number}", predicate="stores", object="x", evidence=tkg.Evidence(**fields))


def _remember(handle: Handle, chance: random.Random, number: int) -> Any:
    side = {name: odd.value(chance, 100) for name in ("speaker", "turn", "observed_at") if chance.random() < 0.2}
    words: Any = odd.value(chance, 2_000) if chance.random() < 0.98 else odd.text(chance, 80_000)
    return handle.remember(words, media=chance.choice(("text", "markdown", "turn")), **side)


def _remember_settings(handle: Handle, chance: random.Random, number: int) -> Any:
    media, words = odd.settings(chance)
    return handle.remember(words, media=media, evidence=tkg.Evidence(uri=f"conf/{number}.{media}"))


def _derive(handle: Handle, chance: random.Random, number: int) -> Any:
    known = [handle.propose(subject="Depot 1", predicate="stores", object=f"crate {number % 9}").claim_id]
    content: Any = odd.value(chance, 500) if chance.random() < 0.7 else odd.nested(chance)
    if chance.random() < 0.3:
        content = _proposal(chance) | ({"object": odd.nested(chance)} if chance.random() < 0.5 else {})
    meta: Any = {odd.text(chance, 9): odd.value(chance, 50)} if chance.random() < 0.5 else odd.nested(chance)
    from_: Any = known if chance.random() < 0.8 else odd.nested(chance)
    kind: Any = chance.choice(("summary", "skill", "action", "claim", "episode", odd.value(chance, 9)))
    return handle.derive(kind, content, from_=from_, meta=meta)


def _recall(handle: Handle, chance: random.Random, number: int) -> Any:
    return handle.recall(odd.value(chance, 3_000))


#: kind of request -> what makes it, and its share
REQUESTS: dict[str, tuple[Callable[[Handle, random.Random, int], Any], int]] = {
    "propose": (_propose, 46),
    "propose, nested values": (_propose_nested, 16),
    "propose, nested JSON as text": (_propose_nested_text, 8),
    "propose_many": (_propose_many, 4),
    "propose, evidence of anything": (_evidence_of_anything, 8),
    "remember": (_remember, 6),
    "remember, settings": (_remember_settings, 4),
    "derive": (_derive, 6),
    "recall": (_recall, 2),
}


def end(call: Request) -> str:
    """Return how a call ended: the verdict's outcome or the error's code; whatever else it raises is a fault."""
    try:
        found = call()
    except tkg.TkgError as error:
        return f"error {error.code}"
    except Exception as error:  # noqa: BLE001 - all of them are to be told in one run
        return fault(error)
    if isinstance(found, list):
        return f"verdict {found[0].outcome.value}" if found else "nothing asked"
    return f"verdict {found.outcome.value}" if isinstance(found, Verdict) else "done"


def fault(error: BaseException) -> str:
    """Return what an error is that nobody meant, and the last place of this project it came through."""
    places = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if "/tkg/" in one.filename or "/extractors/" in one.filename
    ]
    where = f"{Path(places[-1].filename).name}:{places[-1].lineno}" if places else "outside"
    return f"FAULT {type(error).__name__} at {where}"


def _scope(memory: tkg.Memory, chance: random.Random) -> Handle:
    user, session = (None, None) if chance.random() < 0.9 else (odd.value(chance, 20), odd.value(chance, 40))
    principal: Any = "fuzz" if chance.random() < 0.97 else odd.value(chance, 100)
    return memory.scope(
        tenant="acme", user=user, channel=chance.choice(list(Channel)), principal=principal, session=session
    )


def through_the_api(count: int, seed: int = 0) -> Outcome:
    """Make `count` requests, and one plain proposal beside every twentieth."""
    chance, outcome = random.Random(f"api {seed}"), Outcome()
    kinds, shares = list(REQUESTS), [share for _, share in REQUESTS.values()]
    for start in range(0, count, _PER_STORE):
        clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(milliseconds=1))
        with tkg.open(None, clock=clock, ids=SeededIds(seed), engine="memory") as memory:
            memory.create_tenant("acme")
            for number in range(start, min(start + _PER_STORE, count)):
                (kind,) = chance.choices(kinds, shares)
                make = REQUESTS[kind][0]
                _timed(outcome, kind, lambda make=make, number=number: make(_scope(memory, chance), chance, number))  # type: ignore[misc]
                if number % 20 == 0:
                    plain = memory.scope(tenant="acme", channel=Channel.TRUSTED_TOOL, principal="fuzz")
                    fields = {"subject": f"Depot {number}", "predicate": "stores", "object": f"crate {number % 17}"}
                    _timed(outcome, "plain", lambda plain=plain, fields=fields: plain.propose(**fields))  # type: ignore[misc]
    return outcome


def _timed(outcome: Outcome, kind: str, call: Request) -> None:
    before = process_time()
    how = end(call)
    outcome.note(kind, how, (process_time() - before) * 1000)


# -- what is asked of the command line


def _command(chance: random.Random, place: Path) -> tuple[str, list[str]]:
    """Return the name of a command and its words after who asks."""
    kind = chance.choice(
        ("propose", "propose", "remember", "remember settings", "ingest", "import", "derive", "recall")
    )

    def words(longest: int) -> str:
        made = odd.value(chance, longest)
        return made if isinstance(made, str) else odd.dumped(made)

    if kind == "propose":
        value = odd.nested_json(chance) if chance.random() < 0.3 else words(400)
        side = [f"--{name}={words(50)}" for name in ("uri", "quote", "valid-from", "user", "session", "idempotency-key") if chance.random() < 0.15]  # fmt: skip
        return kind, [f"--subject={words(400)}", f"--predicate={words(100)}", f"--object={value}", *side]
    if kind == "remember":
        return kind, [f"--speaker={words(40)}", "--", words(800)]
    if kind == "remember settings":
        media, text = odd.settings(chance)
        return "remember", [f"--media={media}", "--", text]
    if kind == "derive":
        return (
            kind,
            [f"--kind={chance.choice(('summary', 'skill', words(9)))}", f"--from={words(30)}", "--", words(300)],
        )
    if kind == "recall":
        return kind, ["--", words(300)]
    if kind == "import":
        suffix, text = ".jsonl", "\n".join(_archive(chance, json.loads((place / "archive").read_text("utf-8"))))
    else:
        suffix, text = _file(chance)
    file = place / f"input{suffix}"
    file.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    return kind, [str(file)]


def _archive(chance: random.Random, lines: list[str]) -> list[str]:
    """Return an archive of which one line is not what it was: a place in it holds something else, or it is torn."""
    place = chance.randrange(len(lines))
    item = json.loads(lines[place])
    inner = chance.choice([one for one in item.values() if isinstance(one, dict)] or [item])
    if chance.random() < 0.2:
        return [*lines[:place], odd.nested_json(chance), *lines[place + 1 :]]
    inner[chance.choice([*inner, odd.text(chance, 9)])] = odd.value(chance, 300)
    return [*lines[:place], odd.dumped(item), *lines[place + 1 :]]


def _file(chance: random.Random) -> tuple[str, str]:
    kind = chance.random()
    if kind < 0.5:
        return ".jsonl", odd.chat_lines(chance)
    if kind < 0.8:
        media, text = odd.settings(chance)
        return f".{media}", text
    return chance.choice((".json", ".txt", ".md", ".html", ".yaml", ".pdf", ".docx")), odd.text(chance, 3_000)


def through_the_command_line(count: int, seed: int = 1) -> Outcome:
    """Give `count` commands in this process; an exit code out of the list is a fault."""
    chance, outcome = random.Random(f"command {seed}"), Outcome()
    quick = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for start in range(0, count, _COMMANDS_PER_STORE):
        with TemporaryDirectory(prefix="tkg-fuzz-", dir=quick) as folder:
            store = str(Path(folder) / "store")
            with tkg.open(store, engine="memory") as memory:
                memory.create_tenant("acme")
                handle = memory.scope("acme", channel="human_stated", principal="ana", session="s")
                handle.remember("Ada lives in Lund.", evidence=tkg.Evidence(uri="a", version="1", locator="p. 2"))
                handle.derive("summary", "Ada is in Lund.", used=handle.recall("where does Ada live?"))
                lines = list(handle.export(portable=True))
            (Path(folder) / "archive").write_text(json.dumps(lines), encoding="utf-8")
            for asked in range(min(_COMMANDS_PER_STORE, count - start)):
                name, words = _command(chance, Path(folder))
                where = ["--store", store, "--engine", "memory", "--json"]
                who = ["--tenant", "acme"]
                if name != "recall":
                    who += ["--channel", "trusted_tool", "--principal", "fuzz"]
                call = ["import", "--store", f"{store}-{asked}", "--json"] if name == "import" else [name, *where, *who]
                before = process_time()
                said = StringIO()
                with redirect_stdout(StringIO()), redirect_stderr(said):
                    code = tkg_command(["--debug", *call, *words])
                how = f"exit {code}" if code in (0, 1, 2, 3, 4) else f"FAULT exit {code}"
                if "Traceback" in said.getvalue():  # --debug shows where an error came from that nobody meant
                    how = "FAULT " + " ".join(said.getvalue().split("\n")[-4:])[-200:]
                outcome.note(f"tkg {name}", how, (process_time() - before) * 1000)
    return outcome


# -- a whole run


def resident() -> float:
    """Return the memory of this process that is in use now, in MiB (where that is unknown: the most it ever was)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / (1 << 20)


def run(count: int, seed: int) -> Outcome:
    """Make `count` requests in parts, the memory looked at after each."""
    outcome, done = Outcome(), 0
    with tkg.open(None, engine="memory") as memory:  # loads the parser, which is no candidate's cost
        memory.scope("acme", channel="human_stated", principal="ana").remember("Ada lives in Lund.")
    for part in range(1, PARTS + 1):
        here = count * part // PARTS - done
        done += here
        commands = here // _BY_COMMAND
        outcome.add(through_the_api(here - commands, seed * PARTS + part))
        outcome.add(through_the_command_line(commands, seed * PARTS + part))
        outcome.memory.append(resident())
        print(f"seed {seed}: {done} of {count}, {outcome.memory[-1]:.0f} MiB", file=sys.stderr, flush=True)
    return outcome


def growth(memory: Sequence[float], count: int) -> float:
    """Return by how many MiB memory grew for each 10,000 candidates over the second half of a run (least squares)."""
    half = memory[len(memory) // 2 :]
    places = range(len(half))
    middle, mean = sum(places) / len(half), sum(half) / len(half)
    spread = sum((place - middle) ** 2 for place in places)
    if not spread:
        return 0.0
    each = sum((place - middle) * (value - mean) for place, value in zip(places, half, strict=True)) / spread
    return each / (count / PARTS) * 10_000


def at(values: Sequence[float], share: float) -> float:
    """Return a percentile."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def show(outcome: Outcome, memories: dict[int, list[float]], count: int) -> None:
    """Print what came of it."""
    faults = 0
    for kind, ends in sorted(outcome.ends.items()):
        taken = outcome.taken[kind]
        said = ", ".join(f"{how} {number}" for how, number in ends.most_common())
        print(f"{kind}: n {ends.total()}; p50 {at(taken, 0.5):.2f} ms, p99 {at(taken, 0.99):.2f} ms; {said}")
        faults += sum(
            number
            for how, number in ends.items()
            if not how.startswith(("verdict", "error", "exit", "done", "nothing"))
        )
    asked = {kind: ends.total() for kind, ends in outcome.ends.items() if kind != "plain"}
    total = sum(asked.values())
    print(f"\nn {total}: neither a verdict nor a named error {faults} (95 % bound {3 / total:.2g})")
    structured = [one for kind in outcome.taken if kind.startswith("propose") for one in outcome.taken[kind]]
    plain = at(outcome.taken["plain"], 0.5)
    print(
        f"structured candidates by the API: n {len(structured)}; p50 {at(structured, 0.5):.2f} ms, p99 "
        f"{at(structured, 0.99):.2f} ms of processor time (limit {LIMIT:g}); a plain candidate's median {plain:.2f} ms"
    )
    each = count / max(len(memories), 1)
    for seed, memory in sorted(memories.items()):
        print(f"memory of seed {seed}, MiB at each tenth: {' '.join(f'{one:.0f}' for one in memory)}; second half {growth(memory, int(each)):+.2f} MiB per 10,000 candidates")  # fmt: skip


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.gate.fuzz", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=1, help="each has a seed of its own")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        print(json.dumps(vars(run(asked.count, asked.seed))))
        return 0
    each, whole, memories, failed = asked.count // asked.processes, Outcome(), {}, 0
    command = [sys.executable, "-m", "tests.gate.fuzz", str(each), "--part", "--seed"]
    seeds = range(asked.seed, asked.seed + asked.processes)
    children = {seed: subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, text=True) for seed in seeds}
    for seed, child in children.items():
        said, _ = child.communicate()
        if child.returncode != 0:
            failed += 1
            continue
        found = json.loads(said.splitlines()[-1])
        memories[seed] = found["memory"]
        ends = {kind: Counter(ends) for kind, ends in found["ends"].items()}
        whole.add(Outcome(ends, found["taken"]))
    if memories:
        show(whole, memories, each * len(memories))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
