"""The directory of a store: its marker, and the format it was written in."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path
from typing import Final

from tkg.clock import Clock
from tkg.errors import Damaged, NewerFormat, NotFound, RequestError
from tkg.files import sync_folder, write_whole
from tkg.ids import Ids
from tkg.ledger.faults import translate_os, translated
from tkg.ledger.file import make_folder
from tkg.ledger.sqlite import open_ledger

#: format of a store's directory; a newer one is refused
FORMAT: Final = 1


def folder_name(tenant: str) -> str:
    """Return the folder of a tenant: base 32 of its id, so that no id can mean anything to a file system."""
    return base64.b32encode(tenant.encode()).decode().rstrip("=").lower()


def tenant_of(folder: str) -> str:
    """Return the tenant whose folder this is."""
    return base64.b32decode(folder.upper() + "=" * (-len(folder) % 8)).decode()


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
        elif path.exists() and any(map(_foreign, path.iterdir())) and not (path / "tkg.toml").exists():
            raise RequestError(f"{path} holds other files; name an empty or new directory for the store")
        else:
            make_folder(path)
            make_folder(path / "tenants")
            write_whole(marker, json.dumps({"format": FORMAT}))
    except (ValueError, KeyError, TypeError):
        raise Damaged(f'{marker} cannot be read; restore it with the content {{"format": {FORMAT}}}') from None
    except NotADirectoryError:
        raise RequestError(f"{path} is not a directory") from None
    except PermissionError:
        raise RequestError(f"{path} cannot be used: permission denied; choose a directory you can write to") from None
    except OSError as error:
        raise translate_os(error, path) from None


def _foreign(one: Path) -> bool:
    """Return whether something in a folder without a marker is not what a run that was interrupted left there."""
    return one.name != "store.json.new" and (one.name != "tenants" or any(one.iterdir()))


def make_tenant(folder: Path, tenant: str, clock: Clock, ids: Ids) -> None:
    """Make the folder of a tenant with an empty ledger: whole or not at all, and still there after a power cut.

    Raises:
        DiskFull, RequestError, Damaged, Busy: the disk is full, read-only, failed, or has too many files open; no tenant
            was made.
    """
    # made under another name and renamed, so that a tenant exists whole or not at all
    fresh = folder.with_suffix(".new")
    with translated(folder):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        open_ledger(fresh / "ledger.sqlite", tenant, clock, ids, create=True).close()
        os.replace(fresh, folder)
        sync_folder(folder.parent)
