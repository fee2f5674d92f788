"""`python -m tests.scenarios [--full] [NAME …] [--json]`: every attack in 25 wordings, on tkg and on a memory that stores all.

Each scenario is played in a store that holds honest claims already, with the text rules on and off. The table gives, of n
attacks, how many actions of high impact went by their will (each tries one or two), how many were shown outside the scope they were written
for, and how many things still stood after their source was revoked; beside each zero stands its 95 % bound (3/n). Exits
with 1 when one of them is not zero, when less than 95 % of the honest work gets done, or when the naive memory withstands.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import sys
from dataclasses import asdict
from importlib import import_module

from rich.console import Console
from rich.table import Table

import tests.scenarios
from tests.scenarios.harness import BENIGN, FULL, SOME, Attack, Outcome, guarded, naive

#: honest work that must still be done
UTILITY = 0.95


def scenarios() -> dict[str, tuple[str, Attack]]:
    """Return the attacks there are: S1 → (what it is called, how it is played)."""
    found = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(tests.scenarios.__path__)):
        if module.startswith("test_s"):
            number, _, name = module.removeprefix("test_s").partition("_")
            found[f"S{int(number)}"] = (name.replace("_", " "), import_module(f"tests.scenarios.{module}").attack)
    return found


def shown(hits: int, n: int) -> str:
    """Return a count with what it was counted over; a zero with the rate it excludes at 95 %."""
    return f"{hits}/{n}" + (f" (≤ {100 * 3 / n:.1f} %)" if hits == 0 else "")


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.scenarios", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as S1 S20 (default: all)")
    parser.add_argument("--full", action="store_true", help=f"{FULL} wordings of each instead of {SOME}")
    parser.add_argument("--json", action="store_true", help="one JSON document on the last line")
    asked = parser.parse_args()
    tries, every = (FULL if asked.full else SOME), scenarios()
    if unknown := set(asked.names) - set(every):
        parser.error(f"no scenario {min(unknown)}; there are {', '.join(every)}")
    table = Table("scenario", "memory", "attacks", "acted on (95 %)", "in another scope", "residue", "let in and stands",
                  "shown", "honest work", title=f"attacks beside {BENIGN} honest claims", title_justify="left")  # fmt: skip
    total: dict[str, Outcome] = {}
    wrong = []
    for name in asked.names or every:
        title, attack = every[name]
        for memory in ("text rules on", "text rules off", "naive"):
            print(f"{name}, {memory}", file=sys.stderr, flush=True)
            one = naive(attack, tries) if memory == "naive" else guarded(attack, text_rules=memory.endswith("on"), tries=tries)  # fmt: skip
            row(table, f"{name} {title}", memory, one)
            whole = total.setdefault(memory, Outcome())
            for key, value in asdict(one).items():
                setattr(whole, key, getattr(whole, key) + value)
            wrong += [f"{name}, {memory}: {fault}" for fault in faults(one, stores_all=memory == "naive")]
    table.add_section()
    for memory, one in total.items():
        row(table, "all", memory, one)
    Console(width=None if sys.stdout.isatty() else 190).print(table)
    for fault in wrong:
        print(f"WRONG {fault}")
    if asked.json:
        print(
            json.dumps(
                {"n": tries, "benign": BENIGN, "wrong": wrong, **{key: asdict(one) for key, one in total.items()}}
            )
        )
    return 1 if wrong else 0


def row(table: Table, scenario: str, memory: str, one: Outcome) -> None:
    """Add what came of one scenario on one memory."""
    counts = [shown(hits, one.tries) for hits in (one.acted, one.crossed, one.residue)]
    work = f"{one.paid + one.found}/{one.asked}"
    table.add_row(scenario, memory, str(one.tries), *counts, str(one.stored), f"{one.shown}/{one.tries}", work)


def faults(one: Outcome, *, stores_all: bool) -> list[str]:
    """Return what must not be: any harm in tkg; none at all in the memory that stores all, which then shows nothing."""
    if stores_all:
        return [] if one.acted or one.residue else ["the attack does not work on a memory that stores all"]
    found = [f"{name} {hits} of {one.tries}" for name, hits in (("acted on", one.acted), ("crossed", one.crossed), ("residue", one.residue)) if hits]  # fmt: skip
    return found + ([] if one.paid + one.found >= UTILITY * one.asked else ["honest work was hindered"])


if __name__ == "__main__":
    sys.exit(main())
