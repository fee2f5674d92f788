"""`metrics`: what the gate did and what came of it, over a window; as tables, JSON or Prometheus text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from tkg.cli.command import Command
from tkg.cli.opening import reading
from tkg.cli.options import Engine, EngineChoice, Json, Store, Tenant, User
from tkg.cli.screen import print_fields, print_heading, print_json, print_line, print_table
from tkg.cli.times import past_end, past_start
from tkg.errors import RequestError
from tkg.memory.accounting import GateFigures, Share

#: figures that are shares
SHARES: Final = (
    "conflicts", "false_accepts", "false_rejects", "withdrawn_accepts", "poisoned_reads", "deletions_complete",
)  # fmt: skip


def metrics(
    store: Store,
    tenant: Tenant,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="TIME", callback=past_start, help="Only what was decided and read from then on."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", callback=past_end, help="Only what was decided and read until then."),
    ] = None,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print the figures in the text format of Prometheus.")
    ] = False,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Show what the gate did and what came of it: funnel, writes per hundred runs, mistakes, reads, erasures, queue.

    Everything is counted from recorded decisions, each share with its 95 % interval. With a window, what became of its
    decisions counts whenever it was. Exit 1 when the review queue is too long.
    """
    if prometheus and json:
        raise RequestError("choose one of --json and --prometheus")
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        found = handle.gate_figures(since=since, until=until)
        scope = handle.scope.path
    if json:
        print_json("tkg.metrics/1", _figures(found))
    elif prometheus:
        sys.stdout.write(exposition(found, scope))
    else:
        _show_figures(found)
    return 1 if found.queue.alarm else 0


def exposition(found: GateFigures, scope: str) -> str:
    """Return the figures in the text format of Prometheus (0.0.4): gauges, since a window may be asked for."""
    lines = []
    for name, about, samples in _families(found):
        lines += [f"# HELP tkg_{name} {about}", f"# TYPE tkg_{name} gauge"]
        for labels, value in samples:
            shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in {"scope": scope, **labels}.items())
            lines.append(f"tkg_{name}{{{shown}}} {float(value)!r}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Return a label value: printable ASCII, so that nothing in it acts on a terminal either."""
    plain = text.encode("ascii", "backslashreplace").decode("ascii")
    plain = "".join(one if " " <= one <= "~" else f"\\x{ord(one):02x}" for one in plain)
    return plain.replace("\\", "\\\\").replace('"', '\\"')


_Samples = list[tuple[dict[str, str], float]]


def _families(found: GateFigures) -> Iterator[tuple[str, str, _Samples]]:
    """Yield name, help and samples of each family."""
    yield "candidates", "Candidates the gate judged.", [({}, found.candidates)]
    yield "runs", "Work sessions among them.", [({}, found.runs)]
    yield "outcomes", "Decisions by outcome.", [({"outcome": name}, n) for name, n in found.outcomes.items()]
    steps = [({"stage": one.name, "way": way}, getattr(one, way)) for one in found.funnel for way in
             ("entering", "routed", "rejected", "merged", "held", "leaving")]  # fmt: skip
    yield "funnel", "Candidates at each stage of the gate.", steps
    by_class = found.accepted_by_class.items()
    yield "accepted_by_class", "Accepted claims by class.", [({"class": name}, one.hits) for name, one in by_class]
    yield (
        "writes_per_hundred_runs",
        "Writes by source and kind, per hundred runs (plain counts without runs).",
        [({"source": source, "kind": kind}, n) for source, kind, n in found.writes_per_hundred_runs],
    )
    composed = found.writes_by_class_per_hundred_runs.items()
    yield (
        "class_per_hundred_runs",
        "Claims written by class, per hundred runs.",
        [({"class": name}, n) for name, n in composed],
    )
    for name in SHARES:
        share: Share = getattr(found, name)
        yield f"{name}_hits", f"{name.replace('_', ' ').capitalize()}: how many.", [({}, share.hits)]
        yield f"{name}_of", f"{name.replace('_', ' ').capitalize()}: of how many.", [({}, share.n)]
    yield "poison_exposure", "Times something was shown that was withdrawn later.", [({}, found.poison_exposure)]
    yield "rediscovered", "Times a refused candidate was found again in another run.", [({}, found.rediscovered)]
    judged = found.precision_at.items()
    yield "precision", "Share of relevant ones among the labelled of the first k of a read, on average.", [
        ({"k": k}, one.precision) for k, one in judged if one.precision is not None
    ]  # fmt: skip
    yield (
        "precision_labelled",
        "Labelled ones among the first k of each read.",
        [({"k": k}, one.judged) for k, one in judged],
    )
    if found.tokens_per_request is not None:
        yield "tokens_per_request", "Tokens of what a read showed, on average.", [({}, found.tokens_per_request)]
    queue = found.queue
    yield "review_queue", "Candidates that wait for a person.", [({}, queue.length)]
    yield "review_oldest_seconds", "Age of the oldest of them.", [({}, queue.oldest_seconds)]


def _figures(found: GateFigures) -> dict[str, Any]:
    body = found.model_dump(mode="json")
    body["funnel"] = [{**one.model_dump(), "leaving": one.leaving} for one in found.funnel]
    body["accepted_by_class"] = {name: one.shown() for name, one in found.accepted_by_class.items()}
    for name in SHARES:
        body[name] = getattr(found, name).shown()
    return body


def _again(found: GateFigures) -> str:
    per = found.rediscovered_per_hundred_runs
    rate = "" if per is None else f", {per:g} per hundred runs"
    return f"{found.rediscovered} times after it had been refused{rate}"


def _tokens(found: GateFigures) -> str:
    if found.tokens_per_request is None:
        return "nothing was read"
    return f"{found.tokens_per_request:.1f} on average, {found.tokens_p95} at the 95th percentile"


def _percent(share: Share) -> str:
    shown = share.shown()
    if share.rate is None:
        return "nothing looked at"
    return f"{share.rate:.2%} ({share.hits} of {share.n}; 95 %: {shown['low']:.2%} to {shown['high']:.2%})"


def _show_figures(found: GateFigures) -> None:
    print_heading("Funnel")
    rows = [
        (one.name.replace("_", " "), one.entering, one.routed or "", one.rejected or "", one.merged or "", one.held or "",
         one.leaving)
        for one in found.funnel
        if one.entering != one.leaving
    ]  # fmt: skip
    print_table(["stage", "entering", "elsewhere", "rejected", "merged", "held", "leaving"], rows)
    print_line(f"{found.funnel[-1].leaving} of {found.candidates} became claims of their own.")
    print_heading("Accepted by class")
    print_table(["class", "accepted"], [(name, _percent(one)) for name, one in found.accepted_by_class.items()])
    print_heading("Writes by source and kind" + (f", per hundred of {found.runs} runs" if found.runs else ""))
    print_table(["source", "kind", "writes"], [(s, k, f"{n:g}") for s, k, n in found.writes_per_hundred_runs])
    composed = sorted(found.writes_by_class_per_hundred_runs.items(), key=lambda one: -one[1])
    print_table(["class", "writes"], [(name, f"{n:g}") for name, n in composed])
    print_heading("Mistakes")
    print_fields(
        [
            ("accepted wrongly (marked)", _percent(found.false_accepts)),
            ("accepted, withdrawn since", _percent(found.withdrawn_accepts)),
            ("refused wrongly (marked)", _percent(found.false_rejects)),
            ("conflicting", _percent(found.conflicts)),
            ("found again", _again(found)),
        ]
    )
    print_heading("Reads")
    print_fields(
        [
            ("showed poison", _percent(found.poisoned_reads)),
            ("poison shown", f"{found.poison_exposure} times, before it was withdrawn"),
            *((f"precision@{k}", one.says) for k, one in found.precision_at.items()),
            ("tokens per request", _tokens(found)),
        ]
    )
    print_heading("Erasures")
    print_fields([("without any content left", _percent(found.deletions_complete))])
    queue = found.queue
    print_heading("Review queue")
    seconds = None if queue.seconds_per_review is None else f"{queue.seconds_per_review:.0f} s (median)"
    print_fields(
        [
            ("waiting", queue.length),
            ("oldest", f"{queue.oldest_seconds // 3600} h"),
            ("grown in a week", queue.grown),
            ("reviews", queue.reviews),
            ("a review takes", seconds),
            ("most come from", ", ".join(f"{source} ({n})" for source, n in queue.by_source[:3])),
            ("alarm", queue.alarm),
        ]
    )


COMMANDS: Final = (Command("metrics", metrics, "tkg metrics --store ./memory --tenant acme --since 'last Monday'"),)
