"""A tenant in memory, for judging a first write before its real tenant exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tkg.graph.memory import MemoryGraph
from tkg.index.memory import MemoryIndex
from tkg.ledger.memory import MemoryLedger
from tkg.memory.tenant import Tenant

if TYPE_CHECKING:
    from tkg.memory.store import Memory


def trial_tenant(memory: Memory, tenant: str) -> Tenant:
    """Return an empty tenant in memory with the store's clock and policies; it leaves nothing behind."""
    return Tenant(
        MemoryLedger(tenant, memory.clock, memory.ids),
        lambda ledger: (MemoryGraph(ledger.read_since(0)), lambda: MemoryIndex(ledger.read_since(0))),
        clock=memory.clock,
        ids=memory.ids,
        policies=memory.policies,
    )
