"""Acceptance cases: small stories with the right answer, run on fresh stores.

`load` reads case files, `run` runs them, `story` gives an embedding project the same steps and checks in its own tests.
"""

from tkg.conform.batch import default_stores, run
from tkg.conform.cases import Case, load
from tkg.conform.fixture import Story, story
from tkg.conform.runner import STORES, Result, run_case

__all__ = ["STORES", "Case", "Result", "Story", "default_stores", "load", "run", "run_case", "story"]
