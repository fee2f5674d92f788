"""The benchmarks there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from benchmarks.poison import NEEDS as POISON
from benchmarks.result import Result


@dataclass(frozen=True)
class Options:
    """How to run.

    Args:
        data: folder with the data sets.
        full: take the time for the largest sizes.
        engines: graph engines to measure; empty: all that are installed.
        stores: folder in which generated stores are kept and looked for; none: they are made for one run.
        say: tells a person how far it is.
    """

    data: Path
    full: bool = False
    engines: tuple[str, ...] = ()
    stores: Path | None = None
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class Benchmark:
    """One benchmark: `module.run(options)` of this package measures it.

    Args:
        name: what it is called by.
        what: one sentence.
        needs: paths inside the data folder without which there is nothing to measure.
    """

    name: str
    what: str
    module: str
    needs: tuple[str, ...] = ()

    def missing(self, data: Path) -> list[str]:
        """Return the paths it needs that are not there."""
        return [need for need in self.needs if not (data / need).exists()]

    def run(self, options: Options) -> Result:
        """Measure."""
        found: Result = import_module(f"benchmarks.{self.module}").run(options)
        return found


BENCHMARKS: dict[str, Benchmark] = {
    one.name: one
    for one in (
        Benchmark(
            "commands",
            "every command on an empty store, one claim and many; investigations against bare graph queries",
            "commands",
        ),
        Benchmark("forget", "erasing a subject from 10³, 10⁴ and 10⁵ claims against making the graph anew", "forget"),
        Benchmark("ingest", "a folder of Markdown and one long transcript, killed half way and run again", "ingest"),
        Benchmark("guard", "seal and child process that keep a damaged graph file away, against opening it", "guard"),
        Benchmark("write", "one gated proposal against the bare ledger and graph writes of the same data", "write"),
        Benchmark("extraction", "claims from labelled sentences in two halves; CaRB's open triples", "extraction"),
        Benchmark("when", "dates and ranges in words against public sets, beside dateparser alone", "when", ("time",)),
        Benchmark("locomo", "evidence turns found in long dialogues, against BM25", "locomo", ("locomo/locomo5.json",)),
        Benchmark("boundaries", "what recall must never do, counted, with controls", "boundaries"),
        Benchmark("beam", "corrections before what they correct, both sides of a contradiction", "beam", ("beam",)),
        Benchmark("recall", "recall at 10³, 10⁴, 10⁵ (--full: 10⁶) claims against the bare full-text query", "recall"),
        Benchmark(
            "cascade",
            "what falls with a Debian package against its oracle, through the real store; the planner on random graphs",
            "cascade",
            needs=("debian_graph/debian_graph.jsonl.gz", "debian_graph/oracle.json"),
        ),
        Benchmark(
            "as_of",
            "questions about a time on TempReason and SituatedQA against what began last and half-open intervals",
            "as_of",
            needs=("tempreason", "situatedqa"),
        ),
        Benchmark("gate_cost", "the gate's part of a structured proposal as the store grows", "gate_cost"),
        Benchmark(
            "gate", "hostile and ordinary corpora through the gate, text rules on and off; secrets", "gate", POISON
        ),
        Benchmark(
            "contradiction",
            "wrong facts found, true ones flagged, whose word is taken: UTKG, FactBench, weather and books",
            "contradiction",
            needs=("utkg_wikidata", "factbench", "truth_discovery"),
        ),
    )
}
