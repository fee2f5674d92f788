"""Bank, register, append and cascade on both axes of time, with a writer, concurrent readers, another process, and restarts.

* bank: a fixed sum over some accounts; a transfer supersedes two claims in one transaction. For every valid time v and every
  transaction s the sum is the same: one torn supersession would show on one of the axes.
* register: one origin writes a slot at random valid times; at (v, s) stands the last write up to s that holds at v.
* append: a predicate with many values is only added to; at s stands exactly what was written up to s, and nothing is lost.
* cascade: whoever sees a root revoked sees nothing live that was made from it.

Answers at a past (v, s) are asked again later and must be the same. What was written is kept beside the store in plain lists.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tkg
from tests.house.sources import ROOT
from tkg.memory import writing
from tkg.memory.handle import Handle
from tkg.memory.proposal import Proposal
from tkg.memory.store import Memory
from tkg.model.artefact import Artefact
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.verdict import Verdict

EACH, ACCOUNTS = 100, 6
TOTAL = EACH * ACCOUNTS
#: transfers of one bank, writes of one register, elements of one list: then the next begins, so that reads stay quick
TRANSFERS, WRITES, ELEMENTS = 24, 16, 20
POLICIES = Policies(
    write=WritePolicy(registry=Registry.of({"balance": {"cardinality": "one"}, "level": {"cardinality": "one"}}))
)
_START = datetime(2020, 1, 1, tzinfo=UTC)


def day(number: int) -> str:
    """Return a day as the store reads it."""
    return (_START + timedelta(days=number)).date().isoformat()


@dataclass
class Written:
    """What was acknowledged: the truth that readers compare with."""

    #: newest transaction that is in these lists
    seq: int = 0
    #: of each bank the transaction of its first balances
    banks: list[int] = field(default_factory=list)
    transfers: int = 0
    day: int = 1
    balances: dict[str, int] = field(default_factory=dict)
    #: (transaction, valid from, value)
    register: list[tuple[int, int, str]] = field(default_factory=list)
    #: subject -> (transaction, element)
    lists: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    #: root -> what was made from it
    roots: dict[str, list[str]] = field(default_factory=dict)


class Gate:
    """Readers go in together; a restart waits until all are out."""

    def __init__(self) -> None:
        self._state, self._inside, self._closed = threading.Condition(), 0, False

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._state:
            self._state.wait_for(lambda: not self._closed)
            self._inside += 1
        try:
            yield
        finally:
            with self._state:
                self._inside -= 1
                self._state.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._state:
            self._closed = True
            self._state.wait_for(lambda: self._inside == 0)
        try:
            yield
        finally:
            with self._state:
                self._closed = False
                self._state.notify_all()


def accounts(bank: int) -> list[str]:
    """Return the accounts of a bank."""
    return [f"bank {bank} account {number}" for number in range(ACCOUNTS)]


def opened(path: Path, engine: str, *, read_only: bool = False) -> Memory:
    """Open the store of a run."""
    return tkg.open(path, engine=engine, policies=POLICIES, read_only=read_only)


class Run:
    """One run: its store, what was written, and what was counted."""

    def __init__(self, path: Path, engine: str, seed: int, *, torn: bool = False) -> None:
        self.torn = torn
        self.path, self.engine, self.seed = path, engine, seed
        self.memory = opened(path, engine)
        self.written, self.gate = Written(), Gate()
        self.stop = threading.Event()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._told = threading.Lock()
        self.asked: list[tuple[str, int, str, Any]] = []

    def handle(self, channel: str = "human_stated", principal: str = "ana", session: str | None = None) -> Handle:
        return self.memory.scope("acme", channel=channel, principal=principal, session=session)

    def tell(self, what: str) -> None:
        with self._told:
            self.wrong.append(f"seed {self.seed}: {what}")
            self.stop.set()

    # -- writing
    def begin(self) -> None:
        self.memory.create_tenant("acme")
        self._bank()

    def _bank(self) -> None:
        names = accounts(len(self.written.banks))
        self._commit([(name, EACH, 0) for name in names])
        self.written.balances = dict.fromkeys(names, EACH)
        self.written.day = 1
        self.written.banks.append(self.written.seq)

    def _commit(self, moves: list[tuple[str, int, int]]) -> None:
        """Write several balances in one transaction, each as `propose` would write it."""
        if self.torn and len(moves) == 2:  # the control: the same moves in two transactions
            self._commit(moves[:1])
            self._commit(moves[1:])
            return
        handle = self.handle()
        tenant, caller = self.memory.tenant("acme"), handle._caller
        with tenant.lock:
            records: list[Any] = []
            known: set[str] = set()
            for name, amount, since in moves:
                proposal = Proposal.read(
                    subject=name,
                    predicate="balance",
                    object=str(amount),
                    valid_from=day(since),
                    evidence=tkg.Evidence(uri="bank"),
                )
                prepared = writing.prepare(tenant, caller, proposal)
                found = writing._assess(tenant, prepared)
                one = [*prepared.support, prepared.claim, *prepared.justifications, *found.records(tenant.ids)]
                records += [each for each in one if each.id not in known]
                known |= {each.id for each in one}
            self.written.seq = tenant.commit("transfer", "acme", records).seq

    def write(self, chance: random.Random, ops: int) -> None:
        """Write until so many operations were counted."""
        kinds = [self._transfer, self._register, self._append, self._cascade]
        number = 0
        try:
            while not self.stop.is_set() and self.counts["reads"] + self.counts["writes"] < ops:
                number += 1
                with self.gate.reading():
                    chance.choices(kinds, weights=[5, 5, 5, 1])[0](chance, number)
                self.counts["writes"] += 1
                if number % 100 == 0:
                    self._restart()
                time.sleep(0.001)  # readers take turns
        except Exception as error:  # noqa: BLE001 - a writer that stops is a finding
            self.tell(f"the writer stopped: {type(error).__name__}: {error}")
        self.stop.set()

    def _transfer(self, chance: random.Random, _: int) -> None:
        self.written.transfers += 1
        if self.written.transfers % TRANSFERS == 0:
            self._bank()
            return
        one, two = chance.sample(accounts(len(self.written.banks) - 1), 2)
        amount = chance.randrange(1, 20)
        self.written.day += chance.randrange(2)
        balances = self.written.balances
        self._commit([(one, balances[one] - amount, self.written.day), (two, balances[two] + amount, self.written.day)])
        balances[one] -= amount
        balances[two] += amount

    def _register(self, chance: random.Random, number: int) -> None:
        since, text = chance.randrange(1000), f"level {number}"
        told = self.handle().propose(
            subject=f"tank {len(self.written.register) // WRITES}", predicate="level", object=text, valid_from=day(since),
            evidence=tkg.Evidence(uri="gauge"),
        )  # fmt: skip
        assert told.outcome == "accepted", told.outcome
        self._acknowledged(lambda seq: self.written.register.append((seq, since, text)))

    def _append(self, chance: random.Random, number: int) -> None:
        subject = f"list {sum(len(one) for one in self.written.lists.values()) // ELEMENTS}"
        told = self.handle().propose(
            subject=subject,
            predicate="holds",
            object=f"item {number}",
            valid_from=day(0),
            evidence=tkg.Evidence(uri="list"),
        )
        assert told.outcome == "accepted", told.outcome
        self._acknowledged(lambda seq: self.written.lists.setdefault(subject, []).append((seq, f"item {number}")))

    def _cascade(self, chance: random.Random, number: int) -> None:
        roots = list(self.written.roots)
        if roots and chance.random() < 0.5:
            root = chance.choice(roots)
            if self.handle().explain(root).state == "active":
                plan = self.handle("human_verified", "olga").plan_revoke(claim=root)
                self.handle("human_verified", "olga").revoke(plan, reason="wrong")
                self._acknowledged(lambda seq: None)
            return
        told = self.handle().propose(
            subject=f"root {number}", predicate="says", object=f"thing {number}", evidence=tkg.Evidence(uri="r")
        )
        assert told.claim_id is not None
        made, last = [], told.claim_id
        for step in range(3):
            child = self.handle("agent_inferred", "agent", f"w{number}").derive("summary", f"step {step}", from_=[last])
            assert isinstance(child, Artefact | Verdict)
            last = child.id
            made.append(last)
        self._acknowledged(lambda seq: self.written.roots.__setitem__(told.claim_id or "", made))

    def _acknowledged(self, note: Any) -> None:
        seq = self.memory.tenant("acme").ledger.head.seq
        note(seq)
        self.written.seq = seq

    def _restart(self) -> None:
        with self.gate.alone():
            self.memory.close()
            found = subprocess.run(
                [sys.executable, "-m", "tests.soak", "--look", str(self.path), "--engine", self.engine],
                cwd=ROOT, capture_output=True, text=True, check=False,
            ) if self.counts["restarts"] % 8 == 0 else None  # fmt: skip
            if found is not None:
                self.counts["looks of another process"] += 1
                if found.returncode or found.stdout.strip() != "well":
                    self.tell(f"another process found: {found.stdout[-500:]}{found.stderr[-500:]}")
            self.memory = opened(self.path, self.engine)
            self.counts["restarts"] += 1

    # -- reading
    def read(self, chance: random.Random) -> None:
        kinds = [self._bank_read, self._register_read, self._list_read, self._root_read, self._again]
        try:
            while not self.stop.is_set():
                with self.gate.reading():
                    chance.choice(kinds)(chance)
        except Exception as error:  # noqa: BLE001 - a read that fails is a finding
            self.tell(f"a reader stopped: {type(error).__name__}: {error}")

    def _value(self, subject: str, predicate: str, v: int, s: int) -> Any:
        self.counts["reads"] += 1
        return self.memory.scope("acme").value(subject, predicate, valid_at=day(v), as_of=s)

    def _bank_read(self, chance: random.Random) -> None:
        bank = chance.randrange(len(self.written.banks))
        s = chance.randint(self.written.banks[bank], self.written.seq)
        v = chance.randint(0, TRANSFERS)
        found = [self._value(name, "balance", v, s) for name in accounts(bank)]
        if any(one.kind != "value" for one in found):
            self.tell(f"bank at ({v}, {s}): {[one.kind for one in found]}")
        elif (total := sum(int(one.value) for one in found)) != TOTAL:
            self.tell(f"bank at ({v}, {s}): {total} instead of {TOTAL}")
        self._remember(chance, accounts(bank)[0], v, "balance", s, found[0])

    def _remember(self, chance: random.Random, subject: str, v: int, predicate: str, s: int, found: Any) -> None:
        if chance.random() < 0.1 and len(self.asked) < 2000:
            self.asked.append((subject, v, f"{predicate} {s}", found))

    def _register_read(self, chance: random.Random) -> None:
        known = list(self.written.register)
        if not known:
            return
        place = chance.randrange(len(known))
        subject, start = f"tank {place // WRITES}", place // WRITES * WRITES
        s, v = chance.randint(known[place][0], self.written.seq), chance.randrange(1100)
        wanted = None
        for seq, since, text in known[start : start + WRITES]:
            if seq <= s and since <= v:
                wanted = text
        # what was written after `known` was copied has a later transaction than its last, unless s is beyond it
        if s > known[-1][0]:
            s = known[-1][0]
            wanted = next((t for q, f, t in reversed(known[start : start + WRITES]) if q <= s and f <= v), None)
        found = self._value(subject, "level", v, s)
        if found.value != wanted or found.kind not in ("value", "none"):
            self.tell(f"register {subject} at ({v}, {s}): {found.kind} {found.value} instead of {wanted}")
        self._remember(chance, subject, v, "level", s, found)

    def _list_read(self, chance: random.Random) -> None:
        subjects = list(self.written.lists)
        if not subjects:
            return
        subject = chance.choice(subjects)
        known = list(self.written.lists[subject])
        s = chance.randint(known[0][0], known[-1][0])
        found = self._value(subject, "holds", 5, s)
        wanted = sorted(text for seq, text in known if seq <= s)
        if sorted(found.values or (() if found.value is None else (found.value,))) != wanted:
            self.tell(f"{subject} at {s}: {len(found.values)} elements instead of {len(wanted)}")

    def _root_read(self, chance: random.Random) -> None:
        roots = list(self.written.roots)
        if not roots:
            return
        root = chance.choice(roots)
        reader = self.memory.scope("acme")
        self.counts["reads"] += 1
        if reader.explain(root).state == "revoked":
            for one in self.written.roots[root]:
                self.counts["reads"] += 1
                if (state := reader.explain(one).state) not in ("revoked",):
                    self.tell(f"root {root} is revoked and {one}, made from it, is {state}")

    def _again(self, chance: random.Random) -> None:
        if not self.asked:
            return
        subject, v, asked, before = chance.choice(self.asked)
        predicate, s = asked.split()
        now = self._value(subject, predicate, v, int(s))
        if now != before:
            self.tell(f"{subject} {predicate} at ({v}, {s}) was {before} and is {now}")


def look(path: Path, engine: str) -> list[str]:
    """In another process: read beside nobody, sum the bank over both axes, verify the store."""
    wrong = []
    with opened(path, engine, read_only=True) as memory:
        report = memory.verify("acme")
        wrong += [one.code for one in report.findings if one.severity == "error"]
        reader, chance = memory.scope("acme"), random.Random(7)
        head = memory.tenant("acme").ledger.head.seq
        start = next(entry.seq for entry in memory.tenant("acme").ledger.read_since(0) if entry.op == "transfer")
        for _ in range(20):
            v, s = chance.randrange(TRANSFERS), chance.randint(start, head)
            found = [reader.value(name, "balance", valid_at=day(v), as_of=s) for name in accounts(0)]
            if sum(int(one.value or 0) for one in found) != TOTAL:
                wrong.append(f"bank at ({v}, {s})")
    return wrong


def soak(
    path: Path, *, engine: str, ops: int, seed: int, readers: int = 3, seconds: float = 1e9, torn: bool = False
) -> dict[str, Any]:
    """Run until so many operations were done, or so long, and return what was seen; `torn` breaks the bank on purpose."""
    began, run = time.monotonic(), Run(path, engine, seed, torn=torn)
    run.begin()
    threads = [threading.Thread(target=run.write, args=(random.Random(seed), ops))]
    threads += [
        threading.Thread(target=run.read, args=(random.Random(seed * 100 + number),)) for number in range(readers)
    ]
    for one in threads:
        one.start()
    while threads[0].is_alive():
        threads[0].join(1.0)
        if time.monotonic() - began > seconds:
            run.stop.set()
    for one in threads:
        one.join()
    report = run.memory.verify("acme")
    run.memory.close()
    run.wrong += [f"{one.code}: {one.detail}" for one in report.findings if one.severity == "error"]
    total = run.counts["reads"] + run.counts["writes"]
    return {
        "engine": engine,
        "operations": total,
        **{name.replace(" ", "_"): count for name, count in sorted(run.counts.items())},
        "asked_again": len(run.asked),
        "entries": report.tenants[0].entries,
        "wrong": run.wrong,
        "bound_95": 3 / max(total, 1),
        "seconds": round(time.monotonic() - began, 1),
    }
