"""The reference ledger: everything in lists, nothing on disk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from tkg.clock import Clock
from tkg.ids import Ids
from tkg.ledger.codec import Content, compose, duplicate, examine, restore
from tkg.ledger.port import Finding, Head, Row
from tkg.model.entry import Draft, Entry
from tkg.model.scope import check_segment
from tkg.model.time import BEGINNING, Instant


class MemoryLedger:
    """One tenant's ledger in memory; gone when the process ends.

    Args:
        tenant: the tenant's id.
        clock: says the transaction times; read once now and once per append.
        ids: makes the tenant's key and the salts.

    Raises:
        InvalidScope: the tenant id is not one.
    """

    def __init__(self, tenant: str, clock: Clock, ids: Ids) -> None:
        self._tenant = check_segment(tenant, "tenant")
        self._clock = clock
        self._ids = ids
        self._key = ids.key()
        self._created = clock.now()
        self._entries: list[Entry] = []
        self._rows: list[Row] = []
        self._contents: list[list[Content]] = []
        #: record id -> (place of its entry, place in the entry)
        self._places: dict[str, tuple[int, int]] = {}
        self._texts: dict[str, str] = {}
        self._cold: set[str] = set()

    @property
    def tenant(self) -> str:
        """The tenant's id."""
        return self._tenant

    @property
    def key(self) -> bytes:
        """The tenant's secret key for keyed ids."""
        return self._key

    @property
    def head(self) -> Head:
        """The newest entry."""
        if not self._entries:
            return Head(0, "", BEGINNING)
        last = self._entries[-1]
        return Head(last.seq, last.hash, last.tx_time)

    def append(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """Append operations, all or none.

        Raises:
            RequestError: a record id is already taken.
        """
        if not drafts:
            return ()
        written = compose(self.head, drafts, self._clock, self._ids)
        for one in written:
            for content in one.contents:
                if content.id in self._places:
                    raise duplicate(content.id)
        for one in written:
            for place, content in enumerate(one.contents):
                self._places[content.id] = (len(self._entries), place)
                if content.commitment is not None and content.text is not None:
                    self._texts[content.commitment] = content.text
            self._entries.append(one.entry)
            self._rows.append(Row(one.entry.seq, one.body, one.entry.hash))
            self._contents.append(list(one.contents))
        return tuple(one.entry for one in written)

    def read_since(self, seq: int) -> Iterator[Entry]:
        """Yield entries after `seq` in order; erased content reads as None."""
        place = max(seq, 0)
        while place < len(self._entries):
            yield self._entries[place]
            place += 1

    def seq_at(self, instant: Instant) -> int:
        """Return the newest sequence number whose `tx_time` is at or before `instant`; 0 before the first."""
        return bisect_right(self._entries, instant, key=lambda entry: entry.tx_time)

    def rows(self, seq: int = 0) -> Iterator[Row]:
        """Yield sequence number, canonical body and hash of entries after `seq`."""
        yield from self._rows[max(seq, 0) :]

    def content(self, commitment: str) -> str | None:
        """Return the sealed content behind a commitment, or None when it was removed."""
        return self._texts.get(commitment)

    def sealed(self) -> Iterator[tuple[str, str]]:
        """Yield record id and sealed content of every record that still has some, in order."""
        for contents in self._contents:
            for content in list(contents):
                if content.text is not None:
                    yield content.id, content.text

    def remove_content(self, ids: Iterable[str]) -> int:
        """Remove the sealed content of these records; return how many had any."""
        removed = 0
        for identifier in sorted(set(ids)):
            entry, place = self._places.get(identifier, (-1, -1))
            if entry < 0 or self._contents[entry][place].text is None:
                continue
            old = self._contents[entry][place]
            self._contents[entry][place] = Content(identifier, old.commitment, None, None)
            self._texts.pop(old.commitment or "", None)
            row = self._rows[entry]
            prev = self._entries[entry].prev
            self._entries[entry] = restore(row.seq, row.body, row.hash, prev, self._contents[entry])
            removed += 1
        return removed

    def archive(self, ids: Iterable[str]) -> int:
        """Note which records left for a cold place, which in memory is the same; return how many did."""
        held = {one for one, _ in self.sealed()}
        fresh = (held & set(ids)) - self._cold
        self._cold |= fresh
        return len(fresh)

    def archived(self, ids: Iterable[str]) -> int:
        """Return of how many of these records the content lies in the cold place."""
        return len(self._cold & {one for one, _ in self.sealed()} & set(ids))

    def verify(self) -> list[Finding]:
        """Check the whole chain and all content; return what is wrong, in order."""
        return list(examine(zip(self._rows, self._contents, strict=True)))

    def close(self) -> None:
        """Do nothing: there are no files, and the ledger goes with the object."""
