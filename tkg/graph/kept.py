"""Slots as they were last read: asking about the same things again costs no statement.

A slot changes only when an entry adds a claim to it or something that backs one of its claims, so what was read stays
right until then. Safe to use from several threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Final

from tkg.model.claim import Claim, Justification
from tkg.model.entry import Entry
from tkg.model.view import SlotClaim

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

    def _drop(self, slot_id: str) -> None:
        found = self._slots.pop(slot_id, None)
        if found is not None:
            self._size -= _size(found)
            for view in found:
                self._slot_of.pop(view.claim.id, None)


def _size(claims: Sequence[SlotClaim]) -> int:
    return 1 + sum(1 + len(view.backers) for view in claims)
