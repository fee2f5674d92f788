"""Dated facts with questions about a time, from published sets: TempReason and SituatedQA, and small ones of our own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

#: relations whose facts name the holder first: "<object> is the chair of <subject>"
_INVERSE: Final = ("is the chair of", "is the head coach of", "is the head of the government of")
_DIRECT: Final = (
    "plays for",
    "works for",
    "holds the position of",
    "attended",
    "is a member of the",
    "is owned by",
)
_FACT: Final = re.compile(
    rf"(.*?) ({'|'.join((*_INVERSE, *_DIRECT))}) (.*) from ([A-Z][a-z]{{2}}, [0-9]+) to ([A-Z][a-z]{{2}}, [0-9]+)\."
)
_IN: Final = re.compile(r" in ([A-Z][a-z]{2}, [0-9]+)\?$")


class Fact(NamedTuple):
    """One dated statement; a date is EDTF; None: not said.

    TempReason names the first and the last month, which count whole; an annotator who gives a year means some day in it.
    """

    subject: str
    predicate: str
    object: str
    valid_from: str | None
    valid_to: str | None
    said_by: str = "set"
    text: str = ""


class Question(NamedTuple):
    """A question with the facts it is asked of and every answer that counts.

    `at` is the time asked about, or, for a question of order, `word` ("before" or "after") and `pivot`.
    """

    text: str
    facts: tuple[Fact, ...]
    gold: frozenset[str]
    at: str = ""
    word: str = ""
    pivot: str = ""


def _month(text: str) -> str:
    found = datetime.strptime(f"{text.replace(',', '')} +0000", "%b %Y %z")
    return f"{found:%Y-%m}"


def _facts(context: str) -> Iterator[Fact]:
    for line in context.splitlines():
        match = _FACT.fullmatch(line.strip())
        if match is None:
            raise ValueError(f"not a dated fact: {line.strip()[:80]}")
        subject, relation, value, first, last = match.groups()
        if relation in _INVERSE:
            subject, value = value, subject
        yield Fact(subject, relation, value, _month(first), _month(last), text=line.strip())


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def tempreason(rows: Iterable[dict[str, Any]]) -> Iterator[Question]:
    """Read questions of TempReason: "… in Jun, 1970?", "… before X?", "… after X?".

    Raises:
        ValueError: a fact or a question is of another form.
    """
    for row in rows:
        facts = tuple(_facts(row["fact_context"]))
        text, gold = row["question"], frozenset(row["answer"])
        values = {fact.object for fact in facts}
        ends = [(value, word) for value in values for word in ("before", "after") if text.endswith(f" {word} {value}?")]
        if ends:
            pivot, word = max(ends, key=lambda found: len(found[0]))
            yield Question(text, facts, gold, word=word, pivot=pivot)
        elif match := _IN.search(text):
            yield Question(text, facts, gold, at=_month(match[1]))
        else:
            raise ValueError(f"not a question about a time: {text[:80]}")


def _day(parts: dict[str, Any] | None) -> str | None:
    if not parts or parts.get("year") is None:
        return None
    year, month, day = parts["year"], parts.get("month"), parts.get("date")
    if month is None:
        return f"{year:04}-XX-XX"
    return f"{year:04}-{month:02}-XX" if day is None else f"{year:04}-{month:02}-{day:02}"


def _asked(date: str) -> str:
    if date.isdigit():
        return date
    for form in ("%B %d, %Y", "%B %Y", "%B, %Y"):
        try:
            found = datetime.strptime(f"{date} +0000", f"{form} %z")
        except ValueError:
            continue
        return f"{found:%Y-%m-%d}" if "%d" in form else f"{found:%Y-%m}"
    raise ValueError(f"not a date: {date[:40]}")


def situated(timelines: Iterable[dict[str, Any]], asked: Iterable[dict[str, Any]]) -> Iterator[Question]:
    """Read the questions of SituatedQA whose answer depends on the date, with what each annotator wrote down.

    An annotator's timeline is two facts: the previous answer from its start, the current one from its own; neither is
    said to end. What has no date at all is left out.
    """
    known: dict[int, tuple[Fact, ...]] = {}
    for row in timelines:
        if row["is_dependent"]:
            known[row["id"]] = tuple(_written(row["question"], row["timelines"]))
    for row in asked:
        if row["id"] in known:
            yield Question(row["edited_question"], known[row["id"]], frozenset(row["answer"]), at=_asked(row["date"]))


def _written(question: str, timelines: Sequence[dict[str, Any]]) -> Iterator[Fact]:
    for number, line in enumerate(timelines):
        began, ended = _day(line["prev_start"]), _day(line["cur_start"])
        for answer in dict.fromkeys(line["prev_answers"] or ()):
            yield Fact(question, "answer", answer, began, None, f"annotator-{number}", f"{question}: {answer}")
        if ended is not None:
            for answer in dict.fromkeys(line["cur_answers"] or ()):
                yield Fact(question, "answer", answer, ended, None, f"annotator-{number}", f"{question}: {answer}")


def read_tempreason(folder: Path, kind: str) -> list[Question]:
    """Return the questions of one kind, "as_of" or "order"."""
    return [one for file in sorted(folder.glob(f"{kind}_*.jsonl")) for one in tempreason(_lines(file))]


def read_situated(folder: Path) -> list[Question]:
    """Return the dated questions of every split that is there."""
    return [
        one
        for raw in sorted(folder.glob("raw.*.jsonl"))
        for one in situated(_lines(raw), _lines(raw.with_name(raw.name.replace("raw.", "qa.", 1))))
    ]
