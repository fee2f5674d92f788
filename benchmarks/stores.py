"""Stores with many claims, made by appending entries in bulk instead of proposing each claim."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from pathlib import Path

import tkg
from benchmarks.corpus import DAYS, PASSAGE, Fact, facts, policies
from tkg.belief.normalise import normalise
from tkg.clock import ManualClock
from tkg.graph.port import Graph
from tkg.ids import SeededIds
from tkg.index.sqlite import open_index
from tkg.ledger.port import Ledger
from tkg.ledger.sqlite import open_ledger
from tkg.memory.directory import folder_name
from tkg.memory.names import Names
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Draft, Entry, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.time import Interval, to_instant
from tkg.model.verdict import StatusChange

TENANT = "bench"
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
#: when measuring begins
NOW = _FIRST + timedelta(days=DAYS)
_BATCH = 500


@dataclass
class Twin:
    """A ledger and a graph of the same claims, to be written without gate, reads or index."""

    ledger: Ledger
    graph: Graph

    def write(self, entry: Entry) -> None:
        """Append what an entry of another ledger holds, and apply it."""
        self.graph.apply(self.ledger.append([Draft(op=entry.op, scope=entry.scope, records=entry.records)]))

    def close(self) -> None:
        """Release both."""
        self.graph.close()
        self.ledger.close()


def folder(store: Path) -> Path:
    """Return where the tenant of a store lies."""
    return store / "tenants" / folder_name(TENANT)


def made(stores: Path, count: int) -> Path:
    """Return the store with `count` claims in a folder of stores; it is made where it is not there yet."""
    store = stores / f"claims-{count}"
    if not store.exists():
        part = stores / f"claims-{count}.part"
        shutil.rmtree(part, ignore_errors=True)  # of a run that was stopped
        build(part, count)
        part.rename(store)
    return store


def build(store: Path, count: int) -> list[Fact]:
    """Make a store with `count` claims and its text index, and return what the claims say.

    Each passage is one entry with its evidence, claims and justifications; nothing that is measured reads the verdicts,
    so there are none. One claim in a hundred was revoked. The graph is made by whoever opens the store.
    """
    known = facts(count)
    clock = ManualClock(_FIRST, timedelta(milliseconds=1))

    def set_clock(batch: int) -> None:
        clock.set(_FIRST + timedelta(days=known[batch * _BATCH * PASSAGE].day))

    fill(store, clock, lambda names: _drafts(known, names, SeededIds(2)), before=set_clock)
    return known


def fill(
    store: Path,
    clock: ManualClock,
    drafts: Callable[[Names], Iterator[Draft]],
    *,
    before: Callable[[int], None] = lambda _: None,
) -> None:
    """Make a store and its text index by appending entries in bulk; the graph is made by whoever opens it.

    Args:
        store: an empty folder, or none.
        clock: gives the entries their time.
        drafts: makes the entries, with the names of the new tenant.
        before: called with the number of each batch of entries before it is appended.
    """
    with tkg.open(store, clock=clock, ids=SeededIds(0), engine="memory") as memory:
        memory.create_tenant(TENANT)
    remove_projections(store)
    ledger = open_ledger(folder(store) / "ledger.sqlite", TENANT, clock, SeededIds(1))
    try:
        made, number = drafts(Names(ledger.key)), 0
        while batch := list(islice(made, _BATCH)):
            before(number)
            ledger.append(batch)
            number += 1
        open_index(folder(store) / "index.sqlite", ledger.read_since, head=ledger.head.seq).close()
    finally:
        ledger.close()


def remove_projections(store: Path) -> None:
    """Remove graph and index, so that the next opening makes them."""
    for name in ("graph", "index.sqlite"):
        for file in folder(store).glob(f"{name}*"):
            file.unlink()


def copy(store: Path, to: Path) -> Path:
    """Copy a closed store."""
    return Path(shutil.copytree(store, to))


def open_store(store: Path, engine: str, *, in_file: bool | None) -> tkg.Memory:
    """Open a store with its graph in memory or in a file (None: as it decides), at the time at which measuring begins."""
    clock = ManualClock(NOW, timedelta(microseconds=10))
    where: dict[str, int] = {} if in_file is None else {"graph_file_above": 0 if in_file else 2**62}
    return tkg.open(
        store,
        clock=clock,
        ids=SeededIds(3),
        engine=engine,
        policies=policies(),
        **where,
    )


def open_twin(store: Path, engine: str, *, in_file: bool) -> Twin:
    """Open ledger and graph of a store by themselves."""
    from tkg.graph.projection import open_graph

    clock = ManualClock(NOW, timedelta(microseconds=10))
    ledger = open_ledger(folder(store) / "ledger.sqlite", TENANT, clock, SeededIds(4))
    path = folder(store) / "graph" if in_file else None
    return Twin(ledger, open_graph(path, engine=engine, ledger_entries=ledger.read_since))


def _drafts(known: Sequence[Fact], names: Names, ids: SeededIds) -> Iterator[Draft]:
    source_id, session_id, origin = cache(names.source), cache(names.session), cache(names.origin)
    principal_id, slot_id, entity_id = cache(names.principal), cache(names.slot), cache(names.entity)
    registry = policies().write.registry
    sources: set[str] = set()
    for start in range(0, len(known), PASSAGE):
        passage = known[start : start + PASSAGE]
        fact, session = passage[0], f"past-{start // 200}"
        observed = to_instant(_FIRST + timedelta(days=fact.day, seconds=start % 86_400))
        evidence = StoredEvidence(
            id=ids.new("evd"),
            scope=TENANT,
            source_id=source_id(fact.uri),
            channel=fact.channel,
            origin=origin(fact.principal),
            principal_id=principal_id(fact.principal),
            session_id=session_id(session),
            observed_at=observed,
            quote=". ".join(one.text for one in passage),
            principal=fact.principal,
            session=session,
        )
        records: list[Record] = [evidence]
        if evidence.source_id not in sources:
            sources.add(evidence.source_id)
            records.insert(0, Source(id=evidence.source_id, uri=fact.uri))
        for one in passage:
            normal = normalise(one.object, registry.get(one.predicate))
            claim = Claim(
                id=ids.new("clm"),
                scope=TENANT,
                slot_id=slot_id(TENANT, one.subject, one.predicate),
                subject_id=entity_id(one.subject),
                object_id=entity_id(one.object),
                object_type=normal.type,
                interval=Interval.make(None, None, default_from=observed),
                subject=one.subject,
                predicate=one.predicate,
                object=one.object,
                object_norm=normal.norm,
            )
            support = Justification(
                id=ids.new("jst"),
                head=claim.id,
                requires=(evidence.id,),
                channel=fact.channel,
                origins=(evidence.origin,),
                observed_at=observed,
                slot_id=claim.slot_id,
            )
            records += (claim, support)
        if start % 100 == 0:
            records.append(
                StatusChange(id=ids.new("sta"), target=records[-2].id, axis="status", value="revoked", code="revoke")
            )
        yield Draft(op="propose", scope=TENANT, records=tuple(records))
