"""`--html`: writing a page of `tkg.plot`, which needs its extra, to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tkg.cli.opening import check_path
from tkg.cli.screen import print_line
from tkg.errors import RequestError
from tkg.plot import pages


def write_page(path: Path, name: str, *answers: Any) -> None:
    """Make a page of some answers and write it; one self-contained file, readable by its owner only.

    Raises:
        Unsupported: the extra `tkg[plot]` is not installed.
        RequestError: the file cannot be written.
    """
    check_path(path, "--html")
    text = getattr(pages, name)(*answers)
    try:
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}; name another file with --html") from None
    print_line(f"Written: {path}")
