"""Both indexes keep the contract."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tkg.index.memory import MemoryIndex
from tkg.index.port import Index
from tkg.index.sqlite import open_index
from tkg.model.entry import Entry
from tkg.testing import IndexContract


class TestMemoryIndex(IndexContract):
    def make(self, entries: Sequence[Entry] = ()) -> Index:
        return MemoryIndex(entries)


class TestSqliteIndexInMemory(IndexContract):
    def make(self, entries: Sequence[Entry] = ()) -> Index:
        return open_index(None, lambda seq: entries[seq:], head=len(entries))


class TestSqliteIndexInAFile(IndexContract):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.made = 0

    def make(self, entries: Sequence[Entry] = ()) -> Index:
        self.made += 1
        path = self.folder / f"{self.made}.sqlite"
        half = len(entries) // 2
        open_index(path, lambda seq: entries[seq:half], head=half).close()
        return open_index(path, lambda seq: entries[seq:], head=len(entries))
