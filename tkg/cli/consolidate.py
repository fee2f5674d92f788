"""`consolidate`: episodes into facts, every fact checked, episodes compressed; and taking such a job back."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tkg.cli.command import Command
from tkg.cli.extracting import ExtractorName, ExtractorOptions, chosen, tell_dropped
from tkg.cli.opening import reading, writing
from tkg.cli.options import Engine, EngineChoice, Json, Store, Tenant, User
from tkg.cli.screen import print_heading, print_json, print_line, print_table
from tkg.cli.times import past_end, past_start
from tkg.errors import RequestError
from tkg.memory.consolidated import Consolidation
from tkg.model.scope import Channel

_Channel = Annotated[
    Channel | None, typer.Option("--channel", help="Who decides: class. Needed with --yes.", show_default=False)
]
_Principal = Annotated[
    str | None, typer.Option("--principal", metavar="NAME", help="Who decides: name. Needed with --yes.")
]


def consolidate(
    store: Store,
    tenant: Tenant,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without it is only shown what would be done.")] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", callback=past_start, help="Only what was said from then on."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", callback=past_end, help="Only up to then; a date is included."),
    ] = None,
    keep: Annotated[bool, typer.Option("--keep-episodes", help="Read and check only; compress nothing.")] = False,
    undo: Annotated[str | None, typer.Option("--undo", metavar="JOB", help="Take this job back instead.")] = None,
    reason: Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; needed with --undo.")] = None,
    extractor: ExtractorName = None,
    extractor_option: ExtractorOptions = None,
    channel: _Channel = None,
    principal: _Principal = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Read episodes again, check every fact, and compress the episodes of each session into a summary.

    What the texts say and was not proposed before goes to the gate in the name of who said it then. Every claim that may
    hold in the window is told: still true, superseded by what, ended, in dispute, with the reason and the evidence.

    Without --yes nothing is read again and nothing changes. --undo JOB brings the episodes back and quarantines what the job
    had read.
    """
    reads = chosen(extractor, extractor_option)
    if (yes or undo is not None) and (channel is None or principal is None):
        raise RequestError("consolidation needs --channel and --principal: who decides?")
    if undo is not None:
        if reason is None:
            raise RequestError("--undo needs --reason: why?")
        with writing(store, engine) as memory:
            handle = memory.scope(tenant, user, channel=channel, principal=principal)
            back = handle.undo_consolidation(undo, reason=reason)
        if json:
            print_json("tkg.consolidate.undo/1", back.model_dump(mode="json"))
        else:
            print_line(f"Back in recall: {len(back.episodes)} episodes; out of belief: {len(back.evidence)} readings.")
        return
    if yes:
        with writing(store, engine) as memory:
            handle = memory.scope(tenant, user, channel=channel, principal=principal)
            found = handle.consolidate(since=since, until=until, extractor=reads, compress=not keep, dry_run=False)
        tell_dropped(reads)
    else:
        with reading(store, engine) as memory:
            found = memory.scope(tenant, user).consolidate(since=since, until=until, compress=not keep)
    if json:
        body = found.model_dump(mode="json", exclude={"verdicts"})
        print_json("tkg.consolidate/1", {**body, "counts": found.counts, "claims": _outcomes(found)})
        return
    _show(found, yes)


def _outcomes(found: Consolidation) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in found.verdicts:
        counts[one.outcome.value] = counts.get(one.outcome.value, 0) + 1
    return dict(sorted(counts.items()))


def _show(found: Consolidation, yes: bool) -> None:
    print_heading("Every fact" if yes else "Every fact (nothing was changed; --yes does it)")
    print_table(
        ["claim", "is", "why", "by"],
        [(one.claim, one.state, one.reason, ", ".join(one.by)) for one in found.checked],
        whole=(0,),
    )
    if found.summaries:
        print_heading("Summaries" if yes else "Would become summaries")
        rows = [(one.id or "", f"{len(one.sources)} episodes", one.content) for one in found.summaries]
        print_table(["id", "of", "text"], rows, whole=(0,))
    told = ", ".join(f"{number} {name}" for name, number in _outcomes(found).items()) or "none"
    print_line(f"{found.episodes} episodes; new candidates: {told}; out of recall: {len(found.archived)}.")
    if found.job is not None:
        print_line(f"Job {found.job}; `tkg consolidate --undo {found.job}` takes it back.")


_WHO: Final = "--store ./memory --tenant acme --channel human_verified --principal ana"
COMMANDS: Final = (
    Command(
        "consolidate",
        consolidate,
        f"tkg consolidate --store ./memory --tenant acme --since 2026-03-01\n"
        f"tkg consolidate {_WHO} --yes\n"
        f"tkg consolidate {_WHO} \\\n  --undo nte_0001 --reason 'too early'",
    ),
)
