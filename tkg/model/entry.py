"""Ledger entries: one atomic operation each, made of records."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, TypeAdapter

from tkg.model.artefact import Artefact, Retrieval
from tkg.model.base import Value
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.time import Instant
from tkg.model.verdict import Note, StatusChange, Verdict

Record = Annotated[
    Source
    | StoredEvidence
    | Claim
    | Justification
    | Supersession
    | Conflict
    | Refinement
    | Artefact
    | Retrieval
    | Verdict
    | StatusChange
    | Note,
    Field(discriminator="record"),
]

RECORD: TypeAdapter[Record] = TypeAdapter(Record)


class Draft(Value):
    """An operation about to be appended; the ledger gives it its sequence number and time."""

    op: str
    scope: str
    records: tuple[Record, ...]


class Entry(Value):
    """An appended operation.

    `seq` is the transaction time of record: strictly increasing, 1 for the first. `tx_time` is wall time in
    microseconds, never earlier than one microsecond after its predecessor. `hash` chains over the canonical body,
    in which sealed fields are replaced by salted commitments; a record whose content was erased has None in them.
    """

    seq: int
    tx_time: Instant
    op: str
    scope: str
    records: tuple[Record, ...]
    prev: str
    hash: str
