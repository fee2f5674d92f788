"""Sentences with the claims they make, and how extracted claims are scored against them.

Each line of a set: the sentence, then after `=>` its claims, separated by `;`: subject | predicate | object, a leading
`-` for a denial, `@from..to` for its validity, alternatives separated by `/`. After `!` instead: the sentence makes no
claim, and the word says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tkg.extractors.text import TextExtractor
from tkg.model.claim import Polarity
from tkg.model.document import Document, Extracted, Modality
from tkg.text import match_form

#: Wednesday 18 November 2026, 10:30 UTC
WRITTEN = 1_794_997_800_000_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """One claim that a sentence makes, in all its accepted forms."""

    forms: tuple[tuple[str, str, str], ...]
    negative: bool
    valid_from: str | None
    valid_to: str | None


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence and the claims it makes; `modality` where it must make none."""

    text: str
    claims: tuple[Wanted, ...]
    modality: str | None


def _claim(text: str) -> Wanted:
    body, _, period = text.partition("@")
    start, _, end = period.strip().partition("..")
    negative = body.strip().startswith("- ")
    parts = [part.strip().removeprefix("- ").strip() for part in body.split("|")]
    forms = []
    flat = "|".join(parts)
    for form in flat.split(" / "):
        subject, predicate, thing = form.split("|")
        forms.append((subject.strip(), predicate.strip(), thing.strip()))
    return Wanted(tuple(forms), negative, start or None, end or None)


def read_sentences(block: str) -> list[Labelled]:
    """Return the labelled sentences of a block."""
    out = []
    for line in block.strip().splitlines():
        text, _, claims = line.partition("=>")
        claims = claims.strip()
        if claims.startswith("!"):
            out.append(Labelled(text.strip(), (), claims.removeprefix("!").strip()))
        else:
            out.append(Labelled(text.strip(), tuple(_claim(claim) for claim in claims.split(" ; ")), None))
    return out


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
        """Share of the wanted claims that were found."""
        return self.matched / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        """Share of the found claims that were wanted."""
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
