"""What every graph must do: a suite to inherit from, and a comparison with the reference.

A backend proves itself with a few lines:

    class TestMine(GraphContract):
        def open(self, entries): return MyGraph(entries)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tkg.errors import Damaged
from tkg.graph.memory import MemoryGraph
from tkg.graph.port import KINDS, Graph
from tkg.model.entry import Entry
from tkg.testing.histories import Histories
from tkg.text import match_form

#: (what was asked, the answer of the one, the answer of the other)
Difference = tuple[str, Any, Any]

_UNKNOWN = "clm_00000000000000000000000000"


def questions(history: Histories, every: int = 1) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield (method, arguments) for everything worth asking about a history; with `every`, one id in so many."""
    ids: dict[str, list[str]] = {kind: list(dict.fromkeys(found))[::every] for kind, found in history.asked.items()}
    nodes = [*ids.get("clm", ()), *ids.get("evd", ()), *ids.get("art", ()), *history.foreign, _UNKNOWN]
    about = {
        "slot": ids.get("slt", []),
        "claim": nodes,
        "dependents": nodes,
        "supersessions": nodes,
        "conflicts": nodes,
        "refinements": nodes,
        "justification": [*ids.get("jst", ()), _UNKNOWN],
        "justifications": nodes,
        "cone": nodes,
        "basis": nodes,
        "ancestors": nodes,
        "descendants": nodes,
        "evidence": nodes,
        "source": [*ids.get("src", ()), _UNKNOWN],
        "evidence_from": [*ids.get("src", ()), *ids.get("ses", ()), *ids.get("prn", ()), _UNKNOWN],
        "copies": [*ids.get("src", ()), history.foreign[3]],
        "artefact": nodes,
        "retrieval": [*ids.get("ret", ()), _UNKNOWN],
        "exposures": nodes,
        "exposed_ancestors": nodes,
        "exposed_descendants": nodes,
        "session_reads": [*ids.get("ses", ()), _UNKNOWN],
        "session_artefacts": [*ids.get("ses", ()), _UNKNOWN],
        "verdict": [*ids.get("vrd", ()), _UNKNOWN],
        "verdicts": nodes,
        "changes": [*dict.fromkeys(history.asked.get("target", [])), _UNKNOWN],
    }
    for method, keys in about.items():
        for key in keys:
            yield method, (key,)
    for entity in (*ids.get("ent", ()), _UNKNOWN):
        yield "mentions", (entity, 3)
        yield "mentions", (entity, 1000)
    for limit in (1, 3, 1000):
        yield "clashes", ("", limit)
    for claim in ids.get("clm", [])[::3]:
        yield "clashes", (claim, 2)
    yield from _of_predicates(ids)
    for padding in (0, 2_000):  # so many that a graph may rather read all claims
        yield "claims", ((*nodes, *(f"{_UNKNOWN}{number}" for number in range(padding))),)
    yield from (
        ("conflicts", ()),
        ("changes", ()),
        ("dependencies", ()),
        ("counts", ()),
        ("predicates", ()),
        ("skills", ()),
    )
    yield "shared_slots", ()
    for prefix in ("", "clm_", *(node[:14] for node in nodes[::5])):
        yield "identifiers", (prefix, "", 1000)
        yield "identifiers", (prefix, nodes[0], 3)
    for after, upto in ((0, 2**62), (3, 9), (5, 5), (9, 3)):
        yield "changed", (after, upto)


def _of_predicates(ids: dict[str, list[str]]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    names = [match_form(name) for name in ids.get("predicate", [])]
    claims, slots = ids.get("clm", []), ids.get("slt", [])
    for slot in ("", *slots[::5]):
        yield "denied_slots", (slot, 3)
    for name in (*names, "no such predicate"):
        for limit in (2, 1000):
            yield "claims_of", (name, "", limit)
            yield "rival_slots", (name, "", limit)
            yield "views_of", (name, "", limit)
            yield "shared_objects", (name, ("", ""), limit)
        for claim in claims[::7]:
            yield "claims_of", (name, claim, 2)
            yield "shared_objects", (name, (claim, claims[-1]), 2)
        for slot in slots[::7]:
            yield "rival_slots", (name, slot, 2)
        for entity in ids.get("ent", ()):
            yield "holders", (entity, name)
        for other in names:
            yield "same_subject", (name, other, ("", ""), 1000)
            for claim in claims[::7]:
                yield "same_subject", (name, other, (claim, claims[0]), 2)


def answer(graph: Graph, method: str, arguments: tuple[Any, ...]) -> Any:
    """Return a graph's answer, sweeps as lists."""
    found = getattr(graph, method)(*arguments)
    return list(found) if isinstance(found, Iterator) else found


def differences(graph: Graph, reference: Graph, history: Histories, every: int = 1) -> list[Difference]:
    """Return every question about a history that the two answer differently."""
    found: list[Difference] = []
    if graph.applied != reference.applied:
        found.append(("applied", graph.applied, reference.applied))
    for method, arguments in questions(history, every):
        one, other = answer(graph, method, arguments), answer(reference, method, arguments)
        if one != other:
            found.append((f"{method}{arguments}", one, other))
    return found


def steps(limit: int, seed: int) -> int:
    """Return a reproducible number below `limit`: for suites that need no search."""
    return (seed * 2_654_435_761 >> 7) % limit


def counted(seed: int) -> Callable[[int], int]:
    """Return a source of choices that needs no randomness: the same for the same seed."""
    state = [seed]

    def choose(limit: int) -> int:
        state[0] = (state[0] * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        return (state[0] >> 33) % limit

    return choose


class GraphContract(ABC):
    """The suite; subclasses say how a graph is made."""

    @abstractmethod
    def open(self, entries: Sequence[Entry]) -> Graph:
        """Return a graph to which these entries have been applied."""

    def history(self, seed: int, entries: int) -> Histories:
        """Return the history of a seed."""
        history = Histories(counted(seed))
        history.grow(entries)
        return history

    def test_an_empty_graph_knows_nothing(self) -> None:
        graph = self.open(())
        assert graph.applied == 0
        assert graph.counts() == dict.fromkeys(KINDS, 0)
        assert differences(graph, MemoryGraph(), Histories(counted(1))) == []
        graph.close()

    def test_answers_like_the_reference(self) -> None:
        for seed in range(3):
            history = self.history(seed, 30)
            graph = self.open(history.entries)
            assert differences(graph, MemoryGraph(history.entries), history) == []
            graph.close()

    def test_entries_may_come_one_by_one_or_together(self) -> None:
        history = self.history(11, 25)
        graph = self.open(history.entries[:7])
        for entry in history.entries[7:15]:
            graph.apply([entry])
        graph.apply(history.entries[15:])
        assert differences(graph, MemoryGraph(history.entries), history) == []
        graph.close()

    def test_entries_already_applied_are_skipped(self) -> None:
        history = self.history(12, 12)
        graph = self.open(history.entries)
        graph.apply(history.entries)
        graph.apply(history.entries[3:5])
        graph.apply(())
        assert graph.applied == 12
        assert differences(graph, MemoryGraph(history.entries), history) == []
        graph.close()

    def test_an_entry_that_does_not_follow_is_refused(self) -> None:
        history = self.history(13, 6)
        graph = self.open(history.entries[:3])
        try:
            graph.apply(history.entries[4:])
        except Damaged:
            pass
        else:
            raise AssertionError("a gap was applied")
        graph.close()

    def test_a_node_is_never_its_own_ancestor_or_descendant(self) -> None:
        history = self.history(14, 60)
        graph = self.open(history.entries)
        for node in history.nodes():
            assert node not in {reach.id for reach in graph.ancestors(node)}
            assert node not in {reach.id for reach in graph.descendants(node)}
        graph.close()

    def test_what_grew_from_a_node_rests_on_it(self) -> None:
        history = self.history(15, 40)
        graph = self.open(history.entries)
        for node in history.nodes():
            for reach in graph.descendants(node):
                assert (node, reach.depth) in {(up.id, up.depth) for up in graph.ancestors(reach.id)}
        graph.close()

    def test_pages_of_clashes_are_all_clashes(self) -> None:
        history = self.history(16, 60)
        graph = self.open(history.entries)
        whole, paged, after = graph.clashes("", 100_000), [], ""
        while page := graph.clashes(after, 2):
            paged += page
            after = page[-1][0]
        assert whole and paged == whole
        graph.close()

    def test_sweeps_of_predicates_find_something(self) -> None:
        history = self.history(18, 60)
        graph = self.open(history.entries)
        names = [name for name, _ in graph.predicates()]
        assert len(names) > 1 and graph.denied_slots()
        assert any(graph.rival_slots(name) for name in names)
        assert any(graph.shared_objects(name) for name in names)
        assert any(graph.same_subject(one, other) for one in names for other in names)
        graph.close()

    def test_a_closed_graph_refuses(self) -> None:
        graph = self.open(self.history(17, 3).entries)
        graph.close()
        graph.close()
        try:
            graph.apply(self.history(17, 4).entries)
        except Damaged:
            return
        raise AssertionError("a closed graph took an entry")
