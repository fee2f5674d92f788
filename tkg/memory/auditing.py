"""The audit: every contradiction of a scope, found by sweeps of the graph and judged by belief, a page at a time.

The sweeps go through the patterns of semantics 3.3 in a fixed order: slots of each declared predicate (C1, C3, C5), slots
in which something is denied (C2), values that belong to one subject (C4), pairs of predicates that exclude or order each
other (C6, C7), values of another type (C8) and, only when asked for, what a narrower scope hides (C9). A cursor names
the sweep and the place in it, so that a page never looks at what an earlier one has seen.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from tkg.belief.assessed import Clash
from tkg.belief.mirror import opposite
from tkg.belief.order import standing
from tkg.belief.patterns import ill_typed
from tkg.belief.sweep import Contradiction as Pair
from tkg.belief.sweep import contradictions, crowds
from tkg.belief.table import classify
from tkg.errors import RequestError
from tkg.memory.caller import Caller
from tkg.memory.clashing import between, excluded_names, ordered_names
from tkg.memory.slots import Slots
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.base import Value as Frozen
from tkg.model.claim import Claim, Polarity
from tkg.model.predicate import Predicate, Registry
from tkg.model.scope import Scope
from tkg.model.time import FOREVER, iso
from tkg.model.view import SlotClaim
from tkg.text import match_form

PATTERNS: Final = ("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9")
#: what is looked for when nothing is named: what a narrower scope hides is no contradiction
USUAL: Final = PATTERNS[:-1]
#: patterns of pairs within a slot
_PAIRS: Final = frozenset({"C1", "C2", "C3"})
#: rows or slots of one look into the graph, and places looked at for one page before it is handed over as it is
_ROWS, _PLACES = 500, 20_000

_Place = tuple[str, str]
_START: Final[_Place] = ("", "")


class Finding(Frozen):
    """Standing claims that cannot all hold: their pattern, the stretch they share, and the row of the decision table.

    `right` is None for a value of another type (C8); `claims` holds more than two for a crowd (C5). Subject and predicate
    are those of `left`; `right_subject` and `right_predicate` are there where they differ (C4, C6, C7).
    """

    left: str
    right: str | None
    claims: tuple[str, ...]
    subject: str | None
    predicate: str | None
    left_object: str | None
    right_object: str | None
    right_subject: str | None = None
    right_predicate: str | None = None
    valid_from: str | None
    valid_to: str | None
    pattern: str
    certainty: str
    rule: str
    scope: str


class AuditPage(Frozen):
    """A page of an audit; `next` is the cursor to go on with, None at the end. A page may be empty and not the last."""

    items: tuple[Finding, ...]
    next: str | None


class _Sweep(NamedTuple):
    """One sweep: its name, the patterns it can find, and how it goes on from a place."""

    name: str
    patterns: frozenset[str]
    walk: Callable[[_Place], Iterator[tuple[_Place, list[Finding]]]]


@dataclass(frozen=True)
class _Audit:
    """An audit for one caller at one transaction; with `about` only the slots of that subject, in match form."""

    tenant: Tenant
    caller: Caller
    known: int
    about: str | None = None
    _readers: dict[str, Slots] = field(default_factory=dict)

    @cached_property
    def _recorded(self) -> dict[tuple[str, str], str]:
        """The row of each recorded conflict, by pair: of several the first."""
        return {(one.left, one.right): one.rule for one, _ in reversed(self.tenant.graph.conflicts())}

    @cached_property
    def _held(self) -> set[str]:
        """The predicates that have claims; many are declared that a store never uses."""
        return {form for form, _ in self.tenant.graph.predicates()}

    def _around(self, scope: str) -> Slots:
        """Return a reader of a scope; which names are one is found out once for all of its slots."""
        known = self._readers.get(scope)
        if known is None:
            known = self._readers[scope] = Slots.around(self.tenant, scope, self.known)
        return known.anew()

    @property
    def registry(self) -> Registry:
        """The declarations of that transaction."""
        return self.tenant.registry(self.known)

    def sweeps(self) -> Iterator[_Sweep]:
        """Yield the sweeps, in their order."""
        declared = sorted(self.registry.predicates.values(), key=lambda one: match_form(one.name))
        for one in declared:
            form = match_form(one.name)
            if one.limit is not None or one.exclusive:
                patterns = frozenset({"C1", "C2", "C3", "C5"})
                yield _Sweep(f"slots {form}", patterns, lambda at, one=one: self._slots(one, at))  # type: ignore[misc]
        yield _Sweep("denials", frozenset({"C2"}), self._denials)
        for one in declared:
            form = match_form(one.name)
            if one.inverse_functional:
                walk: Callable[..., Iterator[tuple[_Place, list[Finding]]]]
                walk = lambda at, form=form: self._pairs(form, None, at)
                yield _Sweep(f"keys {form}", frozenset({"C4"}), walk)
        concerned = {
            tuple(sorted((match_form(one.name), other)))
            for one in declared
            for other in excluded_names(one) | ordered_names(one)
        }
        for form, other in sorted(concerned):
            walk = lambda at, form=form, other=other: self._pairs(form, other, at)
            yield _Sweep(f"pairs {form} {other}", frozenset({"C6", "C7"}), walk)
        for one in declared:
            form = match_form(one.name)
            if one.values or one.datatype != "auto":
                walk = lambda at, one=one: self._types(one, at)
                yield _Sweep(f"types {form}", frozenset({"C8"}), walk)
            if one.limit is not None or one.exclusive:
                walk = lambda at, one=one: self._scopes(one, at)
                yield _Sweep(f"scopes {form}", frozenset({"C9"}), walk)

    # -- slots: C1, C2, C3, C5

    def _slots(self, predicate: Predicate, at: _Place) -> Iterator[tuple[_Place, list[Finding]]]:
        """Go through the slots of a predicate in which several claims can meet."""
        form, after = match_form(predicate.name), at[0]
        graph = self.tenant.graph
        if opposite(predicate, self.registry) is None and not self.tenant.same_as:
            whole = form in self._held
            while whole:
                rivals = graph.rival_slots(form, after, _ROWS)
                whole = len(rivals) == _ROWS  # a shorter one is the last, and saves asking for an empty one
                for after, own in rivals.items():
                    yield (after, ""), self._slot(own, predicate)
            return
        # what meets in a slot may be stored in another one, so that every claim leads to its slot
        while page := graph.claims_of(form, after, _ROWS):
            for after in page:
                view = graph.claim(after)
                own = [] if view is None else graph.slot(view.claim.slot_id)
                first = own and min(one.claim.id for one in own) == after
                yield (after, ""), self._slot(own, predicate) if first else []

    def _denials(self, at: _Place) -> Iterator[tuple[_Place, list[Finding]]]:
        """Go through the slots with denials whose predicate no sweep of its own covers."""
        after, graph = at[0], self.tenant.graph
        while page := graph.denied_slots(after, _ROWS):
            for after in page:
                own = graph.slot(after)
                named = next((one.claim.predicate for one in own if one.claim.predicate is not None), None)
                predicate = self.registry.get(named or "erased")
                covered = predicate.declared and (predicate.limit is not None or bool(predicate.exclusive))
                yield (after, ""), [] if covered else self._slot(own, predicate, denials=True)

    def _slot(self, own: list[SlotClaim], predicate: Predicate, *, denials: bool = False) -> list[Finding]:
        """Return what contradicts in a slot, as far as this is the slot to tell it."""
        view = next((one for one in own if one.claim.subject is not None), None)
        if view is None or not reaches(self.caller, view.claim.scope):
            return []
        if self.about is not None and not self.tenant.same_as and match_form(view.claim.subject or "") != self.about:
            return []
        slots = self._around(view.claim.scope)
        claims = slots.of(view)
        here = {one.claim.id for one in own}
        alone = len(claims) == len(own)  # nothing is laid into it: all that meets here is told here
        by_id = {one.claim.id: one for one in claims}
        found = []
        for pair in contradictions(claims, predicate, self.tenant.book, self.known, same=slots.same):
            both = (pair.left, pair.right)
            said_no = [one for one in both if by_id[one].claim.polarity is Polarity.NEGATIVE]
            if alone or (said_no[0] if denials and said_no else self._home(slots, *both)) in here:
                found.append(self._of_pair(pair, by_id, predicate, slots))
        for crowd in crowds(claims, predicate, self.tenant.book, self.known, same=slots.same):
            if alone or self._home(slots, *crowd.claims) in here:
                members = [by_id[one].claim for one in crowd.claims]
                found.append(_shown(members, crowd.valid_from, crowd.valid_to, "C5", "definite", "pattern-C5"))
        return found

    def _home(self, slots: Slots, *together: str) -> str:
        """Return the claim in whose slot claims that meet in several slots are told, so that they are told once."""
        for one in sorted(together):
            stored = self.tenant.graph.claim(one)
            if stored is not None and {each.claim.id for each in slots.of(stored)} >= set(together):
                return one
        return min(together)

    def _of_pair(self, pair: Pair, by_id: dict[str, SlotClaim], predicate: Predicate, slots: Slots) -> Finding:
        left, right = by_id[pair.left], by_id[pair.right]
        row = self._recorded.get((pair.left, pair.right), "")
        if not row:
            later, earlier = (left, right) if left.seq > right.seq else (right, left)
            row = classify(later, earlier, predicate, self.tenant.book, self.known, slots.same).row
        certainty = "definite" if pair.status == "open" else "possible"
        return _shown([left.claim, right.claim], pair.overlap_from, pair.overlap_to, pair.pattern, certainty, row)

    # -- across slots: C4, C6, C7

    def _pairs(self, form: str, other: str | None, at: _Place) -> Iterator[tuple[_Place, list[Finding]]]:
        """Go through pairs of claims: of one predicate with one object, or of two predicates about one subject."""
        graph = self.tenant.graph
        if other is not None and self.tenant.same_as:
            yield from self._by_names(form, other, at)
            return
        while page := (
            graph.shared_objects(form, at, _ROWS) if other is None else graph.same_subject(form, other, at, _ROWS)
        ):
            for last in page:
                at = last
                left, right = graph.claim(last[0]), graph.claim(last[1])
                yield last, [] if left is None or right is None else self._clashes(left, right, other is None)

    def _by_names(self, form: str, other: str, at: _Place) -> Iterator[tuple[_Place, list[Finding]]]:
        """The same where a subject has several names: each claim leads to the claims about all of them."""
        after, graph = at[0], self.tenant.graph
        while page := graph.claims_of(form, after, _ROWS):
            for after in page:
                view = graph.claim(after)
                found: list[Finding] = []
                if view is not None and view.claim.subject is not None:
                    slots = self._around(view.claim.scope)
                    for path in slots.visible:
                        for there in slots.claims(path, view.claim.subject, other):
                            found += self._clashes(view, graph.claim(there.claim.id) or there, False)
                yield (after, ""), found

    def _clashes(self, left: SlotClaim, right: SlotClaim, keys: bool) -> list[Finding]:
        a, b = left.claim, right.claim
        one, other = Scope.parse(a.scope), Scope.parse(b.scope)
        narrow, wide = (a, b) if b.scope in self.tenant.visible(one) else (b, a)
        nested = wide.scope in self.tenant.visible(one if narrow is a else other)
        if not nested or left.seq > self.known or right.seq > self.known or not reaches(self.caller, narrow.scope):
            return []
        slots = self._around(narrow.scope)
        found = [one for one in between(self.tenant, slots, left, right) if (one.pattern == "C4") is keys]
        return [_of_clash(one, left.claim, right.claim) for one in found]

    # -- one claim: C8, and nested scopes: C9

    def _types(self, predicate: Predicate, at: _Place) -> Iterator[tuple[_Place, list[Finding]]]:
        for place, view in self._each(predicate, at):
            claim = view.claim
            wrong = claim.object is not None and ill_typed(claim.object, predicate) is not None
            ends = claim.interval.from_lo, claim.interval.to_hi
            yield place, [_shown([claim], *ends, "C8", "definite", "pattern-C8")] if wrong else []

    def _scopes(self, predicate: Predicate, at: _Place) -> Iterator[tuple[_Place, list[Finding]]]:
        """What a scope says otherwise than a wider one: hidden there, and no contradiction."""
        for place, view in self._each(predicate, at):
            claim, found = view.claim, list[Finding]()
            slots = self._around(claim.scope)
            if claim.subject is not None and claim.polarity is Polarity.POSITIVE:
                others = (slots.claims(path, claim.subject, predicate.name) for path in slots.visible[1:])
                for wider in chain.from_iterable(others):
                    both = [view, wider]
                    for pair in contradictions(
                        both, predicate, self.tenant.book, self.known, same=slots.same, settled=True
                    ):
                        ends = pair.overlap_from, pair.overlap_to
                        found.append(_shown([claim, wider.claim], *ends, "C9", "definite", "pattern-C9"))
            yield place, found

    def _each(self, predicate: Predicate, at: _Place) -> Iterator[tuple[_Place, SlotClaim]]:
        """Yield the claims of a predicate that stand and that the caller may name."""
        after, graph = at[0], self.tenant.graph
        while match_form(predicate.name) in self._held and (
            page := graph.views_of(match_form(predicate.name), after, _ROWS)
        ):
            for view in page:
                after = view.claim.id
                if not reaches(self.caller, view.claim.scope):
                    continue
                stands = standing(view, self.tenant.book, self.known)
                if stands is not None and stands.live:
                    yield (after, ""), view


def _shown(claims: list[Claim], start: int, end: int, pattern: str, certainty: str, rule: str) -> Finding:
    left, right = claims[0], claims[1] if len(claims) > 1 else None
    return Finding(
        left=left.id,
        right=None if right is None else right.id,
        claims=tuple(one.id for one in claims),
        subject=left.subject,
        predicate=left.predicate,
        left_object=left.object,
        right_object=None if right is None else right.object,
        right_subject=None if right is None or right.subject == left.subject else right.subject,
        right_predicate=None if right is None or right.predicate == left.predicate else right.predicate,
        valid_from=iso(start),
        valid_to=iso(end) if end < FOREVER else None,
        pattern=pattern,
        certainty=certainty,
        rule=rule,
        scope=left.scope,
    )


def _of_clash(clash: Clash, a: Claim, b: Claim) -> Finding:
    left, right = (a, b) if a.id == clash.left else (b, a)
    return _shown([left, right], clash.overlap_from, clash.overlap_to, clash.pattern, clash.certainty, clash.row)


# -- what slots show by themselves


def in_slots(
    tenant: Tenant, caller: Caller, known: int, *, subject: str | None = None, predicate: str | None = None
) -> list[Finding]:
    """Return every contradiction that one slot shows (C1, C2, C3), by the ids of the pairs.

    Args:
        tenant: the open tenant.
        caller: who asks.
        known: transaction.
        subject: only slots of this subject.
        predicate: only slots of this predicate.
    """
    about, named = (None if one is None else match_form(one) for one in (subject, predicate))
    audit = _Audit(tenant, caller, known, about)
    found: dict[tuple[str, str], Finding] = {}
    for sweep in audit.sweeps():
        kind, _, form = sweep.name.partition(" ")
        if kind not in ("slots", "denials") or (named is not None and form not in ("", named)):
            continue
        for _, here in sweep.walk(_START):
            found.update(
                {(one.left, one.right): one for one in here if one.right is not None and one.pattern in _PAIRS}
            )
    return [found[pair] for pair in sorted(found)]


# -- pages


def _cursor(sweep: str, place: _Place) -> str:
    text = json.dumps([sweep, *place], ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[str, _Place]:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        found = None
    if not isinstance(found, list) or len(found) != 3 or not all(isinstance(one, str) for one in found):
        raise RequestError("the cursor is not one that a page of contradictions ended with")
    return found[0], (found[1], found[2])


def page(
    tenant: Tenant, caller: Caller, known: int, patterns: Iterable[str] | None, after: str | None, limit: int
) -> AuditPage:
    """See `Handle.audit_contradictions`."""
    wanted = frozenset(USUAL if patterns is None else patterns)
    if unknown := sorted(wanted - set(PATTERNS)):
        raise RequestError(f"there is no pattern {unknown[0][:20]!r}; choose from {', '.join(PATTERNS)}")
    if limit < 1:
        raise RequestError("a page holds at least one contradiction")
    start, place = ("", _START) if after is None else _read_cursor(after)
    audit, found, looked = _Audit(tenant, caller, known), list[Finding](), 0
    sweeps = [one for one in audit.sweeps() if one.patterns & wanted]
    names = [one.name for one in sweeps]
    if after is not None and start not in names:
        raise RequestError("the cursor belongs to other patterns or other declarations; begin again")
    for sweep in sweeps[names.index(start) if after is not None else 0 :]:
        for at, here in sweep.walk(place if sweep.name == start else _START):
            found += [one for one in here if one.pattern in wanted]
            looked += 1
            if len(found) >= limit or looked >= _PLACES:
                return AuditPage(items=tuple(found), next=_cursor(sweep.name, at))
    return AuditPage(items=tuple(found), next=None)
