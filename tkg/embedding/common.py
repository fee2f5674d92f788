"""What the embedders share: unit length, a digest of model files, a package that is missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkg.errors import RequestError, Unsupported
from tkg.index.port import Vectors

#: characters of a text that are read: what is longer says what it is about before that
MOST_CHARACTERS: Final = 8_000


def unit(vectors: Any) -> Vectors:
    """Return rows at length one; a row of nothing stays nothing."""
    rows = np.asarray(vectors, dtype=np.float32)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Vectors = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return found


def package(name: str, extra: str) -> Any:
    """Return a package, or say which extra brings it.

    Raises:
        Unsupported: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise Unsupported(f"{name} is not installed; install it with: pip install '{extra}'") from None


def digest_of(files: Iterable[Path]) -> str:
    """Return the first 16 hex digits of the SHA-256 of some files, in order."""
    found = hashlib.sha256()
    for file in files:
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                found.update(block)
    return found.hexdigest()[:16]


def model_file(folder: Path, *names: str) -> Path:
    """Return the first of some files that a model's folder holds.

    Raises:
        RequestError: none is there.
    """
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise RequestError(f"{folder} holds no {' or '.join(names)}; name the folder of a model")
