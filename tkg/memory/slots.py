"""Slots as belief sees them: their own claims, and those that say the same under another name or from the other end.

Nothing is stored for this. A claim keeps the subject and the direction it was stated with; what belongs to a slot is laid
into it when it is read, by the `same_as` claims and the declarations of the transaction that is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tkg.belief.book import LATEST
from tkg.belief.compare import Same
from tkg.belief.mirror import SAME_AS, mirrored, opposite, same_of
from tkg.belief.suspension import Slot
from tkg.model.claim import Claim
from tkg.model.predicate import Predicate, Registry
from tkg.model.scope import Scope
from tkg.model.view import SlotClaim
from tkg.text import match_form

if TYPE_CHECKING:
    from tkg.memory.tenant import Tenant


class Entities:
    """Which names name one entity for a reader: the live `same_as` claims it sees at one transaction."""

    def __init__(self, tenant: Tenant, visible: Sequence[str], as_of: int) -> None:
        found = (tenant.graph.claim(one) for one in tenant.same_as)
        views = [view for view in found if view is not None and view.claim.scope in visible and view.seq <= as_of]
        self.same = same_of(views, tenant.book, as_of)
        self._names: dict[str, dict[str, str]] = {}
        for view in views:
            for name in (view.claim.subject, view.claim.object):
                if name is not None:
                    form = match_form(name)
                    self._names.setdefault(self.same.root(form), {}).setdefault(form, name)

    def others(self, name: str) -> list[str]:
        """Return the other names of the entity that `name` names, in order."""
        form = match_form(name)
        known = self._names.get(self.same.root(form), {})
        return [known[one] for one in sorted(known) if one != form]


class Slots:
    """Reads slots for one reader at one transaction, each once."""

    def __init__(
        self, tenant: Tenant, visible: Sequence[str], as_of: int = LATEST, entities: Entities | None = None
    ) -> None:
        self._tenant = tenant
        self.as_of = as_of
        self.visible = tuple(visible)
        self._registry = tenant.registry(as_of)
        self._entities = entities or (Entities(tenant, self.visible, as_of) if tenant.same_as else None)
        self._read: dict[tuple[str, str, str], list[SlotClaim]] = {}

    @classmethod
    def around(cls, tenant: Tenant, scope: str, as_of: int = LATEST) -> Slots:
        """Return the reader for claims of one scope: it sees that scope and the wider ones."""
        return cls(tenant, tenant.visible(Scope.parse(scope)), as_of)

    def anew(self) -> Slots:
        """Return the same reader with nothing read: for whoever goes through many slots and keeps none of them."""
        return Slots(self._tenant, self.visible, self.as_of, self._entities)

    @property
    def same(self) -> Same | None:
        """Which entities are one; None where nothing says so."""
        return None if self._entities is None else self._entities.same

    @property
    def registry(self) -> Registry:
        """The declarations of the transaction."""
        return self._registry

    def declared(self, claim: Claim) -> Predicate:
        """Return the declaration of a claim's predicate (an erased claim's is unknown, so it is multi-valued)."""
        return self.registry.get(claim.predicate or "erased")

    def claims(self, scope: str, subject: str, predicate: str) -> list[SlotClaim]:
        """Return everything that says something about (subject, predicate) in a scope, in order of transaction."""
        key = scope, match_form(subject), match_form(predicate)
        if key not in self._read:
            own = self._tenant.graph.slot(self._tenant.names.slot(scope, subject, predicate))
            self._read[key] = self._joined(own, self.foreign(scope, subject, predicate))
        return self._read[key]

    def foreign(self, scope: str, subject: str, predicate: str) -> list[SlotClaim]:
        """Return what is laid into a slot from other slots: other names of the subject, and the other end."""
        names, graph = self._tenant.names, self._tenant.graph
        others = [] if self._entities is None else self._entities.others(subject)
        declared = self.registry.get(predicate)
        turned = opposite(declared, self.registry)
        if not others and turned is None:
            return []
        slot_id, entity = names.slot(scope, subject, predicate), names.entity(subject)
        found = []
        for name in others:
            for view in graph.slot(names.slot(scope, name, predicate)):
                found.append(replace(view, claim=view.claim.model_copy(update={"slot_id": slot_id})))
        for name in (subject, *others) if turned is not None else ():
            for one in graph.holders(names.entity(name), match_form(turned or "")):
                there = graph.claim(one)
                if there is not None and there.claim.scope == scope:
                    found.append(mirrored(there, declared, slot_id))
        return [_about(view, subject, entity) for view in found]

    @staticmethod
    def _joined(own: Iterable[SlotClaim], foreign: Iterable[SlotClaim]) -> list[SlotClaim]:
        known = {view.claim.id: view for view in foreign}
        known |= {view.claim.id: view for view in own}
        return sorted(known.values(), key=lambda view: (view.seq, view.claim.id))

    def layers(self, subject: str, predicate: str) -> list[list[SlotClaim]]:
        """Return the claims of (subject, predicate) in each visible scope, the narrowest first."""
        return [self.claims(path, subject, predicate) for path in self.visible]

    def of(self, view: SlotClaim) -> list[SlotClaim]:
        """Return the claims of a claim's own slot, with what is laid into it."""
        claim = view.claim
        if claim.subject is not None and claim.predicate is not None:
            return self.claims(claim.scope, claim.subject, claim.predicate)
        claims = self._tenant.graph.slot(claim.slot_id)
        named = next((one.claim for one in claims if one.claim.subject is not None), None)
        if named is None or named.subject is None or named.predicate is None:
            return claims
        return self.claims(named.scope, named.subject, named.predicate)

    def slot(self, view: SlotClaim) -> Slot:
        """Return a claim's slot with its declaration."""
        claims = self.of(view)
        named = next((one.claim for one in claims if one.claim.predicate is not None), view.claim)
        return Slot(claims, self.declared(named))

    def lookup(self, claim_id: str) -> Slot | None:
        """Return the slot of a claim by its id, as belief asks for what a claim depends on; None for no claim."""
        view = self._tenant.graph.claim(claim_id)
        return None if view is None else self.slot(view)


def _about(view: SlotClaim, subject: str, entity: str) -> SlotClaim:
    """Return a claim under the name it is read by, so that it is one subject for whatever compares."""
    claim = view.claim.model_copy(update={"subject_id": entity, "subject": subject if view.claim.subject else None})
    return replace(view, claim=claim)


__all__ = ["SAME_AS", "Entities", "Slots"]
