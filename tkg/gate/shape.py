"""What a storable claim looks like: one declarative sentence that stands alone and will hold tomorrow."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from tkg.gate.rules import compile_pattern
from tkg.gate.scan import form

_PRONOUNS: Final = frozenset(
    "he she it they this that these those him her them his hers its their theirs we us our ours i me my mine you your "
    "yours someone somebody something anyone anybody here there who whoever what which one".split()
)
#: pronouns that are also abbreviations when written in capitals
_ABBREVIATIONS: Final = frozenset({"IT", "US", "ONE", "WHO"})
_CLAUSE: Final = compile_pattern(
    r"\b(?:and then|then|after|afterwards|before|while|until|because|so|but|who|whose|which|when|where|although|finally|"
    r"meanwhile|suddenly|later)\b|[;\n]|, |[.!?] "
)
_WORD: Final = compile_pattern(r"\w+")
_NOW_STRONG: Final = compile_pattern(
    r"\b(?:right now|just now|as we speak|(?:in|during|for) (?:this|the current) (?:run|session|conversation|chat|task)|"
    r"this run|at this (?:very )?(?:moment|instant|second)|so far today|a (?:moment|minute|second) ago|"
    r"(?:has|have|had|i|we) just \w+ed)\b"
)
_NOW_WEAK: Final = compile_pattern(
    r"\b(?:currently|at the moment|for now|for the moment|at present|just (?:finished|failed|started|ran|stopped)|"
    r"still running|in progress|temporarily|momentarily)\b"
)
_ONE_OFF: Final = compile_pattern(
    r"(?:^|\s)/(?:tmp|var/tmp|private/var|dev/shm)/|\bpid \d+\b|\b(?:run|job|request|trace|build) (?:id )?[0-9a-f]{8,}\b|"
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
)
_EVERYBODY: Final = frozenset(
    "everyone everybody anyone anybody nobody people users customers agents".split()
    + ["all users", "all customers", "all agents", "every user", "every customer", "no one"]
)

_PREFERENCE: Final = frozenset(
    "prefers preference preferences preferred likes like favourite favorite wants wishes".split()
)
_CONSTRAINT: Final = compile_pattern(
    r"^(?:always|never|must|do not|don't|only if|under no circumstances)\b|"
    r"\b(?:must(?: not)?|shall(?: not)?|is (?:not )?(?:allowed|permitted|required|forbidden|prohibited)|"
    r"are (?:not )?(?:allowed|permitted|required|forbidden|prohibited)|may not|has to|have to|needs? (?:\w+ )?approval|"
    r"requires? (?:\w+ ){0,2}(?:approval|approvals|permission|signature|signatures))\b"
)
_BORDER: Final = compile_pattern(r"[_.\s-]+")
_CAMEL: Final = compile_pattern(r"([a-z])([A-Z])")

#: most words and clause marks of a claim's value before it is a story
MAX_WORDS: Final = 24
MAX_CLAUSES: Final = 3


def predicate_words(name: str) -> str:
    """Return a predicate's name as lower-case words: `apiKey`, `api_key` and `api-key` are "api key"."""
    return _BORDER.sub(" ", _CAMEL.sub(r"\1 \2", form(name).plain)).strip().casefold()


def preference(predicate: str) -> bool:
    """Return whether a predicate records what somebody prefers."""
    return not _PREFERENCE.isdisjoint(predicate_words(predicate).split())


def constraint(value: str) -> bool:
    """Return whether a value lays down a rule: something that must, must not, or needs approval."""
    return _CONSTRAINT.search(form(value).folded) is not None


def bare_pronoun(name: str) -> bool:
    """Return whether a name is a pronoun, which means nothing outside its conversation."""
    stripped = name.strip(" .,!?\"'")
    return stripped not in _ABBREVIATIONS and form(stripped).folded in _PRONOUNS


def narrative(text: str) -> bool:
    """Return whether `text` tells a story of several clauses instead of stating one thing."""
    folded = form(text).plain.casefold()
    # a long text is not counted to its end
    return _more(_WORD.finditer(folded), MAX_WORDS) and _more(_CLAUSE.finditer(folded), MAX_CLAUSES)


def _more(matches: Iterator[object], most: int) -> bool:
    return next(islice(matches, most, None), None) is not None


def run_scoped(text: str) -> str | None:
    """Return "strong" or "weak" where `text` speaks of the moment it was written in, else None."""
    folded = form(text).folded
    if _NOW_STRONG.search(folded) is not None:
        return "strong"
    return "weak" if _NOW_WEAK.search(folded) is not None else None


def one_off(text: str) -> bool:
    """Return whether `text` names something of a single run: a temporary path, a process, a request."""
    return _ONE_OFF.search(form(text).folded) is not None


def everybody(name: str) -> bool:
    """Return whether a subject stands for all people at once."""
    return form(name).folded in _EVERYBODY
