"""What "be" says: A is B, the X of A is B, A's X is B, there are B in A, A has an X of B."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tkg.extractors.phrases import NEUTER, People, Phrase, conjoined, is_literal, phrase, subtree, text_of
from tkg.extractors.predicates import Vocabulary, snake

if TYPE_CHECKING:
    from spacy.tokens import Token

#: "the number of replicas is 5": of binds a part or a measure, not an attribute of a thing
_PARTS: Final = frozenset(
    "number amount part half most some all none one copy piece kind sort type majority rest lot couple pair set list group"
    " series range city town village state case member fan lack variety collection bit".split()
)
#: praise, blame and moods: true of a moment and a speaker, no property of the thing
_EVALUATIONS: Final = frozenset(
    "great good nice awesome amazing cool fun lovely wonderful fantastic incredible terrible awful bad fine ok okay excited happy sad"
    " glad sorry sure right wrong proud tough hard rough crazy beautiful gorgeous special perfect interesting important impressive"
    " inspiring thankful grateful lucky awesome super stoked thrilled worth priceless breathtaking delicious tasty weird funny"
    " true false possible impossible better worse best worst easy difficult clear obvious ready alone able welcome aware curious".split()
)
_FILLERS: Final = frozenset(
    "now currently also still not then too here there always never just almost really again n't n’t".split()
)
#: nouns whose value is an adjective: "the status of order 5 is pending"
_PROPERTIES: Final = frozenset(
    "colour color status state mood size shape gender nationality language condition visibility severity priority mode".split()
)
_ATTACHED: Final = frozenset({"of", "for"})
_COMPLEMENTS: Final = frozenset({"attr", "acomp", "dobj", "npadvmod", "oprd", "nummod", "nsubj", "dep"})


@dataclass(frozen=True, slots=True)
class Relation:
    """One triple of a clause, before time and modality. `past` marks what no longer describes the present."""

    subject: str
    predicate: str
    object: str
    negative: bool = False
    past: bool = False
    #: the clause's time is the start of a state that goes on
    starts: bool = False


def has_no(head: Token) -> bool:
    """Say whether a noun is denied ("no replicas")."""
    return any(child.dep_ in ("det", "neg") and child.lower_ in ("no", "neither") for child in head.children)


def without_no(shown: str) -> str:
    """Cut a leading "no"."""
    return shown[3:] if shown.lower().startswith("no ") else shown


def lowered(found: Phrase) -> str:
    """Return a phrase's text; the capital of a sentence's first word goes when it is a common noun."""
    if not found.tokens or not found.text.startswith(found.tokens[0].text):
        return found.text
    first, head = found.tokens[0], found.head
    plain = first.pos_ in ("NOUN", "ADJ", "VERB", "NUM", "ADV") and first.text.istitle() and len(first.text) > 1
    # a single capitalised word without a determiner may be a name ("Retention", "Halvard"): it stays as written
    sure = head.tag_ == "NNS" or bool(found.determiner) or len(found.tokens) > 1
    if plain and sure and head.pos_ == "NOUN" and _opens(first):
        return found.text[0].lower() + found.text[1:]
    return found.text


def _opens(token: Token) -> bool:
    """Say whether a word opens its sentence, a determiner before it not counted."""
    start = token.sent.start
    return token.i == start or token.i == start + 1 and token.nbor(-1).pos_ in ("DET", "PRON", "CCONJ")


def attribute(head: Token, people: People, without: Collection[int]) -> tuple[str, str] | None:
    """Split "the balance of Account 7" or "Ana's manager" into the thing and the attribute's name, or return None."""
    for child in head.children:
        if child.dep_ == "poss" and not any(inner.dep_ == "prep" for inner in head.children):
            named = people.of(child.text) if child.pos_ == "PRON" else None
            owner = None if child.pos_ == "PRON" else phrase(child, people)
            if named is None and owner is None:
                return None
            rest = [token for token in subtree(head, without={token.i for token in child.subtree} | set(without))]
            name = snake(text_of(token for token in rest if token.tag_ != "POS"))
            thing = named or (owner.text if owner else "").removesuffix("'s").removesuffix("’s")
            return (thing, name) if name else None
    links = [child for child in head.children if child.dep_ == "prep" and child.i not in without]
    if len(links) != 1 or links[0].lower_ not in _ATTACHED or head.lemma_.lower() in _PARTS or head.pos_ == "PROPN":
        return None
    if any(child.dep_ == "det" and child.lower_ not in ("the",) for child in head.children):
        return None
    targets = [child for child in links[0].children if child.dep_ == "pobj"]
    if len(targets) != 1:
        return None
    joined, together = conjoined(targets[0])
    thing_phrase = phrase(targets[0], people, without=without) if together and len(joined) == 1 else None
    if thing_phrase is None:
        return None
    skipped = {token.i for token in links[0].subtree} | set(without)
    name = snake(
        text_of(
            token for token in subtree(head, without=skipped) if token.dep_ not in ("det", "predet", "poss", "case")
        )
    )
    return (thing_phrase.text, name) if name else None


class Copula:
    """Reads clauses whose verb is "be"."""

    def __init__(self, words: Vocabulary, people: People, without: Collection[int]) -> None:
        self._words = words
        self._people = people
        self._without = without

    def _phrase(self, head: Token) -> Phrase | None:
        return phrase(head, self._people, without=self._without)

    def there(self, verb: Token, negative: bool) -> Iterator[Relation]:
        """Read "there are three replicas in the cluster"."""
        things = [child for child in verb.children if child.dep_ in ("attr", "nsubj") and child.lower_ != "there"]
        places = [child for child in (*verb.children, *(c for t in things for c in t.children)) if child.dep_ == "prep"]
        for place in places:
            target = next((child for child in place.children if child.dep_ == "pobj"), None)
            if (
                place.lower_ not in ("in", "on", "at", "inside", "within", "for")
                or target is None
                or target.i in self._without
            ):
                continue
            where = self._phrase(target)
            for thing in things:
                skipped = {token.i for token in place.subtree} | set(self._without)
                what = phrase(thing, self._people, without=skipped)
                if where is not None and what is not None:
                    denied = has_no(thing)
                    yield Relation(
                        lowered(where),
                        self._words.declared(self._words.copula["existential"]),
                        without_no(what.text) if denied else what.text,
                        negative ^ denied,
                    )
            return

    def apposition(self, subject: Token) -> Iterator[Relation]:
        """Read "Ana Ruiz, the finance lead, …": a name with a description that has an article."""
        for other in subject.children:
            described = other.pos_ == "NOUN" and any(
                c.dep_ == "det" and c.lower_ in ("the", "a", "an", "our") for c in other.children
            )
            if other.dep_ == "appos" and subject.pos_ == "PROPN" and described:
                yield from self._one(subject, subject, other, False, whole=False)

    def read(self, verb: Token, subject: Token, negative: bool) -> Iterator[Relation]:
        """Read "A is B" for one subject head."""
        right = [child for child in verb.children if child.i not in self._without and child is not subject]
        complements = [
            child
            for child in right
            if child.dep_ in _COMPLEMENTS
            and (child.i > verb.i or child.dep_ in ("attr", "acomp"))
            and child.i != subject.i
        ]
        main = next((child for child in complements if child.dep_ in ("attr", "acomp", "oprd")), None) or next(
            iter(complements), None
        )
        if main is not None:
            yield from self._complement(verb, subject, main, negative)
            return
        owner = self._phrase(subject)
        if owner is None:
            return
        yield from self._adjunct(right, owner, negative, verb)

    def _adjunct(self, right: list[Token], owner: Phrase, negative: bool, verb: Token) -> Iterator[Relation]:
        for child in right:
            if child.dep_ == "prep" and child.i > verb.i:
                target = next((inner for inner in child.children if inner.dep_ == "pobj"), None)
                found = self._phrase(target) if target is not None and target.i not in self._without else None
                if found is not None:
                    name = self._words.name(f"be {child.lower_}", f"is {child.text}")
                    yield Relation(lowered(owner), name, found.text, negative)
                    return
            told = child.dep_ in ("advmod", "prt") and child.i > verb.i and child.tag_ in ("RB", "RP", "JJ", "IN")
            if told and child.lower_ not in _FILLERS:
                yield Relation(lowered(owner), self._words.copula["other"], child.text, negative)
                return

    def _complement(self, verb: Token, subject: Token, main: Token, negative: bool) -> Iterator[Relation]:
        heads, together = conjoined(main) if main.pos_ != "ADJ" else ([main], True)
        if not together:
            heads = [main]
        for head in heads:
            yield from self._one(verb, subject, head, negative, whole=not together)

    def _one(self, verb: Token, subject: Token, head: Token, negative: bool, *, whole: bool) -> Iterator[Relation]:
        denied = has_no(head)
        tail = [
            token
            for child in verb.children
            if child.dep_ == "prep" and child.i > head.i and child.i not in self._without and verb is not subject
            for token in child.subtree
            if token.i not in self._without
        ]
        if head.pos_ in ("ADJ", "ADV") or head.dep_ == "acomp":
            yield from self._adjective(subject, head, negative, tail)
            return
        found = self._phrase(head) if not whole else self._alternatives(head)
        if found is None:
            return
        shown = without_no(found.text) if denied else found.text
        if tail:
            shown = text_of([*found.tokens, *tail])
        negative ^= denied
        split = attribute(subject, self._people, self._without)
        if split is not None and found.determiner not in ("a", "an"):
            yield Relation(split[0], self._words.declared(split[1]), shown, negative)
            return
        reverse = attribute(head, self._people, self._without)
        owner = self._phrase(subject)
        if owner is None:
            return
        if reverse is not None and not is_literal(found.tokens):
            yield Relation(reverse[0], self._words.declared(reverse[1]), lowered(owner), negative)
            return
        indefinite = found.determiner in ("a", "an")
        links = [child for child in head.children if child.dep_ == "prep" and child.i not in self._without]
        if (
            indefinite
            and len(links) == 1
            and links[0].lower_ == "of"
            and head.lemma_.lower() not in _PARTS - {"member", "fan"}
        ):
            target = next((child for child in links[0].children if child.dep_ == "pobj"), None)
            whom = self._phrase(target) if target is not None else None
            if whom is not None:
                skipped = {token.i for token in links[0].subtree} | set(self._without)
                name = snake(text_of(t for t in subtree(head, without=skipped) if t.dep_ != "det")) + "_of"
                yield Relation(lowered(owner), self._words.declared(name), whom.text, negative)
                return
        if subject.lower_ in NEUTER and not is_literal(found.tokens):
            return  # "it's a journey": such an "it" points at no thing
        kind = "literal" if is_literal(found.tokens) else "kind" if indefinite else "other"
        yield Relation(lowered(owner), self._words.declared(self._words.copula[kind]), shown, negative)

    def _alternatives(self, head: Token) -> Phrase | None:
        found = self._phrase(head)
        if found is None:
            return None
        everything = tuple(token for token in head.subtree if token.i not in self._without and token.dep_ != "relcl")
        return replace(found, tokens=everything, text=text_of(everything))

    def _adjective(self, subject: Token, head: Token, negative: bool, tail: list[Token]) -> Iterator[Relation]:
        owner = self._phrase(subject)
        if (
            owner is None
            or subject.lower_ in NEUTER
            or head.lemma_.lower() in _EVALUATIONS
            or any(c.dep_ in ("ccomp", "xcomp") for c in head.children)
        ):
            return
        if subject.lemma_.lower() in _PROPERTIES:
            split = attribute(subject, self._people, self._without)
            if split is not None:
                yield Relation(split[0], self._words.declared(split[1]), head.text, negative)
                return
        link = next((c for c in head.children if c.dep_ == "prep" and c.i > head.i and c.i not in self._without), None)
        target = next((c for c in link.children if c.dep_ == "pobj"), None) if link is not None else None
        simple = not any(child.dep_ in ("advmod", "npadvmod") and child.i < head.i for child in head.children)
        ranged = link is not None and link.lower_ == "from" and any(t.lower_ in ("to", "until") for t in link.subtree)
        simple = simple and not ranged and head.tag_ not in ("JJR", "RBR")
        if link is not None and target is not None and target.i not in self._without and simple:
            heads, together = conjoined(target)
            for each in heads if together else [target]:
                found = self._phrase(each) if together else self._alternatives(target)
                if found is not None:
                    name = self._words.name(f"be {head.lower_} {link.lower_}", f"{head.text} {link.text}")
                    yield Relation(lowered(owner), name, found.text, negative)
            return
        tokens = [
            t for t in subtree(head, out={"punct", "advcl", "relcl", "ccomp", "cc", "conj"}) if t.i not in self._without
        ]
        # an adjective without a link but with an adverbial tail keeps it: "open on request"
        shown = text_of(sorted({t.i: t for t in [*tokens, *tail]}.values(), key=lambda t: t.i))
        if shown and not any(t.pos_ == "PRON" for t in tokens):
            yield Relation(lowered(owner), self._words.declared(self._words.copula["other"]), shown, negative)
