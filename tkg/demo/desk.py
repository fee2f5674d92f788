"""A store for trying things out: in a folder of its own that goes away, with a clock set by hand and ids from a seed.

The notebooks stand on it, so that whoever runs them again sees the same ids and times, and nothing is left behind.
"""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tkg.clock import ManualClock
from tkg.errors import NotFound, RequestError
from tkg.ids import SeededIds
from tkg.memory.at_use import Verifier
from tkg.memory.handle import Handle
from tkg.memory.loading import Loader, Tally, documents_of
from tkg.memory.opening import open_memory
from tkg.model.display import Rows
from tkg.model.document import Document
from tkg.model.scope import Channel
from tkg.model.time import parse_when, to_datetime, to_instant
from tkg.model.verdict import Verdict

FILES: Final = Path(__file__).with_name("files")


class Desk:
    """A fresh store with the files of one story, and a clock that moves only when it is told to.

    Args:
        story: name of a folder of files that comes with tkg; its `tkg.toml`, if it has one, is the store's.
        at: what time it is at first, such as "2025-09-01T08:00Z".
        tenant: whose memory.
        engine: graph engine.
        verifiers: who is asked before recall shows a claim of high consequence.
        settings: name of the settings to use instead of `tkg.toml`.

    Raises:
        NotFound: no such story. InvalidTime: `at` cannot be read.
    """

    def __init__(
        self,
        story: str,
        *,
        at: str,
        tenant: str = "harbour",
        engine: str = "auto",
        verifiers: tuple[Verifier, ...] = (),
        settings: str = "tkg.toml",
    ) -> None:
        self.files = FILES / story
        if not story or not self.files.is_dir():
            raise NotFound(f"no story is called {story}; see the folders in {FILES.name}/")
        self.clock = ManualClock(_moment(at))
        self.tenant = tenant
        self._room = TemporaryDirectory(prefix="tkg-desk-")
        store = Path(self._room.name) / "store"
        store.mkdir(mode=0o700)
        if (self.files / settings).is_file():
            shutil.copy(self.files / settings, store / "tkg.toml")
        self.memory = open_memory(store, clock=self.clock, ids=SeededIds(16), engine=engine, verifiers=verifiers)
        self.memory.create_tenant(tenant)

    def on(self, moment: str) -> None:
        """Set the clock, to "2025-09-05T09:00Z" or a date alone; it never goes back.

        Raises:
            RequestError: earlier than it is now.
        """
        then = _moment(moment)
        if then < self.clock.now():
            raise RequestError(f"it is later than {moment} already; the clock of a desk does not go back")
        self.clock.set(then)

    def handle(self, channel: str, principal: str, session: str | None = None, *, user: str | None = None) -> Handle:
        """Return a handle of the desk's tenant; see `Memory.scope`."""
        return self.memory.scope(self.tenant, user, channel=channel, principal=principal, session=session)

    def ingest(
        self, name: str, *, channel: str = "trusted_tool", principal: str, version: str | None = None
    ) -> list[Verdict]:
        """Read one of the story's files as `tkg ingest` does; return the verdicts, each text's own before its claims'.

        Raises:
            NotFound: no such file. RequestError: some of it cannot be read.
        """
        if not (self.files / name).is_file():
            raise NotFound(f"the story has no file {name}")
        now = to_instant(self.clock.now())
        stated = None if name.endswith(".jsonl") else now
        found = [
            one
            for one in documents_of((self.files / name).parent, now=now, stated=stated)
            if not isinstance(one, Document) or one.uri == Path(name).name
        ]
        verdicts: list[Verdict] = Rows()
        problems: list[str] = []
        loader = Loader(self.memory, self.tenant, None, Channel(channel), principal, version=version)
        loader.load_all(found, Tally(), problem=problems.append, done=lambda _, many: verdicts.extend(many))
        if problems:
            raise RequestError("; ".join(problems))
        return verdicts

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return the records of one of the story's JSON Lines files.

        Raises:
            NotFound: no such file.
        """
        if not (self.files / name).is_file():
            raise NotFound(f"the story has no file {name}")
        return [json.loads(line) for line in (self.files / name).read_text("utf-8").splitlines() if line]

    def close(self) -> None:
        """Close the store and remove it."""
        self.memory.close()
        self._room.cleanup()


def _moment(text: str) -> datetime:
    return to_datetime(parse_when(text).start).astimezone(UTC)
