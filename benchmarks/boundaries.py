"""`boundaries`: what recall must never do, counted: break out of its block, cross a scope, forget what it showed, differ.

Four counts, each with a positive control and the 95 % bound of a zero (3 / n):

- `break_outs`: records that a parser did not read back exactly, of 10,000 hostile strings.
- `leaks`: answers, errors and exports that held another tenant's or another user's canary, of 10,000 probes (recall now, as
  of then and at another time, value, timeline, contradictions, guessed and stolen ids, export, names as neighbours), and
  `leaks_by_meaning`: of as many more with vectors. In the control the owner asks the same about the same, and each way of
  asking that shows what is stored must show the canary.
- `untraced`: ids shown by a process that was killed right after recall returned, missing from the trace afterwards.
- `different`: answers of the same store, query and clock that were not the same bytes, of 1,000.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.table import Table

import tkg
from benchmarks.catalogue import Options
from benchmarks.locomo import installed
from benchmarks.result import Result, versions
from tkg.clock import ManualClock
from tkg.embedding import Embedder, StaticEmbedder
from tkg.errors import TkgError
from tkg.ids import SeededIds
from tkg.memory import reading
from tkg.memory.handle import Handle
from tkg.memory.tenant import Tenant
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.recall.model import RecallItem
from tkg.recall.render import frame_tokens, item_line, line_tokens, parse_block, render_text

_STRINGS = 10_000
_PROBES = 10_000
_KILLS = 20
_REPEATS = 1_000
#: ways of asking that show the owner what is stored; the others tell ids and counts
_SHOWING: Final = frozenset(
    "recall,recall as of,recall valid at,neighbours,value,timeline,contradictions,explain,export".split(",")
)
_NONCE: Final = "k3v9w2m4"
_NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
_PIECES: Final = (
    "</memory>", f"</memory {_NONCE}>", f"\n</memory {_NONCE}>\n", f"<memory {_NONCE}>", "MEMORY (0 records, 1 of 1 tokens)",
    "```", "\n", "\r", "\u2028", "\u2029", "\x85", "\x00", "\x1b[31m", "\u202e", "\u2066", "\u200b", "\ufeff", "\U000e0041",
    '"', '"}\n{"id":"clm_x"', "\\", "\\u003c", "<|im_start|>system", "[INST]", "assistant:", "&lt;", "{", "}", "'", "`",
    "\ud800", "\udfff", "﷽", "東京", "ship", " ", "é", "![x](https://evil.example)", "\x7f", "\x9b",
)  # fmt: skip


def hostile(count: int, seed: int = 3) -> Iterator[str]:
    """Yield strings put together from what ends lines, fences, JSON strings, tags and terminals."""
    chance = random.Random(seed)
    for _ in range(count):
        parts = chance.choices(_PIECES, k=chance.randint(1, 9))
        # two halves of a pair beside each other are one character of JSON; the store takes neither half
        yield "".join(parts).replace("\ud800\udfff", "\ud800 \udfff") + chr(
            chance.choice((chance.randrange(0xD800), chance.randrange(0xE000, 0x110000)))
        )


def break_outs(count: int) -> int:
    """Return how many hostile strings were not read back exactly, from blocks of five records."""
    bad, batch = 0, list(hostile(count))
    for start in range(0, len(batch), 5):
        texts = batch[start : start + 5]
        items = [
            RecallItem(f"art_{start + at}", "episode", "acme", "external", text, 0, uri=text, note=text)
            for at, text in enumerate(texts)
        ]
        lines = [item_line(item) for item in items]
        tokens = frame_tokens(_NONCE) + sum(line_tokens(line) for line in lines)
        block = render_text(lines, records=len(lines), tokens=tokens, token_budget=tokens, nonce=_NONCE)
        read = {one.id: one for one in parse_block(f"before\n{block}\nafter").items}
        bad += sum(item.id not in read or read[item.id].text != item.text for item in items)
        bad += len(read) != len(items)
    return bad


class _World:
    """Two tenants and two users, each with secrets of its own behind the same names."""

    def __init__(self, memory: tkg.Memory) -> None:
        self.memory = memory
        self.canaries: dict[str, list[str]] = {}
        self.ids: dict[str, list[str]] = {}
        self.handles: dict[str, Handle] = {}
        for name, tenant, user in (
            ("ours", "acme", "ana"), ("other user", "acme", "ben"), ("other tenant", "zeta", "ana"),
        ):  # fmt: skip
            handle = memory.scope(tenant, user, channel="human_stated", principal=f"{tenant}-{user}", session="s1")
            self.handles[name] = handle
            self.canaries[name] = [f"canary{name.replace(' ', '')}{number}" for number in range(20)]
            for number, canary in enumerate(self.canaries[name]):
                made = handle.propose(subject=f"depot {number}", predicate="gate code word", object=canary)
                linked = handle.propose(subject=canary, predicate="kept by", object=f"keeper {number}")
                said = handle.remember(f"By the way, depot {number} has the word {canary}.", turn=f"t{number}")
                ids = self.ids.setdefault(name, [])
                ids += [one.claim_id for one in (made, linked) if one.claim_id]
                ids += [one.artefact_id for one in said if one.artefact_id]
            other = memory.scope(tenant, user, channel="human_stated", principal=f"{tenant}-{user}-2", session="s2")
            for number, canary in enumerate(self.canaries[name][:5]):  # two say different words: a contradiction
                other.propose(subject=f"depot {number}", predicate="gate code word", object=f"{canary} no more")


def _asks(number: int, ids: Sequence[str]) -> dict[str, Callable[[Handle], object]]:
    """Return ways to ask for what these ids and everybody's depots are about."""
    at = number % 20
    stolen = ids[number % len(ids)]
    guessed = f"{stolen[:-1]}{'0123456789abcdefghjkmnpqrstvwxyz'[number % 32]}"
    about = f"what is the gate code word of depot {at}"
    return {
        "recall": lambda h: h.recall(about, k=50, token_budget=100_000),
        "recall as of": lambda h: h.recall(about, as_of=50),
        "recall valid at": lambda h: h.recall(about, valid_at="2026-03-02"),
        "neighbours": lambda h: h.recall(f"who keeps the word of depot {at} kept by keeper {at}"),
        "value": lambda h: h.value(f"depot {at}", "gate code word"),
        "timeline": lambda h: h.timeline(f"depot {at}", "gate code word"),
        "contradictions": lambda h: h.contradictions(),
        "explain": lambda h: h.explain(stolen),
        "lineage": lambda h: h.lineage(guessed),
        "exposure": lambda h: h.exposure(stolen),
        "plan": lambda h: h.plan_revoke(claim=stolen),
        "find": lambda h: h.find(stolen[:12]),
        "export": lambda h: "\n".join(h.export()),
    }


def _answer(ask: Callable[[Handle], object], handle: Handle) -> str:
    try:
        return repr(ask(handle))
    except TkgError as error:
        return f"{error!r} {error} {error.code}"


def leaks(memory: tkg.Memory, count: int) -> tuple[int, set[str]]:
    """Return how many probes showed another's canary, and the ways of asking that showed the owners theirs (the control)."""
    world = _World(memory)
    ours, owner = world.handles["ours"], world.handles["other tenant"]
    foreign = [*world.canaries["other user"], *world.canaries["other tenant"]]
    stolen = [*world.ids["other user"], *world.ids["other tenant"]]
    control: set[str] = set()
    found = done = number = 0
    while done < count:
        own = _asks(number, world.ids["other tenant"])
        for name, ask in _asks(number, stolen).items():
            # an export and the sweep cost most: they are asked for at every twentieth round
            if done >= count or (name in ("contradictions", "export") and number % 20):
                continue
            answer = _answer(ask, ours)
            found += any(canary in answer for canary in foreign)
            done += 1
            if number < 32 and name not in control:
                answer = _answer(own[name], owner)
                control |= {name} if any(canary in answer for canary in world.canaries["other tenant"]) else set()
        number += 1
    return found, control


_CHILD: Final = """
import os, signal, sys, tkg
memory = tkg.open(sys.argv[1], engine="memory")
result = memory.scope("acme", "ana", session="crash").recall("what is the gate code word of depot " + sys.argv[2])
os.write(1, " ".join([result.id, *result.trace.shown]).encode())
os.kill(os.getpid(), signal.SIGKILL)
"""


def untraced(store: Path, kills: int) -> tuple[int, int]:
    """Return how many ids shown before a kill are in no trace, and how many were shown."""
    shown: list[tuple[str, list[str]]] = []
    for number in range(kills):
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(store), str(number % 20)], stdout=subprocess.PIPE, check=False
        )
        if done.returncode != -signal.SIGKILL or not done.stdout:
            raise RuntimeError("the process that was to be killed after recall did not get there")
        retrieval, *ids = done.stdout.decode().split()
        shown.append((retrieval, ids))
    missing = 0
    with tkg.open(store, engine="memory") as memory:
        handle = memory.scope("acme", "ana")
        for retrieval, ids in shown:
            for one in ids:
                missing += retrieval not in {read.retrieval.id for read in handle.exposure(one)}
    return missing, sum(len(ids) for _, ids in shown)


def different(memory: tkg.Memory, repeats: int) -> int:
    """Return how many of the answers to one question, at one state and one time, were not the bytes of the first."""
    tenant: Tenant = memory.tenant("acme")
    caller = memory.scope("acme", "ana")._caller
    request = reading.request_of(
        tenant, caller, "what is the gate code word of depot 3", k=5, token_budget=1200, valid_at=None, as_of=None
    )
    answers = [repr(reading.answer(tenant, caller, request, nonce=_NONCE)).encode() for _ in range(repeats)]
    return sum(answer != answers[0] for answer in answers)


def run(options: Options) -> Result:
    """Count on one store, and the probes once more on one with vectors."""
    result = Result("boundaries", versions=versions())
    engine = (options.engines or ("auto",))[0]
    told: list[tuple[str, int, int, str]] = []
    with TemporaryDirectory(prefix="tkg-boundaries-") as place:
        store = Path(place) / "store"
        for name, embedder in (("leaks", None), ("leaks_by_meaning", installed(StaticEmbedder))):
            if name != "leaks" and embedder is None:
                continue
            options.say(f"boundaries: probes across tenants and users, {name}")
            with _opened(store if embedder is None else Path(place) / "vectors", engine, embedder) as memory:
                found, control = leaks(memory, _PROBES)
                if embedder is None:
                    options.say("boundaries: the same question again and again")
                    unlike = different(memory, _REPEATS)
            told.append((name, found, _PROBES, f"the owner sees it by {len(control)} of {len(_SHOWING)} ways"))
            result.figures[f"{name}_control"] = len(control & _SHOWING)
            if missing := sorted(_SHOWING - control):
                result.missed.append(f"{name}: the control shows nothing by {', '.join(missing)}")
        options.say("boundaries: processes killed after recall")
        untraced_ids, shown = untraced(store, _KILLS)
    told.insert(0, ("break_outs", break_outs(_STRINGS), _STRINGS, "every string read back"))
    told.append(("untraced", untraced_ids, shown, f"{_KILLS} processes killed"))
    told.append(("different", unlike, _REPEATS, ""))
    table = Table("count", "of", "found", "95 % bound", "control", title="what must be zero", title_justify="left")
    for name, count, of, control_said in told:
        result.figures[name] = count
        result.figures[f"{name}_of"] = of
        table.add_row(name, f"{of:,}", str(count), f"{3 / of:.4f}" if of else "", control_said)
        if count:
            result.missed.append(f"{name} is {count} instead of 0")
    result.n = sum(of for _, _, of, _ in told)
    result.tables = [table]
    return result


def _opened(store: Path, engine: str, embedder: Embedder | None) -> tkg.Memory:
    registry = Registry.of({"gate code word": {"cardinality": "one"}})
    clock = ManualClock(_NOW, timedelta(microseconds=1))
    policies = Policies(write=WritePolicy(registry=registry))
    return tkg.open(store, clock=clock, ids=SeededIds(9), engine=engine, policies=policies, embedder=embedder)
