"""Sentences into candidates: the deterministic, offline extractor of running text.

Sentence by sentence: cut (`segments`), parse (`pipeline`), find validity phrases (`when`), split into clauses
(`clauses`), decide how each is meant (`modality`) and read what it says (`relations`). Every candidate is returned with
its modality; only an asserted one may become a claim, and that is the caller's decision.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from tkg.extractors.clauses import Clause, clauses, is_predicate
from tkg.extractors.contract import Limits, check_size, checked
from tkg.extractors.copula import Relation, lowered
from tkg.extractors.modality import imperative, modality, whole_sentence
from tkg.extractors.phrases import People, is_literal, phrase, text_of
from tkg.extractors.pipeline import Pipeline, places, resolve
from tkg.extractors.plain import plain_relations
from tkg.extractors.points import MONTHS
from tkg.extractors.predicates import Vocabulary, snake, vocabulary
from tkg.extractors.relations import Reader
from tkg.extractors.segments import Sentence, sentences
from tkg.extractors.when import TimeSpan, find_times
from tkg.model.claim import Polarity
from tkg.model.document import Document, Extracted, Modality

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

#: raised whenever equal sentences may give other candidates
RULES: Final = "1"
#: a sentence with this many finite clauses tells a story; cutting it up makes facts that nobody stated
_STORY: Final = 5
_ASIDE: Final = frozenset({"since", "after", "before", "until", "when", "while", "as", "once"})
_PARSED: Final = 900_000
_GUESSED: Final = 600_000


class TextExtractor:
    """Reads text, Markdown and turns.

    Args:
        model: passed to `pipeline.resolve`; None takes the best pipeline on this machine.
        predicates: a table that extends `predicates.toml`.
        known: predicate names that the registry declares.
        limits: bounds on input and answer.
        batch: sentences parsed together.

    Raises:
        NotFound: `model` is not on this machine (on first use).
    """

    name = "text"

    def __init__(
        self,
        *,
        model: str | None = None,
        predicates: Mapping[str, Any] | None = None,
        known: Iterable[str] = (),
        limits: Limits | None = None,
        batch: int = 64,
    ) -> None:
        self._model = model
        self._words: Vocabulary = vocabulary(predicates, known)
        self._limits = limits or Limits()
        self._batch = batch
        self._pipeline: Pipeline | None = None

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline in use; loaded on first use."""
        if self._pipeline is None:
            self._pipeline = resolve(self._model)
        return self._pipeline

    @property
    def version(self) -> str:
        """Version of the rules and of the pipeline."""
        return f"{RULES}+{self.pipeline.stamp}"

    def extract(self, document: Document) -> list[Extracted]:
        """Return the candidates of one document, in order.

        Raises:
            TooLarge: the document is over `Limits.characters`.
        """
        return next(iter(self.extract_many([document])))

    def extract_many(self, documents: Iterable[Document]) -> Iterator[list[Extracted]]:
        """Yield the candidates of each document; sentences of neighbouring documents are parsed together."""
        group: list[tuple[Document, list[Sentence]]] = []
        size = 0
        for document in documents:
            check_size(document, self._limits)
            found = list(sentences(document, limit=self._limits.segment))
            group.append((document, found))
            size += len(found)
            if size >= 4 * self._batch:
                yield from self._parse(group)
                group, size = [], 0
        yield from self._parse(group)

    def _parse(self, group: list[tuple[Document, list[Sentence]]]) -> list[list[Extracted]]:
        with self.pipeline.reading():
            texts = [sentence.text for _, found in group for sentence in found]
            parsed = self.pipeline.nlp.pipe(texts, batch_size=self._batch)
            out: list[list[Extracted]] = []
            for document, found in group:
                docs = islice(parsed, len(found))
                out.append(checked(document, self._candidates(document, zip(found, docs, strict=False)), self._limits))
                deque(docs, maxlen=0)  # a document cut at its limit leaves none of its sentences to the next one
            return out

    def _candidates(self, document: Document, parsed: Iterable[tuple[Sentence, Doc]]) -> Iterator[Extracted]:
        people = People(speaker=document.speaker, addressee=document.addressee)
        for sentence, doc in parsed:
            yield from self._sentence(document, sentence, doc, people)

    def _sentence(self, document: Document, sentence: Sentence, doc: Doc, people: People) -> list[Extracted]:
        whole = whole_sentence(sentence.text, sentence.reporter)
        if not self.pipeline.parses:
            return self._unparsed(document, sentence, whole, people)
        out: list[Extracted] = []
        for part in doc.sents:
            found = list(clauses(part))
            if len(found) >= _STORY:
                continue
            for clause in found:
                if clause.kind == "advcl" and clause.marker in _ASIDE and clause.tense == "past":
                    continue  # "since we last talked": says when, not what
                how = modality(clause, part, whole)
                for relation, times in self._read(document, sentence, doc, clause, found, people):
                    out.append(self._extracted(document, sentence, relation, times, clause, how, part))
            out.extend(self._order(document, sentence, part, people, whole))
            _remember(people, part)
        # a verb taken for a noun leaves a sentence without clauses; simple patterns still read it
        if not out and whole is None and not any(is_predicate(token) for token in doc):
            return self._unparsed(document, sentence, whole, people)
        return out

    def _order(
        self, document: Document, sentence: Sentence, part: Span, people: People, whole: Modality | None
    ) -> Iterator[Extracted]:
        """Give an order as a candidate of its own, so that the caller sees it; the reader is told to do it."""
        root = part.root
        if not imperative(part):
            return
        words = [token for token in part if token.i > root.i and not token.is_punct]
        shown = text_of(words)
        if shown:
            start, end = sentence.span(part.start_char, part.end_char)
            yield self._made(
                document,
                sentence,
                Relation(
                    people.addressee or "reader", snake(root.lemma_), shown, any(c.dep_ == "neg" for c in root.children)
                ),
                Modality.QUESTION if whole is Modality.QUESTION else Modality.INSTRUCTION,
                (None, None),
                (start, end),
                _PARSED,
            )

    def _read(
        self, document: Document, sentence: Sentence, doc: Doc, clause: Clause, found: list[Clause], people: People
    ) -> Iterator[tuple[Relation, list[TimeSpan]]]:
        spans = find_times(sentence.text, document.observed_at, tense=clause.tense, zone=document.zone)
        spans = [span for span in spans if not _describes(doc, span)]
        own = [span for span in spans if _clause_of(doc, span, found) is clause]
        elsewhere = {i for span in spans if span not in own for i in _tokens(doc, span)}
        place_names: frozenset[int] | None = None

        def is_place(token: Token) -> bool:
            nonlocal place_names
            if place_names is None:
                place_names = places(self.pipeline.nlp, doc)
            return token.i in place_names

        for used in (own, [span for span in own if span.firm]):
            without = {i for span in used for i in _tokens(doc, span)} | elsewhere
            relations = Reader(self._words, people, without, bool(used), is_place).read(clause)
            if relations or used == own and not any(not span.firm for span in own):
                yield from ((relation, used) for relation in relations)
                return

    def _extracted(
        self,
        document: Document,
        sentence: Sentence,
        relation: Relation,
        times: list[TimeSpan],
        clause: Clause,
        how: Modality,
        part: Span,
    ) -> Extracted:
        period = bounds(times, relation, clause.tense == "present" and not clause.perfect)
        span = sentence.span(part.start_char, part.end_char)
        return self._made(document, sentence, relation, how, period, span, _PARSED)

    def _unparsed(
        self, document: Document, sentence: Sentence, whole: Modality | None, people: People
    ) -> list[Extracted]:
        span = sentence.span(0, len(sentence.text))
        times = find_times(sentence.text, document.observed_at, zone=document.zone)
        firm = [time for time in times if time.firm]
        return [
            self._made(
                document, sentence, relation, whole or Modality.ASSERTED, bounds(firm, relation, True), span, _GUESSED
            )
            for relation in plain_relations(sentence.text, times, people, self._words)
        ]

    def _made(
        self,
        document: Document,
        sentence: Sentence,
        relation: Relation,
        how: Modality,
        period: tuple[str | None, str | None],
        span: tuple[int, int],
        confidence: int,
    ) -> Extracted:
        return Extracted(
            subject=relation.subject,
            predicate=relation.predicate,
            object=relation.object,
            polarity=Polarity.NEGATIVE if relation.negative else Polarity.POSITIVE,
            modality=how,
            valid_from=period[0],
            valid_to=period[1],
            observed_at=document.observed_at,
            quote=document.text[span[0] : span[1]],
            start=span[0],
            end=span[1],
            locator=document.turn or f"line={sentence.line}",
            extractor=f"{self.name}/{self.version}",
            confidence=confidence,
        )


def bounds(times: list[TimeSpan], relation: Relation, present: bool) -> tuple[str | None, str | None]:
    """Return the validity texts of a relation from the phrases of its clause.

    A state that starts, ends or is told in the present at a given day goes on from it; an event of the past fills its day.
    """
    valid_from: str | None = None
    valid_to: str | None = None
    for span in times:
        single = span.trigger in ("at", "bare")
        if span.valid_from is not None and valid_from is None:
            valid_from = span.valid_from
        if (
            span.valid_to is not None
            and valid_to is None
            and not (single and (relation.starts or present and span.trigger == "bare"))
        ):
            valid_to = span.valid_to
    return valid_from, valid_to


def _tokens(doc: Doc, span: TimeSpan) -> range:
    found = doc.char_span(span.start, span.end, alignment_mode="expand")
    return range(0) if found is None else range(found.start, found.end)


def _describes(doc: Doc, span: TimeSpan) -> bool:
    """Say whether "from 1900" tells which thing is meant ("a book from the 1900s") and not since when."""
    first = next((doc[i] for i in _tokens(doc, span)), None)
    years = first is not None and all(
        doc[i].lower_ == "the" or doc[i].text[:2].isdigit() for i in _tokens(doc, span)[1:]
    )
    return first is not None and first.lower_ == "from" and years and first.head.pos_ in ("NOUN", "PROPN")


def _clause_of(doc: Doc, span: TimeSpan, found: list[Clause]) -> Clause | None:
    """Return the clause a phrase belongs to: the nearest verb above its first word that heads one (or its complement)."""
    tokens = _tokens(doc, span)
    if not tokens:
        return None
    heads = {clause.head.i: clause for clause in found}
    inside = set(tokens)
    token = doc[tokens[0]]
    while token.i in inside and token.head.i != token.i:
        token = token.head
    while True:
        if token.i in heads:
            return heads[token.i]
        if token.head.i == token.i:
            break
        token = token.head
    near = [clause for clause in found if clause.head.i < tokens[0]] or found
    return near[-1] if near else None


def _remember(people: People, part: Span) -> None:
    """Note whom he, she, it or they can mean in the next sentence: only what is the single candidate in this one."""
    named: set[str] = set()
    things: set[str] = set()
    groups: set[str] = set()
    for token in part:
        if token.dep_ not in ("nsubj", "nsubjpass", "dobj", "pobj", "conj") or token.pos_ not in ("PROPN", "NOUN"):
            continue
        found = phrase(token, people)
        if found is None or is_literal(found.tokens) or token.lower_ in MONTHS:
            continue
        kind = groups if token.tag_ in ("NNS", "NNPS") else named if token.pos_ == "PROPN" else things
        kind.add(lowered(found))
    subject = next((t for t in part if t.dep_ in ("nsubj", "nsubjpass")), None)
    goes_on = subject is not None and subject.pos_ == "PRON" and not named
    people.person = next(iter(named)) if len(named) == 1 else people.person if goes_on else None
    single = len(named | things) == 1 and subject is not None and subject.pos_ in ("NOUN", "PROPN")
    people.thing = next(iter(named | things)) if single else None
    people.group = next(iter(groups)) if len(groups) == 1 and not things else None
