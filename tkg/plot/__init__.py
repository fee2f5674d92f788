"""Pictures of an investigation: static figures (SVG, PNG) and self-contained pages, from the answers of a handle.

The figures need matplotlib (`pip install tkg[plot]`); nothing here reads a store or the network.

    figure = tkg.plot.timeline("exception reports", "destination", handle.history("exception reports", "destination"))
    tkg.plot.save(figure, "timeline.png")
"""

from __future__ import annotations

from tkg.plot.compare import losses, outcomes
from tkg.plot.counts import blast, exposure, funnel
from tkg.plot.graph import lineage
from tkg.plot.save import png, save, svg
from tkg.plot.times import poison_chain, timeline

__all__ = [
    "blast",
    "exposure",
    "funnel",
    "lineage",
    "losses",
    "outcomes",
    "png",
    "poison_chain",
    "save",
    "svg",
    "timeline",
]
