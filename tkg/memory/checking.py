"""`tkg verify`: is the store what was written? Chain, tree, signed heads, content, and ledger against graph and index.

A finding has a stable code and says what to do. Nothing is changed, no content is repeated. What a running owner holds is
checked in the owner (`Memory.verify`); beside it, ledger and heads are checked and the projections are left to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

from tkg.clock import SystemClock
from tkg.errors import Busy, Damaged, NewerFormat, NotFound, TkgError
from tkg.files import seal_state
from tkg.graph.port import Graph
from tkg.ids import RandomIds
from tkg.index.check import compare_index
from tkg.index.vector_check import compare_vectors, model_of
from tkg.ledger import cold, heads
from tkg.ledger.file import companions
from tkg.ledger.lock import WriterLock
from tkg.ledger.merkle import Frontier
from tkg.ledger.port import Ledger
from tkg.ledger.sqlite import open_ledger, verify_ledger
from tkg.memory.names import Names
from tkg.memory.projections import GRAPH, INDEX, VECTORS
from tkg.model.base import Value
from tkg.model.evidence import StoredEvidence

LEDGER: Final = "ledger.sqlite"
HEAD: Final = "head.json"
KEY: Final = "head.key"

_RESTORE: Final = "restore the tenant's ledger from a backup: `tkg restore BACKUP --store DIR`"
_REBUILD: Final = "run `tkg rebuild --store DIR --tenant ID`; nothing is lost"

#: code -> what to do about it. "note" codes are no damage.
REMEDIES: Final[dict[str, str]] = {
    "ledger_missing": _RESTORE,
    "ledger_file": _RESTORE,
    "ledger_structure": _RESTORE,
    "ledger_meta": _RESTORE,
    "ledger_gap": _RESTORE,
    "ledger_entry": _RESTORE,
    "ledger_content": _RESTORE,
    "ledger_bytes": "the file was changed outside tkg in bytes that hold no entry; `tkg backup` it, compare with an older backup",
    "ledger_cut": _RESTORE,
    "newer_format": "run `pip install --upgrade tkg`",
    "head_file": "remove head.json; the next head is signed from the ledger",
    "head_signature": "the head was not signed with this store's key; compare with a head kept elsewhere (--witness)",
    "head_root": "history before this head was rewritten; " + _RESTORE,
    "witness_signature": "the witnessed head is forged or cut; take another copy of it",
    "witness_key": "the witnessed head was signed with another key; make sure which store it is of",
    "witness_root": "history before the witnessed head was rewritten; " + _RESTORE,
    "witness_cut": "the ledger ends before the witnessed head; " + _RESTORE,
    "graph_bytes": _REBUILD,
    "graph_unreadable": _REBUILD,
    "graph_differs": _REBUILD,
    "index_unreadable": _REBUILD,
    "index_differs": _REBUILD,
    "vectors_unreadable": _REBUILD,
    "vectors_differ": _REBUILD,
    "vectors_model": "open the store with the model that made them, or make them anew with this one: `tkg rebuild --store DIR --tenant ID`",
    "unwitnessed_tail": "write a new head to the second place: `tkg head --output FILE`",
    "in_use": "run it again when the owner has closed the store, or call memory.verify() in the owner",
    "not_compared": "repair the ledger first",
}
#: projection in a file -> how it is compared, and the code where it differs
_COMPARED: Final = {"index": (compare_index, "index_differs"), "vectors": (compare_vectors, "vectors_differ")}
_LEFT_OUT: Final = {"graph": "skipped", "index": "skipped", "vectors": "skipped"}
_NOTES: Final = frozenset({"unwitnessed_tail", "in_use", "not_compared"})


class Finding(Value):
    """One thing that is wrong (severity "error"), or that a person should know ("note")."""

    code: str
    severity: Literal["error", "note"]
    tenant: str
    #: ledger entry, where one can be named
    seq: int | None = None
    detail: str
    remedy: str


class Checked(Value):
    """What was looked at in one tenant."""

    tenant: str
    entries: int = 0
    root: str = ""
    heads: int = 0
    graph: Literal["file", "memory", "none", "skipped"] = "none"
    index: Literal["file", "memory", "none", "skipped"] = "none"
    vectors: Literal["file", "memory", "none", "skipped"] = "none"


class Report(Value):
    """The answer of `verify`."""

    tenants: tuple[Checked, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; notes do not count."""
        return all(one.severity == "note" for one in self.findings)


def finding(code: str, tenant: str, detail: str, seq: int | None = None) -> Finding:
    """Return a finding of a known code."""
    severity: Literal["error", "note"] = "note" if code in _NOTES else "error"
    return Finding(code=code, severity=severity, tenant=tenant, seq=seq, detail=detail, remedy=REMEDIES[code])


class Checker:
    """Checks one tenant's folder.

    Args:
        folder: of the tenant.
        tenant: its id.
        engine: graph engine for the comparison.
        public: the store's public key, or None where it has none yet.
        model: returns the model the store is used with, or None; asked only where there are vectors.
        witness: heads of this tenant that were kept elsewhere.
    """

    def __init__(
        self,
        folder: Path,
        tenant: str,
        *,
        engine: str,
        public: str | None,
        model: Callable[[], str | None] = lambda: None,
        witness: Sequence[heads.SignedHead] = (),
    ) -> None:
        self._folder = folder
        self._tenant = tenant
        self._engine = engine
        self._public = public
        self._model = model
        self._witness = witness
        self.findings: list[Finding] = []

    def _tell(self, code: str, detail: str, seq: int | None = None) -> None:
        self.findings.append(finding(code, self._tenant, detail, seq))

    def ledger(self, *, at_rest: bool) -> Checked:
        """Check the ledger's file, chain, content, tree and heads; `at_rest` also its seal (nobody has it open)."""
        path = self._folder / LEDGER
        try:
            for one in verify_ledger(path, self._tenant):
                self._tell(f"ledger_{one.kind}", one.detail, one.seq)
        except NotFound:
            self._tell("ledger_missing", f"{path} is not there")
            return Checked(tenant=self._tenant)
        except NewerFormat as error:
            self._tell("newer_format", str(error))
            return Checked(tenant=self._tenant)
        except Damaged as error:
            self._tell("ledger_file", str(error))
            return Checked(tenant=self._tenant)
        if at_rest and not self.findings and not _filled(companions(path)[0]):
            for file in (path, cold.place_of(path)):
                if seal_state(file) == "changed":
                    self._tell("ledger_bytes", f"{file} is not byte for byte the file that was closed")
        if any(one.code in ("ledger_file", "ledger_meta") for one in self.findings):
            return Checked(tenant=self._tenant)
        clock = SystemClock()
        try:
            with closing(open_ledger(path, self._tenant, clock, RandomIds(clock), read_only=True)) as ledger:
                if not self.findings:
                    self.key(ledger)
                return self.tree(ledger)
        except TkgError as error:
            if not self.findings:
                self._tell("ledger_file", str(error))
            return Checked(tenant=self._tenant)

    def key(self, ledger: Ledger) -> None:
        """Check that ids were made with the ledger's key, which is in no entry; the first id whose name is still there tells.

        With another key every name leads nowhere, and the store would answer that it knows nothing.
        """
        names, seen = Names(ledger.key), False
        for entry in ledger.read_since(0):
            for one in entry.records:
                if isinstance(one, StoredEvidence) and one.principal is not None:
                    if one.principal_id == names.principal(one.principal):
                        return
                    seen = True
        if seen:
            self._tell("ledger_meta", "the ledger's key is not the one with which the ids in it were made")

    def tree(self, ledger: Ledger) -> Checked:
        """Check every head against the tree over the entries."""
        kept = self._kept()
        every = [*([] if kept is None else [("head", kept)]), *(("witness", one) for one in self._witness)]
        due = {one.size for _, one in every}
        roots: dict[int, tuple[str, str]] = {0: (Frontier().root.hex(), "")} if 0 in due else {}
        tree = Frontier()
        for row in ledger.rows():
            tree.add(row.leaf)
            if tree.size in due:
                roots[tree.size] = (tree.root.hex(), row.hash)
        for kind, one in every:
            self._compare(kind, one, roots.get(one.size), tree.size)
        newest = max((one.size for _, one in every), default=None)
        if newest is not None and newest < tree.size and self._witness:
            self._tell("unwitnessed_tail", f"entries {newest + 1} to {tree.size} are behind no head kept elsewhere")
        return Checked(tenant=self._tenant, entries=tree.size, root=tree.root.hex(), heads=len(every))

    def _kept(self) -> heads.SignedHead | None:
        try:
            kept = heads.read_kept(self._folder / HEAD)
        except Damaged as error:
            self._tell("head_file", str(error))
            return None
        return None if kept is None else kept.head

    def _compare(self, kind: str, head: heads.SignedHead, found: tuple[str, str] | None, size: int) -> None:
        signed = head.signed_by()
        if signed is None or head.tenant != self._tenant:
            self._tell(
                f"{kind}_signature", f"the signature of the head at entry {head.size} does not match it", head.size
            )
        elif signed != self._public:
            code = "head_signature" if kind == "head" else "witness_key"
            self._tell(code, f"the head at entry {head.size} was signed with another key", head.size)
        elif found is None:
            code = "ledger_cut" if kind == "head" else "witness_cut"
            self._tell(code, f"the ledger ends at entry {size}, a head was signed at entry {head.size}", size)
        elif found != (head.root, head.hash):
            self._tell(
                f"{kind}_root", f"the entries up to {head.size} are not those the head was signed over", head.size
            )

    def projections(self, checked: Checked) -> Checked:
        """Compare graph and index files with the ledger; the ledger must be whole and nobody may write."""
        if any(one.severity == "error" and one.code != "ledger_bytes" for one in self.findings):
            self._tell("not_compared", "graph, index and vectors were not compared with a damaged ledger")
            return checked.model_copy(update=_LEFT_OUT)
        graph: Literal["file", "none"] = "file" if self._graph_file() else "none"
        places = {"index": self._folder / INDEX, "vectors": self._folder / VECTORS}
        there = {name: path for name, path in places.items() if path.exists()}
        if there:
            clock = SystemClock()
            with closing(
                open_ledger(self._folder / LEDGER, self._tenant, clock, RandomIds(clock), read_only=True)
            ) as ledger:
                for name, path in there.items():
                    self.compare(name, path, ledger)
        found = {name: "file" if name in there else "none" for name in places}
        return checked.model_copy(update={"graph": graph, **found})

    def compare(self, name: str, path: Path, ledger: Ledger) -> None:
        """Compare the text index or the vectors, in a file, with the ledger."""
        compare, differs = _COMPARED[name]
        applied, wrong = compare(path, ledger.read_since)
        for one in wrong:
            self._tell(differs if applied else f"{name}_unreadable", f"{path}: {one}")
        if name == "vectors" and not wrong and (model := self._model()) not in (None, made := model_of(path)):
            self._tell("vectors_model", f"{path}: made by {made}, and the store is used with {model}")

    def _graph_file(self) -> bool:
        path = self._folder / GRAPH
        if not path.exists():
            return False
        from tkg.graph.guard import ask, seconds_for  # the graph's modules are loaded only where there is a file

        if seal_state(path) == "changed":
            self._tell("graph_bytes", f"{path} is not byte for byte the file that was closed")
            return True
        request = {
            "graph": str(path),
            "engine": self._engine,
            "ledger": str(self._folder / LEDGER),
            "tenant": self._tenant,
        }
        try:
            for one in ask("tkg.memory.checking", request, 2 * seconds_for(path)):
                self._tell("graph_differs", f"{path}: {one}")
        except Damaged as error:
            self._tell("graph_unreadable", f"{path}: {error}")
        return True


def _filled(log: Path) -> bool:
    return log.exists() and log.stat().st_size > 0


def check_folder(checker: Checker, path: Path, tenant: str) -> Checked:
    """Check a tenant that is not open in this process, whoever else has it open."""
    try:
        lock = WriterLock(path.with_name(path.name + ".lock"), tenant)
    except (Busy, Damaged, OSError) as error:
        checked = checker.ledger(at_rest=False)
        said = str(error) if isinstance(error, TkgError) else "the lock file cannot be made here"
        checker._tell("in_use", f"graph, index and vectors were not looked at: {said}")
        return checked.model_copy(update=_LEFT_OUT)
    try:
        return checker.projections(checker.ledger(at_rest=True))
    finally:
        lock.release()


def check_open(checker: Checker, ledger: Ledger, graph: Graph, folder: Path | None) -> Checked:
    """Check a tenant that this process has open: the graph as it is in memory, too.

    Args:
        checker: takes the findings.
        ledger, graph: as they are open.
        folder: where text index and vectors lie; None where they are in memory.
    """
    for one in ledger.verify():
        checker._tell(f"ledger_{one.kind}", one.detail, one.seq)
    if checker.findings:
        return Checked(tenant=ledger.tenant)
    checker.key(ledger)
    checked = checker.tree(ledger)
    for said in compare_open(graph, ledger):
        checker._tell("graph_differs", said)
    found = {"graph": "memory", "index": "none", "vectors": "none"}
    places = {} if folder is None else {"index": folder / INDEX, "vectors": folder / VECTORS}
    for name, path in places.items():
        if name == "index" or path.exists():
            checker.compare(name, path, ledger)
            found[name] = "file"
    return checked.model_copy(update=found)


def compare_open(graph: Graph, ledger: Ledger) -> list[str]:
    """Return how an open graph differs from its ledger."""
    compare = getattr(graph, "compare", None)
    return [] if compare is None else list(compare(ledger.read_since))


def read_public(store: Path) -> str | None:
    """Return the store's public key, or None where it has none or it cannot be read."""
    try:
        return None if not (store / KEY).exists() else heads.load_signer(store / KEY, RandomIds(SystemClock())).public
    except Damaged:
        return None


def witnessed(path: Path | None, tenants: Iterable[str]) -> Iterator[heads.SignedHead]:
    """Yield the heads in a file of heads, none without one."""
    if path is not None:
        yield from heads.read_witness(path, tenants)


def child() -> None:
    """In a process of its own: compare a graph file with the ledger (asked by `Checker`)."""
    from tkg.graph.check import compare_graph
    from tkg.graph.kuzu import Engine
    from tkg.graph.schema import last

    asked, clock = json.loads(sys.stdin.read()), SystemClock()
    try:
        with closing(
            open_ledger(Path(asked["ledger"]), asked["tenant"], clock, RandomIds(clock), read_only=True)
        ) as ledger:
            engine = Engine(Path(asked["graph"]), asked["engine"])
            try:
                applied = last(engine, "applied")[0]
                if applied > ledger.head.seq:
                    wrong = ["it is ahead of the ledger"]
                else:
                    wrong = compare_graph(engine, (entry for entry in ledger.read_since(0) if entry.seq <= applied))
            finally:
                engine.abandon()
    except Exception as error:  # noqa: BLE001 - told, not raised: the caller is another process
        wrong = [str(error)[:300] if isinstance(error, TkgError) else type(error).__name__]
    sys.stdout.write(json.dumps(wrong))
    sys.stdout.flush()
