"""Strings with and without secrets: what the never-store check finds, and what it takes for one."""

from __future__ import annotations

from rich.table import Table

from benchmarks.proportion import Share
from benchmarks.result import Result
from tests.gate.strings import negatives, positives
from tkg.gate import find_secret

RECALL, FALSE_RATE = 0.98, 0.01


def measure(result: Result) -> None:
    """Measure on the strings made from public formats."""
    held, clean = positives(), negatives()
    found = Share(sum(find_secret([text]) is not None for text in held), len(held))
    false = Share(sum(find_secret([text]) is not None for text in clean), len(clean))
    table = Table("strings", "n", "taken for a secret (95 %)", title="gate: never-store", title_justify="left")
    table.add_row("with a secret", str(found.n), str(found))
    table.add_row("without", str(false.n), str(false))
    result.tables.append(table)
    result.n += found.n + false.n
    result.figures["secret_recall"] = found.rate
    result.figures["secret_false_rate"] = false.rate
    if found.rate < RECALL or false.rate > FALSE_RATE:
        result.missed.append(f"secrets: found {found} of {found.n}, false {false} of {false.n}")
