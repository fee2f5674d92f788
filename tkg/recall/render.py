"""The block a model is shown: data for the user turn, fenced, one typed JSON line per record, never instructions.

The form is line based::

    MEMORY (2 records, 118 of 1200 tokens)
    <memory 6v1r…>
    {"id":"clm_…","kind":"claim","class":"human_stated","observed":"2026-03-01T09:00:00Z",…}
    {"id":"art_…","kind":"episode",…}
    </memory 6v1r…>

Every text stands inside a JSON string. `<`, `>`, `&` and the backtick, every control, format (bidi, zero-width, tag),
separator and surrogate character is written as a `\\uXXXX` escape, and newlines with them. So no stored text can form a
line, a tag, a Markdown fence or a role marker of its own, whatever the fence says; the fence's nonce is new for each
call and tells a reader (and `parse_block`) which closing line is the true one.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tkg.errors import RequestError
from tkg.model.time import iso
from tkg.recall.model import Abstention, RecallItem, RecallNote, RecallOutcome

#: bytes of UTF-8 counted as one token: English text runs at 4 to 4.5, JSON with ids at about 3, so 3.5 errs to the
#: side of counting too many for prose; other scripts need more bytes per token and are overcounted
BYTES_PER_TOKEN: Final = 3.5
#: what the header line is counted as, whatever its numbers (its true length is 38 to 50 bytes)
HEADER_TOKENS: Final = 16

#: a header of the longest numbers, for a tokenizer to count
_LONGEST_HEADER: Final = "MEMORY (1000 records, 1000000 of 1000000 tokens)\n"
_HEADER: Final = re.compile(r"^MEMORY \((\d+) records?, (\d+) of (\d+) tokens\)$")
_OPEN: Final = re.compile(r"^<memory ([0-9a-z]{8,64})>$")
_NONCE: Final = re.compile(r"[0-9a-z]{8,64}")
_MARKUP: Final = frozenset("<>&`")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def estimate_tokens(text: str) -> int:
    """Return the estimate used for budgets: UTF-8 bytes / 3.5, rounded up. No tokenizer is needed or loaded."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-size * 2 // 7)


def _escaped(character: str) -> str:
    point = ord(character)
    if point > 0xFFFF:
        point -= 0x10000
        return f"\\u{0xD800 + (point >> 10):04x}\\u{0xDC00 + (point & 0x3FF):04x}"
    return f"\\u{point:04x}"


def _line(fields: dict[str, Any]) -> str:
    """Return one JSON object on one line, with markup and hidden characters escaped."""
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if text.isascii() and text.isprintable() and not _MARKUP.intersection(text):
        return text
    return "".join(
        _escaped(c) if c in _MARKUP or (not c.isascii() and unicodedata.category(c) in _HIDDEN) or c == "\x7f" else c
        for c in text
    )


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None and value is not False}


def item_fields(item: RecallItem) -> dict[str, Any]:
    """Return what is shown of an item, in the order it is shown."""
    valid = None
    if item.valid_from is not None or item.valid_to is not None:
        valid = f"{iso(item.valid_from) or '..'}/{iso(item.valid_to) or '..'}"
    source = None
    if item.uri is not None:
        source = _present({"uri": item.uri, "version": item.version, "at": item.locator})
    claim = item.kind == "claim"
    return _present(
        {
            "id": item.id,
            "kind": item.kind,
            "pinned": item.pinned,
            "class": item.channel,
            "observed": iso(item.observed_at),
            "valid": valid,
            "state": None if item.state == "active" else item.state,
            "key": [item.subject, item.predicate] if claim else None,
            "not": item.negative,
            "value": item.object if claim else None,
            "text": None if claim else item.text,
            "source": source,
            "note": item.note,
        }
    )


def item_line(item: RecallItem) -> str:
    """Return an item's line in the block."""
    return _line(item_fields(item))


def note_line(note: RecallNote) -> str:
    """Return a note's line in the block."""
    return _line({"note": note.code, "about": note.id, "key": note.key, "text": note.text})


def abstention_line(abstained: Abstention) -> str:
    """Return the line that says why there is no answer."""
    return _line({"no_answer": abstained.code, "resolve": abstained.resolve})


def line_tokens(line: str, count: Callable[[str], int] | None = None) -> int:
    """Return what one line of the block (with its newline) counts in the budget, by `count` or by the estimate."""
    return (count or estimate_tokens)(line + "\n")


def frame_tokens(nonce: str, count: Callable[[str], int] | None = None) -> int:
    """Return what the header and the two fence lines count in the budget."""
    header = HEADER_TOKENS if count is None else count(_LONGEST_HEADER)
    return header + line_tokens(f"<memory {nonce}>", count) + line_tokens(f"</memory {nonce}>", count)


def render_text(lines: Sequence[str], *, records: int, tokens: int, token_budget: int, nonce: str) -> str:
    """Return the block.

    Args:
        lines: lines made by this module, notes first.
        records: how many of them are items.
        tokens: what the whole block counts.
        token_budget: what it was allowed.
        nonce: 8 to 64 of `0-9a-z`, new for each call.
    """
    if not _NONCE.fullmatch(nonce):
        raise RequestError("the nonce of a memory block must be 8 to 64 of 0-9 and a-z")
    noun = "record" if records == 1 else "records"
    header = f"MEMORY ({records} {noun}, {tokens} of {token_budget} tokens)"
    return "\n".join((header, f"<memory {nonce}>", *lines, f"</memory {nonce}>"))


def render_json(outcome: RecallOutcome) -> dict[str, Any]:
    """Return the same content as the block, for callers that hand models structured data: `json.dumps` it yourself.

    Keys: records, tokens, token_budget, items (as the lines of the block, with score), notes, and no_answer with
    resolve where nothing is offered.
    """
    found: dict[str, Any] = {
        "records": len(outcome.items),
        "tokens": outcome.tokens,
        "token_budget": outcome.token_budget,
        "items": [{**item_fields(item), "score": item.score} for item in outcome.items],
        "notes": [{"note": n.code, "about": n.id, "key": n.key, "text": n.text} for n in outcome.notes],
    }
    if outcome.abstained is not None:
        found["no_answer"] = outcome.abstained.code
        found["resolve"] = outcome.abstained.resolve
    return found


@dataclass(frozen=True, slots=True)
class Parsed:
    """One record read back from a block."""

    id: str
    kind: str
    text: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """A block read back: its records, its notes, and why there was no answer."""

    records: int
    tokens: int
    token_budget: int
    items: tuple[Parsed, ...]
    notes: tuple[dict[str, Any], ...]
    no_answer: str | None


def claim_text(subject: str | None, predicate: str | None, value: str | None, negative: bool = False) -> str:
    """Return a claim as one readable line: `subject · predicate: value`."""
    return f"{subject or '?'} · {predicate or '?'}:{' not' if negative else ''} {value or '?'}"


def parse_block(text: str) -> ParsedBlock:
    """Read a block back: what a careful reader of the prompt sees.

    Args:
        text: a block, alone or inside a longer message; the first whole block counts.

    Raises:
        RequestError: there is no block, or it is not whole.
    """
    lines = text.split("\n")
    for at in range(1, len(lines)):
        header, fence = _HEADER.match(lines[at - 1]), _OPEN.match(lines[at])
        if header is None or fence is None:
            continue
        close = f"</memory {fence[1]}>"
        if close not in lines[at + 1 :]:
            break
        end = lines.index(close, at + 1)
        return _read(lines[at + 1 : end], header)
    raise RequestError("no whole memory block in this text")


def _read(lines: Sequence[str], header: re.Match[str]) -> ParsedBlock:
    items: list[Parsed] = []
    notes: list[dict[str, Any]] = []
    no_answer: str | None = None
    for line in lines:
        fields = json.loads(line)
        if "id" in fields:
            if fields["kind"] == "claim":
                subject, predicate = fields["key"]
                shown = claim_text(subject, predicate, fields.get("value"), fields.get("not", False))
            else:
                shown = fields["text"]
            items.append(Parsed(fields["id"], fields["kind"], shown, fields))
        elif "no_answer" in fields:
            no_answer = fields["no_answer"]
        else:
            notes.append(fields)
    return ParsedBlock(int(header[1]), int(header[2]), int(header[3]), tuple(items), tuple(notes), no_answer)
