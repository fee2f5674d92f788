"""Declarations of predicates in the ledger: what was declared when, so that a replay reads by the rules of its day.

A store's declarations come from its policies. Opening a tenant for writing records what differs from the last ones
recorded, as changes on the axis "declared" of the predicate's id; a question about a transaction is answered by those.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tkg.belief.book import LATEST, Book
from tkg.errors import TkgError
from tkg.ids import canonical, digest
from tkg.model.predicate import Predicate, Registry
from tkg.model.verdict import StatusChange
from tkg.text import match_form

if TYPE_CHECKING:
    from tkg.memory.tenant import Tenant

AXIS: Final = "declared"


def declaration_text(predicate: Predicate) -> str:
    """Return a declaration as canonical JSON, without what is left at its default."""
    return canonical(predicate.model_dump(mode="json", exclude_defaults=True))


def read_declaration(text: str) -> Predicate | None:
    """Read a declaration as it was recorded; None where a newer version wrote what this one cannot read."""
    try:
        fields = json.loads(text)
        return Predicate.build(**fields) if isinstance(fields, dict) else None
    except (ValueError, TypeError, TkgError):
        return None


def recorded(book: Book, as_of: int = LATEST) -> dict[str, Predicate]:
    """Return the declarations in force at a transaction, by name."""
    changes = (book.last(target, AXIS, as_of) for target in book.targets(AXIS, "declared", as_of))
    texts = (change.reason for change in changes if change is not None and change.reason is not None)
    found = (read_declaration(text) for text in texts)
    return {predicate.name: predicate for predicate in found if predicate is not None}


def differences(tenant: Tenant) -> list[StatusChange]:
    """Return what has to be recorded so that the ledger names the declarations the tenant was opened with."""
    wanted = {name: declaration_text(one) for name, one in tenant.policies.write.registry.predicates.items()}
    known = {name: declaration_text(one) for name, one in recorded(tenant.book).items()}
    forms = {match_form(name) for name in wanted}
    changed = [name for name in sorted(wanted) if wanted[name] != known.get(name)]
    # one that is only written otherwise now is the same predicate, and is declared above
    changed += [name for name in sorted(known) if match_form(name) not in forms]
    return [
        StatusChange(
            id=tenant.ids.new("sta"),
            target=tenant.names.predicate(name),
            axis=AXIS,
            value="declared" if name in wanted else "withdrawn",
            code=digest(wanted.get(name, "")),
            reason=wanted.get(name),
        )
        for name in changed
    ]


def declare(tenant: Tenant, scope: str) -> None:
    """Record the declarations a tenant was opened with, if they differ from the last ones recorded."""
    if changes := differences(tenant):
        tenant.commit("declare", scope, changes)


def registry_at(book: Book, as_of: int) -> Registry:
    """Return the declarations as a transaction knew them."""
    return Registry(predicates=recorded(book, as_of))
