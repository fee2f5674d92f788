"""The directory of a store: its marker, and the format it was written in."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from tkg.errors import Damaged, NewerFormat, NotFound, RequestError

#: format of a store's directory; a newer one is refused
FORMAT: Final = 1


def claim_directory(path: Path, *, read_only: bool) -> None:
    """Make sure that a directory is a store of a format this version reads; make one where there is none.

    Raises:
        NewerFormat: a newer tkg wrote it. NotFound: opened read-only, and it is none. Damaged: its marker is not readable.
        RequestError: it holds other files, is no directory, or may not be used.
    """
    marker = path / "store.json"
    try:
        if marker.exists():
            found = json.loads(marker.read_text(encoding="utf-8"))["format"]
            if found > FORMAT:
                raise NewerFormat(
                    f"{path} was written in store format {found}; this tkg reads up to {FORMAT}: run `pip install --upgrade tkg`"
                )
        elif read_only:
            raise NotFound(f"{path} is not a store; make one with `tkg init --store {path}`")
        elif path.exists() and any(path.iterdir()) and not (path / "tkg.toml").exists():
            raise RequestError(f"{path} holds other files; name an empty or new directory for the store")
        else:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            (path / "tenants").mkdir(mode=0o700, exist_ok=True)
            fresh = marker.with_suffix(".new")
            fresh.write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
            os.replace(fresh, marker)
    except (ValueError, KeyError, TypeError):
        raise Damaged(f'{marker} cannot be read; restore it with the content {{"format": {FORMAT}}}') from None
    except NotADirectoryError:
        raise RequestError(f"{path} is not a directory") from None
    except PermissionError:
        raise RequestError(f"{path} cannot be used: permission denied; choose a directory you can write to") from None
