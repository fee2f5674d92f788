"""An open store: its directory, its tenants and their locks."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from tkg.clock import Clock, SystemClock
from tkg.errors import Busy, DiskFull, NotFound, NotPermitted, RequestError, ScopeRequired, TkgError
from tkg.extractors.contract import Extractor
from tkg.ids import Ids, RandomIds
from tkg.index.port import Embedder
from tkg.ledger.heads import SignedHead, advance, load_signer
from tkg.ledger.memory import MemoryLedger
from tkg.ledger.port import Ledger
from tkg.ledger.proof import Proof, prove
from tkg.ledger.sqlite import open_ledger
from tkg.memory import checking, copying, doctor, erasing, importing, replicating
from tkg.memory.answers import EvidenceReport
from tkg.memory.at_use import Verifier
from tkg.memory.declaring import declare
from tkg.memory.directory import FORMAT, claim_directory, folder_name, make_tenant, tenant_of
from tkg.memory.fetching import Limits
from tkg.memory.global_state import GlobalReader, GlobalState
from tkg.memory.handle import Handle
from tkg.memory.projections import ENGINES, Projections, remove_projections
from tkg.memory.reverifying import reverify
from tkg.memory.settings import named_embedder, read_embedder, read_policies, read_skills
from tkg.memory.skills import SkillFolder
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.model.policy import Policies
from tkg.model.scope import GLOBAL, Channel, Scope, check_segment
from tkg.text import MAX_NAME

#: tenants kept open at once; the least recently used one is closed first
OPEN_TENANTS: Final = 8
_NO_TENANT: Final = "no such tenant; check the spelling, or make it: memory.create_tenant(id), `tkg init --tenant ID`"
#: who may bring a tenant into being by a first accepted write
_FOUNDERS: Final = frozenset(set(Channel) - {Channel.AGENT_INFERRED, Channel.EXTERNAL})


class Memory:
    """An open store. Every read and write goes through a handle made by `scope`.

    Use `tkg.open` to make one; it is a context manager.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        engine: str = "auto",
        policies: Policies | None = None,
        read_only: bool = False,
        graph_file_above: int = 2_000,
        count_tokens: Callable[[str], int] | None = None,
        verifiers: Sequence[Verifier] = (),
        skills: str | os.PathLike[str] | None = None,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
    ) -> None:
        if engine not in ENGINES:
            raise RequestError(f"engine must be one of {', '.join(ENGINES)}")
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds(self.clock)
        self.read_only = read_only
        self._count_tokens, self._verifiers, self._extractor = count_tokens, tuple(verifiers), extractor
        self.path = None if path is None else Path(path).absolute()
        #: what happened while tenants were opened that a person should know: files that were made anew, and why
        self.notices: list[str] = []
        self._projections = Projections(
            engine, file_above=graph_file_above, read_only=read_only, tell=self.notices.append
        )
        self._guard = threading.RLock()
        self._open: OrderedDict[str, Tenant] = OrderedDict()
        self._unfiled: dict[str, MemoryLedger] = {}
        self._closed = False
        self._global_folder = None if self.path is None else os.fspath(self._folder(GLOBAL))
        self._global = GlobalReader(self.beside, self.notices.append)
        if self.path is not None:
            claim_directory(self.path, read_only=read_only)
        settings = None if self.path is None else self.path / "tkg.toml"
        self.policies = policies or read_policies(settings)
        #: folder in which skills lie as files; None where nobody asked for them
        self.skills = Path(skills).absolute() if skills is not None else read_skills(settings)
        self._embedder, self._settings = embedder or (None if read_only else read_embedder(settings)), settings

    # -- handles and tenants

    def scope(
        self,
        tenant: str | None = None,
        user: str | None = None,
        *,
        channel: Channel | str | None = None,
        principal: str | None = None,
        session: str | None = None,
    ) -> Handle:
        """Return a handle bound to one scope, channel, principal and session.

        The embedding program sets these, from its authenticated session; no later call takes them as arguments.

        Args:
            tenant: required; `[a-z0-9][a-z0-9-]{0,62}`. A handle of `global` decides about what is global (revoke,
                quarantine, forget, …) and states nothing: that takes a promotion.
            user: narrows the scope to `tenant/user`; a reader there sees the tenant's claims as well.
            channel: the class of what is written through the handle; a handle without one only reads.
            principal: who speaks; required with a channel.
            session: work session for the read trace.

        Raises:
            ScopeRequired: no tenant.
            InvalidScope: an id outside the grammar.
            RequestError: unknown channel, or a channel without a principal.
            NotPermitted: `global` with another channel than human_verified.
            Rejected: principal or session holds what is never stored.
        """
        check_segment(tenant, "tenant")
        scope = Scope(tenant=tenant or "", user=None if user is None else check_segment(user, "user"))
        if channel is not None:
            try:
                channel = Channel(channel if isinstance(channel, str) else "")  # what is no text it would print
            except ValueError:
                raise RequestError(f"channel must be one of {', '.join(Channel)}") from None
            if scope.tenant == GLOBAL and (channel is not Channel.HUMAN_VERIFIED or scope.user is not None):
                raise NotPermitted("what is global is decided by a verified person (human_verified), without a user")
            if principal is None:
                raise RequestError("a channel needs a principal: who is speaking?")
        if principal is not None:
            principal = told(principal, "principal", limit=MAX_NAME)
        if session is not None:
            session = told(session, "session", limit=MAX_NAME)
        return Handle(self, scope, channel, principal, session)

    def recall(self, *args: object, **kwargs: object) -> None:
        """Refuse: a read without a scope is an error, never a query over everything.

        Raises:
            ScopeRequired: always.
        """
        raise ScopeRequired("recall needs a scope: memory.scope(tenant=…).recall(…)")

    def tenants(self) -> list[str]:
        """Return the ids of the tenants that exist, in order."""
        if self.path is None:
            return sorted(self._unfiled)
        folder = self.path / "tenants"
        return sorted(tenant_of(one.name) for one in folder.iterdir() if one.is_dir() and not one.name.endswith(".new"))

    def create_tenant(self, tenant: str) -> None:
        """Create an empty tenant; creating one that exists changes nothing."""
        check_segment(tenant, "tenant")
        self._writable()
        with self._guard:
            if not self.exists(tenant):
                self._tenant(tenant, create=True)

    def exists(self, tenant: str) -> bool:
        """Return whether a tenant was created."""
        return tenant in self._unfiled if self.path is None else self._folder(tenant).is_dir()

    def may_create(self, channel: Channel | None) -> bool:
        """Return whether a first accepted write through this channel brings its tenant into being."""
        return channel in _FOUNDERS and not self.read_only

    def tenant(self, tenant: str, *, follow: bool = True) -> Tenant:
        """Return an open tenant; for the rooms of this package.

        Args:
            tenant: its id.
            follow: copy first what is new at global, and take back what was taken back there.

        Raises:
            NotFound: it was never created. Busy: another process owns it.
        """
        with self._guard:
            found = self._tenant(tenant, create=False)
        if follow and tenant != GLOBAL and not self.read_only and self._any_global():
            replicating.follow_global(self, found, self.global_state())
        return found

    def _any_global(self) -> bool:
        """Return whether there is a global tenant; asked at every use, so the folder's name is made once."""
        return GLOBAL in self._unfiled if self._global_folder is None else os.path.isdir(self._global_folder)

    @contextmanager
    def using(self, tenant: str) -> Iterator[Tenant]:
        """Open a tenant and take its lock; see `tenant`."""
        while True:
            found = self.tenant(tenant)
            with found.lock:
                if self._open.get(tenant) is found:  # else it was closed while the lock was waited for
                    with found.operation():
                        yield found
                    return

    def global_state(self) -> GlobalState | None:
        """Return what is global; None where that could never be read."""
        with self._guard:
            found = self._open.get(GLOBAL)
            opened = self._unfiled.get(GLOBAL) if found is None else found.ledger
        return self._global.state(opened, None if self.path is None else self._folder(GLOBAL) / checking.LEDGER)

    @contextmanager
    def beside(self, tenant: str) -> Iterator[Ledger]:
        """Open a tenant's ledger to read, beside whoever owns it; no lock of its writer is taken.

        Raises:
            NotFound: it was never created.
        """
        with self._guard:
            if not self.exists(tenant):
                raise NotFound(_NO_TENANT)
            found = self._open.get(tenant) or (self._tenant(tenant, create=False) if self.path is None else None)
        if found is not None:
            yield found.ledger
            return
        opened = open_ledger(self._folder(tenant) / checking.LEDGER, tenant, self.clock, self.ids, read_only=True)
        with closing(opened) as ledger:
            yield ledger

    def rebuild(self, tenant: str) -> int:
        """Throw graph, index and vectors away and make them again from the ledger; return the number of entries applied."""
        check_segment(tenant, "tenant")
        self._writable()
        with self._guard:
            self._tenant(tenant, create=False)
            self._let_go(tenant, self._open.pop(tenant))
            if self.path is not None:
                remove_projections(self._folder(tenant))
            made = self._tenant(tenant, create=False)
            if made.vectors is not None:
                made.vectors.bring_up(made.ledger.head.seq)
            return made.ledger.head.seq

    # -- integrity

    def verify(self, tenant: str | None = None, *, witness: str | os.PathLike[str] | None = None) -> checking.Report:
        """Check chain, tree, signed heads and content, and that graph and index agree with the ledger; changes nothing.

        Args:
            tenant: only this one (default: all).
            witness: a file of heads that was kept in another place (`head`, `tkg head --output`).

        Returns:
            A report with one finding per problem: a stable code, what is wrong, what to do.

        Raises:
            NotFound: no such tenant, or no such file of heads.
        """
        names = self.tenants() if tenant is None else [check_segment(tenant, "tenant")]
        kept = list(checking.witnessed(None if witness is None else Path(witness), names))
        checked, findings = [], []
        for name in names:
            if not self.exists(name):
                raise NotFound(_NO_TENANT)
            folder = Path() if self.path is None else self._folder(name)
            public = None if self.path is None else checking.read_public(self.path)
            checker = checking.Checker(
                folder,
                name,
                engine=self._projections.engine,
                public=public,
                model=self._model,
                witness=[one for one in kept if one.tenant == name],
            )
            with self._guard:  # not while a tenant's lock is waited for: whoever has it may need the guard
                opened = self._open.get(name)
                if opened is None and self.path is None:
                    opened = self._tenant(name, create=False)
            if opened is None:
                checked.append(checking.check_folder(checker, folder / checking.LEDGER, name))
            else:
                with opened.lock:
                    files = folder if self.path is not None and not self.read_only else None
                    checked.append(checking.check_open(checker, opened.ledger, opened.graph, files))
            findings += checker.findings
        return checking.Report(tenants=tuple(checked), findings=tuple(findings))

    def _model(self) -> str | None:
        """Return the model that finds by meaning here, also where only reading is allowed; None for none to be had."""
        embedder = self._embedder or named_embedder(self._settings)[0]
        return None if embedder is None else embedder.model_id

    def reverify(
        self,
        tenant: str,
        *,
        roots: Sequence[str | os.PathLike[str]] = (),
        hosts: Sequence[str] = (),
        most: int | None = None,
        seconds: float | None = None,
    ) -> EvidenceReport:
        """Fetch the sources of evidence again and record fresh, moved, changed, gone or unreachable.

        What rests on changed or gone evidence alone is suspended, until the words are found again or a person releases the
        evidence. Fresh evidence starts the time to live of its claims anew. Each decision is an entry; a run that is
        stopped goes on with what was looked at longest ago.

        Args:
            tenant: whose evidence.
            roots: folders below which files and git repositories may be read.
            hosts: hosts that may be asked over HTTP; none by default, since a uri may come from anybody.
            most: documents at most.
            seconds: no document is begun after so long.
        """
        self._writable()
        limits = Limits(roots=tuple(Path(one) for one in roots), hosts=tuple(hosts))
        with self.using(check_segment(tenant, "tenant")) as found:
            return reverify(found, limits, most=most, seconds=seconds)

    def head(self, tenant: str) -> SignedHead:
        """Sign and return what the tenant's ledger holds now: size, Merkle root, newest hash. Keep it in another place.

        Raises:
            NotFound: no such tenant. Busy: another process owns it. NotPermitted: opened read-only, or kept in memory.
        """
        self._writable()
        if self.path is None:
            raise NotPermitted("a store in memory signs nothing; open one in a directory")
        with self._guard:
            ledger = self._tenant(check_segment(tenant, "tenant"), create=False).ledger
            return advance(
                self._folder(tenant) / checking.HEAD, ledger, load_signer(self.path / checking.KEY, self.ids)
            )

    def prove(self, tenant: str, seq: int, *, size: int | None = None, since: int | None = None) -> Proof:
        """Prove that entry `seq` is in the tree of the first `size` entries, and that this tree continues that of `since`.

        Args:
            tenant: whose ledger.
            seq: the entry, from 1.
            size: entries of the tree, as a signed head says (default: all).
            since: size of an earlier head (default: no consistency proof).

        Raises:
            RequestError: there are no such entries.
        """
        with self.beside(check_segment(tenant, "tenant")) as ledger:
            return prove(ledger, seq, size, since)

    def backup(self, target: str | os.PathLike[str]) -> copying.Backup:
        """Copy the store into a new folder, each ledger as of one commit, also while it is written; see `tkg restore`.

        Raises:
            RequestError: the target is not empty or lies inside the store. DiskFull: no space; nothing is left there.
            NotPermitted: the store is kept in memory.
        """
        if self.path is None:
            raise NotPermitted("a store in memory has no files to copy; export it")
        return copying.backup(self.path, Path(target), self.clock)

    def import_archive(self, lines: Iterable[str]) -> tuple[str, int]:
        """Make a tenant from a portable archive (`Handle.export(portable=True)`): whole, or not at all.

        Returns:
            The tenant and the number of its entries.

        Raises:
            RequestError: no archive, no key in it, a line that cannot be read, or the tenant exists already.
            NotPermitted: the store is kept in memory, or was opened read-only.
        """
        self._writable()
        if self.path is None:
            raise NotPermitted("a store in memory cannot take an archive in; open one in a directory")
        archive = importing.Archive(lines)
        with self._guard:
            if self.exists(archive.tenant):
                raise RequestError("the tenant of this archive exists already; import it into another store")
            return archive.tenant, importing.make(self._folder(archive.tenant), archive, self.clock)

    def doctor(self) -> list[doctor.Check]:
        """Look at versions, settings, locks, sizes, space, permissions and what is left to do; changes nothing."""
        if self.path is None:
            raise NotPermitted("a store in memory has no files to look at")
        return doctor.examine(self.path, FORMAT, [(one, self._folder(one)) for one in self.tenants()])

    def close(self) -> None:
        """Close every open tenant; the store can be opened again."""
        with self._guard:
            self._closed = True
            while self._open:
                self._let_go(*self._open.popitem())

    def is_open(self, tenant: str) -> bool:
        """Return whether this process owns the tenant now."""
        return tenant in self._open

    def let_go(self, tenant: str) -> None:
        """Close a tenant that no thread is using, so that another process can own it; the next use opens it anew."""
        found = self._open.get(tenant)
        if found is None or not found.lock.acquire(blocking=False):
            return
        try:
            with self._guard:
                if self._open.get(tenant) is found:
                    self._let_go(tenant, self._open.pop(tenant))
        finally:
            found.lock.release()

    def drop(self, tenant: str) -> None:
        """Close a tenant whose files may no longer agree with what is open; the next use opens it anew."""
        with self._guard:
            if (found := self._open.pop(tenant, None)) is not None:
                found.close()

    def _let_go(self, name: str, tenant: Tenant) -> None:
        """Close a tenant; its newest state is signed first. That this fails (no space) loses nothing."""
        if self.path is not None and not self.read_only:
            with suppress(TkgError):
                advance(
                    self._folder(name) / checking.HEAD, tenant.ledger, load_signer(self.path / checking.KEY, self.ids)
                )
        tenant.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _writable(self) -> None:
        if self.read_only:
            raise NotPermitted("the store was opened read-only; open it without read_only to write")

    def _folder(self, tenant: str) -> Path:
        assert self.path is not None
        return self.path / "tenants" / folder_name(tenant)

    def _tenant(self, tenant: str, *, create: bool) -> Tenant:
        if self._closed:
            raise RequestError("the store is closed; open it again")
        if (found := self._open.get(tenant)) is not None:
            self._open.move_to_end(tenant)
            return found
        if not create and not self.exists(tenant):
            raise NotFound(_NO_TENANT)
        ledger = self._ledger(tenant, create=create)
        folder = None if self.path is None else self._folder(tenant)
        opened: Tenant | None = None
        try:
            waiting = [] if folder is None or self.read_only else erasing.settle(ledger, folder)
            opened = Tenant(
                ledger,
                lambda ledger: self._projections.open(folder, ledger),
                clock=self.clock,
                ids=self.ids,
                policies=self.policies,
                folder=folder,
                count_tokens=self._count_tokens,
                verifiers=self._verifiers,
                extractor=self._extractor,
                skills=None if self.skills is None or self.read_only else SkillFolder(self.skills, tenant),
                embedder=self._embedder,
                read_only=self.read_only,
                outgrown=lambda: self._projections.outgrown(folder, ledger),
            )
            for one in waiting:
                with suppress(Busy, DiskFull):  # it is out of every read; the next opening goes on
                    erasing.complete(opened, one)
            if not self.read_only:
                declare(opened, tenant)
        except BaseException:
            (ledger if opened is None else opened).close()
            raise
        self._open[tenant] = opened
        while len(self._open) > OPEN_TENANTS:
            self._let_go(*self._open.popitem(last=False))
        return opened

    def _ledger(self, tenant: str, *, create: bool) -> Ledger:
        if self.path is None:
            return self._unfiled.setdefault(tenant, MemoryLedger(tenant, self.clock, self.ids))
        folder = self._folder(tenant)
        if create and not folder.exists():
            make_tenant(folder, tenant, self.clock, self.ids)
        return open_ledger(folder / "ledger.sqlite", tenant, self.clock, self.ids, read_only=self.read_only)
