"""Comparing two normalised objects: equal, finer, coarser, different, or not known (semantics 3.5; design "Settled" 9).

Pairwise on purpose: agreement at the coarser precision is not transitive (12 agrees with 11.6 and with 12.4, which
differ), so nothing may group or hash by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from tkg.belief.normalise import UNREADABLE, Normal
from tkg.belief.units import read_quantity
from tkg.model.claim import Claim
from tkg.model.edtf import bounds_of
from tkg.model.predicate import Predicate
from tkg.text import match_form


class Comparison(StrEnum):
    """How the first value relates to the second."""

    EQUAL = "equal"
    #: the first says the same more precisely
    REFINES = "refines"
    #: the first says the same less precisely
    GENERALISES = "generalises"
    DIFFERENT = "different"
    UNKNOWN = "unknown"

    @property
    def swapped(self) -> Comparison:
        """The relation of the second value to the first."""
        if self is Comparison.REFINES:
            return Comparison.GENERALISES
        return Comparison.REFINES if self is Comparison.GENERALISES else self


class Same:
    """Which entities are one, from the pairs that *live* `same_as` claims name (union-find, rebuilt when they change).

    Un-merging is revoking the claim: the pairs no longer come in, and nothing needs undoing.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._parent: dict[str, str] = {}
        for left, right in pairs:
            one, other = sorted((self.root(left), self.root(right)))
            if one != other:
                self._parent[other] = one

    def root(self, name: str) -> str:
        """Return the smallest name of the entity that `name` names."""
        while (parent := self._parent.get(name)) is not None:
            name = parent
        return name

    def same(self, left: str, right: str) -> bool:
        """Return whether two names name one entity."""
        return left == right or self.root(left) == self.root(right)


def _rounded(value: Fraction, quantum: Fraction) -> int:
    """Return `value` in units of `quantum`, halves away from zero as people round."""
    ratio = value / quantum
    whole = (abs(ratio.numerator) * 2 + ratio.denominator) // (2 * ratio.denominator)
    return whole if ratio >= 0 else -whole


def _amounts(a: Fraction, a_step: Fraction, b: Fraction, b_step: Fraction, tolerance: str | None) -> Comparison:
    if a == b:
        return Comparison.EQUAL
    if tolerance is not None:
        text = tolerance.strip()
        allowed = Fraction(text[:-1]) / 100 * max(abs(a), abs(b)) if text.endswith("%") else Fraction(text)
        if abs(a - b) <= allowed:
            return Comparison.EQUAL
    if a_step == b_step:
        return Comparison.DIFFERENT
    step = max(a_step, b_step)
    if _rounded(a, step) != _rounded(b, step):
        return Comparison.DIFFERENT
    return Comparison.REFINES if a_step < b_step else Comparison.GENERALISES


def _step(number: Decimal) -> Fraction:
    exponent = number.as_tuple().exponent
    return Fraction(10) ** (exponent if isinstance(exponent, int) else 0)


def _numbers(a: str, b: str, predicate: Predicate) -> Comparison:
    left, right = Decimal(a), Decimal(b)
    return _amounts(Fraction(left), _step(left), Fraction(right), _step(right), predicate.tolerance)


def _quantities(a: str, b: str, predicate: Predicate) -> Comparison:
    left, right = read_quantity(a), read_quantity(b)
    if left is None or right is None or left.unit is None or right.unit is None:
        return Comparison.UNKNOWN
    if left.unit.dimension != right.unit.dimension:
        return Comparison.UNKNOWN
    return _amounts(left.value, left.quantum, right.value, right.quantum, predicate.tolerance)


def _dates(a: str, b: str) -> Comparison:
    left, right = bounds_of(a), bounds_of(b)
    if left.to_hi <= right.from_lo or right.to_hi <= left.from_lo:
        return Comparison.DIFFERENT
    if left.uncertain or right.uncertain:
        return Comparison.UNKNOWN
    if (left.from_lo, left.to_hi) == (right.from_lo, right.to_hi):
        return Comparison.EQUAL
    if right.from_lo <= left.from_lo and left.to_hi <= right.to_hi:
        return Comparison.REFINES
    if left.from_lo <= right.from_lo and right.to_hi <= left.to_hi:
        return Comparison.GENERALISES
    return Comparison.UNKNOWN


def _below(child: str, ancestor: str, predicate: Predicate) -> bool:
    """Return whether `child` lies under `ancestor` in the refinement tree."""
    tree, seen = predicate.tree, {child}
    while (parent := tree.get(child)) is not None and parent not in seen:
        if parent == ancestor:
            return True
        seen.add(parent)
        child = parent
    return False


def _names(a: Normal, b: Normal, predicate: Predicate, same: Same | None) -> Comparison:
    if same is not None and a.type in ("entity", "place") and same.same(a.norm, b.norm):
        return Comparison.EQUAL
    if predicate.tree:
        if _below(a.norm, b.norm, predicate):
            return Comparison.REFINES
        if _below(b.norm, a.norm, predicate):
            return Comparison.GENERALISES
    # Without a place in a tree one place may lie in the other: "Paris" and "France" is no clash.
    if a.type == "place" and not {a.norm, b.norm} <= predicate.places:
        return Comparison.UNKNOWN
    return Comparison.DIFFERENT


def compare(a: Normal, b: Normal, predicate: Predicate, same: Same | None = None) -> Comparison:
    """Return how `a` relates to `b` under `predicate`; UNKNOWN never supersedes.

    Args:
        a: a normalised object.
        b: another one.
        predicate: the declaration both were normalised under.
        same: which entities are one, when the type is entity or place.
    """
    if a.norm == b.norm and a.type == b.type:
        return Comparison.EQUAL
    if UNREADABLE in (a.type, b.type):
        alike = a.type == b.type and match_form(a.norm) == match_form(b.norm)
        return Comparison.EQUAL if alike else Comparison.UNKNOWN
    if a.type != b.type:
        # Without a declared type "12" and "twelve" are two texts; under a declared one the types say too little.
        return Comparison.DIFFERENT if predicate.datatype in ("auto", "text") else Comparison.UNKNOWN
    if a.type == "number":
        return _numbers(a.norm, b.norm, predicate)
    if a.type == "quantity":
        return _quantities(a.norm, b.norm, predicate)
    if a.type == "date":
        return _dates(a.norm, b.norm)
    if a.type in ("text", "entity", "place", "enum"):
        return _names(a, b, predicate, same)
    return Comparison.DIFFERENT


def compare_claims(a: Claim, b: Claim, predicate: Predicate, same: Same | None = None) -> Comparison:
    """Return how the object of `a` relates to that of `b`.

    Of an erased claim only the keyed digest of its object is left: it is equal to the same object and different from
    every other, so what it had cut stays cut.
    """
    if a.object_id == b.object_id:
        return Comparison.EQUAL
    if a.object_norm is None or b.object_norm is None:
        return Comparison.DIFFERENT
    return compare(Normal(a.object_norm, a.object_type), Normal(b.object_norm, b.object_type), predicate, same)
