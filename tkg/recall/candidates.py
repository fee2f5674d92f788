"""What a question could be about: text matches with their session, whole slots, and neighbours in the graph.

Every candidate is judged before it is scored (`tkg.recall.judge`), and every search is made in the visible scopes only.
The lists are kept apart; `tkg.recall.rank` fuses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tkg.errors import EmbedderFailed
from tkg.graph.port import Graph
from tkg.ids import kind_of
from tkg.index.port import Index
from tkg.index.vectors import VectorIndex
from tkg.model.claim import Claim
from tkg.recall.judge import Judge, Standing
from tkg.recall.model import RecallRequest
from tkg.recall.rank import strengths
from tkg.recall.words import content_words

#: candidates wanted for each place, before ranking
PER_PLACE: Final = 4
#: most hits asked of the index, however many were filtered out
_MOST_HITS: Final = 2_000
#: what a turn gains from the words of the turn it answers, and of the turn that answers it; this and what meaning adds were
#: chosen on two dialogues (`benchmarks/locomo.py`)
_BEFORE: Final = 0.6
_AFTER: Final = 0.4
#: a turn by somebody the question names fits so much better
_SPEAKER: Final = 1.5
#: claims looked up for each name in the question, and for each slot named
_NAMED: Final = 8
#: the slot that the question names fits better than any match of words
_SLOT: Final = 1.5
#: a claim about what the question names, found by nothing else, fits so much worse than the slot itself
_ABOUT: Final = 0.1
#: what meaning adds to a match of words for each standard deviation by which it leads, and for its cosine
_AGREES: Final = 0.1
#: what only meaning finds fits so well, times its cosine, beside the best match of words
_MEANT: Final = 0.3
#: found claims that neighbours are looked for from at each step, newest neighbours of one entity, and steps
_SEEDS: Final = 4
_FAN_OUT: Final = 8
_HOPS: Final = 3
#: a neighbour fits a quarter as well as the claim it was reached from
_HOP: Final = 0.25


@dataclass
class Pool:
    """What one recall has found so far: judged candidates, and the lists in which those that may be shown were found."""

    standing: dict[str, Standing] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    slots: list[str] = field(default_factory=list)
    hops: list[str] = field(default_factory=list)
    vectors: list[str] = field(default_factory=list)
    #: the model that found by meaning, or why it could not
    meaning: str | None = None
    strength: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    suspended: list[str] = field(default_factory=list)
    disputed: list[str] = field(default_factory=list)

    def take(self, standing: Standing) -> bool:
        """Sort one judged candidate in; return whether it may be shown."""
        self.standing[standing.id] = standing
        if standing.eligible:
            return True
        self.left_out.setdefault(standing.id, standing.state)
        if standing.state == "suspended" and standing.claim is not None:
            self.suspended.append(standing.id)
        elif standing.state == "conflict":
            self.disputed.append(standing.id)
        return False

    def fits(self, identifier: str, strength: float) -> None:
        """Note how well a candidate fits; the best of what its lists say counts."""
        self.strength[identifier] = max(strength, self.strength.get(identifier, 0.0))

    def lists(self) -> list[list[str]]:
        """Return the lists to fuse.

        What words or the graph found as well gains by how near it is (its strength), not by a place in a second list: of the
        nearest there are always as many as were asked for, and most places of such a list say nothing.
        """
        found = {*self.text, *self.slots, *self.hops}
        return [self.text, self.slots, self.hops, [one for one in self.vectors if one not in found]]

    def found_by(self, identifier: str) -> tuple[str, ...]:
        """Return the names of the lists that hold a candidate."""
        names = ("text", "slots", "graph", "vectors")
        lists = (self.text, self.slots, self.hops, self.vectors)
        return tuple(name for name, found in zip(names, lists, strict=True) if identifier in found)


@dataclass(frozen=True)
class Gatherer:
    """Finds candidates for one question.

    Args:
        request: the question and the scopes it may see.
        index: the tenant's text index.
        graph: the tenant's graph.
        asked: judges every candidate.
        pool: filled by the methods.
        as_of: a transaction for a read of the past; None for what stands now.
        vectors: finds by meaning, too.
        least_similarity: cosine below which nothing is near.
    """

    request: RecallRequest
    index: Index
    graph: Graph
    asked: Judge
    pool: Pool
    as_of: int | None
    vectors: VectorIndex | None = None
    least_similarity: float = 0.0

    def everything(self) -> Pool:
        """Fill the pool, text first: the graph is asked for what the text leaves open."""
        self._text()
        self._meaning()
        self._slots()
        self._rivals()
        self._neighbours()
        return self.pool

    def _judged(self, identifiers: Iterable[str]) -> list[Standing]:
        """Judge what is new and take it in; return what of it may be shown."""
        fresh = [one for one in dict.fromkeys(identifiers) if one not in self.pool.standing]
        visible = self.request.visible
        return [one for one in self.asked.all(fresh) if one.scope in visible and self.pool.take(one)]

    # -- words

    def _text(self) -> None:
        """Judge text matches, best first, until enough may be shown or the index has no more."""
        request, pool = self.request, self.pool
        wanted = max(request.k * PER_PLACE, 1)
        limit = wanted * 2  # some will have been replaced or lapsed; a longer list costs nothing, a second search does
        scores: dict[str, float] = {}
        while True:
            hits = self.index.search(
                request.query, scopes=request.visible, kinds=request.kinds, limit=limit, as_of=self.as_of
            )
            for hit in hits:
                if hit.id in scores or len(pool.text) >= wanted:
                    continue
                scores[hit.id] = hit.score
                if hit.slot:
                    self.asked.read_slot(hit.slot)
                pool.text.extend(one.id for one in self._judged([hit.id]))
            if len(pool.text) >= wanted or len(hits) < limit or limit >= _MOST_HITS:
                break
            limit = min(limit * 4, _MOST_HITS)
        self._conversation(scores)

    def _conversation(self, scores: dict[str, float]) -> None:
        """Let turns take part in the words of the turns beside them: an answer seldom repeats its question's words."""
        pool, request = self.pool, self.request
        turns = [one for one in pool.text if pool.standing[one].kind == "episode"]
        beside = self.index.beside(turns, scopes=request.visible, as_of=self.as_of)
        near = dict.fromkeys(other for sides in beside.values() for other in sides if other is not None)
        self._judged(near)
        total = {one: scores.get(one, 0.0) for one in pool.text}
        for one, sides in beside.items():
            for other, weight in ((sides.after, _BEFORE), (sides.before, _AFTER)):
                if other is not None and self._answers(one, other):
                    total[other] = total.get(other, 0.0) + weight * scores[one]
        pool.text = list(total)
        words = content_words(request.query)
        for one in pool.text:
            speaker = pool.standing[one].speaker
            if speaker is not None and content_words(speaker) & words:
                total[one] *= _SPEAKER
        pool.text.sort(key=lambda one: (-total[one], one))
        for one, strength in strengths({one: total[one] for one in pool.text}).items():
            pool.fits(one, strength)

    def _answers(self, one: str, other: str) -> bool:
        """Return whether two turns beside each other are talk to and fro: who goes on talking says again what it is about."""
        speaker = self.pool.standing[one].speaker
        return self._may_be_shown(other) and (speaker is None or speaker != self.pool.standing[other].speaker)

    # -- meaning

    def _meaning(self) -> None:
        """Judge what is nearest in meaning, until as much may be shown as words were asked for."""
        if self.vectors is None:
            return
        request, pool = self.request, self.pool
        wanted = max(request.k * PER_PLACE, 1)
        try:
            hits = self.vectors.search(
                request.query, scopes=request.visible, kinds=request.kinds, limit=wanted * 2, as_of=self.as_of
            )
        except EmbedderFailed as error:  # words and graph answer without it
            pool.meaning = f"unavailable: {error}"
            return
        pool.meaning = self.vectors.model_id
        for hit in hits:
            if len(pool.vectors) >= wanted:
                break
            if hit.context <= 0 or hit.context < self.least_similarity:
                continue
            if hit.id not in pool.standing and hit.slot:
                self.asked.read_slot(hit.slot)
            self._judged([hit.id])
            if self._may_be_shown(hit.id):
                pool.vectors.append(hit.id)
                agrees = _AGREES * (max(hit.lead, 0.0) + max(hit.cosine, 0.0))
                if hit.id in pool.text:
                    pool.strength[hit.id] += agrees
                else:
                    pool.fits(hit.id, max(agrees, _MEANT * hit.cosine))

    # -- slots

    def _slots(self) -> None:
        """Look up what the question names: whole slots first, then other claims about it."""
        found = self.index.named(self.request.query, scopes=self.request.visible, limit=_NAMED, as_of=self.as_of)
        # what is merely about a name is read where words found nothing: each costs a read of its slot
        found = [hit for hit in found if hit.exact or not self.pool.text]
        for hit in found:
            self.asked.read_slot(hit.slot)
        self._judged(hit.id for hit in found)
        shown = [hit for hit in found if self._may_be_shown(hit.id)]
        for hit in shown:
            if hit.exact:
                self.pool.slots.append(hit.id)
                self.pool.fits(hit.id, _SLOT)
            elif hit.id not in self.pool.strength:
                self.pool.hops.append(hit.id)
                self.pool.fits(hit.id, _ABOUT)

    def _may_be_shown(self, identifier: str) -> bool:
        standing = self.pool.standing.get(identifier)
        return standing is not None and standing.eligible and standing.scope in self.request.visible

    def _rivals(self) -> None:
        """Put the other side of a conflict beside the side that was found."""
        pool = self.pool
        for found in (pool.text, pool.slots):
            for identifier in [*found, *pool.disputed]:
                for standing in self._judged(pool.standing[identifier].rivals):
                    if identifier in pool.strength:
                        found.insert(found.index(identifier) + 1 if identifier in found else len(found), standing.id)
                        pool.fits(standing.id, pool.strength[identifier])

    # -- the graph

    def _neighbours(self) -> None:
        """Follow the graph for the part of the question that a found claim leaves open.

        From a claim that answers some words but not all, the way goes over an end of it that the question does not name:
        to claims about that entity. So "where does the head of the Larch team live" finds what is said of the head's
        name. It goes on, at most three steps, only from a claim that answered another word; a question that is fully
        answered brings in nothing else.
        """
        words = content_words(self.request.query)
        pool = self.pool
        seeds = [
            one for one in dict.fromkeys((*pool.text, *pool.slots, *pool.hops)) if pool.standing[one].claim is not None
        ]
        seeds.sort(key=lambda one: (-pool.strength[one], one))
        covered = {one: words & content_words(pool.standing[one].text) for one in seeds}
        if any(words <= found for found in covered.values()):
            return
        left = self.request.k * PER_PLACE
        walked: set[str] = set()
        for _ in range(_HOPS):
            step: dict[str, frozenset[str]] = {}
            for seed in seeds[:_SEEDS]:
                for reached in self._step(seed, words, walked, left):
                    left -= 1
                    answered = covered[seed] | (words & content_words(pool.standing[reached].text))
                    pool.hops.append(reached)
                    pool.fits(reached, pool.strength[seed] * _HOP)
                    if answered > covered[seed]:
                        step[reached] = answered
            if left <= 0 or not step:
                break
            covered, seeds = step, sorted(step, key=lambda one: (-len(step[one]), -pool.strength[one], one))
        self._summaries()

    def _step(self, seed: str, words: frozenset[str], walked: set[str], left: int) -> list[str]:
        """Return what may be shown of the claims one step from a claim."""
        claim = self.pool.standing[seed].claim
        assert claim is not None
        reached: list[str] = []
        for entity in _bridges(claim, words):
            if entity in walked or left <= len(reached):
                continue
            walked.add(entity)
            near = [one for one in self.graph.mentions(entity, _FAN_OUT) if one not in self.pool.standing]
            for standing in self._judged(near[: left - len(reached)]):
                if _leads_on(claim, standing.claim, entity):
                    reached.append(standing.id)
        return reached

    def _summaries(self) -> None:
        """Bring the claims a found summary rests on: a summary is read beside its sources."""
        pool = self.pool
        for identifier in [one for one in pool.text if pool.standing[one].kind == "summary"][:_SEEDS]:
            backers = self.graph.justifications(identifier)
            claims = [one for b in backers for one in b.justification.requires if kind_of(one) == "claim"]
            for standing in self._judged(claims[:_FAN_OUT]):
                pool.hops.append(standing.id)
                pool.fits(standing.id, pool.strength[identifier] * _HOP)


def _bridges(claim: Claim, words: frozenset[str]) -> list[str]:
    """Return the ends of a claim that the question does not name, the object first."""
    ends: Sequence[tuple[str, str | None]] = ((claim.object_id, claim.object), (claim.subject_id, claim.subject))
    return [entity for entity, name in ends if name and not content_words(name) & words]


def _leads_on(seed: Claim, other: Claim | None, entity: str) -> bool:
    """Return whether a neighbour says something about the entity, rather than merely sharing a value."""
    return other is not None and (
        other.subject_id == entity or (seed.subject_id == entity and other.object_id == entity)
    )
