"""Text at the door and at the screen: checking, normalising, safe printing.

`clean` refuses what no store should hold, `match_form` is what comparisons use, `safe_text` is what a terminal
gets. The form that detection rules scan (confusables, hidden characters) belongs to the gate.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tkg.errors import InvalidText, RequestError, TooLarge

#: largest text of one field, in bytes of UTF-8
MAX_TEXT: Final = 64 * 1024
#: largest subject, predicate, uri or name, in bytes of UTF-8
MAX_NAME: Final = 2 * 1024

_FRACTION: Final = re.compile(r"\.\d+(?=Z$)")
_SPACE = re.compile(r"\s+")
#: C0 and C1 controls but newline and tab, line/paragraph separators, bidi controls, zero-width and tag characters
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def clean(value: str, field: str, *, limit: int = MAX_TEXT) -> str:
    """Return `value` in NFC, or refuse it.

    Args:
        value: text from outside.
        field: its name, for the message.
        limit: most bytes of UTF-8.

    Raises:
        InvalidText: empty, a lone surrogate, or a NUL.
        TooLarge: over `limit`.
    """
    if not isinstance(value, str):
        raise InvalidText(f"{field} must be text, not {type(value).__name__}")
    if len(value) > limit:
        raise TooLarge(f"{field} is longer than {limit} bytes; split it or store a reference to it")
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidText(f"{field} holds a lone surrogate; pass valid Unicode text") from None
    if size > limit:
        raise TooLarge(f"{field} is {size} bytes, the limit is {limit}; split it or store a reference to it")
    if "\x00" in value:
        raise InvalidText(f"{field} holds a NUL character; remove it")
    if not value.strip():
        raise InvalidText(f"{field} is empty; pass some text")
    return unicodedata.normalize("NFC", value)


def names_in(values: object, field: str) -> tuple[str, ...]:
    """Return a list of ids or names as a tuple, or refuse it: a text by itself is not a list, and each must be text.

    Args:
        values: what was given.
        field: its name, for the message.

    Raises:
        RequestError: no list of texts.
        InvalidText, TooLarge: as `clean`.
    """
    if not isinstance(values, list | tuple | set | frozenset):
        raise RequestError(f"{field} takes a list of texts, such as {field}=[id], not {type(values).__name__}")
    return tuple(clean(one, field, limit=MAX_NAME) for one in values)


def match_form(value: str) -> str:
    """Return the form two texts are compared in: NFKC, case-folded, ignorables dropped, white space collapsed."""
    if value.isascii():  # nothing to normalise or to drop; most names, and several times faster
        return _SPACE.sub(" ", value.lower()).strip()
    folded = unicodedata.normalize("NFKC", value).casefold()
    kept = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", kept)).strip()


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def safe_text(value: object, *, one_line: bool = False) -> str:
    """Return `value` as text a terminal can show: control, bidi and hidden characters become escapes.

    Args:
        value: anything; `str()` of it is shown.
        one_line: also escape newline and tab.
    """
    shown = _UNSAFE.sub(_escape, str(value).encode("utf-8", "backslashreplace").decode("utf-8"))
    if one_line:
        shown = shown.replace("\n", "\\n").replace("\t", "\\t")
    return shown


def when(text: str | None) -> str:
    """Shorten an ISO 8601 time in UTC: no fraction, no seconds that are nought, no clock time at midnight."""
    if text is None:
        return "…"
    text = _FRACTION.sub("", text)
    return text.removesuffix("Z").removesuffix(":00").removesuffix("T00:00") + (
        "" if text.endswith("T00:00:00Z") or not text.endswith("Z") else "Z"
    )
