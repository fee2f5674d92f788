"""Showing what waits for a person, and going through it with single keys."""

from __future__ import annotations

import time
from typing import Any, Final

import typer

from tkg.cli.screen import complain, print_fields, print_heading, print_line
from tkg.errors import TkgError
from tkg.memory.answers import Waiting
from tkg.memory.handle import Handle

_KEYS: Final = "[a]ccept  [r]eject  [e]dit  [m]erge  [s]kip  [q]uit"


def show_waiting(number: int, one: Waiting) -> None:
    """Print one candidate: what it says, why it waits, its words in context, its rivals, and what each choice does."""
    no = "not " if one.polarity == "negative" else ""
    said = f"{one.subject} · {one.predicate} · {no}{one.object}" if one.subject is not None else one.content or one.kind
    print_heading(f"{number}. {said}")
    first = one.evidence[0] if one.evidence else None
    rivals = [f"{r.object} ({r.channel}, {r.id})" for r in one.rivals]
    print_fields(
        [
            ("id", one.id),
            ("kind", None if one.kind == "claim" else one.kind),
            ("state", one.state),
            ("waits because", one.waits_because),
            ("waits since", f"{one.since} ({_age(one.age_seconds)})"),
            ("consequence", "high" if one.consequence == "high" else None),
            ("class", one.channel),
            ("source", None if first is None else " ".join(p for p in (first.uri, first.version, first.locator) if p)),
            ("said by", None if first is None else first.principal),
            ("quote", None if first is None else first.quote),
            ("in context", one.context),
            ("against", "\n".join(rivals)),
            ("if accepted", one.on_accept),
            ("if rejected", one.on_reject),
        ]
    )


def _age(seconds: int) -> str:
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {word}{'' if count == 1 else 's'}"
    return "just now"


def go_through(handle: Handle) -> int:
    """Show each candidate and settle it by a key; return the exit code."""
    waiting = handle.review()
    if not waiting:
        print_line("Nothing waits for a decision.")
    for number, one in enumerate(waiting, 1):
        show_waiting(number, one)
        shown = time.monotonic()
        while True:
            print_line(_KEYS)
            key = typer.getchar().lower()
            if key == "q":
                return 0
            if key == "s":
                break
            try:
                if _settle(handle, one, key, shown):
                    break
            except TkgError as error:
                complain(error)
    return 0


def _settle(handle: Handle, one: Waiting, key: str, shown: float) -> bool:
    """Carry out what a key means; return whether the candidate is settled."""
    decision = {"a": "accept", "r": "reject", "e": "edit", "m": "merge"}.get(key)
    if decision is None:
        return False
    given: dict[str, Any] = {}
    if decision == "edit":
        given["changes"] = {"object": typer.prompt("New value", default=one.object or "")}
    elif decision == "merge":
        given["into"] = typer.prompt(
            "Id of the claim that says the same", default=one.rivals[0].id if one.rivals else ""
        )
    high = one.consequence == "high" or one.kind != "claim"
    if decision == "accept" and high and typer.prompt("Agents will act on it. Type the word accept") != "accept":
        return False
    reason = typer.prompt("Reason", default="", show_default=False)
    handle.decide(one.id, decision, reason=reason, seconds=time.monotonic() - shown, **given)
    print_line(f"{decision.capitalize()}: done.", "green")
    return True
