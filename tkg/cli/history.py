"""`timeline`, `diff`: both axes of a slot, and what two transactions know differently."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.naming import shortened
from tkg.cli.opening import reading
from tkg.cli.options import AsOf, Engine, EngineChoice, Html, Json, Store, Tenant, User, transaction
from tkg.cli.pages import write_page
from tkg.cli.read import value_line
from tkg.cli.screen import period, print_heading, print_json, print_line, print_table
from tkg.cli.times import known_time
from tkg.memory.findings import Diff
from tkg.memory.handle import Handle
from tkg.text import when

_Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help="What it is about.")]
_Predicate = Annotated[str, typer.Argument(metavar="PREDICATE", help="Which attribute of it.")]


def timeline(
    store: Store,
    tenant: Tenant,
    subject: _Subject,
    predicate: _Predicate,
    user: User = None,
    as_of: AsOf = None,
    html: Html = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Show both axes of a subject and predicate: what holds when, and what was believed of it earlier."""
    known = transaction(as_of)
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        found = handle.timeline(subject, predicate, as_of=known)
        history = handle.history(subject, predicate, as_of=known)
        if json:
            body = {
                "subject": subject,
                "predicate": predicate,
                "segments": [one.model_dump(mode="json") for one in found],
                "history": [one.model_dump(mode="json") for one in history],
            }
            print_json("tkg.timeline/1", body)
            return
        if html is not None:
            write_page(html, "timeline", subject, predicate, history)
            return
        if not history:
            print_line(f"Nothing is known of {subject} · {predicate}.")
            return
        short = shortened(handle, (one for s in history for one in s.answer.claims))
        print_heading(f"{subject} · {predicate}")
        rows = [
            (when(s.valid_from), when(s.valid_to), value_line(s.answer), "\n".join(map(short, s.answer.claims)))
            for s in found
        ]
        print_table(["from", "to", "value", "claims"], rows, whole=(0, 1, 3))
        before = [one for one in history if one.tx_to is not None]
        if before:
            print_heading("Believed earlier")
            told = [
                (period(one.known_from, one.known_to), period(one.valid_from, one.valid_to), value_line(one.answer))
                for one in before
            ]
            print_table(["known", "of", "value"], told)


def diff(
    store: Store,
    tenant: Tenant,
    as_of: Annotated[
        list[str],
        typer.Option(
            "--as-of",
            metavar="TIME|tx:N",
            callback=lambda given: [known_time(one) for one in given],
            help="Once: from then until now; twice: from the first to the second.",
        ),
    ],
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Say what the store believes differently at two points of transaction time: answers, and states of what it holds.

    Exit 1 when something differs, 0 when nothing does.
    """
    if not 1 <= len(as_of) <= 2:
        raise typer.BadParameter("--as-of is given once or twice")
    points = [transaction(one) for one in as_of]
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        found = handle.diff(*points)
        if json:
            print_json("tkg.diff/1", found.model_dump(mode="json"))
        else:
            _show_diff(handle, found)
    return 1 if found.slots or found.nodes else 0


def _show_diff(handle: Handle, found: Diff) -> None:
    sides = [f"tx:{one.seq} ({when(one.at)})" for one in (found.before, found.after)]
    print_line(f"{sides[0]} against {sides[1]}")
    if not found.slots and not found.nodes:
        print_line("Nothing differs.", "green")
    for slot in found.slots:
        print_heading(f"{slot.subject} · {slot.predicate}  [{slot.scope}]")
        rows = [
            (period(one.valid_from, one.valid_to), value_line(one.before), value_line(one.after))
            for one in slot.stretches
        ]
        print_table(["of", "then", "after"], rows)
    if found.nodes:
        print_heading("States")
        short = shortened(handle, (one.id for one in found.nodes))
        states = [(short(one.id), one.before, one.after, f"{one.kind}: {one.label}") for one in found.nodes]
        print_table(["id", "then", "after", "what"], states, whole=(0,))


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (
    Command("timeline", timeline, f"tkg timeline {_AT} 'exception reports' destination"),
    Command("diff", diff, f"tkg diff {_AT} --as-of 2026-03-01 --as-of tx:40"),
)
