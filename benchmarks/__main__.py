"""`python -m benchmarks [NAME …] [--data DIR] [--json] [--full] [--engine ENGINE] [--stores DIR]`."""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.catalogue import BENCHMARKS, Benchmark, Options
from benchmarks.children import Failed
from benchmarks.result import Result, peak_mb


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure tkg; without a name: list.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to measure")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("TKG_DATA") or "../shared/data"),
        help="folder with the data sets (default: TKG_DATA, else ../shared/data)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per benchmark; tables go to stderr")
    parser.add_argument("--full", action="store_true", help="also the sizes that take minutes")
    parser.add_argument("--engine", action="append", default=[], choices=("kuzu", "ladybug"), help="only this engine")
    parser.add_argument("--stores", type=Path, help="keep generated stores here, and use those of an earlier run")
    found = parser.parse_args(given)
    if unknown := [name for name in found.names if name not in BENCHMARKS]:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are: {', '.join(BENCHMARKS)}")
    return found


def _list(console: Console, data: Path) -> None:
    table = Table("name", "what is measured", "data", title="python -m benchmarks NAME …", title_justify="left")
    for one in BENCHMARKS.values():
        missing = one.missing(data)
        state = "makes its own" if not one.needs else "missing: " + ", ".join(missing) if missing else "there"
        table.add_row(one.name, one.what, state)
    console.print(table)


def _run(one: Benchmark, options: Options) -> Result:
    if missing := one.missing(options.data):
        return Result(one.name, skipped=f"{options.data} has no {', '.join(missing)}; pass --data or set TKG_DATA")
    start = perf_counter()
    result = one.run(options)
    result.seconds = perf_counter() - start
    result.peak_mb = max(result.peak_mb, peak_mb(), peak_mb(resource.RUSAGE_CHILDREN))
    return result


def _show(console: Console, result: Result) -> None:
    if result.skipped:
        console.print(f"[bold]{result.name}[/bold]: skipped: {result.skipped}", highlight=False)
        return
    for table in result.tables:
        console.print(table)
    for sentence in result.missed:
        console.print(f"[bold red]missed[/bold red]  {sentence}", highlight=False)
    if not result.missed:
        console.print("[green]every target reached[/green]")
    about = ", ".join(f"{package} {number}" for package, number in result.versions.items())
    console.print(
        f"{result.name}: n {result.n}, {result.seconds:.0f} s, peak {result.peak_mb:.0f} MB; {about}\n", highlight=False
    )


def main(given: Sequence[str] | None = None) -> int:
    """Run what is asked for; 0 also when a benchmark was skipped or missed a target, 1 when one failed."""
    arguments = _arguments(given)
    console = Console(stderr=arguments.json, width=None if sys.stdout.isatty() else 150)
    if not arguments.names:
        _list(Console(), arguments.data)
        return 0
    options = Options(
        data=arguments.data,
        full=arguments.full,
        engines=tuple(arguments.engine),
        stores=arguments.stores,
        say=lambda text: Console(stderr=True).print(text, style="dim", highlight=False),
    )
    failed = 0
    for name in dict.fromkeys(arguments.names):
        try:
            result = _run(BENCHMARKS[name], options)
        except Failed as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = 1
            continue
        _show(console, result)
        if arguments.json:
            print(result.to_json(), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
