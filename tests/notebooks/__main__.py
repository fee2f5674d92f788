"""Run the notebooks: `python -m tests.notebooks [--check] [NAME…]`.

Without `--check` what comes out is written into them; with it, it is compared with what is committed.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.notebooks import running


def main(words: list[str]) -> int:
    """Run the notebooks named, or all; return 1 where a check found a difference."""
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="a notebook, such as 01_two_times.ipynb (default: all)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing, compare with what is committed")
    given = parser.parse_args(words)
    running.prepare()
    found, begun = 0, time.monotonic()
    for name in given.names or running.names():
        start, before = time.monotonic(), running.load(name)
        after = running.run(name)
        differs = running.differences(before, after)
        print(f"{name}: {len(differs)} difference(s), {time.monotonic() - start:.1f} s", flush=True)
        if given.check:
            found += len(differs)
            print(*differs, sep="\n")
        elif differs:
            (running.FOLDER / name).write_text(running.text_of(after), encoding="utf-8")
    print(f"all of it: {time.monotonic() - begun:.1f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
