"""Working notes: what an agent jots down while a run lasts. They never become memory, and go with the run.

They are not in the ledger, the graph or the index, and nothing recalls them. Each run (a session in a scope) has one file of
its own, written whole at every note, so that a run whose process died goes on where it was; ending the run destroys the
file. A run that nobody ended is over `working_hours` after its last note. Backups leave the files out, and an erasure
destroys those that hold what is erased.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tkg.errors import RequestError, TooLarge
from tkg.files import sync_folder, write_whole
from tkg.memory.caller import Caller
from tkg.memory.erasing import overwrite
from tkg.memory.projections import WORKING
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.text import MAX_NAME

#: notes of one run
MOST: Final = 200
_HOUR: Final = 3_600 * 1_000_000


def keep(tenant: Tenant, caller: Caller, name: str, text: str) -> None:
    """See `Handle.note`."""
    caller.stating()
    run = _run(tenant, caller)
    _expire(tenant)
    name, text = told(name, "name", limit=MAX_NAME), told(text, "note")
    notes = read(tenant, caller)
    notes[name] = text
    if len(notes) > MOST:
        raise TooLarge(f"a run keeps at most {MOST} working notes; end it, or write over one")
    kept = {"at": tenant.now(), "notes": notes}
    if tenant.folder is None:
        tenant.working[run] = kept
    else:
        write_whole(tenant.folder / f"{WORKING}{run}.json", json.dumps(kept, ensure_ascii=False))


def read(tenant: Tenant, caller: Caller) -> dict[str, str]:
    """See `Handle.notes`."""
    found = dict(_kept(tenant)).get(_run(tenant, caller))
    return {} if found is None or _over(tenant, found) else dict(found["notes"])


def end(tenant: Tenant, caller: Caller) -> int:
    """See `Handle.end_run`."""
    caller.speaking()
    had = len(read(tenant, caller))
    _destroy(tenant, _run(tenant, caller))
    _expire(tenant)
    return had


def _run(tenant: Tenant, caller: Caller) -> str:
    """Return the name of the caller's run: the session of another scope, or of another principal, is another run."""
    if caller.session is None:
        raise RequestError("working notes belong to a run: pass session= (--session) when the handle is made")
    parts = (caller.scope.path, caller.principal or "", caller.session)
    return tenant.names.digest("working", *parts).partition("_")[2].lower()


def _kept(tenant: Tenant) -> Iterator[tuple[str, dict[str, Any]]]:
    if tenant.folder is None:
        yield from list(tenant.working.items())
        return
    for path in sorted(tenant.folder.glob(f"{WORKING}*.json")):
        run = path.name.removeprefix(WORKING).removesuffix(".json")
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            yield run, {"at": int(found["at"]), "notes": {str(k): str(v) for k, v in found["notes"].items()}}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            yield run, {"at": 0, "notes": {}}  # damaged: it is over, and goes with the others


def _over(tenant: Tenant, found: dict[str, Any]) -> bool:
    return bool(found["at"] < tenant.now() - tenant.policies.write.working_hours * _HOUR)


def _expire(tenant: Tenant) -> None:
    """Destroy the notes of runs that nobody ended."""
    for run, found in list(_kept(tenant)):
        if _over(tenant, found):
            _destroy(tenant, run)


def _destroy(tenant: Tenant, run: str) -> None:
    tenant.working.pop(run, None)
    if tenant.folder is not None:
        path: Path = tenant.folder / f"{WORKING}{run}.json"
        with suppress(FileNotFoundError):
            overwrite(path)
            path.unlink()
            sync_folder(tenant.folder)
