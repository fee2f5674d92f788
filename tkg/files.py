"""Files that are there whole or not at all, and the seal of a file at rest.

A seal is a file's size and digest, written when it is closed cleanly and broken before it is written again. SQLite and the
graph engines find out about most damage, not about all of it: a changed byte in a free page, in a counter, or (in a graph)
in a value. A file that still has its seal is byte for byte what was closed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

SealState = Literal["sealed", "changed", "open"]
_BLOCK: Final = 1 << 20


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_whole(path: Path, text: str) -> None:
    """Write a small file for the owner only, so that it is there whole or not at all, also after a power cut."""
    fresh = path.with_name(path.name + ".new")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
        sync_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def digest_of(path: Path) -> tuple[int, str]:
    """Return size and hex SHA-256 of a file."""
    found, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
            size += len(block)
    return size, found.hexdigest()


def seal_place(path: Path) -> Path:
    """Return where the seal of a file lies."""
    return path.with_name(path.name + ".seal")


def put_seal(path: Path) -> None:
    """Seal a file that nobody writes any more."""
    size, digest = digest_of(path)
    write_whole(seal_place(path), json.dumps({"sha256": digest, "size": size}, sort_keys=True) + "\n")


def break_seal(path: Path) -> None:
    """Remove the seal, on disk too, before the file is written."""
    place = seal_place(path)
    if place.exists():
        place.unlink()
        sync_folder(place.parent)


def copy_sealed(path: Path, to: Path) -> bool:
    """Copy a file at rest, for the owner only; return whether the copy is byte for byte what was closed.

    Raises:
        OSError: it cannot be copied there.
    """
    try:
        said = json.loads(seal_place(path).read_text("utf-8"))
        wanted = (int(said["size"]), str(said["sha256"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    with open(path, "rb") as source, open(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        shutil.copyfileobj(source, target, _BLOCK)
    return digest_of(to) == wanted


def seal_state(path: Path) -> SealState:
    """Return "sealed" where the file is as it was closed, "changed" where it is not, "open" where it has no seal."""
    place = seal_place(path)
    if not place.exists():
        return "open"
    try:
        said = json.loads(place.read_text("utf-8"))
        wanted = (int(said["size"]), str(said["sha256"]))
    except (ValueError, KeyError, TypeError):
        return "changed"
    if not path.exists() or path.stat().st_size != wanted[0]:
        return "changed"
    return "sealed" if digest_of(path) == wanted else "changed"
