"""Noun phrases: which tokens make one, its text, and whom a pronoun means.

All functions take spaCy tokens of a parsed sentence (ClearNLP dependency labels) and change nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Token

FIRST: Final = frozenset({"i", "me", "myself"})
SECOND: Final = frozenset({"you", "yourself"})
#: words for a person or thing named elsewhere
THIRD: Final = frozenset({"he", "she", "him", "her", "himself", "herself"})
NEUTER: Final = frozenset({"it", "itself"})
PLURAL: Final = frozenset({"they", "them", "themselves"})
POINTING: Final = frozenset(
    {"this", "that", "these", "those", "there", "here", "one", "who", "which", "what", "whom", "whoever", "whatever"}
)
SOMEBODY: Final = frozenset(
    "somebody someone something anybody anyone anything everybody everyone everything nobody none nothing others other"
    " another both each all some any many few several most".split()
)
_DETERMINERS: Final = frozenset(
    {"the", "a", "an", "this", "that", "these", "those", "our", "all", "every", "each", "both"}
)
_OUT: Final = frozenset({"relcl", "appos", "cc", "conj", "punct", "preconj", "parataxis", "ccomp", "advcl"})
_POSSESSIVE: Final = {"my": "i", "your": "you", "his": "he", "her": "she", "its": "it", "their": "they"}


@dataclass(slots=True)
class People:
    """Who is who in the text: the speaker, the addressee, and the single candidate for he, she, it or they."""

    speaker: str | None = None
    addressee: str | None = None
    person: str | None = None
    thing: str | None = None
    group: str | None = None

    def of(self, word: str) -> str | None:
        """Return whom a pronoun or possessive means, or None when that is not certain."""
        word = word.lower()
        word = _POSSESSIVE.get(word, word) if word != "her" else word
        if word in FIRST:
            return self.speaker
        if word in SECOND:
            return self.addressee
        if word in THIRD:
            return self.person
        if word in NEUTER:
            return self.thing
        return self.group if word in PLURAL else None


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: its head, its tokens without determiner and side remarks, and its text."""

    head: Token
    tokens: tuple[Token, ...] = field(repr=False)
    text: str
    determiner: str = ""


def text_of(tokens: Iterable[Token]) -> str:
    """Return the tokens' text with the white space that was between them."""
    out = []
    previous: Token | None = None
    for token in tokens:
        if previous is not None and (previous.whitespace_ or token.i != previous.i + 1):
            out.append(" ")
        out.append(token.text)
        previous = token
    return " ".join("".join(out).split()).strip(' ,;:."“”')


def subtree(head: Token, *, without: Collection[int] = (), out: Collection[str] = _OUT) -> list[Token]:
    """Return the tokens below `head`, in order, leaving out side branches and the tokens `without`."""
    kept = [head]
    for child in head.children:
        if child.i in without:
            continue
        # "the flag new_checkout": a name beside its noun belongs to it, a remark between commas does not
        tight = child.dep_ == "appos" and child.i > 0 and child.nbor(-1).i == head.i
        inner_mark = child.dep_ == "punct" and child.text in "-–/'’:()%&" and _inside(child, head)
        if child.dep_ not in out or inner_mark or tight:
            kept.extend(subtree(child, without=without, out=out))
    return sorted((token for token in kept if token.i not in without), key=lambda token: token.i)


def _inside(mark: Token, head: Token) -> bool:
    """Say whether a hyphen or the like binds words of the phrase."""
    return (
        mark.i + 1 < len(mark.doc)
        and mark.i > 0
        and (mark.text in "-–/'’" or mark.text in "()" and mark.i < head.right_edge.i + 1)
    )


def pronominal(token: Token) -> bool:
    """Say whether a token stands for a name given elsewhere."""
    low = token.lower_
    return (
        token.pos_ == "PRON" or low in POINTING and token.pos_ != "DET" or low in SOMEBODY and not list(token.children)
    )


def phrase(head: Token, people: People, *, without: Collection[int] = ()) -> Phrase | None:
    """Return the noun phrase of `head`, or None when it holds a pronoun that nobody can resolve.

    The determiner is cut ("the payments team" → "payments team"); "my" and "your" become a name with "'s".
    """
    if pronominal(head):
        if head.lower_ in ("we", "us"):
            return Phrase(head, (head,), "we")
        name = people.of(head.text)
        return None if name is None else Phrase(head, (head,), name)
    tokens = subtree(head, without=without)
    determiner = ""
    while tokens and (
        tokens[0].lower_ in _DETERMINERS or tokens[0].is_space or tokens[0].is_punct and tokens[0].text != "("
    ):
        determiner = tokens[0].lower_ if not tokens[0].is_punct else determiner
        tokens = tokens[1:]
    owner = ""
    for position, token in enumerate(tokens):
        if token.dep_ == "poss" and token.pos_ == "PRON":
            if token.lower_ == "our":
                tokens = [*tokens[:position], *tokens[position + 1 :]]
                break
            name = people.of(token.text)
            if name is None or position:
                return None
            owner, tokens = f"{name}'s ", tokens[1:]
            break
    if any(
        token.pos_ == "PRON" and token.dep_ in ("pobj", "nsubj", "dobj") and token.lower_ != "there" for token in tokens
    ):
        return None
    shown = text_of(tokens)
    return Phrase(head, tuple(tokens), owner + shown, determiner) if shown else None


def conjoined(head: Token) -> tuple[list[Token], bool]:
    """Return `head` and the heads joined to it, and whether they are joined by "and" (an "or" leaves it open)."""
    found, together = [head], True
    todo = [head]
    while todo:
        current = todo.pop()
        for child in current.children:
            if child.dep_ == "cc" and child.lower_ not in ("and", "&"):
                together = False
            if child.dep_ == "conj" and child.pos_ in ("NOUN", "PROPN", "NUM", "PRON", "X", "SYM", "ADJ"):
                found.append(child)
                todo.append(child)
    return sorted(found, key=lambda token: token.i), together


def is_literal(tokens: Iterable[Token]) -> bool:
    """Say whether a phrase is a figure, time, identifier or address rather than a description."""
    words = [token for token in tokens if not token.is_punct]
    if not words or words[0].dep_ == "prep":
        return False
    return any(token.like_num or any(c.isdigit() for c in token.text) for token in words[:2]) or (
        len(words) == 1 and (words[0].like_url or words[0].like_email or "_" in words[0].text)
    )
