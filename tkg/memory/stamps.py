"""What this memory itself said, recognised when it comes back: blocks of recall, single records of one, own ids.

A block is data that was shown, not evidence: it is left out of a text before anything is read from it, and a quote
that holds one proves nothing.
"""

from __future__ import annotations

import json
import re
from typing import Final

from tkg.ids import kind_of

_HEADER: Final = re.compile(r"MEMORY \(\d+ records?, \d+ of \d+ tokens\)")
_OPEN: Final = re.compile(r"<memory ([0-9a-z]{8,64})>")
#: kinds of ids that a record of a block begins with
_RECORDS: Final = frozenset({"claim", "artefact"})
#: schemes of what was said in the running session: a person or a tool vouches for it, an agent's word is its own output
_OWN_SCHEMES: Final = ("session:", "said:")


def _is_record(line: str) -> bool:
    """Return whether a line is one record of a block: a JSON object with an id and a kind of this memory."""
    if not line.startswith('{"id":"') or len(line) > 1_000_000:
        return False
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "kind" in found and kind_of(str(found.get("id"))) in _RECORDS


def without_recalled(text: str) -> tuple[str, int]:
    """Return a text without the blocks of recall in it, and how many lines were left out.

    Each line that is left out stays as an empty one, so that line numbers still fit. A block without its end is left
    out to the end of the text.
    """
    if "<memory " not in text and '{"id":"' not in text and "MEMORY (" not in text:
        return text, 0
    kept: list[str] = []
    closing, dropped = "", 0
    for line in text.split("\n"):
        plain = line.strip()
        if closing:
            closing = "" if plain == closing else closing
        elif (opened := _OPEN.fullmatch(plain)) is not None:
            closing = f"</memory {opened[1]}>"
        elif not (_HEADER.fullmatch(plain) or _is_record(plain)):
            kept.append(line)
            continue
        kept.append("")
        dropped += 1
    return "\n".join(kept), dropped


def recalled(text: str | None) -> bool:
    """Return whether a quote or value holds something that recall rendered."""
    return text is not None and without_recalled(text)[1] > 0


def own_word(uri: str | None) -> bool:
    """Return whether a uri leads back into this memory or the running session, and to nothing outside."""
    return uri is None or uri.startswith(_OWN_SCHEMES) or kind_of(uri) is not None
