"""Clauses of a parsed sentence: a verb with its subjects, auxiliaries, negation and place in the sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

Tense = Literal["past", "present", "future"]

_SUBJECT: Final = ("nsubj", "nsubjpass", "csubj")
_HEADS: Final = (
    "ROOT",
    "conj",
    "relcl",
    "ccomp",
    "advcl",
    "parataxis",
    "acl",
    "pcomp",
    "xcomp",
    "csubj",
    "dep",
    "appos",
)
_NEGATIONS: Final = frozenset({"not", "n't", "n’t", "never", "neither", "nor"})
_RELATIVE: Final = frozenset({"who", "which", "that"})


@dataclass(frozen=True, slots=True)
class Clause:
    """One verb and what belongs to it.

    Attributes:
        head: the verb or copula.
        subject: head of the subject phrase, as written or taken over from a joined or main clause.
        passive: the subject undergoes the verb.
        negated: "not", "never", "no longer", a "no" on subject or object is seen elsewhere.
        ended: "no longer", "used to", "formerly": it held before and does not now.
        auxiliaries: auxiliaries of the verb, shared ones of joined verbs included.
        kind: dependency of the head ("ROOT", "relcl", …).
        marker: subordinating word such as "if", lower case.
        antecedent: the noun a relative clause belongs to.
    """

    head: Token
    subject: Token | None
    passive: bool
    negated: bool
    ended: bool
    auxiliaries: tuple[Token, ...]
    kind: str
    marker: str
    antecedent: Token | None = None

    @property
    def tense(self) -> Tense:
        """Tense of the finite verb; a perfect counts as present."""
        words = {aux.lower_ for aux in self.auxiliaries}
        if words & {"will", "'ll", "’ll", "shall"}:
            return "future"
        if words & {"has", "have", "'ve", "’ve", "does", "do", "is", "are", "am", "'s", "'re", "'m"}:
            return "present"
        if words & {"was", "were", "did", "had"} or (self.head.tag_ == "VBD" and not self.auxiliaries):
            return "past"
        if self.head.tag_ == "VBN" and not self.auxiliaries and self.kind != "acl":
            return "past"
        return "present"

    @property
    def perfect(self) -> bool:
        """Whether it is a present perfect ("has moved")."""
        return any(aux.lemma_ == "have" and aux.lower_ != "had" for aux in self.auxiliaries) and self.head.tag_ in (
            "VBN",
            "VBD",
        )


def _auxiliaries(head: Token) -> tuple[Token, ...]:
    return tuple(child for child in head.children if child.dep_ in ("aux", "auxpass"))


def finite(head: Token) -> bool:
    """Say whether a clause states something: a verb with tense, not an infinitive, a participle or an order within."""
    auxiliaries = [child for child in head.children if child.dep_ in ("aux", "auxpass")]
    if any(aux.tag_ in ("MD", "VBZ", "VBP", "VBD") for aux in auxiliaries):
        return True
    if any(aux.tag_ == "TO" for aux in auxiliaries):
        return False
    return head.tag_ not in ("VB", "VBG") or head.dep_ == "ROOT"


def _own_subject(head: Token) -> Token | None:
    subjects = [child for child in head.children if child.dep_ in _SUBJECT]
    return subjects[0] if subjects else None


def _negated(head: Token) -> bool:
    for child in head.children:
        if child.dep_ == "neg" or child.lower_ in _NEGATIONS and child.dep_ in ("advmod", "preconj"):
            return True
        if child.dep_ in ("aux", "auxpass") and any(inner.dep_ == "neg" for inner in child.children):
            return True
    return False


def _ended(head: Token, auxiliaries: tuple[Token, ...]) -> bool:
    for child in head.children:
        if child.lower_ in ("formerly", "previously", "anymore"):
            return True
        if child.lower_ == "longer" and any(
            near.lower_ in ("no", "any") for near in child.doc[max(child.i - 1, 0) : child.i]
        ):
            return True
        if child.lower_ == "more" and child.i and child.nbor(-1).lower_ == "any":
            return True
    return any(aux.lower_ == "used" for aux in auxiliaries)


def _marker(head: Token) -> str:
    for child in head.children:
        if child.dep_ in ("mark", "advmod") and child.i < head.i and (child.dep_ == "mark" or child.tag_ == "WRB"):
            return child.lower_
    return ""


def is_predicate(token: Token) -> bool:
    """Say whether a token heads a clause."""
    if token.pos_ not in ("VERB", "AUX") or token.dep_ in ("aux", "auxpass", "amod", "compound", "nmod", "prep", "neg"):
        return False
    return token.dep_ in _HEADS or _own_subject(token) is not None


def _clause(head: Token) -> Clause:
    auxiliaries = _auxiliaries(head)
    subject, antecedent, negated = _own_subject(head), None, _negated(head)
    kind = head.dep_
    source = head
    if kind in ("relcl", "acl"):
        antecedent = head.head
        if subject is None or subject.lower_ in _RELATIVE:
            subject = antecedent if kind == "acl" or subject is not None else None
    elif subject is None and kind == "conj":
        first = head
        while first.dep_ == "conj" and first.head.pos_ in ("VERB", "AUX") and _own_subject(first) is None:
            first = first.head
        source, subject, kind = first, _own_subject(first), first.dep_
        if first.dep_ == "relcl" and (subject is None or subject.lower_ in _RELATIVE):
            antecedent = first.head
            subject = antecedent if subject is not None else None
        shared = _auxiliaries(first)
        if not auxiliaries and shared and head.tag_ == first.tag_ and (head.tag_ != "VBD" and head.tag_ != "VBZ"):
            auxiliaries = shared
            negated = negated or _negated(first)
    passive = (
        head.lemma_ != "be"
        and any(child.dep_ in ("nsubjpass", "auxpass") for child in head.children)
        or (source is not head and head.tag_ == "VBN" and any(aux.dep_ == "auxpass" for aux in auxiliaries))
    )
    return Clause(
        head=head,
        subject=subject,
        passive=passive,
        negated=negated,
        ended=_ended(head, auxiliaries),
        auxiliaries=auxiliaries,
        kind=kind,
        marker=_marker(head) or (_marker(source) if source is not head else ""),
        antecedent=antecedent,
    )


def clauses(sentence: Span) -> Iterator[Clause]:
    """Yield the clauses of a sentence in order of their verbs; complements of another verb (xcomp) belong to it."""
    for token in sentence:
        if not is_predicate(token) or token.dep_ in ("xcomp", "pcomp", "csubj"):
            continue
        clause = _clause(token)
        if finite(token) or clause.auxiliaries or token.dep_ == "acl":
            yield clause
