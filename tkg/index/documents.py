"""What of an entry can be found by words, and what makes it stand or fall."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tkg.index.words import split_name
from tkg.model.artefact import Artefact
from tkg.model.claim import Claim
from tkg.model.entry import Entry
from tkg.model.verdict import StatusChange

#: axis of a status change -> its bit in the marks of a document
_AXES: Final[dict[str, int]] = {"status": 1, "support": 2, "action": 4}


class Document(NamedTuple):
    """A claim or an artefact as the index sees it."""

    id: str
    kind: str
    scope: str
    text: str
    #: slot of a claim
    slot: str = ""


class Change(NamedTuple):
    """A document's mark on one axis is set or taken away; it stands while it has none."""

    target: str
    bit: int
    fallen: bool


def documents(entry: Entry) -> Iterator[Document]:
    """Yield what an entry adds; erased records add nothing."""
    for record in entry.records:
        if isinstance(record, Claim):
            parts = (record.subject, None if record.predicate is None else split_name(record.predicate), record.object)
            yield Document(record.id, "claim", record.scope, _joined(*parts), record.slot_id)
        elif isinstance(record, Artefact):
            yield Document(
                record.id, record.kind, record.scope, _joined((record.meta or {}).get("name"), record.content)
            )


def _joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def changes(entry: Entry) -> Iterator[Change]:
    """Yield how an entry changes what stands."""
    for record in entry.records:
        if isinstance(record, StatusChange) and record.axis in _AXES:
            stands = {
                "status": record.value == "active",
                "support": record.value == "supported",
                "action": record.value != "cancelled",
            }[record.axis]
            yield Change(record.target, _AXES[record.axis], not stands)


def erased(entry: Entry) -> list[str]:
    """Return the ids an entry declares erased."""
    return [
        record.target
        for record in entry.records
        if isinstance(record, StatusChange) and record.axis == "status" and record.value == "erased"
    ]
