"""What the questions of an investigation are answered with: frozen values, times as ISO 8601 text."""

from __future__ import annotations

from tkg.memory.answers import Decision, Effect, EvidenceShown, Plan, Value
from tkg.model.base import Value as Frozen
from tkg.model.display import Parts

#: what stands in place of the id of something in a scope that the caller does not reach
HIDDEN = "hidden"


class Moment(Frozen):
    """A point of transaction time: the transaction, and when it was written (None: before the first)."""

    seq: int
    at: str | None = None

    def _brief_(self) -> str:
        return f"{self.at or 'before the first'} (tx:{self.seq})"


class Named(Frozen):
    """A node named in an answer. In a scope the caller does not reach, the id is `HIDDEN` and nothing else is told."""

    id: str
    kind: str
    state: str
    label: str

    def _brief_(self) -> str:
        return f"{self.kind} ({self.state}): {self.label}"


class ReadShown(Frozen):
    """A read that showed something: who asked what and when, and which of the nodes in question it showed."""

    id: str
    seq: int
    at: str | None
    scope: str
    query: str | None
    principal: str | None
    session: str | None
    valid_at: str | None
    as_of: int
    shown: tuple[str, ...]

    def _brief_(self) -> str:
        return f"{self.at} by {self.principal}, session {self.session}"


class Reason(Frozen):
    """A set of evidence that carries a node by itself and of which nothing can be spared."""

    evidence: tuple[Named, ...]
    shown: tuple[EvidenceShown, ...] = ()


class Why(Frozen):
    """Why a node stands: up to k minimal sets of evidence, the smallest first; none where it does not stand."""

    node: Named
    as_of: int | None
    reasons: tuple[Reason, ...]


class Lack(Frozen):
    """A justification that does not stand: what it lacks directly, and what is at the bottom of that.

    `justification` is None where the node is blocked itself (revoked, held, quarantined, …).
    """

    justification: str | None
    lacking: tuple[Named, ...]
    causes: tuple[Named, ...]


class WhyNot(Frozen):
    """Why a node does not stand; `stands` is True and `missing` empty where it does."""

    node: Named
    as_of: int | None
    stands: bool
    missing: tuple[Lack, ...]


class SinglePoints(Frozen):
    """The evidence whose loss alone would take a node down; `stands` is False where it is down already."""

    node: Named
    as_of: int | None
    stands: bool
    points: tuple[Named, ...]


class Blast(Frozen):
    """What a revocation would bring down, and how far what is in question was seen.

    `plan` is a dry run (with nothing in it where the target is revoked already); `reads` are those that showed the
    target or anything that grew from it; `actions` grew from it, `code` says what became of each.
    """

    target: tuple[Named, ...]
    plan: Plan
    reads: tuple[ReadShown, ...]
    sessions: tuple[str, ...]
    principals: tuple[str, ...]
    actions: tuple[Effect, ...]


class Link(Frozen):
    """One link of a poison chain: what it is, who said it, when it was written, first shown, and what was decided."""

    id: str
    kind: str
    state: str
    label: str
    depth: int
    parents: tuple[str, ...] = ()
    channel: str
    uri: str | None = None
    principal: str | None = None
    session: str | None = None
    written: Moment
    reads: int
    first_shown: ReadShown | None = None
    decisions: tuple[Decision, ...] = ()

    def _display_(self) -> Parts:
        return {
            "written": self.written.at,
            "what": f"{self.kind} ({self.state})",
            "says": self.label,
            "class": self.channel,
            "from": " · ".join(one for one in (self.uri, self.principal, self.session) if one),
            "first shown": self.first_shown and self.first_shown.at,
            "reads": self.reads,
            "decided": tuple(f"{one.what}: {one.reason or one.code}" for one in self.decisions),
            "id": self.id,
        }


class PoisonChain(Frozen):
    """A node and everything it rests on, the nearest first: where it came from, and where it could have been stopped."""

    root: Link
    links: tuple[Link, ...]

    def _heading_(self) -> str:
        return f"Where this came from: {self.root.label}"

    def _display_(self) -> Parts:
        return {"links": (self.root, *self.links)}


class Believed(Frozen):
    """One rectangle of a history: an answer, the valid time it speaks of, and when it was believed.

    `tx_from` and `tx_to` are transactions (`tx_to` None: believed now), `known_from` and `known_to` when they were
    written.
    """

    valid_from: str | None
    valid_to: str | None
    tx_from: int
    tx_to: int | None
    known_from: str | None
    known_to: str | None
    answer: Value

    def _display_(self) -> Parts:
        return {
            "known from": self.known_from,
            "until": self.known_to or "now",
            "valid from": self.valid_from or "open",
            "to": self.valid_to or "open",
            "answer": self.answer,
        }


class Stretch(Frozen):
    """A stretch of valid time and what held there before and after."""

    valid_from: str | None
    valid_to: str | None
    before: Value
    after: Value

    def _brief_(self) -> str:
        return f"{self.valid_from or 'open'} to {self.valid_to or 'open'}: {self.before.said} → {self.after.said}"


class SlotChange(Frozen):
    """A slot whose answers differ between two transactions, and where."""

    scope: str
    subject: str | None
    predicate: str | None
    stretches: tuple[Stretch, ...]


class NodeChange(Frozen):
    """A claim, artefact or piece of evidence whose state differs; `before` is "unknown" where it was not there."""

    id: str
    kind: str
    label: str
    before: str
    after: str


class Diff(Frozen):
    """What two transactions know differently: answers of slots, and states of nodes."""

    before: Moment
    after: Moment
    slots: tuple[SlotChange, ...]
    nodes: tuple[NodeChange, ...]


class Side(Frozen):
    """One side of a contradiction: what it says, for when, and the words it rests on in their context.

    `may_*` is the time possibly covered, `must_*` the time certainly covered (where `certain`); None is an open end.
    """

    id: str
    object: str | None
    polarity: str
    state: str
    channel: str
    may_from: str | None
    may_to: str | None
    must_from: str | None
    must_to: str | None
    certain: bool
    evidence: tuple[EvidenceShown, ...]
    context: str | None = None

    def _display_(self) -> Parts:
        return {
            "says": f"{'not ' * (self.polarity != 'positive')}{self.object}",
            "state": self.state,
            "class": self.channel,
            "may hold": f"{self.may_from or 'open'} to {self.may_to or 'open'}",
            "words": tuple(one.quote or "" for one in self.evidence),
            "from": tuple(" · ".join(p for p in (one.uri, one.principal) if p) for one in self.evidence),
            "id": self.id,
        }


class Choice(Frozen):
    """What a person can do about a contradiction, and what that would bring: the answer then, what falls, what goes stale."""

    what: str
    command: str
    answer: Value | None = None
    falls: tuple[Named, ...] = ()
    stale: tuple[Named, ...] = ()
    note: str = ""


class Dispute(Frozen):
    """Two claims that contradict each other, the row of the decision table, and the choices; answers are for `asked_at`."""

    subject: str | None
    predicate: str | None
    scope: str
    row: str
    reason: str
    overlap_from: str | None
    overlap_to: str | None
    left: Side
    right: Side
    asked_at: str
    choices: tuple[Choice, ...]

    def _heading_(self) -> str:
        return f"{self.subject} · {self.predicate}: {self.left.object} against {self.right.object}"

    def _display_(self) -> Parts:
        return {
            "they overlap": f"from {self.overlap_from or 'open'} to {self.overlap_to or 'open'}",
            "row of the table": self.row,
            "why": self.reason,
            "sides": (self.left, self.right),
            "choices": self.choices,
        }
