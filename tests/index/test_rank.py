"""The score is BM25 as FTS5 computes it, and a query looks at a bounded number of documents."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.index.memory import MemoryIndex
from tkg.index.port import Hit, Index
from tkg.index.rank import Corpus, Plan, Scorer, best, plan
from tkg.index.sqlite import open_index
from tkg.model.entry import Entry
from tkg.testing.index import artefact, entry, found

words = st.sampled_from(["alpha", "beta", "gamma", "delta", "report", "queue"])


@given(
    texts=st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=12),
    asked=st.lists(words, min_size=1, max_size=3, unique=True),
)
def test_scores_are_those_of_fts5(texts: list[str], asked: list[str]) -> None:
    with closing(sqlite3.connect(":memory:")) as bare:
        bare.execute("CREATE VIRTUAL TABLE f USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
        bare.executemany("INSERT INTO f (rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        expression = " OR ".join(f'"{word}"' for word in asked)
        theirs = dict(bare.execute("SELECT 'art_' || rowid, -rank FROM f WHERE f MATCH ?", (expression,)))
    entries = [entry(seq, artefact(f"art_{seq}", text, "summary")) for seq, text in enumerate(texts, 1)]
    hits = MemoryIndex(entries).search(" ".join(asked), scopes=["acme"], kinds=["summary"], limit=99)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(theirs, rel=1e-9)


@given(st.dictionaries(words, st.integers(0, 100)), st.integers(1, 60))
def test_a_plan_looks_at_no_more_than_its_pool(frequency: dict[str, int], pool: int) -> None:
    chosen = plan(frequency, pool)
    present = {word: count for word, count in frequency.items() if count}
    assert set(chosen.any_of) <= set(present) and bool(chosen.any_of) == bool(present)
    if chosen.limited:
        assert min(present.values()) > pool
        assert set(chosen.all_of) == set(present) and len(chosen.any_of) == 1
    else:
        assert sum(present[word] for word in chosen.any_of) <= pool
        left = set(present) - set(chosen.any_of)
        assert all(present[kept] <= present[word] for kept in chosen.any_of for word in left)


def test_frequent_words_bring_in_nothing_while_rarer_ones_remain() -> None:
    assert plan({"a": 5, "b": 90, "c": 6, "none": 0}, 20) == Plan(("a", "c"))
    assert plan({"a": 5, "b": 90}, 95) == Plan(("a", "b"))
    assert plan({"b": 90, "a": 50}, 20) == Plan(("a",), ("a", "b"), limited=True)
    assert plan({"none": 0}) == plan({}) == Plan(())


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_of_too_many_the_newest_and_those_that_hold_every_word_are_looked_at(kind: str) -> None:
    texts = ["left right", *["left"] * 10, *["right"] * 10, "left", "right"]
    entries = [entry(seq, artefact(f"art_{seq:02}", text)) for seq, text in enumerate(texts, 1)]

    def made() -> Index:
        if kind == "memory":
            return MemoryIndex(entries, pool=3)
        return open_index(None, lambda seq: entries[seq:], head=len(entries), pool=3)

    with closing(made()) as index:
        assert found(index, "left", limit=9) == ["art_10", "art_11", "art_22"]
        assert found(index, "left right", limit=1) == ["art_01"]
        # "left" and "right" are equally frequent: the first in the alphabet brings in its newest
        assert sorted(found(index, "left right", limit=9)) == ["art_01", "art_10", "art_11", "art_22"]


def test_words_that_bring_in_nothing_still_count_in_the_score() -> None:
    texts = ["rare", "rare common", *["common"] * 10]
    entries: list[Entry] = [entry(seq, artefact(f"art_{seq}", text)) for seq, text in enumerate(texts, 1)]
    hits = MemoryIndex(entries, pool=3).search("rare common", scopes=["acme"], kinds=["episode"], limit=9)
    assert {hit.id for hit in hits} == {"art_1", "art_2"}
    with closing(open_index(None, lambda seq: entries[seq:], head=12, pool=3)) as index:
        assert index.search("rare common", scopes=["acme"], kinds=["episode"], limit=9) == hits


@given(st.text(st.sampled_from("ab |"), max_size=20))
def test_listed_tokens_score_as_counted_ones(text: str) -> None:
    tokens = sorted(text.replace("|", " ").split())
    scorer = Scorer({"a": 2, "b": 5, "ab": 1, "gone": 0}, Corpus(9, 40))
    listed = "".join(f" {token}|" for token in tokens)
    counted = scorer.score([tokens.count(word) for word in scorer.words], len(tokens))
    assert scorer.score_listed(listed, len(tokens)) == counted


def test_the_best_are_chosen_with_ties_by_id() -> None:
    assert best([("b", 1.0, ""), ("a", 1.0, "s"), ("c", 2.0, "")], 2) == [Hit("c", 2.0), Hit("a", 1.0, "s")]
    assert best([("b", 1.0, "")], 0) == best([("b", 1.0, "")], -1) == []
