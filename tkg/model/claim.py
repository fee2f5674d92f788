"""Claims, their slots, and the edges between claims."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Literal

from tkg.model.base import Value
from tkg.model.scope import Channel
from tkg.model.time import Instant, Interval


class Polarity(StrEnum):
    """Whether the claim asserts or denies its value. Negatives cut; they are never values."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Claim(Value):
    """One asserted value for one slot over a validity interval; immutable.

    `subject_id` and `object_id` are entity ids (keyed digests of the names' match form), `slot_id` that of (scope,
    subject, predicate, separators). `object_norm` is what comparisons use, `object_type` says how. The texts are
    sealed: erasure removes them and leaves a content-free tombstone that still cuts.
    """

    record: Literal["claim"] = "claim"
    sealed: ClassVar[frozenset[str]] = frozenset({"subject", "predicate", "object", "object_norm"})
    id: str
    scope: str
    slot_id: str
    subject_id: str
    object_id: str
    object_type: str = "text"
    polarity: Polarity = Polarity.POSITIVE
    interval: Interval
    consequence: Literal["low", "high"] = "low"
    depends_on: tuple[str, ...] = ()
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    object_norm: str | None = None


class Justification(Value):
    """All `requires` together support `head`; several for one claim are alternatives, an artefact has one.

    For kind "evidence" it requires that one evidence and repeats its class, origin and time, so that a slot can be
    judged without reading the evidence itself. For kind "derivation" `channel` is the minimum class over the whole
    exposure and `origins` the union of the origins of its leaves.
    """

    record: Literal["justification"] = "justification"
    sealed: ClassVar[frozenset[str]] = frozenset()
    id: str
    head: str
    requires: tuple[str, ...]
    kind: Literal["evidence", "derivation"] = "evidence"
    channel: Channel
    system_of_record: bool = False
    origins: tuple[str, ...]
    observed_at: Instant
    #: slot of the head when it is a claim
    slot_id: str | None = None


class Supersession(Value):
    """`winner` takes `[portion_from, portion_to)` of `loser`'s time; counts only while the winner stands."""

    record: Literal["supersession"] = "supersession"
    sealed: ClassVar[frozenset[str]] = frozenset({"decided_by"})
    id: str
    winner: str
    loser: str
    portion_from: Instant
    portion_to: Instant
    #: row of the decision table, e.g. "row-7"
    rule: str
    #: "gate" or the name of a person
    decided_by: str | None = "gate"


class Conflict(Value):
    """Two standing claims that cannot both hold; open while both stand and nothing has settled it."""

    record: Literal["conflict"] = "conflict"
    sealed: ClassVar[frozenset[str]] = frozenset()
    id: str
    left: str
    right: str
    overlap_from: Instant
    overlap_to: Instant
    pattern: str = "C1"
    certainty: Literal["definite", "possible"] = "definite"
    rule: str = "row-9"


class Refinement(Value):
    """`finer` says the same as `coarser` more precisely; both live, recall returns the finer."""

    record: Literal["refinement"] = "refinement"
    sealed: ClassVar[frozenset[str]] = frozenset()
    id: str
    finer: str
    coarser: str
