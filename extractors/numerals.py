"""Numbers written as words inside phrases about time: "twenty-first", "nineteen seventy eight", "the seventies"."""

from __future__ import annotations

import re
from typing import Final

_ONES: Final = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen".split()
    )
}
_TENS: Final = {
    word: 10 * value for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_ORDINAL_ONES: Final = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
        "sixteenth seventeenth eighteenth nineteenth".split(),
        1,
    )
}
_ORDINAL_TENS: Final = {"twentieth": 20, "thirtieth": 30}
_DECADES: Final = {
    **{f"{word.removesuffix('y')}ies": value for word, value in _TENS.items()},
    "tens": 10,
    "noughties": 0,
}
_WORD: Final = re.compile(r"[a-z]+|[^a-z]+")


def ordinal(number: int) -> str:
    """Return "1st", "22nd", "13th"."""
    last = number % 10 if number % 100 not in (11, 12, 13) else 0
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


class _Run:
    """A run of number words, read from left to right."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._at = 0

    def _peek(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def below_hundred(self) -> int | None:
        """Read up to ninety-nine."""
        word = self._peek()
        if word in _TENS:
            self._at += 1
            value, follow = _TENS[word], _ONES.get(self._peek(), 0)
            if 0 < follow < 10:
                self._at += 1
                value += follow
            return value
        if word in _ONES:
            self._at += 1
            return _ONES[word]
        return None

    def _scaled(self) -> int | None:
        value = self.below_hundred()
        if value is None:
            return None
        for name, scale in (("thousand", 1000), ("hundred", 100)):
            if self._peek() == name:
                self._at += 1
                value *= scale
                if self._peek() == "and":
                    self._at += 1
                rest = self._scaled() if scale == 1000 else self.below_hundred()
                return value + (rest or 0)
        return value

    def read(self) -> tuple[int | None, int]:
        """Return the number at the front and how many words it takes; "nineteen zero one" is 1901."""
        value = self._scaled()
        if value is not None and 10 <= value <= 20 and self._peek():
            mark = self._at
            if self._peek() == "zero":
                self._at += 1
            rest = self.below_hundred()
            if rest is not None and (rest >= 10 or self._at - mark == 2):
                return value * 100 + rest, self._at
            self._at = mark
        return value, self._at


def _replacement(words: list[str]) -> tuple[str, int]:
    """Return the digits for the number words at the front, and how many words they replace (0: none)."""
    if (decade := _DECADES.get(words[0])) is not None and words[0] != "tens":
        return f"{decade:02d}s", 1
    value, used = _Run(words).read()
    follow = words[used] if used < len(words) else ""
    if value is not None:
        if (more := _ORDINAL_ONES.get(follow)) is not None and value % 10 == 0 and value and more < 10:
            return ordinal(value + more), used + 1
        if follow in _DECADES and value in (18, 19, 20):
            return f"{value}{_DECADES[follow]:02d}s", used + 1
        if follow == "tens" and value == 2000:
            return "2010s", used + 1
        if follow == "and" and used + 1 < len(words) and words[used + 1] == "tens" and value == 2000:
            return "2010s", used + 2
        return str(value), used
    if words[0] in _ORDINAL_TENS:
        return ordinal(_ORDINAL_TENS[words[0]]), 1
    if words[0] in _ORDINAL_ONES:
        return ordinal(_ORDINAL_ONES[words[0]]), 1
    return "", 0


def in_digits(text: str) -> str:
    """Return a lower-case phrase with its number words as digits: "the twenty first" -> "the 21st"."""
    text = text.replace("two thousands", "2000s")
    pieces = _WORD.findall(text)
    out: list[str] = []
    at = 0
    while at < len(pieces):
        if not pieces[at].isalpha():
            out.append(pieces[at])
            at += 1
            continue
        # the words of one run, joined by single spaces or hyphens
        words, places = [pieces[at]], [at]
        while places[-1] + 2 < len(pieces) and pieces[places[-1] + 1] in (" ", "-") and len(words) < 9:
            places.append(places[-1] + 2)
            words.append(pieces[places[-1]])
            if not words[-1].isalpha():
                break
        digits, used = _replacement(words)
        if used:
            out.append(digits)
            at = places[used - 1] + 1
        else:
            out.append(pieces[at])
            at += 1
    return "".join(out)
