"""Independence: how many origins really said it (semantics 5.1).

Copies, one principal, one session and one upstream document are one origin. Only evidence of a trusted class may join
two clusters: otherwise a stranger's near-copy of both could deny a well-supported claim its second witness.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tkg.belief.book import LATEST, Book
from tkg.belief.order import backs
from tkg.model.scope import Channel
from tkg.model.view import Backer
from tkg.text import match_form

_TRUSTED: Final = Channel.TRUSTED_TOOL.rank
#: words per shingle, and the share of shingles from which two texts are one (Broder 1997)
_WIDTH: Final = 4
_ALIKE: Final = 0.8
_WORD = re.compile(r"\w+")


class Witness(NamedTuple):
    """One piece of direct evidence: who said it, through what, and the words if they are there."""

    id: str
    origin: str
    channel: Channel
    source: str
    principal: str
    session: str | None = None
    copy_of: str | None = None
    text: str | None = None


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of words that near-copies share."""
    words = _WORD.findall(match_form(text))
    width = min(_WIDTH, len(words))
    return frozenset(tuple(words[i : i + width]) for i in range(len(words) - width + 1)) if words else frozenset()


def _near(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> bool:
    return bool(one) and len(one & other) >= _ALIKE * len(one | other)


def clusters(witnesses: Iterable[Witness]) -> list[tuple[str, ...]]:
    """Return the witnesses grouped by what they share: each group counts once; ids in order, groups by first id."""
    everyone = sorted(witnesses, key=lambda w: w.id)
    parent = {witness.id: witness.id for witness in everyone}

    def root(node: str) -> str:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def join(one: str, other: str) -> None:
        first, second = sorted((root(one), root(other)))
        parent[second] = first

    trusted = [w for w in everyone if w.channel.rank >= _TRUSTED]
    _link(trusted, join)
    # what is not trusted is put with the first it resembles and joins nothing to anything
    for witness in everyone:
        if witness.channel.rank < _TRUSTED:
            like = next((w for w in trusted if _related(witness, w)), None)
            if like is not None:
                parent[witness.id] = root(like.id)
    _link([w for w in everyone if w.channel.rank < _TRUSTED and parent[w.id] == w.id], join)
    groups: dict[str, list[str]] = {}
    for witness in everyone:
        groups.setdefault(root(witness.id), []).append(witness.id)
    return sorted(tuple(members) for members in groups.values())


def _marks(witness: Witness) -> list[tuple[str, str]]:
    marks = [("origin", witness.origin), ("principal", witness.principal), ("source", witness.source)]
    if witness.session is not None:
        marks.append(("session", witness.session))
    if witness.copy_of is not None:
        marks.append(("source", witness.copy_of))
    if witness.text is not None:
        marks.append(("words", match_form(witness.text)))
    return marks


def _related(one: Witness, other: Witness) -> bool:
    if set(_marks(one)) & set(_marks(other)):
        return True
    return one.text is not None and other.text is not None and _near(shingles(one.text), shingles(other.text))


def _link(witnesses: Sequence[Witness], join: object) -> None:
    assert callable(join)
    first: dict[tuple[str, str], str] = {}
    for witness in witnesses:
        for mark in _marks(witness):
            join(first.setdefault(mark, witness.id), witness.id)
    texts = [(w.id, shingles(w.text)) for w in witnesses if w.text is not None]
    for place, (one, words) in enumerate(texts):
        for other, others in texts[place + 1 :]:
            if _near(words, others):
                join(one, other)


def independent_witnesses(witnesses: Iterable[Witness]) -> int:
    """Return the number of independent origins of at least the class of a trusted tool."""
    return len(clusters(w for w in witnesses if w.channel.rank >= _TRUSTED))


def independent(backers: Iterable[Backer], book: Book, as_of: int = LATEST) -> int:
    """Return the number of origins of trusted class with live direct evidence for a claim.

    Quick, from the origin that the gate fixed at the write; `independent_witnesses` also looks at sessions and words.
    """
    origins = {
        origin
        for backer in backers
        if backer.justification.kind == "evidence"
        and backer.justification.channel.rank >= _TRUSTED
        and backs(backer, book, as_of)
        for origin in backer.justification.origins
    }
    return len(origins)
