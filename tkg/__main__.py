"""The way in: `tkg …` and `python -m tkg …`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line on the arguments of this process and exit with its code."""
    from tkg.cli.main import main as run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
