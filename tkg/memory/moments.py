"""When transactions were written, for answers that speak of them."""

from __future__ import annotations

from collections.abc import Iterable

from tkg.memory.findings import Moment
from tkg.memory.tenant import Tenant
from tkg.model.time import iso

#: transactions up to which each is read by itself; more are read in one pass over the ledger
_FEW = 200


def written_at(tenant: Tenant, seqs: Iterable[int]) -> dict[int, str | None]:
    """Return when transactions were written, as ISO 8601 text; one that does not exist is None."""
    head = tenant.ledger.head.seq
    wanted = sorted({seq for seq in seqs if 0 < seq <= head})
    found: dict[int, str | None] = {}
    if len(wanted) <= _FEW:
        for seq in wanted:
            found[seq] = next((iso(entry.tx_time) for entry in tenant.ledger.read_since(seq - 1)), None)
        return found
    asked = set(wanted)
    for entry in tenant.ledger.read_since(wanted[0] - 1):
        if entry.seq in asked:
            found[entry.seq] = iso(entry.tx_time)
        if entry.seq >= wanted[-1]:
            break
    return found


def moment(tenant: Tenant, seq: int) -> Moment:
    """Return a transaction with its time; one beyond the newest is the newest."""
    seq = min(max(seq, 0), tenant.ledger.head.seq)
    return Moment(seq=seq, at=written_at(tenant, [seq]).get(seq))
