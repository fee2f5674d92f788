"""Which graph engine a test process uses: kuzu and ladybug cannot be loaded in one process.

TEST_ENGINE chooses (default kuzu). `make test` runs everything with kuzu, then what is marked `engine` with ladybug.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

#: the Cypher engine of this process
CYPHER = os.environ.get("TEST_ENGINE", "kuzu")
#: what a test of every graph runs on here: the reference and the engine of this process
ENGINES = ["memory", CYPHER]


def engine_or_skip(name: str) -> str:
    """Return an engine's name, or skip where the extra is not installed."""
    if name != "memory" and find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    return name
