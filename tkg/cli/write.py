"""`propose`, `remember`, `derive`, `dispatch`, `supersede`: writing through the gate."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.evidence import evidence_of
from tkg.cli.extracting import ExtractorName, ExtractorOptions, chosen, tell_dropped
from tkg.cli.naming import antecedents, full
from tkg.cli.opening import writing
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
    Polarity,
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
from tkg.cli.screen import print_fields, print_json, print_line, print_table
from tkg.cli.times import past_start, spoken_end, spoken_start
from tkg.cli.verdicts import exit_code, show_verdict, verdict_json
from tkg.errors import RequestError
from tkg.memory.loading import reason_of
from tkg.model.artefact import Artefact
from tkg.model.verdict import Verdict


class Kind(StrEnum):
    """What can be derived by text; claims are derived through the Python API."""

    SUMMARY = "summary"
    SKILL = "skill"
    ACTION = "action"


class Media(StrEnum):
    """How a text is read."""

    TEXT = "text"
    MARKDOWN = "markdown"
    TURN = "turn"
    YAML = "yaml"
    JSON = "json"
    TOML = "toml"
    INI = "ini"
    ENV = "env"


_DependsOn = Annotated[
    list[str] | None,
    typer.Option("--depends-on", metavar="ID", help="A claim without which this one is suspended; may be repeated."),
]
_ByKind = Annotated[
    bool,
    typer.Option(
        "--by-kind", help="Write where its kind belongs: a fact about a system to the tenant, about people to --user."
    ),
]
_ExpectedDigest = Annotated[
    str | None,
    typer.Option("--expected-digest", metavar="TEXT", help="Digest of an earlier verdict; refused if it changed."),
]
_ValidFrom = Annotated[
    str | None,
    typer.Option(
        "--valid-from",
        metavar="TIME",
        callback=spoken_start,
        help="When it began to hold (default: --observed-at).",
    ),
]
_ValidTo = Annotated[
    str | None,
    typer.Option(
        "--valid-to",
        metavar="TIME",
        callback=spoken_end,
        help="When it stops; a date is included. Default: until changed.",
    ),
]
_ObservedAt = Annotated[
    str | None,
    typer.Option("--observed-at", metavar="TIME", callback=past_start, help="When the source said so (default: now)."),
]


def propose(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    subject: Annotated[
        str, typer.Option("--subject", metavar="TEXT", help="What the claim is about.", show_default=False)
    ],
    predicate: Annotated[
        str, typer.Option("--predicate", metavar="NAME", help="Which attribute of it.", show_default=False)
    ],
    object: Annotated[str, typer.Option("--object", metavar="TEXT", help="The value.", show_default=False)],
    user: User = None,
    session: Session = None,
    polarity: Annotated[
        Polarity, typer.Option("--polarity", help="negative: a denial of the value.")
    ] = Polarity.POSITIVE,
    valid_from: _ValidFrom = None,
    valid_to: _ValidTo = None,
    observed_at: _ObservedAt = None,
    uri: Uri = None,
    version: Version = None,
    quote: Quote = None,
    locator: Locator = None,
    owner: Owner = None,
    copy_of: CopyOf = None,
    depends_on: _DependsOn = None,
    idempotency_key: IdempotencyKey = None,
    expected_digest: _ExpectedDigest = None,
    by_kind: _ByKind = False,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Propose one claim; the gate decides.

    Exit 0 when it was accepted or reinforces what is known, 3 when it was held, quarantined or rejected.
    """
    evidence = evidence_of(uri, version, quote, locator, owner, copy_of)
    with writing(store, engine, create=True) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        verdict = (handle.for_kind_of(predicate) if by_kind else handle).propose(
            subject=subject,
            predicate=predicate,
            object=object,
            polarity=polarity.value,
            valid_from=valid_from,
            valid_to=valid_to,
            observed_at=observed_at,
            evidence=evidence,
            depends_on=antecedents(handle, depends_on),
            idempotency_key=idempotency_key,
            expected_digest=expected_digest,
        )
    if json:
        print_json("tkg.propose/1", verdict_json(verdict))
    else:
        show_verdict(verdict)
    return exit_code(verdict)


def remember(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said or written.")],
    user: User = None,
    session: Session = None,
    speaker: Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who said it; resolves 'I'.")] = None,
    turn: Annotated[str | None, typer.Option("--turn", metavar="ID", help="Turn of the conversation.")] = None,
    observed_at: Annotated[
        str | None,
        typer.Option(
            "--observed-at",
            metavar="TIME",
            callback=past_start,
            help="When it was said; 'yesterday' counts from here (default: now).",
        ),
    ] = None,
    media: Annotated[Media, typer.Option("--media", help="How the text is read.")] = Media.TEXT,
    uri: Uri = None,
    version: Version = None,
    quote: Quote = None,
    locator: Locator = None,
    owner: Owner = None,
    copy_of: CopyOf = None,
    extractor: ExtractorName = None,
    extractor_option: ExtractorOptions = None,
    idempotency_key: IdempotencyKey = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Record a text as an episode and propose the claims found in it.

    Exit 3 when the gate refused the episode itself; what became of each claim is in the table.
    """
    evidence = evidence_of(uri, version, quote, locator, owner, copy_of)
    reads = chosen(extractor, extractor_option)
    with writing(store, engine, create=True) as memory:
        verdicts = memory.scope(tenant, user, channel=channel, principal=principal, session=session).remember(
            text,
            evidence=evidence,
            observed_at=observed_at,
            speaker=speaker,
            turn=turn,
            media=media.value,
            extractor=reads,
            idempotency_key=idempotency_key,
        )
    tell_dropped(reads)
    if json:
        print_json("tkg.remember/1", {"verdicts": [verdict_json(one) for one in verdicts]})
    else:
        _show_remembered(verdicts)
    return exit_code(verdicts[0]) if verdicts else 0


def _show_remembered(verdicts: list[Verdict]) -> None:
    rows = []
    for number, one in enumerate(verdicts):
        what = "episode" if number == 0 else f"claim {number}"
        rows.append((what, one.outcome.value, one.claim_id or one.artefact_id or "", reason_of(one)))
    print_table(["what", "verdict", "id", "why"], rows, whole=(0, 1, 2))


def derive(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    kind: Annotated[Kind, typer.Option("--kind", help="What it is.", show_default=False)],
    content: Annotated[str, typer.Argument(metavar="TEXT", help="What was made from memory.")],
    from_: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="ID", help="A claim or artefact it was made from; may be repeated."),
    ] = None,
    user: User = None,
    session: Session = None,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="NAME=TEXT", help="Kept with it, such as name=… of a skill; may be repeated."),
    ] = None,
    idempotency_key: IdempotencyKey = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Store a summary, a skill or a queued action that was made from memory.

    It rests on everything given with --from and everything the session was shown; when one of those falls, so does it.
    """
    details = {}
    for one in meta or ():
        name, equals, text = one.partition("=")
        if not equals or not name:
            raise RequestError("--meta takes NAME=TEXT, such as --meta name=file-a-report")
        details[name] = text
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        rests_on = antecedents(handle, from_)
        made = handle.derive(kind.value, content, from_=rests_on, meta=details or None, idempotency_key=idempotency_key)
    if isinstance(made, Verdict):  # held: a skill that no person proposed, where the policy says so
        print_json("tkg.derive.held/1", verdict_json(made)) if json else show_verdict(made)
        return exit_code(made)
    _show_artefact("tkg.derive/1", made, "queued" if kind is Kind.ACTION else "active", json)
    return 0


def _show_artefact(schema: str, made: Artefact, state: str, json: bool) -> None:
    if json:
        print_json(schema, {"id": made.id, "kind": made.kind, "label": made.label.value, "state": state})
    else:
        print_fields([("id", made.id), ("kind", made.kind), ("label", made.label.value), ("state", state)])


def notes(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    session: Session,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="NAME=TEXT", help="Keep a note; may be repeated.")
    ] = None,
    end: Annotated[bool, typer.Option("--end", help="End the run: its notes are destroyed.")] = False,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Keep and show the working notes of a run; they never become memory, and go with the run.

    A run is a --session of one principal in one scope. A run whose process died finds its notes again.
    """
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        for one in keep or ():
            name, equals, text = one.partition("=")
            if not equals or not name:
                raise RequestError("--keep takes NAME=TEXT, such as --keep next='ask the team lead'")
            handle.note(name, text)
        found = handle.notes()
        if end:
            handle.end_run()
    if json:
        print_json("tkg.notes/1", {"notes": found, "ended": end})
    elif not found:
        print_line("The run has no notes." if not end else "The run had no notes, and is over.")
    else:
        print_table(["name", "note"], list(found.items()))
        if end:
            print_line("The run is over; its notes are gone.")


def dispatch(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    action_id: Identifier,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Release a queued action, if everything it rests on still stands.

    Support, label and freeze are checked in the same transaction; exit 3 when one of them says no.
    """
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        made = handle.dispatch(full(handle, action_id))
    _show_artefact("tkg.dispatch/1", made, "dispatched", json)


def supersede(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    old: Annotated[str, typer.Argument(metavar="OLD", help="Id of the claim that gives way.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Id of the claim that takes its place.")],
    reason: Reason,
    user: User = None,
    session: Session = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Let one claim take the place of another where their times overlap, by a person's decision."""
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal, session=session)
        old, new = full(handle, old), full(handle, new)
        edge = handle.supersede(old, new, reason=reason)
    if json:
        print_json("tkg.supersede/1", {"edge": edge, "old": old, "new": new})
    else:
        print_line(f"{new} supersedes {old} (edge {edge}).")


_WHO: Final = "--store ./memory --tenant acme --channel human_stated --principal ana"
COMMANDS: Final = (
    Command(
        "propose",
        propose,
        f"tkg propose {_WHO} \\\n  --subject 'exception reports' --predicate destination --object 'case-management queue' \\\n"
        "  --valid-from 2026-03-01 --uri guide.md --version 4 --quote 'Use the case-management queue.'",
    ),
    Command(
        "remember",
        remember,
        f"tkg remember {_WHO} --session chat-12 \\\n  --speaker Ana 'Deploys need two approvals since March.'",
    ),
    Command(
        "derive",
        derive,
        "tkg derive --store ./memory --tenant acme --channel agent_inferred --principal agent \\\n"
        "  --kind summary --from ID 'Reports go to the queue.'",
    ),
    Command(
        "notes",
        notes,
        "tkg notes --store ./memory --tenant acme --channel agent_inferred --principal agent --session run-7 \\\n"
        "  --keep next='ask the team lead'",
    ),
    Command(
        "dispatch",
        dispatch,
        "tkg dispatch --store ./memory --tenant acme --channel trusted_tool --principal runner ID",
    ),
    Command(
        "supersede",
        supersede,
        "tkg supersede --store ./memory --tenant acme --channel human_verified --principal ana \\\n"
        "  OLD NEW --reason 'the mailbox was retired'",
    ),
)
