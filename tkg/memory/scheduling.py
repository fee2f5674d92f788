"""Scheduled reading: turns are kept at once, and read together every N turns and at the end.

A turn that was kept is never lost: what a process that died did not read is read by the next `consolidate`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tkg.errors import RequestError
from tkg.extractors.contract import Extractor
from tkg.model.document import Document, Extracted
from tkg.model.verdict import Verdict

if TYPE_CHECKING:
    from tkg.memory.handle import Handle


class Kept:
    """An extractor that reads nothing: the text is only kept."""

    name, version = "kept", "1"

    def extract(self, document: Document) -> list[Extracted]:
        """Return nothing."""
        return []


class Schedule:
    """Turns of one conversation. Made by `Handle.schedule`; use it in a `with` block, whose end reads what is left.

    Args:
        handle: who speaks.
        every: turns that are read together; 0 reads all at the end.
        extractor: what reads them (default: the store's, else the rules).
        read: reads episodes by their ids.

    Raises:
        RequestError: `every` is below nought.
    """

    def __init__(
        self,
        handle: Handle,
        every: int,
        extractor: Extractor | None,
        read: Callable[[list[str], Extractor | None], list[Verdict]],
    ) -> None:
        if every < 0:
            raise RequestError("every takes a number of turns, or 0 for all at the end")
        self._handle, self._every, self._extractor, self._read = handle, every, extractor, read
        self._waiting: list[str] = []
        #: the gate's verdicts on every claim that was read so far
        self.verdicts: list[Verdict] = []

    def add(self, text: str, **fields: Any) -> Verdict:
        """Keep a turn and return the verdict on it; see `Handle.remember` for the fields.

        Raises:
            As `Handle.remember`. ModelError: it was kept, and the turns that wait are read with the next one.
        """
        (verdict, *_) = self._handle.remember(text, **{"media": "turn", **fields}, extractor=Kept())
        if verdict.artefact_id is not None:
            self._waiting.append(verdict.artefact_id)
        if self._every and len(self._waiting) >= self._every:
            self.read()
        return verdict

    def read(self) -> list[Verdict]:
        """Read the turns that wait, now, and return the verdicts on their claims.

        Raises:
            ModelError: the turns wait on.
        """
        found = self._read(self._waiting, self._extractor) if self._waiting else []
        self._waiting = []
        self.verdicts += found
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.read()
