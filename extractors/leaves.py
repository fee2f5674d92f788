"""TOML, INI and .env texts as leaves: each scalar with its keys and its place in the text.

TOML is checked by the standard library first, so the scan below meets only valid text; INI and .env have no standard
and are read line by line, a line that is neither a setting nor a comment being refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tkg.errors import InvalidText

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_TOML_STRING: Final = re.compile(
    r'"""(?P<a>(?:[^\\]|\\.)*?"{0,2})"""|\'\'\'(?P<b>.*?\'{0,2})\'\'\'|"(?P<c>(?:[^"\\\n]|\\.)*)"|\'(?P<d>[^\'\n]*)\'',
    re.DOTALL,
)
_TOML_BARE: Final = re.compile(r"[^,\]}#\n]+")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_INLINE: Final = re.compile(r"[ \t]*")
_INI: Final = re.compile(r"\s*(?P<key>[^=:\s\[][^=:\n]*?)\s*(?:=|:)[ \t]*(?P<value>.*?)\s*$")
_ENV: Final = re.compile(r"\s*(?:export\s+)?(?P<key>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?P<value>.*?)\s*$")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar of a configuration: its keys from the root, its text, and where it stands."""

    keys: tuple[str, ...]
    value: str
    start: int
    end: int
    line: int

    @property
    def pointer(self) -> str:
        """JSON pointer (RFC 6901) of the leaf."""
        return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in self.keys)


def _at(text: str, keys: tuple[str, ...], value: str, start: int, end: int) -> Leaf:
    return Leaf(keys, value, start, end, text.count("\n", 0, start) + 1)


class _Toml:
    """Walks valid TOML."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._tables: dict[tuple[str, ...], int] = {}

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _key(self) -> tuple[str, ...]:
        parts = []
        while True:
            self._skip(_INLINE)
            if found := _TOML_STRING.match(self._text, self._at):
                parts.append(_string(found))
            elif found := _BARE_KEY.match(self._text, self._at):
                parts.append(found.group())
            else:
                raise InvalidText("the file is not readable TOML")
            self._at = found.end()
            self._skip(_INLINE)
            if self._peek() != ".":
                return tuple(parts)
            self._at += 1

    def leaves(self) -> Iterator[Leaf]:
        table: tuple[str, ...] = ()
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return
            if self._peek() == "[":
                table = self._header()
            else:
                yield from self._setting(table)

    def _header(self) -> tuple[str, ...]:
        several = self._text.startswith("[[", self._at)
        self._at += 2 if several else 1
        keys = self._key()
        self._at += 2 if several else 1
        if several:
            number = self._tables.get(keys, -1) + 1
            self._tables[keys] = number
            return (*keys, str(number))
        for length in range(len(keys) - 1, 0, -1):  # [a.b] below [[a]] belongs to its last item
            if keys[:length] in self._tables:
                return (*keys[:length], str(self._tables[keys[:length]]), *keys[length:])
        return keys

    def _setting(self, above: tuple[str, ...]) -> Iterator[Leaf]:
        keys = (*above, *self._key())
        self._at += 1  # "="
        self._skip(_INLINE)
        yield from self._value(keys)

    def _value(self, keys: tuple[str, ...]) -> Iterator[Leaf]:
        if self._peek() == "[":
            self._at += 1
            number = 0
            while True:
                self._skip(_BLANK)
                if self._peek() == "]":
                    break
                yield from self._value((*keys, str(number)))
                number += 1
                self._skip(_BLANK)
                if self._peek() == ",":
                    self._at += 1
            self._at += 1
        elif self._peek() == "{":
            self._at += 1
            while True:
                self._skip(_BLANK)
                if self._peek() == "}":
                    break
                yield from self._setting(keys)
                self._skip(_BLANK)
                if self._peek() == ",":
                    self._at += 1
            self._at += 1
        elif found := _TOML_STRING.match(self._text, self._at):
            self._at = found.end()
            group = str(found.lastgroup)
            yield _at(self._text, keys, _string(found), found.start(group), found.end(group))
        else:
            bare = _TOML_BARE.match(self._text, self._at)
            if bare is None:
                raise InvalidText("the file is not readable TOML")
            self._at = bare.end()
            value = bare.group().rstrip()
            yield _at(self._text, keys, value, bare.start(), bare.start() + len(value))


def _string(found: re.Match[str]) -> str:
    """Return what a TOML string denotes; the standard library reads the escapes."""
    return str(tomllib.loads(f"x = {found.group()}")["x"])


def toml_leaves(text: str) -> Iterator[Leaf]:
    """Yield the scalars of a TOML text, in order.

    Raises:
        InvalidText: it is no TOML.
    """
    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deeply"
        raise InvalidText(f"the file is not readable TOML: {reason}") from None
    yield from (leaf for leaf in _Toml(text).leaves() if leaf.value.strip())


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line
        at += len(line)


def ini_leaves(text: str) -> Iterator[Leaf]:
    """Yield the settings of an INI text; an indented line goes on with the value above it and is left out.

    Raises:
        InvalidText: a line is neither a section, a setting nor a comment.
    """
    section: tuple[str, ...] = ()
    for at, line in _lines(text):
        bare = line.strip()
        if not bare or bare[0] in ";#" or line[0] in " \t":
            continue
        if bare.startswith("[") and bare.endswith("]"):
            section = (bare[1:-1].strip(),)
            continue
        found = _INI.match(line)
        if found is None:
            raise InvalidText(f"line {text.count(chr(10), 0, at) + 1} is no INI setting; write key = value")
        value = re.split(r"\s[;#]", found["value"], maxsplit=1)[0].rstrip()
        if value:
            start = at + found.start("value")
            yield _at(text, (*section, found["key"].strip()), value, start, start + len(value))


def env_leaves(text: str) -> Iterator[Leaf]:
    """Yield the settings of a .env text; quotes around a value are cut.

    Raises:
        InvalidText: a line is neither a setting nor a comment.
    """
    for at, line in _lines(text):
        bare = line.strip()
        if not bare or bare[0] == "#":
            continue
        found = _ENV.match(line)
        if found is None:
            raise InvalidText(f"line {text.count(chr(10), 0, at) + 1} is no setting; write KEY=value")
        value, start = found["value"], at + found.start("value")
        if len(value) > 1 and value[0] in "\"'" and (end := value.find(value[0], 1)) > 0:
            value, start = value[1:end], start + 1
        else:
            value = re.split(r"\s#", value, maxsplit=1)[0].rstrip()
        if value.strip():
            yield _at(text, (found["key"],), value, start, start + len(value))
