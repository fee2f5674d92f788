"""The ledger in a file keeps the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from tkg.clock import Clock
from tkg.ids import Ids
from tkg.ledger.port import Ledger
from tkg.ledger.sqlite import SqliteLedger, open_ledger, verify_ledger
from tkg.testing import LedgerContract


class TestSqliteLedger(LedgerContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.place = tmp_path / "acme" / "ledger.sqlite"

    def make(self, clock: Clock, ids: Ids, tenant: str = "acme") -> Ledger:
        return open_ledger(self.place, tenant, clock, ids, create=True)

    def reopen(self, ledger: Ledger, clock: Clock, ids: Ids) -> Ledger:
        assert isinstance(ledger, SqliteLedger)
        ledger.close()
        assert verify_ledger(ledger.path, ledger.tenant) == []
        return open_ledger(ledger.path, ledger.tenant, clock, ids)
