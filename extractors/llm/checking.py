"""A model's facts against the text they were read from: what cannot be found there is not taken from it.

The quote is looked for and its place counted here; dates and expiry are read by the same grammar as everywhere; how the
sentence is meant is decided by the same rules. A fact whose words are not in its quote is at most inferred.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tkg.extractors.copula import Relation
from tkg.extractors.llm.asking import Fact
from tkg.extractors.modality import whole_sentence
from tkg.extractors.predicates import snake
from tkg.extractors.text import bounds
from tkg.extractors.when import find_times
from tkg.model.claim import Polarity
from tkg.model.document import Document, Extracted, Modality

_WORD: Final = re.compile(r"\w+", re.UNICODE)
_SENTENCE_END: Final = re.compile(r"[.!?]+[\"'”’)\]]*(?:\s+|$)|\n\s*\n|[\r\n]+(?=\s*(?:[-*+#>]|\d+[.)])\s)")
_NO: Final = re.compile(
    r"\b(?:not?|never|none|nobody|nothing|neither|nor|without|stopp(?:ed|s|ing)|stop|ceased?|ended|quit|left|former(?:ly)?|"
    r"used to|cancel+ed|retired|removed|dropped|gone)\b|n['’]t\b",
    re.IGNORECASE,
)
#: words that a name need not share with the text
_SMALL: Final = frozenset("a an the of to in on at for by with and or is are was were be it its this that".split())


def check(
    fact: Fact, document: Document, rules: Sequence[Extracted], extractor: str, dropped: Counter[str]
) -> Extracted | None:
    """Return the candidate a fact makes, or None (counted in `dropped`) for one that the text does not bear out.

    Args:
        fact: what the model said.
        document: the text the quote must stand in.
        rules: what the rule-based extractor found in the same text; it knows questions, hedges and denials.
        extractor: name and version for the provenance.
        dropped: reason -> how many facts were left out for it.
    """
    place = locate(fact.quote, document.text)
    if place is None:
        dropped["quote is not in the text"] += 1
        return None
    start, end = place
    quote = document.text[start:end]
    predicate = snake(fact.predicate)
    if not predicate or not fact.subject.strip() or not fact.object.strip():
        dropped["a part is empty"] += 1
        return None
    beside = [one for one in rules if one.start < end and start < one.end]
    negative = fact.negated
    stated = fact.basis == "stated" and _grounded(fact, quote, document) and _agrees(fact, quote, beside)
    valid_from, valid_to = _times(fact, quote, document, predicate)
    return Extracted(
        subject=_named(fact.subject, document),
        predicate=predicate,
        object=fact.object.strip(),
        polarity=Polarity.NEGATIVE if negative else Polarity.POSITIVE,
        modality=_modality(document.text, start, end, beside),
        valid_from=valid_from,
        valid_to=valid_to,
        observed_at=document.observed_at,
        quote=quote,
        start=start,
        end=end,
        locator=document.turn or f"line={document.text.count(chr(10), 0, start) + 1}",
        extractor=extractor,
        confidence=800_000 if stated else 500_000,
        stated=stated,
    )


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Return where a quote stands in a text, word for word; only runs of white space may differ."""
    words = quote.split()
    if not words:
        return None
    at = text.find(quote.strip())
    if at >= 0:
        return at, at + len(quote.strip())
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return None if found is None else found.span()


def _grounded(fact: Fact, quote: str, document: Document) -> bool:
    """Say whether the object's words stand in the quote, and the subject's in the text or the speakers' names."""
    people = " ".join(one for one in (document.speaker, document.addressee) if one)
    return _words(fact.object) <= _words(quote) and _words(fact.subject) <= _words(f"{document.text} {people}") | _SELF


_SELF: Final = frozenset({"user", "speaker", "i", "me"})


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.casefold()) if word not in _SMALL)


def _agrees(fact: Fact, quote: str, beside: Sequence[Extracted]) -> bool:
    """Say whether the text bears out that it is said, or that it is denied."""
    value = _words(fact.object)
    alike = {one.polarity for one in beside if value and value == _words(one.object)}
    if len(alike) == 1:
        return (Polarity.NEGATIVE in alike) == fact.negated
    return bool(_NO.search(quote)) or not fact.negated


def _named(subject: str, document: Document) -> str:
    """Return a subject, with "I" and "the user" as the name of who speaks."""
    name = subject.strip()
    return document.speaker if document.speaker and name.casefold().removeprefix("the ") in _SELF else name


def _modality(text: str, start: int, end: int, beside: Sequence[Extracted]) -> Modality:
    """Return how the sentence of a quote is meant: as its words say, and as the rules read it where they read anything."""
    begin = max((found.end() for found in _SENTENCE_END.finditer(text, 0, start)), default=0)
    stop = _SENTENCE_END.search(text, max(end - 1, start))
    sentence = text[begin : len(text) if stop is None else stop.end()].strip()
    if (whole := whole_sentence(sentence, None)) is not None:
        return whole
    kinds = Counter(one.modality for one in beside)
    if kinds and Modality.ASSERTED not in kinds:
        return kinds.most_common(1)[0][0]
    return Modality.ASSERTED


def _times(fact: Fact, quote: str, document: Document, predicate: str) -> tuple[str | None, str | None]:
    """Return since and until when, read from the quote and the words of the expiry by the own grammar only."""
    relation = Relation(fact.subject, predicate, fact.object, fact.negated)
    spans = [one for one in find_times(quote, document.observed_at, zone=document.zone) if one.firm]
    valid_from, valid_to = bounds(spans, relation, True)
    if fact.expiry and (place := locate(fact.expiry, document.text)) is not None:
        words = document.text[slice(*place)]
        for text in (words, f"until {words}"):
            ends = [one.valid_to for one in find_times(text, document.observed_at, zone=document.zone) if one.valid_to]
            if ends:
                return valid_from, ends[0]
    return valid_from, valid_to
