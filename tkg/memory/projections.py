"""Opening and removing a tenant's projections: graph and text index, both made from the ledger."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tkg.errors import Damaged
from tkg.graph.memory import MemoryGraph
from tkg.graph.port import Graph
from tkg.index.memory import MemoryIndex
from tkg.index.port import Index
from tkg.index.sqlite import open_index
from tkg.ledger.faults import translated
from tkg.ledger.port import Ledger

ENGINES: Final = ("auto", "kuzu", "ladybug", "memory")
GRAPH: Final = "graph"
INDEX: Final = "index.sqlite"
#: beginning of the names of files with working notes, which no backup takes
WORKING: Final = "working-"
VECTORS: Final = "vectors.sqlite"
#: bytes of memory for a graph that cannot go to a file
_WITHOUT_FILE: Final = 1 << 30
#: bytes of memory for pages that a graph file may use at least: the engine's default, whose module would load the driver
BUFFER_POOL: Final = 512 << 20
#: bytes of memory for pages for each entry of the ledger, where that is more
_PER_ENTRY: Final = 16 << 10


class Projections:
    """How graphs and indexes are opened: with which engine, and from which size on in files.

    A graph file costs tens of megabytes, so a small tenant's graph is made in memory when the tenant is opened. One that
    grows while it is open moves to a file, too: in memory it takes ten kilobytes for each claim.
    """

    def __init__(self, engine: str, *, file_above: int, read_only: bool, tell: Callable[[str], None]) -> None:
        self.engine = engine
        self._tell = tell
        self._file_above = file_above
        self._read_only = read_only

    def open(self, folder: Path | None, ledger: Ledger) -> tuple[Graph, Callable[[], Index]]:
        """Return the graph of a ledger and how to open its index, both caught up with it.

        Damaged or foreign files are made again. Few questions ask the index, so whoever only reads opens it when one does.
        """
        return self._graph(folder, ledger), lambda: self._index(folder, ledger)

    def outgrown(self, folder: Path | None, ledger: Ledger) -> bool:
        """Return whether a graph in memory belongs into a file by now: a later opening would keep it there."""
        if folder is None or self._read_only or self.engine == "memory" or ledger.head.seq <= self._file_above:
            return False
        return not (folder / GRAPH).exists()

    def _index(self, folder: Path | None, ledger: Ledger) -> Index:
        if folder is None or self.engine == "memory" and self._read_only:
            return MemoryIndex(ledger.read_since(0))
        path = None if self._read_only else folder / INDEX
        index = open_index(path, ledger.read_since, head=ledger.head.seq)
        if index.made_anew:
            self._tell(
                f"the text index of tenant {ledger.tenant} was made anew: the old one was damaged or not this ledger's"
            )
        return index

    def _graph(self, folder: Path | None, ledger: Ledger) -> Graph:
        if self.engine == "memory":
            return MemoryGraph(ledger.read_since(0))
        from tkg.graph.projection import borrow_graph, open_graph  # the driver is loaded only where it is used

        if folder is not None and self._read_only:
            kept = borrow_graph(
                folder / GRAPH, engine=self.engine, ledger_entries=ledger.read_since, head=ledger.head.seq
            )
            if kept is not None:
                return kept
        if folder is None or self._read_only:
            return open_graph(None, engine=self.engine, ledger_entries=ledger.read_since, buffer_pool=_WITHOUT_FILE)
        path = folder / GRAPH
        if ledger.head.seq <= self._file_above and not path.exists():
            try:
                return open_graph(None, engine=self.engine, ledger_entries=ledger.read_since)
            except Damaged:
                pass  # few entries can hold many records: what does not fit in the buffer pool goes to a file
        pool = buffer_pool_for(ledger.head.seq)
        graph = open_graph(path, engine=self.engine, ledger_entries=ledger.read_since, buffer_pool=pool)
        if graph.opening.outcome == "rebuilt":
            self._tell(f"the graph of tenant {ledger.tenant} was made anew: {graph.opening.reason}")
        return graph


def buffer_pool_for(entries: int) -> int:
    """Return the bytes of memory that a graph file of so many ledger entries may use for pages.

    The default is too little to load a graph of gigabytes; more is asked for with the ledger's length, never over half of
    the machine's memory. It is a limit: a graph takes what it reads.
    """
    try:
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):  # not told on this platform
        return BUFFER_POOL
    return max(BUFFER_POOL, min(entries * _PER_ENTRY, half))


def remove_projections(folder: Path) -> None:
    """Remove a tenant's graph, index and vector files; they are made again when it is opened.

    Raises:
        Damaged, RequestError: a file cannot be removed.
    """
    with translated(folder):
        unlink_projections(folder)


def unlink_projections(folder: Path) -> None:
    """Remove them, and leave errors of the operating system to the caller."""
    for name in (GRAPH, INDEX, VECTORS):
        for file in sorted(folder.glob(f"{name}*")):
            file.unlink()
