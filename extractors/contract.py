"""What an extractor is, and the checks every extractor's answer goes through.

An extractor reads one `Document` and returns candidates. It may not invent: each candidate's `quote` is the
document's own text from `start` to `end`. It may not flood: `Limits.candidates` bounds the answer per document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tkg.errors import TooLarge
from tkg.model.document import Document, Extracted
from tkg.text import MAX_NAME


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an extractor reads and answers; the defaults fit a page of text or one configuration file.

    Attributes:
        candidates: most candidates for one document; the rest is left out, in document order.
        characters: longest document that is read at all, in characters.
        segment: longest sentence that is parsed, in characters; longer runs are no prose and are skipped.
        depth: deepest nesting of a configuration file.
        nodes: most nodes of a configuration file, aliases counted each time they are used.
    """

    candidates: int = 200
    characters: int = 4_000_000
    segment: int = 1_000
    depth: int = 64
    nodes: int = 50_000


@runtime_checkable
class Extractor(Protocol):
    """Turns a document into candidates; deterministic for one `version`."""

    @property
    def name(self) -> str:
        """Short name, such as "text"."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever equal documents may give other candidates; includes the model, if there is one."""
        ...

    def extract(self, document: Document) -> list[Extracted]:
        """Return the candidates found, in document order."""
        ...

    # An extractor may also have
    #   media: frozenset[str], the media it reads; others go to the rules;
    #   extract_many(documents), yielding the candidates of each: what it can do for several at once.


def check_size(document: Document, limits: Limits) -> None:
    """Refuse a document over `limits.characters`.

    Raises:
        TooLarge: the document is longer than the limit.
    """
    if len(document.text) > limits.characters:
        raise TooLarge(
            f"the document has {len(document.text)} characters, the limit is {limits.characters}; split it first"
        )


def checked(document: Document, found: Iterable[Extracted], limits: Limits) -> list[Extracted]:
    """Return what may leave an extractor: verbatim, named, without doubles, at most `limits.candidates`.

    A candidate whose quote is not the document's text at its offsets is a fault of the extractor and is dropped, as is
    one with an empty or overlong part. Doubles (equal in everything but the confidence) are given once.
    """
    out: list[Extracted] = []
    seen: set[tuple[object, ...]] = set()
    for item in found:
        parts = (item.subject, item.predicate, item.object)
        if not item.quote or document.text[item.start : item.end] != item.quote:
            continue
        if any(not part.strip() or len(part.encode("utf-8", "replace")) > MAX_NAME for part in parts):
            continue
        key = (*parts, item.polarity, item.modality, item.valid_from, item.valid_to, item.start, item.end)
        if key in seen:
            continue
        seen.add(key)
        out.append(item)
        if len(out) >= limits.candidates:
            break
    return out


def reads(extractor: Extractor, document: Document) -> bool:
    """Return whether an extractor reads the document's media; one that says nothing reads all."""
    media = getattr(extractor, "media", None)
    return media is None or document.media in media


class Ahead:
    """An extractor whose answers for some documents are there already: it was asked for several at once.

    Args:
        extractor: what is asked for every other document.
        documents: what to ask it for now.

    Raises:
        TkgError: as the extractor.
    """

    def __init__(self, extractor: Extractor, documents: Sequence[Document]) -> None:
        self._extractor = extractor
        mine = [one for one in documents if reads(extractor, one)]
        many = getattr(extractor, "extract_many", None)
        answers = many(mine) if many is not None else map(extractor.extract, mine)
        self._there: dict[Document, list[Extracted]] = dict(zip(mine, answers, strict=True))
        self.media = getattr(extractor, "media", None)

    @property
    def name(self) -> str:
        """Name of the extractor."""
        return self._extractor.name

    @property
    def version(self) -> str:
        """Version of the extractor."""
        return self._extractor.version

    def extract(self, document: Document) -> list[Extracted]:
        """Return the answer that is there, or ask."""
        there = self._there.get(document)
        return self._extractor.extract(document) if there is None else there
