"""Models that were trained with a word before each text: one before a question, another before what is searched."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tkg.index.port import Embedder, Vectors


class PrefixedEmbedder:
    """Another embedder with texts put before what it is given; the models called e5 want "query: " and "passage: ".

    Args:
        embedder: the embedder itself.
        query: put before a question.
        passage: put before what is stored. Vectors made with another one are another model's.
    """

    def __init__(self, embedder: Embedder, *, query: str = "", passage: str = "") -> None:
        self._embedder, self._query, self._passage = embedder, query, passage

    @property
    def model_id(self) -> str:
        """Name of the model; with a digest of what is put before stored texts, where there is something."""
        name = self._embedder.model_id
        return f"{name}-{hashlib.sha256(self._passage.encode()).hexdigest()[:8]}" if self._passage else name

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per stored text."""
        return self._embedder.embed([self._passage + one for one in texts])

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per question."""
        return self._embedder.embed([self._query + one for one in texts])
