"""Which documents a query looks at, and BM25 over them. Both indexes use this, so both rank the same.

The score is Robertson and Zaragoza's (The Probabilistic Relevance Framework, 2009) with k1 = 1.2 and b = 0.75 and the
inverse document frequency that FTS5 uses: ln((N - n + ½) / (n + ½)), at least 10⁻⁶. N, n and the mean length count the
documents of the visible scopes only: what others have written does not show in a score.

Cost is bounded by `POOL`: words are taken from the rarest on while the documents that hold them stay below it. The
words left over count in the scores and bring in no documents of their own.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tkg.index.port import Hit

K1: Final = 1.2
B: Final = 0.75
#: documents a query looks at, but for those of its rarest word
POOL: Final = 1_500


class Corpus(NamedTuple):
    """The visible documents: how many, and their tokens in sum."""

    documents: int
    tokens: int


class Plan(NamedTuple):
    """How to find the documents to score.

    A document is looked at when it holds any of `any_of`. Where even the rarest word is held by more than `POOL`, the
    newest `POOL` that hold all of `all_of` are looked at instead, and if these are fewer than what was asked for, the
    newest `POOL` that hold any of `any_of` too.
    """

    any_of: tuple[str, ...]
    all_of: tuple[str, ...] = ()
    limited: bool = False


def plan(frequency: Mapping[str, int], pool: int = POOL) -> Plan:
    """Choose the words that bring in documents.

    Args:
        frequency: word -> number of visible documents that hold it.
        pool: documents to look at.
    """
    words = sorted((count, word) for word, count in frequency.items() if count)
    if not words:
        return Plan(())
    rarest, first = words[0]
    if rarest > pool:
        return Plan((first,), tuple(word for _, word in words), limited=True)
    total = 0
    chosen: list[str] = []
    for count, word in words:
        total += count
        if total > pool and chosen:
            break
        chosen.append(word)
    return Plan(tuple(chosen))


class Scorer:
    """BM25 of one query.

    Args:
        frequency: word -> number of visible documents that hold it.
        corpus: the visible documents.
    """

    def __init__(self, frequency: Mapping[str, int], corpus: Corpus) -> None:
        # in the order of the alphabet: equal documents get equal sums, to the last bit
        self.words: tuple[str, ...] = tuple(sorted(word for word, count in frequency.items() if count))
        self._weights = [
            max(math.log((corpus.documents - frequency[word] + 0.5) / (frequency[word] + 0.5)), 1e-6) * (K1 + 1)
            for word in self.words
        ]
        self._marked = [(f" {word}|", weight) for word, weight in zip(self.words, self._weights, strict=True)]
        mean = max(corpus.tokens / corpus.documents, 1.0) if corpus.documents else 1.0
        self._norm, self._slope = K1 * (1 - B), K1 * B / mean

    def score(self, counts: Sequence[int], length: int) -> float:
        """Return the score of a document of `length` tokens that holds `words` as often as `counts` says."""
        norm = self._norm + self._slope * length
        total = 0.0
        for weight, count in zip(self._weights, counts, strict=True):
            if count:
                total += weight * count / (count + norm)
        return total

    def score_listed(self, tokens: str, length: int) -> float:
        """Return the same score for a document whose tokens are listed as ` token| token|`."""
        norm = self._norm + self._slope * length
        total = 0.0
        for mark, weight in self._marked:
            if mark in tokens:
                count = tokens.count(mark)
                total += weight * count / (count + norm)
        return total


def best(hits: Iterable[tuple[str, float, str]], limit: int) -> list[Hit]:
    """Return the `limit` best of (id, score, slot), equal scores by id."""
    chosen = heapq.nsmallest(max(limit, 0), ((-score, identifier, slot) for identifier, score, slot in hits))
    return [Hit(identifier, -score, slot) for score, identifier, slot in chosen]
