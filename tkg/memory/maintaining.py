"""The forget policy at work: what leaves recall, in which order, and why, each decision in one sentence.

What leaves is archived, not erased: explain, lineage, timeline and replay still tell it, and its content moves to the
tenant's cold file (`tkg.ledger.cold`) with the evidence that nothing else in use rests on. The order under pressure: what is
under legal hold stays; what is under investigation (quarantined, held) has left use already and stays for audit; expired
episodes go first; then the rest by low confidence, nobody's verification, little use, and age.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from tkg.belief.confidence import confidence_of
from tkg.errors import NotPermitted
from tkg.ids import kind_of
from tkg.memory.answers import EvidenceReport, Upkeep, UpkeepStep
from tkg.memory.caller import Caller
from tkg.memory.closure import records
from tkg.memory.condensing import archived, condense, groups, tell
from tkg.memory.fetching import Limits
from tkg.memory.holding import holds_on
from tkg.memory.inspecting import label
from tkg.memory.reverifying import reverify
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.visible import owns, reaches
from tkg.model.scope import GLOBAL, Channel
from tkg.model.verdict import StatusChange

_DAY: Final = 86_400_000_000
#: states in which a claim no longer answers a question about now
_PAST: Final = ("superseded", "expired", "unverified")
#: states of what is under investigation: out of use, kept for audit, never evicted
_INVESTIGATED: Final = ("quarantined", "held", "suspended")
_MAY: Final = frozenset({Channel.SYSTEM_OF_RECORD, Channel.HUMAN_VERIFIED, Channel.HUMAN_STATED})


class Kept(NamedTuple):
    """A claim or text in recall: when it was written (or brought back) and last shown, and how often."""

    id: str
    kind: str
    seq: int
    shown: int
    uses: int
    label: Channel | None


def _in_recall(tenant: Tenant, caller: Caller) -> Iterator[Kept]:
    """Yield what recall may show, in the order written."""
    found: dict[str, tuple[str, int, Channel | None]] = {}
    shown: dict[str, tuple[int, int]] = {}
    back: dict[str, int] = {}
    for seq, scope, record in records(tenant.ledger):
        match record["record"]:
            case "claim" if reaches(caller, scope) and (scope != GLOBAL or owns(caller, scope)):
                found[record["id"]] = ("claim", seq, None)
            case "artefact" if reaches(caller, scope) and record["kind"] in ("episode", "summary"):
                found[record["id"]] = (record["kind"], seq, Channel(record["label"]))
            case "status" if (record["axis"], record["value"]) == ("storage", "restored"):
                back[record["target"]] = seq
            case "retrieval":
                for one in record["shown"]:
                    shown[one] = (seq, shown.get(one, (0, 0))[1] + 1)
    for one, (kind, seq, channel) in found.items():
        if archived(tenant, one):
            continue
        if tenant.book.status(one) not in ("erased", "revoked", "rejected"):
            yield Kept(one, kind, back.get(one, seq), *shown.get(one, (0, 0)), channel)


def plan(tenant: Tenant, caller: Caller) -> Upkeep:
    """Return what the forget policy would do now; writes nothing."""
    policy = tenant.policies.forget
    kept = list(_in_recall(tenant, caller))
    steps: dict[str, UpkeepStep] = {}
    for one, rule, why in (*_expired(tenant, kept), *_past(tenant, kept)):
        steps.setdefault(one.id, _step(tenant, one, rule, why))
    held = {one.id: one for one in holds_on(tenant, steps)}
    stays = [_step(tenant, one, "legal_hold", held[one.id].reason) for one in kept if one.id in held]
    steps = {name: step for name, step in steps.items() if name not in held}
    left = [one for one in kept if one.id not in steps]
    if policy.most_in_use is not None and len(left) > policy.most_in_use:
        for step in _pressed(tenant, left, len(left) - policy.most_in_use):
            steps[step.id] = step
    return Upkeep(
        policy=policy.version,
        in_use=len(kept),
        archives=tuple(steps.values()),
        summaries=tuple(tell(tenant, group) for group in groups(tenant, caller, list(steps))),
        stays=tuple(stays),
        planned_at=tenant.ledger.head.seq,
    )


def _step(tenant: Tenant, one: Kept, rule: str, why: str) -> UpkeepStep:
    return UpkeepStep(id=one.id, kind=one.kind, label=label(tenant, one.id), rule=rule, why=why)


def _expired(tenant: Tenant, kept: list[Kept]) -> Iterator[tuple[Kept, str, str]]:
    """Yield the episodes that are older than their class stays in recall."""
    limits: dict[Channel, tuple[int, int]] = {
        channel: (days, tenant.written_by(days * _DAY))
        for channel, days in tenant.policies.forget.episode_days.items()
        if days is not None
    }
    for one in kept:
        if one.kind == "episode" and one.label in limits and one.seq <= limits[one.label][1]:
            days = limits[one.label][0]
            yield one, "expired", f"An episode of class {one.label} leaves recall after {days} days."


def _past(tenant: Tenant, kept: list[Kept]) -> Iterator[tuple[Kept, str, str]]:
    """Yield the claims that no longer answer and that nobody was shown for a long time."""
    days = tenant.policies.forget.archive_days
    if days is None:
        return
    before = tenant.written_by(days * _DAY)
    for one in kept:
        if one.kind == "claim" and max(one.seq, one.shown) <= before:
            state = state_of(tenant, one.id).state
            if state in _PAST:
                yield one, "past", f"It is {state}, and was neither written nor shown in the last {days} days."


def _pressed(tenant: Tenant, kept: list[Kept], over: int) -> Iterator[UpkeepStep]:
    """Yield what leaves because there is too much: least confidence first, then unverified, least used, oldest."""
    free = [one for one in kept if state_of(tenant, one.id).state not in _INVESTIGATED]
    held = {one.id for one in holds_on(tenant, [one.id for one in free])}
    ladder = tenant.policies.write.ladder
    order = sorted((one for one in free if one.id not in held), key=_rank(tenant, ladder))
    most = tenant.policies.forget.most_in_use
    for one in order[:over]:
        sure, verified, uses, _ = _rank(tenant, ladder)(one)
        word = "verified" if verified else "unverified"
        why = f"More than {most} in use: confidence {sure:.2f}, {word}, shown {uses} times, written at tx:{one.seq}."
        yield _step(tenant, one, "pressure", why)


def _rank(tenant: Tenant, ladder: dict[Channel, int]) -> Callable[[Kept], tuple[float, bool, int, int]]:
    def rank(one: Kept) -> tuple[float, bool, int, int]:
        claim = tenant.graph.claim(one.id)
        if claim is None:
            sure = ladder[one.label or Channel.EXTERNAL] / 1_000_000
        else:
            sure = confidence_of(claim.backers, tenant.book)
        last = tenant.book.last(one.id, "verified")
        return round(sure, 6), last is not None and last.value == "fresh", one.uses, one.seq

    return rank


class Budget(NamedTuple):
    """What a run may fetch again, and how much: at most so many documents, none begun after so many seconds."""

    limits: Limits
    documents: int
    seconds: float


def evidence(tenant: Tenant, caller: Caller, budget: Budget, *, record: bool) -> EvidenceReport | None:
    """Fetch the sources of the evidence that the caller owns again; None where no folder and no host may be asked."""
    if not (budget.limits.roots or budget.limits.hosts):
        return None
    return reverify(
        tenant,
        budget.limits,
        most=budget.documents,
        seconds=budget.seconds,
        within=lambda scope: owns(caller, scope),
        record=record,
    )


def carry_out(tenant: Tenant, caller: Caller, *, limit: int | None = None) -> Upkeep:
    """Do what the policy says, one ledger entry for each decision; an interrupted run goes on where it stopped.

    Raises:
        NotPermitted: an agent's handle.
    """
    channel, principal = caller.speaking()
    if channel not in _MAY:
        raise NotPermitted("maintenance takes a person or a system of record")
    found = plan(tenant, caller)
    done = found.archives if limit is None else found.archives[:limit]
    leaving = {step.id for step in done}
    summaries = [
        condense(tenant, caller, group)
        for group in groups(tenant, caller, [step.id for step in found.archives])
        if not leaving.isdisjoint(group.ids)
    ]
    for step in done:
        change = StatusChange(
            id=tenant.ids.new("sta"),
            target=step.id,
            axis="storage",
            value="archived",
            code=step.rule,
            reason=step.why,
            actor=principal,
        )
        tenant.commit("maintain", caller.scope.path, [change])
    moved = tenant.ledger.archive(_cold(tenant))
    after = {"archives": done, "summaries": tuple(summaries), "done_at": tenant.ledger.head.seq, "moved": moved}
    return found.model_copy(update=after)


def _cold(tenant: Tenant) -> Iterator[str]:
    """Yield the records that belong in the cold file: of every run so far, so that one that was interrupted is finished."""
    found: list[str] = []
    for _, _, record in records(tenant.ledger):
        if record["record"] in ("claim", "artefact") and archived(tenant, record["id"]):
            found.append(record["id"])
    yield from found
    for one in dict.fromkeys(
        needed
        for node in found
        for backer in tenant.graph.justifications(node)
        for needed in backer.justification.requires
    ):
        if kind_of(one) == "evidence" and all(
            archived(tenant, reach.id) for reach in tenant.graph.descendants(one) if reach.depth == 1
        ):
            yield one
