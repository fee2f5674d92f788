"""The tree against the definition in RFC 9162 written out word for word, vectors, and forged proofs."""

from __future__ import annotations

import hashlib
import random

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tkg.ids import chain_hash
from tkg.ledger.merkle import EMPTY_ROOT, Frontier, Tree, consistent, included, root_of

#: the eight inputs of the certificate-transparency reference tests, and the roots over the first 1 … 8 of them
INPUTS = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


# -- RFC 9162 section 2.1 as it is written, with slices of lists: slow, and shares nothing with the module


def mth(d: list[bytes]) -> bytes:
    if not d:
        return hashlib.sha256().digest()
    if len(d) == 1:
        return d[0]  # the inputs here are leaf hashes already
    k = 1
    while k * 2 < len(d):
        k *= 2
    return hashlib.sha256(b"\x01" + mth(d[:k]) + mth(d[k:])).digest()


def path(m: int, d: list[bytes]) -> list[bytes]:
    if len(d) == 1:
        return []
    k = 1
    while k * 2 < len(d):
        k *= 2
    return [*path(m, d[:k]), mth(d[k:])] if m < k else [*path(m - k, d[k:]), mth(d[:k])]


def proof(m: int, d: list[bytes]) -> list[bytes]:
    def subproof(m: int, d: list[bytes], b: bool) -> list[bytes]:
        if m == len(d):
            return [] if b else [mth(d)]
        k = 1
        while k * 2 < len(d):
            k *= 2
        if m <= k:
            return [*subproof(m, d[:k], b), mth(d[k:])]
        return [*subproof(m - k, d[k:], False), mth(d[:k])]

    return subproof(m, d, True)


def leaves(count: int) -> list[bytes]:
    return [bytes.fromhex(chain_hash(f"entry {number}")) for number in range(count)]


def test_the_published_vectors() -> None:
    hashed = [hashlib.sha256(b"\x00" + bytes.fromhex(one)).digest() for one in INPUTS]
    for size in range(1, 9):
        assert root_of(hashed[:size]).hex() == ROOTS[size - 1] == Tree(hashed).root(size).hex()
    assert root_of([]).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    # inclusion of leaf 5 in 8, and consistency of 6 with 8 (the reference's own)
    assert [one.hex()[:8] for one in Tree(hashed).inclusion(5)] == ["bc1a0643", "ca854ea1", "d37ee418"]
    assert [one.hex()[:8] for one in Tree(hashed).consistency(6)] == ["0ebc5d34", "ca854ea1", "d37ee418"]


def test_every_proof_of_every_small_tree_is_that_of_the_definition() -> None:
    every = leaves(40)
    tree = Tree(every)
    checked = 0
    for size in range(1, 41):
        root = mth(every[:size])
        assert tree.root(size) == root
        for index in range(size):
            made = tree.inclusion(index, size)
            assert made == path(index, every[:size])
            assert included(every[index], index, size, made, root)
            checked += 1
        for old in range(1, size + 1):
            made = tree.consistency(old, size)
            assert made == proof(old, every[:size])
            assert consistent(old, size, mth(every[:old]), root, made)
            checked += 1
    assert checked == 1640


@given(size=st.integers(1, 400), seed=st.integers(0, 9))
def test_a_tree_that_grows_has_the_roots_of_one_that_is_built(size: int, seed: int) -> None:
    every = leaves(size)
    cut = random.Random(seed).randrange(size + 1)
    grown = Frontier()
    for leaf in every[:cut]:
        grown.add(leaf)
    grown = Frontier(grown.size, grown.peaks)  # as it is read from a file again
    for leaf in every[cut:]:
        grown.add(leaf)
    assert grown.root == mth(every) == Tree(every).root()


@given(data=st.data())
def test_no_changed_proof_is_taken(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 60))
    every, tree = leaves(size), Tree(leaves(size))
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size - 1))
    root, made = tree.root(), tree.inclusion(index)
    other = data.draw(st.integers(0, size - 1).filter(lambda one: one != index))
    assert not included(every[index], other, size, made, root)
    assert not included(every[other], index, size, made, root)
    assert not included(every[index], index, size, [*made, made[0]], root)
    assert not included(every[index], index, size, made[1:], root)
    assert not included(every[index], index, size, made, bytes(32))
    assert not included(every[index], index + size, size, made, root)
    grown = tree.consistency(old)
    assert consistent(old, size, tree.root(old), root, grown)
    assert not consistent(old, size, bytes(32), root, grown)
    assert not consistent(old, size, tree.root(old), bytes(32), grown)
    assert not consistent(old, size, tree.root(old), root, [*grown, bytes(32)])
    assert not consistent(old, size, tree.root(old), root, grown[:-1])
    changed = [*every]
    changed[data.draw(st.integers(0, old - 1))] = bytes(32)
    rewritten = Tree(changed)  # history before the old head was rewritten: its own honest proof does not help
    assert not consistent(old, size, tree.root(old), rewritten.root(), rewritten.consistency(old))


def test_edges() -> None:
    tree = Tree(leaves(5))
    assert Tree([]).root() == EMPTY_ROOT == Frontier().root
    assert tree.consistency(0) == [] and consistent(0, 5, EMPTY_ROOT, tree.root(), [])
    assert not consistent(0, 5, EMPTY_ROOT, tree.root(), [bytes(32)])
    assert consistent(5, 5, tree.root(), tree.root(), []) and not consistent(6, 5, tree.root(), tree.root(), [])
    assert not consistent(3, 5, tree.root(3), tree.root(), [])
    assert not included(bytes(32), 0, 0, [], EMPTY_ROOT)
    for wrong in (lambda: tree.inclusion(5), lambda: tree.consistency(6), lambda: tree.root(6), lambda: tree.root(-1)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError):
        Frontier(3, [bytes(32)])
