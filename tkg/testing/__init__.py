"""Contracts that every ledger, graph, index and extractor must pass, shipped so that others can prove theirs.

A contract is an abstract class whose methods are tests; a backend's test module subclasses it and says how to make
one. Nothing here imports a test runner.
"""

from __future__ import annotations

from tkg.testing.extractors import ExtractorContract
from tkg.testing.graph import GraphContract
from tkg.testing.index import IndexContract
from tkg.testing.ledger import LedgerContract

__all__ = ["ExtractorContract", "GraphContract", "IndexContract", "LedgerContract"]
