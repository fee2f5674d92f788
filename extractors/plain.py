"""Patterns for a machine without an English pipeline: simple sentences only, so that nothing is made up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tkg.extractors.copula import Relation
from tkg.extractors.phrases import FIRST, SECOND, People
from tkg.extractors.predicates import Vocabulary, snake, third_person
from tkg.extractors.when import TimeSpan

_DETERMINER: Final = re.compile(r"^(?:the|a|an|our|this|that|these|those|all|every|each)\s+", re.IGNORECASE)
_COPULA: Final = re.compile(
    r"^(?P<subject>[^,;:]{1,80}?)\s+(?:is|are)\s+(?P<no>not\s+|no longer\s+)?(?:(?P<participle>\w+(?:ed|en|nt|ut|lt))\s+"
    r"(?P<link>to|in|on|at|by|from|for|with)\s+)?(?P<object>[^,;]{1,120})$",
    re.IGNORECASE,
)
_OF: Final = re.compile(r"^(?:the\s+)?(?P<name>[\w -]{1,40}?)\s+(?:of|for)\s+(?P<thing>[^,]{1,60})$", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(
    r"^(?P<thing>[^,]{1,60}?)['’]s\s+(?P<name>[\w -]{1,40})$|^(?P<my>my)\s+(?P<mine>[\w -]{1,40})$", re.IGNORECASE
)
_VERBS: Final = (
    "owns own uses use needs need requires require runs run works work lives live manages manage leads lead reports report"
    " sends send goes go supports support contains contain costs cost weighs weigh prefers prefer likes like holds hold drives drive"
    " depends depend belongs belong has have keeps keep stores store speaks speak maintains maintain hosts host teaches teach"
)
_VERB: Final = re.compile(
    r"^(?P<subject>[^,;:]{1,80}?)\s+(?P<no>(?:do|does)(?:n['’]t|\s+not)\s+|no longer\s+)?(?P<verb>"
    + "|".join(_VERBS.split())
    + r")\s+(?:(?P<link>to|in|on|at|for|with|from)\s+)?(?P<object>[^,;]{1,120})$",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:who|which|that|because|when|while|although|he|she|it|they|him|them|his|their|its|nobody|somebody|everybody|everyone)\b",
    re.IGNORECASE,
)
#: two names that do one thing
_BOTH: Final = re.compile(r"^[A-Z]\w*(?: [A-Z]\w*)? and (?=[A-Z]\w*(?: [A-Z]\w*)? [a-z])")
_SPLIT: Final = re.compile(r"\s+and\s+|\s+or\s+|\s+but\s+", re.IGNORECASE)


def _name(text: str, people: People) -> str | None:
    bare = _DETERMINER.sub("", text.strip().strip("\"'“”"))
    low = bare.lower()
    if low in FIRST | SECOND:
        return people.of(low)
    return bare or None


def _without_times(text: str, times: list[TimeSpan]) -> str:
    for span in reversed([span for span in times if span.firm]):
        text = text[: span.start] + text[span.end :]
    return " ".join(text.split()).rstrip(" .!,")


def plain_relations(text: str, times: list[TimeSpan], people: People, words: Vocabulary) -> Iterator[Relation]:
    """Yield the relation of a simple sentence; a sentence with a second clause or an open pronoun gives none."""
    bare = _without_times(text, times)
    both = _BOTH.match(bare)
    if _OPEN.search(bare) or _SPLIT.search(bare[both.end() :] if both else bare):
        return
    if found := _COPULA.match(bare):
        yield from _copula(found, people, words)
        return
    if found := _VERB.match(bare):
        for part in found["subject"].split(" and "):
            yield from _verb(found, part, people, words)


def _verb(found: re.Match[str], part: str, people: People, words: Vocabulary) -> Iterator[Relation]:
    subject, thing = _name(part, people), _name(found["object"], people)
    if subject is None or thing is None:
        return
    verb = found["verb"].lower()
    lemma = next((v for v in _VERBS.split()[1::2] if verb in (v, third_person(v))), verb)
    link = f" {found['link'].lower()}" if found["link"] else ""
    yield Relation(subject, words.name(lemma + link, third_person(lemma) + link), thing, bool(found["no"]))


def _copula(found: re.Match[str], people: People, words: Vocabulary) -> Iterator[Relation]:
    subject, thing = found["subject"], _name(found["object"], people)
    if thing is None:
        return
    negative = bool(found["no"])
    if found["participle"]:
        owner = _name(subject, people)
        if owner is not None:
            form = f"{found['participle'].lower()} {found['link'].lower()}"
            yield Relation(owner, words.name(f"be {form}", form), thing, negative)
        return
    indefinite = bool(re.match(r"(?:a|an)\s", found["object"], re.IGNORECASE))
    split = _OF.match(subject) or _POSSESSIVE.match(subject)
    if split is not None and not indefinite:
        groups = split.groupdict()
        owner = people.speaker if groups.get("my") else _name(split["thing"], people)
        name = snake(groups.get("mine") or split["name"])
        if owner is not None and name:
            yield Relation(owner, words.declared(name), thing, negative)
        return
    owner = _name(subject, people)
    if owner is not None:
        kind = "literal" if re.match(r"\d", thing) else "kind" if indefinite else "other"
        yield Relation(owner, words.declared(words.copula[kind]), thing, negative)
