"""The cases: each opens a store of its own, asks, and counts."""

from __future__ import annotations

from typing import Final

from tkg.evaluate.answering import Answerer, from_block
from tkg.evaluate.seeded import CHECKED, Seeded, seeded
from tkg.index.port import Embedder
from tkg.memory.at_use import CallableVerifier
from tkg.model.base import Value

#: facts of which a tool says something else; each costs a store
_CHECKS: Final = 5


class Count(Value):
    """How many of how many; `bound` is the 95 % bound of a zero, 3 / n (nothing where something was found)."""

    hits: int
    n: int

    @property
    def rate(self) -> float:
        """The share."""
        return self.hits / self.n if self.n else 0.0

    @property
    def bound(self) -> float | None:
        """The largest share that a zero still allows."""
        return 3 / self.n if self.n and not self.hits else None


class Evaluation(Value):
    """What the cases found.

    * `recalled`: planted facts whose claim was shown. `with_memory`, `without_memory`: questions answered rightly.
    * `false_memory`: questions without a fact that were answered. `leaked`: blocks that held another's value.
    * `deleted`: erased facts that were shown afterwards. `kept`: facts beside them that still were (the control).
    * `stale_shown`: facts a tool contradicts that were shown as they stood. `corrected`: those of which the block said what
      the tool says, as a record or as a note that this waits for a person.
    * `stale_unchecked`: the same without the tool, where all are shown (the control).
    """

    seed: int
    recalled: Count
    with_memory: Count
    without_memory: Count
    false_memory: Count
    leaked: Count
    deleted: Count
    kept: Count
    stale_shown: Count
    corrected: Count
    stale_unchecked: Count
    tokens_per_request: float
    most_tokens: int

    @property
    def harm(self) -> int:
        """What must be zero: leaks, false memories, what outlived its deletion, what was shown against its source."""
        return self.false_memory.hits + self.leaked.hits + self.deleted.hits + self.stale_shown.hits


def evaluate(
    seed: int = 1, count: int = 40, *, answerer: Answerer = from_block, embedder: Embedder | None = None
) -> Evaluation:
    """Run every case, each on a fresh store made from the seed.

    Args:
        seed: of the planted facts.
        count: planted facts.
        answerer: takes a question and a block, or None for memory off, and returns an answer, "" for none.
        embedder: as for `tkg.open`.
    """
    found: dict[str, Count] = {}
    with seeded(seed, count, embedder=embedder) as store:
        tokens = _asked(store, answerer, found)
    with seeded(seed, count, embedder=embedder) as store:
        _deleted(store, found)
    _stale(seed, count, embedder, found)
    return Evaluation(seed=seed, tokens_per_request=sum(tokens) / len(tokens), most_tokens=max(tokens), **found)


def _asked(store: Seeded, answerer: Answerer, found: dict[str, Count]) -> list[int]:
    """Ask for every planted fact, and for what nobody planted."""
    handle, tokens = store.by(), []
    recalled = right = blind = leaked = invented = 0
    for fact in store.facts:
        result = handle.recall(fact.question)
        tokens.append(result.trace.tokens)
        recalled += fact.id in {item.id for item in result.items}
        leaked += any(one in result.text for one in store.foreign)
        right += answerer(fact.question, result.text) == fact.value
        blind += answerer(fact.question, None) == fact.value
    for question in store.unanswerable:
        result = handle.recall(question)
        tokens.append(result.trace.tokens)
        leaked += any(one in result.text for one in store.foreign)
        invented += answerer(question, result.text) != ""
    asked, unknown = len(store.facts), len(store.unanswerable)
    found |= {
        "recalled": Count(hits=recalled, n=asked),
        "with_memory": Count(hits=right, n=asked),
        "without_memory": Count(hits=blind, n=asked),
        "false_memory": Count(hits=invented, n=unknown),
        "leaked": Count(hits=leaked, n=asked + unknown),
    }
    return tokens


def _deleted(store: Seeded, found: dict[str, Count]) -> None:
    """Erase half of the facts, one by one, and ask for all."""
    keeper = store.by("human_verified", "keeper")
    gone = store.facts[: len(store.facts) // 2]
    for fact in gone:
        keeper.forget(claim=fact.id, reason="trial")
    handle = store.by()
    shown = [fact.value in handle.recall(fact.question).text for fact in store.facts]
    found["deleted"] = Count(hits=sum(shown[: len(gone)]), n=len(gone))
    found["kept"] = Count(hits=sum(shown[len(gone) :]), n=len(shown) - len(gone))


def _stale(seed: int, count: int, embedder: Embedder | None, found: dict[str, Count]) -> None:
    """Let a tool say something else than what was planted, and ask with and without asking the tool; a store per fact."""
    verifier = CallableVerifier(CHECKED, lambda subject: f"fresh value of {subject}")
    stale = fresh = asked = 0
    while asked < _CHECKS:
        with seeded(seed, count, verifiers=[verifier], embedder=embedder) as store:
            checked = [one for one in store.facts if one.predicate == CHECKED][:_CHECKS]
            if asked >= len(checked):
                break
            fact = checked[asked]
            result = store.by().recall(fact.question)
            stale += any(item.object == fact.value and item.state == "active" for item in result.items)
            fresh += f"fresh value of {fact.subject}" in result.text
        asked += 1
    with seeded(seed, count, embedder=embedder) as store:
        handle = store.by()
        plain = sum(any(item.object == one.value for item in handle.recall(one.question).items) for one in checked)
    found["stale_shown"] = Count(hits=stale, n=asked)
    found["corrected"] = Count(hits=fresh, n=asked)
    found["stale_unchecked"] = Count(hits=plain, n=asked)
