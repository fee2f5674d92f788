"""Slots, claims and texts as they were last read: asking about the same things again costs no statement.

A slot changes only when an entry adds a claim to it or something that backs one of its claims, so what was read stays
right until then; a claim or a text only when something new backs it. Safe to use from several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Final

from tkg.model.claim import Claim, Justification
from tkg.model.entry import Entry
from tkg.model.view import Backer, SlotClaim

#: records kept, some 2 kB each; an empty slot counts as one
_MOST: Final = 4_000
#: the greatest slot that is kept, as a part of all
_SHARE: Final = 4


class KeptSlots:
    """Remembers whole slots, those used last; forgets each that an entry changes.

    Args:
        most: records kept.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._slots: OrderedDict[str, tuple[SlotClaim, ...]] = OrderedDict()
        self._slot_of: dict[str, str] = {}
        self._size = 0
        self._changes = 0

    @property
    def changes(self) -> int:
        """How often something changed: to be read before a slot is, and given to `keep` with it."""
        return self._changes

    def slot(self, slot_id: str) -> tuple[SlotClaim, ...] | None:
        """Return the claims of a slot, or None where they are not known."""
        with self._guard:
            found = self._slots.get(slot_id)
            if found is not None:
                self._slots.move_to_end(slot_id)
            return found

    def claim(self, claim_id: str) -> SlotClaim | None:
        """Return a claim that lies in a slot that is known, or None."""
        with self._guard:
            found = self._slots.get(self._slot_of.get(claim_id, ""), ())
            return next((view for view in found if view.claim.id == claim_id), None)

    def keep(self, slot_id: str, claims: Sequence[SlotClaim], changes: int) -> None:
        """Remember a slot, unless something was written while it was read."""
        size = _size(claims)
        with self._guard:
            if changes != self._changes or size > self._most // _SHARE:
                return
            self._drop(slot_id)
            self._slots[slot_id] = tuple(claims)
            self._slot_of.update((view.claim.id, slot_id) for view in claims)
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._slots)))

    def changed(self, entries: Iterable[Entry]) -> None:
        """Forget what these entries changed; to be called once they can be read."""
        with self._guard:
            self._changes += 1
            for entry in entries:
                for record in entry.records:
                    if isinstance(record, Claim):
                        self._drop(record.slot_id)
                    elif isinstance(record, Justification):
                        self._drop(record.slot_id or "")
                        self._drop(self._slot_of.get(record.head, ""))

    def forget(self) -> None:
        """Forget everything: more was written than is worth going through."""
        with self._guard:
            self._changes += 1
            self._slots.clear()
            self._slot_of.clear()
            self._size = 0

    def _drop(self, slot_id: str) -> None:
        found = self._slots.pop(slot_id, None)
        if found is not None:
            self._size -= _size(found)
            for view in found:
                self._slot_of.pop(view.claim.id, None)


class KeptHeads:
    """Remembers claims read by themselves, and what backs a text; forgets each that a new justification concerns.

    Args:
        most: heads kept; when there are more, all are forgotten.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._claims: dict[str, SlotClaim] = {}
        self._backers: dict[str, tuple[Backer, ...]] = {}
        self._changes = 0

    @property
    def changes(self) -> int:
        """How often something changed: to be read before a head is, and given to `keep` with it."""
        return self._changes

    def claim(self, claim_id: str) -> SlotClaim | None:
        """Return a claim, or None where it is not known."""
        return self._claims.get(claim_id)

    def backers(self, head: str) -> tuple[Backer, ...] | None:
        """Return what backs a claim or a text, or None where it is not known."""
        known = self._claims.get(head)
        return self._backers.get(head) if known is None else known.backers

    def keep(self, head: str, found: SlotClaim | Sequence[Backer], changes: int) -> None:
        """Remember a claim or what backs a text, unless something was written while it was read."""
        with self._guard:
            if changes != self._changes:
                return
            if len(self._claims) + len(self._backers) >= self._most:
                self._claims.clear()
                self._backers.clear()
            if isinstance(found, SlotClaim):
                self._claims[head] = found
            else:
                self._backers[head] = tuple(found)

    def changed(self, entries: Iterable[Entry]) -> None:
        """Forget what these entries changed; to be called once they can be read."""
        with self._guard:
            self._changes += 1
            for entry in entries:
                for record in entry.records:
                    if isinstance(record, Justification):
                        self._claims.pop(record.head, None)
                        self._backers.pop(record.head, None)

    def forget(self) -> None:
        """Forget everything: more was written than is worth going through."""
        with self._guard:
            self._changes += 1
            self._claims.clear()
            self._backers.clear()


def _size(claims: Sequence[SlotClaim]) -> int:
    return 1 + sum(1 + len(view.backers) for view in claims)
