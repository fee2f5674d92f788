"""Ids by their beginnings: what a person types, and what is short enough to be read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from tkg.errors import IDS, NotFound, RequestError
from tkg.ids import kind_of
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, scope_of
from tkg.text import safe_text

#: fewest characters of an id that are shown
SHORTEST = 12
#: ids read from the graph at once
_PAGE = 1_000
#: more ids than any graph holds
_ALL = 2**40
#: candidates that an ambiguous beginning lists
_LISTED = 8
#: longest text that can begin an id
_LONGEST = 64


def find(tenant: Tenant, caller: Caller, prefix: str) -> str:
    """See `Handle.find`: ids of other scopes are neither found nor counted nor listed."""
    wanted = prefix.strip().lower()
    if kind_of(wanted) is not None:
        if _mine(tenant, caller, wanted):
            return wanted
        raise NotFound(f"no such id in this scope; {IDS}")
    if not wanted or len(wanted) > _LONGEST or not wanted.replace("_", "").isalnum() or not wanted.isascii():
        raise NotFound(f"no such id in this scope; an id looks like clm_0123…, and {IDS}")
    found: list[str] = []
    for one in _beginning(tenant, wanted):
        if _mine(tenant, caller, one):
            found.append(one)
            if len(found) > _LISTED:
                break
    if not found:
        raise NotFound(f"no id in this scope begins like that; {IDS}")
    if len(found) > 1:
        more = " and more" if len(found) > _LISTED else ""
        raise RequestError(
            f"{safe_text(wanted, one_line=True)} begins several ids: {', '.join(found[:_LISTED])}{more}; type more of it"
        )
    return found[0]


def _mine(tenant: Tenant, caller: Caller, identifier: str) -> bool:
    scope = scope_of(tenant, identifier)
    return scope is not None and reaches(caller, scope)


def _beginning(tenant: Tenant, prefix: str) -> Iterator[str]:
    after = ""
    while page := tenant.graph.identifiers(prefix, after, _PAGE):
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1]


def short(tenant: Tenant, identifiers: Iterable[str]) -> dict[str, str]:
    """See `Handle.short`."""
    wanted = sorted(set(identifiers))
    if not wanted:
        return {}
    known = sorted({*tenant.graph.identifiers("", "", _ALL), *wanted})  # a page at a time would sweep once for each
    found = {}
    for one in wanted:
        place = bisect_left(known, one)
        near = known[max(place - 1, 0) : place] + known[place + 1 : place + 2]
        shared = max((_common(one, other) for other in near), default=0)
        found[one] = one[: max(shared + 1, SHORTEST)]
    return found


def _common(one: str, other: str) -> int:
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
