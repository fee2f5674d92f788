"""`tkg doctor`: the state of an installation and of a store's files, without reading what is in them."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

from tkg.clock import SystemClock
from tkg.errors import TkgError
from tkg.files import seal_place
from tkg.ids import RandomIds
from tkg.ledger import cold
from tkg.ledger.sqlite import open_ledger
from tkg.memory.checking import HEAD, LEDGER
from tkg.memory.projections import GRAPH, INDEX, VECTORS
from tkg.memory.settings import named_embedder, read_policies
from tkg.model.base import Value

#: free space below which a store is in danger: a ledger's removal rewrites it whole
_LOW: Final = 256 << 20


class Check(Value):
    """One thing that was looked at: its stable code, how it is, and what to do where it is not well."""

    code: str
    status: Literal["ok", "warning", "error"]
    subject: str
    detail: str
    remedy: str = ""


def examine(store: Path, store_format: int, tenants: list[tuple[str, Path]]) -> list[Check]:
    """Return the checks of a store.

    Args:
        store: its directory.
        store_format: format of the directory.
        tenants: id and folder of each.
    """
    embedder, failed = named_embedder(store / "tkg.toml")
    model = None if embedder is None else embedder.model_id
    found = [
        *_versions(store_format),
        *_settings(store),
        _embedder(model, failed),
        *_space(store, [folder for _, folder in tenants]),
    ]
    found += _access(store)
    for left in sorted(store.rglob("*.new")):
        found.append(
            Check(
                code="left_over",
                status="warning",
                subject=str(left),
                detail="left by a run that was killed",
                remedy="it is removed by the next run of the same kind; or remove it",
            )
        )
    for tenant, folder in tenants:
        found += _tenant(tenant, folder, model)
    return found


def _versions(store_format: int) -> Iterator[Check]:
    names = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in ("tkg", "kuzu", "ladybug", "cryptography", "spacy"):
        try:
            names[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            names[name] = "not installed"
    for name, version in names.items():
        yield Check(code="version", status="ok", subject=name, detail=version)
    if names["kuzu"] == names["ladybug"] == "not installed":
        yield Check(
            code="no_engine",
            status="error",
            subject="engines",
            detail="no graph engine is installed",
            remedy="pip install tkg",
        )
    yield Check(code="format", status="ok", subject="store", detail=f"format {store_format}")


def _settings(store: Path) -> Iterator[Check]:
    place = store / "tkg.toml"
    if not place.exists():
        yield Check(code="settings", status="ok", subject="tkg.toml", detail="none: defaults")
        return
    try:
        read_policies(place)
        yield Check(code="settings", status="ok", subject="tkg.toml", detail="readable")
    except TkgError as error:
        yield Check(code="settings", status="error", subject="tkg.toml", detail=str(error), remedy="correct the file")


def _embedder(model: str | None, failed: str) -> Check:
    if failed:
        remedy = "install what is missing, or correct [embedding] in tkg.toml"
        return Check(code="embedder", status="error", subject="tkg.toml", detail=failed, remedy=remedy)
    detail = model or "none: recall finds by words and graph"
    return Check(code="embedder", status="ok", subject="tkg.toml", detail=detail)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"


def _space(store: Path, folders: list[Path]) -> Iterator[Check]:
    free = shutil.disk_usage(store).free
    largest = max((_size(folder / LEDGER) for folder in folders), default=0)
    low = free < max(_LOW, 2 * largest)
    yield Check(
        code="disk_space",
        status="warning" if low else "ok",
        subject=str(store),
        detail=f"{_megabytes(free)} free; the largest ledger has {_megabytes(largest)}",
        remedy="free some space: removing content rewrites a ledger whole" if low else "",
    )


def _access(store: Path) -> Iterator[Check]:
    if not os.access(store, os.W_OK | os.X_OK) or os.statvfs(store).f_flag & os.ST_RDONLY:
        yield Check(
            code="read_only",
            status="warning",
            subject=str(store),
            detail="cannot be written by this user; reading commands work",
            remedy="check the permissions, or whether the disk is mounted read-only",
        )
    for one in (store, *sorted(store.rglob("*"))):
        if one.is_symlink():
            yield Check(
                code="symbolic_link",
                status="error",
                subject=str(one),
                detail="is a symbolic link",
                remedy="put the file itself in its place",
            )
        elif stat.S_IMODE(one.stat().st_mode) & 0o077 and one.name not in ("tkg.toml", "store.json"):
            yield Check(
                code="permissions",
                status="warning",
                subject=str(one),
                detail="others may read or write it",
                remedy=f"chmod go= {one}",
            )


def owner_of(folder: Path) -> str:
    """Return the process that owns a tenant for writing, or ""."""
    place = folder / (LEDGER + ".lock")
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return ""
    except OSError:
        return os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
    finally:
        os.close(fd)


def _tenant(tenant: str, folder: Path, model: str | None) -> Iterator[Check]:
    owner = owner_of(folder)
    yield Check(
        code="owner", status="ok", subject=tenant, detail=f"open in process {owner}" if owner else "nobody has it open"
    )
    names = (LEDGER, LEDGER + "-wal", cold.NAME, GRAPH, GRAPH + ".wal", INDEX, VECTORS)
    sizes = {name: _size(folder / name) for name in names}
    shown = ", ".join(f"{name} {_megabytes(size)}" for name, size in sizes.items() if size)
    yield Check(code="sizes", status="ok", subject=tenant, detail=shown or "no files")
    clock = SystemClock()
    try:
        with closing(open_ledger(folder / LEDGER, tenant, clock, RandomIds(clock), read_only=True)) as ledger:
            head = ledger.head.seq
            yield Check(code="ledger", status="ok", subject=tenant, detail=f"{head} entries")
            if ledger.pending_removal:
                yield Check(
                    code="removal_pending",
                    status="warning",
                    subject=tenant,
                    detail="content was removed and the file not yet rewritten: its bytes may still be there",
                    remedy="open the tenant for writing once, with enough free space",
                )
    except TkgError as error:
        yield Check(
            code="ledger", status="error", subject=tenant, detail=str(error), remedy="run `tkg verify --store DIR`"
        )
        return
    yield _catch_up(tenant, folder / INDEX, head)
    yield _vectors(tenant, folder / VECTORS, head, model)
    yield _graph(tenant, folder, owner)
    signed = (folder / HEAD).exists()
    yield Check(code="head", status="ok", subject=tenant, detail="signed" if signed else "not signed yet")


def _catch_up(tenant: str, path: Path, head: int) -> Check:
    if not path.exists():
        return Check(code="index", status="ok", subject=tenant, detail="none: made when the tenant is opened")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            (applied,) = connection.execute("SELECT value FROM state WHERE name = 'applied'").fetchone()
        behind = head - int(applied)
    except (sqlite3.Error, ValueError, TypeError):
        remedy = "it is made anew when the tenant is opened; or run `tkg rebuild`"
        return Check(code="index", status="warning", subject=tenant, detail="cannot be read", remedy=remedy)
    detail = "up to date" if behind == 0 else f"{behind} entries behind; it catches up when the tenant is opened"
    return Check(code="index", status="ok" if behind >= 0 else "warning", subject=tenant, detail=detail)


def _vectors(tenant: str, path: Path, head: int, model: str | None) -> Check:
    if not path.exists():
        detail = "none" if model is None else "none: made when recall asks for them"
        return Check(code="vectors", status="ok", subject=tenant, detail=detail)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            state = dict(connection.execute("SELECT name, value FROM state").fetchall())
        made, behind, detail = state["model"], head - int(state["applied"]), f"made by {state['model']}"
    except (sqlite3.Error, ValueError, TypeError, KeyError):
        remedy = "they are made anew when recall asks for them; or run `tkg rebuild`"
        return Check(code="vectors", status="warning", subject=tenant, detail="cannot be read", remedy=remedy)
    if model is not None and made != model:
        remedy = "name that model in tkg.toml, or make them anew with `tkg rebuild`"
        return Check(code="vectors", status="error", subject=tenant, detail=f"{detail}, not by {model}", remedy=remedy)
    if behind < 0:
        remedy = "they are made anew when recall asks for them; or run `tkg rebuild`"
        detail += ", ahead of the ledger"
        return Check(code="vectors", status="warning", subject=tenant, detail=detail, remedy=remedy)
    detail += ", up to date" if behind == 0 else f", {behind} entries behind; they catch up when recall asks for them"
    return Check(code="vectors", status="ok", subject=tenant, detail=detail)


def _graph(tenant: str, folder: Path, owner: str) -> Check:
    path = folder / GRAPH
    if not path.exists():
        return Check(code="graph", status="ok", subject=tenant, detail="in memory, made when the tenant is opened")
    if owner or seal_place(path).exists():
        return Check(code="graph", status="ok", subject=tenant, detail="in use" if owner else "closed cleanly")
    return Check(
        code="graph",
        status="warning",
        subject=tenant,
        detail="was not closed: it is looked at in another process when the tenant is opened, or made anew",
        remedy="open the tenant once, or run `tkg rebuild`",
    )
