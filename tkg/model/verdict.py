"""The gate's answer, and changes of state."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Literal

from tkg.html import folded
from tkg.model.base import Value
from tkg.model.display import Parts, rows
from tkg.model.scope import Channel


class Outcome(StrEnum):
    """What the gate decided."""

    ACCEPTED = "accepted"
    REINFORCED = "reinforced"
    HELD = "held"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"


class CheckResult(Value):
    """One check's outcome: a reason code for programs and a sentence for people."""

    check: str
    outcome: Literal["pass", "note", "reinforce", "hold", "quarantine", "reject"]
    code: str = "ok"
    reason: str = ""


class Verdict(Value):
    """What the gate decided about one candidate, with every check's outcome.

    `claim_id` is the claim written or reinforced; None when rejected. `code` is the reason of the check that decided,
    `stage` its name. `kind` says what was judged: a claim, a procedure, or an artefact of that kind. `channel` is the
    class it was judged at, `confidence` (millionths) the lower of the ladder's and the extractor's. Names of source and
    predicate are kept as keyed ids, so that what was refused can be counted without keeping what it said.
    `digest` identifies the stored state for an `expected_digest` of a later write.
    """

    record: Literal["verdict"] = "verdict"
    sealed: ClassVar[frozenset[str]] = frozenset({"checks", "principal", "session"})
    id: str
    scope: str
    outcome: Outcome
    code: str
    claim_id: str | None = None
    evidence_id: str | None = None
    #: the episode, summary, skill or action written, when the verdict is about a text
    artefact_id: str | None = None
    kind: str = "claim"
    stage: str = ""
    channel: Channel | None = None
    consequence: Literal["low", "high"] = "low"
    confidence: int | None = None
    source_id: str | None = None
    predicate_id: str | None = None
    #: keyed digest of the candidate; all that is kept of a refused one
    candidate: str
    digest: str = ""
    checks: tuple[CheckResult, ...] | None = ()
    principal: str | None = None
    session: str | None = None

    @property
    def about(self) -> str | None:
        """Id of the claim or artefact the verdict is about; None for what was refused."""
        return self.claim_id or self.artefact_id

    def _heading_(self) -> str:
        return f"Verdict: {self.outcome.value}"

    def _display_(self) -> Parts:
        checks = self.checks or ()
        return {
            "outcome": self.outcome.value,
            "code": self.code,
            "why": " ".join(one.reason for one in checks if one.reason and one.outcome not in ("pass", "note")),
            "kind": self.kind,
            "class": self.channel and self.channel.value,
            "confidence": None if self.confidence is None else self.confidence / 1_000_000,
            "claim": self.claim_id,
            "artefact": self.artefact_id,
            "checks": folded(f"{len(checks)} checks", rows(checks)) if checks else None,
        }


class StatusChange(Value):
    """One change of state of one node. Axes are independent; the latest change on an axis counts.

    * `status`: active | held | rejected | quarantined | revoked | erased: what a person or the gate decided about the
      node itself; anything but active takes the node out of the base.
    * `support`: supported | suspended | unsupported: what a cascade found.
    * `action`: queued | dispatched | cancelled | compensation.
    * `freeze`: frozen | thawed (target: a scope path, entity id or predicate id).
    * `verified`: fresh | moved | changed | gone | unreachable.
    * `review`: resurfaced (a claim became the answer again because another was taken back).
    * `content`: removed: the sealed content of this record was erased and the record itself still counts.
    * `tombstone`: erased (target: a keyed id made by `Names.tombstone`): what older evidence may not bring back.
    * `hold`: placed | lifted: a legal hold on a node, entity, source, session, principal or scope path.
    * `storage`: archived | restored: out of recall, kept for audit and replay; decided by the forget policy.
    * `pin`: pinned | unpinned (target: a claim): in the core that every recall of its scope shows.
    * `run`: failed | succeeded | verified (target: a skill): how a run of it ended, and whether others than its agent say so.
    * `declared`: declared | withdrawn (target: a predicate id; `reason` is the declaration as JSON).
    * `replicated`: the hash of the newest entry of the global ledger that was copied (target: "global").
    * `containment`: a step of a containment that was taken (target: what is contained); `code` is what came of it.
    """

    record: Literal["status"] = "status"
    sealed: ClassVar[frozenset[str]] = frozenset({"reason", "actor"})
    id: str
    target: str
    axis: Literal[
        "status",
        "support",
        "action",
        "freeze",
        "verified",
        "review",
        "declared",
        "containment",
        "pin",
        "run",
        "content",
        "tombstone",
        "hold",
        "storage",
        "replicated",
    ]
    value: str
    #: machine-readable cause, e.g. "revoke", "cascade", "cancelled"
    code: str = ""
    reason: str | None = None
    actor: str | None = None


class Note(Value):
    """A record that no node comes from: tenant creation, policy and predicate versions, operations."""

    record: Literal["note"] = "note"
    sealed: ClassVar[frozenset[str]] = frozenset({"body", "actor"})
    id: str
    about: str
    #: JSON text
    body: str | None = None
    actor: str | None = None
