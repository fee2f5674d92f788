"""Words: what a text is found by.

Tokens are those of SQLite's FTS5 with `porter unicode61 remove_diacritics 2`: letters and digits in any script, folded,
without accents, English endings taken off. Both indexes take them from here, so both find the same.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from typing import Final

#: most different words of a query that are looked at
MAX_WORDS: Final = 64
#: white-space-separated pieces whose tokens are remembered, and the longest one that is
_REMEMBERED: Final = 1 << 14
_LONGEST: Final = 48

# Words that say how a question is built. Those that change what is asked (not, no, never, before, after, until,
# since, only, all) are not among them.
_STOP: Final = (
    "a an the this that these those there here it its i me my we us our you your he him his she her they them their "
    "is am are was were be been being do does did done has have had having can could will would shall should may might "
    "must of in on at by for from to into onto with about as and or but if than then so such what which who whom whose "
    "when where why how please tell"
)
# what surely parts words for FTS5: spaces, the punctuation of ASCII and that of typesetting
_EDGE: Final = r"\s\x00-/:-@\[-`{-\x7f\u00a1\u00ab\u00bb\u00bf\u2010-\u2027"
_STOPPED: Final = re.compile(
    rf"(?<![^{_EDGE}])(?:{'|'.join(_STOP.split())})(?:['\u2019](?:s|t|d|m|ll|re|ve))?(?![^{_EDGE}])", re.IGNORECASE
)
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def split_name(name: str) -> str:
    """Return a name such as `reviewAfter` or `review_after` as words."""
    return _HUMP.sub(" ", name).replace("_", " ")


class Tokens:
    """FTS5's own tokenizer, asked through an empty table in memory; safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._known: dict[str, tuple[str, ...]] = {}

    def of(self, texts: Iterable[str]) -> list[list[str]]:
        """Return the tokens of each text, in order, with repetitions."""
        pieces = [_valid(text).split() for text in texts]
        with self._guard:
            known = self._known
            if len(known) > _REMEMBERED:
                known.clear()
            unknown = dict.fromkeys(piece for text in pieces for piece in text if piece not in known)
            found = dict(zip(unknown, self._ask(list(unknown)), strict=True))
            known.update((piece, tokens) for piece, tokens in found.items() if len(piece) <= _LONGEST)
            return [
                [token for piece in text for token in (found[piece] if piece in found else known[piece])]
                for text in pieces
            ]

    def _ask(self, pieces: list[str]) -> Iterator[tuple[str, ...]]:
        if not pieces:
            return iter(())
        if self._connection is None:
            self._connection = _tokenizer()
        connection = self._connection
        try:
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO tokenizer (rowid, text) VALUES (?, ?)", enumerate(pieces))
            out: list[list[tuple[int, str]]] = [[] for _ in pieces]
            for place, offset, token in connection.execute('SELECT doc, "offset", term FROM tokens'):
                out[place].append((offset, token))
        finally:
            if connection.in_transaction:  # out of memory, SQLite ends it by itself
                connection.execute("ROLLBACK")
        return (tuple(token for _, token in sorted(found)) for found in out)


def _tokenizer() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute(
        "CREATE VIRTUAL TABLE tokenizer USING fts5 (text, content = '', tokenize = 'porter unicode61 remove_diacritics 2')"
    )
    connection.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab (tokenizer, instance)")
    return connection


def _valid(text: str) -> str:
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


TOKENS: Final = Tokens()


def query_words(query: str) -> list[str]:
    """Return the different tokens of a query, in order, at most `MAX_WORDS`.

    Everything in it is words: there is no query syntax. Stop words are left out where other words remain.
    """
    (tokens,) = TOKENS.of([_STOPPED.sub(" ", query)])
    if not tokens:
        (tokens,) = TOKENS.of([query])
    return list(dict.fromkeys(tokens))[:MAX_WORDS]


#: most tokens of a name that is looked for in a query
MAX_NAME_TOKENS: Final = 5


def name_key(name: str) -> str:
    """Return what a name is looked up by: its tokens; "" for one that is empty or too long to be named in a question."""
    (tokens,) = TOKENS.of([name])
    return " ".join(tokens) if len(tokens) <= MAX_NAME_TOKENS else ""


def runs(query: str) -> list[str]:
    """Return what in a query can be a name: its runs of up to `MAX_NAME_TOKENS` tokens, longest first.

    A single stop word is no name where other words remain.
    """
    (tokens,) = TOKENS.of([query])
    tokens = tokens[:MAX_WORDS]
    words = set(query_words(query))
    found = (
        " ".join(tokens[start : start + size])
        for size in range(min(MAX_NAME_TOKENS, len(tokens)), 0, -1)
        for start in range(len(tokens) - size + 1)
    )
    return [run for run in dict.fromkeys(found) if " " in run or run in words]


def name_keys(names: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the keys of (name, predicate) pairs, without names that nothing could be looked up by."""
    keys = ((name_key(name), name_key(predicate)) for name, predicate in names)
    return tuple(dict.fromkeys(pair for pair in keys if pair[0]))
