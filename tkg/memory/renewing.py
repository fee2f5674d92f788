"""Writing a summary anew from what still stands of what it was made from; nobody's words are invented.

A summary that fell may not be kept (semantics 1.3), and its author's words cannot be written here. What can be said again is
what the claims it was made from say, those that still stand and those that took the place of the others.
"""

from __future__ import annotations

from typing import Final

from tkg.ids import kind_of
from tkg.memory import deriving
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.model.artefact import Artefact
from tkg.recall.render import claim_text

#: key in `meta` of a summary written anew: the one it replaces
FROM: Final = "rebuilt_from"


def inputs(tenant: Tenant, artefact_id: str) -> list[str]:
    """Return the claims that still stand of those a text was made from, with those that took the place of others."""
    found: dict[str, None] = {}
    for backer in tenant.graph.justifications(artefact_id):
        for needed in backer.justification.requires:
            if kind_of(needed) != "claim":
                continue
            if tenant.book.live(needed):
                found[needed] = None
                continue
            cuts = [cut for cut, _ in tenant.graph.supersessions(needed) if cut.loser == needed]
            found.update((cut.winner, None) for cut in cuts if tenant.book.live(cut.winner))
    return list(found)


def renew(tenant: Tenant, caller: Caller, summary_id: str) -> str | None:
    """Write a summary anew, and return its id; None where nothing it was made from stands. Asked again, it is found."""
    needs = inputs(tenant, summary_id)
    if not needs:
        return None
    for reach in tenant.graph.descendants(needs[0]):
        view = tenant.graph.artefact(reach.id)
        if view is not None and (view.artefact.meta or {}).get(FROM) == summary_id and tenant.book.live(reach.id):
            return reach.id
    claims = tenant.graph.claims(needs)
    lines = [
        claim_text(one.subject, one.predicate, one.object, one.polarity == "negative")
        for one in map(claims.get, needs)
        if one
    ]
    made = deriving.derive(
        tenant,
        caller,
        "summary",
        "\n".join(lines),
        used=None,
        from_=needs,
        alternatives=(),
        meta={FROM: summary_id},
    )
    return made.id if isinstance(made, Artefact) else made.artefact_id
