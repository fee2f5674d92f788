"""Changed bytes, cut files and exchanged blocks in every file of a store: nothing is served silently wrong after `verify`.

Ledger, signed head, text index and vectors are damaged in a fresh copy each time. A ledger at rest carries its seal, so every change must be found; half
of them are tried without it, where a change in bytes that hold nothing may pass if the answers stay the same. What `verify`
finds in the projections, `rebuild` must repair. With a graph engine the graph file is damaged too.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tkg
from tests.crash.kill import told
from tests.crash.work import TENANT, Worker, folder, opened, prepare, warm
from tkg.errors import Damaged, RequestError
from tkg.files import seal_place
from tkg.index.port import Vectors
from tkg.ledger.heads import read_kept
from tkg.memory import receipts

_BATCH = 25
_HANGS = 240
_BLOCK = 512
#: id of the receipt of the erasure in the store, once it is made
_RECEIPT: list[str] = []


def damage(path: Path, how: str, chance: random.Random) -> str:
    """Change a file; return what was done. It differs from before."""
    content = bytearray(path.read_bytes())
    if how == "flip":
        place, bit = chance.randrange(len(content)), 1 << chance.randrange(8)
        content[place] ^= bit
        path.write_bytes(content)
        return f"byte {place} bit {bit}"
    if how == "cut":
        size = chance.randrange(len(content))
        path.write_bytes(content[:size])
        return f"cut to {size}"
    size = min(_BLOCK, len(content) // 8)  # a small file has several blocks as well
    while True:
        one, two = (chance.randrange(len(content) // size) * size for _ in range(2))
        left, right = bytes(content[one : one + size]), bytes(content[two : two + size])
        if left != right:
            content[one : one + size], content[two : two + size] = right, left
            path.write_bytes(content)
            return f"blocks at {one} and {two} exchanged"


class Letters:
    """Vectors from the letters of a text."""

    model_id, dimension = "letters", 64

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return how often each letter is in each text."""
        return np.array([[text.count(chr(32 + place)) for place in range(64)] for text in texts], dtype=np.float32)


def answers(path: Path, engine: str, *, file: bool = False, meaning: bool = False) -> Any:
    """Return what a store says, from ledger, graph and index; with `meaning`, what its vectors say as well."""
    with opened(path, engine, file=file, embedder=Letters() if meaning else None) as memory:
        reader = memory.scope(TENANT)
        said = [
            reader.value(f"pump {number}", predicate).model_dump()
            for number in range(8)
            for predicate in ("state", "note")
        ]
        index = memory.tenant(TENANT).index
        given: dict[str, Any] = {"scopes": [TENANT], "kinds": ["claim", "summary", "action"], "limit": 100}
        queries = ["pump value said", "log", *(f"pump {number} state" for number in range(8))]
        found = [sorted(map(list, index.search(query, **given))) for query in queries]
        named = [sorted(map(list, index.named(query, scopes=[TENANT], limit=50))) for query in queries]
        meant = []
        if (vectors := memory.tenant(TENANT).vectors) is not None:
            vectors.bring_up(memory.tenant(TENANT).ledger.head.seq)
            meant = [sorted(map(list, vectors.search(query, **given))) for query in queries]
        return json.loads(json.dumps([said, found, named, list(reader.export()), meant]))


def _codes(path: Path, engine: str) -> list[str]:
    with tkg.open(path, engine=engine, read_only=True) as memory:
        return sorted(one.code for one in memory.verify().findings if one.severity == "error")


def _ledger(path: Path, expected: Any, chance: random.Random, name: str = "ledger") -> tuple[str, str]:
    place = folder(path) / f"{name}.sqlite"
    sealed = chance.random() < 0.5
    how = chance.choice(["flip", "flip", "flip", "cut", "swap"])
    if not sealed:
        seal_place(place).unlink()
    did = damage(place, how, chance)
    found = _codes(path, "memory")
    if found:
        return f"{name} {how} found", ""
    if sealed:
        return f"{name} {how} missed", f"{did} of the {name} at rest was not found"
    try:
        same = answers(path, "memory", meaning=True) == expected
    except Damaged:
        return f"{name} {how} refused", f"{did}: refused on opening and not found by verify"
    return f"{name} {how} harmless", "" if same else f"{did} of the {name} is served wrong"


def _cold(path: Path, expected: Any, chance: random.Random) -> tuple[str, str]:
    return _ledger(path, expected, chance, "archive")


def _receipt(path: Path, _: Any, chance: random.Random) -> tuple[str, str]:
    """Damage a receipt as somebody keeps it outside: it no longer verifies, or says the same."""
    place = path.with_name("receipt.json")
    with tkg.open(path, engine="memory", read_only=True) as memory:
        reader = memory.scope(TENANT)
        whole = reader.receipt(_RECEIPT[0])
        place.write_text(json.dumps(whole, indent=1), encoding="utf-8")
        how = chance.choice(["flip", "flip", "flip", "cut", "swap"])
        did = damage(place, how, chance)
        try:
            said = receipts.read(place.read_text("utf-8"))
        except (RequestError, UnicodeDecodeError):
            return f"receipt {how} found", ""
        if said == whole:
            return f"receipt {how} harmless", ""
        holds = all(one.holds for one in reader.verify_receipt(said))
        return f"receipt {how} {'missed' if holds else 'found'}", f"{did} of a receipt verifies" if holds else ""


def _index(path: Path, expected: Any, chance: random.Random, name: str = "index") -> tuple[str, str]:
    place = folder(path) / f"{name}.sqlite"
    how = chance.choice(["flip", "flip", "flip", "cut", "swap"])
    did = damage(place, how, chance)
    found = _codes(path, "memory")
    kind = f"{name} {how} {'found' if found else 'harmless'}"
    if found:
        with opened(path, "memory") as memory:
            memory.rebuild(TENANT)
        if _codes(path, "memory"):
            return kind, f"{did} of the {name} was not repaired by rebuild"
    same = answers(path, "memory", meaning=True) == expected
    return kind, "" if same else f"{did} of the {name} is served wrong"


def _vectors(path: Path, expected: Any, chance: random.Random) -> tuple[str, str]:
    return _index(path, expected, chance, "vectors")


def _head(path: Path, expected: Any, chance: random.Random) -> tuple[str, str]:
    """Damage the signed head that lies beside the ledger: it is named, or says the same."""
    place = folder(path) / "head.json"
    whole = json.loads(place.read_text("utf-8"))
    how = chance.choice(["flip", "flip", "flip", "cut", "swap"])
    did = damage(place, how, chance)
    found = _codes(path, "memory")
    if not found:
        kept = read_kept(place)
        if kept is None or kept.head.model_dump() != whole["head"]:
            return f"head {how} missed", f"{did} of the signed head was not found"
    same = answers(path, "memory", meaning=True) == expected
    return f"head {how} {'found' if found else 'harmless'}", "" if same else f"{did} of the head changes an answer"


def _graph(path: Path, expected: Any, chance: random.Random, engine: str, *, sealed: bool) -> tuple[str, str]:
    """Damage a graph file; without its seal it is one that a killed process left, with a log."""
    graph = folder(path) / "graph"
    place = graph
    log = graph.with_name("graph.wal")
    if not sealed and log.exists() and log.stat().st_size and chance.random() < 0.6:
        place = log
    how = chance.choice(["flip", "flip", "flip", "cut", "swap"])
    did = f"{place.name}: {damage(place, how, chance)}"
    kind = f"graph {'sealed' if sealed else 'left behind'} {how}"
    found = _codes(path, engine)
    if sealed and not found:
        return f"{kind} missed", f"{did} of a graph at rest was not found"
    if found:
        with opened(path, engine, file=True) as memory:
            memory.rebuild(TENANT)
        if _codes(path, engine):
            return kind, f"{did} was not repaired by rebuild"
    same = answers(path, engine, file=True) == expected
    return f"{kind} {'found' if found else 'harmless'}", "" if same else f"{did} is served wrong"


def _batch(
    template: Path, store: Path, seed: int, count: int, engine: str, left_behind: bool, expected: Any
) -> Callable[[int], None]:
    def run(writing: int) -> None:
        signal.alarm(_HANGS)
        chance = random.Random(seed)
        for _ in range(count):
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(template, store)
            if engine == "memory":
                one = chance.choices([_ledger, _cold, _index, _vectors, _head, _receipt], [10, 2, 5, 3, 1, 2])[0]
                kind, wrong = one(store, expected, chance)
            else:
                kind, wrong = _graph(store, expected, chance, engine, sealed=not left_behind)
            os.write(writing, (json.dumps({"kind": kind, "wrong": wrong}) + "\n").encode())

    return run


def _at_rest(template: Path, number: int, chance: random.Random, engine: str) -> Iterator[tuple[str, str]]:
    """Damage a sealed graph file in place, look, and put it back: its engine is never asked."""
    from tkg.files import seal_state

    graph = folder(template) / "graph"
    assert seal_state(graph) == "sealed"
    whole = graph.read_bytes()
    for _ in range(number):
        how = chance.choice(["flip", "flip", "flip", "cut", "swap"])
        did = damage(graph, how, chance)
        found = seal_state(graph) == "changed"
        yield f"graph sealed {how} {'found' if found else 'missed'}", "" if found else f"graph: {did} was not found"
        graph.write_bytes(whole)


def run(
    folder_: Path, *, engine: str, number: int, seed: int, file: bool = False, seconds: float = 1e9
) -> dict[str, Any]:
    """Damage so many times.

    With the engine "memory": ledger, cold file, head, text index, vectors, receipt. With a graph engine: its file at rest, of which one in 50 is also opened,
    repaired and asked; with `file`, instead, what a killed process left behind.
    """
    began, chance = time.monotonic(), random.Random(seed)
    template, store = folder_ / "template", folder_ / "store"
    graph = engine != "memory"
    warm(folder_ / "warm")
    if graph and file:
        expected = _killed(template, engine)
    else:
        told(lambda _: prepare(template, engine, file=graph))
        lines, code = told(
            lambda out: _say(
                out, [_erased(template, engine, graph), answers(template, engine, file=graph, meaning=not graph)]
            )
        )
        assert lines and not code, lines
        receipt, expected = lines[-1]
        _RECEIPT[:] = [receipt]
        told(lambda _: _reseal(template, engine, file=graph))
    kinds: Counter[str] = Counter()
    wrong: list[str] = []
    done = 0
    if graph and not file:
        for kind, problem in _at_rest(template, number - number // 50, chance, engine):
            kinds[kind] += 1
            done += 1
            wrong += [problem] if problem else []
    while done < number and time.monotonic() - began < seconds:
        count = min(_BATCH if not graph else 2, number - done)
        batch = seed * 1_000_000 + done
        lines, code = told(_batch(template, store, batch, count, engine, file, expected))
        if lines is None or code or len(lines) != count:
            wrong.append(
                f"batch {batch}: the process {'hung' if lines is None else f'ended with {code}'}: {(lines or [])[-1:]}"
            )
        for one in lines or []:
            if "kind" in one:
                kinds[one["kind"]] += 1
                wrong += [f"batch {batch}: {one['wrong']}"] if one["wrong"] else []
        done += count
    total = kinds.total()
    return {
        "engine": engine + (" (left behind by a kill)" if file else ""),
        "damages": total,
        "kinds": dict(sorted(kinds.items())),
        "found": sum(count for kind, count in kinds.items() if kind.endswith("found")),
        "wrong": wrong,
        "bound_95": round(3 / max(total, 1), 5),
        "seconds": round(time.monotonic() - began, 1),
    }


def _erased(template: Path, engine: str, file: bool) -> str:
    """Erase something; return the id of the receipt."""
    with opened(template, engine, file=file) as memory:
        worker = Worker(memory, random.Random(9))
        worker.erase()
        worker.head()
        (receipt,) = worker.receipts
        return receipt


def _say(writing: int, value: Any) -> None:
    content = (json.dumps(value) + "\n").encode()
    while content:
        content = content[os.write(writing, content) :]


def _reseal(template: Path, engine: str, *, file: bool) -> None:
    with opened(template, engine, file=file) as memory:
        memory.tenant(TENANT)


def _killed(template: Path, engine: str) -> Any:
    """Leave a store as a killed process leaves it, with a log beside the graph; return what it says when it is opened."""
    told(lambda _: prepare(template, engine, file=True))

    def work(_: int) -> None:
        memory = opened(template, engine, file=True)
        worker = Worker(memory, random.Random(5))
        for _ in range(4):
            worker.propose()
        os.kill(os.getpid(), signal.SIGKILL)

    told(work)
    copy = template.with_name("asked")
    shutil.copytree(template, copy)
    lines, code = told(lambda out: _say(out, answers(copy, engine, file=True)))
    assert lines and not code, lines
    return lines[-1]
