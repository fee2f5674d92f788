"""`contradictions`: what cannot both hold, pair by pair, with the words behind each side and what each choice would do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Final

import typer
from rich.text import Text

from tkg.cli.command import Command
from tkg.cli.naming import full, shortened
from tkg.cli.opening import reading
from tkg.cli.options import AsOf, Engine, EngineChoice, Json, Store, Tenant, User, transaction
from tkg.cli.read import value_line
from tkg.cli.screen import console, period, print_fields, print_heading, print_json, print_line, print_table
from tkg.errors import RequestError
from tkg.memory.auditing import AuditPage
from tkg.memory.findings import Dispute, Side
from tkg.memory.handle import Handle
from tkg.memory.reading import Contradiction
from tkg.model.time import parse_when
from tkg.text import safe_text, when

#: characters of the time axis
_WIDTH: Final = 48
#: pairs that a list shows; it says how many there are
_SHOWN: Final = 100
#: microseconds
_DAY: Final = 86_400_000_000


class State(StrEnum):
    """Which contradictions are listed."""

    OPEN = "open"
    POSSIBLE = "possible"
    SETTLED = "settled"
    UNSETTLED = "unsettled"
    ALL = "all"


def contradictions(
    store: Store,
    tenant: Tenant,
    user: User = None,
    state: Annotated[
        State, typer.Option("--state", help="Which: unsettled are the open and the possible ones.")
    ] = State.UNSETTLED,
    subject: Annotated[str | None, typer.Option("--subject", metavar="TEXT", help="Only about this subject.")] = None,
    predicate: Annotated[str | None, typer.Option("--predicate", metavar="NAME", help="Only of this one.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="URI", help="Only where a side rests on this source.")
    ] = None,
    pair: Annotated[
        list[str] | None, typer.Option("--pair", metavar="ID", help="Show two claims side by side; given twice.")
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(
            "--pattern", metavar="C1…C9", help="Audit, also across slots: only this pattern; may be repeated."
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Audit: end the page after so many.")] = None,
    after: Annotated[
        str | None, typer.Option("--after", metavar="CURSOR", help="Audit: go on after an earlier page.")
    ] = None,
    as_of: AsOf = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """List claims that cannot both hold; with --pair, two of them with their words, their times and the choices.

    A list shows the first hundred and says how many there are. With --limit, --after or --pattern it audits the whole scope and all below it, a page at a time and across slots as
    well. Exit 1 when there are some that nothing has settled, 0 when there are none.
    """
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        if pattern or limit is not None or after is not None:
            audit = handle.audit_contradictions(
                patterns=pattern or None, after=after, limit=limit or 100, as_of=transaction(as_of)
            )
            _show_audit(audit, json)
            return 1 if audit.items else 0
        if pair:
            if len(pair) != 2:
                raise RequestError("--pair is given twice: --pair ID --pair ID")
            found = handle.dispute(*(full(handle, one) for one in pair))
            if json:
                print_json("tkg.contradiction/1", found.model_dump(mode="json"))
            else:
                show_dispute(handle, found)
            return 0
        chosen = "all" if state is State.UNSETTLED else state.value
        listed = handle.disputes(chosen, subject=subject, predicate=predicate, source=source, as_of=transaction(as_of))
        if state is State.UNSETTLED:
            listed = [one for one in listed if one.certainty != "settled"]
        if json:
            body = {"count": len(listed), "items": [one.model_dump(mode="json") for one in listed]}
            print_json("tkg.contradictions/1", body)
        elif not listed:
            print_line("No open contradictions." if state is State.UNSETTLED else "No such contradictions.")
        else:
            _show_pairs(handle, listed)
    return 1 if any(one.certainty != "settled" for one in listed) else 0


def _show_audit(audit: AuditPage, json: bool) -> None:
    if json:
        items = [one.model_dump(mode="json") for one in audit.items]
        print_json("tkg.contradictions.audit/1", {"count": len(items), "items": items, "next": audit.next})
        return
    for number, one in enumerate(audit.items, 1):
        other = " · ".join(part for part in (one.right_subject, one.right_predicate) if part is not None)
        against = one.right_object if not other else f"{other}: {one.right_object}"
        print_heading(f"{number}. {one.subject} · {one.predicate}")
        print_fields(
            [
                ("says", one.left_object),
                ("", one.left),
                ("against", None if one.right is None else against),
                ("", one.right),
                ("together with", ", ".join(one.claims[2:]) or None),
                ("both hold", period(one.valid_from, one.valid_to)),
                ("certainty", f"{one.certainty} ({one.pattern}, {one.rule})"),
                ("scope", one.scope),
            ]
        )
    if audit.next is not None:
        print_line(f"More may follow: --after {audit.next}")
    elif not audit.items:
        print_line("Nothing contradicts.")


def _show_pairs(handle: Handle, listed: Sequence[Contradiction]) -> None:
    shown = listed[:_SHOWN]
    short = shortened(handle, (side for one in shown for side in (one.left, one.right)))
    for number, one in enumerate(shown, 1):
        _show_pair(number, one, short(one.left), short(one.right))
    if len(shown) < len(listed):
        print_line(
            f"These are {len(shown)} of {len(listed):,}. Fewer: --subject, --predicate, --source. All of them, a page at a time: "
            "--limit. In one document: --json."
        )


def _show_pair(number: int, one: Contradiction, left: str, right: str) -> None:
    print_heading(f"{number}. {one.subject} · {one.predicate}")
    print_fields(
        [
            ("says", one.left_object),
            ("", left),
            ("against", one.right_object),
            ("", right),
            ("both hold", period(one.valid_from, one.valid_to)),
            ("certainty", f"{one.certainty} ({', '.join(part for part in (one.pattern, one.rule) if part)})"),
            ("scope", one.scope),
        ]
    )


def show_dispute(handle: Handle, found: Dispute) -> None:
    """Print two claims beside each other: words, times as two bars, the row, and what each choice would do."""
    print_heading(f"{found.subject} · {found.predicate}")
    named = [one.id for choice in found.choices for one in (*choice.falls, *choice.stale)]
    short = shortened(handle, (found.left.id, found.right.id, *named))
    for title, side in (("says", found.left), ("against", found.right)):
        print_fields(_side(title, side, short(side.id)))
    print_heading("When each holds (█ certainly, ░ possibly)")
    for line in bars(found):
        console().print(Text(line), soft_wrap=True)
    print_fields([("both hold", period(found.overlap_from, found.overlap_to)), (found.row or "row", found.reason)])
    print_heading(f"What each choice would do (the answer at {when(found.asked_at)})")
    rows = []
    for choice in found.choices:
        then = "" if choice.answer is None else value_line(choice.answer)
        gone = [f"falls: {one.kind} {short(one.id)}" for one in choice.falls]
        gone += [f"out of date: {one.kind} {short(one.id)}" for one in choice.stale]
        rows.append((choice.what, then, "\n".join(gone), choice.note))
    print_table(["choice", "answer", "and", "note"], rows)
    for choice in found.choices:
        if choice.command:
            words = " ".join(short(word) for word in choice.command.split(" "))
            print_line(f"{safe_text(choice.what)}: {words}")


def _side(title: str, side: Side, short: str) -> list[tuple[str, object]]:
    first = side.evidence[0] if side.evidence else None
    denied = "not " if side.polarity == "negative" else ""
    place = None if first is None else ", ".join(p for p in (first.uri, first.version, first.locator) if p)
    return [
        (title, f"{denied}{side.object}"),
        ("id", f"{short} [{side.state}]"),
        ("class", side.channel),
        ("source", place),
        ("said by", None if first is None else first.principal),
        ("quote", None if first is None else first.quote),
        ("in context", side.context if first is None or side.context != first.quote else None),
    ]


def bars(found: Dispute) -> list[str]:
    """Return two bars on one time axis as lines of text; an open end runs to the edge."""
    sides = (found.left, found.right)
    ends = [
        _days(text) for side in sides for text in (side.may_from, side.may_to, side.must_from, side.must_to) if text
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = max(high - low, 1.0) * 0.15
    low, high = low - room, high + room

    def column(text: str | None, open_end: float) -> int:
        at = open_end if text is None else _days(text)
        return round((at - low) / (high - low) * _WIDTH)

    lines = []
    for name, side in zip(("says", "against"), sides, strict=True):
        may = column(side.may_from, low), column(side.may_to, high)
        must = (column(side.must_from, low), column(side.must_to, high)) if side.certain else (0, 0)
        bar = "".join(
            "█" if must[0] <= place < must[1] else "░" if may[0] <= place < max(may[1], may[0] + 1) else " "
            for place in range(_WIDTH)
        )
        lines.append(f"{name:>8} │{bar}│")
    edges = sorted({text for side in sides for text in (side.may_from, side.may_to) if text}, key=_days)
    marks = [" "] * _WIDTH
    for edge in edges:
        marks[min(column(edge, low), _WIDTH - 1)] = "▲"
    lines.append(f"{'':>8}  {''.join(marks).rstrip()}")
    lines.append(f"{'':>8}  {'  '.join(when(edge) for edge in edges)}")
    return lines


def _days(text: str) -> float:
    return parse_when(text).start / _DAY


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (
    Command(
        "contradictions", contradictions, f"tkg contradictions {_AT}\ntkg contradictions {_AT} --pair ID --pair ID"
    ),
)
