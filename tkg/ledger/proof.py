"""Proofs about a ledger that somebody without it can check."""

from __future__ import annotations

from tkg.errors import RequestError
from tkg.ledger.merkle import Tree, consistent, included
from tkg.ledger.port import Ledger
from tkg.model.base import Value


class Proof(Value):
    """That one entry is in a tree, and that the tree continues an earlier one; all hashes are hex.

    `leaf` is SHA-256 over 0x00 and the entry's canonical body. `consistency` belongs to `since` and `since_root`, which are
    None where no earlier tree was asked about.
    """

    seq: int
    leaf: str
    size: int
    root: str
    inclusion: tuple[str, ...]
    since: int | None = None
    since_root: str | None = None
    consistency: tuple[str, ...] = ()

    def holds(self) -> bool:
        """Return whether both proofs hold (RFC 9162, 2.1.3.2 and 2.1.4.2)."""
        root = bytes.fromhex(self.root)
        found = included(bytes.fromhex(self.leaf), self.seq - 1, self.size, _bytes(self.inclusion), root)
        if self.since is None or self.since_root is None:
            return found
        earlier = bytes.fromhex(self.since_root)
        return found and consistent(self.since, self.size, earlier, root, _bytes(self.consistency))


def _bytes(hashes: tuple[str, ...]) -> list[bytes]:
    return [bytes.fromhex(one) for one in hashes]


def prove(ledger: Ledger, seq: int, size: int | None = None, since: int | None = None) -> Proof:
    """Return the proof for entry `seq` in the tree of the first `size` entries; see `Proof`.

    Raises:
        RequestError: there is no such entry, or no such tree.
    """
    tree = Tree(row.leaf for row in ledger.rows())
    size = len(tree) if size is None else size
    if not 1 <= seq <= size <= len(tree):
        raise RequestError(f"there is no entry {seq} in a tree of {size}; the ledger has {len(tree)} entries")
    if since is not None and not 0 <= since <= size:
        raise RequestError(f"an earlier tree of {since} entries cannot be continued by one of {size}")
    return Proof(
        seq=seq,
        leaf=tree.leaf(seq - 1).hex(),
        size=size,
        root=tree.root(size).hex(),
        inclusion=tuple(one.hex() for one in tree.inclusion(seq - 1, size)),
        since=since,
        since_root=None if since is None else tree.root(since).hex(),
        consistency=() if since is None else tuple(one.hex() for one in tree.consistency(since, size)),
    )
