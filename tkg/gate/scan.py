"""The form detection rules look at: what a text says once its disguises are taken off.

Store and compare never use this form. It follows Unicode TR 39 in spirit: compatibility folding, ignorable
characters dropped, tag characters read as the ASCII they stand for, look-alike letters of the common scripts read as
Latin ones. One or two layers of percent, base64, hexadecimal and entity encoding are read as well, within a budget.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final
from urllib.parse import unquote

from tkg.gate.rules import table

#: characters scanned at a time; longer texts are read in windows that overlap, so that nothing hides on a border
MAX_SCAN: Final = 64 * 1024
_OVERLAP: Final = 2 * 1024
#: characters of decoded text looked at per text, over all layers
MAX_DECODED: Final = 64 * 1024
MAX_LAYERS: Final = 2

#: overrides, which show letters in another order than they are stored; marks and isolates occur in honest text
_TURNING: Final = frozenset("\u202d\u202e")
#: joiners, selectors and marks that honest emoji, Persian, Hebrew and Indic text uses
_HONEST: Final = frozenset("\u00ad\u061c\u200c\u200d\u200e\u200f\u2066\u2067\u2068\u2069\ufe0e\ufe0f")
_IGNORABLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TAG: Final = re.compile("[\U000e0020-\U000e007e]")
_SPACE: Final = re.compile(r"\s+")
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2}){12,}")
_PERCENT: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_ENTITY: Final = re.compile(r"&#?[A-Za-z0-9]{2,8};")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))")


@dataclass(frozen=True, slots=True)
class Form:
    """One reading of a text: `plain` keeps case, `folded` does not and has white space collapsed."""

    plain: str
    folded: str
    encoded: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """All readings of a text, the text's own first."""

    forms: tuple[Form, ...]


@cache
def _confusables() -> dict[int, str]:
    """Look-alike -> Latin letter or digit, keeping case."""
    return {
        ord(character): letter
        for letter, lookalikes in table("confusables.toml")["letters"].items()
        for character in lookalikes
    }


def _strip(text: str) -> str:
    if text.isascii():
        return text
    text = _SURROGATE.sub("\ufffd", text)
    text = _TAG.sub(lambda match: chr(ord(match.group()) - 0xE0000), text)
    text = unicodedata.normalize("NFKC", _IGNORABLE.sub("", text))
    return _IGNORABLE.sub("", text)


def _skeleton(text: str) -> str:
    """Read look-alikes as what they look like; what is ASCII stays, so only the rest is looked at."""
    return text if text.isascii() else _FOREIGN.sub(_bare, text)


def _bare(match: re.Match[str]) -> str:
    mapped = unicodedata.normalize("NFKD", match.group().translate(_confusables()))
    kept = "".join(c for c in mapped if not unicodedata.combining(c)).translate(_confusables())
    return kept if kept.isascii() else "".join(map(_plain_mark, kept))


@lru_cache(maxsize=4096)  # bounded: hostile text has a million characters
def _plain_mark(character: str) -> str:
    """Digits of every script as 0-9, every dash as a hyphen, every quotation mark as a straight one."""
    if character.isascii():
        return character
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Pd" or character == "\u2212":
        return "-"
    return (
        "'"
        if character in "\u2018\u2019\u201a\u201b"
        else '"'
        if character in "\u201c\u201d\u201e\u201f"
        else character
    )


def form(text: str, *, encoded: bool = False) -> Form:
    """Return the reading of `text` itself, without decoding."""
    plain = _skeleton(_strip(text[:MAX_SCAN]))
    return Form(plain=plain, folded=_SPACE.sub(" ", plain.casefold()).strip(), encoded=encoded)


def _readable(raw: bytes) -> str | None:
    """Return `raw` as text if it reads as text: UTF-8, hardly any controls."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    odd = sum(1 for c in text if not c.isprintable() and c not in "\n\r\t")
    return text if len(text) >= 6 and odd * 20 <= len(text) else None


def _base64(run: str) -> str | None:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        body = body[:-1]
    try:
        return _readable(base64.b64decode(body + "=" * (-len(body) % 4), validate=True))
    except (binascii.Error, ValueError):
        return None


def _hexadecimal(run: str) -> str | None:
    return _readable(bytes.fromhex(run))


def _decoded(text: str) -> Iterator[str]:
    """Yield what the encoded runs in `text` say; runs that hold no readable text yield nothing."""
    if _PERCENT.search(text):
        yield unquote(text, errors="replace")
    if _ENTITY.search(text):
        yield html.unescape(text)
    if _ESCAPE.search(text):
        yield _ESCAPE.sub(lambda match: chr(int(match.group(1) or match.group(2), 16)), text)
    for runs, decode in ((_HEX, _hexadecimal), (_BASE64, _base64)):
        found = [said for match in runs.finditer(text) if (said := decode(match.group())) is not None]
        if found:
            yield "\n".join(found)


def windows(text: str) -> Iterator[str]:
    """Yield `text` in parts of at most `MAX_SCAN` characters that overlap."""
    yield text[:MAX_SCAN]
    for start in range(MAX_SCAN - _OVERLAP, len(text) - _OVERLAP, MAX_SCAN - _OVERLAP):
        yield text[start : start + MAX_SCAN]


def scan(text: str) -> Scan:
    """Return every reading of one window of text within the budget; never raises on any text."""
    text = text[:MAX_SCAN]
    first = form(text)
    forms, budget, layer = [first], MAX_DECODED, [first.plain]
    seen = {first.plain}
    for _ in range(MAX_LAYERS):
        following: list[str] = []
        for outer in layer:
            for inner in _decoded(outer):
                if budget <= 0:
                    break
                found = form(inner[:budget], encoded=True)
                budget -= len(inner)
                if found.plain not in seen:
                    seen.add(found.plain)
                    forms.append(found)
                    following.append(found.plain)
        layer = following
    return Scan(forms=tuple(forms))


def turned(text: str) -> bool:
    """Return whether `text` overrides the direction it is shown in."""
    return not text.isascii() and not _TURNING.isdisjoint(text)


def hidden(text: str) -> bool:
    """Return whether `text` holds characters that are not shown and that honest text of no script needs."""
    return not text.isascii() and any(character not in _HONEST for character in _IGNORABLE.findall(text))
