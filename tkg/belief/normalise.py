"""Objects in the form comparisons use, by type: deterministic, versioned, pure (semantics 3.5).

`normalise` never guesses: what a declared type cannot read becomes `unreadable`, and `tkg.belief.compare` answers
UNKNOWN for it, which never supersedes. Without a declared type plain decimal numbers are numbers, all else is text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from tkg.belief.units import read_quantity
from tkg.errors import InvalidInterval, InvalidTime
from tkg.model.edtf import read_edtf
from tkg.model.predicate import Predicate
from tkg.text import match_form

#: changes when the same raw text may get another norm
VERSION: Final = 1

#: the type of an object that its predicate's declared type cannot read
UNREADABLE: Final = "unreadable"


class Normal(NamedTuple):
    """A normalised object: what comparisons use, how to compare it, and whether the raw text said more."""

    norm: str
    type: str
    version: int = VERSION
    lossy: bool = False


# A leading zero or a plus sign marks an identifier (a room, a telephone number), not an amount.
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]{0,27})(?:\.[0-9]{1,28})?", re.ASCII)
_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3}){1,9}(?:\.[0-9]{1,28})?", re.ASCII)
_EXPONENT = re.compile(r"[+-]?[0-9]{1,28}(?:\.[0-9]{1,28})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_VERSION = re.compile(
    r"v?([0-9]{1,9}(?:\.[0-9]{1,9}){0,5})(?:-?((?:a|b|c|rc|alpha|beta|pre|dev|post)?[0-9a-z.-]*))?(?:\+([0-9a-z.-]+))?",
    re.ASCII,
)
_EMAIL = re.compile(r"([^@\s]{1,64})@([^@\s]{1,255})")
_TRUE: Final = frozenset({"true", "yes", "y", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "n", "off", "0"})
_PORTS: Final = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}


def _number(raw: str, *, declared: bool) -> Normal | None:
    text = match_form(raw)
    if _PLAIN.fullmatch(text):
        return Normal("0" + text[2:] if Decimal(text).is_zero() and text.startswith("-0") else text, "number")
    if not declared:
        return None
    if _GROUPED.fullmatch(text):
        return Normal(text.replace(",", ""), "number")
    if _EXPONENT.fullmatch(text):
        value = Decimal(text)
        # "+5", "007" and "12e3" keep their value; only the plain form keeps its stated precision
        plain = "0" if value.is_zero() else f"{value:f}"
        return Normal(plain, "number", lossy=True) if _PLAIN.fullmatch(plain) else None
    return None


def _boolean(raw: str) -> Normal | None:
    form = match_form(raw)
    if form in _TRUE:
        return Normal("true", "boolean")
    return Normal("false", "boolean") if form in _FALSE else None


def _url(raw: str) -> Normal | None:
    text = raw.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if not parts.scheme or not parts.hostname or any(c.isspace() for c in text):
        return None
    host = parts.hostname.rstrip(".")
    host = f"[{host}]" if ":" in host else host
    user = "" if parts.username is None else parts.netloc.rpartition("@")[0] + "@"
    place = user + host + ("" if port is None or port == _PORTS.get(parts.scheme) else f":{port}")
    path = re.sub(r"%[0-9a-fA-F]{2}", lambda match: match.group().upper(), parts.path) or "/"
    return Normal(urlunsplit((parts.scheme, place, path, parts.query, parts.fragment)), "url")


def _email(raw: str) -> Normal | None:
    match = _EMAIL.fullmatch(raw.strip())
    # the local part may distinguish case (RFC 5321 2.4); the domain does not
    return None if match is None else Normal(f"{match[1]}@{match[2].lower().rstrip('.')}", "email")


def _version(raw: str) -> Normal | None:
    match = _VERSION.fullmatch(raw.strip().lower())
    if match is None:
        return None
    numbers = [str(int(part)) for part in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == "0":
        numbers.pop()
    norm = ".".join(numbers) + (f"-{match[2].strip('-.')}" if match[2] else "") + (f"+{match[3]}" if match[3] else "")
    return Normal(norm, "version")


def _date(raw: str) -> Normal | None:
    try:
        read_edtf(raw.strip())
    except (InvalidTime, InvalidInterval):
        return None
    return Normal(raw.strip(), "date")


def _enum(raw: str, predicate: Predicate) -> Normal | None:
    canonical = predicate.names.get(match_form(raw))
    return None if canonical is None else Normal(canonical, "enum")


def datatype_of(predicate: Predicate) -> str:
    """Return the declared datatype; values that are listed make an enumeration of an undeclared one."""
    if predicate.datatype == "auto" and predicate.values:
        return "enum"
    return "boolean" if predicate.datatype == "bool" else predicate.datatype


def normalise(raw: str, predicate: Predicate) -> Normal:
    """Return the form in which `raw` is compared under `predicate`.

    Idempotent: normalising a norm gives it again. What the declared type cannot read has type `unreadable`.
    """
    kind = datatype_of(predicate)
    text = Normal(match_form(raw), "text")
    if kind == "auto":
        return _number(raw, declared=False) or text
    if kind in ("text", "entity", "place"):
        return text._replace(type=kind)
    if kind == "quantity":
        quantity = read_quantity(raw)
        found = None if quantity is None else Normal(quantity.text, "quantity")
    elif kind == "number":
        found = _number(raw, declared=True)
    elif kind == "enum":
        found = _enum(raw, predicate)
    else:
        readers = {"boolean": _boolean, "url": _url, "email": _email, "version": _version, "date": _date}
        reader = readers.get(kind)
        found = text if reader is None else reader(raw)
    # kept as written: folding could make it readable, and a norm must stay what it is
    return found or Normal(raw.strip(), UNREADABLE)
