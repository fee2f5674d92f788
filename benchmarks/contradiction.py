"""`contradiction`: what is found of wrong facts, what true ones are flagged, which side survives, and whose word is taken.

UTKG at every level of noise, FactBench by kind of change, and two sets of sources that contradict each other. Everything
goes through the gate; what is found comes from the audit and from what was recorded at the write. Without `--engine` the
graph is the reference in plain Python, which answers as the engines do and is the quickest in memory. Beside every figure
stands what comparing texts finds, counted in the same run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.table import Table

from benchmarks import children
from benchmarks.catalogue import Options
from benchmarks.proportion import Share
from benchmarks.result import Result, versions
from benchmarks.truth import SETS
from benchmarks.utkg import LEVELS

#: recall of injected facts at every level; true facts flagged without noise; F1 of what is dropped at 50 % noise
RECALL: Final = 0.98
FALSE_RATE: Final = 0.035
SIDE_F1: Final = 0.776
#: correct facts of FactBench that may be flagged
FALSE_ALARMS: Final = 16
_REFERENCE: Final = "memory"
#: items of a set of sources that are asked; with `--full` ten times as many
_ITEMS: Final = 300
_MOST: Final = 10**9


def run(options: Options) -> Result:
    """Measure on the first engine asked for."""
    engine = options.engines[0] if options.engines else _REFERENCE
    installed = children.engines()
    result = Result("contradiction", versions=versions(*installed))
    data = str(options.data)
    tables = (_utkg_table(), _kinds_table())
    for level in LEVELS:
        options.say(f"contradiction: UTKG with {level} % noise, {engine}")
        one = children.run("utkg:measure", data=data, level=level, engine=engine, most=_MOST)
        _utkg(result, tables[0], level, one)
        if level == 0:
            _add_kinds(tables[1], "true, flagged or refused", one["kinds"])
        _add_kinds(tables[1], f"injected at {level} %, missed", one["missed"])
    options.say(f"contradiction: FactBench, {engine}")
    facts = children.run("factbench:measure", data=data, engine=engine)
    bench = _factbench(result, facts)
    _add_kinds(tables[1], "FactBench, correct, flagged", facts["alarms"])
    truth = _truth_table()
    for name in SETS:
        options.say(f"contradiction: {name}, {engine}")
        most = _ITEMS * (10 if options.full else 1)
        _truth(result, truth, name, children.run("truth:measure", data=data, name=name, engine=engine, most=most))
    result.tables = [tables[0], bench, truth, tables[1]]
    return result


def _percent(hits: int, n: int) -> str:
    share = Share(hits, n)
    low, high = share.interval
    return f"{share.rate:.4f} ({low:.3f}–{high:.3f})"


def _rounded(three: list[float]) -> str:
    return " ".join(f"{value:.3f}" for value in three)


# -- UTKG


def _utkg_table() -> Table:
    return Table(
        "noise %", "injected", "of them repeat a true fact", "found of the others", "naive recall of all", "true", "flagged or refused",
        "refused", "said to end before they begin", "flagged with these", "naive flagged", "dropped by class P R F1", "by weight P R F1", "naive by weight P R F1",
        title="contradiction: UTKG; 95 % Wilson intervals; naive: the same constraints on months as numbers",
        title_justify="left",
    )  # fmt: skip


def _utkg(result: Result, table: Table, level: int, one: dict[str, Any]) -> None:
    figures, baselines, naive = result.figures, result.baselines, one["naive"]
    result.n += one["n"]
    result.peak_mb = max(result.peak_mb, one["peak_mb"])
    distinct = one["false"] - one["repeated"]
    # what the gate refuses is not taken for right
    flagged = Share(one["wronged_true"], one["true"])
    figures[f"utkg_{level}_false_rate"] = flagged.rate
    figures[f"utkg_{level}_refused_rate"] = Share(one["refused_true"], one["true"]).rate
    figures[f"utkg_{level}_false_rate_with_crossed"] = Share(one["strict_true"], one["true"]).rate
    baselines[f"utkg_{level}_false_rate"] = naive["false_rate"]
    if one["false"]:
        found = Share(one["flagged_distinct"], distinct)
        figures[f"utkg_{level}_recall"] = found.rate
        figures[f"utkg_{level}_recall_with_repeated"] = Share(one["flagged_false"], one["false"]).rate
        figures[f"utkg_{level}_repeated"] = one["repeated"]
        figures[f"utkg_{level}_side_f1"] = one["sides"]["weight"][2]
        figures[f"utkg_{level}_side_f1_by_class"] = one["sides"]["class"][2]
        baselines[f"utkg_{level}_recall"] = naive["recall"]
        baselines[f"utkg_{level}_side_f1"] = naive["side"][2]
        if found.rate < RECALL:
            result.missed.append(f"UTKG at {level} %: {found.rate:.4f} of the injected facts found instead of {RECALL}")
    if level == 0 and flagged.rate > FALSE_RATE:
        result.missed.append(
            f"UTKG without noise: {flagged.rate:.4f} of the true facts flagged or refused instead of {FALSE_RATE}"
        )
    if level == 50 and one["sides"]["weight"][2] <= SIDE_F1:
        result.missed.append(
            f"UTKG at 50 %: F1 {one['sides']['weight'][2]:.3f} of what is dropped instead of {SIDE_F1}"
        )
    table.add_row(
        str(level), f"{one['false']:,}", f"{one['repeated']:,}", _percent(one["flagged_distinct"], distinct),
        f"{naive['recall']:.4f}", f"{one['true']:,}", _percent(one["wronged_true"], one["true"]),
        f"{one['refused_true']:,}", f"{one['crossed_true']:,}", f"{one['strict_true'] / one['true']:.4f}", f"{naive['false_rate']:.4f}", _rounded(one["sides"]["class"]),
        _rounded(one["sides"]["weight"]), _rounded(naive["side"]),
    )  # fmt: skip


def _kinds_table() -> Table:
    return Table("of", "kind", "n", "example", title="contradiction: what is left, by kind", title_justify="left")


def _add_kinds(table: Table, what: str, kinds: Mapping[str, Mapping[str, Any]]) -> None:
    for kind, one in kinds.items():
        for place, example in enumerate(one["examples"]):
            table.add_row(*(("", "", "") if place else (what, kind, str(one["n"]))), example)


# -- FactBench


def _factbench(result: Result, one: dict[str, Any]) -> Table:
    table = Table(
        "kind", "n", "found", "naive", title="contradiction: FactBench; correct: false alarms", title_justify="left"
    )
    result.n += one["n"]
    result.peak_mb = max(result.peak_mb, one["peak_mb"])
    for kind, (hits, n) in one["kinds"].items():
        naive = one["naive"][kind][0]
        name = kind.replace("/", "_")
        table.add_row(kind, str(n), f"{hits}: {_percent(hits, n)}", f"{naive}: {naive / n:.4f}")
        if kind == "correct":
            result.figures["factbench_false_alarms"], result.baselines["factbench_false_alarms"] = hits, naive
            if hits > FALSE_ALARMS:
                result.missed.append(f"FactBench: {hits} of {n} correct facts flagged instead of {FALSE_ALARMS}")
            continue
        result.figures[f"factbench_{name}_recall"] = hits / n
        result.baselines[f"factbench_{name}_recall"] = naive / n
        if hits < naive:
            result.missed.append(f"FactBench, {kind}: {hits} of {n} found, comparing texts finds {naive}")
    return table


# -- truth discovery


def _truth_table() -> Table:
    return Table(
        "set", "method", "right", "answered", "items", "sources", "some source is right",
        title="contradiction: whose word is taken; 95 % Wilson intervals", title_justify="left",
    )  # fmt: skip


def _truth(result: Result, table: Table, name: str, one: dict[str, Any]) -> None:
    n = one["n"]
    result.n += n
    result.peak_mb = max(result.peak_mb, one["peak_mb"])
    for method, right in one["right"].items():
        table.add_row(
            name, method, _percent(right, n), f"{one['answered'][method] / n:.3f}", str(n), str(one["sources"]),
            f"{one['ceiling']:.3f}",
        )  # fmt: skip
        key = method.casefold().replace(", ", "_").replace(" ", "_")
        into = result.figures if method.startswith("tkg") else result.baselines
        into[f"truth_{name}_{key}"] = right / n
        into[f"truth_{name}_{key}_answered"] = one["answered"][method] / n
    result.figures[f"truth_{name}_accuracy"] = one["right"]["tkg, classes by trust"] / n
    result.baselines[f"truth_{name}_ceiling"] = one["ceiling"]
    best = max(("last claim", "majority", "TruthFinder, these items"), key=lambda method: int(one["right"][method]))
    own = "tkg, one class, estimate"
    if one["right"][own] < one["right"][best]:
        result.missed.append(
            f"truth discovery, {name}: {own} is right on {one['right'][own]} of {n}, {best} on {one['right'][best]}"
        )
