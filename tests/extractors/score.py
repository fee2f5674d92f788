"""Scoring of extracted claims against labelled sentences."""

from __future__ import annotations

from dataclasses import dataclass, field

from tkg.extractors.text import TextExtractor
from tkg.model.claim import Polarity
from tkg.model.document import Document, Extracted, Modality
from tkg.text import match_form

from .labelled import Labelled, Wanted

#: Wednesday 18 November 2026, 10:30 UTC
WRITTEN = 1_794_997_800_000_000


@dataclass
class Score:
    """Counts over a set of sentences; the rates are derived."""

    wanted: int = 0
    found: int = 0
    matched: int = 0
    polarity: int = 0
    times: int = 0
    from_non_assertions: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.matched / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        return self.matched / self.found if self.found else 1.0

    def shown(self, name: str) -> str:
        """Return one line for people."""
        return (
            f"{name}: recall {self.matched}/{self.wanted} = {self.recall:.2f}, precision {self.matched}/{self.found} = "
            f"{self.precision:.2f}, polarity right {self.polarity}/{self.matched}, validity right {self.times}/{self.matched}, "
            f"claims from non-assertions {self.from_non_assertions}"
        )


def document(text: str, **changes: object) -> Document:
    """Return a turn of Idris to Uma on the day the sentences were written."""
    fields: dict[str, object] = {"text": text, "uri": "chat:1", "media": "turn", "observed_at": WRITTEN}
    return Document.build(**(fields | {"speaker": "Idris", "addressee": "Uma"} | changes))


def asserted(found: list[Extracted]) -> list[Extracted]:
    """Return the candidates that may become claims."""
    return [item for item in found if item.modality is Modality.ASSERTED]


def meets(item: Extracted, wanted: Wanted) -> bool:
    """Say whether a candidate is a wanted claim in one of its forms (case and spacing aside)."""
    triple = tuple(match_form(part) for part in (item.subject, item.predicate, item.object))
    return any(triple == tuple(match_form(part) for part in form) for form in wanted.forms)


def score(extractor: TextExtractor, sentences: list[Labelled]) -> Score:
    """Run the extractor on each sentence alone and count."""
    out = Score()
    for sentence in sentences:
        found = asserted(extractor.extract(document(sentence.text)))
        if sentence.modality is not None:
            out.from_non_assertions += len(found)
            out.found += len(found)
            out.misses.extend(f"{sentence.text} !! {item.subject} | {item.predicate} | {item.object}" for item in found)
            continue
        out.wanted += len(sentence.claims)
        out.found += len(found)
        left = list(found)
        for wanted in sentence.claims:
            match = next((item for item in left if meets(item, wanted)), None)
            if match is None:
                shown = [f"{item.subject} | {item.predicate} | {item.object}" for item in found]
                out.misses.append(f"{sentence.text} wanted {wanted.forms[0]}, found {shown}")
                continue
            left.remove(match)
            out.matched += 1
            out.polarity += (match.polarity is Polarity.NEGATIVE) == wanted.negative
            right = (match.valid_from, match.valid_to) == (wanted.valid_from, wanted.valid_to)
            out.times += right
            if not right:
                out.misses.append(f"{sentence.text} validity {match.valid_from}..{match.valid_to}")
        out.misses.extend(f"{sentence.text} extra {item.subject} | {item.predicate} | {item.object}" for item in left)
    return out
