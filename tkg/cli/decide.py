"""`review`, `decide`, `confirm`: what waits for a person, and what a person says about it."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.evidence import evidence_of
from tkg.cli.naming import full
from tkg.cli.opening import reading, writing
from tkg.cli.options import (
    ChannelChoice,
    CopyOf,
    Engine,
    EngineChoice,
    IdempotencyKey,
    Identifier,
    Json,
    Locator,
    Owner,
    Principal,
    Quote,
    Reason,
    Session,
    Store,
    Tenant,
    Uri,
    User,
    Version,
)
from tkg.cli.plans import report
from tkg.cli.reviewing import go_through, show_waiting
from tkg.cli.screen import print_json, print_line
from tkg.cli.times import spoken_end, spoken_start
from tkg.cli.verdicts import exit_code, show_verdict, verdict_json
from tkg.errors import RequestError
from tkg.model.scope import Channel


class Choice(StrEnum):
    """What a person may decide."""

    ACCEPT = "accept"
    REJECT = "reject"
    EDIT = "edit"
    MERGE = "merge"
    REOPEN = "reopen"


_DONE: Final = {"accept": "Accepted", "reject": "Rejected", "edit": "Edited", "merge": "Merged", "reopen": "Reopened"}


def review(
    store: Store,
    tenant: Tenant,
    user: User = None,
    ask: Annotated[bool, typer.Option("--ask", help="Go through them and decide with single keys.")] = False,
    channel: Annotated[Channel | None, typer.Option("--channel", help="Your class; with --ask.")] = None,
    principal: Annotated[str | None, typer.Option("--principal", metavar="NAME", help="You; with --ask.")] = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """List what waits for a person, oldest first: words in context, rivals, and what each choice would bring about.

    `tkg decide` settles one. With --ask, in a terminal, one key settles each: a accept, r reject, e edit, m merge, s skip,
    q quit. What has high consequence is accepted by typing the whole word, and with a reason.
    """
    if ask:
        if channel is None or principal is None:
            raise RequestError("--ask takes --channel and --principal: decisions are signed")
        if json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise RequestError("--ask needs a terminal; for tools there are `tkg review --json` and `tkg decide`")
        with writing(store, engine) as memory:
            return go_through(memory.scope(tenant, user, channel=channel, principal=principal))
    with reading(store, engine) as memory:
        waiting = memory.scope(tenant, user).review()
    if json:
        print_json("tkg.review/1", {"count": len(waiting), "items": [one.model_dump(mode="json") for one in waiting]})
    elif not waiting:
        print_line("Nothing waits for a decision.")
    else:
        for number, one in enumerate(waiting, 1):
            show_waiting(number, one)
    return 0


def decide(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    candidate: Identifier,
    choice: Annotated[Choice, typer.Argument(metavar="CHOICE", help="The decision.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the decision.")] = "",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=TEXT", help="edit: subject, predicate, object, valid_from or valid_to."),
    ] = None,
    into: Annotated[
        str | None, typer.Option("--into", metavar="ID", help="merge: the claim that says the same.")
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option("--also", metavar="ID", help="Accept or reject another one with it.")
    ] = None,
    idempotency_key: IdempotencyKey = None,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Settle what waits: accept, reject, edit, merge; or reopen what was decided.

    It needs a person's channel, and for all but a rejection somebody else than who proposed it. An acceptance is a
    person's evidence. What has high consequence takes a reason, and is never accepted together with others.
    """
    fields = dict(_field(one) for one in changes or ())
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        if also:
            if fields or into or idempotency_key:
                raise RequestError("--also goes with accept and reject only, and without --idempotency-key")
            plans = handle.decide_many([full(handle, one) for one in (candidate, *also)], choice.value, reason=reason)
            plan = plans[-1].model_copy(update={"targets": tuple(one for made in plans for one in made.targets)})
        else:
            plan = handle.decide(
                full(handle, candidate),
                choice.value,
                reason=reason,
                changes=fields or None,
                into=None if into is None else full(handle, into),
                idempotency_key=idempotency_key,
            )
    report("tkg.decide/1", plan, title=_DONE[choice.value], json=json)


#: fields of a claim that are times
_TIMES: Final = {"valid_from": spoken_start, "valid_to": spoken_end}


def _field(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise RequestError("--set takes FIELD=TEXT, such as --set object='case-management queue'")
    reader = _TIMES.get(name.strip())
    return name.strip(), value if reader is None else reader(value) or ""


def confirm(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    claim_id: Identifier,
    user: User = None,
    session: Session = None,
    uri: Uri = None,
    version: Version = None,
    quote: Quote = None,
    locator: Locator = None,
    owner: Owner = None,
    copy_of: CopyOf = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Confirm a claim as a person: evidence of class human_verified is added to it, and its time to live starts anew."""
    evidence = evidence_of(uri, version, quote, locator, owner, copy_of)
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        verdict = handle.verify(full(handle, claim_id), evidence=evidence)
    if json:
        print_json("tkg.confirm/1", verdict_json(verdict))
    else:
        show_verdict(verdict)
    return exit_code(verdict)


class Level(StrEnum):
    """Where a claim is promoted to."""

    TENANT = "tenant"
    GLOBAL = "global"


def promote(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    claim_id: Identifier,
    reason: Reason,
    to: Annotated[Level, typer.Option("--to", help="tenant: of a user's claim; global: of a tenant's.")] = Level.TENANT,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Make a user's claim the tenant's, or a tenant's everybody's, as a person and with a reason.

    Nothing else widens a scope. `tkg audit global` lists what is everybody's; `tkg revoke --tenant global` takes it back
    for everybody.
    """
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        verdict = handle.promote(full(handle, claim_id), to=to.value, reason=reason)
    if json:
        print_json("tkg.promote/1", verdict_json(verdict))
    else:
        show_verdict(verdict)
    return exit_code(verdict)


_WHO: Final = "--store ./memory --tenant acme --channel human_verified --principal ana"
COMMANDS: Final = (
    Command("review", review, "tkg review --store ./memory --tenant acme"),
    Command("decide", decide, f"tkg decide {_WHO} \\\n  ID accept --reason 'checked with operations'"),
    Command("promote", promote, f"tkg promote {_WHO} \\\n  ID --to tenant --reason 'the whole team needs it'"),
    Command("confirm", confirm, f"tkg confirm {_WHO} \\\n  ID --uri ticket-88"),
)
