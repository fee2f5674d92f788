"""Expectations to checks. Each returns None, or one sentence on what was found instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tkg.conform import scan
from tkg.conform.world import Answer, NotAvailable, World
from tkg.errors import NotFound, TkgError
from tkg.ids import kind_of
from tkg.model.verdict import Outcome, Verdict
from tkg.recall.render import parse_block

Expectation = Mapping[str, Any]
#: states of a claim that a count of claims leaves out
_UNCOUNTED: Final = frozenset({"rejected", "held", "erased"})


def check(world: World, wanted: Expectation) -> str | None:
    """Check one expectation against the world as it is now; None when it holds.

    `any_of` is put together by the runner, which knows when each part is due.
    """
    try:
        if "error" in wanted:
            return _error(world, wanted)
        if "count" in wanted and isinstance(wanted["count"], Mapping):
            return _count(world, wanted)
        if "bytes" in wanted:
            return _bytes(world, wanted["bytes"])
        return _of(world, wanted)
    except NotAvailable as missing:
        return str(missing)
    except TkgError as error:
        return f"looking failed with {error.code}: {error}"


def _of(world: World, wanted: Expectation) -> str | None:
    label = wanted["of"]
    answer = world.answers.get(label)
    if answer is None:
        return f"{label} was never done"
    if "state" in wanted:
        return _state(world, label, answer, wanted)
    if answer.error is not None:
        return f"{label} was refused with {answer.error}: {answer.message}"
    if answer.verb == "recall":
        return _recall(world, label, answer, wanted)
    if answer.verb == "value":
        return _value(label, answer, wanted)
    return _listing(world, label, answer, wanted)


# -- errors, counts, bytes


def _error(world: World, wanted: Expectation) -> str | None:
    label = wanted["of"]
    answer = world.answers.get(label)
    if answer is None:
        return f"{label} was never done"
    if answer.error is None:
        return f"{label} was not refused with {wanted['error']}: {_short(answer.result)}"
    if answer.error != wanted["error"]:
        return f"{label} was refused with {answer.error}, not {wanted['error']}: {answer.message}"
    if "reason" in wanted and str(wanted["reason"]).lower() not in answer.message.lower():
        return f"the message of {label} does not say {wanted['reason']}: {answer.message}"
    return None


def _claims(world: World, scope: str) -> list[str]:
    lines = map(json.loads, world.handle(scope).export())
    return [
        line["id"]
        for line in lines
        if line.get("record") == "claim" and line["scope"] == scope and line["state"] not in _UNCOUNTED
    ]


def _count(world: World, wanted: Expectation) -> str | None:
    scope = wanted["scope"]
    found: dict[str, int] = {}
    try:
        handle = world.handle(scope)
        claims = _claims(world, scope)
        found["claims"] = len(claims)
        if "evidence" in wanted["count"]:
            shown = {one.id for claim in claims for one in handle.explain(claim).evidence}
            found["evidence"] = len(shown)
        if "reviews" in wanted["count"]:
            review = getattr(handle, "review", None)
            if review is None:
                raise NotAvailable("not available: review")
            found["reviews"] = sum(one.scope == scope for one in review())
    except NotFound:
        found = dict.fromkeys(wanted["count"], 0)
    wrong = [f"{what} {found.get(what)} instead of {n}" for what, n in wanted["count"].items() if found.get(what) != n]
    return f"in {scope}: {', '.join(wrong)}" if wrong else None


def _bytes(world: World, wanted: Mapping[str, Any]) -> str | None:
    if "absent" in wanted:
        hits = scan.find(world.root, wanted["absent"]) + _live(world, wanted["absent"])
        return f"{wanted['absent']!r} is still in {', '.join(hits[:4])}" if hits else None
    if scan.find(world.root, wanted["present"]) or _live(world, wanted["present"]):
        return None
    return f"{wanted['present']!r} is nowhere in the store"


def _live(world: World, text: str) -> list[str]:
    """Return where an open store still tells the text: the export of each tenant."""
    spelt = json.dumps(text, ensure_ascii=False)[1:-1]
    return [
        f"export of {tenant}"
        for tenant in world.memory.tenants()
        if any(spelt in line for line in world.handle(tenant).export())
    ]


# -- states


def _state(world: World, label: str, answer: Answer, wanted: Expectation) -> str | None:
    if answer.error is not None:
        return f"{label} was refused with {answer.error}: {answer.message}"
    expected = wanted["state"]
    if expected == "reinforced":
        return _reinforced(world, label, answer, wanted)
    parts = _parts(answer, expected)
    if not parts:
        return f"{label} left nothing behind that could be {expected}"
    for part in parts:
        problem = _one_state(world, label, answer, part, wanted)
        if problem is not None:
            return problem
    return None


def _parts(answer: Answer, expected: str) -> list[Verdict | str]:
    """Return what of a label must be in the state: of a text its candidates, and its episode where that can be."""
    if answer.verb not in ("claim", "text"):
        return [*answer.ids] or list(answer.verdicts)
    verdicts = [v for v in answer.verdicts if not getattr(v, "artefact_id", None)]
    refused: list[Verdict | str] = [v for v in verdicts if v.claim_id is None]
    claims: list[Verdict | str] = [*dict.fromkeys(v.claim_id for v in verdicts if v.claim_id is not None)]
    if expected == "rejected":
        return refused or claims or [*answer.ids]
    if answer.episode is not None and (expected in ("revoked", "erased", "quarantined") or not claims):
        claims.append(answer.episode)
    return claims or refused


def _one_state(world: World, label: str, answer: Answer, part: Verdict | str, wanted: Expectation) -> str | None:
    expected, reason = wanted["state"], wanted.get("reason")
    if isinstance(part, Verdict):
        if part.outcome != expected:
            return f"{label} was {part.outcome} ({part.code}), not {expected}"
        return (
            None if reason is None or _says(reason, part) else f"{label} was {expected} for {part.code}, not {reason}"
        )
    shown = world.handle(answer.scope).explain(part)
    if shown.state != expected:
        return f"{label} is {shown.state}{f' ({shown.code})' if shown.code else ''}, not {expected}"
    if "by" in wanted and shown.by not in world.answers[wanted["by"]].ids:
        return f"{label} is {expected} by {_label_of(world, shown.by)}, not by {wanted['by']}"
    if reason is not None:
        said = [shown.code, *(d.code for d in shown.decisions), *(d.reason or "" for d in shown.decisions)]
        verdicts = [v for v in answer.verdicts if v.claim_id == part]
        if not any(_within(reason, one) for one in said) and not any(_says(reason, v) for v in verdicts):
            return f"{label} is {expected} for {shown.code or 'no stated reason'}, not {reason}"
    return None


def _reinforced(world: World, label: str, answer: Answer, wanted: Expectation) -> str | None:
    outcomes = [v for v in answer.verdicts if v.outcome == Outcome.REINFORCED]
    if not outcomes:
        return f"{label} was {', '.join(str(v.outcome) for v in answer.verdicts) or 'not judged'}, not reinforced"
    if "by" in wanted and outcomes[-1].claim_id not in world.answers[wanted["by"]].ids:
        return f"{label} reinforced {_label_of(world, outcomes[-1].claim_id)}, not {wanted['by']}"
    return None


def _within(word: object, text: str) -> bool:
    def plain(value: str) -> str:
        return value.lower().replace("_", " ").replace("-", " ")

    return plain(str(word)) in plain(text)


def _says(word: object, verdict: Verdict) -> bool:
    deciding = [c for c in verdict.checks or () if c.outcome not in ("pass", "note")]
    return any(_within(word, text) for text in (verdict.code, *(t for c in deciding for t in (c.code, c.reason))))


def _label_of(world: World, identifier: str | None) -> str:
    if identifier is None:
        return "nothing"
    named = [label for label, answer in world.answers.items() if identifier in answer.ids]
    return named[0] if named else f"an unlabelled {kind_of(identifier) or 'id'}"


# -- reads


def _recall(world: World, label: str, answer: Answer, wanted: Expectation) -> str | None:
    shown = [item.id for item in parse_block(answer.result.text).items]
    if shown != [item.id for item in answer.result.items]:
        return f"{label}: the block does not show exactly the items of the result"
    named = ", ".join(_label_of(world, one) for one in shown) or "nothing"

    def has(name: str) -> bool:
        return any(one in shown for one in world.answers[name].ids)

    if missing := [name for name in wanted.get("returns", ()) if not has(name)]:
        why = [f"{name}: {_left_out(world, answer, name)}" for name in missing]
        return f"{label} shows {named}; missing {', '.join(why)}"
    if extra := [name for name in wanted.get("excludes", ()) if has(name)]:
        return f"{label} shows {named}; {', '.join(extra)} should not be there"
    if "at_most" in wanted and len(shown) > wanted["at_most"]:
        return f"{label} shows {len(shown)} ({named}), more than {wanted['at_most']}"
    if "top" in wanted and (not shown or shown[0] not in world.answers[wanted["top"]].ids):
        return f"{label} shows {named}; first should be {wanted['top']}"
    return None


def _left_out(world: World, answer: Answer, name: str) -> str:
    reasons = dict(answer.result.trace.left_out)
    found = [reasons[one] for one in world.answers[name].ids if one in reasons]
    return found[0] if found else "not found"


def _value(label: str, answer: Answer, wanted: Expectation) -> str | None:
    found = answer.result
    got = _short_value(found)
    if wanted.get("none"):
        return None if found.kind == "none" else f"{label} is {got}, not nothing"
    if wanted.get("suspended"):
        if found.kind != "suspended":
            return f"{label} is {got}, not suspended"
        previous = wanted.get("previously")
        if previous is not None and found.previously != previous:
            return f"{label} was previously {found.previously!r}, not {previous!r}"
        return None
    if "conflict" in wanted:
        same = found.kind == "conflict" and sorted(found.values) == sorted(map(str, wanted["conflict"]))
        return None if same else f"{label} is {got}, not a conflict of {wanted['conflict']}"
    if "value" in wanted:
        expected = wanted["value"] if isinstance(wanted["value"], list) else [wanted["value"]]
        same = found.kind in ("value", "values") and sorted(found.values) == sorted(map(str, expected))
        return None if same else f"{label} is {got}, not {wanted['value']!r}"
    return f"nothing can be checked of {label} by {', '.join(sorted(wanted))}"


def _short_value(found: Any) -> str:
    match found.kind:
        case "none":
            return "nothing"
        case "suspended":
            return f"suspended (previously {found.previously!r})"
        case kind:
            return f"{kind} {' / '.join(map(repr, found.values))}"


def _listing(world: World, label: str, answer: Answer, wanted: Expectation) -> str | None:
    if "count" in wanted:
        found = len(answer.result) if isinstance(answer.result, list) else len(answer.ids)
        if found != wanted["count"]:
            return f"{label} counts {found}, not {wanted['count']}"
    for key, should in (("includes", True), ("excludes", False)):
        for name in wanted.get(key, ()):
            if any(one in answer.ids for one in world.answers[name].ids) is not should:
                return f"{label} {'lacks' if should else 'holds'} {name}"
    if not {"count", "includes", "excludes"} & set(wanted):
        return f"nothing can be checked of {label} by {', '.join(sorted(wanted))}"
    return None


def _short(result: Any) -> str:
    judged = [one for one in result if isinstance(one, Verdict)] if isinstance(result, list) else []
    if judged:
        return "it was " + ", ".join(f"{one.outcome} ({one.code})" for one in judged)
    return "it was done"
