"""What a clause says: subject, predicate and object, read off the dependencies of its verb."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Final

from tkg.extractors.clauses import Clause
from tkg.extractors.copula import Copula, Relation, has_no, lowered, without_no
from tkg.extractors.phrases import People, Phrase, conjoined, phrase, pronominal, subtree, text_of
from tkg.extractors.predicates import Vocabulary, third_person
from tkg.extractors.verbs import Complements, links_of

if TYPE_CHECKING:
    from spacy.tokens import Token

_STARTS: Final = frozenset({"start", "begin"})
_STOPS: Final = frozenset({"stop", "quit", "cease", "finish", "discontinue"})
_GOES_ON: Final = frozenset(
    {"continue", "keep", "want", "plan", "hope", "intend", "try", "need", "have", "go", "tend", "get"}
)
_MOVES: Final = frozenset({"move", "relocate"})
_REPORTING_ONLY: Final = frozenset(
    "say tell think believe guess hope mean know wonder ask suppose feel seem appear let make".split()
)
#: how something strikes the speaker is no property of it
_SEEMING: Final = frozenset({"look", "sound", "feel", "seem", "mean", "smell", "taste"})


class Reader:
    """Reads the relations of clauses of one sentence.

    Args:
        words: the predicate table.
        people: whom pronouns mean.
        without: indices of tokens that are validity phrases; they are left out of names and objects.
        bounded: whether the clause has a validity phrase (a bounded past state is told in the present).
        is_place: tells whether a token is part of a place's name.
    """

    def __init__(
        self,
        words: Vocabulary,
        people: People,
        without: Collection[int],
        bounded: bool,
        is_place: Callable[[Token], bool],
    ) -> None:
        self._words = words
        self._people = people
        self._without = without
        self._bounded = bounded
        self._is_place = is_place
        self._copula = Copula(words, people, without)
        self._complements = Complements(words, people, without)

    def read(self, clause: Clause) -> list[Relation]:
        """Return the relations of a clause; none where a pronoun or an alternative leaves the subject open."""
        head = clause.head
        if any(
            child.tag_ in ("WRB", "WP", "WDT") and child.dep_ not in ("nsubj", "nsubjpass") for child in head.children
        ):
            return []  # "how much it grew", "what Ana owns"
        if clause.subject is None:
            if head.lemma_ == "be" and any(child.dep_ == "expl" for child in head.children):
                return self._finish(clause, self._copula.there(head, clause.negated), copula=True)
            return []
        if not self._restrictive_ok(clause):
            return []
        heads, together = conjoined(clause.subject)
        if not together or clause.subject.dep_ == "csubj":
            return []
        self._complements.past = clause.tense == "past" and not self._bounded and not clause.ended
        out: list[Relation] = []
        for subject in heads:
            out.extend(self._copula.apposition(subject))
            out.extend(self._of_subject(clause, subject))
        return out

    def _restrictive_ok(self, clause: Clause) -> bool:
        """Let only relative clauses through that add to a name ("Ana, who …"), not those that choose ("services that …")."""
        if clause.antecedent is None:
            return True
        if clause.antecedent.pos_ == "PROPN":
            return True
        left = clause.head.left_edge
        return left.i > 0 and left.nbor(-1).text == "," and not pronominal(clause.antecedent)

    def _of_subject(self, clause: Clause, subject: Token) -> list[Relation]:
        denied = has_no(subject)
        negative = clause.negated ^ denied
        verb = clause.head
        if verb.lemma_ == "be" and not clause.passive:
            if any(child.dep_ == "expl" for child in verb.children):
                return self._finish(clause, self._copula.there(verb, negative), copula=True)
            return self._cut_no(self._finish(clause, self._copula.read(verb, subject, negative), copula=True), denied)
        owner = phrase(subject, self._people, without=self._without)
        if owner is None:
            return []
        return self._cut_no(self._finish(clause, self._verb(clause, verb, owner, negative), copula=False), denied)

    def _cut_no(self, found: list[Relation], denied: bool) -> list[Relation]:
        if not denied:
            return found
        return [Relation(without_no(r.subject), r.predicate, r.object, r.negative, r.past, r.starts) for r in found]

    def _finish(self, clause: Clause, found: Iterator[Relation], *, copula: bool) -> list[Relation]:
        """Turn a past copula without a time into "was", and an ended state into a denial."""
        out = []
        for relation in found:
            r = relation
            if clause.ended:
                r = Relation(r.subject, r.predicate, r.object, True, False, True)
            elif copula and clause.tense == "past" and not self._bounded:
                r = Relation(
                    r.subject,
                    f"{self._words.copula['past']}_{r.predicate}"
                    if r.predicate not in self._words.copula.values()
                    else self._words.copula["past"],
                    r.object,
                    r.negative,
                    True,
                    r.starts,
                )
            out.append(r)
        return out

    # --- verbs --------------------------------------------------------------------------------------------------------

    def _verb(self, clause: Clause, verb: Token, owner: Phrase, negative: bool) -> Iterator[Relation]:
        inner = next(
            (child for child in verb.children if child.dep_ == "xcomp" and child.pos_ in ("VERB", "AUX")), None
        )
        lemma = verb.lemma_.lower()
        if inner is not None and not clause.passive:
            phase = _phase(verb, inner, lemma)
            if phase is not None:
                ends, starts = phase
                yield from self._inner(inner, owner, negative=negative ^ ends, starts=starts)
                return
        if _says_nothing(verb, lemma):
            return
        if any(aux.lower_ == "used" for aux in clause.auxiliaries):
            yield from self._complements.plain(
                verb, owner, True, third_person(lemma), starts=True, passive=clause.passive
            )
            return
        if lemma in _MOVES or lemma in self._words.change:
            moved = list(self._change(clause, verb, owner, negative))
            if moved:
                yield from moved
                return
        surface = self._surface(clause, verb, negative)
        if surface is None:
            return
        if inner is not None:
            words = [t for t in subtree(inner, out={"punct", "advcl", "relcl"}) if t.i not in self._without]
            if any(t.pos_ == "PRON" and t.lower_ != "it" for t in words) or any(
                c.dep_ == "dobj" for c in verb.children
            ):
                return
            name = self._complements.name(f"{lemma}", f"{surface} to" if clause.passive else surface)
            shown = text_of(words)
            yield Relation(lowered(owner), name, shown.removeprefix("to ") if clause.passive else shown, negative)
            return
        yield from self._complements.plain(verb, owner, negative, surface, passive=clause.passive)

    def _inner(self, inner: Token, owner: Phrase, *, negative: bool, starts: bool) -> Iterator[Relation]:
        negative ^= any(child.dep_ == "neg" for child in inner.children)
        passive = any(child.dep_ == "auxpass" for child in inner.children)
        if inner.lemma_ == "be" and not passive:
            yield from self._copula_inner(inner, owner, negative)
            return
        surface = inner.lower_ if passive else third_person(inner.lemma_.lower())
        yield from self._complements.plain(inner, owner, negative, surface, starts=starts, passive=passive)

    def _copula_inner(self, inner: Token, owner: Phrase, negative: bool) -> Iterator[Relation]:
        for relation in self._copula.read(inner, owner.head, negative):
            yield Relation(lowered(owner), relation.predicate, relation.object, negative, False, True)

    def _surface(self, clause: Clause, verb: Token, negative: bool) -> str | None:
        """Return the verb as the predicate's first word, or None where it cannot be told truly."""
        lemma = verb.lemma_.lower()
        if any(aux.lower_ in ("can", "could") for aux in clause.auxiliaries):
            return f"can {'be ' if clause.passive else ''}{verb.lower_}"
        if clause.passive or clause.kind == "acl" and verb.tag_ == "VBN":
            return f"was {verb.lower_}" if self._complements.past and lemma in self._words.state else verb.lower_
        if verb.tag_ == "VBZ":
            return verb.lower_
        finished = clause.tense == "past" or clause.perfect
        if not finished or lemma in self._words.state and self._bounded:
            return third_person(lemma)
        if verb.tag_ in ("VBD", "VBN"):
            return verb.lower_
        return None if negative and clause.tense == "past" else third_person(lemma)

    def _change(self, clause: Clause, verb: Token, owner: Phrase, negative: bool) -> Iterator[Relation]:
        """Read "moved from A to B" and "switched from A to B": B from then on, A no longer."""
        lemma = verb.lemma_.lower()
        ends = {
            c.lower_: o
            for c in links_of(verb)
            for o in c.children
            if c.lower_ in ("from", "to") and o.dep_ == "pobj" and o.i not in self._without
        }
        target = ends.get("to")
        if negative or target is None or any(child.dep_ == "dobj" for child in verb.children) or clause.passive:
            return
        if not (clause.tense == "past" or clause.perfect):
            return
        if lemma in _MOVES and not (self._is_place(target) or owner.head.lower_ == "i" and target.pos_ == "PROPN"):
            return
        if lemma in _MOVES and (owner.head.lower_ in ("we", "they", "it") or owner.head.pos_ == "NOUN"):
            return
        name = self._words.declared(self._words.change.get(lemma, "lives_in"))
        new = phrase(
            target,
            self._people,
            without={*self._without, *(t.i for c in target.children if c.lower_ == "from" for t in c.subtree)},
        )
        if new is None:
            return
        yield Relation(lowered(owner), name, new.text, False, False, True)
        old = phrase(ends["from"], self._people, without=self._without_nested(ends["from"])) if "from" in ends else None
        if old is not None:
            yield Relation(lowered(owner), name, old.text, True, False, True)

    def _without_nested(self, head: Token) -> Collection[int]:
        return {
            *self._without,
            *(t.i for c in head.children if c.dep_ == "prep" and c.lower_ == "to" for t in c.subtree),
        }


def _phase(verb: Token, inner: Token, lemma: str) -> tuple[bool, bool] | None:
    """Return (ends it, starts at its time) for "used to", "stop", "start" and "keep" with a verb; None for others."""
    if verb.lower_ == "used" and any(child.lower_ == "to" for child in inner.children) or lemma in _STOPS:
        return True, True
    if lemma in _STARTS or lemma in _GOES_ON:
        return False, lemma in _STARTS
    return None


def _says_nothing(verb: Token, lemma: str) -> bool:
    """Say whether a verb only reports, or only tells how something strikes the speaker."""
    around = {child.dep_ for child in verb.children}
    if lemma in _SEEMING and around & {"acomp", "oprd", "prep", "dobj", "advmod"}:
        return True
    return lemma in _REPORTING_ONLY and bool(around & {"ccomp", "xcomp"})
