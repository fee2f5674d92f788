"""What recall is asked and what it answers: plain values, no store in sight."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tkg.model.display import Displayed, Parts
from tkg.model.time import Instant, iso

#: kinds of stored text a default recall may show (actions and answers are looked up by id)
KINDS = ("claim", "episode", "summary", "skill", "pointer")

#: why something that was found is not among the items; one closed list, so that traces can be counted
Reason = Literal[
    "superseded",
    "suspended",
    "quarantined",
    "held",
    "rejected",
    "revoked",
    "erased",
    "cancelled",
    "not_valid_then",
    "not_known_then",
    "unverified",
    "archived",
    "denied",
    "conflict",
    "refined",
    "frozen",
    "failing",
    "label",
    "floor",
    "duplicate",
    "quota",
    "cap",
    "budget",
]


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One question.

    Args:
        query: the words as asked; at most 4 KiB (the facade checks).
        visible: scope paths the asker may read, the narrowest first; never empty.
        now: the time of asking.
        k: most items.
        token_budget: most tokens of the rendered block, by `tkg.recall.render.estimate_tokens`.
        valid_at: the instant asked about; None: what the question says, else now.
        as_of: the transaction up to which memory is believed; None: what the question says, else all.
        latest: the newest transaction, which a read of "now" is a read of.
        kinds: what may be shown.
        pinned: claims that are shown whatever is asked, in this order.
        remarks: id -> what its source said when it was asked just now.
        count_tokens: counts the tokens of a text; None: the estimate.
    """

    query: str
    visible: tuple[str, ...]
    now: Instant
    k: int
    token_budget: int
    latest: int
    valid_at: Instant | None = None
    as_of: int | None = None
    kinds: tuple[str, ...] = KINDS
    count_tokens: Callable[[str], int] | None = None
    remarks: Mapping[str, str] = field(default_factory=dict)
    pinned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallItem(Displayed):
    """One piece of evidence to weigh: dated, with its class, source and state. Never an instruction.

    `state` is "active", "conflict", "stale", "superseded" (only when the question asks about the past) or
    "unverified"; of a skill "flagged" where its last run failed. `pinned` items are the core: shown whatever is asked. Claims have `subject`, `predicate` and `object`; `text` is readable and complete for every kind.
    """

    id: str
    kind: str
    scope: str
    channel: str
    text: str
    observed_at: Instant
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    negative: bool = False
    uri: str | None = None
    version: str | None = None
    locator: str | None = None
    score: float = 0.0
    state: str = "active"
    note: str | None = None
    pinned: bool = False

    _repr_pretty_ = Displayed._repr_pretty_  # else the dataclass would show itself in full

    def _display_(self) -> Parts:
        return {
            "says": self.text,
            "kind": self.kind,
            "class": self.channel,
            "state": self.state,
            "note": self.note,
            "valid from": iso(self.valid_from),
            "to": iso(self.valid_to),
            "observed": iso(self.observed_at),
            "source": " ".join(one for one in (self.uri, self.version, self.locator) if one),
            "score": self.score,
            "id": self.id,
        }


@dataclass(frozen=True, slots=True)
class RecallNote:
    """Something that must be said although it is no answer: what is suspended, or in conflict, and its last value."""

    id: str
    code: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Intent:
    """The time a question asks about, and the rule that said so.

    `mode` is "at" (one instant), "range" (any instant of it), or "ever" (whenever it held). `belief_at` is the wall
    time for "what did we believe on …".
    """

    mode: Literal["at", "range", "ever"] = "at"
    rule: str = "now"
    start: Instant | None = None
    end: Instant | None = None
    belief_at: Instant | None = None
    phrase: str = ""
    #: whether what happened is asked about, so that the age of an episode says nothing
    happened: bool = False

    @property
    def present(self) -> bool:
        """Whether the present is asked about: only then is an old episode less likely to bear on it."""
        return self.mode == "at" and self.rule == "now" and not self.happened


@dataclass(frozen=True, slots=True)
class Abstention:
    """Why nothing is offered as an answer, and what would change that."""

    code: Literal["no_match", "below_floor", "only_suspended", "conflict", "not_supported"]
    resolve: str


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """The answer of one recall with its trace.

    `left_out` pairs an id with its `Reason`, in the order found; ids of other scopes never appear. `shown` is every id
    that the block names, in order: what exposure is about.
    """

    items: tuple[RecallItem, ...]
    notes: tuple[RecallNote, ...]
    left_out: tuple[tuple[str, str], ...]
    abstained: Abstention | None
    intent: Intent
    valid_at: Instant
    as_of: int
    tokens: int
    token_budget: int
    text: str
    scores: dict[str, float] = field(default_factory=dict)
    #: which lists found each item: "text", "slots", "graph", "vectors"
    found_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: the model that found by meaning, "unavailable: …" when its embedder failed, None where there is none
    vectors: str | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids in the block: items, then what the notes are about."""
        return tuple(dict.fromkeys((*(item.id for item in self.items), *(note.id for note in self.notes))))
