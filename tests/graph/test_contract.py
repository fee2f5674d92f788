"""Every graph passes the contract, in memory, in a file, and made in one go by bulk loading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.engines import CYPHER, engine_or_skip
from tkg.graph.memory import MemoryGraph
from tkg.graph.port import Graph
from tkg.graph.projection import open_graph
from tkg.model.entry import Entry
from tkg.testing import GraphContract

pytestmark = pytest.mark.engine


def _opened(path: Path | None, entries: Sequence[Entry]) -> Graph:
    return open_graph(path, engine=engine_or_skip(CYPHER), ledger_entries=lambda seq: iter(entries[seq:]))


class TestReference(GraphContract):
    def open(self, entries: Sequence[Entry]) -> Graph:
        return MemoryGraph(entries)


class TestInMemory(GraphContract):
    def open(self, entries: Sequence[Entry]) -> Graph:
        return _opened(None, entries)


class TestInAFile(GraphContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder, self.opened = tmp_path, 0

    def path(self) -> Path:
        """Return a new place for each graph of a test."""
        self.opened += 1
        return self.folder / f"graph-{self.opened}"

    def open(self, entries: Sequence[Entry]) -> Graph:
        return _opened(self.path(), entries)


class TestReopenedHalfWay(TestInAFile):
    """Half the entries, closed, opened again, the rest: what a catch-up leaves must be what one run leaves."""

    def open(self, entries: Sequence[Entry]) -> Graph:
        path = self.path()
        _opened(path, entries[: len(entries) // 2]).close()
        return _opened(path, entries)
