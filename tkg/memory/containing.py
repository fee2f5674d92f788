"""Containment: taking back what proved wrong, step by step, so that it can be interrupted anywhere and gone on with.

Which steps were taken stands in the ledger, as changes on an axis of their own (`containment`) of what is contained, each in
the transaction of what it did. A process that dies between two steps leaves the first one done and marked; one that dies
before its transaction leaves nothing. Erasing what was contained erases the marks with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tkg.errors import Conflict, NotPermitted, RequestError
from tkg.ids import canonical, digest, kind_of
from tkg.memory import changing, revoking, writing
from tkg.memory.answers import Containment, ContainmentStep, Plan
from tkg.memory.authority import check_taking_back
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.inspecting import label, lineage
from tkg.memory.moments import written_at
from tkg.memory.proposal import Proposal
from tkg.memory.renewing import renew
from tkg.memory.revoking import Target
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import bound_node, reaches, scope_of, visible_node
from tkg.model.claim import Claim
from tkg.model.entry import Record
from tkg.model.scope import GLOBAL
from tkg.model.verdict import StatusChange

AXIS: Final = "containment"
#: the steps, in their order; nothing but `withdraw` and `cancel` is hard to undo, and both come after `confirm`
STEPS: Final = (
    "freeze", "preserve", "quarantine", "descendants", "plan", "confirm", "cancel", "withdraw", "correct", "supersede",
    "rebuild", "regressions", "report",
)  # fmt: skip
#: code of what a containment froze, so that it thaws nothing that somebody else froze
_OURS: Final = "contain"
#: above this, the scope is frozen instead of each subject
_MANY_SUBJECTS: Final = 50


@dataclass(frozen=True, slots=True)
class Step:
    """A request to take one step.

    Args:
        tenant: the open tenant.
        caller: a person.
        target: what is contained: a claim, an artefact or a piece of evidence.
        reason: why; kept with every decision.
        plan: for `confirm`: the plan that was shown.
        correction: for `correct`: the id of a claim that stands, or the fields of one to propose (`object` and, if
            wanted, `valid_from`, `valid_to`, `evidence`).
        code: for `preserve`, `regressions` and `report`: what identifies the file that was written.
        says: the same, for people.
    """

    tenant: Tenant
    caller: Caller
    target: str
    reason: str
    plan: Plan | None = None
    correction: str | Mapping[str, Any] | None = None
    code: str = ""
    says: str = ""

    def mark(self, step: str, code: str, says: str) -> StatusChange:
        """Return the record that a step was taken."""
        return StatusChange(
            id=self.tenant.ids.new("sta"),
            target=self.target,
            axis=AXIS,
            value=step,
            code=code,
            reason=says,
            actor=self.caller.principal,
        )

    def commit(self, step: str, code: str, says: str, records: Iterable[Record] = ()) -> None:
        """Write what a step does, and that it was taken, in one transaction."""
        self.tenant.commit("contain", self.caller.scope.path, [*records, self.mark(step, code, says)])


# -- where a containment stands


def marks(tenant: Tenant, target: str) -> list[tuple[int, StatusChange]]:
    """Return the steps of the containment under way, or of the last one, oldest first."""
    found = [(seq, change) for seq, change in tenant.book.history(target) if change.axis == AXIS]
    ends = [place for place, (_, change) in enumerate(found) if change.value == STEPS[-1]]
    if ends and ends[-1] < len(found) - 1:
        return found[ends[-1] + 1 :]
    if ends and tenant.book.status(target) != "revoked":
        return []  # it was closed, and what it contained was let back: there is nothing under way
    return found[ends[-2] + 1 :] if len(ends) > 1 else found


def shown(tenant: Tenant, caller: Caller, target: str) -> Containment:
    """See `Handle.containment`."""
    visible_node(tenant, caller, target)
    if kind_of(target) not in ("claim", "artefact", "evidence"):
        raise RequestError("what is contained is a claim, a text or a piece of evidence; `tkg lineage ID` shows them")
    taken = marks(tenant, target)
    last = {change.value: (seq, change) for seq, change in taken}
    if (
        "withdraw" not in last
        and "confirm" in last
        and last["confirm"][1].code != fingerprint(_plan(tenant, caller, target))
    ):
        last = {name: last[name] for name in last if name not in ("plan", "confirm", "cancel")}
    times = written_at(tenant, (seq for seq, _ in last.values()))
    steps = [
        ContainmentStep(step=name, done=name in last)
        if name not in last
        else ContainmentStep(
            step=name,
            done=True,
            seq=last[name][0],
            at=times.get(last[name][0]),
            code=last[name][1].code,
            says=last[name][1].reason or "",
            by=last[name][1].actor,
        )
        for name in STEPS
    ]
    ahead = next((one.step for one in steps if not one.done), None)
    return Containment(
        target=target,
        label=label(tenant, target),
        state=state_of(tenant, target).state,
        under_way="closed" if ahead is None else "open" if taken else "not begun",
        steps=tuple(steps),
        next=ahead,
    )


def listing(tenant: Tenant, caller: Caller) -> list[Containment]:
    """See `Handle.containments`."""
    found = dict.fromkeys(change.target for _, change in tenant.book.of_axis(AXIS))
    visible = [one for one in found if reaches(caller, scope_of(tenant, one) or "")]
    return [one for one in (shown(tenant, caller, each) for each in visible) if one.under_way != "not begun"]


def fingerprint(plan: Plan) -> str:
    """Return what a person confirms: what is withdrawn, what falls with it, and what comes back by it."""
    ids = [sorted(one.id for one in many) for many in (plan.falls, plan.suspended, plan.resurfaces)]
    return digest(canonical([sorted(plan.targets), *ids]))[:16]


def _plan(tenant: Tenant, caller: Caller, target: str) -> Plan:
    try:
        return revoking.plan(tenant, caller, aimed(target), "revoked")
    except Conflict:  # it is withdrawn already
        return Plan(status="revoked", targets=(), planned_at=tenant.ledger.head.seq)


def aimed(target: str) -> Target:
    """Return a target as the planner takes it."""
    return Target(evidence=target) if kind_of(target) == "evidence" else Target(claim=target)


# -- the steps


def take(step: Step, name: str) -> Containment:
    """Take one step, which must be the next one; see `Handle.contain`."""
    if name not in STEPS:
        raise RequestError(f"a step is one of {', '.join(STEPS)}")
    tenant, caller = step.tenant, step.caller
    person(caller, "containing")
    step = replace(step, reason=told(step.reason, "reason"))
    found = shown(tenant, caller, step.target)
    if scope_of(tenant, step.target) == GLOBAL:
        bound_node(tenant, caller, step.target)
    if found.next != name:
        if any(one.step == name and one.done for one in found.steps):
            return found  # asked twice: it is done
        raise Conflict(f"the next step is {found.next or 'none: the containment is closed'}, not {name}")
    _STEPS[name](step)
    return shown(tenant, caller, step.target)


def subjects(tenant: Tenant, target: str) -> list[str]:
    """Return the ids under which writing is frozen while a target is looked at: its subjects, or its whole scope.

    They are those of the target's scope, whoever contains it, so that another person can go on.
    """
    claims = [view.claim for one in _about(tenant, target) if (view := tenant.graph.claim(one)) is not None]
    path = scope_of(tenant, target) or tenant.ledger.tenant
    found = list(dict.fromkeys(tenant.names.within(path, one.subject_id) for one in claims))
    return found if 0 < len(found) <= _MANY_SUBJECTS else [path]


def _about(tenant: Tenant, target: str) -> Iterable[str]:
    """Return the claims a target is about: itself, those its evidence carries, or those a text was made from."""
    match kind_of(target):
        case "claim":
            return [target]
        case "evidence":
            return [one.id for one in tenant.graph.descendants(target) if one.depth == 1]
        case _:
            return [one for backer in tenant.graph.justifications(target) for one in backer.justification.requires]


def _freezing(step: Step, targets: Iterable[str], value: str) -> list[Record]:
    return [
        StatusChange(
            id=step.tenant.ids.new("sta"),
            target=one,
            axis="freeze",
            value=value,
            code=_OURS,
            reason=step.reason,
            actor=step.caller.principal,
        )
        for one in targets
    ]


def _freeze(step: Step) -> None:
    wanted = subjects(step.tenant, step.target)
    fresh = [one for one in wanted if not step.tenant.book.frozen([one])]
    several = "s" if len(wanted) > 1 else ""
    what = f"{len(wanted)} subject{several}" if wanted[0].startswith("ent_") else "the whole scope"
    says = f"writing about {what} is held" if fresh else f"writing about {what} was frozen before, and stays so"
    step.commit("freeze", str(len(fresh)), says, _freezing(step, fresh, "frozen"))


def _thaw(step: Step) -> None:
    """Lift what this containment froze, and nothing that somebody else did."""
    found = []
    for one in subjects(step.tenant, step.target):
        last = step.tenant.book.last(one, "freeze")
        if last is not None and (last.value, last.code) == ("frozen", _OURS):
            found.append(one)
    if found:
        step.tenant.commit("contain", step.caller.scope.path, _freezing(step, found, "thawed"))


def _quarantine(step: Step) -> None:
    status = step.tenant.book.status(step.target)
    if status != "active":
        step.commit("quarantine", f"was-{status}", f"it was {status} already")
        return
    mark = step.mark("quarantine", "quarantined", "out of belief, kept, and what rests on it is suspended")
    revoking.change(step.tenant, step.caller, aimed(step.target), "quarantined", step.reason, [mark])


def _descendants(step: Step) -> None:
    found = lineage(step.tenant, step.caller, step.target).down
    kinds: dict[str, int] = {}
    for one in found:
        kinds[one.kind] = kinds.get(one.kind, 0) + 1
    told_of = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "nothing"
    step.commit("descendants", str(len(found)), f"grew from it: {told_of}")


def _planned(step: Step) -> None:
    plan = _plan(step.tenant, step.caller, step.target)
    says = f"{len(plan.falls)} would fall, {len(plan.survives)} stand by other support"
    step.commit("plan", fingerprint(plan), says)


def _confirm(step: Step) -> None:
    if step.plan is None:
        raise RequestError("confirm takes the plan that was shown: contain(…, 'confirm', plan=plan_revoke(…))")
    if fingerprint(step.plan) != fingerprint(_plan(step.tenant, step.caller, step.target)):
        raise Conflict("what would fall has changed since the plan was made; plan again")
    step.commit("confirm", fingerprint(step.plan), "the plan was confirmed")


def cancel(tenant: Tenant, caller: Caller, action_id: str, reason: str) -> None:
    """See `Handle.cancel`."""
    caller.speaking()
    reason = told(reason, "reason")
    bound_node(tenant, caller, action_id)
    last = tenant.book.last(action_id, "action")
    if last is None or last.value != "queued":
        what = "not an action" if last is None else last.value
        raise Conflict(f"it is {what}; only a queued action can be cancelled")
    check_taking_back(tenant, caller, [action_id], "revoked")
    tenant.commit("cancel", caller.scope.path, [_cancelled(tenant, caller, action_id, reason)])


def _cancelled(tenant: Tenant, caller: Caller, action_id: str, reason: str) -> StatusChange:
    return StatusChange(
        id=tenant.ids.new("sta"),
        target=action_id,
        axis="action",
        value="cancelled",
        code="cancelled",
        reason=reason,
        actor=caller.principal,
    )


def _cancel(step: Step) -> None:
    plan = _plan(step.tenant, step.caller, step.target)
    queued = [one for one in (*plan.targets, *(each.id for each in plan.falls)) if _queued(step.tenant, one)]
    says = f"queued actions cancelled: {len(queued)}"
    step.commit(
        "cancel", str(len(queued)), says, [_cancelled(step.tenant, step.caller, one, step.reason) for one in queued]
    )


def _queued(tenant: Tenant, node: str) -> bool:
    last = tenant.book.last(node, "action")
    return last is not None and last.value == "queued"


def _withdraw(step: Step) -> None:
    if step.tenant.book.status(step.target) == "revoked":
        step.commit("withdraw", "was-revoked", "it was revoked already")
        return
    plan = _plan(step.tenant, step.caller, step.target)
    mark = step.mark("withdraw", str(len(plan.falls)), f"revoked, and {len(plan.falls)} with it")
    revoking.carry_out(step.tenant, step.caller, plan, step.reason, [mark])


def _correct(step: Step) -> None:
    view = step.tenant.graph.claim(step.target)
    if step.correction is None:
        step.commit("correct", "none", "no correction was named")
        return
    if view is None:
        raise RequestError("only a claim is corrected; install what is right with `tkg propose`, and go on without one")
    if isinstance(step.correction, str):
        visible_node(step.tenant, step.caller, step.correction)
        right = step.correction
    else:
        right = _proposed(step, view.claim, step.correction)
    if not step.tenant.book.live(right):
        raise Conflict(
            f"the correction {right} waits or does not stand; decide about it, and go on with --correction {right}"
        )
    step.commit("correct", right, f"the correction is {label(step.tenant, right)}")


def _proposed(step: Step, wrong: Claim, fields: Mapping[str, Any]) -> str:
    """Propose the correction in the slot of what was wrong; asked again, the first answer counts."""
    if wrong.scope != step.caller.scope.path:
        raise NotPermitted(f"the claim belongs to {wrong.scope}; correct it through a handle of that scope (--user)")
    began = marks(step.tenant, step.target)[0][0]
    proposal = Proposal.read(
        subject=wrong.subject,
        predicate=wrong.predicate,
        idempotency_key=f"contain:{step.target}:{began}:{digest(canonical(sorted(map(str, fields.items()))))[:12]}",
        **fields,
    )
    _thaw(step)
    verdict = writing.propose(step.tenant, step.caller, proposal)
    if verdict.claim_id is None:
        why = next((one.reason for one in verdict.checks or () if one.outcome == "reject"), verdict.code)
        raise Conflict(f"the correction was refused: {why}")
    return verdict.claim_id


def corrected_by(tenant: Tenant, target: str) -> str | None:
    """Return the claim that a containment installed in place of its target."""
    code = next((change.code for _, change in reversed(marks(tenant, target)) if change.value == "correct"), "none")
    return None if code == "none" else code


def _supersede(step: Step) -> None:
    right = corrected_by(step.tenant, step.target)
    if right is None:
        step.commit("supersede", "none", "there is no correction")
        return
    there = [
        cut
        for cut, _ in step.tenant.graph.supersessions(step.target)
        if (cut.winner, cut.loser) == (right, step.target)
    ]
    if not any(cut.rule == "decided" for cut in there):
        try:
            changing.supersede(step.tenant, step.caller, step.target, right, step.reason)
        except Conflict as error:
            step.commit("supersede", "none", f"no edge: {error}")
            return
    step.commit("supersede", right, "the correction takes its place")


def withdrawn(tenant: Tenant, target: str) -> list[str]:
    """Return everything that changed in the transaction that withdrew a target, the target among it."""
    for seq, change in reversed(marks(tenant, target)):
        if change.value == "withdraw" and not change.code.startswith("was-"):
            return tenant.graph.changed(seq - 1, seq)
    return [target]


def _rebuild(step: Step) -> None:
    made, left = 0, 0
    for one in withdrawn(step.tenant, step.target):
        view = step.tenant.graph.artefact(one)
        if view is None or view.artefact.kind not in ("summary", "skill", "action", "answer"):
            continue
        if view.artefact.kind == "summary" and renew(step.tenant, step.caller, one) is not None:
            made += 1
        else:
            left += 1
    step.commit("rebuild", str(made), f"summaries written anew: {made}; texts for their authors to derive anew: {left}")


def _filed(name: str) -> Any:
    def step_of(step: Step) -> None:
        if not step.says:
            raise RequestError(f"{name} takes the file that was written")
        if name == STEPS[-1]:
            _thaw(step)
        step.commit(name, step.code, step.says)

    return step_of


_STEPS: Final[Mapping[str, Any]] = {
    "freeze": _freeze,
    "preserve": _filed("preserve"),
    "quarantine": _quarantine,
    "descendants": _descendants,
    "plan": _planned,
    "confirm": _confirm,
    "cancel": _cancel,
    "withdraw": _withdraw,
    "correct": _correct,
    "supersede": _supersede,
    "rebuild": _rebuild,
    "regressions": _filed("regressions"),
    "report": _filed("report"),
}
assert tuple(_STEPS) == STEPS
