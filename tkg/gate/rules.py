"""Rules are data: patterns in TOML files beside this module, compiled for an engine that takes linear time.

The patterns keep to what RE2 accepts (no look-around, no back references). Where google-re2 has no build for the
platform the same patterns run on `re`; they hold no nested repetition, so that stays fast too (tests/gate shows it).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

try:
    import re2  # type: ignore[import-untyped,import-not-found,unused-ignore]
except ImportError:  # no wheel for this platform
    re2 = None


#: bytes for the table of all keywords; a hostile text fills the default and makes it slow
_SET_MEMORY: Final = 64 * 1024 * 1024

#: both engines' objects answer to these
Match = re.Match[str]
Pattern = re.Pattern[str]


def compile_pattern(pattern: str) -> Pattern:
    """Compile `pattern` for RE2, or for `re` in ASCII mode, which gives classes and word bounds the same meaning."""
    if re2 is not None:
        return re2.compile(pattern)  # type: ignore[no-any-return]
    return re.compile(pattern, re.ASCII)


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern with its name, the sentence shown when it fires, and examples that test it."""

    id: str
    sentence: str
    pattern: Pattern
    source: str
    options: Mapping[str, Any]
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()


@cache
def table(name: str) -> Mapping[str, Any]:
    """Return the TOML file `name` of this package."""
    return tomllib.loads(files("tkg.gate").joinpath(name).read_text("utf-8"))


@cache
def index(name: str) -> tuple[tuple[str, ...], Mapping[str, tuple[int, ...]], tuple[int, ...]]:
    """Return all keywords of a file's rules, the rules of each, and the rules without any (as places in `load`)."""
    found: dict[str, list[int]] = {}
    always = []
    for place, rule in enumerate(load(name)):
        for word in rule.options.get("keywords", ()):
            found.setdefault(word, []).append(place)
        if "keywords" not in rule.options:
            always.append(place)
    return tuple(found), {word: tuple(places) for word, places in found.items()}, tuple(always)


def _occurring(name: str, words: tuple[str, ...], folded: str) -> list[str]:
    """Return the words that occur in a text; with RE2 in one pass, however many words there are."""
    if re2 is None or not words:
        return [word for word in words if word in folded]
    return [words[place] for place in _set(name).Match(folded) or ()]


@cache
def _set(name: str) -> Any:
    options = re2.Options()
    options.max_mem = _SET_MEMORY
    found = re2.Set.SearchSet(options)
    for word in index(name)[0]:
        found.Add(re2.escape(word))
    found.Compile()
    return found


def candidates(name: str, folded: str) -> list[Rule]:
    """Return the rules of a file that can fire on a text (folded scan form): one of their keywords occurs in it."""
    words, places, always = index(name)
    chosen = {place for word in _occurring(name, words, folded) for place in places[word]}
    rules = load(name)
    return [rules[place] for place in sorted(chosen.union(always))]


@cache
def load(name: str) -> tuple[Rule, ...]:
    """Return the `[[rule]]` entries of the TOML file `name` in their order."""
    return tuple(
        Rule(
            id=entry["id"],
            sentence=entry.get("sentence", ""),
            pattern=compile_pattern(entry["pattern"]),
            source=entry["pattern"],
            options={k: v for k, v in entry.items() if k not in {"id", "sentence", "pattern", "hits", "misses"}},
            hits=tuple(entry.get("hits", ())),
            misses=tuple(entry.get("misses", ())),
        )
        for entry in table(name)["rule"]
    )
