"""The Merkle tree of RFC 9162 over ledger entries: roots, and short proofs that anybody can check.

A leaf is the hash of one entry's canonical body (`tkg.ids.chain_hash`). An inclusion proof shows that an entry is in the
tree behind a root; a consistency proof shows that a tree only grew since an earlier root. Hashes are 32 bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence


def parent(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node (prefix 0x01)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


#: root of the tree without leaves
EMPTY_ROOT = hashlib.sha256(b"").digest()


class Frontier:
    """A growing tree, of which only the roots of its whole subtrees are kept: one per bit of its size.

    Args:
        size: leaves so far.
        peaks: roots of the whole subtrees, the largest first; as many as `size` has bits set.

    Raises:
        ValueError: the number of peaks does not fit the size.
    """

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if size < 0 or size.bit_count() != len(peaks) or any(len(one) != 32 for one in peaks):
            raise ValueError("peaks do not fit the size")
        self.size = size
        self.peaks = list(peaks)

    def add(self, leaf: bytes) -> None:
        """Take in the next leaf."""
        size = self.size
        while size & 1:
            leaf = parent(self.peaks.pop(), leaf)
            size >>= 1
        self.peaks.append(leaf)
        self.size += 1

    @property
    def root(self) -> bytes:
        """The root of the tree as it is."""
        if not self.peaks:
            return EMPTY_ROOT
        found = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            found = parent(peak, found)
        return found


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root over leaves, in time linear in their number and memory in its logarithm."""
    tree = Frontier()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root


class Tree:
    """All levels of a tree's whole subtrees, for making proofs: about twice the leaves in memory.

    Args:
        leaves: leaf hashes in order.
    """

    def __init__(self, leaves: Iterable[bytes]) -> None:
        self._levels = [list(leaves)]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            self._levels.append([parent(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)])

    def __len__(self) -> int:
        return len(self._levels[0])

    def leaf(self, index: int) -> bytes:
        """Return a leaf (from 0)."""
        return self._levels[0][index]

    def root(self, size: int | None = None) -> bytes:
        """Return the root over the first `size` leaves (default: all)."""
        size = self._check(size)
        return self._over(0, size) if size else EMPTY_ROOT

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """Return the proof that leaf `index` (from 0) is in the tree of the first `size` leaves.

        Raises:
            ValueError: there is no such leaf in that tree.
        """
        size = self._check(size)
        if not 0 <= index < size:
            raise ValueError("no such leaf in that tree")
        proof: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _half(end - start)
            if index < middle:
                proof.append(self._over(middle, end))
                end = middle
            else:
                proof.append(self._over(start, middle))
                start = middle
        proof.reverse()
        return proof

    def consistency(self, old: int, size: int | None = None) -> list[bytes]:
        """Return the proof that the tree of `size` leaves continues the tree of its first `old` leaves.

        Raises:
            ValueError: `old` is larger than `size`.
        """
        size = self._check(size)
        if not 0 <= old <= size:
            raise ValueError("the earlier tree is larger than the later one")
        if old in (0, size):
            return []
        proof: list[bytes] = []
        start, end, whole = 0, size, True
        while old != end:
            middle = start + _half(end - start)
            if old <= middle:
                proof.append(self._over(middle, end))
                end = middle
            else:
                proof.append(self._over(start, middle))
                start, whole = middle, False
        if not whole:
            proof.append(self._over(start, end))
        proof.reverse()
        return proof

    def _check(self, size: int | None) -> int:
        size = len(self) if size is None else size
        if not 0 <= size <= len(self):
            raise ValueError("the tree is smaller than that")
        return size

    def _over(self, start: int, end: int) -> bytes:
        """Return the root over leaves [start, end), where `start` is a multiple of a power of two >= end - start."""
        length = end - start
        if length & (length - 1) == 0:
            level = length.bit_length() - 1
            return self._levels[level][start >> level]
        middle = start + _half(length)
        return parent(self._over(start, middle), self._over(middle, end))


def _half(length: int) -> int:
    """Return the largest power of two below `length` (>= 2)."""
    return 1 << (length - 1).bit_length() - 1


def included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Return whether a proof shows that `leaf` is entry `index` of the tree with this root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = parent(step, found)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            found = parent(found, step)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def consistent(old: int, size: int, old_root: bytes, root: bytes, proof: Sequence[bytes]) -> bool:
    """Return whether a proof shows that the later tree continues the earlier one (RFC 9162, 2.1.4.2)."""
    if not 0 <= old <= size:
        return False
    if old == 0:
        return not proof and old_root == EMPTY_ROOT and (size > 0 or root == EMPTY_ROOT)
    if old == size:
        return not proof and old_root == root
    steps = list(proof)
    if old & (old - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        return False
    at, last = old - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            before, after = parent(step, before), parent(step, after)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            after = parent(after, step)
        at, last = at >> 1, last >> 1
    return last == 0 and before == old_root and after == root
