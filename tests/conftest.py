"""What all tests share: how far Hypothesis goes.

HYPOTHESIS_PROFILE chooses: `dev` (small, random, the default), `ci` (bounded and the same examples every time, so that a
change and not chance turns it red; the default where CI is set), `deep` (large and random: run it before a release).
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec

from hypothesis import HealthCheck, settings

_CALM = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile("dev", max_examples=25, deadline=None, suppress_health_check=_CALM)
settings.register_profile(
    "ci",
    max_examples=100,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=_CALM,
)
settings.register_profile(
    "deep", max_examples=2_000, stateful_step_count=60, deadline=None, print_blob=True, suppress_health_check=_CALM
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

# One process cannot load both engines, and "auto" takes the one that is loaded: the engine of this run comes first, so
# that a test that opens a store without naming one cannot decide what the others can use.
_ENGINE = os.environ.get("TEST_ENGINE", "kuzu")
if find_spec(_ENGINE) is not None:
    import_module(_ENGINE)
