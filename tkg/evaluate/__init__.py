"""Does memory help, and does it do no harm? Cases on seeded stores, each case on a store of its own.

`evaluate` plants facts and counts what comes back, what is made up, what leaks, what survives its deletion, what a tool
contradicts, and what an answerer makes of questions with memory and without. The answerer is any function; the one that
comes with tkg reads the block and needs no model.
"""

from __future__ import annotations

from tkg.evaluate.answering import Answerer, from_block
from tkg.evaluate.cases import Evaluation, evaluate
from tkg.evaluate.seeded import Planted, Seeded, seeded

__all__ = ["Answerer", "Evaluation", "Planted", "Seeded", "evaluate", "from_block", "seeded"]
