"""Import: a tenant made from a portable archive, with its ids, its provenance and both times.

Transaction numbers are kept, so that a replay of the past asks the same question; where an archive leaves entries out
(another user's, another subject's), empty ones stand in their place.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from tkg.clock import Clock, ManualClock
from tkg.errors import InvalidTime, RequestError
from tkg.files import sync_folder
from tkg.ids import RandomIds
from tkg.ledger.port import Ledger
from tkg.ledger.sqlite import open_ledger
from tkg.memory.checking import LEDGER
from tkg.memory.dumping import ABOUT, FORMAT, INSTANTS
from tkg.model.entry import RECORD, Draft, Record
from tkg.model.scope import GLOBAL, Scope
from tkg.model.time import BEGINNING, FOREVER, YEAR_ONE, parse_when, to_datetime

#: operation of an entry that stands for one which the archive leaves out
LEFT_OUT: Final = "left_out"
#: longest line, in characters
_LONGEST: Final = 64 << 20
_BATCH: Final = 500
#: interval of an archive -> bound, and what a missing one means
_BOUNDS: Final = (
    ("valid_from", "from_lo", BEGINNING),
    ("valid_from_latest", "from_hi", BEGINNING),
    ("valid_to_earliest", "to_lo", FOREVER),
    ("valid_to", "to_hi", FOREVER),
)


class ArchiveIds(RandomIds):
    """Ids of a ledger that is made with a known key."""

    def __init__(self, clock: ManualClock, key: bytes) -> None:
        super().__init__(clock)
        self._key = key

    def key(self) -> bytes:
        """Return the key of the archive's tenant."""
        return self._key


class Archive:
    """A portable archive, read line by line.

    Args:
        lines: its lines.

    Raises:
        RequestError: it is no archive, or has no key.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
        _, header = self._parsed(next(self._lines, (1, "{}")))
        if header.get("format") != FORMAT:
            raise RequestError(f"that is no archive of the form {FORMAT}; make one with `tkg export --portable`")
        self.tenant = Scope.parse(header.get("scope")).tenant
        try:
            self.key = bytes.fromhex(header["key"])
        except (KeyError, ValueError, TypeError):
            self.key = b""
        if len(self.key) != 32:
            raise RequestError(
                "the archive carries no key, so it can be read but not imported: export it with --portable"
            )

    def _parsed(self, numbered: tuple[int, str]) -> tuple[int, dict[str, Any]]:
        number, line = numbered
        if len(line) > _LONGEST:
            raise RequestError(f"line {number} of the archive is longer than {_LONGEST} characters")
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise RequestError(f"line {number} of the archive is not a JSON object")
        return number, fields

    def entries(self) -> Iterator[tuple[int, int, Draft]]:
        """Yield (transaction number, transaction time, operation) in order.

        Raises:
            RequestError: a line cannot be read, or is out of order; the message names it.
        """
        current: tuple[int, int, str, str] | None = None
        records: list[Record] = []
        for numbered in self._lines:
            number, fields = self._parsed(numbered)
            try:
                head = (int(fields["seq"]), _instant(fields["tx_time"]), str(fields["op"]), str(fields["under"]))
                record = RECORD.validate_python(_record(fields), strict=False)
            except (KeyError, TypeError, ValueError, InvalidTime, ValidationError):
                raise RequestError(f"line {number} of the archive cannot be read; nothing was imported") from None
            if current is not None and head != current:
                yield current[0], current[1], Draft(op=current[2], scope=current[3], records=tuple(records))
                records = []
            if current is not None and head != current and (head[0] <= current[0] or head[1] <= current[1]):
                raise RequestError(f"line {number} of the archive is out of order; nothing was imported")
            if Scope.parse(head[3]).tenant not in (self.tenant, GLOBAL):
                raise RequestError(f"line {number} of the archive belongs to another tenant; nothing was imported")
            current = head
            records.append(record)
        if current is not None:
            yield current[0], current[1], Draft(op=current[2], scope=current[3], records=tuple(records))


def _instant(text: str | None, missing: int = BEGINNING) -> int:
    return missing if text is None else parse_when(text).start


def _record(fields: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in fields.items() if name not in ABOUT}
    for name in INSTANTS:
        if name in found:
            found[name] = _instant(found[name], FOREVER if name.endswith("_to") else BEGINNING)
    if found.get("record") == "claim":
        given = dict(found["interval"])
        bounds = {bound: _instant(given.pop(name), missing) for name, bound, missing in _BOUNDS}
        found["interval"] = {**given, **bounds}
    return found


def fill(ledger: Ledger, archive: Archive, clock: ManualClock) -> int:
    """Write an archive into an empty ledger whose transaction times `clock` tells; return the number of entries."""
    count = 0
    for seq, at, draft in archive.entries():
        while ledger.head.seq + 1 < seq:
            missing = min(seq - ledger.head.seq - 1, _BATCH)
            clock.set(to_datetime(max(ledger.head.tx_time, YEAR_ONE) + 1))
            ledger.append([Draft(op=LEFT_OUT, scope=archive.tenant, records=())] * missing)
        clock.set(to_datetime(at))
        (entry,) = ledger.append([draft])
        if entry.tx_time != at or entry.seq != seq:
            raise RequestError(f"entry {seq} of the archive is out of order; nothing was imported")
        count += 1
    return count


def make(folder: Path, archive: Archive, now: Clock) -> int:
    """Make a tenant's folder from an archive, whole or not at all; return the number of entries."""
    fresh = folder.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    clock = ManualClock(now.now())
    try:
        ids = ArchiveIds(clock, archive.key)
        with closing(open_ledger(fresh / LEDGER, archive.tenant, clock, ids, create=True)) as ledger:
            count = fill(ledger, archive, clock)
        os.replace(fresh, folder)
        sync_folder(folder.parent)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return count
