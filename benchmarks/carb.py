"""Clauses as open triples, scored on CaRB's test sentences by its published rules.

CaRB (Bhardwaj, Aggarwal and Mausam, EMNLP 2019), by the rules of its published scorer (dair-iitd/CaRB, `matcher.py`, binary
and strict): a prediction and a reference match where their relations share a word, a predicted "be" standing for all its
forms; the score of a pair is the share of words in common, relation and arguments each for themselves, second and later
arguments as one; under "said" and the like the arguments may stand the other way round. Precision is a one-to-one
assignment, best pairs first; recall takes for each reference its best prediction. tkg's claims are made for memory (names
from a vocabulary, no reported or hypothetical clauses), so what is scored here is the layer below: its clauses, told in
the sentence's own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

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
        both = (*words[:1], rest) if len(words) > 1 else tuple(words[:1])
        out.setdefault(sentence, []).append(Triple(tuple(relation.split()), both))
    return out


#: a predicted "be" stands for any of these
_BE: Final = ("be", "is", "am", "are", "was", "were", "been", "being")
#: relations under which the arguments may stand the other way round: "…", she said
_SAID: Final = ("said", "told", "added", "adds", "says")


def _common(gold: Sequence[str], found: Sequence[str]) -> int:
    return sum((Counter(gold) & Counter(found)).values())


def pair(gold: Triple, found: Triple) -> tuple[float, float]:
    """Return precision and recall of one pair, in words; (0, 0) where the relations share none."""
    straight = _pair(gold, found)
    if not any(word in " ".join(gold.relation) for word in _SAID):
        return straight
    return max(straight, _pair(gold, Triple(found.relation, (found.arguments[1], found.arguments[0]))))


def _pair(gold: Triple, found: Triple) -> tuple[float, float]:
    shared = _common(gold.relation, found.relation)
    if "be" in found.relation and "be" not in gold.relation and any(form in gold.relation for form in _BE):
        shared += 1
    if not shared:
        return 0.0, 0.0
    counted = [*zip(gold.arguments, found.arguments, strict=False)]
    shared += sum(_common(one, other) for one, other in counted)
    predicted = len(found.relation) + sum(len(other) for _, other in counted)
    wanted = len(gold.relation) + sum(len(one) for one, _ in counted)
    return shared / predicted, shared / wanted


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


#: never first in the words before a verb: they ask, or join the clause to another
_ASKING: Final = ("WRB", "WDT", "WP", "WP$")


def _relation(head: Token, *, adverb: bool = False) -> list[Token]:
    """Return a verb with its auxiliaries, its "not" and its particle; with `adverb` also the adverb right before it."""
    kept = [c for c in head.children if c.dep_ in ("aux", "auxpass", "neg", "prt") and not c.is_punct]
    if adverb:
        kept += [c for c in head.children if _close(c, head)]
    return [head, *kept]


def _close(word: Token, head: Token) -> bool:
    return word.dep_ == "advmod" and word.i == head.i - 1 and word.tag_ not in _ASKING


def _joined(head: Token) -> list[Token]:
    """Return the nouns joined to a noun by "and"."""
    out = []
    for child in head.children:
        if child.dep_ == "conj" and child.pos_ in ("NOUN", "PROPN", "NUM"):
            out.extend([child, *_joined(child)])
    return out


def _subject(clause: Clause, head: Token) -> tuple[str, ...]:
    side = _SIDE if clause.antecedent is not None else frozenset({"relcl", "advcl", "parataxis", "punct", "appos"})
    return _text(_words(head, out=side))


def _before(head: Token) -> list[Token]:
    """Return what stands before the verb and says when, where or how."""
    kinds = ("npadvmod", "prep", "advmod")
    found = [c for c in head.children if c.i < head.i and c.dep_ in kinds and c.tag_ not in _ASKING]
    return [t for c in found if not _close(c, head) for t in _words(c)]


def _of_clause(clause: Clause) -> Iterator[Triple]:
    head = clause.head
    if clause.subject is None:
        return
    relation, chain = _relation(head, adverb=True), head
    while (inner := next((c for c in chain.children if c.dep_ == "xcomp"), None)) is not None:
        relation += _relation(inner)
        chain = inner
    around = [c for one in dict.fromkeys((head, chain)) for c in one.children]
    kinds = ("prep", "agent", "dative")
    links = sorted((c for c in around if c.dep_ in kinds and c.pos_ == "ADP" and c.i > head.i), key=lambda t: t.i)
    things = [c for c in chain.children if c.dep_ in _OBJECTS and c.pos_ != "ADP"]
    after = [t for c in chain.children if c.dep_ in ("npadvmod", "advmod") and c.i > chain.i for t in _words(c)]
    before = _before(head)
    side = frozenset({"punct", "parataxis", "relcl"})
    if things:
        tail = [t for link in links for t in _words(link, out=_MARKS)] + after
        objects = [things[0], *_joined(things[0])]
        others = [t for thing in things[1:] for t in _words(thing)]
        out = _SIDE if len(objects) > 1 else side
        said = [_text([*_words(thing, out=out), *others, *tail, *before]) for thing in objects]
    elif links:
        relation.append(links[0])
        own = [t for c in links[0].children for t in _words(c, out=side)]
        tail = [t for link in links[1:] for t in _words(link, out=_MARKS)] + after
        said = [_text([*own, *tail, *before])]
    else:
        said = [_text([*after, *before])]
    if subject := _subject(clause, clause.subject):
        yield from (Triple(_text(relation), (subject, argument)) for argument in said)


def _of_participle(verb: Token) -> Iterator[Triple]:
    """Yield what "…, referring to them as heirs" says of the subject of the clause it belongs to."""
    if verb.pos_ != "VERB" or verb.dep_ != "advcl" or verb.tag_ not in ("VBG", "VB", "VBN"):
        return
    above = verb.head
    while not (found := [c for c in above.children if c.dep_ in _SUBJECTS]) and above.head.i != above.i:
        above = above.head
    if found and not any(c.dep_ in _SUBJECTS for c in verb.children):
        auxiliaries = tuple(c for c in verb.children if c.dep_ in ("aux", "auxpass"))
        yield from _of_clause(Clause(verb, found[0], False, False, False, auxiliaries, "advcl", ""))


def _of_name(name: Token) -> Iterator[Triple]:
    """Yield what stands beside a name says it is: "Oslo, the capital", "former attorney Todd Graves"."""
    if name.dep_ == "appos" and name.head.pos_ == "PROPN":
        yield Triple(("is",), (_text(_words(name.head, out=_SIDE)), _text(_words(name, out=_SIDE))))
    if name.pos_ != "PROPN" or name.dep_ == "compound":
        return
    beside = [c for c in name.children if c.dep_ == "compound"]
    titles = [c for c in beside if c.pos_ == "NOUN" or c.text in _TITLES]
    if titles and any(c.pos_ == "PROPN" and c.i > titles[-1].i for c in beside):
        whole = list(name.doc[titles[-1].i + 1 : name.i + 1])
        yield Triple(("is",), (_text(whole), _text([t for c in titles for t in _words(c)])))


_SUBJECTS: Final = ("nsubj", "nsubjpass", "csubj")
_TITLES: Final = ("President", "Chairman", "Mr.")


def triples(part: Span | Doc) -> list[Triple]:
    """Return the clauses of a parsed sentence as open triples."""
    found: list[Triple] = []
    for sentence in part.sents:
        for clause in clauses(sentence):
            found.extend(_of_clause(clause))
        for token in sentence:
            found.extend(_of_name(token))
            found.extend(_of_participle(token))
    return list(dict.fromkeys(found))
