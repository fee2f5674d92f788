"""Claims seen from their other end: symmetric and inverse predicates, and entities that live claims call the same.

Nothing is rewritten: a claim keeps the direction it was stated in. For comparing and answering, the claims stored from
the other end are turned round and laid among those of the slot, so that "A partner_of B" and "B partner_of A" are one
claim with two pieces of evidence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tkg.belief.book import LATEST, Book
from tkg.belief.compare import Same
from tkg.belief.normalise import normalise
from tkg.belief.order import standing
from tkg.model.claim import Polarity
from tkg.model.predicate import Predicate, Registry
from tkg.model.view import SlotClaim
from tkg.text import match_form

#: the predicate whose live claims say that two names name one entity
SAME_AS = "same_as"


def opposite(predicate: Predicate, registry: Registry) -> str | None:
    """Return the predicate that says the same from the object's end, or None.

    A symmetric predicate is its own; of two that name each other with `inverse_of` one declaration is enough.
    """
    if predicate.symmetric:
        return predicate.name
    if predicate.inverse_of is not None:
        return predicate.inverse_of
    named = (other.name for other in registry.predicates.values() if other.inverse_of == predicate.name)
    return min(named, default=None)


def mirrored(view: SlotClaim, predicate: Predicate, slot_id: str) -> SlotClaim:
    """Return a claim turned round: its object as the subject, its subject as the object.

    Args:
        view: a claim of the opposite predicate about the object (see `opposite`).
        predicate: the declaration of the predicate it is read under.
        slot_id: the slot it is laid into.
    """
    claim = view.claim
    norm = None if claim.subject is None else normalise(claim.subject, predicate)
    turned = claim.model_copy(
        update={
            "slot_id": slot_id,
            "subject_id": claim.object_id,
            "object_id": claim.subject_id,
            "subject": claim.object,
            "object": claim.subject,
            "predicate": None if claim.predicate is None else predicate.name,
            "object_norm": None if norm is None else norm.norm,
            "object_type": claim.object_type if norm is None else norm.type,
        }
    )
    return replace(view, claim=turned)


def same_of(claims: Iterable[SlotClaim], book: Book, as_of: int = LATEST) -> Same:
    """Return which entities are one, by their ids and by their names, from live positive `same_as` claims.

    Un-merging is revoking such a claim: it is no longer among the live ones the next time this is asked.
    """
    pairs: list[tuple[str, str]] = []
    for view in sorted(claims, key=lambda each: (each.seq, each.claim.id)):
        claim, found = view.claim, standing(view, book, as_of)
        if (
            found is None
            or not found.live
            or claim.polarity is Polarity.NEGATIVE
            or match_form(claim.predicate or "") != SAME_AS
        ):
            continue
        pairs.append((claim.subject_id, claim.object_id))
        if claim.subject is not None and claim.object is not None:
            entity = Predicate(name=SAME_AS, datatype="entity")
            pairs.append((normalise(claim.subject, entity).norm, normalise(claim.object, entity).norm))
    return Same(pairs)
