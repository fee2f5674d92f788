"""What the graph hands to belief: claims of one slot with what backs them, each with its transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tkg.model.artefact import Artefact, Retrieval
    from tkg.model.claim import Claim, Justification
    from tkg.model.evidence import Source, StoredEvidence


class Backer(NamedTuple):
    """One justification and the transaction that wrote it."""

    justification: Justification
    seq: int


@dataclass(frozen=True, slots=True)
class SlotClaim:
    """A claim with all its justifications, oldest first."""

    claim: Claim
    seq: int
    backers: tuple[Backer, ...]


class EvidenceView(NamedTuple):
    """Evidence with its source and transaction."""

    evidence: StoredEvidence
    source: Source
    seq: int


class ArtefactView(NamedTuple):
    """An artefact with its transaction."""

    artefact: Artefact
    seq: int


class RetrievalView(NamedTuple):
    """A read with its transaction."""

    retrieval: Retrieval
    seq: int


class Reach(NamedTuple):
    """A node reached in a traversal and the number of derivation steps to it (justifications are not counted)."""

    id: str
    depth: int
