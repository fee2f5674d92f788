"""`beam`: does a correction come before what it corrects, and are both sides of a contradiction shown?

Twenty long chats. What the person said is ingested turn by turn through the extractor and the gate (with `--full` the
assistant's turns as well, as `agent_inferred`); the questions, their answers and the ids that come with them are never
indexed. `update_first`: the turn that states an update is ranked before the turn that stated what it replaces.
`both_sides_5`: a turn of each side of a contradiction is among the first five. Questions whose ids are missing from the
data are left out.

The same questions are asked with mechanisms taken away one by one, so that the table says what each gives:
BM25 over all turns, BM25 over the person's turns, BM25 with the newest of its twenty best first (dates alone), tkg without
stated changes and supersession, without the words of the turns beside a turn, without steps in the graph, without the claims
that extraction made, and whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from rich.table import Table

import tkg
from benchmarks.bm25 import Bm25
from benchmarks.catalogue import Options
from benchmarks.locomo import ingest
from benchmarks.result import Result, versions
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory import reading
from tkg.memory.handle import Handle
from tkg.model.document import Document
from tkg.model.time import Instant, to_datetime, to_instant
from tkg.recall import candidates, search

TARGETS: Final = {"update_first": 0.80, "both_sides_5": 0.50}
#: how many items are asked for: the place of both statements must be seen
_PLACES: Final = 40
_BUDGET: Final = 1_000_000
_TRAIL: Final = re.compile(r"\s*->->[\s\d,]*$")
_ANCHOR: Final = "%B-%d-%Y"
_UNDATED: Final = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Pair:
    """A question with the turns of its two statements: the old and the new one, or the two sides."""

    question: str
    first: frozenset[str]
    second: frozenset[str]


@dataclass(frozen=True)
class Chat:
    """One chat: its turns as documents, and what is asked of it."""

    name: str
    turns: list[Document]
    updates: list[Pair]
    contradictions: list[Pair]


@dataclass
class Counted:
    """How often each figure held."""

    update_first: list[bool] = field(default_factory=list)
    both_sides_5: list[bool] = field(default_factory=list)
    both_sides_10: list[bool] = field(default_factory=list)

    def add(self, chat: Chat, rank: Callable[[str], list[str]]) -> None:
        """Ask every question of a chat."""
        for pair in chat.updates:
            ranked = rank(pair.question)
            self.update_first.append(_place(ranked, pair.second) < _place(ranked, pair.first))
        for pair in chat.contradictions:
            ranked = rank(pair.question)
            for k, into in ((5, self.both_sides_5), (10, self.both_sides_10)):
                shown = set(ranked[:k])
                into.append(bool(shown & pair.first) and bool(shown & pair.second))

    def shares(self) -> tuple[float, float, float]:
        """Return the three shares."""
        first, second, third = (
            sum(found) / max(len(found), 1) for found in (self.update_first, self.both_sides_5, self.both_sides_10)
        )
        return first, second, third


def _place(ranked: Sequence[str], turns: frozenset[str]) -> int:
    return min((place for place, turn in enumerate(ranked) if turn in turns), default=len(ranked) + 1_000)


def chats(folder: Path) -> Iterator[Chat]:
    """Read the data, the chats in the order of their numbers."""
    for place in sorted((one for one in folder.iterdir() if one.is_dir()), key=lambda one: int(one.name)):
        asked = json.loads((place / "probing_questions.json").read_text(encoding="utf-8"))
        yield Chat(
            name=f"chat-{place.name}",
            turns=list(_turns(json.loads((place / "chat.json").read_text(encoding="utf-8")), place.name)),
            updates=_pairs(asked.get("knowledge_update", []), "original_info", "updated_info"),
            contradictions=_pairs(asked.get("contradiction_resolution", []), "first_statement", "second_statement"),
        )


def _turns(batches: Sequence[Mapping[str, Any]], name: str) -> Iterator[Document]:
    moment = to_instant(_UNDATED)
    for number, batch in enumerate(batches):
        said = [turn for group in batch["turns"] for turn in group]
        for turn in said:
            moment = max(moment + 1_000_000, _anchored(turn.get("time_anchor")) or 0)
            text = _TRAIL.sub("", str(turn["content"])).replace("\x00", " ").strip()
            if text:
                yield Document(
                    text=text,
                    uri=f"beam:{name}",
                    media="turn",
                    observed_at=moment,
                    speaker="the user" if turn["role"] == "user" else "the assistant",
                    role=turn["role"],
                    turn=str(turn["id"]),
                    session=f"{name}-{number}",
                )


def _anchored(text: object) -> Instant | None:
    try:
        return to_instant(datetime.strptime(str(text), _ANCHOR).replace(tzinfo=UTC))
    except ValueError:
        return None


def _pairs(asked: Sequence[Mapping[str, Any]], first: str, second: str) -> list[Pair]:
    found = []
    for one in asked:
        ids = one.get("source_chat_ids", {})
        sides = [frozenset(str(each) for each in ids.get(name) or ()) for name in (first, second)]
        if all(sides):
            found.append(Pair(one["question"], *sides))
    return found


def bm25(turns: Sequence[Document], *, newest: int = 0) -> Callable[[str], list[str]]:
    """Return BM25 over turns; with `newest`, that many of the best are put in order of date, newest first."""
    ranker = Bm25([turn.text for turn in turns])

    def rank(query: str) -> list[str]:
        places = ranker.rank(query)
        places = [*sorted(places[:newest], reverse=True), *places[newest:]]
        return [turns[place].turn or "" for place in places]

    return rank


def asker(handle: Handle, change: Callable[[], AbstractContextManager[Any]]) -> Callable[[str], list[str]]:
    """Return recall as a ranking of turns, with a mechanism changed."""

    def rank(query: str) -> list[str]:
        with change():
            shown = handle.recall(query, k=_PLACES, token_budget=_BUDGET).items
        return list(dict.fromkeys(item.locator for item in shown if item.locator is not None))

    return rank


@contextmanager
def _without_changes() -> Iterator[None]:
    with patch.object(search, "replaced", lambda *_: []):
        yield


@contextmanager
def _without_neighbours() -> Iterator[None]:
    with patch.object(candidates, "_BEFORE", 0.0), patch.object(candidates, "_AFTER", 0.0):
        yield


@contextmanager
def _without_claims() -> Iterator[None]:
    with patch.object(reading, "KINDS", ("episode",)):
        yield


@contextmanager
def _without_graph() -> Iterator[None]:
    with patch.object(candidates.Gatherer, "_neighbours", lambda _: None):
        yield


#: name of a row -> what is taken away
ABLATIONS: Final[dict[str, Callable[[], AbstractContextManager[Any]]]] = {
    "tkg": nullcontext,
    "tkg without stated changes and supersession": _without_changes,
    "tkg without the turns beside a turn": _without_neighbours,
    "tkg without the graph": _without_graph,
    "tkg without claims": _without_claims,
}


def run(options: Options) -> Result:
    """Measure on all chats of the data."""
    result = Result("beam", versions=versions("spacy"))
    counted: dict[str, Counted] = {}
    engine = (options.engines or ("auto",))[0]
    for chat in chats(options.data / "beam"):
        said = [turn for turn in chat.turns if turn.role == "user"]
        stored = chat.turns if options.full else said
        options.say(f"beam: {chat.name}, {len(stored)} of {len(chat.turns)} turns")
        with TemporaryDirectory(prefix="tkg-beam-") as place:
            count(chat, Path(place) / "store", stored, engine, counted)
        for name, rank in (
            ("BM25, all turns", bm25(chat.turns)),
            ("BM25, the person's turns", bm25(said)),
            ("BM25, the person's turns, newest of 20 first", bm25(said, newest=20)),
        ):
            counted.setdefault(name, Counted()).add(chat, rank)
    return _told(result, counted)


def count(chat: Chat, place: Path, turns: Sequence[Document], engine: str, counted: dict[str, Counted]) -> None:
    """Ingest a chat and ask its questions of every row of the ablation."""
    last = to_datetime(max(turn.observed_at for turn in turns)) + timedelta(hours=1)
    with tkg.open(place, clock=ManualClock(last), ids=SeededIds(5), engine=engine) as memory:
        ingest(memory, chat.name, turns)
        handle = memory.scope(tenant=chat.name)
        for name, change in ABLATIONS.items():
            counted.setdefault(name, Counted()).add(chat, asker(handle, change))


def _told(result: Result, counted: dict[str, Counted]) -> Result:
    whole = counted["tkg"]
    result.n = len(whole.update_first) + len(whole.both_sides_5)
    keys = ("update_first", "both_sides_5", "both_sides_10")
    result.figures.update(zip(keys, whole.shares(), strict=True))
    result.baselines.update(zip(keys, counted["BM25, all turns"].shares(), strict=True))
    table = Table(
        "mechanism", "update first", "both sides @5", "@10", title_justify="left",
        title=f"{len(whole.update_first)} updates, {len(whole.both_sides_5)} contradictions",
    )  # fmt: skip
    for name, one in sorted(counted.items(), key=lambda pair: pair[0].startswith("tkg")):
        table.add_row(name, *(f"{value:.3f}" for value in one.shares()))
        key = re.sub(r"[^a-z0-9]+", "_", name.lower())
        result.figures.update({f"{key}_{figure}": value for figure, value in zip(keys, one.shares(), strict=True)})
    result.missed = [
        f"{key} is {result.figures[key]:.3f} instead of {target}"
        for key, target in TARGETS.items()
        if result.figures[key] < target
    ]
    result.tables = [table]
    return result
