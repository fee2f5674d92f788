"""Slots that were read before are answered without a statement, and never as they were before a write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engines import CYPHER, engine_or_skip
from tkg.errors import Damaged
from tkg.graph import bulk, projection
from tkg.graph.kept import KeptSlots
from tkg.graph.kuzu import Engine
from tkg.graph.memory import MemoryGraph
from tkg.graph.projection import KuzuGraph, open_graph
from tkg.model.view import SlotClaim
from tkg.testing.graph import counted
from tkg.testing.histories import Histories


@pytest.fixture
def graph() -> Iterator[KuzuGraph]:
    opened = open_graph(None, engine=engine_or_skip(CYPHER), ledger_entries=lambda seq: iter(()))
    yield opened
    opened.close()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return how often each query was run from here on."""
    count: Counter[str] = Counter()
    plain = Engine.read

    def read(self: Engine, query: object, parameters: object = None) -> object:
        count[query.name] += 1  # type: ignore[attr-defined]
        return plain(self, query, parameters)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "read", read)
    return count


def compare(graph: KuzuGraph, reference: MemoryGraph, history: Histories) -> int:
    """Ask both for every slot and claim, the graph twice; return how many there are."""
    slots, claims = dict.fromkeys(history.asked.get("slt", ())), [one.id for one in history.claims]
    for slot in slots:
        assert graph.slot(slot) == reference.slot(slot) == graph.slot(slot)
    for claim in claims:
        assert graph.claim(claim) == reference.claim(claim)
    return len(claims)


def heads(graph: KuzuGraph, reference: MemoryGraph, history: Histories) -> None:
    """Ask both for claims and texts by themselves, and for what backs them, the graph twice."""
    for node in [*(one.id for one in history.claims), *history.asked.get("art", ())]:
        assert graph.claim(node) == reference.claim(node) == graph.claim(node)
        assert graph.justifications(node) == reference.justifications(node) == graph.justifications(node)
        assert graph.artefact(node) == reference.artefact(node) == graph.artefact(node)
        assert graph.evidence(node) == reference.evidence(node)


@pytest.mark.engine
@pytest.mark.parametrize("most", [projection.BULK, 1], ids=["statements", "bulk"])
@pytest.mark.parametrize("seed", range(3))
def test_after_every_entry_slots_are_those_of_the_reference(
    graph: KuzuGraph, asked: Counter[str], monkeypatch: pytest.MonkeyPatch, seed: int, most: int
) -> None:
    monkeypatch.setattr(projection, "BULK", most)
    monkeypatch.setattr(projection, "BULK_IN_MEMORY", most)
    history, reference = Histories(counted(seed)), MemoryGraph()
    compared = 0
    for _ in range(25):
        entry = history.entry()
        graph.apply([entry])
        reference.apply([entry])
        compared += compare(graph, reference, history)
    # a claim whose slot was read needs no statement of its own
    assert compared > 50
    assert asked["claim"] == 0 < asked["slot"]


@pytest.mark.engine
@pytest.mark.parametrize("seed", range(3))
def test_what_is_read_amid_a_load_is_not_kept(graph: KuzuGraph, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Claims lie there before the edges to their slots and to what backs them do."""
    history, reference, connect, read = Histories(counted(seed)), MemoryGraph(), bulk.Loader.connect, []
    first = history.grow(10)
    graph.apply(first)
    reference.apply(first)
    compare(graph, reference, history)
    more = history.grow(30)
    reference.apply(more)

    def reading(loader: bulk.Loader) -> None:
        for one in history.claims:
            read.append((graph.slot(one.slot_id), reference.slot(one.slot_id)))
            graph.claim(one.id)
        connect(loader)

    monkeypatch.setattr(bulk.Loader, "connect", reading)
    monkeypatch.setattr(projection, "BULK", 1)
    graph.apply(more)
    assert any(then != now for then, now in read)  # the control
    assert compare(graph, reference, history) > 10
    heads(graph, reference, history)


@pytest.mark.engine
@pytest.mark.parametrize("seed", range(3))
def test_after_every_entry_claims_and_texts_are_those_of_the_reference(
    graph: KuzuGraph, asked: Counter[str], seed: int
) -> None:
    history, reference = Histories(counted(seed)), MemoryGraph()
    for _ in range(20):
        entry = history.entry()
        graph.apply([entry])
        reference.apply([entry])
        heads(graph, reference, history)
    done = Counter(asked)
    heads(graph, reference, history)
    assert asked == done and done["claim"] > 0  # nothing was written: nothing is asked again


@pytest.mark.engine
def test_a_claim_is_read_anew_when_something_new_backs_it(graph: KuzuGraph) -> None:
    history = Histories(counted(5))
    graph.apply(history.grow(30))
    claim = next(one for one in history.claims if graph.claim(one.id) is not None)
    before = graph.claim(claim.id)
    assert before is not None and before.backers
    more = before.backers[0].justification.model_copy(update={"id": "jst_new"})
    entry = history.entries[-1].model_copy(update={"seq": history.entries[-1].seq + 1, "records": (more,)})
    graph.apply([entry])
    after = graph.claim(claim.id)
    assert after is not None and {one.justification.id for one in after.backers} == {
        "jst_new",
        *(one.justification.id for one in before.backers),
    }
    assert graph.justifications(claim.id) == list(after.backers)


@pytest.mark.engine
def test_what_is_read_again_costs_no_statement(graph: KuzuGraph, asked: Counter[str]) -> None:
    history = Histories(counted(5))
    graph.apply(history.grow(30))
    claim = history.claims[0]
    before = graph.slot(claim.slot_id)
    assert asked["slot"] == 1
    before.clear()  # what was handed out is the caller's
    assert claim.id in [view.claim.id for view in graph.slot(claim.slot_id)]
    assert asked["slot"] == 1


@pytest.mark.engine
def test_a_closed_graph_answers_nothing(tmp_path: Path) -> None:
    history = Histories(counted(5))
    history.grow(30)
    graph = open_graph(
        tmp_path / "graph", engine=engine_or_skip(CYPHER), ledger_entries=lambda seq: iter(history.entries[seq:])
    )
    claim = history.claims[0]
    assert graph.slot(claim.slot_id)
    graph.close()
    with pytest.raises(Damaged, match="closed"):
        graph.slot(claim.slot_id)
    with pytest.raises(Damaged, match="closed"):
        graph.claim(claim.id)


def views(seed: int) -> tuple[Histories, dict[str, list[SlotClaim]]]:
    history = Histories(counted(seed))
    reference = MemoryGraph(history.grow(30))
    return history, {one.slot_id: reference.slot(one.slot_id) for one in history.claims}


def test_a_slot_read_while_something_was_written_is_not_kept() -> None:
    history, slots = views(3)
    slot = next(iter(slots))
    kept = KeptSlots()
    changes = kept.changes
    kept.changed(history.entries[:1])
    kept.keep(slot, slots[slot], changes)
    assert kept.slot(slot) is None
    kept.keep(slot, slots[slot], kept.changes)
    assert kept.slot(slot) == tuple(slots[slot])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 20), most=st.integers(1, 60), order=st.lists(st.integers(0, 1_000), max_size=60))
def test_no_more_is_kept_than_may_be_and_it_is_what_was_read(seed: int, most: int, order: list[int]) -> None:
    history, slots = views(seed)
    kept, names = KeptSlots(most), sorted(slots)
    if not names:
        return
    for number in order:
        if number % 7 == 0:
            kept.changed([history.entries[number % len(history.entries)]])
        name = names[number % len(names)]
        kept.keep(name, slots[name], kept.changes)
        held = {one: found for one in names if (found := kept.slot(one)) is not None}
        assert all(list(found) == slots[one] for one, found in held.items())
        assert sum(1 + sum(1 + len(view.backers) for view in found) for found in held.values()) <= most
        for one in names:
            for view in slots[one]:
                assert kept.claim(view.claim.id) == (view if one in held else None)
