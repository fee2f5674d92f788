"""Tokens are exactly those of FTS5 with the tokenizer that is promised."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.index.words import MAX_WORDS, TOKENS, Tokens, query_words, split_name


def fts5(text: str) -> list[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')"
        )
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
        connection.execute("INSERT INTO t VALUES (?)", (text,))
        return [term for _, term in sorted(connection.execute('SELECT "offset", term FROM v'))]


plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)


@given(text=plain | st.lists(st.sampled_from(["running", "Übung", "a.b", "x_y", "2026-03", "fi-ﬁ"])).map(" ".join))
def test_tokens_are_those_of_fts5(text: str) -> None:
    assert TOKENS.of([text]) == [fts5(text)]


@given(texts=st.lists(plain, max_size=5))
def test_texts_do_not_mix(texts: list[str]) -> None:
    assert Tokens().of(texts) == [fts5(text) for text in texts]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Where do the exception reports go?", ["except", "report", "go"]),
        ("What's Zoë's address", ["zoe", "s", "address"]),
        ("not before the audit", ["not", "befor", "audit"]),
        ("what is this", ["what", "is", "thi"]),
        ("THE THE THE", ["the"]),
        ("Doe", ["doe"]),
        ("does Doe", ["doe"]),
        ("\u201cthe report\u201d", ["report"]),
        ("is_the_report", ["report"]),
        ("théorie of isbn", ["theori", "isbn"]),
        ("", []),
        ("?!", []),
        ("\ud800 word", ["word"]),
    ],
)
def test_stop_words_go_where_others_remain(query: str, words: list[str]) -> None:
    assert query_words(query) == words


def test_a_long_query_is_cut() -> None:
    assert len(query_words(" ".join(f"w{n}" for n in range(1_000)))) == MAX_WORDS


def test_names_are_split() -> None:
    assert split_name("reviewAfter_HTTPDate") == "review After HTTP Date"
    assert split_name("v2Beta") == "v2 Beta"


def test_tokens_may_be_asked_from_several_threads() -> None:
    wrong: list[str] = []

    def ask(number: int) -> None:
        for turn in range(200):
            text = f"word{number} turn{turn} reports"
            if TOKENS.of([text]) != [[f"word{number}", f"turn{turn}", "report"]]:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("call", range(4))
def test_a_failure_inside_is_told_as_it_is_and_passes(call: int) -> None:
    """SQLite without memory fails to begin, or ends the transaction by itself: there is nothing to roll back then."""
    left = [10**9]

    class Failing(sqlite3.Connection):
        def execute(self, *asked: object) -> sqlite3.Cursor:  # type: ignore[override]
            left[0] -= 1
            if left[0] == 0:
                if self.in_transaction:
                    super().execute("ROLLBACK")
                raise MemoryError
            return super().execute(*asked)  # type: ignore[arg-type]

        def executemany(self, *asked: object) -> sqlite3.Cursor:  # type: ignore[override]
            left[0] -= 1
            if left[0] == 0:
                raise MemoryError
            return super().executemany(*asked)  # type: ignore[arg-type]

    tokens = Tokens()
    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=Failing)) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE tokenizer USING fts5 (text, content = '', tokenize = 'porter unicode61')"
        )
        connection.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab (tokenizer, instance)")
        tokens._connection = connection
        left[0] = call + 1
        if call < 3:
            with pytest.raises(MemoryError):
                tokens.of(["whales swim"])
        left[0] = 10**9
        assert tokens.of(["whales swim"]) == [["whale", "swim"]]
