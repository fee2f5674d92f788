"""Export: everything in a scope, or about a subject, as JSON Lines in the order it was written.

The same bytes for the same ledger, with provenance and both times. A portable archive also carries the tenant's key: from
it `tkg.memory.importing` makes a tenant whose export is the same bytes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tkg.errors import NotFound
from tkg.ids import canonical
from tkg.memory.caller import Caller
from tkg.memory.closure import Closure, close_over
from tkg.memory.states import contested, state_of
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches, scope_of
from tkg.model.claim import Claim, Conflict, Justification, Refinement, Supersession
from tkg.model.entry import Record
from tkg.model.evidence import Source
from tkg.model.time import iso

#: version of the form, in the first line
FORMAT = "tkg.export/1"
#: fields that hold an instant
INSTANTS = ("observed_at", "portion_from", "portion_to", "overlap_from", "overlap_to", "valid_at")
#: fields of a line that belong to its entry or say how things stand, and not to the record
ABOUT = ("seq", "tx_time", "op", "under", "state", "disputed")


def export(tenant: Tenant, caller: Caller, *, subject: str | None = None, portable: bool = False) -> Iterator[str]:
    """Yield one JSON document a line: a header, then every record with its operation, times and, for claims, state.

    See `Handle.export`.
    """
    chosen = None if subject is None else _about(tenant, caller, subject)
    header = {"format": FORMAT, "scope": caller.scope.path}
    if subject is not None:
        header["subject"] = subject
    if portable:
        header["key"] = tenant.ledger.key.hex()
    return _lines(tenant, caller, header, chosen)


def _lines(tenant: Tenant, caller: Caller, header: dict[str, str], chosen: Closure | None) -> Iterator[str]:
    yield canonical(header)
    for entry in tenant.ledger.read_since(0):
        if not reaches(caller, entry.scope):
            continue
        for record in entry.records:
            if chosen is not None and not _belongs(record, chosen):
                continue
            line = {"seq": entry.seq, "tx_time": iso(entry.tx_time), "op": entry.op, "under": entry.scope}
            line |= _fields(record)
            if isinstance(record, Claim):
                line["state"] = state_of(tenant, record.id).state
                if _disputed(tenant, record.id):
                    line["disputed"] = True
            yield canonical(line)


def _disputed(tenant: Tenant, claim_id: str) -> bool:
    """Return whether a claim stands in an open contradiction: the note travels with it."""
    view = tenant.graph.claim(claim_id)
    return view is not None and tenant.book.live(claim_id) and bool(contested(tenant, [view]))


def _about(tenant: Tenant, caller: Caller, subject: str) -> Closure:
    """Return everything about a subject: what an erasure would reach, here to be shown.

    Raises:
        NotFound: nothing in this scope is about it; names are compared whole.
    """
    found = tenant.graph.mentions(tenant.names.entity(subject), 1 << 30)
    roots = [one for one in found if (scope := scope_of(tenant, one)) and reaches(caller, scope)]
    if not roots:
        raise NotFound("nothing in this scope is about that subject; names are compared whole")
    return close_over(tenant, roots, mine=lambda scope: reaches(caller, scope), names=[subject])


def _belongs(record: Record, chosen: Closure) -> bool:
    if isinstance(record, Justification):
        return record.head in chosen.nodes
    if isinstance(record, Supersession):
        return record.winner in chosen.nodes and record.loser in chosen.nodes
    if isinstance(record, Conflict):
        return record.left in chosen.nodes and record.right in chosen.nodes
    if isinstance(record, Refinement):
        return record.finer in chosen.nodes and record.coarser in chosen.nodes
    if isinstance(record, Source):
        return record.id in chosen.every_source
    return record.id in chosen


def _fields(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = record.model_dump(mode="json")
    for name in INSTANTS:
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
