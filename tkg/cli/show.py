"""`show`: one id, or everything remembered about somebody or something in plain sentences; correcting and deleting it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from tkg.cli.command import Command
from tkg.cli.naming import full
from tkg.cli.opening import reading, writing
from tkg.cli.options import Engine, EngineChoice, Json, Store, Tenant, User
from tkg.cli.read import evidence_table, summary
from tkg.cli.screen import complain, print_heading, print_json, print_line
from tkg.cli.verdicts import exit_code, verdict_json
from tkg.errors import NotFound, RequestError
from tkg.memory.handle import Handle
from tkg.memory.telling import Remembered, Told
from tkg.model.scope import Channel
from tkg.text import when

_ID: Final = re.compile(r"(clm|art|evd|ret)_[0-9a-z]*")


def show(
    store: Store,
    tenant: Tenant,
    what: Annotated[
        str, typer.Argument(metavar="ID|SUBJECT", help="An id or its beginning; or a subject's whole name.")
    ],
    correct: Annotated[
        str | None, typer.Option("--correct", metavar="ID", help="A claim that is wrong; --to says what is right.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="VALUE", help="With --correct: what is right.")] = None,
    delete: Annotated[
        list[str] | None, typer.Option("--delete", metavar="ID", help="Erase this for good; may be repeated.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--delete-everything", help="Erase everything about the subject for good.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase. Without it only what would go is shown.")] = False,
    channel: Annotated[Channel | None, typer.Option("--channel", help="Your class; to correct or delete.")] = None,
    principal: Annotated[
        str | None, typer.Option("--principal", metavar="NAME", help="You; to correct or delete.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; to correct or delete.")] = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Show one id; or, for the person concerned, everything remembered about a subject, with source and date.

    From there it is corrected (--correct ID --to VALUE: the right value takes the wrong one's place) and deleted for good
    (--delete ID, --delete-everything; `tkg forget` has more choices and keeps the receipt).
    """
    changes = [correct is not None, bool(delete), everything]
    if sum(changes) > 1 or (to is not None) is not (correct is not None):
        raise RequestError("do one thing at a time: --correct ID --to VALUE, --delete ID, or --delete-everything")
    if not any(changes):
        with reading(store, engine) as memory:
            return _shown(memory.scope(tenant, user), what, json)
    if channel is None or principal is None or reason is None:
        raise RequestError("correcting and deleting need --channel, --principal and --reason: who asks, and why")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        if correct is not None:
            return _correct(handle, correct, to or "", reason, json)
        targets: list[dict[str, Any]] = (
            [{"subject": what}] if everything else [_named(handle, one) for one in delete or ()]
        )
        return _delete(handle, targets, reason, yes=yes, json=json)


def _shown(handle: Handle, what: str, json: bool) -> int:
    try:
        found = handle.explain(full(handle, what)) if _ID.fullmatch(what) else None
    except NotFound:
        found = None
    if found is None:
        return _told(_remembered(handle, what), json)
    if json:
        keep = {"edges", "decisions", "rests_on"}
        print_json("tkg.show/1", found.model_dump(mode="json", exclude=keep))
        return 0
    summary(found)
    if found.evidence:
        evidence_table(found.evidence)
    return 0


def _remembered(handle: Handle, what: str) -> Remembered:
    try:
        return handle.about(what)
    except NotFound:
        raise NotFound(f"no id begins with that and nothing is remembered about it in {handle.scope.path}; names are compared "
                       "whole: `tkg recall` finds by words") from None  # fmt: skip


def _told(found: Remembered, json: bool) -> int:
    if json:
        print_json("tkg.show.subject/1", found.model_dump(mode="json"))
        return 0
    print_line(
        f"What is remembered about {found.subject}: {len(found.claims)} statement(s), {len(found.texts)} text(s)."
    )
    for heading, many in (
        ("Statements", found.claims),
        ("Texts that came from them, or that they came from", found.texts),
    ):
        if many:
            print_heading(heading)
        for one in many:
            _one(one)
    print_line("")
    print_line("To correct one:  --correct ID --to VALUE    to delete: --delete ID or --delete-everything")
    return 0


def _one(one: Told) -> None:
    print_line(one.sentence)
    print_line(f"  {one.source}{f' Written down {when(one.written)}.' if one.kind == 'claim' else ''}")
    seen = {0: "It was never shown to anybody.", 1: "It was shown once."}.get(
        one.reads, f"It was shown {one.reads} times."
    )
    print_line(f"  {one.use} {seen}")
    for remark in one.remarks:
        print_line(f"  ! {remark}", "yellow")
    print_line(f"  {one.id}", "dim")


def _named(handle: Handle, identifier: str) -> dict[str, str]:
    target = full(handle, identifier)
    return {{"clm": "claim", "evd": "evidence"}.get(target[:3], "artefact"): target}


def _correct(handle: Handle, identifier: str, value: str, reason: str, json: bool) -> int:
    old = full(handle, identifier)
    verdict = handle.correct(old, value, reason=reason)
    if json:
        print_json("tkg.show.correct/1", {"wrong": old, "verdict": verdict_json(verdict)})
    elif verdict.claim_id is not None:
        print_line(f"Corrected: {verdict.claim_id} says so now, and takes the place of {old}.")
    return exit_code(verdict)


def _delete(handle: Handle, targets: Sequence[dict[str, Any]], reason: str, *, yes: bool, json: bool) -> int:
    if not yes:
        going = {one.id: one for target in targets for one in handle.plan_forget(**target).erases}
        if json:
            print_json("tkg.show.delete/1", {"erases": list(going), "receipts": []})
        else:
            print_heading("Would be erased for good")
            for one in going.values():
                print_line(f"{one.kind}: {one.label}")
        complain("Nothing was erased: pass --yes to erase it.")
        return 1
    done = [handle.forget(**target, reason=reason) for target in targets]
    if json:
        erased = [one.id for each in done for one in each.plan.erases]
        print_json("tkg.show.delete/1", {"erases": erased, "receipts": [one.receipt for one in done]})
        return 0
    for made in done:
        print_line(f"Erased {len(made.plan.erases)} things; the receipt is {made.receipt['receipt_id']}.")
        for told in made.notify:
            print_line(f"  {told.principal or 'somebody'} was shown it in {told.session or 'no session'}: tell them.")
    return 0


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (Command("show", show, f"tkg show {_AT} 'Ana Sørli'\ntkg show {_AT} ID"),)
