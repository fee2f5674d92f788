"""Labels that people put on what a read showed, and the precision they say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from tkg.errors import NotFound, RequestError
from tkg.ids import canonical
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.artefact import Retrieval
from tkg.model.base import Value
from tkg.model.verdict import Note

#: what a note of a label is about
LABEL: Final = "recall-label"


class Precision(Value):
    """What the labels of a scope say.

    `precision` is the mean over labelled reads of the share of relevant ones among the labelled of the first `k` shown; None
    without labels. `judged` is how many of those shown in these places have a label, so that a figure over few is seen as one.
    """

    k: int
    reads: int
    labels: int
    relevant: int
    judged: int
    shown: int
    precision: float | None

    @property
    def says(self) -> str:
        """The figure in words, with how much it rests on."""
        share = "nothing is labelled" if self.precision is None else f"{self.precision:.3f}"
        return f"{share}; {self.reads} reads, {self.judged} of {self.shown} places labelled"


def label(tenant: Tenant, caller: Caller, read: str, item: str, relevant: bool) -> None:
    """See `Handle.label`."""
    principal = person(caller, "a label")
    if not isinstance(relevant, bool):
        raise RequestError("relevant is True or False")
    found = _reads(tenant, caller).get(read)
    if found is None:
        raise NotFound("no such read in this scope; `recall` returns its id")
    if item not in found.shown:
        raise NotFound("that read did not show this id; `show` of the read lists what it showed")
    body = canonical({"read": read, "item": item, "relevant": relevant})
    tenant.commit("label", found.scope, [Note(id=tenant.ids.new("nte"), about=LABEL, body=body, actor=principal)])


def precision(tenant: Tenant, caller: Caller, k: int) -> Precision:
    """See `Handle.precision`."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise RequestError("k is a number from 1")
    reads = {one.id: one.shown for one in _reads(tenant, caller).values()}
    labels = Labels()
    for entry in tenant.ledger.read_since(0):
        for record in entry.records:
            if isinstance(record, Note):
                labels.take(record)
    return precision_of(reads, labels, k)


class Labels:
    """What people said about what reads showed: for each read, and each thing it showed, the last label."""

    def __init__(self) -> None:
        self._of: dict[str, dict[str, bool]] = {}

    def take(self, note: Note) -> None:
        """Take in a note; those about anything else are passed over."""
        if note.about == LABEL and note.body is not None:
            said = json.loads(note.body)
            self._of.setdefault(said["read"], {})[said["item"]] = said["relevant"]

    def of(self, read: str) -> Mapping[str, bool]:
        """Return the labels of one read by what it showed."""
        return self._of.get(read, {})


def precision_of(reads: Mapping[str, Sequence[str]], labels: Labels, k: int) -> Precision:
    """Return what labels say of the first `k` of each read; wherever a precision is told, it is this one.

    Args:
        reads: what each read showed, in its order, by the read's id.
        labels: all labels; those of other reads do not count.
        k: places of each read that count.
    """
    labelled = {read: labels.of(read) for read in reads if labels.of(read)}
    shares, judged, shown = [], 0, 0
    for read, marks in labelled.items():
        first = reads[read][:k]
        counted = [marks[one] for one in first if one in marks]
        judged, shown = judged + len(counted), shown + len(first)
        if counted:
            shares.append(sum(counted) / len(counted))
    return Precision(
        k=k,
        reads=len(labelled),
        labels=sum(len(one) for one in labelled.values()),
        relevant=sum(sum(one.values()) for one in labelled.values()),
        judged=judged,
        shown=shown,
        precision=sum(shares) / len(shares) if shares else None,
    )


def _reads(tenant: Tenant, caller: Caller) -> dict[str, Retrieval]:
    return {
        record.id: record
        for entry in tenant.ledger.read_since(0)
        for record in entry.records
        if isinstance(record, Retrieval) and reaches(caller, record.scope)
    }
