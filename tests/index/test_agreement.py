"""Both indexes find the same, in the same order, with the same scores, whatever happened before."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import given

from tkg.index.memory import MemoryIndex
from tkg.index.sqlite import open_index
from tkg.index.words import TOKENS
from tkg.model.entry import Entry, Record
from tkg.testing.index import KINDS, artefact, claim, entry, status, turn

# few words, so that they meet; endings, accents, digits and scripts, so that tokens differ from words
WORDS = (
    "report",
    "Reports",
    "reporting",
    "queue",
    "zoë",
    "ZOE",
    "42",
    "not",
    "the",
    "東京",
    "e-mail",
    "re:port",
    "_x_",
    "ﬁle",
)
SCOPES = ("acme", "acme/ana", "acme/ben")
words = st.sampled_from(WORDS)
texts = st.one_of(
    st.lists(words, max_size=5).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
maybe = st.none() | texts
Make = Callable[[int, int], Record]


def _claim(scope: str, subject: str | None, predicate: str | None, value: str | None) -> Make:
    return lambda seq, place: claim(f"clm_{seq}_{place}", subject, predicate, value, scope)


def _artefact(scope: str, kind: str, content: str | None, name: str | None) -> Make:
    return lambda seq, place: artefact(f"art_{seq}_{place}", content, kind, scope, name)  # type: ignore[arg-type]


def _turn(scope: str, content: str, session: str | None) -> Make:
    return lambda seq, place: turn(f"art_{seq}_{place}", content, session, scope)


def _status(back: int, place: int, letter: str, change: tuple[str, str]) -> Make:
    return lambda seq, _: status(f"{letter}_{max(seq - back, 1)}_{place}", *change)


records = st.one_of(
    st.builds(_claim, st.sampled_from(SCOPES), maybe, maybe, maybe),
    st.builds(_artefact, st.sampled_from(SCOPES), st.sampled_from(KINDS[1:]), maybe, maybe),
    st.builds(_turn, st.sampled_from(SCOPES), texts, st.sampled_from([None, "ses_1", "ses_2"])),
    st.builds(
        _status,
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from(["clm", "art"]),
        st.sampled_from(
            [
                ("status", "active"),
                ("status", "revoked"),
                ("status", "erased"),
                ("support", "supported"),
                ("support", "unsupported"),
                ("action", "cancelled"),
                ("action", "queued"),
                ("verified", "gone"),
            ]
        ),
    ),
)
histories = st.lists(st.lists(records, max_size=4), max_size=12).map(
    lambda made: [entry(seq, *(make(seq, place) for place, make in enumerate(one))) for seq, one in enumerate(made, 1)]
)
queries = st.lists(texts, min_size=1, max_size=5)


@given(
    entries=histories,
    asked=queries,
    scopes=st.lists(st.sampled_from([*SCOPES, "other"]), max_size=3),
    kinds=st.lists(st.sampled_from(KINDS), max_size=6),
    limit=st.integers(0, 8),
    as_of=st.none() | st.integers(0, 12),
    pool=st.sampled_from([1, 2, 3, 5, 2_000]),
    cuts=st.lists(st.integers(0, 12), max_size=3),
    gone=st.lists(st.tuples(st.integers(1, 12), st.integers(0, 3)), max_size=2),
)
def test_both_find_the_same(
    entries: list[Entry],
    asked: list[str],
    scopes: list[str],
    kinds: list[str],
    limit: int,
    as_of: int | None,
    pool: int,
    cuts: list[int],
    gone: list[tuple[int, int]],
) -> None:
    plain = MemoryIndex(entries, pool=pool)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index.sqlite")
        for cut in sorted(min(cut, len(entries)) for cut in cuts):
            open_index(path, lambda seq, cut=cut: entries[seq:cut], head=cut, pool=pool).close()  # type: ignore[misc]
        with closing(open_index(path, lambda seq: entries[seq:], head=len(entries), pool=pool)) as filed:
            ids = [f"{letter}_{seq}_{place}" for seq, place in gone for letter in ("clm", "art")]
            assert plain.remove(ids) == filed.remove(ids)
            assert plain.applied == filed.applied
            for query in asked:
                hits = [
                    index.search(query, scopes=scopes, kinds=kinds, limit=limit, as_of=as_of)
                    for index in (plain, filed)
                ]
                assert hits[0] == hits[1]
                named = [index.named(query, scopes=scopes, limit=limit, as_of=as_of) for index in (plain, filed)]
                assert named[0] == named[1]
            known = [record.id for one in entries for record in one.records]
            assert plain.beside(known, scopes=scopes, as_of=as_of) == filed.beside(known, scopes=scopes, as_of=as_of)


@given(text=st.text(max_size=40))
def test_every_token_of_a_text_finds_it(text: str) -> None:
    with closing(open_index(None, lambda seq: [entry(1, artefact("art_1", text))], head=1)) as index:
        for piece in text.split():
            hits = index.search(piece, scopes=["acme"], kinds=["episode"], limit=1)
            assert [hit.id for hit in hits] == (["art_1"] if TOKENS.of([piece]) != [[]] else [])
