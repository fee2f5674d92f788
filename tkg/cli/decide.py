"""`review`, `decide`, `verify`: what waits for a person, and what a person says about it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.evidence import evidence_of
from tkg.cli.opening import reading, writing
from tkg.cli.options import (
    ChannelChoice,
    CopyOf,
    Engine,
    EngineChoice,
    Identifier,
    Json,
    Locator,
    Owner,
    Principal,
    Quote,
    Session,
    Store,
    Tenant,
    Uri,
    User,
    Version,
)
from tkg.cli.plans import report
from tkg.cli.screen import print_fields, print_heading, print_json, print_line
from tkg.cli.verdicts import exit_code, show_verdict, verdict_json
from tkg.memory.answers import Explanation


class Choice(StrEnum):
    """What a person may decide."""

    ACCEPT = "accept"
    REJECT = "reject"


def review(
    store: Store, tenant: Tenant, user: User = None, engine: EngineChoice = Engine.AUTO, json: Json = False
) -> None:
    """List the candidates that wait for a person, oldest first; `tkg decide` accepts or rejects one."""
    with reading(store, engine) as memory:
        waiting = memory.scope(tenant, user).review()
    if json:
        print_json("tkg.review/1", {"count": len(waiting), "items": [one.model_dump(mode="json") for one in waiting]})
    elif not waiting:
        print_line("Nothing waits for a decision.")
    else:
        for number, one in enumerate(waiting, 1):
            _show(number, one)


def _show(number: int, one: Explanation) -> None:
    no = "not " if one.polarity == "negative" else ""
    said = f"{one.subject} · {one.predicate} · {no}{one.object}" if one.subject is not None else one.content or one.kind
    print_heading(f"{number}. {said}")
    reasons = [
        check.reason for made in one.decisions for check in made.checks if check.outcome in ("hold", "quarantine")
    ]
    first = one.evidence[0] if one.evidence else None
    print_fields(
        [
            ("id", one.id),
            ("state", one.state),
            ("waits because", " ".join(reasons) or one.code),
            ("class", one.channel),
            ("source", None if first is None else " ".join(p for p in (first.uri, first.version, first.locator) if p)),
            ("quote", None if first is None else first.quote),
        ]
    )


def decide(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    claim_id: Identifier,
    choice: Annotated[Choice, typer.Argument(metavar="accept|reject", help="The decision.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the decision.")] = "",
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Accept or reject a candidate that waits; the decision is recorded as a person's evidence.

    It needs a person's channel, and somebody else than who proposed it.
    """
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        plan = handle.decide(claim_id, choice.value, reason=reason)
    report("tkg.decide/1", plan, title=f"{choice.value.capitalize()}ed", json=json)


def verify(
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
        verdict = handle.verify(claim_id, evidence=evidence)
    if json:
        print_json("tkg.verify/1", verdict_json(verdict))
    else:
        show_verdict(verdict)
    return exit_code(verdict)


_WHO: Final = "--store ./memory --tenant acme --channel human_verified --principal ana"
COMMANDS: Final = (
    Command("review", review, "tkg review --store ./memory --tenant acme"),
    Command("decide", decide, f"tkg decide {_WHO} \\\n  ID accept --reason 'checked with operations'"),
    Command("verify", verify, f"tkg verify {_WHO} \\\n  ID --uri ticket-88"),
)
