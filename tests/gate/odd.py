"""Input that nobody would write: texts of any characters and sizes, and nested values, all from one source of chance."""

from __future__ import annotations

import json
import random
from typing import Any

_NAMES = (
    "acme",
    "Ünïcode",
    "\u202egnidoc",
    "\u200b",
    "a" * 300,
    "\x00",
    "\ud800",
    "🏳️‍🌈",
    "'; DROP TABLE x; --",
    "{{7*7}}",
    "%00",
    "１２３",
)
#: places of a chat line, an export or a settings file in which something else than text may stand
_CHAT_FIELDS = ("role", "content", "text", "name", "timestamp", "session", "id", "metadata", "tool_calls", "version")
#: levels of nesting: what people write, what a parser still reads, and what it does not
_DEPTHS = (1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20, 33, 60, 100, 200, 400, 700, 990, 1_500, 5_000)


def text(chance: random.Random, longest: int) -> str:
    """Return a text of any characters, up to `longest` of them, short ones more often."""
    kind = chance.random()
    if kind < 0.2:
        return chance.choice(_NAMES)
    size = int(longest ** chance.random())
    if kind < 0.45:
        return "".join(chr(chance.randrange(0x20, 0x7F)) for _ in range(size))
    if kind < 0.5:
        return "(" * size + "[" * size
    if kind < 0.55:
        return chance.choice(("a", "é", "\u0301", "ﷺ", "\U000e0041", "1", " ", "\n", "=", "\u1e9b\u0323")) * size
    return "".join(chr(chance.randrange(1, 0x110000)) for _ in range(min(size, 2_000)))


def value(chance: random.Random, longest: int) -> Any:
    """Return a text, sometimes what is no text at all, and sometimes something nested."""
    kind = chance.random()
    if kind < 0.05:
        return chance.choice([None, 7, 1.5, True, float("nan"), 10**400, b"x", object])
    return nested(chance) if kind < 0.1 else text(chance, longest)


def nested(chance: random.Random) -> Any:
    """Return lists and objects in each other: deep, wide, empty, or holding themselves."""
    kind = chance.random()
    if kind < 0.05:
        loop: list[Any] = []
        loop.append(loop)
        return loop
    if kind < 0.1:
        return chance.choice([[], {}, [[]], {"": {}}, (), set()])
    if kind < 0.3:
        return [text(chance, 20) for _ in range(chance.randrange(1, 300))]
    inner: Any = text(chance, 60)
    for _ in range(chance.choice(_DEPTHS)):
        inner = [inner] if chance.random() < 0.5 else {text(chance, 8): inner, "b": chance.random()}
    return inner


def nested_json(chance: random.Random) -> str:
    """Return the JSON text of something nested, sometimes with what JSON forbids: repeated keys, NaN, an open end."""
    depth = chance.choice(_DEPTHS) if chance.random() < 0.97 else chance.choice((20_000, 60_000))
    opening, closing = chance.choice((("[", "]"), ('{"a":', "}"), ('[{"a":1,"a":', "}]"), ('{"\\ud800":[', "]}")))
    leaf = chance.choice(('"x"', "1e999", "NaN", "-0", "9" * 500, '"\\u0000"', json.dumps(text(chance, 200)), "null"))
    return opening * depth + leaf + closing * (depth if chance.random() < 0.9 else depth // 2)


def settings(chance: random.Random) -> tuple[str, str]:
    """Return a settings file as (media, text): nested, and sometimes a bomb of its format."""
    media = chance.choice(("yaml", "json", "toml", "ini", "env"))
    kind = chance.random()
    if kind < 0.4:
        return media, nested_json(chance)
    if kind < 0.5:
        anchors = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'x'}]" for n in range(9))
        return media, anchors
    if kind < 0.6:
        return media, "\n".join(f"[{'.'.join('k' * (n % 60 + 1))}]\nx = [{'[' * n}1{']' * n}]" for n in range(1, 40, 7))
    depth = chance.choice((2, 10, 100, 1_000))
    return media, "\n".join(f"{' ' * n}{text(chance, 5)!r}:" for n in range(depth)) + " 1"


def chat_lines(chance: random.Random) -> str:
    """Return lines of JSON: messages with anything in any place."""
    lines = []
    for _ in range(chance.randrange(1, 4)):
        if chance.random() < 0.2:
            lines.append(nested_json(chance))
            continue
        item: dict[str, Any] = {"role": "user", "content": text(chance, 200)}
        for name in chance.sample(_CHAT_FIELDS, chance.randrange(4)):
            item[name] = value(chance, 60)
        lines.append(dumped(item))
    return "\n".join(lines)


def dumped(item: Any) -> str:
    """Return the JSON of a value; what JSON cannot hold is written as text."""
    try:
        return json.dumps(item, default=str)
    except (ValueError, RecursionError, TypeError):
        return "[" * 3_000
