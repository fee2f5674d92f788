"""What a text index is: a second projection of the ledger, for finding candidates by words.

Two implementations: `tkg.index.memory` (the reference) and `tkg.index.sqlite` (FTS5). It holds claims and artefacts
with their scope and whether they stand now, so that scope and support are filters inside the query, before any
score. It is rebuilt from the ledger at any time and never decides what is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tkg.model.entry import Entry

#: one row of float32 per text
Vectors = NDArray[np.floating[Any]]


class Hit(NamedTuple):
    """A candidate and its BM25 score (higher is better).

    `slot` is the slot of a claim, so that it can be read with its slot at once; empty for an artefact.
    """

    id: str
    score: float
    slot: str = ""


class Named(NamedTuple):
    """A claim whose subject or object a query names; `exact` where it names the predicate, too: the slot itself."""

    id: str
    slot: str
    exact: bool


class Beside(NamedTuple):
    """The episodes next to one in its session: the one written before it and the one after; None where there is none."""

    before: str | None
    after: str | None


class Index(Protocol):
    """Append-mostly projection of one tenant's ledger."""

    @property
    def applied(self) -> int:
        """Sequence number of the last entry applied; 0 for an empty index."""
        ...

    def apply(self, entries: Iterable[Entry]) -> None:
        """Apply entries in order; entries already applied are skipped."""
        ...

    def search(
        self, query: str, *, scopes: Sequence[str], kinds: Sequence[str], limit: int, as_of: int | None = None
    ) -> list[Hit]:
        """Best matches of any word of `query`, in these scope paths (whole, never by prefix) and kinds.

        Args:
            query: words as typed; never query syntax.
            scopes: visible scope paths.
            kinds: "claim" or artefact kinds.
            limit: most hits; ties go to the smaller id.
            as_of: None: only what stands now (status active, supported, not cancelled); a transaction: everything
                written up to it, for belief to judge.
        """
        ...

    def named(self, query: str, *, scopes: Sequence[str], limit: int, as_of: int | None = None) -> list[Named]:
        """Return claims about what `query` names: first whole slots (subject and predicate named), then other claims.

        A name counts where all its tokens stand in the query one after the other. For each name the newest `limit` claims
        of each slot named, and the newest `limit` claims; longer names first, newer claims first.

        Args:
            query: words as typed.
            scopes: visible scope paths.
            limit: most claims for each name and each slot.
            as_of: as for `search`.
        """
        ...

    def beside(self, ids: Iterable[str], *, scopes: Sequence[str], as_of: int | None = None) -> dict[str, Beside]:
        """Return for each of these episodes its neighbours in the same session, in the order they were written.

        Args:
            ids: episodes; others, and those without a session, are left out of the answer.
            scopes: visible scope paths, for the episodes asked about and for their neighbours.
            as_of: as for `search`, for the neighbours.
        """
        ...

    def remove(self, ids: Iterable[str]) -> int:
        """Remove the documents with these ids, text and all, for good; return how many there were.

        For content that the ledger removed. A status change to "erased" does the same.
        """
        ...

    def close(self) -> None:
        """Release files."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of one model. See `tkg.embedding` for those that come with tkg.

    One that treats a question otherwise than what is searched also has `embed_questions`, of the same form as `embed`.
    """

    @property
    def model_id(self) -> str:
        """Name of the model, such that equal names mean comparable vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text; their length is of no account.

        Raises:
            EmbedderFailed: there is none to be had now.
        """
        ...
