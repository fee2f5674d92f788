"""Ids as people type and read them: any beginning that is the only one in the scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tkg.ids import kind_of
from tkg.memory.handle import Handle


def full(handle: Handle, identifier: str) -> str:
    """Return the id that a person meant.

    Raises:
        NotFound: nothing in this scope begins like that.
        RequestError: several do; they are listed.
    """
    return handle.find(identifier)


def antecedents(handle: Handle, identifiers: Iterable[str] | None) -> tuple[str, ...]:
    """Return ids that something is to rest on, in full; whole ones as given: what is everybody's lies in no scope of one's own."""
    return tuple(one if kind_of(one) is not None else full(handle, one) for one in identifiers or ())


def shortened(handle: Handle, identifiers: Iterable[str]) -> Callable[[str], str]:
    """Return what shows an id by the shortest beginning that is the only one; others are shown whole."""
    known = handle.short(list(identifiers))
    return lambda identifier: known.get(identifier, identifier)
