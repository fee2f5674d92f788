"""`evaluate`: does memory help, and does it do no harm? On seeded stores that are gone afterwards."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.options import Json
from tkg.cli.screen import print_fields, print_heading, print_json, print_table
from tkg.evaluate import evaluate as run
from tkg.evaluate.cases import Count

_ROWS: Final = (
    ("recalled", "planted facts that were shown"),
    ("with_memory", "questions answered rightly, memory on"),
    ("without_memory", "the same, memory off"),
    ("false_memory", "questions without a fact that were answered"),
    ("leaked", "blocks with a value of another user or tenant"),
    ("deleted", "erased facts that were shown"),
    ("kept", "facts beside them that were shown (control)"),
    ("stale_shown", "facts that a tool contradicts, shown as they stood"),
    ("corrected", "the same, told as the tool says"),
    ("stale_unchecked", "the same without the tool (control)"),
)


def evaluate(
    seed: Annotated[int, typer.Option("--seed", help="The same seed plants the same facts.")] = 1,
    count: Annotated[int, typer.Option("--count", min=2, max=10_000, help="Planted facts.")] = 40,
    json: Json = False,
) -> int:
    """Plant facts in fresh stores and count what comes back, what is made up, what leaks and what outlives its deletion.

    Answers are read from the block without a model; `tkg.evaluate.evaluate` takes any other answerer. Exit 1 when anything
    that must be zero is not.
    """
    found = run(seed, count)
    if json:
        print_json("tkg.evaluate/1", {**found.model_dump(mode="json"), "harm": found.harm})
        return 1 if found.harm else 0
    print_heading(f"Evaluation, seed {seed}")
    counts: list[tuple[str, Count]] = [(what, getattr(found, name)) for name, what in _ROWS]
    rows = [
        (what, f"{one.hits} of {one.n}", f"{one.rate:.1%}", "" if one.bound is None else f"at most {one.bound:.1%}")
        for what, one in counts
    ]
    print_table(["what", "count", "share", "95 % bound of a zero"], rows)
    print_fields([("tokens per request", f"{found.tokens_per_request:.0f}"), ("most", found.most_tokens)])
    return 1 if found.harm else 0


COMMANDS: Final = (Command("evaluate", evaluate, "tkg evaluate --seed 7 --count 100"),)
