"""Looking at declarations: what is declared, since when, and what could be."""

from __future__ import annotations

from tkg.belief.mining import Suggestion, suggest
from tkg.belief.order import standing
from tkg.errors import RequestError
from tkg.memory.caller import Caller
from tkg.memory.declaring import AXIS
from tkg.memory.tenant import AsOf, Tenant
from tkg.memory.visible import reaches
from tkg.model.base import Value as Frozen
from tkg.model.claim import Claim, Polarity
from tkg.text import match_form

#: most claims of one predicate that are looked at for suggestions
SAMPLE = 5_000


class DeclaredPredicate(Frozen):
    """A predicate as it is listed: its declaration without defaults, since when, and how many claims there are.

    `since` is the transaction that recorded this declaration; None for one that is not recorded yet, or not declared.
    """

    name: str
    declared: bool
    keys: dict[str, object] = {}
    since: int | None = None
    versions: int = 0
    claims: int = 0


def listing(tenant: Tenant, as_of: AsOf) -> list[DeclaredPredicate]:
    """See `Handle.predicates`."""
    known = tenant.seq_of(as_of)
    counts = dict(tenant.graph.predicates())
    found = []
    for name, one in tenant.registry(known).predicates.items():
        history = [item for item in tenant.book.history(tenant.names.predicate(name)) if item[1].axis == AXIS]
        seen = [seq for seq, _ in history if seq <= known]
        found.append(
            DeclaredPredicate(
                name=name,
                declared=True,
                keys=one.model_dump(mode="json", exclude_defaults=True, exclude={"name"}),
                since=seen[-1] if seen else None,
                versions=len(seen),
                claims=counts.pop(match_form(name), 0),
            )
        )
    found += [DeclaredPredicate(name=name, declared=False, claims=number) for name, number in counts.items()]
    return sorted(found, key=lambda one: (not one.declared, one.name))


def suggestions(tenant: Tenant, caller: Caller, least_support: int, least_confidence: float) -> list[Suggestion]:
    """See `Handle.suggest_predicates`."""
    if least_support < 1 or not 0 < least_confidence <= 1:
        raise RequestError("the least support is a number from 1 up, the least confidence lies above 0 and up to 1")
    claims = {name: _live(tenant, caller, name) for name, _ in tenant.graph.predicates()}
    found = suggest(
        {name: some for name, some in claims.items() if some},
        least_support=least_support,
        least_confidence=least_confidence,
    )
    return [one for one in found if not _has(tenant, one)]


def _has(tenant: Tenant, one: Suggestion) -> bool:
    """Return whether a predicate declares a key already: then there is nothing to suggest."""
    declared = tenant.registry().get(one.predicate)
    return declared.declared and one.key in declared.model_dump(exclude_defaults=True)


def _live(tenant: Tenant, caller: Caller, predicate: str) -> list[Claim]:
    """Return the claims of a predicate that stand and that the caller may name, a sample of the first by id."""
    found = []
    for view in tenant.graph.views_of(predicate, "", SAMPLE):
        if view.claim.polarity is Polarity.NEGATIVE or not reaches(caller, view.claim.scope):
            continue
        stands = standing(view, tenant.book)
        if stands is not None and stands.live:
            found.append(view.claim)
    return found
