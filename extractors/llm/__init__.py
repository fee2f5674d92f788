"""The model-backed extractor: a language model proposes facts, the text itself decides what is taken of them.

Optional. Any callable may be the model; `OpenAIModel` asks an OpenAI-compatible server (extra `tkg[llm]`). Whatever it
answers, no candidate leaves here whose quote is not verbatim in the text, and none whose sentence asks, guesses or orders
is asserted. What a model inferred, or words as the text does not, never counts as more than an agent's word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from tkg.errors import ModelAnswer, RequestError
from tkg.extractors.contract import Extractor, Limits, check_size, checked
from tkg.extractors.llm.asking import Fact, Request, read_answer, request_for, stamp
from tkg.extractors.llm.checking import check, locate
from tkg.extractors.llm.client import OpenAIModel
from tkg.extractors.text import TextExtractor
from tkg.model.document import Document, Extracted

__all__ = ["Complete", "ModelExtractor", "OpenAIModel", "Request", "from_settings"]

#: asks a model: a request in, its answer out as JSON text or what that stands for
Complete = Callable[[Request], object]
#: longest text of one request, in characters
_PIECE: Final = 8_000
#: answers that do not fit are asked for once more
_TRIES: Final = 2


class ModelExtractor:
    """Reads text, Markdown and turns with a language model.

    Args:
        complete: the model: called with a `Request`, returns JSON text (or a mapping, or a pydantic value) that fits its
            schema; may raise any `ModelError`.
        model: name for the provenance (default: `complete.model`, else its own name).
        limits: bounds on input and answer.
        rules: the rule-based extractor that decides how sentences are meant (default: a new one).
    """

    name = "llm"
    #: settings are read exactly, by their own rules
    media = frozenset({"text", "markdown", "turn"})

    def __init__(
        self,
        complete: Complete,
        *,
        model: str | None = None,
        limits: Limits | None = None,
        rules: Extractor | None = None,
    ) -> None:
        if not callable(complete):
            raise RequestError("the model extractor takes something to call: OpenAIModel(…), or any function")
        self._complete = complete
        named = model or getattr(complete, "model", None) or getattr(complete, "__name__", type(complete).__name__)
        self.model = str(named)
        self._limits, self._rules = limits or Limits(), rules or TextExtractor()
        #: reason -> facts that were left out for it, over the life of the extractor
        self.dropped: Counter[str] = Counter()

    @property
    def version(self) -> str:
        """Version of the schema, name of the model, digest of prompt, schema and name."""
        return stamp(self.model)

    def extract(self, document: Document) -> list[Extracted]:
        """Return the candidates of one document; a long one takes several requests.

        Raises:
            TooLarge: the document is over `Limits.characters`. ModelError: see `OpenAIModel`.
        """
        return next(iter(self.extract_many([document])))

    def extract_many(self, documents: Iterable[Document]) -> Iterator[list[Extracted]]:
        """Yield the candidates of each document; short ones that follow each other share a request."""
        given = list(documents)
        found: list[list[Extracted]] = [[] for _ in given]
        for group in self._groups(given):
            for fact in self._ask([(str(place), given[place], given[place].text[a:b]) for place, a, b in group]):
                place = self._place(fact, given, group)
                if place is None:
                    self.dropped["quote is not in the text"] += 1
                    continue
                rules = self._rules.extract(given[place])
                one = check(fact, given[place], rules, f"{self.name}/{self.version}", self.dropped)
                if one is not None:
                    found[place].append(one)
        for document, items in zip(given, found, strict=True):
            yield checked(document, sorted(items, key=lambda one: one.start), self._limits)

    def _groups(self, documents: Sequence[Document]) -> Iterator[list[tuple[int, int, int]]]:
        """Yield what is asked about together: (document, from, to), at most `_PIECE` characters."""
        group: list[tuple[int, int, int]] = []
        size = 0
        for number, document in enumerate(documents):
            check_size(document, self._limits)
            for start, end in pieces(document.text):
                if group and size + end - start > _PIECE:
                    yield group
                    group, size = [], 0
                group.append((number, start, end))
                size += end - start
        if group:
            yield group

    def _ask(self, turns: Sequence[tuple[str, Document, str]]) -> list[Fact]:
        request = request_for(turns)
        for tries in range(1, _TRIES + 1):
            try:
                return read_answer(self._complete(request))
            except ModelAnswer:
                if tries == _TRIES:
                    raise
        return []

    @staticmethod
    def _place(fact: Fact, documents: Sequence[Document], group: Sequence[tuple[int, int, int]]) -> int | None:
        """Return which document a fact is from: the one it names, if the quote stands there, else the first that has it."""
        asked = dict.fromkeys(number for number, _, _ in group)
        named = [number for number in asked if str(number) == fact.source_turn.strip()]
        return next((one for one in (*named, *asked) if locate(fact.quote, documents[one].text) is not None), None)


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that are asked about one by one, cut at blank lines, lines or spaces."""
    start = 0
    while len(text) - start > _PIECE:
        cuts = (text.rfind(mark, start + _PIECE // 2, start + _PIECE) for mark in ("\n\n", "\n", ". ", " "))
        end = next((cut + 1 for cut in cuts if cut >= 0), start + _PIECE)
        yield start, end
        start = end
    if text[start:].strip():
        yield start, len(text)


def from_settings(**settings: Any) -> ModelExtractor:
    """Return the extractor for `--extractor llm`.

    Args:
        settings: `model` (required), `base_url`, `api_key`, `timeout`, `retries`, `seed`; numbers may be texts.

    Raises:
        RequestError: no model, an unknown setting, or a number that is none. Unsupported: the SDK is not installed.
    """
    known = {"model": str, "base_url": str, "api_key": str, "timeout": float, "retries": int, "seed": int}
    if unknown := sorted(set(settings) - set(known)):
        raise RequestError(f"the extractor llm has no setting {unknown[0]!r}; it has {', '.join(known)}")
    if not settings.get("model"):
        raise RequestError("the extractor llm needs a model: --extractor-option model=NAME")
    try:
        read = {name: known[name](value) for name, value in settings.items() if value is not None}
    except (TypeError, ValueError):
        raise RequestError("timeout, retries and seed of the extractor llm are numbers") from None
    return ModelExtractor(OpenAIModel(**read))
