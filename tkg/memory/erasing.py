"""Carrying out an erasure: from the entry that acknowledges it to the receipt, resumable at every step.

Before the entry a small file says that an erasure is under way. After the entry it will be completed, by this process or by
the next that opens the tenant: content out of the ledger and out of its free pages, old graph and index destroyed and made
anew from what remains, every byte of the tenant's files looked at, and only then the receipt.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkg.errors import Busy, Damaged, DiskFull, RequestError
from tkg.files import sync_folder, write_whole
from tkg.ids import canonical, commitment, kind_of
from tkg.ledger import file as ledger_file
from tkg.ledger.faults import translate_os, translated
from tkg.ledger.port import Ledger
from tkg.memory import receipts
from tkg.memory.projections import unlink_projections
from tkg.memory.residue import Residue, Samples
from tkg.memory.tenant import Tenant
from tkg.model.entry import Entry
from tkg.model.scope import GLOBAL
from tkg.model.time import iso
from tkg.model.verdict import Note

#: there while an erasure is not finished
MARKER: Final = "erasing"
#: folders of a store whose files are copies, so that one with a hit is destroyed
_COPIES: Final = ("backups", "exports")
_STORES: Final = (
    ("ledger.sqlite", "ledger"),
    ("graph", "graph"),
    ("index.sqlite", "index"),
    ("vectors.sqlite", "index"),
    ("archive", "archive"),
)
#: of an erasure at global that was interrupted
_LATER: Final = (("tenants", "the run was interrupted: those that were not reached erase before their next use"),)


class Place(NamedTuple):
    """A file that is looked at: which store it belongs to, and where it is."""

    store: str
    path: Path


@dataclass(slots=True)
class Work:
    """One acknowledged erasure on its way to its receipt."""

    request: dict[str, Any]
    ids: list[str]
    seq: int
    hash: str
    #: None when the content was gone before it could be sampled: an interrupted run
    samples: Samples | None = None
    before: Residue | None = None
    #: records that remain and their digest, taken before
    survivors: tuple[int, str] | None = None
    destroyed: tuple[str, ...] = ()
    #: records whose content lay in the cold file
    archived: int = 0
    #: records of the erasure's own entry
    own: frozenset[str] = frozenset()
    #: what should have been reached at once and was not, each with why
    uncovered: tuple[tuple[str, str], ...] = ()


@contextmanager
def _acknowledged(folder: Path | None) -> Iterator[None]:
    """Turn errors of the operating system after the entry into those of tkg, which say that the erasure will go on."""
    try:
        yield
    except OSError as error:
        place = folder or "the store"
        kept = "the erasure is acknowledged and out of every read, but the files are not finished"
        then = "open the tenant again, and it goes on"
        match translate_os(error, Path(place)).code:
            case "disk_full":
                raise DiskFull(f"no space left for {place}; {kept}: free some space, then {then}") from None
            case "invalid_request":
                raise RequestError(
                    f"a file below {place} cannot be opened or written; {kept}: check the permissions of the files and "
                    f"folders, and whether the disk is mounted read-only, then {then}"
                ) from None
            case "busy":
                raise Busy(f"out of memory or of open files; {kept}: free some, then {then}") from None
            case _:
                raise Damaged(
                    f"the disk failed to read or write {place}; {kept}: check the disk, then {then}"
                ) from None


def mark(folder: Path | None) -> None:
    """Say on disk that an erasure is under way.

    Raises:
        DiskFull, Damaged, RequestError: the disk is full, failed or is read-only; nothing was erased.
    """
    if folder is not None:
        with translated(folder / MARKER):
            write_whole(folder / MARKER, "")


def unmark(folder: Path | None) -> None:
    """Take that back; a mark that stays makes the next opening look for something to finish, and there is nothing."""
    if folder is not None:
        with suppress(OSError):
            (folder / MARKER).unlink(missing_ok=True)
            sync_folder(folder)


def under_way(folder: Path | None) -> bool:
    """Return whether an erasure was begun and not finished: what is open may not agree with the files."""
    return folder is not None and (folder / MARKER).exists()


def places(folder: Path) -> Iterator[Place]:
    """Yield every file of a tenant, and those of the store that belong to no tenant."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            name = path.relative_to(folder).as_posix()
            store = next((store for start, store in _STORES if name.startswith(start)), "other")
            yield Place(store, path)
    root = folder.parent.parent
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts
        if inside[0] != "tenants" and path.is_file() and not path.is_symlink():
            yield Place("copy" if inside[0] in _COPIES else "store", path)


def looked_for(tenant: Tenant, texts: Iterable[str]) -> Iterator[receipts.Check]:
    """Yield for each text whether no file of the tenant holds it."""
    for number, text in enumerate(texts, 1):
        samples = Samples([canonical(text)], ())
        if tenant.folder is None or not len(samples):
            yield receipts.Check(f"text {number}", False, "not looked for: no files, or fewer than six letters")
            continue
        with translated(tenant.folder):
            found = samples.scan(_named(tenant.folder))
        stores = ", ".join(sorted({store for store, _ in found.hits}))
        detail = f"{found.bytes} bytes of {found.files} files looked at, found in: {stores or 'none'}"
        yield receipts.Check(f"text {number}", not found.hits, detail)


def _named(folder: Path) -> Iterator[tuple[str, Path]]:
    return ((one.store, one.path) for one in places(folder))


def sampled(ledger: Ledger, ids: list[str]) -> Samples:
    """Return what to look for: what the records say, but for what others say as well."""
    gone = set(ids)

    def remains() -> Iterator[str]:
        yield from (_unescaped(text) for one, text in ledger.sealed() if one not in gone)
        yield from (row.body for row in ledger.rows())
        yield from _vocabulary()

    return Samples([text for one, text in ledger.sealed() if one in gone], remains())


def _unescaped(text: str) -> str:
    return text if "\\" not in text else "\n".join(_texts(json.loads(text)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _vocabulary() -> Iterator[str]:
    """Yield the words of the stores' own formats."""
    for package, ending in (
        ("tkg.graph", ".cypher"),
        ("tkg.graph", ".py"),
        ("tkg.index", ".py"),
        ("tkg.ledger", ".py"),
    ):
        ahead = [files(package)]
        while ahead:
            for one in ahead.pop().iterdir():
                if one.is_dir():
                    ahead.append(one)
                elif one.name.endswith(ending):
                    yield one.read_text("utf-8")


def digest_of_rest(ledger: Ledger, ids: Iterable[str]) -> tuple[int, str]:
    """Return number and digest of the records that keep their content, but for these."""
    gone, found, count = set(ids), hashlib.sha256(), 0
    for one, text in ledger.sealed():
        if one not in gone:
            count += 1
            found.update(canonical([one, text]).encode("utf-8", "surrogatepass"))
    return count, found.hexdigest()


def prepare(tenant: Tenant, request: dict[str, Any], ids: list[str]) -> Work:
    """Look at everything before it goes: what will be searched for is found now, or the search proves nothing.

    Raises:
        Damaged, RequestError, Busy: a file (the signing key too) cannot be read; nothing was erased.
    """
    receipts.signer(tenant)
    samples = sampled(tenant.ledger, ids)
    before = None
    if tenant.folder is not None:
        with translated(tenant.folder):
            before = samples.scan(_named(tenant.folder))
    rest, archived = digest_of_rest(tenant.ledger, ids), tenant.ledger.archived(ids)
    return Work(request, ids, 0, "", samples, before, rest, archived=archived)


def unfinished(ledger: Ledger) -> list[Work]:
    """Return the erasures that were acknowledged and have no receipt."""
    found: dict[str, Work] = {}
    for row in ledger.rows():
        if '"op":"forg' not in row.body:
            continue
        entry = json.loads(row.body)
        for record in entry["records"]:
            if record["record"] != "note":
                continue
            if entry["op"] == "forget":
                request = receipts.sealed_note(ledger, record) or {"receipt_id": record["id"]}
                work = Work(request, receipts.removed_in(row.body), row.seq, row.hash)
                work.uncovered = _LATER if ledger.tenant == GLOBAL else ()
                work.own = frozenset(each["id"] for each in entry["records"])
                found[record["id"]] = work
            elif entry["op"] == "forgotten":
                found.pop(record["about"].partition(":")[2], None)
    return list(found.values())


def settle(ledger: Ledger, folder: Path) -> list[Work]:
    """Take up erasures that were interrupted, before anything of the tenant is opened that may still hold content.

    Returns:
        What is left to do once the tenant is open.

    Raises:
        DiskFull, Damaged, RequestError: a file can be neither read nor overwritten; the message says what to do.
    """
    if not under_way(folder):
        return []
    waiting = unfinished(ledger)
    if not waiting:
        unmark(folder)
    with _acknowledged(folder):
        for one in waiting:
            there = {identifier for identifier, _ in ledger.sealed()}
            if not there.isdisjoint(one.ids):
                one.samples = sampled(ledger, one.ids)
                one.before = one.samples.scan(_named(folder))
                one.survivors = digest_of_rest(ledger, [*one.ids, *one.own])
                one.archived = ledger.archived(one.ids)
            with suppress(Busy, DiskFull):  # it is out of every read already; the file is rewritten at the next opening
                ledger.remove_content(one.ids)
        if waiting:
            destroy_projections(folder)
    return waiting


def destroy_projections(folder: Path) -> None:
    """Overwrite and remove graph, index, their logs, shadows and temporary files."""
    for one in places(folder):
        if one.store in ("graph", "index"):
            overwrite(one.path)
    unlink_projections(folder)


def overwrite(path: Path) -> None:
    """Write zeros over a file: all that can be done about its blocks before they are given back."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        for start in range(0, size, 1 << 20):
            file.write(bytes(min(1 << 20, size - start)))
        file.flush()
        os.fsync(file.fileno())


def complete(tenant: Tenant, work: Work) -> dict[str, Any]:
    """Do what an acknowledged erasure still needs, and return its receipt.

    Raises:
        Busy, DiskFull, Damaged, RequestError: the content is out of every read; the next opening goes on.
    """
    held = tenant.index.applied
    tenant.ledger.remove_content(work.ids)
    folder, after = tenant.folder, None
    with _acknowledged(folder):
        if folder is None:
            tenant.working.clear()  # notes of runs may hold it; in files they are looked through
            tenant.renew(lambda: None)
        else:
            tenant.renew(lambda: destroy_projections(folder))
            work.destroyed = tuple(_destroy_copies(folder, work.samples))
            after = None if work.samples is None else work.samples.scan(_named(folder))
        receipt = receipts.seal(tenant, receipts.sign(tenant, _receipt(tenant, work, after, held)))
    note = Note(
        id=tenant.ids.new("opn"), about=receipts.ABOUT.format(work.request["receipt_id"]), body=canonical(receipt)
    )
    tenant.commit("forgotten", tenant.ledger.tenant, [note])
    unmark(folder)
    return receipt


def _destroy_copies(folder: Path, samples: Samples | None) -> Iterator[str]:
    """Destroy leftovers and copies that hold what was erased; yield what they were."""
    if samples is None:
        return
    for one in list(places(folder)):
        if one.store in ("other", "copy") and one.path.name != MARKER and samples.scan([one]).hits:
            overwrite(one.path)
            one.path.unlink()
            yield one.path.name


def _receipt(tenant: Tenant, work: Work, after: Residue | None, held: int) -> dict[str, Any]:
    request, ledger = work.request, tenant.ledger
    salt = bytes.fromhex(request.get("salt", ""))
    gone = set(work.ids)
    nodes = [one for one in work.ids if kind_of(one) in ("claim", "evidence", "artefact")]
    left = {
        "ledger": sum(one in gone for one, _ in ledger.sealed()),
        "graph": sum(receipts.has_content(tenant, one) for one in work.ids),
        "index": tenant.index.remove(nodes),
        "archive": ledger.archived(work.ids),
    }
    action = {
        "ledger": "content removed, file rewritten",
        "graph": "destroyed, made anew",
        "index": "destroyed, made anew",
        "archive": "content removed, file rewritten",
    }
    before = {"ledger": len(work.ids), "graph": len(nodes), "index": len(nodes), "archive": work.archived}
    per_store = [
        {
            "store": store,
            "path_hash": None if tenant.folder is None else commitment(salt, f"{tenant.folder}/{store}"),
            "action": action[store],
            "before_count": before[store],
            "after_count": left[store],
            "hits_before": _hits(work.before, store),
            "hits": _hits(after, store),
            "sha256_after": _digest(tenant.folder, store),
        }
        for store in ("ledger", "graph", "index", *(["archive"] if _digest(tenant.folder, "archive") else []))
    ]
    rest = digest_of_rest(ledger, [*work.ids, *work.own])
    return {
        "format": receipts.FORMAT,
        **{key: value for key, value in request.items() if key not in ("salt", "reason")},
        "completed_at": iso(tenant.now()),
        "per_store": per_store,
        "copies_destroyed": len(work.destroyed),
        "keys_destroyed": [],
        "scan": _scan(work, after),
        "survivors": {
            "records": rest[0],
            "sha256": rest[1],
            "unchanged": None if work.survivors is None else work.survivors == rest,
        },
        "not_covered": [{"what": what, "why": why} for what, why in (*work.uncovered, *receipts.NOT_COVERED)],
        "log": receipts.logged(ledger, work.seq, work.hash),
        "tool_version": ledger_file.version(),
    }


def _scan(work: Work, after: Residue | None) -> dict[str, Any]:
    """Return how much was looked for and looked at; without samples, why there was nothing to look for."""
    if after is None or work.samples is None:
        why = (
            "nothing lies on disk"
            if work.samples is not None
            else "the run was interrupted after the content was gone, so there was nothing left to look for; "
            "pass words to `tkg forget --verify --text` to look again"
        )
        return {"fragments": 0, "files": 0, "bytes": 0, "found_before": 0, "hits": None, "why": why}
    return {
        "fragments": len(work.samples),
        "not_looked_for": work.samples.offered - len(work.samples),
        "files": after.files,
        "bytes": after.bytes,
        "found_before": 0 if work.before is None else work.before.found,
        "hits": after.found,
    }


def _hits(found: Residue | None, store: str) -> int | None:
    return None if found is None else sum(number for name, number in found.hits if name == store)


def _digest(folder: Path | None, store: str) -> str | None:
    if folder is None:
        return None
    found, there = hashlib.sha256(), False
    for one in places(folder):
        if one.store == store:
            found.update(one.path.read_bytes())
            there = True
    return found.hexdigest() if there else None


def acknowledged(work: Work, entry: Entry) -> Work:
    """Return the work of an erasure whose entry is in the ledger."""
    work.seq, work.hash = entry.seq, entry.hash
    work.own = frozenset(record.id for record in entry.records)
    return work
