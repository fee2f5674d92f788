"""`quarantine`, `release`, `freeze`, `thaw`, `revoke`: containing what turned out to be wrong, and taking it back."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.opening import reading, writing
from tkg.cli.options import (
    ChannelChoice,
    Engine,
    EngineChoice,
    Json,
    OfClaim,
    OfEvidence,
    OfPrincipal,
    OfSession,
    OfSource,
    OfVersion,
    Principal,
    Reason,
    Session,
    Store,
    Tenant,
    User,
)
from tkg.cli.plans import report, resolved, show_left, show_plan, target_of
from tkg.cli.screen import complain, print_json, print_line
from tkg.errors import RequestError

_Target = Annotated[str | None, typer.Argument(metavar="[ID]", help="Target: a claim, artefact or piece of evidence.")]
_Subject = Annotated[str | None, typer.Option("--subject", metavar="TEXT", help="Only writes about this subject.")]
_Predicate = Annotated[str | None, typer.Option("--predicate", metavar="NAME", help="Only writes of this predicate.")]


def quarantine(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    identifier: _Target = None,
    claim: OfClaim = None,
    evidence: OfEvidence = None,
    source: OfSource = None,
    of_version: OfVersion = None,
    of_session: OfSession = None,
    of_principal: OfPrincipal = None,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Take something out of belief without destroying it; what rests on it is suspended. `tkg release` undoes it."""
    target = target_of(
        identifier,
        claim=claim,
        evidence=evidence,
        source=source,
        session=of_session,
        principal=of_principal,
        version=of_version,
    )
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        plan = handle.quarantine(**resolved(handle, target), reason=reason)
        report("tkg.quarantine/1", plan, title="Quarantined", json=json)
        if not json:
            show_left(handle, plan)


def release(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    identifier: _Target = None,
    claim: OfClaim = None,
    evidence: OfEvidence = None,
    source: OfSource = None,
    of_version: OfVersion = None,
    of_session: OfSession = None,
    of_principal: OfPrincipal = None,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Lift a quarantine or a revocation; what rested on it stands again."""
    target = target_of(
        identifier,
        claim=claim,
        evidence=evidence,
        source=source,
        session=of_session,
        principal=of_principal,
        version=of_version,
    )
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        plan = handle.release(**resolved(handle, target), reason=reason)
    report("tkg.release/1", plan, title="Released", json=json)


def revoke(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    identifier: _Target = None,
    claim: OfClaim = None,
    evidence: OfEvidence = None,
    source: OfSource = None,
    of_version: OfVersion = None,
    of_session: OfSession = None,
    of_principal: OfPrincipal = None,
    yes: Annotated[bool, typer.Option("--yes", help="Carry the plan out without asking.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the plan; works beside a running owner.")
    ] = False,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Take back something that should never have been believed, with everything that rests on it.

    The plan is shown first. It is carried out with --yes, or after a question in a terminal, and refused if anything it
    says has changed in between. A claim's fall leaves the text it was read from; which texts stay is shown, and --source
    takes them back as well.
    """
    target = target_of(
        identifier,
        claim=claim,
        evidence=evidence,
        source=source,
        session=of_session,
        principal=of_principal,
        version=of_version,
    )
    if dry_run:
        with reading(store, engine) as memory:
            handle = memory.scope(tenant, user)
            plan = handle.plan_revoke(**resolved(handle, target))
            report("tkg.revoke/1", plan, title="Plan (nothing was changed)", json=json)
            if not json:
                show_left(handle, plan)
        return 0
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        plan = handle.plan_revoke(**resolved(handle, target))
        if not yes:
            if json:
                raise RequestError("nothing was revoked: pass --yes to carry the plan out, or --dry-run to see it")
            show_plan(plan, title="Plan")
            show_left(handle, plan)
            if not _in_terminal():
                raise RequestError("nothing was revoked: pass --yes to carry this plan out")
            if not typer.confirm("Carry it out?"):
                complain("Nothing was changed.")
                return 0
        done = handle.revoke(plan, reason=reason)
        report("tkg.revoke/1", done, title="Revoked", json=json)
        if not json:
            show_left(handle, done)
    return 0


def _in_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def freeze(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    subject: _Subject = None,
    predicate: _Predicate = None,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Hold every later write: on a subject, on a predicate, or (with neither) in the whole scope."""
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        handle.freeze(subject=subject, predicate=predicate, reason=reason)
        scope = handle.scope.path
    _frozen("tkg.freeze/1", "frozen", scope, subject, predicate, json)


def thaw(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    subject: _Subject = None,
    predicate: _Predicate = None,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Lift a freeze; name what was frozen."""
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        handle.thaw(subject=subject, predicate=predicate, reason=reason)
        scope = handle.scope.path
    _frozen("tkg.thaw/1", "thawed", scope, subject, predicate, json)


def _frozen(schema: str, state: str, scope: str, subject: str | None, predicate: str | None, json: bool) -> None:
    if json:
        print_json(schema, {"scope": scope, "subject": subject, "predicate": predicate, "state": state})
        return
    what = [text for text in (subject, predicate) if text is not None]
    print_line(f"{' · '.join(what) or 'The whole scope'} in {scope} is {state}.")


_WHO: Final = "--store ./memory --tenant acme --channel human_verified --principal ana"
COMMANDS: Final = (
    Command("quarantine", quarantine, f"tkg quarantine {_WHO} \\\n  ID --reason 'under review'"),
    Command("release", release, f"tkg release {_WHO} \\\n  ID --reason 'checked: it is right'"),
    Command("freeze", freeze, f"tkg freeze {_WHO} \\\n  --predicate destination --reason 'incident 7'"),
    Command("thaw", thaw, f"tkg thaw {_WHO} \\\n  --predicate destination --reason 'incident 7 is closed'"),
    Command("revoke", revoke, f"tkg revoke {_WHO} \\\n  --source guide.md --reason 'the mailbox was retired' --yes"),
)
