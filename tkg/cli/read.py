"""`recall`, `value`, `explain`: reading what is believed and why."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer
from rich.padding import Padding
from rich.text import Text

from tkg.cli.command import Command
from tkg.cli.naming import full
from tkg.cli.opening import reading, writing
from tkg.cli.options import (
    AsOf,
    Engine,
    EngineChoice,
    Identifier,
    Json,
    Session,
    Store,
    Tenant,
    User,
    ValidAt,
    transaction,
)
from tkg.cli.screen import STYLES, console, period, print_fields, print_heading, print_json, print_line, print_table
from tkg.memory.answers import EvidenceShown, Explanation, Value
from tkg.memory.reading import Recalled
from tkg.model.time import iso
from tkg.recall.model import RecallItem, RecallOutcome
from tkg.text import safe_text, when

_Subject = Annotated[str, typer.Argument(metavar="SUBJECT", help="What it is about.")]
_Predicate = Annotated[str, typer.Argument(metavar="PREDICATE", help="Which attribute of it.")]


def recall(
    store: Store,
    tenant: Tenant,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words.")],
    user: User = None,
    session: Session = None,
    k: Annotated[int | None, typer.Option("--k", min=1, max=1000, help="Most items (default: the policy's).")] = None,
    token_budget: Annotated[
        int | None, typer.Option("--token-budget", min=1, help="Most tokens of the text block (default: the policy's).")
    ] = None,
    valid_at: ValidAt = None,
    as_of: AsOf = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Return the few memories that bear on a question, with their reasons.

    The read is recorded, so that `tkg exposure` can say later who was shown what.
    """
    with writing(store, engine) as memory:
        result = memory.scope(tenant, user, session=session).recall(
            query, k=k, token_budget=token_budget, valid_at=valid_at, as_of=transaction(as_of)
        )
    if json:
        print_json("tkg.recall/1", {"query": query, **_recalled(result)})
    else:
        show_recalled(result)


def _item(item: RecallItem, trace: RecallOutcome) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind,
        "state": item.state,
        "text": item.text,
        "subject": item.subject,
        "predicate": item.predicate,
        "object": item.object,
        "negative": item.negative,
        "scope": item.scope,
        "channel": item.channel,
        "observed_at": iso(item.observed_at),
        "valid_from": iso(item.valid_from),
        "valid_to": iso(item.valid_to),
        "uri": item.uri,
        "version": item.version,
        "locator": item.locator,
        "score": round(item.score, 6),
        "note": item.note,
        "pinned": item.pinned,
        "found_by": list(trace.found_by.get(item.id, ())),
    }


def _recalled(result: Recalled) -> dict[str, Any]:
    trace = result.trace
    return {
        "id": result.id,
        "seq": result.seq,
        "valid_at": iso(trace.valid_at),
        "as_of": trace.as_of,
        "intent": {"mode": trace.intent.mode, "rule": trace.intent.rule, "phrase": trace.intent.phrase},
        "items": [_item(one, trace) for one in result.items],
        "notes": [{"id": one.id, "code": one.code, "key": one.key, "text": one.text} for one in trace.notes],
        "left_out": [{"id": one, "reason": reason} for one, reason in trace.left_out],
        "abstained": None
        if trace.abstained is None
        else {"code": trace.abstained.code, "resolve": trace.abstained.resolve},
        "tokens": trace.tokens,
        "token_budget": trace.token_budget,
        "text": result.text,
    }


def _source(uri: str | None, version: str | None, locator: str | None) -> str:
    parts = [uri or "", f"version {version}" if version else "", locator or ""]
    return ", ".join(part for part in parts if part)


def show_recalled(result: Recalled) -> None:
    """Print what a recall showed, what it noted, and what it left out."""
    trace, out = result.trace, console()
    for number, item in enumerate(result.items, 1):
        line = Text(f"{number}. {safe_text(item.text)}")
        line.append(f"  [{item.state}]", style=STYLES.get(item.state, ""))
        out.print(line)
        facts = [
            item.kind,
            item.channel,
            _source(item.uri, item.version, item.locator),
            f"observed {when(iso(item.observed_at))}",
        ]
        if item.valid_from is not None:
            facts.append(f"valid {period(iso(item.valid_from), iso(item.valid_to))}")
        if item.note is not None:
            out.print(Padding(Text(f"! {safe_text(item.note)}", style="yellow"), (0, 0, 0, 3), expand=False))
        below = Text(safe_text(f"{item.id}\n" + " · ".join(one for one in facts if one)), style="dim")
        out.print(Padding(below, (0, 0, 0, 3), expand=False))
    for note in trace.notes:
        print_line(f"! {note.text}", "yellow")
    if trace.abstained is not None:
        print_line(f"No answer ({trace.abstained.code}): {trace.abstained.resolve}", "yellow")
    if trace.left_out:
        print_heading("Left out")
        print_table(["id", "why"], trace.left_out, whole=(0,))


def value_line(answer: Value) -> str:
    """Return a value in one line."""
    if answer.kind == "value":
        return answer.value or ""
    if answer.kind == "values":
        return ", ".join(answer.values)
    if answer.kind == "conflict":
        return "in conflict: " + " / ".join(answer.values)
    if answer.kind == "suspended":
        return f"suspended; previously {answer.previously or 'unknown'}"
    return "nothing is believed"


def value(
    store: Store,
    tenant: Tenant,
    subject: _Subject,
    predicate: _Predicate,
    user: User = None,
    valid_at: ValidAt = None,
    as_of: AsOf = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Say what is believed of a subject and predicate at one point of both times."""
    with reading(store, engine) as memory:
        answer = memory.scope(tenant, user).value(subject, predicate, valid_at=valid_at, as_of=transaction(as_of))
    if json:
        print_json("tkg.value/1", {"subject": subject, "predicate": predicate, **answer.model_dump(mode="json")})
        return
    print_line(value_line(answer))
    print_fields([("by", ", ".join(answer.claims)), ("because", answer.reason), ("look it up", answer.look_up)])


def _about(found: Explanation) -> str:
    if found.subject is None:
        return found.content or ""
    no = "not " if found.polarity == "negative" else ""
    return f"{found.subject} · {found.predicate} · {no}{found.object}"


def evidence_table(evidence: tuple[EvidenceShown, ...]) -> None:
    """Print pieces of evidence."""
    print_heading("Evidence")
    for one in evidence:
        print_fields(
            [
                ("id", one.id),
                ("source", _source(one.uri, one.version, one.locator)),
                ("quote", one.quote),
                ("said by", " · ".join(part for part in (one.channel, one.principal, one.session) if part)),
                ("observed", when(one.observed_at)),
                ("copy of", one.copy_of),
                ("state", one.status),
            ]
        )


def summary(found: Explanation) -> None:
    """Print what is known of one id."""
    confidence = None if found.confidence is None else f"{found.confidence:.2f}"
    origins = found.independent_origins
    print_fields(
        [
            ("id", found.id),
            ("kind", found.kind),
            ("says", _about(found)),
            ("state", Text(safe_text(found.state), style=STYLES.get(found.state, ""))),
            ("by", found.by),
            ("remark", "\n".join(found.remarks)),
            ("reason", found.code),
            ("scope", found.scope),
            ("valid", period(found.valid_from, found.valid_to) if found.valid_from or found.valid_to else None),
            ("class", found.channel),
            ("confidence", None if confidence is None else f"{confidence}, from {origins} independent source(s)"),
            ("written", f"tx:{found.written_seq}"),
            *sorted(found.meta.items()),
        ]
    )


def explain(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Explain one id: its state and why, what it rests on, its edges, and every decision about it."""
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        found = handle.explain(full(handle, identifier))
    if json:
        print_json("tkg.explain/1", found.model_dump(mode="json"))
        return
    summary(found)
    if found.evidence:
        evidence_table(found.evidence)
    if found.rests_on:
        print_heading("Rests on (each line is enough by itself)")
        for together in found.rests_on:
            print_line(" and ".join(together))
    if found.edges:
        print_heading("Edges")
        rows = [
            (e.edge + ("" if e.counts else " (no longer counts)"), e.other, e.rule, e.decided_by) for e in found.edges
        ]
        print_table(["edge", "claim", "rule", "decided by"], rows, whole=(1,))
    if found.decisions:
        print_heading("Decisions")
        print_table(
            ["tx", "at", "what", "why", "who"],
            [(d.seq, when(d.at), d.what, d.reason or d.code, d.actor) for d in found.decisions],
        )
        checks = [(c.check, c.outcome, c.reason) for d in found.decisions for c in d.checks if c.outcome != "pass"]
        if checks:
            print_heading("Checks of the gate that said something")
            print_table(["check", "outcome", "reason"], checks)


_AT: Final = "--store ./memory --tenant acme"
COMMANDS: Final = (
    Command("recall", recall, f"tkg recall {_AT} --session chat-13 'where do exception reports go?'"),
    Command("value", value, f"tkg value {_AT} 'exception reports' destination --as-of 2026-03-12"),
    Command("explain", explain, f"tkg explain {_AT} ID"),
)
