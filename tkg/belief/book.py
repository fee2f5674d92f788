"""The book of status changes: who is out of the base, since which transaction, and what cascades found.

Changes are few beside claims, so the book of a tenant fits in memory; it is read once from the graph (or ledger) and
kept up to date as entries are appended. Every question takes `as_of`, a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tkg.model.verdict import StatusChange

LATEST: Final = 2**62


class Book:
    """Latest status of each node and axis, at any transaction."""

    def __init__(self, changes: Iterable[tuple[StatusChange, int]] = ()) -> None:
        self._changes: dict[tuple[str, str], list[tuple[int, StatusChange]]] = {}
        #: every axis that was ever changed; there are few
        self._axes: dict[str, None] = {}
        for change, seq in changes:
            self.note(change, seq)

    def note(self, change: StatusChange, seq: int) -> None:
        """Take in one change; changes arrive in transaction order."""
        self._changes.setdefault((change.target, change.axis), []).append((seq, change))
        self._axes[change.axis] = None

    def copy_with(self, changes: Iterable[tuple[StatusChange, int]]) -> Book:
        """Return another book with further changes: how things would stand."""
        other = Book()
        other._changes = {key: list(history) for key, history in self._changes.items()}
        other._axes = dict(self._axes)
        for change, seq in changes:
            other.note(change, seq)
        return other

    def last(self, target: str, axis: str, as_of: int = LATEST) -> StatusChange | None:
        """Return the latest change of an axis up to `as_of`."""
        history = self._changes.get((target, axis))
        if not history:
            return None
        for seq, change in reversed(history):
            if seq <= as_of:
                return change
        return None

    def status(self, target: str, as_of: int = LATEST) -> str:
        """Return active, held, rejected, quarantined, revoked or erased."""
        change = self.last(target, "status", as_of)
        return "active" if change is None else change.value

    def before_erasure(self, target: str, as_of: int = LATEST) -> str:
        """Return the status a node had when it was erased, or has: an erased claim cuts only if it stood until then."""
        for seq, change in reversed(self._changes.get((target, "status"), [])):
            if seq <= as_of and change.value != "erased":
                return change.value
        return "active"

    def support(self, target: str, as_of: int = LATEST) -> str:
        """Return supported, suspended or unsupported, as the cascades up to `as_of` found."""
        status = self.status(target, as_of)
        if status not in ("active", "quarantined", "held"):
            return "unsupported"
        change = self.last(target, "support", as_of)
        found = "supported" if change is None else change.value
        return "suspended" if status != "active" and found == "supported" else found

    def live(self, target: str, as_of: int = LATEST) -> bool:
        """Return whether the node stands: active and supported."""
        return self.support(target, as_of) == "supported"

    def frozen(self, targets: Iterable[str], as_of: int = LATEST) -> bool:
        """Return whether any of these scopes, entities or predicates is frozen."""
        changes = (self.last(target, "freeze", as_of) for target in targets)
        return any(change is not None and change.value == "frozen" for change in changes)

    def history(self, target: str) -> list[tuple[int, StatusChange]]:
        """Return all changes of a node, oldest first."""
        found = [item for axis in self._axes for item in self._changes.get((target, axis), ())]
        return sorted(found, key=lambda item: (item[0], item[1].id))

    def of_axis(self, axis: str) -> list[tuple[int, StatusChange]]:
        """Return every change on one axis, by transaction."""
        found = [item for (_, on), changes in self._changes.items() if on == axis for item in changes]
        return sorted(found, key=lambda item: (item[0], item[1].id))

    def targets(self, axis: str, value: str, as_of: int = LATEST) -> list[str]:
        """Return the nodes whose latest change on `axis` is `value`, in id order."""
        return sorted(
            node
            for (node, on), _ in self._changes.items()
            if on == axis and (last := self.last(node, axis, as_of)) is not None and last.value == value
        )
