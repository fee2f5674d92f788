"""Backup while somebody writes, and restoring one: ledgers and what cannot be made anew, never the projections."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from tkg.clock import Clock, SystemClock
from tkg.errors import Damaged, NotFound, RequestError
from tkg.files import digest_of, sync_folder, write_whole
from tkg.ids import RandomIds, canonical
from tkg.ledger import cold
from tkg.ledger import file as ledger_file
from tkg.ledger.faults import translated
from tkg.ledger.merkle import Frontier
from tkg.ledger.sqlite import open_ledger, verify_ledger
from tkg.memory.checking import LEDGER
from tkg.memory.directory import folder_name
from tkg.memory.erasing import MARKER
from tkg.memory.projections import GRAPH, INDEX, WORKING
from tkg.model.base import Value
from tkg.model.scope import GLOBAL
from tkg.model.time import iso, to_instant

FORMAT: Final = "tkg.backup/1"
MANIFEST: Final = "backup.json"
TENANTS: Final = "tenants"


class Copied(Value):
    """One tenant in a backup: up to which entry, and what the copy of its ledger must be."""

    tenant: str
    folder: str
    entries: int
    hash: str
    root: str
    size: int
    sha256: str
    #: the same of the cold file, where there is one
    cold_size: int = 0
    cold_sha256: str = ""


class Backup(Value):
    """What a backup says of itself."""

    format: str = FORMAT
    made_at: str
    tkg: str
    tenants: tuple[Copied, ...]


def backup(store: Path, target: Path, clock: Clock | None = None) -> Backup:
    """Copy a store into a new folder, beside a running owner too; each ledger as of one commit.

    Args:
        store: its directory.
        target: a folder that does not exist or is empty.
        clock: says when it was made.

    Raises:
        NotFound: there is no store.
        RequestError: the target holds something, or lies inside the store.
        Damaged: a ledger is damaged; nothing is left at the target.
        DiskFull: no space; likewise.
    """
    if not (store / "store.json").is_file():
        raise NotFound(f"{store} is not a store; make one with `tkg init --store {store}`")
    store, target = store.absolute(), target.absolute()
    _check_target(target)
    if target.resolve().is_relative_to(store.resolve()):
        raise RequestError(f"{target} lies inside the store; name a folder outside of it, best on another disk")
    fresh = target.with_name(target.name + ".new")
    with translated(target):
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            ledger_file.make_folder(fresh / TENANTS)
            made = [_copy_ledger(one, fresh / TENANTS / one.name) for one in _folders(store)]
            for plain in _plain_files(store):
                there = fresh / plain.relative_to(store)
                there.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copy2(plain, there)
                _sync(there)
            manifest = Backup(
                made_at=iso(to_instant((clock or SystemClock()).now())) or "",
                tkg=ledger_file.version(),
                tenants=tuple(made),
            )
            write_whole(fresh / MANIFEST, canonical(manifest.model_dump()) + "\n")
            _into_place(fresh, target)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    return manifest


def restore(source: Path, store: Path) -> Backup:
    """Make a store from a backup, after checking every ledger in it.

    Args:
        source: the backup's folder; it is only read.
        store: a directory that does not exist or is empty.

    Raises:
        NotFound: there is no backup.
        RequestError: the directory holds something.
        Damaged: the backup is not what was written; nothing is left at the directory.
        DiskFull: no space; likewise.
    """
    source, store = source.absolute(), store.absolute()
    manifest = read_manifest(source)
    _check_target(store)
    fresh = store.with_name(store.name + ".new")
    with translated(store):
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            ledger_file.make_folder(fresh / TENANTS)
            for plain in sorted(source.rglob("*")):
                if plain.is_symlink() or not plain.is_file() or plain.name == MANIFEST:
                    continue
                there = fresh / plain.relative_to(source)
                there.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copy2(plain, there)
                _sync(there)
            for one in manifest.tenants:
                _check_copy(fresh / TENANTS / one.folder / LEDGER, one)
                # an erasure may have been under way when the copy was made: the first opening looks
                write_whole(fresh / TENANTS / one.folder / MARKER, "")
            _into_place(fresh, store)
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
    return manifest


def read_manifest(source: Path) -> Backup:
    """Return what a backup says of itself.

    Raises:
        NotFound: there is none. Damaged: it cannot be read.
    """
    place = source / MANIFEST
    if not place.is_file():
        raise NotFound(f"{source} is not a backup; make one with `tkg backup --store DIR {source}`")
    try:
        found = Backup.model_validate(json.loads(place.read_text("utf-8")))
        if found.format != FORMAT:
            raise Damaged(f"{place} has form {found.format[:40]}, which this tkg does not read; upgrade tkg")
        return found
    except (ValueError, RecursionError):
        raise Damaged(f"{place} cannot be read; take another backup") from None


def _check_target(target: Path) -> None:
    with translated(target):
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise RequestError(f"{target} is not a folder; name a new one")
        if target.exists() and any(target.iterdir()):
            raise RequestError(f"{target} is not empty; name a new folder")


def _folders(store: Path) -> list[Path]:
    found = [one for one in sorted((store / TENANTS).iterdir()) if one.is_dir() and not one.name.endswith(".new")]
    # what is global comes last, so that no tenant in the copy knows more of it than its own ledger
    return sorted(found, key=lambda one: one.name == folder_name(GLOBAL))


def _plain_files(store: Path) -> Iterator[Path]:
    """Yield what is copied as it is: settings, keys, heads, receipts, archives; not what is live or can be made anew."""
    for one in sorted(store.rglob("*")):
        live = one.name.startswith((LEDGER, cold.NAME, GRAPH, INDEX, WORKING)) or one.name.endswith((".lock", ".new"))
        inside = any(part.endswith(".new") for part in one.relative_to(store).parts)
        if one.is_file() and not one.is_symlink() and not live and not inside:
            yield one


def _copy_ledger(folder: Path, target: Path) -> Copied:
    """Copy a ledger as of one commit with SQLite's own backup, and measure the copy."""
    place = folder / LEDGER
    ledger_file.check_path(place)
    ledger_file.check_present(place, create=False)
    target.mkdir(mode=0o700)
    copy = target / LEDGER
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    with closing(ledger_file.connect(place, read_only=True)) as live, closing(sqlite3.connect(copy)) as made:
        meta = ledger_file.read_meta(live, place, None)
        tenant, beside = meta["tenant"], meta["format"] == str(cold.FORMAT)
        if beside:
            cold.attach(live, place, read_only=True)
            # both as of one commit: while they are read, nobody can write the cold file
            live.execute("BEGIN")
            live.execute("SELECT (SELECT count(*) FROM cold.moved), (SELECT max(seq) FROM entries)").fetchone()
        live.backup(made)
        if beside:
            _copy_cold(live, cold.place_of(copy))
    _sync(copy)
    sync_folder(target)
    if findings := verify_ledger(copy, tenant):
        raise Damaged(f"the ledger of tenant {tenant} is damaged ({findings[0].detail}); run `tkg verify`")
    entries, root, newest = _measure(copy, tenant)
    size, sha256 = digest_of(copy)
    found = Copied(tenant=tenant, folder=folder.name, entries=entries, hash=newest, root=root, size=size, sha256=sha256)
    if not beside:
        return found
    size, sha256 = digest_of(cold.place_of(copy))
    return found.model_copy(update={"cold_size": size, "cold_sha256": sha256})


def _copy_cold(live: sqlite3.Connection, copy: Path) -> None:
    os.close(os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(copy)) as made:
        live.backup(made, name="cold")
    _sync(copy)


def _measure(path: Path, tenant: str) -> tuple[int, str, str]:
    clock, tree, newest = SystemClock(), Frontier(), ""
    with closing(open_ledger(path, tenant, clock, RandomIds(clock), read_only=True)) as ledger:
        for row in ledger.rows():
            tree.add(row.leaf)
            newest = row.hash
    for left in ledger_file.companions(path):
        left.unlink(missing_ok=True)
    return tree.size, tree.root.hex(), newest


def _check_copy(path: Path, wanted: Copied) -> None:
    beside = cold.place_of(path)
    kept = digest_of(beside) if beside.is_file() else (0, "")
    if (
        not path.is_file()
        or digest_of(path) != (wanted.size, wanted.sha256)
        or kept != (wanted.cold_size, wanted.cold_sha256)
    ):
        raise Damaged(f"the ledger of tenant {wanted.tenant} in the backup was changed or cut; take another backup")
    if verify_ledger(path, wanted.tenant) or _measure(path, wanted.tenant) != (
        wanted.entries,
        wanted.root,
        wanted.hash,
    ):
        raise Damaged(
            f"the ledger of tenant {wanted.tenant} in the backup is not the one that was copied; take another"
        )


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _into_place(fresh: Path, target: Path) -> None:
    for folder in (fresh, *(one for one in fresh.rglob("*") if one.is_dir())):
        sync_folder(folder)
    os.replace(fresh, target)
    sync_folder(target.parent)
