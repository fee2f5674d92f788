"""Which claims are pinned, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tkg.belief.book import LATEST
from tkg.memory.tenant import Tenant

AXIS: Final = "pin"


def pins(tenant: Tenant, visible: Sequence[str], as_of: int = LATEST) -> tuple[str, ...]:
    """Return the pinned claims of some scopes: by the order of the scopes, then of pinning."""
    last: dict[str, tuple[int, str]] = {}
    for seq, change in tenant.pinned:
        if seq <= as_of:
            last[change.target] = (seq, change.value)
    order = {path: place for place, path in enumerate(visible)}
    found = []
    for one, (seq, value) in last.items():
        view = tenant.graph.claim(one) if value == "pinned" else None
        if view is not None and view.claim.scope in order:
            found.append((order[view.claim.scope], seq, one))
    return tuple(one for _, _, one in sorted(found))
