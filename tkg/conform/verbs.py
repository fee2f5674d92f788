"""Steps to calls of the public face. Each verb is a few lines; what the face lacks is said, never skipped."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tkg.conform.cases import Step
from tkg.conform.world import Answer, NotAvailable, World
from tkg.errors import TkgError
from tkg.ids import kind_of
from tkg.model.artefact import Artefact
from tkg.model.evidence import Evidence
from tkg.model.verdict import Verdict

#: who acts where a case does not say: a person of the house for decisions, an agent for what agents make
_OPERATOR: Final = ("human_verified", "operator")
_AGENT: Final = ("agent_inferred", "agent")
#: tokens granted for each item, so that the cap and not the budget decides what a case sees
_TOKENS_PER_ITEM: Final = 800
_PLAIN: Final = ("subject", "predicate", "object", "polarity", "observed_at", "modality", "idempotency_key")


def perform(world: World, step: Step) -> Answer:
    """Do one step and return its answer; an error of tkg is an answer, any other goes up.

    Raises:
        NotAvailable: the public face has no such verb.
    """
    scope = step.body.get("scope")
    try:
        return _VERBS[step.verb](world, step)
    except TkgError as error:
        return Answer.refused(step.verb, scope, error)


def _method(owner: object, name: str, *wanted: str) -> Callable[..., Any]:
    """Return a method of the public face, or say that it is not there."""
    method = getattr(owner, name, None)
    if method is None:
        raise NotAvailable(f"not available: {name}")
    known = inspect.signature(method).parameters
    for one in wanted:
        if one not in known:
            raise NotAvailable(f"not available: {name}({one}=…)")
    return method  # type: ignore[no-any-return]


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _evidence(body: Mapping[str, Any]) -> Evidence | None:
    found = body.get("evidence")
    return None if found is None else Evidence.build(**found)


def _speaker(body: Mapping[str, Any], default: tuple[str, str]) -> dict[str, Any]:
    return {
        "channel": body.get("channel", default[0]),
        "principal": body.get("principal", default[1]),
        "session": body.get("session"),
    }


def _claim(world: World, step: Step) -> Answer:
    body = step.body
    handle = world.handle(body.get("scope"), **_speaker(body, _OPERATOR))
    valid_from, valid_to = body.get("valid") or (None, None)
    depends = [one for label in body.get("depends_on", ()) for one in world.ids_of(label)]
    expected = body.get("expected_digest")
    if expected in world.answers and world.answers[expected].verdicts:
        expected = world.answers[expected].verdicts[0].digest
    verdict = handle.propose(
        **_present(**{name: body.get(name) for name in _PLAIN}, valid_from=valid_from, valid_to=valid_to),
        evidence=_evidence(body),
        depends_on=depends,
        expected_digest=expected,
    )
    return _judged("claim", body.get("scope"), [verdict])


def _judged(verb: str, scope: object, verdicts: Sequence[Verdict]) -> Answer:
    episode = next((v.artefact_id for v in verdicts if getattr(v, "artefact_id", None)), None)
    ids = dict.fromkeys(one for v in verdicts for one in (getattr(v, "artefact_id", None), v.claim_id) if one)
    return Answer(verb, scope, tuple(ids), tuple(verdicts), episode, result=list(verdicts))


def _text(world: World, step: Step) -> Answer:
    body = step.body
    handle = world.handle(body.get("scope"), **_speaker(body, _OPERATOR))
    verdicts = handle.remember(
        body["body"],
        evidence=_evidence(body),
        observed_at=body.get("observed_at"),
        **_present(speaker=body.get("speaker"), turn=body.get("turn"), media=body.get("media")),
    )
    return _judged("text", body.get("scope"), verdicts)


def _derive(world: World, step: Step) -> Answer:
    body = step.body
    handle = world.handle(body.get("scope"), **_speaker(body, _AGENT))
    lists = [[one for label in labels for one in world.ids_of(label)] for labels in body["from"]]
    several = len(lists) > 1
    made = _method(handle, "derive")(
        body["kind"], body["body"], from_=[] if several else lists[0], alternatives=lists if several else ()
    )
    if isinstance(made, Artefact):
        return Answer("derive", body.get("scope"), (made.id,), result=made)
    return _judged("derive", body.get("scope"), [made])


def _targets(world: World, body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what a revoking verb is aimed at, as keyword arguments, one for each call."""
    for name in ("source", "session", "principal", "subject"):
        if name in body:
            return [{name: body[name]}]
    found = []
    for one in world.ids_of(body["target"]):
        kind = kind_of(one)
        found.append({kind if kind in ("artefact", "evidence") else "claim": one})
    return found


def _taking_back(verb: str) -> Callable[[World, Step], Answer]:
    def act(world: World, step: Step) -> Answer:
        body, results = step.body, []
        handle = world.handle(body.get("scope"), channel=_OPERATOR[0], principal=_OPERATOR[1])
        reason = body.get("reason") or "acceptance case"
        for target in _targets(world, body):
            if verb == "revoke":
                plan = _method(handle, "plan_revoke", *target)(**target)
                results.append(_method(handle, "revoke")(plan, reason=reason))
            else:
                name = "forget" if verb == "erase" else verb
                results.append(_method(handle, name, *target)(**target, reason=reason))
        return Answer(verb, body.get("scope"), result=results)

    return act


def _verify(world: World, step: Step) -> Answer:
    handle = world.handle(
        step.body.get("scope"), channel=_OPERATOR[0], principal=step.body.get("principal", _OPERATOR[1])
    )
    (target,) = world.ids_of(step.body["target"])[-1:]
    return Answer("verify", step.body.get("scope"), result=_method(handle, "verify")(target))


def _on_target(verb: str) -> Callable[[World, Step], Answer]:
    def act(world: World, step: Step) -> Answer:
        handle = world.handle(step.body.get("scope"), channel=_OPERATOR[0], principal=_OPERATOR[1])
        (target,) = world.ids_of(step.body["target"])[-1:]
        return Answer(verb, step.body.get("scope"), result=_method(handle, verb)(target))

    return act


def _freezing(verb: str) -> Callable[[World, Step], Answer]:
    def act(world: World, step: Step) -> Answer:
        handle = world.handle(step.body.get("scope"), channel=_OPERATOR[0], principal=_OPERATOR[1])
        fields = _present(subject=step.body.get("subject"), predicate=step.body.get("predicate"))
        _method(handle, verb)(**fields, reason=step.body.get("reason") or "acceptance case")
        return Answer(verb, step.body.get("scope"))

    return act


def _decide(world: World, step: Step) -> Answer:
    body = step.body
    about = world.answers.get(body["review_of"])
    scope = body.get("scope") or (None if about is None else about.scope)
    handle = world.handle(scope, channel="human_verified", principal=body.get("principal", _OPERATOR[1]))
    results = [_method(handle, "decide")(one, body["decision"]) for one in world.ids_of(body["review_of"])[-1:]]
    return Answer("decide", scope, result=results)


def _restart(world: World, step: Step) -> Answer:
    world.close()
    if step.body.get("rebuild"):
        rebuild = _method(world.memory, "rebuild")
        for tenant in world.memory.tenants():
            rebuild(tenant)
    return Answer("restart", result=world.memory)


def _recall(world: World, step: Step) -> Answer:
    body = step.body
    handle = world.handle(body.get("scope"), principal=body.get("principal"), session=body.get("session"))
    k = body.get("k", 5)
    result = handle.recall(
        body["query"],
        k=k,
        token_budget=body.get("token_budget", _TOKENS_PER_ITEM * (k + 1)),
        valid_at=body.get("valid_at"),
        as_of=body.get("as_of"),
    )
    return Answer("recall", body.get("scope"), (result.id,), result=result)


def _value(world: World, step: Step) -> Answer:
    body = step.body
    handle = world.handle(body.get("scope"))
    times = _present(valid_at=body.get("valid_at"), as_of=body.get("as_of"))
    return Answer("value", body.get("scope"), result=handle.value(body["subject"], body["predicate"], **times))


def _key_of(world: World, label: str, scope: object) -> tuple[str, str]:
    """Return subject and predicate of the claim behind a label."""
    for one in world.ids_of(label):
        if kind_of(one) == "claim":
            shown = world.handle(scope).explain(one)
            return shown.subject or "", shown.predicate or ""
    raise NotAvailable(f"{label} stands for no claim, so it has no timeline")


def _timeline(world: World, step: Step) -> Answer:
    body = step.body
    handle = world.handle(body.get("scope"))
    subject, predicate = _key_of(world, body["of"], body.get("scope"))
    found = handle.timeline(subject, predicate, **_present(as_of=body.get("as_of")))
    ids = dict.fromkeys(one for segment in found for one in segment.answer.claims)
    return Answer("timeline", body.get("scope"), tuple(ids), result=found)


def _contradictions(world: World, step: Step) -> Answer:
    body = step.body
    found = world.handle(body.get("scope")).contradictions(**_present(as_of=body.get("as_of")))
    ids = dict.fromkeys(one for pair in found for one in (pair.left, pair.right))
    return Answer("contradictions", body.get("scope"), tuple(ids), result=found)


def _lineage(world: World, step: Step) -> Answer:
    (target,) = world.ids_of(step.body["of"])[-1:]
    found = world.handle(step.body.get("scope")).lineage(target)
    nodes = [found.root, *found.up, *found.down]
    return Answer("lineage", step.body.get("scope"), tuple(node.id for node in nodes), result=nodes)


def _exposure(world: World, step: Step) -> Answer:
    (target,) = world.ids_of(step.body["of"])[-1:]
    found = world.handle(step.body.get("scope")).exposure(target)
    return Answer("exposure", step.body.get("scope"), tuple(v.retrieval.id for v in found), result=found)


def _export(world: World, step: Step) -> Answer:
    lines = list(world.handle(step.body.get("scope")).export())
    named = tuple(dict.fromkeys(one for answer in world.answers.values() for one in answer.ids))
    text = "\n".join(lines)
    return Answer("export", step.body.get("scope"), tuple(one for one in named if one in text), result=lines)


_VERBS: Final[dict[str, Callable[[World, Step], Answer]]] = {
    "claim": _claim,
    "text": _text,
    "derive": _derive,
    "revoke": _taking_back("revoke"),
    "quarantine": _taking_back("quarantine"),
    "release": _taking_back("release"),
    "erase": _taking_back("erase"),
    "verify": _verify,
    "dispatch": _on_target("dispatch"),
    "rebuild_artefact": _on_target("rebuild_artefact"),
    "freeze": _freezing("freeze"),
    "thaw": _freezing("thaw"),
    "decide": _decide,
    "restart": _restart,
    "recall": _recall,
    "value": _value,
    "contradictions": _contradictions,
    "timeline": _timeline,
    "lineage": _lineage,
    "exposure": _exposure,
    "export": _export,
}
