"""The operations that are interrupted, and the checks of what is left."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import tkg
from tkg.errors import Conflict
from tkg.memory.directory import folder_name
from tkg.memory.handle import Handle
from tkg.memory.store import Memory
from tkg.model.claim import Claim
from tkg.model.policy import ForgetPolicy, Policies, WritePolicy
from tkg.model.predicate import Registry

TENANT = "acme"
POLICIES = Policies(
    write=WritePolicy(registry=Registry.of({"state": {"cardinality": "one"}})),
    forget=ForgetPolicy(most_in_use=5, summarise_from=2),  # only `maintain` asks it
)
Acked = tuple[int, str]
NAMES = (
    "propose",
    "batch",
    "supersede",
    "revoke",
    "quarantine",
    "recall",
    "rebuild",
    "migrate",
    "head",
    "reopen",
    "backup",
    "erase",
    "maintain",
)


def opened(path: Path, engine: str, *, file: bool = False, embedder: Any = None) -> Memory:
    """Open the store; `file` keeps the graph in a file however small it is."""
    return tkg.open(path, engine=engine, policies=POLICIES, graph_file_above=-1 if file else 50_000, embedder=embedder)


def folder(path: Path) -> Path:
    return path / "tenants" / folder_name(TENANT)


class Worker:
    """One process's work on an open store."""

    def __init__(self, memory: Memory, chance: random.Random) -> None:
        self.memory, self.chance = memory, chance
        self.receipts: list[str] = []
        self.ana = self._handle("human_stated", "ana")
        self.olga = self._handle("human_verified", "olga")

    def _handle(self, channel: str, principal: str) -> Handle:
        return self.memory.scope(TENANT, channel=channel, principal=principal, session=f"{principal}-1")

    @property
    def ledger(self) -> Any:
        return self.memory.tenant(TENANT).ledger

    def acked(self) -> Acked:
        """Return the newest entry: everything up to it has been acknowledged."""
        return self.ledger.head[:2]  # type: ignore[no-any-return]

    def _claims(self) -> list[str]:
        found = [one.id for entry in self.ledger.read_since(0) for one in entry.records if isinstance(one, Claim)]
        book = self.memory.tenant(TENANT).book
        return [one for one in found if book.status(one) == "active"]

    def _claim(self) -> str:
        """Return a claim that stands; a long run may have taken back all of them."""
        found = self._claims()
        if not found:
            found = [one.claim_id for one in self.ana.propose_many([self._fields()]) if one.claim_id is not None]
        return self.chance.choice(found)

    def _fields(self) -> dict[str, Any]:
        number = self.chance.randrange(1 << 30)
        return {
            "subject": f"pump {self.chance.randrange(8)}",
            "predicate": self.chance.choice(["state", "note"]),
            "object": f"value {number}",
            "valid_from": f"20{self.chance.randrange(10, 26)}-01-01",
            "evidence": tkg.Evidence(uri=f"log-{number % 5}", quote=f"value {number}, said the log"),
        }

    # -- operations
    def propose(self) -> None:
        self.ana.propose(**self._fields())

    def batch(self) -> None:
        self.ana.propose_many([self._fields() for _ in range(4)])

    def supersede(self) -> None:
        number = self.chance.randrange(1 << 30)
        one, two = (
            self.ana.propose(subject=f"tank {number}", predicate="note", object=text, valid_from="2024", evidence=tkg.Evidence(uri=text))
            for text in ("old", "new")
        )  # fmt: skip
        assert one.claim_id is not None and two.claim_id is not None
        self.olga.supersede(one.claim_id, two.claim_id, reason="corrected")

    def revoke(self) -> None:
        claim = self._claim()
        with suppress(Conflict):  # it does not stand any more
            self.ana.derive("summary", f"summary {self.chance.randrange(1 << 30)}", from_=[claim])
            self.ana.derive("action", f"action {self.chance.randrange(1 << 30)}", from_=[claim])
        self.olga.revoke(self.olga.plan_revoke(claim=claim), reason="wrong")

    def quarantine(self) -> None:
        claim = self._claim()
        self.olga.quarantine(claim=claim, reason="doubt")
        self.olga.release(claim=claim, reason="checked")

    def recall(self) -> None:
        self.ana.recall(f"pump {self.chance.randrange(8)}")

    def rebuild(self) -> None:
        self.memory.rebuild(TENANT)

    def migrate(self) -> None:
        """Meet projections of an older format: they are made anew while the tenant is opened."""
        self.memory.close()
        place = folder(self.memory.path or Path()) / "index.sqlite"
        with suppress(sqlite3.Error), closing(sqlite3.connect(place)) as connection:
            connection.execute("PRAGMA user_version = 1")
        self.memory._closed = False
        self.memory.tenant(TENANT)

    def head(self) -> None:
        """Sign what was just written."""
        self.propose()
        self.memory.head(TENANT)

    def reopen(self) -> None:
        self.memory.close()
        self.memory._closed = False
        self.memory.tenant(TENANT)

    def backup(self) -> None:
        assert self.memory.path is not None
        target = self.memory.path.with_name(f"{self.memory.path.name}-copy")
        shutil.rmtree(target, ignore_errors=True)
        self.memory.backup(target)

    def erase(self) -> None:
        """Forget a source that was written for this."""
        number = self.chance.randrange(1 << 30)
        fields = {**self._fields(), "evidence": tkg.Evidence(uri=f"gone-{number}", quote=f"violet {number}")}
        self.ana.propose(**fields)
        done = self.olga.forget(source=f"gone-{number}", reason="asked to")
        self.receipts.append(str(done.receipt["receipt_id"]))

    def maintain(self) -> None:
        """Let something leave recall, into the cold file."""
        self.propose()
        self.olga.maintain(dry_run=False, limit=2)

    def operations(self) -> dict[str, Callable[[], None]]:
        """Return all operations by name."""
        return {name: getattr(self, name) for name in NAMES}


def prepare(path: Path, engine: str, *, file: bool = False) -> None:
    """Make a small store in which there is something to do everything to."""
    with opened(path, engine, file=file) as memory:
        worker = Worker(memory, random.Random(1))
        for _ in range(6):
            worker.propose()
        worker.revoke()
        worker.recall()
        worker.maintain()


def warm(path: Path) -> None:
    """Do everything once in this process, so that what is loaded and compiled at first use is there in every fork.

    It touches no graph engine: those must not be forked.
    """
    with opened(path, "memory") as memory:
        worker = Worker(memory, random.Random(1))
        worker.propose()
        for operation in worker.operations().values():
            operation()
    check(path, "memory", [])


def check(path: Path, engine: str, acked: list[Acked], *, file: bool = False, before: int = 0) -> list[str]:
    """Open what is left and return what is wrong with it: lost, torn, not agreeing, or not going on.

    Args:
        path: the store.
        engine: graph engine.
        acked: entries that were acknowledged, by number and hash.
        file: whether the graph lies in a file.
        before: least number of entries.
    """
    wrong: list[str] = []
    with opened(path, engine, file=file) as memory:
        tenant = memory.tenant(TENANT)
        rows = {row.seq: row.hash for row in tenant.ledger.rows()}
        wrong += [f"acknowledged entry {seq} is lost" for seq, digest in acked if seq and rows.get(seq) != digest]
        if len(rows) < before:
            wrong.append(f"{before} entries were there, {len(rows)} are left")
        report = memory.verify(TENANT)
        wrong += [f"{one.code}: {one.detail}" for one in report.findings if one.severity == "error"]
        Worker(memory, random.Random(len(rows))).propose()
        wrong += [] if tenant.ledger.head.seq > len(rows) else ["it does not go on"]
    return wrong
