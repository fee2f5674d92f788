"""What a caller tells besides claims (reasons, names, sessions): kept as it is, so what is never stored is refused first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from tkg.errors import Rejected
from tkg.gate import find_secret
from tkg.model.evidence import Evidence
from tkg.text import MAX_TEXT, clean

#: characters of the longest text whose kind is remembered: names and sessions come again, long texts only fill memory
_REMEMBERED: Final = 256


def told(value: str, field: str, *, limit: int = MAX_TEXT) -> str:
    """Return a text that will be kept beside a record, or refuse it.

    Args:
        value: text from outside.
        field: its name, for the message.
        limit: most bytes of UTF-8.

    Raises:
        InvalidText, TooLarge: as `tkg.text.clean`.
        Rejected: it holds what is never stored; the message names the kind and repeats nothing.
    """
    text = clean(value, field, limit=limit)
    if (found := secret_in((text,))) is not None:
        raise Rejected(f"the {field} holds what is never stored ({found}); nothing was written: take it out")
    return text


def secret_in(texts: Iterable[str]) -> str | None:
    """Return the kind of the first secret in some texts, or None; names and sessions come again and again."""
    return next((found for found in map(_kind, texts) if found is not None), None)


def _kind(text: str) -> str | None:
    return _remembered(text) if len(text) <= _REMEMBERED else find_secret((text,))


@lru_cache(maxsize=1024)
def _remembered(text: str) -> str | None:
    return find_secret((text,))


def beside(evidence: Evidence | None) -> tuple[str, ...]:
    """Return what evidence keeps besides its uri and quote."""
    if evidence is None:
        return ()
    fields = (evidence.version, evidence.locator, evidence.owner, evidence.copy_of, evidence.extractor)
    return tuple(one for one in fields if one is not None)
