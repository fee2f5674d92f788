"""What the facade answers with: frozen values whose times are ISO 8601 text, ready to be printed or dumped."""

from __future__ import annotations

from typing import Literal

from tkg.html import Html, element, folded
from tkg.model.base import Value as Frozen
from tkg.model.display import Parts, rows
from tkg.model.verdict import CheckResult

#: levels of a lineage that a notebook shows
_DEEPEST = 40


class Value(Frozen):
    """What is believed of one slot at one point of both times.

    `kind` says which fields count: "value" (one), "values" (a multi-valued predicate), "conflict" (several where one is
    allowed), "suspended" (`previously` holds the former value) or "none". `look_up` says where live state is asked for
    instead, where the predicate is declared live. `reason` is "possible" where bounds leave the answer open, and "erased"
    where words that held then were erased since; `values` leaves them out.
    """

    kind: Literal["value", "values", "conflict", "suspended", "none"]
    value: str | None = None
    values: tuple[str, ...] = ()
    previously: str | None = None
    claims: tuple[str, ...] = ()
    reason: str = ""
    look_up: str | None = None

    @property
    def said(self) -> str:
        """The answer in a few words."""
        if self.kind == "conflict":
            return "conflict: " + " / ".join(self.values)
        if self.kind == "suspended":
            return f"suspended (was {self.previously})"
        return ", ".join(self.values) or "nothing"

    def _brief_(self) -> str:
        return self.said

    def _heading_(self) -> str:
        return self.said


class EvidenceShown(Frozen):
    """A piece of evidence as it is shown."""

    id: str
    uri: str | None
    version: str | None = None
    locator: str | None = None
    quote: str | None = None
    channel: str
    principal: str | None = None
    session: str | None = None
    observed_at: str | None
    status: str
    copy_of: str | None = None
    extractor: str | None = None

    def _brief_(self) -> str:
        where = " · ".join(one for one in (self.uri, self.version, self.locator, self.principal) if one)
        return f"“{self.quote}” ({where})" if self.quote else where


class Decision(Frozen):
    """One decision about a node: a gate verdict or a change of state."""

    seq: int
    at: str | None = None
    what: str
    code: str
    reason: str | None = None
    actor: str | None = None
    checks: tuple[CheckResult, ...] = ()

    def _display_(self) -> Parts:
        shown = super()._display_()
        return {"tx": self.seq, **{name: one for name, one in shown.items() if name not in ("seq", "checks")}}


class Edge(Frozen):
    """An edge to another claim: supersedes, superseded_by, conflicts_with, refines, refined_by, depends_on."""

    edge: str
    other: str
    valid_from: str | None = None
    valid_to: str | None = None
    rule: str = ""
    decided_by: str = ""
    counts: bool = True

    def _brief_(self) -> str:
        return f"{self.edge} {self.other}"


class Explanation(Frozen):
    """Everything stored about one id and why it is in the state it is in; `remarks` say who denies it or says otherwise."""

    id: str
    kind: str
    scope: str
    state: str
    by: str | None = None
    code: str = ""
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    polarity: str = "positive"
    content: str | None = None
    meta: dict[str, str] = {}
    valid_from: str | None = None
    valid_to: str | None = None
    written_seq: int
    channel: str | None = None
    confidence: float | None = None
    independent_origins: int | None = None
    evidence: tuple[EvidenceShown, ...] = ()
    rests_on: tuple[tuple[str, ...], ...] = ()
    edges: tuple[Edge, ...] = ()
    decisions: tuple[Decision, ...] = ()
    remarks: tuple[str, ...] = ()

    def _heading_(self) -> str:
        return f"{self.kind.capitalize()} ({self.state})"

    def _display_(self) -> Parts:
        apart = ("subject", "predicate", "object", "polarity", "content", "rests_on", "decisions")
        shown = {name: one for name, one in super()._display_().items() if name not in apart}
        said = f"{self.subject} · {self.predicate}: {'not ' * (self.polarity != 'positive')}{self.object}"
        return {
            "says": self.content if self.predicate is None else said,
            **shown,
            "decided": folded(f"{len(self.decisions)} decision(s)", rows(self.decisions)) if self.decisions else None,
        }


class GlobalClaim(Explanation):
    """A global claim: who promoted it, as `tenant/principal`, and which tenants have copied it; empty but for the global handle."""

    promoted_by: tuple[str, ...] = ()
    copied_by: tuple[str, ...] = ()


class Rival(Frozen):
    """A standing claim of the same slot as a candidate: what the decision is against."""

    id: str
    object: str | None
    polarity: str = "positive"
    channel: str
    valid_from: str | None = None
    valid_to: str | None = None
    said_by: str | None = None


class Waiting(Explanation):
    """A candidate that waits for a person, with what the decision needs.

    `context` are the words around its quote where the text itself is stored; `on_accept` and `on_reject` say what each
    choice would bring about.
    """

    waits_because: str
    consequence: Literal["low", "high"] = "low"
    since: str | None
    age_seconds: int
    context: str | None = None
    rivals: tuple[Rival, ...] = ()
    on_accept: str
    on_reject: str


class Node(Frozen):
    """A node of a lineage: what it is, its state, and its distance from the root."""

    id: str
    kind: str
    state: str
    label: str
    depth: int
    parents: tuple[str, ...] = ()


class Lineage(Frozen):
    """What a node rests on (`up`, nearest first, ending in sources) and what grew from it (`down`)."""

    root: Node
    up: tuple[Node, ...]
    down: tuple[Node, ...]

    def _heading_(self) -> str:
        return f"Lineage of: {self.root.label}"

    def _brief_(self) -> str:
        return f"{self.root.label}: {len(self.up)} up, {len(self.down)} down"

    def _display_(self) -> Parts:
        return {
            "it": f"{self.root.kind}, {self.root.state}, {self.root.id}",
            "up": _branch("rests on", self.root, self.up),
            "down": _branch("what grew from it", self.root, self.down),
        }


def _branch(title: str, root: Node, nodes: tuple[Node, ...]) -> Html:
    """Return one side of a lineage as nested lists; each node stands once, under the first it hangs on."""
    below: dict[str, list[Node]] = {}
    placed = {root.id}
    for node in nodes:
        if node.id not in placed:
            placed.add(node.id)
            below.setdefault(next((one for one in node.parents if one in placed), root.id), []).append(node)

    def listed(identifier: str, depth: int) -> Html:
        found = below.get(identifier, ())
        if not found or depth > _DEEPEST:
            return element("i", f"{len(found)} deeper") if found else Html("")
        return element("ul", *(element("li", *_named(one), listed(one.id, depth + 1)) for one in found))

    return element("div", element("b", f"{title} ({len(nodes)})"), listed(root.id, 0))


def _named(one: Node) -> tuple[Html, ...]:
    return element("b", f"{one.kind} ({one.state}) "), element("span", one.label)


class Effect(Frozen):
    """What happens to one node under a plan: state before and after, and the supports that keep a survivor."""

    id: str
    kind: str
    label: str
    before: str
    after: str
    code: str = ""
    kept_by: tuple[str, ...] = ()


class Plan(Frozen):
    """What a revocation, quarantine or release would do; made by the same planner that carries it out.

    `targets` are the nodes whose status changes; `falls`, `suspended`, `returns` what follows from it; `survives` what
    was reached and stands by other support; `resurfaces` claims that become the answer again, or would and are held for a
    person because of their high consequence.
    """

    status: str
    targets: tuple[str, ...]
    falls: tuple[Effect, ...] = ()
    suspended: tuple[Effect, ...] = ()
    returns: tuple[Effect, ...] = ()
    survives: tuple[Effect, ...] = ()
    resurfaces: tuple[Effect, ...] = ()
    #: transaction the plan was made at
    planned_at: int
    #: transaction that carried it out; None for a plan only
    done_at: int | None = None

    def _heading_(self) -> str:
        return f"{'Planned' if self.done_at is None else 'Done'}: {self.status}"

    @property
    def effects(self) -> tuple[tuple[str, str], ...]:
        """(id, state after) of everything that changes: what plan and commit must agree on."""
        return tuple((one.id, one.after) for one in (*self.falls, *self.suspended, *self.returns, *self.resurfaces))


class Hold(Frozen):
    """A legal hold that keeps a node: what it was placed on, why, and by whom."""

    id: str
    on: str
    reason: str
    placed_by: str | None = None


class Recipient(Frozen):
    """Somebody who was shown what is erased, and has to be told: by reads that showed it.

    `tenant` is whose read it was, where something was erased at global and so in every tenant.
    """

    principal: str | None
    session: str | None
    at: str | None
    retrieval: str
    tenant: str | None = None


class Forgetting(Frozen):
    """What an erasure would take, by exact ids; made by the same planner that carries it out.

    `erases` are claims, evidence and texts (with what made them); `removes` other records whose content goes while they
    still count; `survives` claims that other evidence keeps; `mentions` records that name the subject in their text and
    are left unless asked for; `held` what is under legal hold: then nothing is erased.
    """

    what: str
    #: other names of the subject, by live `same_as` claims: what is said under them goes as well
    also: tuple[str, ...] = ()
    erases: tuple[Effect, ...]
    removes: tuple[str, ...] = ()
    survives: tuple[Effect, ...] = ()
    mentions: tuple[str, ...] = ()
    held: tuple[Hold, ...] = ()
    exposed: tuple[Recipient, ...] = ()
    #: actions that were dispatched on the strength of it and cannot be called back
    dispatched: tuple[str, ...] = ()
    #: transaction the plan was made at
    planned_at: int


class UpkeepStep(Frozen):
    """One decision of the forget policy: what leaves recall (or stays), by which rule, and why in one sentence."""

    id: str
    kind: str
    label: str
    rule: str
    why: str


class Condensed(Frozen):
    """A summary of the episodes of one session that leave recall together; `sources` are what it rests on.

    `id` is None for a plan, and where the gate refused it; `outcome` is the gate's.
    """

    id: str | None = None
    sources: tuple[str, ...]
    content: str
    label: str
    outcome: str = ""


class Rechecked(Frozen):
    """One piece of evidence whose source was fetched again."""

    evidence: str
    scope: str
    uri: str
    state: str
    before: str
    why: str = ""
    #: whether it was recorded (an answer that is as before is recorded once a day, and a dry run records nothing)
    recorded: bool = False
    suspended: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()


class EvidenceReport(Frozen):
    """What `reverify` found. `left` counts evidence that the budget did not reach; the next run begins with it."""

    items: tuple[Rechecked, ...]
    #: evidence that says nothing that can be compared: no quote and no digest
    without: int = 0
    left: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many pieces are in which state."""
        found: dict[str, int] = {}
        for one in self.items:
            found[one.state] = found.get(one.state, 0) + 1
        return dict(sorted(found.items()))


class Upkeep(Frozen):
    """What the forget policy would do, or did: `archives` leave recall, in this order; `stays` is under legal hold.

    `evidence` is what came of fetching sources again; None where no place was named that may be asked.
    """

    policy: str
    in_use: int
    archives: tuple[UpkeepStep, ...] = ()
    #: what takes the place of episodes in recall
    summaries: tuple[Condensed, ...] = ()
    stays: tuple[UpkeepStep, ...] = ()
    #: transaction the plan was made at
    planned_at: int
    #: transaction of the last decision; None for a plan only
    done_at: int | None = None
    #: records whose content was moved to the cold file
    moved: int = 0
    evidence: EvidenceReport | None = None


class ContainmentStep(Frozen):
    """One step of a containment: whether it was taken, in which transaction, and what came of it.

    `code` is for programs (a count, an id, a digest), `says` for people.
    """

    step: str
    done: bool
    seq: int | None = None
    at: str | None = None
    code: str = ""
    says: str = ""
    by: str | None = None


class Containment(Frozen):
    """Where a containment stands; `next` is the step to take, None once it is closed."""

    target: str
    label: str
    state: str
    under_way: Literal["not begun", "open", "closed"]
    steps: tuple[ContainmentStep, ...]
    next: str | None


class ContainmentReport(Frozen):
    """What a containment found and did; times are seconds, None where one of the two moments is missing.

    `residue` is what should have fallen and still stands (none, unless somebody let it back); `ran` are actions that were
    dispatched before and have to be made good; `derive_anew` texts that fell and that only their authors can write again.
    `texts_left` are episodes of the same sources that still hold the words.
    """

    target: str
    label: str
    state: str
    written: str | None
    first_shown: str | None
    begun: str | None
    withdrawn: str | None
    seconds_to_withdraw: float | None
    seconds_exposed: float | None
    reads: int
    sessions: tuple[str, ...]
    fell: tuple[Effect, ...]
    survived: tuple[Effect, ...]
    cancelled: tuple[str, ...]
    ran: tuple[str, ...]
    correction: str | None
    superseded: bool
    rebuilt: tuple[tuple[str, str], ...]
    derive_anew: tuple[str, ...]
    residue: tuple[str, ...]
    texts_left: tuple[Effect, ...]
