"""Export: everything in a scope as JSON Lines, in the order it was written, the same bytes for the same store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tkg.ids import canonical
from tkg.memory.caller import Caller
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.claim import Claim
from tkg.model.entry import Record
from tkg.model.time import iso

#: version of the form, in the first line
FORMAT = "tkg.export/1"


def export(tenant: Tenant, caller: Caller) -> Iterator[str]:
    """Yield one JSON document a line: a header, then every record with its operation, times and, for claims, state."""
    yield canonical({"format": FORMAT, "scope": caller.scope.path})
    for entry in tenant.ledger.read_since(0):
        if not reaches(caller, entry.scope):
            continue
        for record in entry.records:
            line = {"seq": entry.seq, "tx_time": iso(entry.tx_time), "op": entry.op, **_fields(record)}
            if isinstance(record, Claim):
                line["state"] = state_of(tenant, record.id).state
            yield canonical(line)


def _fields(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = record.model_dump(mode="json")
    for name in ("observed_at", "portion_from", "portion_to", "overlap_from", "overlap_to", "valid_at"):
        if name in fields:
            fields[name] = iso(fields[name])
    if isinstance(record, Claim):
        bounds = record.interval
        fields["interval"] = {
            "valid_from": iso(bounds.from_lo),
            "valid_from_latest": iso(bounds.from_hi),
            "valid_to_earliest": iso(bounds.to_lo),
            "valid_to": iso(bounds.to_hi),
            "kind": bounds.kind,
            "edtf": bounds.edtf,
        }
    return fields
