"""How a clause is meant: asserted, or one of the forms that state nothing.

Only asserted clauses may become claims, so every doubt is decided against asserting: a condition covers its whole
sentence, a hedge word anywhere in a short sentence covers it, an order covers what is ordered.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tkg.model.document import Modality

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

    from tkg.extractors.clauses import Clause

_HEDGE: Final = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|presumably|apparently|supposedly|allegedly|reportedly|likely|roughly|approximately|approx|"
    r"more or less|give or take|sort of|kind of|or so|ish|i guess|i(?:'m| am) guessing|guessing|i think|i believe|i suppose|i assume|"
    r"i suspect|i reckon|i imagine|i wonder|we think|we believe|we assume|we suspect|not sure|not certain|unsure|no idea|unclear|"
    r"if i remember|if i recall|iirc|afaik|imo|imho|as far as i|to my knowledge|seems?|seemed|appears? to|it appears|looks? like|"
    r"looked like|sounds? like|must have|must be the|could be|might|may be|somewhere around|in theory|rumou?r has it|tbc|tbd|"
    r"to be confirmed|in my opinion|i feel like|i doubt|doubtful|should be around|ought to be around)\b|\?\)",
    re.IGNORECASE,
)
#: "around six", "about 50": a figure that is not exact
_VAGUE_FIGURE: Final = re.compile(
    r"\b(?:around|about|circa|nearly|almost|some)\s+(?:\d|[£$€]|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|"
    r"eleven\b|twelve\b|twenty\b|thirty\b|forty\b|fifty\b|a hundred\b|a thousand\b|noon\b|midnight\b|half\b)|~\s?\d",
    re.IGNORECASE,
)
_HABIT: Final = re.compile(
    r"\b(?:usually|normally|often|sometimes|typically|generally|mostly|rarely|seldom|occasionally|frequently|"
    r"tends? to|from time to time|now and then|as a rule|most days|most of the time|in general|hardly ever|every so often)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL: Final = re.compile(
    r"\b(?:what if|suppose|supposing|imagine|assuming|let'?s say|say we|hypothetically|in case|if only|wish|would have|could have|"
    r"unless|otherwise|provided that|as long as|were to)\b|^\s*(?:if|were|should|had)\b|\bif\b",
    re.IGNORECASE,
)
_PLAN: Final = re.compile(
    r"\b(?:going to|gonna|plan(?:s|ning|ned)? (?:to|on|for)|intend(?:s|ing)? to|hop(?:e|es|ing) to|about to|aim(?:s|ing)? to|"
    r"scheduled to|set to|due to (?!the\b|a\b)|expects? to|want(?:s|ed)? to|would like to|'d like to|look(?:s|ing)? forward to|will|'ll|shall|"
    r"proposes?|propos(?:al|ing)|consider(?:s|ing)?|tomorrow|next (?:week|month|quarter|year|sprint|release))\b",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(
    r"^\s*(?:please|kindly|remember(?: to|:)|don'?t|do not|never|always|make sure|be sure|ensure|let'?s|let us|from now on|"
    r"you (?:must|should|have to|need to|can|may|will|are to|ought)|ignore|disregard|forget|try|avoid|do)\b|"
    r"\bplease\b|\b(?:should(?:n'?t)?|ought to|must(?:n'?t)?|have to|has to|had better|need(?:s)? to|supposed to|shall)\b|"
    r"\bfrom now on\b|\bgoing forward\b|\byou are now\b|\byour (?:new )?role is\b",
    re.IGNORECASE,
)
_ACCORDING: Final = re.compile(
    r"\b(?:according to|as per|in the words of|(?:i|we) (?:heard|was told|were told|read) (?:that )?|is said to|are said to|is believed to|"
    r"rumou?red to|word is|it is said)\b",
    re.IGNORECASE,
)
_REPORT: Final = frozenset(
    "say tell report claim mention confirm announce write state argue insist suggest hear read reply answer explain note add"
    " warn promise deny think believe feel guess hope expect assume suspect doubt wonder ask suppose imagine fear predict"
    " estimate swear allege admit agree remember recall understand find learn notice worry consider".split()
)
#: with "I", "we" or an order ("note that …") these state their content
_OWN: Final = frozenset(
    "confirm note know mention announce say add remember report state write see tell find learn notice".split()
)
_UNSURE: Final = frozenset(
    "think believe feel guess hope expect assume suspect doubt wonder suppose imagine fear".split()
)
_QUESTION_START: Final = re.compile(
    r"^\s*(?:(?:who|what|when|where|why|which|whose|how)(?:'s|\s+(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|many|much|long|often|far))\b"
    r"|(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|am|isn't|aren't|don't|doesn't|didn't)\s+(?:i|you|we|he|she|it|they|there|this|that|the|a|an|my|your|our|any)\b)",
    re.IGNORECASE,
)


def whole_sentence(text: str, reporter: str | None) -> Modality | None:
    """Return the modality that words alone give to a whole sentence, or None when they give none."""
    if text.rstrip(" \"')”’").endswith("?") or _QUESTION_START.search(text):
        return Modality.QUESTION
    if _HYPOTHETICAL.search(text):
        return Modality.HYPOTHETICAL
    if _ORDER.search(text):
        return Modality.INSTRUCTION
    if _HEDGE.search(text) or _VAGUE_FIGURE.search(text):
        return Modality.HEDGED
    if reporter is not None or _ACCORDING.search(text):
        return Modality.REPORTED
    if _HABIT.search(text):
        return Modality.HABITUAL
    return None


def own_text(clause: Clause) -> str:
    """Return the words of a clause without those of the clauses below and beside it."""
    head = clause.head
    foreign = {
        token.i
        for child in head.subtree
        if child is not head
        and child.dep_ in ("conj", "advcl", "relcl", "ccomp", "parataxis")
        and child.pos_ in ("VERB", "AUX")
        for token in child.subtree
    }
    return "".join(token.text_with_ws for token in head.subtree if token.i not in foreign)


def imperative(sentence: Span) -> bool:
    """Say whether a sentence is an order: its main verb is bare and has no subject."""
    root = sentence.root
    if root.tag_ not in ("VB", "VBP") or root.pos_ != "VERB":
        return False
    if any(child.dep_ in ("nsubj", "nsubjpass", "expl", "csubj") for child in root.children):
        return False
    return not any(child.dep_ in ("aux", "auxpass") and child.lower_ not in ("do", "n't") for child in root.children)


def _reporting(token: Token) -> Modality | None:
    """Return how a verb presents the clause it governs."""
    lemma = token.lemma_.lower()
    subject = next((child for child in token.children if child.dep_ in ("nsubj", "nsubjpass")), None)
    own = subject is None or subject.lower_ in ("i", "we")
    if own and lemma in _UNSURE:
        return Modality.HEDGED
    if own and lemma in _OWN and not any(child.dep_ in ("neg", "auxpass") for child in token.children):
        return None
    if lemma in _REPORT:
        return Modality.REPORTED
    return None


def _of_auxiliaries(clause: Clause) -> Modality | None:
    words = {aux.lower_ for aux in clause.auxiliaries}
    if words & {"might", "may", "could"}:
        return Modality.HEDGED
    if words & {"would", "'d"} and "had" not in words:
        return Modality.HYPOTHETICAL
    if words & {"can", "ca"} and clause.subject is not None and clause.subject.pos_ == "PRON":
        return Modality.HYPOTHETICAL
    if words & {"should", "must", "ought"}:
        return Modality.INSTRUCTION
    if words & {"will", "'ll", "’ll", "shall", "wo"}:
        return Modality.PLANNED
    return None


def _above(clause: Clause) -> Modality | None:
    """Return what the clauses above make of this one."""
    token = clause.head
    while token.dep_ != "ROOT":
        parent = token.head
        if token.dep_ in ("ccomp", "xcomp", "acl", "parataxis", "advcl") and parent.pos_ in (
            "VERB",
            "AUX",
            "NOUN",
            "ADJ",
        ):
            if token.dep_ in ("ccomp", "parataxis") and parent.pos_ in ("VERB", "AUX"):
                found = _reporting(parent)
                if found is not None:
                    return found
            if token.dep_ == "ccomp" and parent.pos_ == "NOUN":
                return Modality.REPORTED
        token = parent
    return _said_after(clause)


def _said_after(clause: Clause) -> Modality | None:
    """Return how "…, Ana said" at the end presents the clause it follows."""
    for child in clause.head.children:
        after = child.dep_ in ("ccomp", "parataxis") and child.i > clause.head.i and child.pos_ == "VERB"
        if after and child.lemma_.lower() in _REPORT and child.nbor(-1).dep_ == "nsubj":
            return _reporting(child)
    return None


def modality(clause: Clause, sentence: Span, whole: Modality | None) -> Modality:
    """Return how one clause is meant, given what the whole sentence's words say."""
    if whole in (Modality.QUESTION, Modality.HYPOTHETICAL):
        return whole
    if imperative(sentence) and not (clause.kind == "ccomp" and sentence.root.lemma_.lower() in _OWN):
        return Modality.INSTRUCTION
    if whole is not None and whole is not Modality.HABITUAL:
        return whole
    found = _above(clause) or _of_auxiliaries(clause)
    if found is not None:
        return found
    if clause.marker in (
        "when",
        "whenever",
        "once",
        "where",
        "wherever",
        "whether",
        "while",
        "after",
        "before",
        "until",
        "as",
    ):
        return Modality.HABITUAL if clause.tense == "present" else Modality.HYPOTHETICAL
    if clause.tense == "present" and any(
        child.dep_ == "advcl" and any(c.lower_ in ("when", "whenever") for c in child.children)
        for child in clause.head.children
    ):
        return Modality.HABITUAL
    if _PLAN.search(own_text(clause)):
        return Modality.PLANNED
    return whole or Modality.ASSERTED
