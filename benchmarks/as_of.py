"""`as_of`: questions about a time, answered by `value(valid_at=…)` and `timeline` after the facts went through the gate.

TempReason gives each question its own dated facts; SituatedQA gives what annotators wrote down as two dated answers, the
later one to take the place of the earlier. The record of a question is one source there; with `--full` each annotator is
also taken for a source of its own, and then a conflict between them is no right answer. Each question's facts have a scope of their own. An answer is right when it
has values and all of them are gold. Baselines are counted in the same run from the same facts: the value that began
last, whatever the time asked about, and half-open intervals at the grain of the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.table import Table

import tkg
from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.dated import Fact, Question, read_situated, read_tempreason
from benchmarks.proportion import Share
from benchmarks.result import Result, versions
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.memory.reading import Segment
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.time import parse_when, to_datetime
from tkg.text import match_form

#: what each figure should reach
TARGETS: Final = {"tempreason_as_of": 0.97, "tempreason_order": 0.97, "situatedqa_as_of": 0.97}
_BY_ANNOTATOR: Final = "_by_annotator"
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
#: misses shown of each kind
_SHOWN: Final = 3
#: questions asked in one go
_MOST: Final = 10**9


def run(options: Options) -> Result:
    """Ask every question on every engine."""
    found = children.engines()
    result = Result("as_of", versions=versions(*found))
    table = Table(
        "set", "engine", "right", "any gold", "began last", "half-open", "facts refused", "n",
        title="as_of: share of questions answered rightly (all values gold), 95 % Wilson intervals",
        title_justify="left",
    )  # fmt: skip
    misses = Table("set", "kind of miss", "n", "example", title="as_of: what was missed, by kind", title_justify="left")
    for engine in options.engines or tuple(found):
        for name in (*TARGETS, *([f"situatedqa_as_of{_BY_ANNOTATOR}"] if options.full else [])):
            options.say(f"as_of: {name}, {engine}")
            one = children.run("as_of:measure", data=str(options.data), name=name, engine=engine, most=_MOST)
            result.peak_mb = max(result.peak_mb, one["peak_mb"])
            _take(result, table, misses, name, f"{engine} {found[engine]}", one)
    result.baselines |= {f"target_{name}": target for name, target in TARGETS.items()}
    result.tables = [table, *([misses] if misses.row_count else [])]
    return result


def _take(result: Result, table: Table, misses: Table, name: str, engine: str, one: dict[str, Any]) -> None:
    n = one["n"]
    right = Share(one["right"], n)
    result.n += n
    # one figure for all engines: the worst
    result.figures[name] = min(right.rate, result.figures.get(name, 1.0))
    result.figures[f"{name}_any"] = one["any"] / n
    result.figures[f"{name}_n"] = n
    for baseline in ("last", "half_open"):
        result.baselines[f"{name}_{baseline}"] = one[baseline] / n
    low, high = right.interval
    table.add_row(
        name, engine, f"{right.rate:.4f} ({low:.3f}–{high:.3f})", f"{one['any'] / n:.4f}", f"{one['last'] / n:.4f}",
        f"{one['half_open'] / n:.4f}", str(one["refused"]), str(n),
    )  # fmt: skip
    for kind, count in one["misses"].items():
        for place, example in enumerate(one["examples"].get(kind, ())):
            misses.add_row(name if place == 0 else "", kind if place == 0 else "", "" if place else str(count), example)
    if right.rate < TARGETS.get(name, 0.0):
        result.missed.append(f"{name} on {engine}: {right.rate:.4f} instead of {TARGETS[name]}")


def questions_of(data: Path, name: str) -> list[Question]:
    """Return the questions behind a figure."""
    if name == "situatedqa_as_of":
        return read_situated(data / "situatedqa")
    return read_tempreason(data / "tempreason", name.removeprefix("tempreason_"))


def measure(*, data: str, name: str, engine: str, most: int) -> dict[str, Any]:
    """Answer the questions of one set on one engine; for `children.run`."""
    asked = questions_of(Path(data), name.removesuffix(_BY_ANNOTATOR))[:most]
    single, by_annotator = name.startswith("situatedqa"), name.endswith(_BY_ANNOTATOR)
    return ask(asked, engine, single=single, by_annotator=by_annotator)


def ask(questions: Sequence[Question], engine: str, *, single: bool, by_annotator: bool = False) -> dict[str, Any]:
    """Write the facts of each question and ask it.

    Args:
        questions: what is asked.
        engine: of the graph.
        single: the predicate "answer" holds one value at a time; other predicates are not declared.
        by_annotator: whoever wrote a fact down is a source of its own, not the record it stands in.
    """
    registry = Registry.of({"answer": {"cardinality": "one"}} if single else {})
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    with TemporaryDirectory(prefix="tkg-as-of-") as place:
        memory = tkg.open(
            Path(place) / "store",
            clock=ManualClock(_NOW, timedelta(milliseconds=1)),
            ids=SeededIds(5),
            engine=engine,
            policies=Policies(write=WritePolicy(registry=registry)),
        )
        with memory:
            memory.create_tenant("bench")
            scopes: dict[tuple[Fact, ...], str] = {}
            for question in questions:
                scope = scopes.get(question.facts)
                if scope is None:
                    scope = scopes[question.facts] = f"q-{len(scopes)}"
                    counts["refused"] += _write(memory, scope, question.facts, by_annotator=by_annotator)
                values, kind = answer(memory.scope(tenant="bench", user=scope), question)
                said, gold = _forms(values), _forms(question.gold)
                right = bool(said) and said <= gold
                counts["right"] += right
                counts["any"] += bool(said & gold)
                counts["last"] += match_form(_last(question)) in gold
                half_open = _forms(_half_open(question))
                counts["half_open"] += bool(half_open) and half_open <= gold
                if not right:
                    what = "no answer" if not said else "gold and more" if said & gold else "not gold"
                    kinds[f"{what} ({kind})"] += 1
                    shown = examples.setdefault(f"{what} ({kind})", [])
                    if len(shown) < _SHOWN:
                        shown.append(_example(question, values))
    return {
        "n": len(questions),
        **{key: counts[key] for key in ("right", "any", "last", "half_open", "refused")},
        "misses": dict(kinds.most_common()),
        "examples": examples,
    }


def _forms(values: Iterable[str]) -> set[str]:
    """Return values as they are compared: a set writes one letter in two ways."""
    return {match_form(value) for value in values}


def _example(question: Question, values: Iterable[str]) -> str:
    told = "; ".join(
        f"{fact.object} {fact.valid_from or '..'}/{fact.valid_to or '..'} ({fact.said_by})"
        for fact in question.facts[:6]
    )
    return f"{question.text} → {', '.join(sorted(values)) or '–'}; gold {', '.join(sorted(question.gold))}; from {told}"


def _write(memory: tkg.Memory, scope: str, facts: Sequence[Fact], *, by_annotator: bool) -> int:
    """Propose the facts, in the order given; return how many the gate did not take."""
    refused = 0
    for fact in facts:
        source = fact.said_by if by_annotator else "record"
        handle = memory.scope(tenant="bench", user=scope, channel="trusted_tool", principal=source)
        verdict = handle.propose(
            subject=fact.subject,
            predicate=fact.predicate,
            object=fact.object,
            valid_from=fact.valid_from or "..",
            valid_to=fact.valid_to,
            observed_at=_observed(fact),
            evidence=tkg.Evidence(uri=f"{fact.said_by}.txt", quote=fact.text),
        )
        refused += verdict.claim_id is None
    return refused


def _observed(fact: Fact) -> datetime:
    """Return when a source could first say so: when it began; a source said what it dates later, later."""
    return datetime(1, 1, 1, tzinfo=UTC) if fact.valid_from is None else to_datetime(parse_when(fact.valid_from).start)


def _asked(question: Question) -> datetime:
    """Return the instant a question is about: in a month, any one; as of a date, when that is over."""
    granule = parse_when(question.at)
    return to_datetime(granule.end if question.facts[0].valid_to is None else granule.end - 1)


def answer(handle: Handle, question: Question) -> tuple[frozenset[str], str]:
    """Return the values that the store gives as the answer, and of which kind the answer was."""
    subject, predicate = question.facts[0].subject, question.facts[0].predicate
    if question.word:
        return ordered(handle.timeline(subject, predicate), question.word, question.pivot), "timeline"
    found = handle.value(subject, predicate, valid_at=_asked(question))
    return frozenset(found.values), found.kind


def ordered(segments: Sequence[Segment], word: str, pivot: str) -> frozenset[str]:
    """Return the values that began next before or after `pivot` began, from a timeline; several that began together."""
    began: dict[str, int] = {}
    for place, segment in enumerate(segments):
        for value in segment.answer.values:
            began.setdefault(value, place)
    if pivot not in began:
        return frozenset()
    own = began[pivot]
    others = {place for value, place in began.items() if (place > own if word == "after" else place < own)}
    if not others:
        return frozenset()
    next_to = min(others) if word == "after" else max(others)
    return frozenset(value for value, place in began.items() if place == next_to)


def _start(fact: Fact) -> str:
    return (fact.valid_from or "").replace("-XX", "")


def _last(question: Question) -> str:
    return max(question.facts, key=_start).object


def _half_open(question: Question) -> frozenset[str]:
    """Return what holds at the date as text, ends excluded; without ends, what began last up to the date."""
    if question.word:
        return _neighbours({fact.object: _start(fact) for fact in question.facts}, question.word, question.pivot)
    begun = [fact for fact in question.facts if _start(fact) <= question.at]
    if any(fact.valid_to is not None for fact in question.facts):
        return frozenset(fact.object for fact in begun if fact.valid_to is None or question.at < fact.valid_to)
    latest = max((_start(fact) for fact in begun), default="")
    return frozenset(fact.object for fact in begun if _start(fact) == latest)


def _neighbours(starts: Mapping[str, str], word: str, pivot: str) -> frozenset[str]:
    own = starts[pivot]
    others = {start for start in starts.values() if (start > own if word == "after" else start < own)}
    if not others:
        return frozenset()
    next_to = min(others) if word == "after" else max(others)
    return frozenset(value for value, start in starts.items() if start == next_to)
