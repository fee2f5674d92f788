"""What of an entry can be found by words, and what makes it stand or fall."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tkg.index.words import split_name
from tkg.model.artefact import Artefact
from tkg.model.claim import Claim
from tkg.model.entry import Entry
from tkg.model.time import Instant, to_datetime
from tkg.model.verdict import StatusChange

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
#: axis of a status change -> its bit in the marks of a document
_AXES: Final[dict[str, int]] = {"status": 1, "support": 2, "action": 4, "storage": 8}


class Document(NamedTuple):
    """A claim or an artefact as the index sees it."""

    id: str
    kind: str
    scope: str
    text: str
    #: slot of a claim
    slot: str = ""
    #: work session of an episode
    session: str = ""
    #: (name, predicate) of a claim's subject, then (name, "") of its object
    names: tuple[tuple[str, str], ...] = ()
    #: what was said, without the day: what has a meaning
    said: str = ""


class Change(NamedTuple):
    """A document's mark on one axis is set or taken away; it stands while it has none."""

    target: str
    bit: int
    fallen: bool


def documents(entry: Entry) -> Iterator[Document]:
    """Yield what an entry adds; erased records add nothing."""
    for record in entry.records:
        if isinstance(record, Claim):
            predicate = None if record.predicate is None else split_name(record.predicate)
            names = ((record.subject or "", predicate or ""), (record.object or "", ""))
            text = _joined(record.subject, predicate, record.object)
            yield Document(record.id, "claim", record.scope, text, record.slot_id, names=names)
        elif isinstance(record, Artefact):
            yield _artefact(record)


def _artefact(record: Artefact) -> Document:
    """Return an artefact as a document; an episode is found by who spoke and the day, too."""
    meta = record.meta or {}
    if record.kind != "episode" or record.content is None:
        return Document(record.id, record.kind, record.scope, _joined(meta.get("name"), record.content))
    day = _day(record.observed_at)
    text = _joined(meta.get("speaker"), day, record.content)
    said = _joined(meta.get("speaker"), record.content)
    return Document(record.id, record.kind, record.scope, text, session=record.session_id or "", said=said)


def _day(moment: Instant) -> str:
    when = to_datetime(moment)
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


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
                "storage": record.value != "archived",
            }[record.axis]
            yield Change(record.target, _AXES[record.axis], not stands)


def erased(entry: Entry) -> list[str]:
    """Return the ids an entry declares erased."""
    return [
        record.target
        for record in entry.records
        if isinstance(record, StatusChange) and record.axis == "status" and record.value == "erased"
    ]
