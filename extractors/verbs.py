"""What stands beside a verb: objects, prepositions and adverbials, and the predicate they make with it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from tkg.extractors.copula import Relation, has_no, lowered, without_no
from tkg.extractors.phrases import People, Phrase, conjoined, phrase, subtree, text_of
from tkg.extractors.predicates import Vocabulary, snake

if TYPE_CHECKING:
    from spacy.tokens import Token

_NO_LINK: Final = frozenset(
    {"than", "like", "because", "despite", "without", "except", "instead", "per", "while", "if", "since", "until", "of"}
)
_FILLERS: Final = frozenset(
    "now currently also still then too just already again even only really actually therefore instead not n't never ever yet"
    " longer anymore formerly previously today yesterday tomorrow please here there so however thus hence once soon later".split()
)


class Complements:
    """Reads the complements of verbs of one sentence; arguments as for `relations.Reader`."""

    def __init__(self, words: Vocabulary, people: People, without: Collection[int]) -> None:
        self._words = words
        self._people = people
        self._without = without
        #: the clause at hand is told in the past without a time: the table's predicates describe the present
        self.past = False

    def name(self, form: str, surface: str, *, thing: bool = False) -> str:
        """Return the predicate for a form; in the past without a time only its own words or a declared name."""
        return self._words.declared(snake(surface)) if self.past else self._words.name(form, surface, thing=thing)

    def _inverted(self, form: str, surface: str) -> str | None:
        return None if self.past else self._words.inverted(form, surface)

    def plain(
        self, verb: Token, owner: Phrase, negative: bool, surface: str, *, starts: bool = False, passive: bool = False
    ) -> Iterator[Relation]:
        """Read what stands beside a verb: objects, else prepositions, else an adverbial.

        Args:
            verb: the verb.
            owner: the subject.
            negative: the clause is denied.
            surface: the verb as the predicate's first word.
            starts: the clause's time is the start of what it says.
            passive: the subject undergoes the verb.
        """
        particle = next((child for child in verb.children if child.dep_ == "prt"), None)
        lemma = ("be " + verb.lower_) if passive else verb.lemma_.lower()
        if particle is not None:
            surface, lemma = f"{surface} {particle.text}", f"{lemma} {particle.lower_}"
        links = [link for link in links_of(verb) if link.i not in self._without and link.lower_ not in _NO_LINK]
        objects = [
            child
            for child in verb.children
            if child.dep_ in ("dobj", "oprd", "attr", "dative")
            and child.i not in self._without
            and child.dep_ != "prep"
            and child.pos_ != "ADP"
        ]
        thing = next((child for child in objects if child.dep_ != "dative"), None) or next(iter(objects), None)
        found = list(
            self._with_object(verb, owner, negative, surface, lemma, thing, links)
            if thing is not None
            else self._linked(verb, owner, negative, surface, lemma, links)
        )
        if not found:
            found = list(self._without_object(verb, owner, negative, surface, passive=passive))
        for relation in found:
            yield Relation(
                relation.subject, relation.predicate, relation.object, relation.negative, relation.past, starts
            )

    def _with_object(
        self, verb: Token, owner: Phrase, negative: bool, surface: str, lemma: str, thing: Token, links: list[Token]
    ) -> Iterator[Relation]:
        heads, together = conjoined(thing)
        for link in links:
            target = self._target(link)
            carried = None if self.past else self._words.carry.get(f"{lemma} {link.lower_}")
            if target is not None and carried and link.i > thing.i:
                where = phrase(target, self._people, without=self._without)
                for each in heads:
                    what = phrase(each, self._people, without=self._without)
                    if where is not None and what is not None and together:
                        yield Relation(lowered(what), self._words.declared(carried), where.text, negative)
                return
        tail = [
            t
            for link in links
            if link.i > thing.i and self._target(link) is not None
            for t in link.subtree
            if t.i not in self._without
        ]
        if any(token.pos_ == "PRON" for token in tail):
            tail = []
        for each in heads if together else [thing]:
            what = phrase(each, self._people, without=self._without)
            if what is None:
                continue
            denied = has_no(each)
            tokens = list(what.tokens)
            if not together:
                tokens = [
                    t for t in subtree(thing, without=self._without, out={"relcl", "appos", "punct"}) if t.dep_ != "det"
                ]
            shown = what.text if together else text_of(tokens)
            if tail and each is heads[-1]:
                shown = f"{shown} {text_of(tail)}"
            yield Relation(
                lowered(owner),
                self.name(lemma, surface),
                without_no(shown) if denied else shown,
                negative ^ denied,
            )

    def _target(self, link: Token) -> Token | None:
        return next((child for child in link.children if child.dep_ == "pobj" and child.i not in self._without), None)

    def _linked(
        self, verb: Token, owner: Phrase, negative: bool, surface: str, lemma: str, links: list[Token]
    ) -> Iterator[Relation]:
        for link in links:
            target = self._target(link)
            if target is None or link.i < verb.i:
                continue
            if link.lower_ == "at" and link.nbor(1).lower_ in ("most", "least"):  # a bound on a figure, no place
                shown = text_of([link, *subtree(target, without=self._without)])
                yield Relation(lowered(owner), self.name(lemma, surface), shown, negative)
                continue
            heads, together = conjoined(target)
            for each in heads if together else [target]:
                what = phrase(each, self._people, without=self._without)
                if what is None:
                    continue
                form = f"{lemma} {link.lower_}"
                inverted = self._inverted(form, f"{surface} {link.text}")
                shown = (
                    what.text
                    if together
                    else text_of(
                        t for t in subtree(target, without=self._without, out={"relcl", "appos"}) if t.dep_ != "det"
                    )
                )
                denied = has_no(each)
                if inverted is not None:
                    yield Relation(shown, self._words.declared(inverted), lowered(owner), negative ^ denied)
                else:
                    told = verb.tag_ in ("VB", "VBP", "VBZ") and owner.head.pos_ == "NOUN"
                    name = self.name(form, f"{surface} {link.text}", thing=told)
                    yield Relation(lowered(owner), name, without_no(shown) if denied else shown, negative ^ denied)

    def _without_object(
        self, verb: Token, owner: Phrase, negative: bool, surface: str, *, passive: bool
    ) -> Iterator[Relation]:
        for child in verb.children:
            if child.i in self._without or child.i < verb.i:
                continue
            if (
                child.dep_ in ("npadvmod", "acomp")
                or child.dep_ == "advmod"
                and child.lower_ not in _FILLERS
                and child.tag_ in ("RB", "JJ")
            ):
                words = [t for t in subtree(child, out={"punct", "advcl", "relcl"}) if t.i not in self._without]
                rest = [
                    t for link in links_of(verb) if link.i > child.i for t in link.subtree if t.i not in self._without
                ]
                shown = text_of([*words, *rest])
                if shown and not any(t.pos_ == "PRON" for t in (*words, *rest)):
                    yield Relation(lowered(owner), self.name(verb.lemma_.lower(), surface), shown, negative)
                    return
        if passive and not any(child.dep_ in ("ccomp", "xcomp", "advcl") for child in verb.children):
            yield Relation(lowered(owner), self._words.declared(self._words.copula["other"]), surface, negative)


def links_of(verb: Token) -> list[Token]:
    """Return the prepositions of a verb, the agent's "by" included; "from Berlin to Lisbon" counts both."""
    out = [
        child
        for child in verb.children
        if child.dep_ in ("prep", "agent", "dative") and child.pos_ in ("ADP", "SCONJ", "PART")
    ]
    for link in list(out):
        out.extend(inner for inner in link.children if inner.dep_ == "prep" and inner.lower_ == "to")
        for target in link.children:
            if target.dep_ == "pobj" and link.lower_ == "from":
                out.extend(inner for inner in target.children if inner.dep_ == "prep" and inner.lower_ == "to")
    return out
