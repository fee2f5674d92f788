"""What everybody reads: the claims of the reserved tenant `global` as its ledger has them, and what became of each.

The ledger may be another process's: it is read beside its owner and never locked. It is read again only when its files
changed, and as a whole, since next to nothing is global.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tkg.belief.book import Book
from tkg.clock import SystemClock
from tkg.errors import Busy, Damaged, NewerFormat, NotFound
from tkg.ledger.file import companions
from tkg.ledger.port import Ledger
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Entry
from tkg.model.evidence import StoredEvidence
from tkg.model.scope import GLOBAL
from tkg.model.time import to_instant
from tkg.model.verdict import StatusChange

#: axes of status that say what became of a claim or its evidence; the others (pins, freezes, holds) bind at global alone
AXES: Final = frozenset({"status", "support", "verified"})
#: microseconds for which files that just changed may change again under the same time and size
_YOUNG: Final = 200_000


@dataclass(slots=True)
class GlobalState:
    """The global claims with what backs them, the edges between them, and every decision about them."""

    claims: dict[str, Claim] = field(default_factory=dict)
    evidence: dict[str, StoredEvidence] = field(default_factory=dict)
    backers: dict[str, list[Justification]] = field(default_factory=dict)
    edges: list[Supersession | Conflict | Refinement] = field(default_factory=list)
    book: Book = field(default_factory=Book)
    #: hash of the newest entry that says something of this; empty for none
    mark: str = ""
    #: hashes of all such entries: a mark that is not among them was made by another ledger, or by one that was set back
    marks: set[str] = field(default_factory=lambda: {""})
    #: whether the tenants of the store were told already
    spread: bool = False

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> GlobalState:
        """Return what some entries, from the first on, amount to."""
        made = cls()
        for entry in entries:
            if sum([made._take(record, entry.seq) for record in entry.records]):
                made.mark = entry.hash
                made.marks.add(entry.hash)
        return made

    def _take(self, record: object, seq: int) -> bool:
        match record:
            case Claim() if record.scope == GLOBAL:
                self.claims[record.id] = record
            case StoredEvidence() if record.scope == GLOBAL:
                self.evidence[record.id] = record
            case Justification():
                self.backers.setdefault(record.head, []).append(record)
            case Supersession() | Conflict() | Refinement():
                self.edges.append(record)
            case StatusChange() if record.axis in AXES:
                self.book.note(record, seq)
            case _:
                return False
        return True


class GlobalReader:
    """Reads the state of the global tenant, and again when its ledger has changed.

    Args:
        beside: opens a tenant's ledger to read, whoever owns it.
        tell: takes a sentence for people, where it cannot be read.
    """

    def __init__(self, beside: Callable[[str], AbstractContextManager[Ledger]], tell: Callable[[str], None]) -> None:
        self._beside, self._tell = beside, tell
        self._lock = threading.Lock()
        self._seen: object = None
        self._state: GlobalState | None = None
        self._told: set[str] = set()

    def state(self, opened: Ledger | None, file: Path | None) -> GlobalState | None:
        """Return the newest state; None where it could never be read.

        A ledger that is damaged or of a newer version stops nobody else: what was read last goes on to hold, and the
        store's notices say so.

        Args:
            opened: the ledger, where this process owns it.
            file: the ledger's file, where it does not.
        """
        seen: object = None
        try:
            seen = opened.head.hash if opened is not None else None if file is None else _signature(file)
        except (Busy, OSError):  # let go a moment ago, or removed: look into the file
            pass
        with self._lock:
            if seen is not None and seen == self._seen:
                return self._state
            try:
                with self._beside(GLOBAL) as ledger:
                    fresh = GlobalState.of(ledger.read_since(0))
                before = self._state
                fresh.spread = before is not None and before.spread and before.mark == fresh.mark
                self._state, self._seen = fresh, seen
            except (Busy, NotFound):  # let go a moment ago: the next use reads it
                pass
            except (Damaged, NewerFormat) as error:
                if error.code not in self._told:
                    self._told.add(error.code)
                    self._tell(f"the global tenant cannot be read, so what it decides is not heard: {error}")
            return self._state


def _signature(file: Path) -> dict[str, tuple[int, int, int]] | None:
    """Return what changes with the ledger's file and its log; None while both may change without showing it."""
    found, now = {}, to_instant(SystemClock().now())  # the clock of the disk, whatever the store was given
    for one in (file, companions(file)[0]):
        try:
            stat = one.stat()
        except FileNotFoundError:
            continue
        if now - stat.st_mtime_ns // 1000 < _YOUNG:
            return None
        found[one.name] = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    return found
