"""Building and driving `shim.c`; a process under it is started with `environment()`."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sysconfig
from functools import cache
from pathlib import Path

KINDS = ("write", "sync", "rename", "open", "unlink", "cut", "alloc")
_SOURCE = Path(__file__).with_name("shim.c")


def compiler() -> str | None:
    """Return a C compiler, or None: then what needs the shim is skipped."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def build(folder: Path) -> Path:
    """Compile the shim into a folder and return the library."""
    made = folder / "shim.so"
    cc = compiler()
    assert cc is not None
    subprocess.run([cc, "-O1", "-shared", "-fPIC", "-o", made, _SOURCE, "-ldl"], check=True, capture_output=True)
    return made


def environment(library: Path) -> dict[str, str]:
    """Return the environment of a process under the shim."""
    return {**os.environ, "LD_PRELOAD": str(library), "TKG_SHIM": str(library)}


def possible() -> bool:
    """Return whether this machine can run it: Linux with glibc on x86-64 or ARM, and a compiler."""
    return compiler() is not None and "linux" in sysconfig.get_platform() and "musl" not in sysconfig.get_platform()


@cache
def loaded() -> ctypes.CDLL:
    """Return the shim that this process was started under."""
    found = ctypes.CDLL(os.environ["TKG_SHIM"])
    found.shim_count.restype = ctypes.c_long
    found.shim_arm.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int]
    return found


def root(path: Path) -> None:
    """Touch only files whose path begins with this."""
    loaded().shim_root(str(path).encode())


def arm(kind: str, at: int, number: int, *, on: bool = False) -> None:
    """Let the `at`-th call of a kind fail with an error number; with `on` every later one too."""
    loaded().shim_arm(KINDS.index(kind), at, number, int(on))


def disarm() -> None:
    """Let everything pass again."""
    loaded().shim_disarm()


def count(kind: str) -> int:
    """Return how many calls of a kind were made since it was armed."""
    return int(loaded().shim_count(KINDS.index(kind)))


def alloc_in(library: str) -> None:
    """Let allocations fail only when they are made by a library of this name."""
    loaded().shim_alloc_in(library.encode())


def trace(path: Path | None) -> None:
    """Record calls to a file; None ends it."""
    loaded().shim_trace(None if path is None else str(path).encode())


def mark(text: str) -> None:
    """Write a mark into the record."""
    loaded().shim_mark(text.encode())
