"""Eight ways in which a text hides from patterns; what it says to its reader stays the same."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

_LOOKALIKES: Final = str.maketrans(
    "AEOCPXaeocpxy", "\u0410\u0415\u041e\u0421\u0420\u0425\u0430\u0435\u043e\u0441\u0440\u0445\u0443"
)


def _tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(c)) if 0x20 <= ord(c) < 0x7F else c for c in text)


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if 0x21 <= ord(c) < 0x7F else c for c in text)


DISGUISES: Final[Mapping[str, Callable[[str], str]]] = {
    "zero width": lambda text: "\u200b".join(text),
    "soft hyphens": lambda text: "\u00ad".join(text),
    "tag characters": _tags,
    "full width": _wide,
    "look-alikes": lambda text: text.translate(_LOOKALIKES),
    "percent": lambda text: quote(text, safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
}
