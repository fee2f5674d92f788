"""`skills`, `ran`, `core`: the skills of a scope and how they did, and what every recall shows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.naming import full
from tkg.cli.opening import reading, writing
from tkg.cli.options import ChannelChoice, Engine, EngineChoice, Identifier, Json, Principal, Store, Tenant, User
from tkg.cli.screen import print_heading, print_json, print_line, print_table
from tkg.errors import RequestError
from tkg.files import write_whole
from tkg.memory.core import Core, CoreImport
from tkg.recall.render import claim_text


class Ended(StrEnum):
    """How a run ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"


def skills(
    store: Store, tenant: Tenant, user: User = None, engine: EngineChoice = Engine.AUTO, json: Json = False
) -> None:
    """List the skills of a scope: whether each stands, its class, and the folder its SKILL.md lies in.

    `skills = "FOLDER"` at the top of tkg.toml keeps such a folder. A skill whose support dies leaves it in the same
    operation, and comes back when it stands again; so does one that failed too often in a row (`tkg ran`).
    """
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).skills()
    if json:
        print_json("tkg.skills/1", {"count": len(found), "items": [one.model_dump(mode="json") for one in found]})
    elif not found:
        print_line("There are no skills.")
    else:
        rows = [
            (
                one.name, one.version, one.id, "stands" if one.live else "does not stand",
                f"{one.verified_runs} verified, {one.failures} failed since", one.label, one.path,
            )
            for one in found
        ]  # fmt: skip
        print_table(["skill", "version", "id", "state", "runs", "class", "folder"], rows, whole=(2,))


def ran(
    store: Store,
    tenant: Tenant,
    skill: Identifier,
    ended: Annotated[Ended, typer.Argument(metavar="END", help="Whether its success check held.")],
    channel: ChannelChoice,
    principal: Principal,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What happened.")] = "",
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Tell how a run of a skill ended.

    A failure demotes the skill; after three in a row (skill_failures) recall leaves it out. A success that a tool or a person
    tells promotes it; what the agent itself calls one ends no row of failures.
    """
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        one = full(handle, skill)
        told = handle.record_run(one, succeeded=ended is Ended.SUCCEEDED, note=note)
    if json:
        print_json("tkg.ran/1", {"id": one, "failures": told.failures, "verified": told.verified, "last": told.last})
    else:
        print_line(f"Recorded: {told.failures} failure(s) since it was last verified, {told.verified} verified run(s).")


def core(
    store: Store,
    tenant: Tenant,
    pin: Annotated[str | None, typer.Option("--pin", metavar="ID", help="Pin this claim.")] = None,
    unpin: Annotated[str | None, typer.Option("--unpin", metavar="ID", help="Take this claim out of the core.")] = None,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write the file to edit.")] = None,
    read: Annotated[Path | None, typer.Option("--read", metavar="FILE", help="Take the edited file back.")] = None,
    channel: Annotated[str | None, typer.Option("--channel", help="Your class; to change something.")] = None,
    principal: Annotated[
        str | None, typer.Option("--principal", metavar="NAME", help="You; to change something.")
    ] = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Show or change the core: the few claims that every recall of this scope shows, whatever is asked.

    `--output` writes it as Markdown, one claim a line. Edit it and give it to `--read`: what is gone is unpinned, what is
    edited or new goes through the gate and is pinned when it is accepted. Exit 1 when the gate held or refused a line.
    """
    chosen = [one for one in (pin, unpin, output, read) if one is not None]
    if len(chosen) > 1:
        raise RequestError("choose one of --pin, --unpin, --output and --read")
    if pin is None and unpin is None and read is None:
        with reading(store, engine) as memory:
            found = memory.scope(tenant, user).core()
        if output is not None:
            write_whole(output, found.markdown)
        _show(found, json)
        return 0
    text = "" if read is None else _text(read)
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        if pin is not None:
            _show(handle.pin(full(handle, pin)), json)
            return 0
        if unpin is not None:
            _show(handle.unpin(full(handle, unpin)), json)
            return 0
        taken = handle.read_core(text)
    return _taken(taken, json)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(
            f"{path} cannot be read ({type(error).__name__}); name the file that --output wrote"
        ) from None


def _show(found: Core, json: bool) -> None:
    if json:
        print_json("tkg.core/1", found.model_dump(mode="json"))
        return
    if not found.items:
        print_line("Nothing is pinned.")
        return
    rows = [
        (claim_text(one.subject, one.predicate, one.object, one.negative), one.id, one.scope, one.state, one.tokens)
        for one in found.items
    ]
    print_heading(f"Core: {found.tokens} of {found.most_tokens} tokens, at most {found.most_items} claims")
    print_table(["claim", "id", "scope", "state", "tokens"], rows, whole=(1,))


def _taken(taken: CoreImport, json: bool) -> int:
    waiting = [one for one in taken.verdicts if one.outcome not in ("accepted", "reinforced")]
    if json:
        print_json("tkg.core.read/1", taken.model_dump(mode="json"))
    else:
        print_line(f"{len(taken.pinned)} pinned, {len(taken.unpinned)} unpinned, {len(taken.kept)} kept.")
        if waiting:
            rows = [(one.outcome.value, one.code, one.claim_id) for one in waiting]
            print_table(["not pinned", "why", "claim"], rows, whole=(2,))
    return 1 if waiting else 0


COMMANDS: Final = (
    Command("skills", skills, "tkg skills --store ./memory --tenant acme"),
    Command(
        "ran",
        ran,
        "tkg ran --store ./memory --tenant acme art_… failed --channel trusted_tool --principal ci --note 'step 2: timeout'",
    ),
    Command(
        "core",
        core,
        "tkg core --store ./memory --tenant acme --output core.md\n"
        "tkg core --store ./memory --tenant acme --read core.md --channel human_stated --principal ana",
    ),
)
