"""What a ledger is: the only thing that must never be lost.

Implementations are proved by `tkg.testing.LedgerContract`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from tkg.model.entry import Draft, Entry
from tkg.model.time import Instant


class Head(NamedTuple):
    """The newest entry's sequence number, hash and time; `(0, "", BEGINNING)` for an empty ledger."""

    seq: int
    hash: str
    tx_time: Instant


class Row(NamedTuple):
    """One entry as it is stored: what the chain hashes, and the hash."""

    seq: int
    body: str
    hash: str

    @property
    def leaf(self) -> bytes:
        """The hash as 32 bytes: a leaf of the tree (all zero where a damaged row holds no hash)."""
        try:
            found = bytes.fromhex(self.hash)
        except ValueError:
            found = b""
        return found if len(found) == 32 else bytes(32)


class Finding(NamedTuple):
    """One thing that is wrong with a ledger; `seq` is None where no entry can be named."""

    seq: int | None
    #: "file", "structure", "meta", "gap", "entry", "content"
    kind: str
    detail: str


class Ledger(Protocol):
    """Append-only, hash-chained entries of one tenant, and the removable content beside them."""

    @property
    def tenant(self) -> str:
        """The tenant's id."""
        ...

    @property
    def key(self) -> bytes:
        """The tenant's secret key for keyed ids (32 bytes), made with the ledger."""
        ...

    @property
    def head(self) -> Head:
        """The newest entry."""
        ...

    def append(self, drafts: Sequence[Draft]) -> tuple[Entry, ...]:
        """Append operations in one atomic, durable transaction; nothing is acknowledged before it is on disk.

        Raises:
            DiskFull: no space; nothing was written.
            Busy: this ledger was opened read-only or closed.
            RequestError: a record id is already in the ledger.
        """
        ...

    def read_since(self, seq: int) -> Iterator[Entry]:
        """Yield entries after `seq` in order, checking the chain; erased content reads as None.

        Raises:
            Damaged: an entry does not match the chain or its content does not match its commitment.
        """
        ...

    def seq_at(self, instant: Instant) -> int:
        """Return the newest sequence number whose `tx_time` is at or before `instant`; 0 before the first entry."""
        ...

    def rows(self, seq: int = 0) -> Iterator[Row]:
        """Yield the stored form of entries after `seq`, unchecked: for export, comparison and audit."""
        ...

    def content(self, commitment: str) -> str | None:
        """Return the sealed content (JSON text) behind a commitment, or None when it was removed."""
        ...

    def sealed(self) -> Iterator[tuple[str, str]]:
        """Yield record id and sealed content (JSON text) of every record that still has some, in order, unchecked."""
        ...

    def remove_content(self, ids: Iterable[str]) -> int:
        """Remove the sealed content of the records with these ids for good; return how many were removed.

        The chain still verifies: it holds commitments only.
        """
        ...

    def archive(self, ids: Iterable[str]) -> int:
        """Move the sealed content of these records to a cold place; return how many moved. Reads stay the same."""
        ...

    def archived(self, ids: Iterable[str]) -> int:
        """Return of how many of these records the content lies in the cold place."""
        ...

    def verify(self) -> list[Finding]:
        """Check the whole chain and all content; return what is wrong, empty when nothing is."""
        ...

    def close(self) -> None:
        """Release files and the writer's lock."""
        ...
