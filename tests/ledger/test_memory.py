"""The in-memory ledger keeps the contract."""

from __future__ import annotations

from tkg.clock import Clock
from tkg.ids import Ids
from tkg.ledger.memory import MemoryLedger
from tkg.ledger.port import Ledger
from tkg.testing import LedgerContract


class TestMemoryLedger(LedgerContract):
    def make(self, clock: Clock, ids: Ids, tenant: str = "acme") -> Ledger:
        return MemoryLedger(tenant, clock, ids)

    def reopen(self, ledger: Ledger, clock: Clock, ids: Ids) -> Ledger:
        ledger.close()
        return ledger
