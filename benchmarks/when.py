"""Dates and ranges: what a phrase denotes, against three public sets, beside dateparser alone.

Recognizers gives a past and a future reading; either counts. Its ends of ranges are exclusive where they are written as a
day ("from 3 to 9 May" ends on the 9th), ours include the named unit, so a lenient score lets the end differ by one unit.
Duckling's rows with a time of day are out of scope and counted apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from rich.table import Table

from benchmarks.catalogue import Options
from benchmarks.proportion import Share
from benchmarks.result import Result, versions
from tkg.errors import TkgError
from tkg.extractors.points import Direction, shift_months
from tkg.extractors.spoken import read_spoken
from tkg.extractors.when import find_times
from tkg.model.edtf import read_edtf
from tkg.model.instant import BEGINNING, FOREVER
from tkg.model.time import iso, to_instant

_TARGET = 0.75
_SLACK = {"day": 1, "week": 7, "month": 31, "year": 366}


class Row(NamedTuple):
    """One phrase, the day it was written, and the half-open ranges of days that are right."""

    text: str
    reference: date
    gold: tuple[tuple[date, date], ...]


def _recognizers(path: Path) -> Iterator[Row]:
    for case in json.loads(path.read_text(encoding="utf-8-sig")):
        reference = case.get("Context", {}).get("ReferenceDateTime", "2019-07-30T00:00:00")[:10]
        for found in case["Results"]:
            gold = set()
            for name in ("PastResolution", "FutureResolution"):
                value = (found.get("Value") or {}).get(name) or {}
                if "date" in value:
                    first = date.fromisoformat(value["date"])
                    gold.add((first, first + timedelta(days=1)))
                elif "startDate" in value and "endDate" in value:
                    gold.add((date.fromisoformat(value["startDate"]), date.fromisoformat(value["endDate"])))
            if gold and all(first.year > 1 for first, _ in gold):
                yield Row(found["Text"], date.fromisoformat(reference), tuple(sorted(gold)))


def _duckling(path: Path) -> tuple[list[Row], int]:
    rows, clock = [], 0
    for case in json.loads(path.read_text(encoding="utf-8")):
        bounds = [(first, last) for first, last in case["gold"] if first and last]
        if len(bounds) != len(case["gold"]) or any(text[11:] != "00:00:00" for pair in bounds for text in pair):
            clock += 1
            continue
        gold = tuple((date.fromisoformat(first[:10]), date.fromisoformat(last[:10])) for first, last in bounds)
        rows.append(Row(case["text"], date.fromisoformat(case["ref"][:10]), gold))
    return rows, clock


def _ours(row: Row) -> list[tuple[date, date]]:
    out = []
    directions: tuple[Direction, ...] = ("near", "past", "future")
    for direction in directions:
        point = read_spoken(row.text, row.reference, direction, order="MDY")
        if point is not None:
            out.append((point.first, point.last + timedelta(days=1)))
    return out


def _expanded(day: date, period: str) -> tuple[date, date]:
    """The days of the unit that dateparser says it read; it names one day inside."""
    if period == "month":
        return day.replace(day=1), shift_months(day.replace(day=1), 1)
    if period == "year":
        return date(day.year, 1, 1), date(day.year + 1, 1, 1)
    if period == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=7)
    return day, day + timedelta(days=1)


def _library(row: Row) -> list[tuple[date, date]]:
    from dateparser.date import DateDataParser

    out = []
    for prefer in ("current_period", "past", "future"):
        base = datetime.combine(row.reference, datetime.min.time())
        parser = DateDataParser(languages=["en"], settings={"PREFER_DATES_FROM": prefer, "RELATIVE_BASE": base})
        found = parser.get_date_data(row.text)
        if found.date_obj is None:
            continue
        out.append(_expanded(found.date_obj.date(), found.period))
    return out


def _unit(first: date, last: date) -> int:
    """The unit by which an end may differ: a month where both ends are firsts of a month, a year, else a day."""
    if first.day == last.day == 1:
        return _SLACK["year" if first.month == last.month == 1 else "month"]
    return _SLACK["day"]


def _exact(found: list[tuple[date, date]], row: Row) -> bool:
    return any(one in row.gold for one in found)


def _lenient(found: list[tuple[date, date]], row: Row) -> bool:
    return any(
        first == start and abs((last - end).days) <= _unit(start, end)
        for first, last in found
        for start, end in row.gold
    )


#: sentences with words that look like dates, and without one
_DATE_FREE: Final = Path(__file__).resolve().parents[1] / "tests/extractors/date_free.txt"
_WRITTEN: Final = to_instant(datetime(2026, 11, 18, 10, 30, tzinfo=UTC))
_LEVEL_1: Final = re.compile(
    r"-?[\dX.]{4}(?:-[\dX]{2}){0,2}(?:T\S+)?(?:/(?:\.\.|-?[\dX]{4}(?:-[\dX]{2}){0,2}))?|\.\./-?\d\S*"
)
_SEASON_CODE: Final = re.compile(r"\d{4}-(?:2[5-9]|3\d|4[01]|24)")


def _days_of(text: str) -> tuple[str, str]:
    bounds = read_edtf(text)
    ends = (bounds.from_lo, bounds.to_hi - 1)
    return tuple(
        "inf" if end >= FOREVER - 1 else "-inf" if end <= BEGINNING else (iso(end) or "").split("T")[0] for end in ends
    )  # type: ignore[return-value]


def _edtf(folder: Path) -> tuple[int, int, list[str]]:
    """Return right, all and the wrong ones of the plain EDTF level 0 and 1 examples, and of what must be refused.

    Bounds are compared where no mark makes them a matter of padding; clock times without a zone and level 2 are
    outside what tkg reads.
    """
    examples = json.loads((folder / "python-edtf_examples.json").read_text(encoding="utf-8"))["EXAMPLES"]
    lists = json.loads((folder / "edtf-validate_lists.json").read_text(encoding="utf-8"))
    right, wrong = 0, []
    for text, gold in examples:
        clock = "T" in text and not re.search(r"(?:Z|[+-]\d\d:\d\d)$", text)
        if not _LEVEL_1.fullmatch(text) or _SEASON_CODE.fullmatch(text) or clock or text.startswith("XXXX"):
            continue
        if re.search(r"X-\d\d$|XX-\d\d|\dX-\d\d|/.*X|X.*/", text):
            continue  # level 2
        try:
            first, last = _days_of(text)
        except TkgError:
            wrong.append(text)
            continue
        if "T" in text or (first, last) == (gold[0], gold[-1]):
            right += 1
        else:
            wrong.append(text)
    for text in (*lists["invalid_edtf_dates"], *lists["invalid_edtf_intervals"]):
        if text != text.strip() or text.startswith(("[", "{")) or re.search(r"T.*/|/.*T", text):
            continue  # blanks around a date are forgiven; moments may be the ends of an interval here
        try:
            read_edtf(text)
        except TkgError:
            right += 1
        else:
            wrong.append(text)
    return right, right + len(wrong), wrong


def run(options: Options) -> Result:
    """Score each set and print the table."""
    folder = options.data / "time"
    duckling, clock = _duckling(folder / "duckling_half.json")
    sets = {
        "Recognizers date": list(_recognizers(folder / "recognizers_en/DateParser.json")),
        "Recognizers range": list(_recognizers(folder / "recognizers_en/DatePeriodParser.json")),
        "Duckling days": duckling,
    }
    result = Result("when", versions=versions("dateparser"))
    table = Table("set", "n", "exact", "lenient end", "95 %", "dateparser exact", "dateparser lenient")
    readers: dict[str, Callable[[Row], list[tuple[date, date]]]] = {"tkg": _ours, "dateparser": _library}
    totals = {name: [0, 0] for name in readers}
    for name, rows in sets.items():
        scores = {reader: [0, 0] for reader in readers}
        for reader, read in readers.items():
            for row in rows:
                found = read(row)
                scores[reader][0] += _exact(found, row)
                scores[reader][1] += _lenient(found, row)
        _add(table, name, len(rows), scores)
        for reader, (exact, lenient) in scores.items():
            totals[reader][0] += exact
            totals[reader][1] += lenient
            into = result.figures if reader == "tkg" else result.baselines
            key = name.lower().replace(" ", "_")
            into[f"{key}_exact"], into[f"{key}_lenient"] = exact / len(rows), lenient / len(rows)
        result.n += len(rows)
    _add(table, "all", result.n, totals)
    table.caption = f"{clock} rows of Duckling's half with a time of day or an open end are not days and not counted"
    result.tables.append(table)
    right, all_of_them, wrong = _edtf(folder / "edtf")
    low, high = Share(right, all_of_them).interval
    table.add_row("EDTF levels 0, 1", str(all_of_them), f"{right / all_of_them:.3f}", "", f"{low:.3f}–{high:.3f}")
    result.figures["edtf"] = result.figures["iso_edtf"] = right / all_of_them
    ranges, days = sets["Recognizers date"] + sets["Recognizers range"], sets["Duckling days"]
    for key, rows in (("recognizers_lenient", ranges), ("duckling_lenient", days)):
        result.figures[key] = sum(_lenient(_ours(row), row) for row in rows) / len(rows)
    _date_free(result, table)
    if wrong:
        result.missed.append("EDTF read otherwise: " + ", ".join(wrong))
    for key, value in result.figures.items():
        if key.startswith(("recognizers", "duckling")) and key.endswith("lenient") and value < _TARGET:
            result.missed.append(f"{key} is {value:.3f}, the target {_TARGET}")
    return result


def _date_free(result: Result, table: Table) -> None:
    """Count the sentences without a date in which one is found; the same with a date at their end are the control."""
    if not _DATE_FREE.exists():
        return
    sentences = _DATE_FREE.read_text("utf-8").splitlines()
    hits = sum(bool(find_times(one, _WRITTEN)) for one in sentences)
    found = sum(bool(find_times(f"{one[:-1]} since 3 March 2026.", _WRITTEN)) for one in sentences)
    low, high = Share(hits, len(sentences)).interval
    table.add_row("no date: hits", str(len(sentences)), str(hits), "", f"{low:.3f}–{high:.3f}")
    table.add_row("… with one: found", str(len(sentences)), str(found))
    result.figures.update({"false_hits": hits, "date_free_sentences": len(sentences), "control_hits": found})
    if hits:
        result.missed.append(f"{hits} dates found in sentences that hold none")


def _add(table: Table, name: str, n: int, scores: dict[str, list[int]]) -> None:
    low, high = Share(scores["tkg"][1], n).interval
    cells = [f"{hits / n:.3f}" for reader in ("tkg", "dateparser") for hits in scores[reader]]
    table.add_row(name, str(n), cells[0], cells[1], f"{low:.3f}–{high:.3f}", cells[2], cells[3])
