"""What extractors read and what they offer to the gate."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from tkg.model.base import Value
from tkg.model.claim import Polarity
from tkg.model.time import Instant

Media = Literal["text", "markdown", "turn", "yaml", "json", "toml", "ini", "env"]


class Document(Value):
    """A text with where it came from and when it was said; the unit an extractor reads.

    `observed_at` is the reference date for relative times in it (never today's). `speaker` and `addressee` resolve
    "I" and "you"; `role` is who that was in a chat ("user", "assistant", "tool"). `media` is "text", "markdown", "turn"
    (one message of a conversation) or the form of a configuration file.
    """

    text: str
    uri: str
    version: str | None = None
    media: Media = "text"
    observed_at: Instant
    zone: str = "UTC"
    speaker: str | None = None
    addressee: str | None = None
    role: str | None = None
    #: id of the turn within its conversation
    turn: str | None = None
    session: str | None = None


class Modality(StrEnum):
    """How a sentence is meant; only asserted sentences (of either polarity) may become claims."""

    ASSERTED = "asserted"
    HEDGED = "hedged"
    HABITUAL = "habitual"
    PLANNED = "planned"
    HYPOTHETICAL = "hypothetical"
    QUESTION = "question"
    REPORTED = "reported"
    INSTRUCTION = "instruction"


class Extracted(Value):
    """One candidate found in a document; `quote` is the document's text from `start` to `end`, verbatim.

    Times are texts for `Interval.make`. `extractor` names what found it, with version and model. What was not `stated`
    was inferred: it never counts as more than an agent's word, whoever wrote the text.
    """

    subject: str
    predicate: str
    object: str
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ASSERTED
    valid_from: str | None = None
    valid_to: str | None = None
    observed_at: Instant
    quote: str
    start: int
    end: int
    #: line of a file, JSON pointer, or turn id
    locator: str
    extractor: str
    confidence: int = 1_000_000
    stated: bool = True


class Candidate(Value):
    """What a caller proposes, checked and resolved, as the gate sees it. Times are resolved to an interval."""

    scope: str
    kind: Literal["claim", "procedure"] = "claim"
    subject: str
    predicate: str
    object: str
    polarity: Polarity = Polarity.POSITIVE
    modality: Modality = Modality.ASSERTED
    valid_from: str | None = None
    valid_to: str | None = None
    observed_at: Instant
    quote: str | None = None
    uri: str | None = None
    #: version, locator, owner and origin of its evidence: kept with it, so looked at for what is never stored
    beside: tuple[str, ...] = ()
    #: the extractor's own confidence in millionths; a structured proposal is sure of what it says
    confidence: int = 1_000_000
