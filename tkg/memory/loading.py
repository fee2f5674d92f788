"""Files and folders into memory, item by item: what `tkg ingest` and the demo do.

Reading again what was already loaded changes nothing, so a load that was interrupted is simply run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tkg.errors import ModelUnavailable, StoreError, TkgError
from tkg.extractors import CONFIGURATION, Extractor, Rules, formats
from tkg.extractors.contract import Ahead
from tkg.extractors.tables import Row, TableMapping, read_table
from tkg.extractors.turns import Problem
from tkg.ids import digest
from tkg.memory import remembering, versions
from tkg.memory.handle import Handle
from tkg.memory.store import Memory
from tkg.model.document import Document
from tkg.model.evidence import Evidence
from tkg.model.scope import Channel
from tkg.model.time import Instant, to_datetime
from tkg.model.verdict import Outcome, Verdict

#: roles of a chat whose words are the agent's own, whatever channel the file comes through
_AGENTS: Final = frozenset({"assistant", "agent", "ai", "bot", "model", "system", "developer"})
_TOOLS: Final = frozenset({"tool", "function"})
#: longest plain text that is one message; longer ones are read like a document
_MESSAGE: Final = 60_000
#: documents that are read together: by the rules, and by an extractor that was named
_TOGETHER: Final = 64
_ASKED: Final = 8
#: longest text that is read together with others, and characters after which a group ends
_SHORT: Final = 20_000
_TEXT: Final = 100_000


@dataclass
class Tally:
    """What became of the inputs."""

    documents: int = 0
    episodes: int = 0
    skipped: int = 0
    refused: int = 0
    failed: int = 0
    claims: Counter[str] = field(default_factory=Counter)
    #: what became of the claims of older versions
    renewed: Counter[str] = field(default_factory=Counter)

    def count(self, verdicts: list[Verdict], *, new: bool) -> None:
        """Count what one document gave; `new` says whether anything was written."""
        self.documents += 1
        if not new:
            self.skipped += 1
        elif verdicts and verdicts[0].outcome is Outcome.REJECTED:
            self.refused += 1
        else:
            self.episodes += 1
            self.claims.update(one.outcome.value for one in verdicts[1:])

    def fields(self) -> dict[str, Any]:
        """Return the figures, in order."""
        claims = {outcome.value: self.claims[outcome.value] for outcome in Outcome}
        return {
            "documents": self.documents,
            "episodes": self.episodes,
            "already_there": self.skipped,
            "refused": self.refused,
            "failed": self.failed,
            "claims": claims,
            "older_versions": dict(sorted(self.renewed.items())),
        }


@dataclass(frozen=True)
class Loader:
    """Who loads, and where to.

    Args:
        memory: the open store.
        tenant: whose memory.
        user: narrows the scope.
        channel: class of what is loaded; the agent's own words in a chat never count as more than inferred.
        principal: who vouches for the inputs.
        session: work session of all of them (default: what each document says).
        version: version of all of them (default: what each says, else a digest of its text).
        extractor: what reads them (default: the store's, else the rules).
        every: turns of one session that are read together; 0 reads those of a session at its end (default: as many as
            the extractor does well with).
    """

    memory: Memory
    tenant: str
    user: str | None
    channel: Channel
    principal: str
    session: str | None = None
    version: str | None = None
    extractor: Extractor | None = None
    every: int | None = None

    def _head(self) -> int:
        return self.memory.tenant(self.tenant).ledger.head.seq if self.memory.exists(self.tenant) else 0

    def load(self, document: Document, extractor: Extractor | None = None) -> tuple[list[Verdict], bool]:
        """Remember one document; return the verdicts and whether anything was written."""
        before = self._head()
        handle = self._handle(document)
        passage = self._passage(document, extractor or self.extractor)
        return remembering.remember(self.memory, handle.caller, passage), self._head() > before

    def _handle(self, document: Document) -> Handle:
        return self.memory.scope(
            self.tenant,
            self.user,
            channel=channel_of(document, self.channel),
            principal=self.principal,
            session=self.session or document.session,
        )

    def _passage(self, document: Document, extractor: Extractor | None = None) -> remembering.Passage:
        media = "markdown" if document.media == "text" and len(document.text) > _MESSAGE else document.media
        return remembering.Passage.read(
            text=document.text,
            evidence=Evidence.build(uri=document.uri, version=self._version(document), locator=document.turn),
            observed_at=to_datetime(document.observed_at),
            speaker=document.speaker,
            turn=document.turn,
            media=media,
            zone=document.zone,
            extractor=extractor,
        )

    def _ahead(self, items: Iterable[formats.Read]) -> Extractor | None:
        """Let the extractor read several new documents at once; None where each has to be read by itself."""
        fresh = []
        if not self.memory.exists(self.tenant):
            return self.extractor
        tenant = self.memory.tenant(self.tenant)
        chosen = self.extractor or tenant.extractor or Rules(known=tenant.policies.write.registry.predicates)
        for item in items:
            if isinstance(item, Problem) or item.media in CONFIGURATION:
                continue
            try:
                caller, passage = self._handle(item).caller, self._passage(item)
                if not remembering.is_there(self.memory, caller, passage):
                    fresh.append(remembering.document_of(tenant, caller, passage))
            except StoreError:
                raise
            except TkgError:
                continue  # told when it is its turn
        if len(fresh) < 2:
            return self.extractor
        try:
            return Ahead(chosen, fresh)
        except (StoreError, ModelUnavailable):
            raise
        except TkgError:
            return self.extractor  # one of them cannot be read: one by one, so that it is told which

    def _groups(self, items: Iterable[formats.Read]) -> Iterator[list[formats.Read]]:
        """Yield what is read together: turns of one session, or a handful of short documents."""
        most = self.every if self.every is not None else _TOGETHER if self.extractor is None else _ASKED
        group: list[formats.Read] = []
        size = 0
        for item in items:
            long = not isinstance(item, Document) or len(item.text) > _SHORT
            other = bool(group) and self.every is not None and _session(group[-1]) != _session(item)
            if group and (long or other or (most and len(group) >= most) or size > _TEXT):
                yield group
                group, size = [], 0
            group.append(item)
            size += len(item.text) if isinstance(item, Document) else 0
        if group:
            yield group

    def _version(self, document: Document) -> str | None:
        if self.version is not None or document.media == "turn":
            return self.version or document.version
        return document.version or f"sha256:{digest(document.text)[:16]}"

    def load_all(
        self,
        items: Iterable[formats.Read],
        tally: Tally,
        *,
        problem: Callable[[str], None],
        done: Callable[[Document | None, list[Verdict]], None] = lambda document, verdicts: None,
        notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Load items one by one; the rest goes on after one that cannot be read or is refused.

        Args:
            items: what `documents_of` yields.
            tally: where everything is counted.
            problem: gets one line for each item that failed or was refused.
            done: called after each item, with its document and verdicts.
            notice: gets one line for each claim of an older version that the new one changed or no longer holds.

        Raises:
            StoreError: the store is busy, damaged or full; nothing after it would work.
            Unsupported: the engine cannot be used; neither would anything after it.
            ModelUnavailable: the model's server cannot be used; neither could it for what comes after.
        """
        self._head()  # a tenant that cannot be opened is one error, not one for each item
        whole = _Whole()
        for group in self._groups(items):
            ahead = self._ahead(group) if len(group) > 1 else self.extractor
            for item in group:
                for document in whole.before(item):
                    self._renew(document, tally, notice)
                failed = tally.failed + tally.refused
                done(item if isinstance(item, Document) else None, self._load_one(item, ahead, tally, problem))
                whole.add(item, failed=tally.failed + tally.refused > failed)
        for document in whole.before(None):
            self._renew(document, tally, notice)

    def _renew(self, parts: list[Document], tally: Tally, notice: Callable[[str], None]) -> None:
        """Look what became of the claims of older versions, once a whole document was read."""
        first = parts[0]
        version = self._version(first) if len(parts) == 1 or self.version is not None else first.version
        if version is None or first.media == "turn" or not self.memory.exists(self.tenant):
            return
        tenant = self.memory.tenant(self.tenant)
        caller = self._handle(first).caller
        text = "\n".join(one.text for one in parts)
        with tenant.lock:
            found = versions.renew(tenant, caller, versions.Renewed(first.uri, version, text, first.observed_at))
        for one in found:
            tally.renewed[one.state] += 1
            if one.state in ("changed", "gone"):
                kept = "other evidence holds it" if one.now == "active" else f"it is {one.now}"
                then = "another took its place" if one.by else kept
                notice(f"{first.uri}: {one.state} since version {one.version}, {then}: {one.says}")

    def _load_one(
        self, item: formats.Read, extractor: Extractor | None, tally: Tally, problem: Callable[[str], None]
    ) -> list[Verdict]:
        if isinstance(item, Problem):
            tally.failed += 1
            problem(str(item))
            return []
        where = item.uri if item.turn is None else f"{item.uri} {item.turn}"
        try:
            verdicts, new = self.load(item, extractor)
        except (StoreError, ModelUnavailable):
            raise
        except TkgError as error:
            tally.failed += 1
            problem(f"{where}: {error}")
            return []
        tally.count(verdicts, new=new)
        if new and verdicts and verdicts[0].outcome is Outcome.REJECTED:
            problem(f"{where}: refused: {reason_of(verdicts[0])}")
        return verdicts

    def load_row(self, row: Row, *, observed_at: Instant) -> tuple[list[Verdict], bool]:
        """Propose the claim of one row; return its verdict and whether anything was written.

        The row's own `observed_at` wins over the table's. The same row of the same table is proposed once.
        """
        before = self._head()
        handle = self.memory.scope(
            self.tenant, self.user, channel=self.channel, principal=self.principal, session=self.session
        )
        stated = to_datetime(observed_at).isoformat()
        said = "\n".join(f"{name}={value}" for name, value in sorted(row.fields.items()))
        verdict = handle.propose(
            **{"observed_at": stated, **row.fields},
            evidence=Evidence.build(uri=row.uri, version=self.version, locator=row.locator, quote=row.quote),
            idempotency_key=f"table:{digest(f'{row.uri} {row.locator} {self.version} {stated} {said}')}",
        )
        return [verdict], self._head() > before

    def load_table(
        self,
        path: Path,
        mapping: TableMapping,
        tally: Tally,
        *,
        observed_at: Instant,
        problem: Callable[[str], None],
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """Propose the claims of a CSV or Parquet file, row by row.

        Args:
            path: the table.
            mapping: what its columns mean.
            tally: where everything is counted.
            observed_at: when the table said so.
            problem: gets one line for each row that cannot be read or was malformed.
            done: called after each claim.

        Raises:
            StoreError: the store is busy, damaged or full; nothing after it would work.
        """
        self._head()
        for row in read_table(path, str(path), mapping):
            if isinstance(row, Problem):
                tally.failed += 1
                problem(str(row))
                continue
            try:
                verdicts, new = self.load_row(row, observed_at=observed_at)
            except StoreError:
                raise
            except TkgError as error:
                tally.failed += 1
                problem(f"{row.uri} {row.locator}: {error}")
            else:
                tally.documents += 1
                tally.skipped += not new
                if new:
                    tally.claims.update(one.outcome.value for one in verdicts)
            done()


class _Whole:
    """Gathers the parts of one document (pages of a PDF) until the next one begins; parts that failed spoil it."""

    def __init__(self) -> None:
        self._parts: list[Document] = []
        self._spoiled: set[str] = set()

    def before(self, item: formats.Read | None) -> list[list[Document]]:
        """Return the document that ends before an item."""
        uri = None if item is None else item.path if isinstance(item, Problem) else item.uri
        if not self._parts or self._parts[0].uri == uri:
            return []
        parts, self._parts = self._parts, []
        return [] if parts[0].uri in self._spoiled else [parts]

    def add(self, item: formats.Read, *, failed: bool) -> None:
        """Take in a part."""
        if isinstance(item, Problem) or failed:
            self._spoiled = {item.path if isinstance(item, Problem) else item.uri}
        if isinstance(item, Document) and item.media != "turn":
            self._parts.append(item)


def _session(item: formats.Read) -> tuple[str, str | None]:
    """Return the conversation an item belongs to."""
    return (item.path, None) if isinstance(item, Problem) else (item.uri, item.session)


def reason_of(verdict: Verdict) -> str:
    """Return the sentence of the check that decided, or its code in words."""
    decisive = [one.reason for one in verdict.checks or () if one.code == verdict.code and one.reason]
    if decisive:
        return decisive[-1]
    return "Every check passed." if verdict.code == "ok" else verdict.code.replace("_", " ").capitalize() + "."


def channel_of(document: Document, channel: Channel) -> Channel:
    """Return the channel of a document: what in a chat is not the person's own word never counts as theirs.

    The agent's words are at most inferred; a tool's output is outside text, unless the caller vouches for the tools.
    """
    role = (document.role or "").strip().lower()
    if role in _AGENTS:
        return min(channel, Channel.AGENT_INFERRED, key=lambda one: one.rank)
    if role in _TOOLS and channel is not Channel.TRUSTED_TOOL:
        return min(channel, Channel.EXTERNAL, key=lambda one: one.rank)
    return channel


def documents_of(
    path: Path, *, format: formats.Format | None = None, now: Instant, stated: Instant | None = None
) -> Iterator[formats.Read]:
    """Yield the documents and problems of a file or folder.

    A document without a date of its own gets `stated`, else the time its file was last changed (never the time of
    loading, so that reading an unchanged file again finds what is already there).

    Args:
        path: a file, or a folder that is read recursively.
        format: how to read it; None goes by suffix.
        now: the present, which no date may lie after.
        stated: date of undated documents.

    Raises:
        NotFound: the path does not exist.
    """
    for item in formats.read(path, format=format, observed_at=now if stated is None else stated):
        if isinstance(item, Document) and stated is None and item.observed_at == now:
            yield item.model_copy(update={"observed_at": min(_changed(path, item.uri, now), now)})
        else:
            yield item


def _changed(path: Path, uri: str, now: Instant) -> Instant:
    for file in (path / uri, path):
        try:
            if file.is_file():
                return file.stat().st_mtime_ns // 1000
        except (OSError, ValueError):
            continue
    return now
