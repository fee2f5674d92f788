"""Showing a plan, and finding out what it is about."""

from __future__ import annotations

from collections.abc import Sequence

from tkg.cli.naming import full
from tkg.cli.screen import print_fields, print_heading, print_json, print_line, print_table
from tkg.errors import Conflict, NotFound, RequestError
from tkg.ids import KINDS
from tkg.memory.answers import Effect, Plan
from tkg.memory.handle import Handle


def target_of(
    identifier: str | None,
    *,
    claim: str | None,
    evidence: str | None,
    source: str | None,
    session: str | None,
    principal: str | None,
    version: str | None = None,
) -> dict[str, str]:
    """Return the one thing a change is about, as the keyword that the facade takes.

    Raises:
        RequestError: nothing, or more than one thing.
    """
    if identifier is not None:
        kind = KINDS.get(identifier.partition("_")[0])
        if kind == "evidence":
            evidence = _only(evidence, identifier)
        elif kind == "source":
            source = _only(source, identifier)
        else:
            claim = _only(claim, identifier)
    given = {"claim": claim, "evidence": evidence, "source": source, "session": session, "principal": principal}
    chosen = {name: value for name, value in given.items() if value is not None}
    if len(chosen) != 1:
        raise RequestError(
            "name exactly one target: an ID, --claim, --evidence, --source, --of-session or --of-principal"
        )
    return chosen if version is None else {**chosen, "version": version}


def resolved(handle: Handle, target: dict[str, str]) -> dict[str, str]:
    """Return a target with its id in full."""
    return {name: full(handle, value) if name in ("claim", "evidence") else value for name, value in target.items()}


def _only(given: str | None, identifier: str) -> str:
    if given is not None:
        raise RequestError("the target was given twice; name it once")
    return identifier


def show_plan(plan: Plan, *, title: str) -> None:
    """Print what a plan changes, and what it leaves standing."""
    print_heading(title)
    print_fields(
        [
            ("targets", "\n".join(plan.targets)),
            ("become", plan.status),
            ("planned at", f"tx:{plan.planned_at}"),
            ("done at", None if plan.done_at is None else f"tx:{plan.done_at}"),
        ]
    )
    for heading, effects in (
        ("Falls", plan.falls),
        ("Is suspended", plan.suspended),
        ("Stands again", plan.returns),
        ("Survives", plan.survives),
        ("Becomes the answer again", [one for one in plan.resurfaces if one.after == "active"]),
        ("Would become the answer again; held for a person", [one for one in plan.resurfaces if one.after == "held"]),
        ("Is cancelled in the queue", [one for one in plan.falls if one.code == "cancelled"]),
        ("Ran already and has to be made good", [one for one in plan.falls if one.code == "compensation"]),
    ):
        if effects:
            print_heading(heading)
            print_table(["what", "id", "state"], _rows(effects), whole=(1,))


def show_left(handle: Handle, plan: Plan) -> None:
    """Print which texts of the same sources stay, and so can still be recalled with the very words that were wrong."""
    gone = {*plan.targets, *(one.id for one in (*plan.falls, *plan.suspended))}
    left: dict[str, tuple[str, str]] = {}
    for claim in (one for one in plan.targets if KINDS.get(one.partition("_")[0]) == "claim"):
        for uri in dict.fromkeys(one.uri for one in handle.explain(claim).evidence if one.uri is not None):
            try:
                fallen = handle.plan_revoke(source=uri).falls
            except (
                Conflict,
                NotFound,
            ):  # all of it is revoked already, or belongs to a scope this caller does not reach
                continue
            texts = [one for one in fallen if one.kind == "episode" and one.id not in gone]
            left.update({one.id: (one.label, uri) for one in texts if _is_from(handle, one.id, uri)})
    if left:
        print_heading("Stays, and can still be recalled: texts of the same source")
        print_table(["text", "id", "source"], [(text, one, uri) for one, (text, uri) in left.items()], whole=(1,))
        print_line("To take a text back as well, name its id, or its source with --source.")


def _is_from(handle: Handle, identifier: str, uri: str) -> bool:
    return any(one.uri == uri for one in handle.explain(identifier).evidence)


def _rows(effects: Sequence[Effect]) -> list[tuple[str, str, str]]:
    rows = []
    for one in effects:
        change = one.after if one.before == one.after else f"{one.before} → {one.after}"
        if one.kept_by:
            change += f"; kept by {', '.join(one.kept_by)}"
        rows.append((f"{one.kind}: {one.label}", one.id, change))
    return rows


def report(schema: str, plan: Plan, *, title: str, json: bool) -> None:
    """Print a plan as JSON or as tables."""
    if json:
        print_json(schema, plan.model_dump(mode="json"))
    else:
        show_plan(plan, title=title)
