"""The reference index: every document looked at for every query."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tkg.errors import Damaged
from tkg.index.documents import changes, documents, erased
from tkg.index.port import Beside, Hit, Named
from tkg.index.rank import POOL, Corpus, Scorer, best, plan
from tkg.index.words import TOKENS, name_keys, query_words, runs
from tkg.model.entry import Entry


@dataclass(slots=True)
class _Kept:
    kind: str
    scope: str
    seq: int
    slot: str
    session: str
    #: keys of the subject with the predicate's, and of the object with none
    names: tuple[tuple[str, str], ...]
    counts: Counter[str] = field(default_factory=Counter)
    #: one bit per axis on which it has fallen
    marks: int = 0


class MemoryIndex:
    """One tenant's documents in a dict.

    Args:
        entries: applied at once.
        pool: documents a query looks at.
    """

    def __init__(self, entries: Iterable[Entry] = (), *, pool: int = POOL) -> None:
        self._kept: dict[str, _Kept] = {}
        self._applied = 0
        self._pool = pool
        self.apply(entries)

    @property
    def applied(self) -> int:
        """Sequence number of the last entry applied."""
        return self._applied

    def apply(self, entries: Iterable[Entry]) -> None:
        """Apply entries in order; entries already applied are skipped.

        Raises:
            Damaged: an entry is missing between.
        """
        for entry in entries:
            if entry.seq <= self._applied:
                continue
            if entry.seq != self._applied + 1:
                raise Damaged(
                    f"the text index is at entry {self._applied} and was given {entry.seq}; run `tkg rebuild`"
                )
            for new in documents(entry):
                (tokens,) = TOKENS.of([new.text])
                if tokens:
                    self._kept[new.id] = _Kept(
                        new.kind, new.scope, entry.seq, new.slot, new.session, name_keys(new.names), Counter(tokens)
                    )
            for change in changes(entry):
                if (kept := self._kept.get(change.target)) is not None:
                    kept.marks = kept.marks | change.bit if change.fallen else kept.marks & ~change.bit
            self.remove(erased(entry))
            self._applied = entry.seq

    def remove(self, ids: Iterable[str]) -> int:
        """Remove documents for good; return how many there were."""
        return sum(self._kept.pop(identifier, None) is not None for identifier in ids)

    def search(
        self, query: str, *, scopes: Sequence[str], kinds: Sequence[str], limit: int, as_of: int | None = None
    ) -> list[Hit]:
        """Return the best matches of any word of `query`, equal scores by id."""
        visible = {identifier: kept for identifier, kept in self._kept.items() if kept.scope in scopes}
        words = query_words(query)
        frequency = {word: sum(word in kept.counts for kept in visible.values()) for word in words}
        corpus = Corpus(len(visible), sum(kept.counts.total() for kept in visible.values()))
        scorer = Scorer(frequency, corpus)
        chosen = plan(frequency, self._pool)
        # newest first: a dict keeps the order of arrival
        open_to = [
            (identifier, kept)
            for identifier, kept in reversed(visible.items())
            if kept.kind in kinds and (kept.marks == 0 if as_of is None else kept.seq <= as_of)
        ]
        found = [one for one in open_to if any(word in one[1].counts for word in chosen.any_of)]
        if chosen.limited:
            both = [one for one in open_to if all(word in one[1].counts for word in chosen.all_of)][: self._pool]
            found = both if len(both) >= limit else list(dict(both + found[: self._pool]).items())
        return best(
            (
                (
                    identifier,
                    scorer.score([kept.counts[word] for word in scorer.words], kept.counts.total()),
                    kept.slot,
                )
                for identifier, kept in found
            ),
            limit,
        )

    def named(self, query: str, *, scopes: Sequence[str], limit: int, as_of: int | None = None) -> list[Named]:
        """Return claims about what `query` names: first whole slots, then other claims; see the port."""
        # a long question has tens of thousands of pairs of runs: the few names that claims have are looked up among them
        places = {name: place for place, name in enumerate(runs(query))}
        slots: dict[tuple[int, int], list[Named]] = defaultdict(list)
        near: dict[int, list[Named]] = defaultdict(list)
        for identifier, kept in reversed(self._kept.items()):
            if kept.scope not in scopes or not (kept.marks == 0 if as_of is None else kept.seq <= as_of):
                continue
            pairs = [(places.get(name), places.get(predicate)) for name, predicate in kept.names]
            for place in dict.fromkeys(name for name, _ in pairs if name is not None):
                near[place].append(Named(identifier, kept.slot, False))
            for name, predicate in dict.fromkeys(pairs):
                if name is not None and predicate is not None:
                    slots[name, predicate].append(Named(identifier, kept.slot, True))
        exact = {one.id: one for pair in sorted(slots) for one in slots[pair][:limit]}
        about = {one.id: one for place in sorted(near) for one in near[place][:limit] if one.id not in exact}
        return [*exact.values(), *about.values()]

    def beside(self, ids: Iterable[str], *, scopes: Sequence[str], as_of: int | None = None) -> dict[str, Beside]:
        """Return the neighbours of episodes in their sessions; see the port."""
        wanted = [one for one in dict.fromkeys(ids) if one in self._kept]
        order = list(self._kept)
        found = {}
        for one in wanted:
            kept, place = self._kept[one], order.index(one)
            if not kept.session or kept.scope not in scopes:
                continue
            near = [
                [
                    other
                    for other in side
                    if self._kept[other].session == kept.session
                    and self._kept[other].scope in scopes
                    and (self._kept[other].marks == 0 if as_of is None else self._kept[other].seq <= as_of)
                ]
                for side in (order[:place], order[place + 1 :])
            ]
            found[one] = Beside(near[0][-1] if near[0] else None, near[1][0] if near[1] else None)
        return found

    def close(self) -> None:
        """Do nothing: there are no files."""
