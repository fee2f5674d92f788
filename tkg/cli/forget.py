"""`forget`, `hold`, `maintain`: erasing for good, what may not be erased, and the forget policy."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tkg.cli.command import Command
from tkg.cli.integrity import print_evidence
from tkg.cli.naming import full
from tkg.cli.opening import check_path, reading, writing
from tkg.cli.options import (
    ChannelChoice,
    Engine,
    EngineChoice,
    Json,
    OfPrincipal,
    OfSession,
    OfSource,
    Principal,
    Reason,
    Store,
    Tenant,
    User,
)
from tkg.cli.screen import print_fields, print_heading, print_json, print_line, print_table
from tkg.errors import NotFound, RequestError
from tkg.ids import kind_of
from tkg.memory import receipts
from tkg.memory.answers import Forgetting, Recipient, Upkeep
from tkg.memory.forgetting import Forgotten
from tkg.memory.handle import Handle
from tkg.model.scope import Channel

_Target = Annotated[str | None, typer.Argument(metavar="[ID]", help="Target: a claim, a text or a piece of evidence.")]
_Subject = Annotated[
    str | None, typer.Option("--subject", metavar="NAME", help="Target: everything about a subject, or naming it.")
]
_Channel = Annotated[Channel | None, typer.Option("--channel", help="Class of who asks; needed with --yes.")]
_Principal = Annotated[str | None, typer.Option("--principal", metavar="NAME", help="Who asks; needed with --yes.")]
_Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="The request or the legal basis; needed with --yes.")
]
_Receipt = Annotated[
    str | None,
    typer.Option("--verify", metavar="RECEIPT", help="Check a receipt (its file or its id) against the store instead."),
]
_Text = Annotated[
    list[str] | None,
    typer.Option("--text", metavar="WORDS", help="With --verify: also look for these words in every file."),
]


def forget(
    store: Store,
    tenant: Tenant,
    identifier: _Target = None,
    subject: _Subject = None,
    source: OfSource = None,
    of_session: OfSession = None,
    of_principal: OfPrincipal = None,
    scope: Annotated[bool, typer.Option("--scope", help="Target: everything in the scope.")] = False,
    mentions: Annotated[
        bool, typer.Option("--mentions", help="With --subject: also what only names it in its text.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Erase. Without it the plan is shown and nothing changes.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--receipt", metavar="FILE", help="Write the receipt to this new file.")
    ] = None,
    verify: _Receipt = None,
    text: _Text = None,
    channel: _Channel = None,
    principal: _Principal = None,
    reason: _Reason = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Erase content for good, with everything made from it, and print a receipt; without --yes only show the plan.

    The plan lists exact ids. Names are compared whole; nothing is erased by likeness. Exit 3 when it is under legal hold.
    With --verify a receipt is checked: exit 1 when something it says no longer holds.
    """
    if verify is not None:
        return _verify(store, tenant, user, verify, text or [], engine, json)
    named: dict[str, Any] = {"subject": subject, "source": source, "session": of_session, "principal": of_principal}
    named |= {"scope": scope, "mentions": mentions}
    if not yes:
        with reading(store, engine) as memory:
            handle = memory.scope(tenant, user)
            plan = handle.plan_forget(**_wanted(handle, identifier, named))
        if json:
            print_json("tkg.forget/1", {"plan": plan.model_dump(mode="json"), "receipt": None})
        else:
            _show(plan, "Plan (nothing was changed; --yes erases)")
        return 0
    if channel is None or principal is None or reason is None:
        raise RequestError("erasing needs --channel, --principal and --reason: who asks, and why")
    if output is not None and check_path(output, "--receipt").exists():
        raise RequestError(f"{output} exists; name a new file")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        done = handle.forget(**_wanted(handle, identifier, named), reason=reason)
    if output is not None:
        output.write_text(json_module.dumps(done.receipt, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
    if json:
        print_json("tkg.forget/1", {"plan": done.plan.model_dump(mode="json"), "receipt": done.receipt})
    else:
        _report(done)
    return 0


def _wanted(handle: Handle, identifier: str | None, named: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be erased as the facade takes it; an id may be any beginning that is the only one."""
    given = {name: value for name, value in named.items() if value is not None}
    if identifier is not None:
        whole = full(handle, identifier)
        kind = kind_of(whole)
        given[kind if kind in ("artefact", "evidence") else "claim"] = whole
    return given


def _show(plan: Forgetting, title: str) -> None:
    print_heading(title)
    print_fields(
        [
            ("what", plan.what),
            ("content of", f"{len(plan.erases)} nodes and {len(plan.removes)} other records"),
            ("was shown in", f"{len(plan.exposed)} reads"),
            ("dispatched", "\n".join(plan.dispatched)),
            ("planned at", f"tx:{plan.planned_at}"),
        ]
    )
    print_heading("Is erased")
    print_table(["what", "id", "state"], [(f"{e.kind}: {e.label}", e.id, e.before) for e in plan.erases], whole=(1,))
    if plan.survives:
        print_heading("Stays, by other evidence")
        print_table(["what", "id"], [(f"{e.kind}: {e.label}", e.id) for e in plan.survives], whole=(1,))
    if plan.also:
        print_line(f"Known under other names too, which go with it: {', '.join(plan.also)}.")
    if plan.mentions:
        print_heading("Names it in its text and stays (--mentions erases these too)")
        print_table(["id"], [(one,) for one in plan.mentions], whole=(0,))
    if plan.held:
        print_heading("Under legal hold: nothing can be erased")
        print_table(["id", "reason", "by"], [(h.id, h.reason, h.placed_by) for h in plan.held], whole=(0,))


def _report(done: Forgotten) -> None:
    receipt = done.receipt
    print_heading("Erased")
    scan = receipt["scan"]
    print_fields(
        [
            ("receipt", receipt["receipt_id"]),
            ("erased", ", ".join(f"{n} {kind}" for kind, n in receipt["erased"].items())),
            ("content removed", ", ".join(f"{n} {kind}" for kind, n in receipt["content_removed"].items())),
            ("bytes looked at", scan["bytes"]),
            ("fragments", f"{scan['fragments']}: {scan['found_before']} found before, {scan['hits']} after"),
            ("survivors", f"{receipt['survivors']['records']} records, unchanged: {receipt['survivors']['unchanged']}"),
        ]
    )
    if done.notify:
        print_heading("Was shown to: tell them")
        print_table(["principal", "session", "read"], [(_reader(r), r.session, r.retrieval) for r in done.notify])
    print_heading("Not covered")
    print_table(["what", "why"], [(one["what"], one["why"]) for one in receipt["not_covered"]])


def _verify(store: Path, tenant: str, user: str | None, name: str, texts: list[str], engine: Engine, json: bool) -> int:
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        receipt = handle.receipt(name) if kind_of(name) == "operation" else receipts.read(_file(name))
        checks = handle.verify_receipt(receipt, texts=texts)
    if json:
        print_json(
            "tkg.forget.verify/1",
            {"receipt_id": receipt["receipt_id"], "checks": [one._asdict() for one in checks]},
        )
    else:
        print_table(["check", "holds", "found"], [(c.what, "yes" if c.holds else "NO", c.detail) for c in checks])
    return 0 if all(one.holds for one in checks) else 1


def _file(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        return check_path(Path(name), "--verify").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise NotFound(f"{name} is neither a receipt's id nor a file that can be read") from None


def hold(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    identifier: _Target = None,
    subject: Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Hold everything about it.")] = None,
    source: OfSource = None,
    of_session: OfSession = None,
    of_principal: OfPrincipal = None,
    lift: Annotated[bool, typer.Option("--lift", help="Lift the hold instead of placing it.")] = False,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Place a legal hold: what it is on (or, with no target, the whole scope) can be neither erased nor evicted."""
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        act = handle.lift if lift else handle.hold
        act(
            id=None if identifier is None else full(handle, identifier),
            subject=subject,
            source=source,
            session=of_session,
            principal=of_principal,
            reason=reason,
        )
        path = handle.scope.path
    state = "lifted" if lift else "placed"
    if json:
        print_json("tkg.hold/1", {"scope": path, "state": state})
    else:
        print_line(f"The hold in {path} is {state}.")


def maintain(
    store: Store,
    tenant: Tenant,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without it the decisions are only shown.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Most decisions of this run.")] = None,
    root: Annotated[
        list[Path] | None,
        typer.Option("--root", metavar="DIR", help="Read sources below it again; may be repeated. Default: none."),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option("--host", metavar="NAME", help="Ask this host over HTTP for sources again; may be repeated."),
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, metavar="N", help="Sources at most.")] = 100,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="Begin no source after so long.")] = 60.0,
    channel: _Channel = None,
    principal: _Principal = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Carry out the forget policy, and fetch the sources of evidence again where --root or --host lets it.

    What is over its time, or too much, leaves recall and stays for audit. What rests on changed or gone evidence alone is
    suspended, as by `tkg verify --evidence`; what the budget does not reach is first in the next run.

    Without --yes the decisions are shown, each with its reason, and nothing changes. One ledger entry for each decision; an
    interrupted run is simply repeated.
    """
    again: dict[str, Any] = {"roots": root or [], "hosts": host or [], "documents": most, "seconds": seconds}
    if not yes:
        with reading(store, engine) as memory:
            found = memory.scope(tenant, user).maintain(**again)
    else:
        if channel is None or principal is None:
            raise RequestError("maintenance needs --channel and --principal: who decides?")
        with writing(store, engine) as memory:
            handle = memory.scope(tenant, user, channel=channel, principal=principal)
            found = handle.maintain(dry_run=False, limit=limit, **again)
    if json:
        print_json("tkg.maintain/1", found.model_dump(mode="json"))
        return
    _show_upkeep(found, yes)


def _show_upkeep(found: Upkeep, yes: bool) -> None:
    print_heading("Left recall" if yes else "Would leave recall (nothing was changed; --yes does it)")
    print_table(["what", "id", "why"], [(f"{s.kind}: {s.label}", s.id, s.why) for s in found.archives], whole=(1,))
    for one in found.summaries:
        state = f" {one.id} ({one.outcome})" if one.id else f" ({one.outcome or 'planned'})"
        print_heading(f"Summary of {len(one.sources)} episodes, as {one.label}{state}")
        print_line(one.content)
    if found.stays:
        print_heading("Stays, under legal hold")
        print_table(["what", "id", "why"], [(f"{s.kind}: {s.label}", s.id, s.why) for s in found.stays], whole=(1,))
    print_line(f"{len(found.archives)} of {found.in_use} in recall, by policy {found.policy}.")
    if found.evidence is None:
        print_line("Sources were not fetched again: name folders (--root) or hosts (--host) that may be asked.")
    else:
        print_evidence(found.evidence)


def unarchive(
    store: Store,
    tenant: Tenant,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="What left recall; or a summary of it, which leaves instead.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why it comes back; kept.")],
    channel: _Channel = None,
    principal: _Principal = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Bring back what the forget policy took out of recall; its time begins anew."""
    if channel is None or principal is None:
        raise RequestError("bringing something back needs --channel and --principal: who decides?")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        back = handle.unarchive(full(handle, id), reason)
    if json:
        print_json("tkg.unarchive/1", {"restored": list(back)})
    else:
        print_line(f"Back in recall: {', '.join(back)}.")


def _reader(told: Recipient) -> str | None:
    return told.principal if told.tenant is None else f"{told.tenant}/{told.principal}"


_WHO: Final = "--store ./memory --tenant acme --channel human_verified --principal ana"
COMMANDS: Final = (
    Command(
        "forget",
        forget,
        f"tkg forget --store ./memory --tenant acme --subject 'Ana Reed'\n"
        f"tkg forget {_WHO} \\\n  --subject 'Ana Reed' --reason 'request of 3 May' --yes --receipt ana.json",
    ),
    Command("hold", hold, f"tkg hold {_WHO} \\\n  --source contract.md --reason 'case 2026-17'"),
    Command("unarchive", unarchive, f"tkg unarchive {_WHO} \\\n  art_0001 --reason 'still needed'"),
    Command("maintain", maintain, f"tkg maintain --store ./memory --tenant acme\ntkg maintain {_WHO} --yes --root ."),
)
