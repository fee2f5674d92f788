"""One open tenant: the ledger, its projections, and the one place that writes.

`commit` appends to the ledger first (that is the acknowledgement) and then applies the entry to graph, index and
book. A process that dies in between finds the entry when it opens the tenant again and applies it then, once.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkg.belief.book import LATEST, Book
from tkg.belief.mirror import SAME_AS
from tkg.clock import Clock
from tkg.errors import Damaged, DiskFull, InvalidTime
from tkg.graph.port import Graph
from tkg.ids import Ids
from tkg.index.port import Embedder, Index
from tkg.index.vectors import VectorIndex
from tkg.ledger.port import Ledger
from tkg.memory.declaring import AXIS, registry_at
from tkg.memory.names import Names
from tkg.memory.projections import VECTORS
from tkg.memory.sessions import Sessions
from tkg.memory.skills import SkillFolder
from tkg.memory.tombstones import Tombstones
from tkg.model.claim import Claim
from tkg.model.entry import Draft, Entry, Record
from tkg.model.policy import Policies
from tkg.model.predicate import Registry
from tkg.model.scope import GLOBAL, Scope
from tkg.model.time import FOREVER, Instant, parse_when, to_instant
from tkg.model.verdict import StatusChange
from tkg.text import match_form

if TYPE_CHECKING:
    from tkg.extractors import Extractor
    from tkg.memory.at_use import Verifier

AsOf = int | str | date | datetime | None
#: axis of the mark (on the target "global") that says up to where a tenant copied what is global
REPLICATED: Final = "replicated"


def _never() -> bool:
    return False


class Tenant:
    """An open tenant. All work on it happens under `lock`, so that a check and its write are one step."""

    def __init__(
        self,
        ledger: Ledger,
        project: Callable[[Ledger], tuple[Graph, Callable[[], Index]]],
        *,
        clock: Clock,
        ids: Ids,
        policies: Policies,
        folder: Path | None = None,
        count_tokens: Callable[[str], int] | None = None,
        verifiers: Sequence[Verifier] = (),
        skills: SkillFolder | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        read_only: bool = False,
        outgrown: Callable[[], bool] = _never,
    ) -> None:
        self.lock = threading.RLock()
        self._depth = 0
        self._outgrown = outgrown
        self.ledger = ledger
        self.clock = clock
        self.ids = ids
        self.policies = policies
        self.count_tokens = count_tokens
        self.verifiers = tuple(verifiers)
        #: what reads texts; None is the rules
        self.extractor = extractor
        self.names = Names(ledger.key)
        #: where the tenant's files lie; None in memory
        self.folder = folder
        #: where skills lie as files; None where nobody asked for them
        self.skills = skills
        self._project, self._read_only = project, read_only
        place = None if folder is None else folder / VECTORS
        #: texts by meaning; None where no embedder was given
        self.vectors = None if embedder is None else VectorIndex(place, embedder, ledger.read_since)
        #: working notes of runs where there is no folder to keep them in
        self.working: dict[str, dict[str, Any]] = {}
        self._attach()

    def _attach(self) -> None:
        self.graph, self._open_index = self._project(self.ledger)
        #: the text index, where it is open already
        self._index: Index | None = None if self._read_only else self._open_index()
        self.book = Book(self.graph.changes())
        self.tombstones = Tombstones((change, seq) for seq, change in self.book.of_axis("tombstone"))
        #: (transaction, change) of what was ever pinned or unpinned; few
        self.pinned = self.book.of_axis("pin")
        #: claim -> what it depends on, and the reverse; few, so they are kept beside the book
        self.needs: dict[str, list[str]] = {}
        self.needed_by: dict[str, list[str]] = {}
        for claim, other in self.graph.dependencies():
            self._depends(claim, other)
        self.sessions = Sessions(self.graph)
        #: claims that say two names name one entity; few, and every comparison of entities asks them
        self.same_as = list(self._pages_of(SAME_AS))
        #: transactions that changed declarations of predicates, and the declarations from each on
        self._declared = sorted({seq for seq, _ in self.book.of_axis(AXIS)})
        self._registries: dict[int, Registry] = {}
        #: age -> the transaction that was so old, the newest then, and from when until when that is right
        self._written: dict[int, tuple[int, int, Instant, Instant]] = {}
        if self.skills is not None:
            self.skills.attach(self)

    @property
    def index(self) -> Index:
        """The text index."""
        if self._index is None:
            self._index = self._open_index()
        return self._index

    def _close_projections(self) -> None:
        self.graph.close()
        if self._index is not None:
            self._index.close()
        if self.vectors is not None:
            self.vectors.close()

    @contextmanager
    def operation(self) -> Iterator[None]:
        """Hold the lock for one operation. Between operations a graph that outgrew memory moves to its file."""
        with self.lock:
            if self._depth == 0 and self._outgrown():
                self._move_graph()
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    def _move_graph(self) -> None:
        before = self.graph
        try:
            self.graph, _ = self._project(self.ledger)
        except (DiskFull, Damaged):  # what is in memory answers on; the next opening tries again
            self._outgrown = _never
            return
        self.sessions = Sessions(self.graph)
        before.close()

    def renew(self, discard: Callable[[], None]) -> None:
        """Close the projections, throw them away, and make them again from the ledger as it is now.

        Args:
            discard: removes their files.
        """
        self._close_projections()
        try:
            discard()
        finally:  # also from what is left after a failure: an open tenant answers
            self._attach()

    def _pages_of(self, predicate: str) -> Iterator[str]:
        after = ""
        while page := self.graph.claims_of(match_form(predicate), after, 1000):
            yield from page
            after = page[-1]

    def registry(self, as_of: int = LATEST) -> Registry:
        """Return the declarations of predicates: those the store was opened with, or as a transaction knew them."""
        if as_of >= LATEST:
            return self.policies.write.registry
        place = bisect_right(self._declared, as_of)
        if place not in self._registries:
            self._registries[place] = registry_at(self.book, as_of)
        return self._registries[place]

    def _depends(self, claim: str, other: str) -> None:
        self.needs.setdefault(claim, []).append(other)
        self.needed_by.setdefault(other, []).append(claim)

    def now(self) -> Instant:
        """Return the time on the clock, in microseconds."""
        return to_instant(self.clock.now())

    def commit(self, op: str, scope: str, records: Sequence[Record]) -> Entry:
        """Append one operation and apply it.

        Raises:
            DiskFull: no space; nothing was written.
            Damaged: the entry is safe in the ledger but the projections could not be rebuilt.
        """
        (entry,) = self.ledger.append([Draft(op=op, scope=scope, records=tuple(records))])
        try:
            self.graph.apply([entry])
            self.index.apply([entry])
        except Damaged:
            self._attach()  # the projections are disposable: make them again from the ledger, this entry included
            return entry
        for record in entry.records:
            if isinstance(record, StatusChange):
                self.book.note(record, entry.seq)
                self.tombstones.note(record, entry.seq)
                if record.axis == "pin":
                    self.pinned.append((entry.seq, record))
                if record.axis == AXIS and self._declared[-1:] != [entry.seq]:
                    self._declared.append(entry.seq)
            elif isinstance(record, Claim):
                if match_form(record.predicate or "") == SAME_AS:
                    self.same_as.append(record.id)
                for other in record.depends_on:
                    self._depends(record.id, other)
        self.sessions.note(entry)
        if self.skills is not None:
            self.skills.follow(self, entry)
        return entry

    def visible(self, scope: Scope) -> tuple[str, ...]:
        """Return the paths a reader in a scope sees, the narrowest first; last what is global, once some of it was copied."""
        if scope.tenant == GLOBAL or self.book.last(GLOBAL, REPLICATED) is None:
            return scope.visible
        return (*scope.visible, GLOBAL)

    def sources_of(self, uri: str) -> list[str]:
        """Return the ids a source has or had: after an erasure it is recorded anew, under another id."""
        found = [self.names.source(uri)]
        while self.book.last(found[-1], "content") is not None:
            found.append(self.names.source(uri, len(found)))
        return found

    def source_id(self, uri: str) -> str:
        """Return the id that evidence from a source gets now."""
        return self.sources_of(uri)[-1]

    def seq_of(self, as_of: AsOf) -> int:
        """Return the transaction a read at `as_of` sees up to.

        Args:
            as_of: None for the latest; a transaction number; or a time, of which everything written up to it (for a
                date, a month or a year: up to its end) is seen.

        Raises:
            InvalidTime: unreadable, a clock time without a zone, or not yet: what is not written yet cannot be answered as it
                was known then, since the same question would be answered otherwise later.
        """
        if as_of is None:
            return LATEST
        if isinstance(as_of, bool):
            raise InvalidTime("as_of is a transaction number or a time")
        if isinstance(as_of, int):
            newest = self.ledger.head.seq
            if not 0 <= as_of <= newest:
                raise InvalidTime(
                    f"there is no transaction {as_of}: the newest is {newest}; leave as_of out for the latest"
                )
            return as_of
        granule = parse_when(as_of)
        if granule.start > self.now():
            raise InvalidTime(
                "as_of lies in the future; leave it out for the latest, or pass valid_at for what will hold"
            )
        return self.ledger.seq_at(granule.end if granule.grain == "instant" else granule.end - 1)

    def written_by(self, age: int) -> int:
        """Return the newest transaction that is at least `age` microseconds old."""
        instant = self.now() - age
        seq, newest, since, until = self._written.get(age, (0, -1, 0, 0))
        if newest == self.ledger.head.seq and since <= instant < until:
            return seq
        seq, newest = self.ledger.seq_at(instant), self.ledger.head.seq
        following = next((entry.tx_time for entry in self.ledger.read_since(seq)), FOREVER)
        self._written[age] = (seq, newest, instant, following)
        return seq

    def instant_of(self, valid_at: str | date | datetime | None) -> Instant:
        """Return the instant a read is about: now, or the start of what was given."""
        return self.now() if valid_at is None else parse_when(valid_at).start

    def close(self) -> None:
        """Close projections, then the ledger (which releases the lock)."""
        try:
            self._close_projections()
        finally:
            self.ledger.close()
