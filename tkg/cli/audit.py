"""`audit`, `policy`: what a person should look at, whether the gate was right, how writing drifts, what a policy would cost."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tkg.cli.audited import shown
from tkg.cli.command import Command
from tkg.cli.naming import full
from tkg.cli.opening import check_path, reading, writing
from tkg.cli.options import Engine, EngineChoice, Html, Json, Store, Tenant, User
from tkg.cli.screen import complain, print_fields, print_heading, print_json, print_line, print_table
from tkg.errors import RequestError
from tkg.files import write_whole
from tkg.ids import kind_of
from tkg.memory.accounting import Sampled
from tkg.memory.answers import GlobalClaim
from tkg.memory.handle import Handle
from tkg.memory.regressions import as_yaml
from tkg.memory.reliability import Reliability
from tkg.memory.settings import read_policies
from tkg.memory.store import Memory
from tkg.model.scope import GLOBAL, Channel

#: keys whose distance from their anchor is printed; `--json` has all
_KEYS: Final = 20


class What(StrEnum):
    """What is audited."""

    SAMPLE = "sample"
    MARK = "mark"
    DRIFT = "drift"
    GLOBAL = "global"
    SOURCES = "sources"
    LABEL = "label"
    PRECISION = "precision"
    REGRESSIONS = "regressions"


class Right(StrEnum):
    """Whether the gate was right."""

    RIGHT = "right"
    WRONG = "wrong"


def audit(
    store: Store,
    tenant: Tenant,
    what: Annotated[
        What | None,
        typer.Argument(
            metavar="WHAT",
            help="One thing only (default: the whole audit).",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID|PREDICATE]",
            help="mark: a sampled decision, or a claim it let in; label: a read; sources: only this one.",
        ),
    ] = None,
    verdict: Annotated[
        Right | None,
        typer.Option("--is", metavar="right|wrong", help="mark: whether the gate was right; label: whether it fits."),
    ] = None,
    rejected: Annotated[int | None, typer.Option("--rejected", min=1, help="sample: so many refused ones.")] = None,
    accepted: Annotated[int | None, typer.Option("--accepted", min=1, help="sample: so many accepted ones.")] = None,
    item: Annotated[str | None, typer.Option("--item", metavar="ID", help="label: id of what the read showed.")] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="precision: among so many.")] = 5,
    most: Annotated[
        int, typer.Option("--most", min=1, max=10_000, help="The whole audit: items listed of each kind.")
    ] = 20,
    html: Html = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="The whole audit: also write what it lists as a spreadsheet."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="regressions: write them to this new file.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same sample.")] = 0,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="mark: why.")] = "",
    no_record: Annotated[bool, typer.Option("--no-record", help="drift: leave new alarms out of the ledger.")] = False,
    channel: Annotated[Channel | None, typer.Option("--channel", help="mark: your class.")] = None,
    principal: Annotated[str | None, typer.Option("--principal", metavar="NAME", help="mark, drift: you.")] = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Find what a person should look at: the most shown claims and how each is known, and all that is weak.

    With one word only a part: `sample` draws decisions, `mark` says whether one was right, `drift` how writing changes,
    `global` what everybody reads, who promoted it and which tenants have copied it, `regressions` writes reads that were wrong as cases for `tkg conform`. `sources`
    estimates from how sources agree how far each may be trusted, a suggestion that changes nothing. Exit 1 when
    something needs a person.
    """
    by = (tenant, user, channel, principal)
    if (html is not None or csv is not None) and (what is not None or json):
        raise RequestError("--html and --csv go with the whole audit, and without --json")
    if what is What.MARK:
        return _mark(store, engine, by, target, verdict, reason, json)
    if what is What.LABEL:
        return _label(store, engine, by, target, item, verdict, json)
    if what is What.PRECISION:
        return _precision(store, engine, by, k, json)
    if what is What.DRIFT:
        return _drift(store, engine, tenant, user, principal, not no_record, json)
    if what is What.REGRESSIONS:
        return _regressions(store, engine, tenant, user, output, json)
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        if what is not None:
            return _part(memory, handle, what, target, rejected, accepted, seed, json)
        return shown(handle.audit(most=most, sample=rejected or 10, seed=seed), html, csv, json)


def _part(
    memory: Memory,
    handle: Handle,
    what: What,
    target: str | None,
    rejected: int | None,
    accepted: int | None,
    seed: int,
    json: bool,
) -> int:
    if what is What.GLOBAL:  # whoever runs this on the store may read every ledger in it
        return _global(memory.scope(GLOBAL).global_claims(), json)
    if what is What.SOURCES:
        return _sources(handle.audit_sources(target), json)
    return _sample(handle, rejected, accepted, seed, json)


def _sample(handle: Handle, rejected: int | None, accepted: int | None, seed: int, json: bool) -> int:
    side = "accepted" if accepted is not None and rejected is None else "rejected"
    found = handle.audit_sample(side, accepted or rejected or 50, seed=seed)
    if json:
        print_json("tkg.audit.sample/1", {"side": side, "items": [one.model_dump(mode="json") for one in found]})
    else:
        _show_sample(found)
    return 0


def _label(
    store: Path,
    engine: str,
    by: tuple[str, str | None, Channel | None, str | None],
    read: str | None,
    item: str | None,
    fits: Right | None,
    json: bool,
) -> int:
    tenant, user, channel, principal = by
    if read is None or item is None or fits is None or channel is None or principal is None:
        raise RequestError("a label takes the ID of a read, --item, --is right|wrong, --channel and --principal")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        read, item = full(handle, read), full(handle, item)
        handle.label(read, item, relevant=fits is Right.RIGHT)
    body = {"read": read, "item": item, "relevant": fits is Right.RIGHT}
    return _said(json, "tkg.audit.label/1", body, f"{item} in {read}: {fits.value}.")


def _precision(
    store: Path, engine: str, by: tuple[str, str | None, Channel | None, str | None], k: int, json: bool
) -> int:
    with reading(store, engine) as memory:
        found = memory.scope(by[0], by[1]).precision(k)
    return _said(json, "tkg.audit.precision/1", found.model_dump(mode="json"), f"precision@{k}: {found.says}.")


def _mark(
    store: Path,
    engine: str,
    by: tuple[str, str | None, Channel | None, str | None],
    target: str | None,
    verdict: Right | None,
    reason: str,
    json: bool,
) -> int:
    tenant, user, channel, principal = by
    if target is None or verdict is None or channel is None or principal is None:
        raise RequestError("a mark takes an ID, --is right|wrong, --channel and --principal")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        target = target if kind_of(target) == "verdict" else full(handle, target)
        handle.audit_mark(target, right=verdict is Right.RIGHT, reason=reason)
    body = {"verdict": target, "right": verdict is Right.RIGHT}
    return _said(json, "tkg.audit.mark/1", body, f"{target} is {verdict.value}.")


def _said(json: bool, schema: str, body: dict[str, Any], line: str) -> int:
    print_json(schema, body) if json else print_line(line)
    return 0


def _regressions(store: Path, engine: str, tenant: str, user: str | None, output: Path | None, json: bool) -> int:
    if output is not None and check_path(output, "--output").exists():
        raise RequestError(f"{output} exists; name a new file")
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).regressions()
    if json:
        print_json("tkg.audit.regressions/1", {"count": len(found), "cases": found})
    elif output is None:
        sys.stdout.write(as_yaml(found))
    if output is not None:
        try:
            write_whole(output, as_yaml(found))
        except OSError as error:
            raise RequestError(f"{output} cannot be written: {error.strerror}; name another file") from None
        complain(f"Wrote {len(found)} case(s) to {output}; run them with `tkg conform {output}`.")
    return 0


def _show_sample(found: list[Sampled]) -> None:
    if not found:
        print_line("There is nothing to draw from.")
    for number, one in enumerate(found, 1):
        print_heading(f"{number}. {one.says or f'{one.outcome}: {one.code}'}")
        print_fields(
            [
                ("verdict", one.verdict),
                ("at", one.at),
                ("class", one.channel),
                ("stopped by", one.stage),
                ("because", " ".join(one.reasons)),
                ("source", one.source),
                ("said by", " · ".join(part for part in (one.principal, one.session) if part)),
                ("marked", None if one.marked is None else "right" if one.marked else "wrong"),
            ]
        )


def _drift(
    store: Path, engine: str, tenant: str, user: str | None, principal: str | None, record: bool, json: bool
) -> int:
    opened = writing(store, engine) if record else reading(store, engine)
    with opened as memory:
        found = memory.scope(tenant, user, principal=principal).audit_drift(record=record)
    if json:
        print_json("tkg.audit.drift/1", found.model_dump(mode="json"))
        return 1 if found.alarms else 0
    if not found.alarms:
        print_line(f"Nothing stands out among {found.writes} writes in {found.streams} streams.")
    else:
        rows = [(one.kind, one.says, f"{one.figure:g}", f"{one.limit:g}", one.since) for one in found.alarms]
        print_table(["kind", "what", "figure", "limit", "since"], rows)
    if found.anchors:
        print_heading("Keys that changed, the farthest from what was vouched for first")
        print_table(
            ["key", "scope", "changes since", "moved by", "vouched for"],
            [
                (one.about, one.scope, str(one.distance), None if one.displacement is None else f"{one.displacement:.0%}",
                 one.anchor or "never")
                for one in found.anchors[:_KEYS]
            ],
        )  # fmt: skip
    return 1 if found.alarms else 0


def _global(found: list[GlobalClaim], json: bool) -> int:
    if json:
        print_json("tkg.audit.global/1", {"count": len(found), "items": [one.model_dump(mode="json") for one in found]})
    elif not found:
        print_line("Nothing is global.")
    else:
        rows = [
            (
                one.id,
                f"{one.subject} · {one.predicate}: {one.object}",
                ", ".join(one.promoted_by),
                ", ".join(one.copied_by),
            )
            for one in found
        ]
        print_table(["id", "says", "promoted by", "copied by"], rows, whole=(0,))
    return 0


def _sources(found: Reliability, json: bool) -> int:
    if json:
        print_json("tkg.audit.sources/1", found.model_dump(mode="json"))
        return 0
    if not found.sources:
        print_line("Nothing is said of a slot that holds one value.")
        return 0
    rows = [
        (one.principal or "…", ", ".join(one.uris), one.slots, one.disputed, one.agrees, f"{one.trust:.3f}")
        for one in found.sources
    ]
    print_table(["said by", "source", "slots", "differ", "favoured", "trust"], rows)
    for one in found.favoured:
        scores = ", ".join(f"{value} {score:.3f}" for value, score in one.scores)
        print_line(f"{one.subject} · {one.predicate}: {one.value or 'neither'} ({scores})")
    print_line(
        f"An estimate from {found.slots} slots. It changes nothing: decide with `tkg confirm` or `tkg supersede`."
    )
    return 0


def policy(
    store: Store,
    tenant: Tenant,
    what: Annotated[str, typer.Argument(metavar="compare", help="compare: what each would have cost.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Policies, as TOML.", show_default=False)],
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Compare policies on the candidates that were recorded, by the loss each would have caused under its own weights.

    What was believed and not withdrawn counts as right, what was withdrawn as wrong; marks (`tkg audit mark`) override.
    """
    if what != "compare" or len(files) < 1:
        raise RequestError("the form is: tkg policy compare a.toml b.toml")
    for file in files:
        if not file.is_file():
            raise RequestError(f"{file} is not a file; name policies in TOML")
    policies = {str(file): read_policies(file).write for file in files}
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).compare_policies(policies)
    if json:
        print_json("tkg.policy.compare/1", {"policies": {name: one.model_dump() for name, one in found.items()}})
        return
    rows = [
        (
            name,
            f"{one.total:g}",
            sum(each.false_accepts for each in one.by_kind.values()),
            sum(each.false_rejects for each in one.by_kind.values()),
            sum(each.reviews for each in one.by_kind.values()),
            one.judged,
            one.unknown + one.uncomparable,
        )
        for name, one in found.items()
    ]
    print_table(["policy", "loss", "wrong yes", "wrong no", "reviews", "judged", "unknown"], rows)


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (
    Command("audit", audit, f"tkg audit {_AT} --html audit.html"),
    Command("policy", policy, f"tkg policy {_AT} compare a.toml b.toml"),
)
