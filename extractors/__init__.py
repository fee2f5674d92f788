"""Extractors: from documents to candidates, deterministic and offline.

`extract(document)` picks by media: configuration goes to `config`, everything else to `text`. The answer is a list of
`Extracted`, each with a verbatim quote, offsets, a locator, the modality of its sentence and the version of what found
it. Only asserted candidates may become claims; the caller decides. spaCy is loaded on first use, not on import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from tkg.extractors.contract import Extractor, Limits, checked
from tkg.extractors.registry import extractor_named, extractor_names

if TYPE_CHECKING:
    from tkg.model.document import Document, Extracted

#: media that hold settings
CONFIGURATION = frozenset({"yaml", "json", "toml", "ini", "env"})

__all__ = [
    "CONFIGURATION",
    "Extractor",
    "Limits",
    "Rules",
    "checked",
    "extract",
    "extractor_for",
    "extractor_named",
    "extractor_names",
]


@lru_cache(maxsize=16)
def extractor_for(media: str, *, model: str | None = None, known: tuple[str, ...] = ()) -> Extractor:
    """Return the extractor for a document's media.

    Args:
        media: "yaml", "json", "toml", "ini" and "env" are configuration, all others are running text.
        model: spaCy pipeline, see `pipeline.resolve`.
        known: predicate names that the registry declares; surface forms of them meet the declared spelling.
    """
    if media in CONFIGURATION:
        from tkg.extractors.config import ConfigExtractor

        return ConfigExtractor()
    from tkg.extractors.text import TextExtractor

    return TextExtractor(model=model, known=known)


def extract(document: Document, *, model: str | None = None, known: Iterable[str] = ()) -> list[Extracted]:
    """Return the candidates of a document, in order.

    Args:
        document: what to read.
        model: spaCy pipeline, see `pipeline.resolve`.
        known: predicate names that the registry declares.

    Raises:
        InvalidText: a configuration file that is not of its form.
        TooLarge: the document is over the limits.
        NotFound: the named pipeline is not installed.
    """
    return extractor_for(document.media, model=model, known=tuple(sorted(known))).extract(document)


class Rules:
    """The extractor that is used where none is named: by the document's media, offline, the same for the same text.

    Args:
        model: spaCy pipeline, see `pipeline.resolve`.
        known: predicate names that the registry declares.
    """

    name = "rules"

    def __init__(self, *, model: str | None = None, known: Iterable[str] = ()) -> None:
        self._model, self._known = model, tuple(sorted(known))

    @property
    def version(self) -> str:
        """Version of the rules for text, which brings the pipeline's."""
        return extractor_for("text", model=self._model, known=self._known).version

    def extract(self, document: Document) -> list[Extracted]:
        """Return the candidates of a document, in order; see `extract`."""
        return extract(document, model=self._model, known=self._known)

    def extract_many(self, documents: Iterable[Document]) -> Iterator[list[Extracted]]:
        """Yield the candidates of each document; texts that follow each other are parsed together."""
        from tkg.extractors.text import TextExtractor

        for is_text, group in groupby(documents, key=lambda one: one.media not in CONFIGURATION):
            found = extractor_for("text", model=self._model, known=self._known)
            if is_text and isinstance(found, TextExtractor):
                yield from found.extract_many(group)
            else:
                yield from map(self.extract, group)
