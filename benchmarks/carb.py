"""Clauses as open triples, scored on CaRB's test sentences by its published rules.

CaRB (Bhardwaj, Aggarwal and Mausam, EMNLP 2019): a prediction and a reference match where their relations share a word and
so do their first two arguments; the score of a pair is the share of words in common. Precision is a one-to-one
assignment, best pairs first; recall takes for each reference its best prediction. tkg's claims are made for memory (names
from a vocabulary, no reported or hypothetical clauses), so what is scored here is the layer below: its clauses, told in
the sentence's own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tkg.extractors.clauses import Clause, clauses

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token


class Triple(NamedTuple):
    """Relation and arguments, as words."""

    relation: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]


def read_gold(path: Path) -> dict[str, list[Triple]]:
    """Return the references of each sentence: `sentence TAB relation TAB argument…`; a third and later ones are joined."""
    out: dict[str, list[Triple]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        sentence, relation, *arguments = line.split("\t")
        words = [tuple(text.split()) for text in arguments if text.strip()]
        rest = tuple(word for text in words[1:] for word in text)
        out.setdefault(sentence, []).append(Triple(tuple(relation.split()), (words[0] if words else (), rest)))
    return out


def _common(gold: Sequence[str], found: Sequence[str]) -> int:
    return sum((Counter(gold) & Counter(found)).values())


def pair(gold: Triple, found: Triple) -> tuple[float, float]:
    """Return precision and recall of one pair, in words; (0, 0) where relation or an argument share none."""
    shared = [_common(gold.relation, found.relation)]
    shared += [_common(a, b) for a, b in zip(gold.arguments, found.arguments, strict=True)]
    if not all(shared):
        return 0.0, 0.0
    total = sum(shared)
    length = [len(t.relation) + sum(map(len, t.arguments)) for t in (found, gold)]
    return total / length[0], total / length[1]


def score(gold: dict[str, list[Triple]], found: dict[str, list[Triple]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over all sentences."""
    precise = recalled = 0.0
    predicted = wanted = 0
    for sentence, references in gold.items():
        predictions = found.get(sentence, [])
        table = [[pair(reference, one) for one in predictions] for reference in references]
        recalled += sum(max((cell[1] for cell in row), default=0.0) for row in table)
        cells = sorted(
            ((cell[0], i, j) for i, row in enumerate(table) for j, cell in enumerate(row) if cell[0]), reverse=True
        )
        rows: set[int] = set()
        columns: set[int] = set()
        for value, i, j in cells:
            if i not in rows and j not in columns:
                rows.add(i)
                columns.add(j)
                precise += value
        predicted, wanted = predicted + len(predictions), wanted + len(references)
    p, r = precise / max(predicted, 1), recalled / max(wanted, 1)
    return p, r, 2 * p * r / (p + r) if p + r else 0.0


# --- clauses in the sentence's own words ------------------------------------------------------------------------------

_MARKS = frozenset({"punct"})
_OBJECTS = frozenset({"dobj", "attr", "oprd", "acomp", "ccomp", "dative"})
_SIDE = frozenset({"punct", "cc", "conj", "relcl", "acl", "advcl", "parataxis", "appos", "mark"})


def _words(head: Token, *, out: frozenset[str] = frozenset()) -> list[Token]:
    kept = [head]
    for child in head.children:
        if child.dep_ not in out:
            kept.extend(_words(child, out=frozenset()))
    return kept


def _text(tokens: Iterator[Token] | list[Token]) -> tuple[str, ...]:
    ordered = sorted({token.i: token for token in tokens}.values(), key=lambda token: token.i)
    while ordered and ordered[0].is_punct:
        ordered.pop(0)
    while ordered and ordered[-1].is_punct:
        ordered.pop()
    return tuple(token.text for token in ordered)


def _relation(head: Token) -> list[Token]:
    return [head, *(c for c in head.children if c.dep_ in ("aux", "auxpass", "neg", "prt") and not c.is_punct)]


def _joined(head: Token) -> list[Token]:
    """Return the nouns joined to a noun by "and"."""
    out = []
    for child in head.children:
        if child.dep_ == "conj" and child.pos_ in ("NOUN", "PROPN", "NUM"):
            out.extend([child, *_joined(child)])
    return out


def _subjects(clause: Clause, head: Token) -> list[tuple[str, ...]]:
    if clause.antecedent is not None:
        return [_text(_words(head, out=_SIDE))]
    joined = _joined(head)
    if joined:
        return [_text(_words(one, out=_SIDE)) for one in (head, *joined)]
    return [_text(_words(head, out=frozenset({"relcl", "advcl", "parataxis", "punct"})))]


def _of_clause(clause: Clause) -> Iterator[Triple]:
    head = clause.head
    if clause.subject is None:
        return
    relation, chain = _relation(head), head
    while (inner := next((c for c in chain.children if c.dep_ == "xcomp"), None)) is not None:
        relation += _relation(inner)
        chain = inner
    around = [c for one in dict.fromkeys((head, chain)) for c in one.children]
    links = sorted(
        (c for c in around if c.dep_ in ("prep", "agent", "dative") and c.pos_ == "ADP"), key=lambda token: token.i
    )
    things = [c for c in chain.children if c.dep_ in _OBJECTS and c.pos_ != "ADP"]
    after = [t for c in chain.children if c.dep_ in ("npadvmod", "advmod") and c.i > chain.i for t in _words(c)]
    before = [t for c in head.children if c.i < head.i and c.dep_ in ("npadvmod", "prep") for t in _words(c)]
    if things:
        tail = [t for link in links for t in _words(link, out=_MARKS)] + after
        objects = [things[0], *_joined(things[0])]
        side = _SIDE if len(objects) > 1 else frozenset({"punct", "parataxis"})
        others = [t for thing in things[1:] for t in _words(thing)]
        said = [_text([*_words(thing, out=side), *others, *tail, *before]) for thing in objects]
    elif links:
        relation.append(links[0])
        own = [t for c in links[0].children for t in _words(c, out=frozenset({"punct", "parataxis"}))]
        tail = [t for link in links[1:] for t in _words(link, out=_MARKS)] + after
        said = [_text([*own, *tail, *before])]
    else:
        said = [_text([*after, *before])]
    for subject in _subjects(clause, clause.subject):
        for argument in said:
            if subject and argument:
                yield Triple(_text(relation), (subject, argument))


def triples(part: Span | Doc) -> list[Triple]:
    """Return the clauses of a parsed sentence as open triples."""
    found: list[Triple] = []
    for sentence in part.sents:
        for clause in clauses(sentence):
            found.extend(_of_clause(clause))
        for token in sentence:
            if token.dep_ == "appos" and token.head.pos_ == "PROPN":
                found.append(Triple(("is",), (_text(_words(token.head, out=_SIDE)), _text(_words(token, out=_SIDE)))))
    return list(dict.fromkeys(found))
