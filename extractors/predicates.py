"""From the words of a clause to the name of a predicate.

A form is first looked up in the table (`predicates.toml`, extended by the caller), then among the names the caller's
registry declares (so that "manages", "manage" and "managed" meet the declared one), else it keeps its own words: the
verb in the third person or the participle, with its preposition, in snake_case.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from tkg.errors import RequestError

_WORD: Final = re.compile(r"[^\W_]+", re.UNICODE)
_IRREGULAR: Final = {"be": "is", "have": "has", "do": "does", "go": "goes"}


def snake(text: str) -> str:
    """Return words in snake_case: lower case, letters and digits only ("Favourite colour" → "favourite_colour")."""
    return "_".join(word.lower() for word in _WORD.findall(text))


def third_person(lemma: str) -> str:
    """Return the third person singular of a verb's lemma ("carry" → "carries")."""
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if re.search(r"(?:[sxz]|ch|sh|[^aeiou]o)$", lemma):
        return lemma + "es"
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + "s"


def _stem(word: str) -> str:
    """Return what the inflections of a verb share, roughly; only ever compared with another stem."""
    for ending in ("ing", "ies", "ied", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _key(name: str) -> str:
    first, *rest = name.split("_")
    return "_".join([_stem(first), *rest])


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The table of forms, the names a registry declares, and what the rules look up about verbs.

    Attributes:
        same: form → predicate.
        things: as `same`, only where a thing is the subject, told in the present.
        inverse: passive form → predicate of the exchanged claim.
        carry: verb and preposition with an object between ("send to") → predicate of that object.
        change: lemma of a verb of change → predicate that holds afterwards.
        state: lemmas of verbs of state.
        copula: kind of copula → predicate.
        known: stem of a declared name → the name.
    """

    same: Mapping[str, str]
    things: Mapping[str, str]
    inverse: Mapping[str, str]
    carry: Mapping[str, str]
    change: Mapping[str, str]
    state: frozenset[str]
    copula: Mapping[str, str]
    known: Mapping[str, str] = field(default_factory=dict)

    def name(self, form: str, surface: str, *, thing: bool = False) -> str:
        """Return the predicate for a form.

        Args:
            form: lemma and preposition, as the table's keys.
            surface: the words to keep when nothing knows the form ("reports to").
            thing: the subject is a thing, told in the present.
        """
        own = snake(surface)
        declared = self.known.get(_key(own))
        listed = (self.things.get(form) if thing else None) or self.same.get(form)
        return declared or (self.declared(listed) if listed else own)

    def declared(self, name: str) -> str:
        """Return the declared spelling of a name, or the name itself."""
        return self.known.get(_key(name), name)

    def inverted(self, form: str, surface: str) -> str | None:
        """Return the predicate of the exchanged claim for a passive with its agent, unless the passive is declared."""
        if _key(snake(surface)) in self.known:
            return None
        return self.inverse.get(form)


def _section(table: Mapping[str, Any], name: str) -> dict[str, str]:
    section = table.get(name, {})
    if not isinstance(section, dict) or not all(isinstance(value, str) for value in section.values()):
        raise RequestError(f"the predicate table's section [{name}] must map forms to names")
    return section


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Any]:
    return tomllib.loads(files("tkg.extractors").joinpath("predicates.toml").read_text("utf-8"))


def vocabulary(extra: Mapping[str, Any] | None = None, known: Iterable[str] = ()) -> Vocabulary:
    """Return the shipped table, extended.

    Args:
        extra: a table of the same shape as `predicates.toml`; its entries win.
        known: names the registry declares.

    Raises:
        RequestError: `extra` has another shape.
    """
    shipped, more = _shipped(), extra or {}
    unknown = sorted(set(more) - set(shipped))
    if unknown:
        raise RequestError(f"the predicate table has an unknown section [{unknown[0]}]; it knows {', '.join(shipped)}")
    merged = {
        name: _section(shipped, name) | _section(more, name)
        for name in ("same", "things", "inverse", "carry", "change", "copula")
    }
    state = [*shipped["state"]["verbs"], *more.get("state", {}).get("verbs", [])]
    return Vocabulary(
        **merged, state=frozenset(str(verb) for verb in state), known={_key(name): name for name in sorted(known)}
    )
