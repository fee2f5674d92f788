"""Keyed ids of names: equal names meet in one node, and no id gives its name away without the tenant's key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tkg.ids import keyed
from tkg.text import match_form


class Names:
    """Makes the ids of entities, slots, sources, sessions, principals and origins of one tenant."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def entity(self, name: str) -> str:
        """Return the id of a subject or object, compared by its match form."""
        return keyed("ent", self._key, match_form(name))

    def slot(self, scope: str, subject: str, predicate: str, separators: Sequence[str] = ()) -> str:
        """Return the id of (scope, subject, predicate, separator values)."""
        return keyed("slt", self._key, scope, match_form(subject), match_form(predicate), *separators)

    def predicate(self, name: str) -> str:
        """Return the id under which a predicate is frozen."""
        return keyed("pre", self._key, match_form(name))

    def within(self, path: str, identifier: str) -> str:
        """Return the id under which a scope's decision about an entity, predicate or the like is kept.

        What the tenant decides is on the thing itself; what a user decides about it is the user's own.
        """
        return keyed(identifier[:3], self._key, "within", path, identifier) if "/" in path else identifier

    def decided(self, paths: Iterable[str], identifiers: Iterable[str]) -> set[str]:
        """Return all ids under which decisions about some things are kept that bind in these scopes."""
        things = set(identifiers)
        return {self.within(path, one) for path in paths for one in things} | things

    def source(self, uri: str, after: int = 0) -> str:
        """Return the id of a source; uris are compared whole, letter by letter.

        Args:
            uri: its uri.
            after: how often a record of this source was erased before: an erased record cannot be written again.
        """
        return keyed("src", self._key, uri, *([str(after)] if after else []))

    def tombstone(self, *parts: str) -> str:
        """Return the id under which an erasure is remembered without its content."""
        return keyed("tmb", self._key, *parts)

    def session(self, name: str) -> str:
        """Return the id of a work session."""
        return keyed("ses", self._key, name)

    def principal(self, name: str) -> str:
        """Return the id of a principal."""
        return keyed("prn", self._key, name)

    def origin(self, principal: str) -> str:
        """Return the origin of what a principal says: the same principal is one witness, however often it speaks."""
        return keyed("org", self._key, principal)

    def request(self, kind: str, *parts: str) -> str:
        """Return the id a request gets from its idempotency key, so that asking twice finds the first answer."""
        return keyed(kind, self._key, "request", *parts)

    def digest(self, *parts: str) -> str:
        """Return a keyed digest of content: all that is kept of a refused candidate."""
        return keyed("dgs", self._key, *parts)
