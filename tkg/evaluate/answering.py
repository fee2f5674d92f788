"""Who answers: a function from a question and the block that recall gave (None: memory off) to words, "" for no answer."""

from __future__ import annotations

from collections.abc import Callable

from tkg.recall.render import parse_block
from tkg.recall.words import content_words

Answerer = Callable[[str, str | None], str]


def from_block(question: str, block: str | None) -> str:
    """Answer with the value of the first record that has all of the question's words in its key; else not at all.

    A stand-in for a model that believes what its memory shows, and nothing else: it makes nothing up, so what it answers
    wrongly came from the block.
    """
    if block is None:
        return ""
    words = content_words(question)
    for record in parse_block(block).items:
        subject, predicate = record.fields.get("key") or ("", "")
        said = content_words(f"{subject} {predicate}".replace("_", " "))
        if words <= said and record.fields.get("state") is None and not record.fields.get("not"):
            return str(record.fields.get("value") or "")
    return ""
