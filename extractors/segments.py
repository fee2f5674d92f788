"""From a document to sentences that can be parsed, with a way back to the document's own characters.

A `Sentence` holds cleaned text (line breaks as spaces, Markdown marks removed, a leading "btw," cut) and, for each of its
characters, the offset in the document, so that every quote stays verbatim. Code fences, tables and front matter of
Markdown give no sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tkg.model.document import Document

#: not the end of a sentence
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|approx|no|No|Nos|Inc|Ltd|Jr|Sr|cf|Fig|fig|al|[A-Z])|\b[ap]\.m)\.$"
)
_END: Final = re.compile(r"""[.!?]+["'”’)\]]*\s+(?=["'“‘(\[]?[A-Z0-9`@/])|[!?]+\s+(?=\S)|;\s+""")
_DISCOURSE: Final = re.compile(
    r"(?:(?:btw|fyi|fwiw|ok(?:ay)?|so|also|oh|yeah|yep|actually|just so you know|for the record|by the way|and|but|lol|haha"
    r"|as (?:noted|mentioned|said|discussed) (?:earlier|before|above))(?:\s*[,:!.—–-]+\s+|\s+(?=\w))"
    r"|(?:well|hey|hi|hello|yes|no|nope|in short|heads up|note|nb|reminder|update|correction|anyway|thanks|wow)"
    r"\s*[,:!.—–-]+\s+)",
    re.IGNORECASE,
)
#: "Hi Maria, …": whom the text greets is not its subject
_GREETING: Final = re.compile(r"(?i:hi|hey|hello|thanks|thank you|wow|woah|yeah|dear) [A-Z]\w*\s*[,!.:–—-]+\s+")
_SPEAKER_SAID: Final = re.compile(
    r"(?P<who>[A-Z@][\w'.-]*(?: [A-Z][\w'.-]*){0,2}|[a-z][\w.]*-[\w-]+) (?:said|says|wrote|writes|replied|told me|mentioned|reported):\s*[\"“']?"
)
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_PREFIX: Final = re.compile(r"\s*(?:>\s?|#{1,6}\s+|(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?)+")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_TABLE: Final = re.compile(r"\s*\|.*\||\s*[-=*_|: ]{3,}\s*$")
_MARKS: Final = re.compile(
    r"\*{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|`+|~~|!?\[(?=[^\]]*\]\()|\]\([^)\s]*\)|<!--|-->"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Cleaned `text`; `at[i]` is the document offset of its character i; `line` is 1-based.

    `reporter` is set where the text says who said it ("helper said: …"); `heading` marks titles.
    """

    text: str
    at: tuple[int, ...]
    line: int
    reporter: str | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the document offsets of `[start, end)` of the cleaned text (at least one character)."""
        return self.at[start], self.at[end - 1] + 1


@dataclass(slots=True)
class _Buffer:
    characters: list[str]
    at: list[int]
    line: int

    def add(self, text: str, offset: int) -> None:
        self.characters.extend(text)
        self.at.extend(range(offset, offset + len(text)))


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (line number, offset, line without its break); only the breaks editors count."""
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        yield number, offset, line.removesuffix("\r")
        offset += len(line) + 1


def _joins(previous: str, line: str) -> bool:
    """Say whether a line goes on with the sentence of the one before it (a hard-wrapped paragraph)."""
    before = previous.rstrip()
    if not before or before[-1] in ".!?:;" or _ITEM.match(line):
        return False
    return line.lstrip()[:1].islower() or len(before) >= 60


def _unmarked(line: str, offset: int, into: _Buffer) -> None:
    """Add a Markdown line without its inline marks."""
    at = 0
    for mark in _MARKS.finditer(line):
        into.add(line[at : mark.start()], offset + at)
        at = mark.end()
    into.add(line[at:], offset + at)


def _markdown_blocks(text: str) -> Iterator[_Buffer]:
    fence: str | None = None
    front = text.startswith("---\n")
    block: _Buffer | None = None
    for number, offset, line in _lines(text):
        if front:
            front = number == 1 or line.rstrip() not in ("---", "...")
            continue
        opening = _FENCE.match(line)
        if fence is not None:
            if opening and opening[1].startswith(fence) and not line[opening.end() :].strip("`~ "):
                fence = None
            continue
        new_block = bool(_PREFIX.match(line)) or not line.strip() or bool(opening) or bool(_TABLE.match(line))
        if block is not None and new_block:
            yield block
            block = None
        if opening:
            fence = opening[1]
            continue
        if (
            not line.strip()
            or _TABLE.match(line)
            or _HEADING.match(line)
            or line.startswith(("    ", "\t"))
            and block is None
        ):
            continue
        prefix = _PREFIX.match(line)
        skip = prefix.end() if prefix else 0
        if block is None:
            block = _Buffer([], [], number)
        else:
            block.characters.append(" ")
            block.at.append(offset - 1)
        _unmarked(line[skip:], offset + skip, block)
    if block is not None:
        yield block


def _plain_blocks(text: str) -> Iterator[_Buffer]:
    block: _Buffer | None = None
    previous = ""
    for number, offset, line in _lines(text):
        if block is not None and not _joins(previous, line):
            yield block
            block = None
        previous = line
        if not line.strip():
            continue
        prefix = _ITEM.match(line) if block is None else None
        skip = prefix.end() if prefix else 0
        if block is None:
            block = _Buffer([], [], number)
        else:
            block.characters.append(" ")
            block.at.append(offset - 1)
        block.add(line[skip:], offset + skip)
    if block is not None:
        yield block


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _END.finditer(text):
        stop = end.end() if end.group()[0] != ";" else end.start()
        if end.group()[0] == "." and _ABBREVIATION.search(text[start : end.start() + 1]):
            continue
        yield start, stop
        start = end.end()
    yield start, len(text)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _lead(text: str, start: int, end: int) -> tuple[int, str | None]:
    """Cut discourse words from the front; return the new start and who is said to have said the rest."""
    for _ in range(3):
        found = _DISCOURSE.match(text, start, end) or _GREETING.match(text, start, end)
        if not found or found.end() >= end:
            break
        start = found.end()
    said = _SPEAKER_SAID.match(text, start, end)
    if said and said.end() < end:
        return said.end(), said["who"]
    return start, None


def sentences(document: Document, *, limit: int) -> Iterator[Sentence]:
    """Yield the sentences of a text, Markdown or turn document; those over `limit` characters are no prose and skipped."""
    markdown = document.media == "markdown"
    for block in _markdown_blocks(document.text) if markdown else _plain_blocks(document.text):
        text = "".join(block.characters)
        breaks = 0
        seen = 0
        for cut in _cuts(text):
            start, end = _trimmed(text, *cut)
            if start == end:
                continue
            breaks += document.text.count("\n", block.at[seen], block.at[start])
            seen = start
            begin, reporter = _lead(text, start, end)
            begin, end = _trimmed(text, begin, end)
            if begin < end <= begin + limit:
                yield Sentence(text[begin:end], tuple(block.at[begin:end]), block.line + breaks, reporter)
