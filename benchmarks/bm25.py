"""BM25 by itself, over any texts: what recall is measured against.

Okapi BM25 with k1 = 1.2 and b = 0.75 and the inverse document frequency ln(1 + (N - n + ½) / (n + ½)), which never
falls below zero. Words are stemmed as in tkg's index, and a query's stop words are left out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from tkg.index.words import TOKENS, query_words

_K1 = 1.2
_B = 0.75


class Bm25:
    """Ranks texts by a query.

    Args:
        texts: the documents, in an order that equal scores keep.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        tokens = TOKENS.of(texts)
        self._lengths = [len(found) for found in tokens]
        self._mean = max(sum(self._lengths) / max(len(texts), 1), 1.0)
        for place, found in enumerate(tokens):
            for word, count in Counter(found).items():
                self._postings[word].append((place, count))

    def rank(self, query: str) -> list[int]:
        """Return the places of the texts that hold a word of the query, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in query_words(query):
            postings = self._postings.get(word, [])
            weight = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for place, count in postings:
                norm = _K1 * (1 - _B + _B * self._lengths[place] / self._mean)
                scores[place] += weight * count * (_K1 + 1) / (count + norm)
        return sorted(scores, key=lambda place: (-scores[place], place))
