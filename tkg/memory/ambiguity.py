"""A bare first name or surname that fits several known people belongs to none of them until somebody says which."""

from __future__ import annotations

import re
from typing import Final

from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.text import match_form

_TITLE: Final = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof|sir)\.?\s+", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\W\d_][^\W\d_'’-]*(?:['’-][^\W\d_]+)*")
_PARTICLES: Final = frozenset(
    {"van", "von", "de", "der", "den", "del", "della", "di", "da", "la", "le", "al", "bin", "ibn"}
)
#: claims that are looked at
_LOOKED_AT: Final = 60


def _bare(name: str) -> str | None:
    """Return the one word of a name that may be a first name or a surname, else None."""
    word = _TITLE.sub("", name.strip())
    return word if _NAME.fullmatch(word) and word[0].isupper() else None


def _person(name: str) -> tuple[str, str] | None:
    """Return first name and surname of what looks like a person's full name, in match form; else None."""
    words = _TITLE.sub("", name.strip()).split()
    if not 2 <= len(words) <= 5 or not all(_NAME.fullmatch(word) for word in words):
        return None
    if not all(word[0].isupper() for word in words if word not in _PARTICLES) or words[0] in _PARTICLES:
        return None
    return match_form(words[0]), match_form(words[-1])


def ambiguous(tenant: Tenant, caller: Caller, subject: str) -> str | None:
    """Return the subject where it is a bare name that several people known in this scope have.

    A name that stands for an entity of its own already (something stands that is said of exactly it) is not.
    """
    word = _bare(subject)
    if word is None:
        return None
    wanted, people = match_form(word), set[str]()
    own = tenant.names.entity(subject)
    for hit in tenant.index.search(word, scopes=tenant.visible(caller.scope), kinds=("claim",), limit=_LOOKED_AT):
        view = tenant.graph.claim(hit.id)
        if view is None:
            continue
        if view.claim.subject_id == own:
            return None
        for name, entity in ((view.claim.subject, view.claim.subject_id), (view.claim.object, view.claim.object_id)):
            if name is not None and (found := _person(name)) is not None and wanted in found:
                people.add(entity)
    return subject if len(people) > 1 else None
