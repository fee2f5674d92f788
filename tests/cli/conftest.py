"""Running commands as a shell would, without the shell; and a store with something in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tkg.cli.main import main

WHO = ("--channel", "human_stated", "--principal", "ana")
PERSON = ("--channel", "human_verified", "--principal", "olga")
SYSTEM = ("--channel", "system_of_record", "--principal", "sync")
AGENT = ("--channel", "agent_inferred", "--principal", "agent")
POLICY = '[predicates.destination]\ncardinality = "one"\nsystem_of_record = "billing.yaml"\n'


@dataclass(frozen=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("TKG_STORE", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: object) -> Result:
        capsys.readouterr()
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return call


@dataclass(frozen=True)
class Acme:
    """A store with one tenant, driven by commands."""

    run: Run
    store: Path
    engine: str = "memory"

    def __call__(self, command: str, *words: object) -> Result:
        return self.run(command, "--store", self.store, "--tenant", "acme", "--engine", self.engine, *words)

    def claim(self, subject: str, predicate: str, value: str, *words: object, who: tuple[str, ...] = WHO) -> Result:
        return self(
            "propose", *who, "--subject", subject, "--predicate", predicate, "--object", value, "--json", *words
        )

    def bytes(self) -> dict[str, str]:
        """Digest of everything a ledger holds."""
        return digests(self.store)


def digests(store: Path) -> dict[str, str]:
    """Return a digest of each file of the ledgers below `store` (the write-ahead log and its index come and go)."""
    return {
        str(file.relative_to(store)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(store.rglob("ledger*"))
        if file.is_file() and not file.name.endswith(("-wal", "-shm", ".lock", "lock"))
    }


@pytest.fixture
def acme(run: Run, tmp_path: Path) -> Acme:
    store = tmp_path / "store"
    store.mkdir()
    (store / "tkg.toml").write_text(POLICY, encoding="utf-8")
    made = Acme(run, store)
    assert run("init", "--store", store, "--tenant", "acme").code == 0
    return made


@pytest.fixture
def mailbox(acme: Acme) -> dict[str, str]:
    """A believed claim, and a summary, a skill and a queued action that were made from it."""
    verdict = acme.claim(
        "exception reports", "destination", "regional settlement mailbox", "--uri", "guide.md", "--version", "3",
        "--locator", "line=75", "--quote", "Exception reports are sent to the regional settlement mailbox.",
        who=("--channel", "trusted_tool", "--principal", "guide-loader"),
    )  # fmt: skip
    assert verdict.code == 0, verdict
    ids = {"claim": verdict.json["claim_id"], "evidence": verdict.json["evidence_id"]}
    for kind in ("summary", "skill", "action"):
        made = acme(
            "derive", *AGENT, "--kind", kind, "--from", ids["claim"], f"A {kind} that names the mailbox.", "--json"
        )
        if kind == "skill":  # what an agent wants to do from now on waits for a person
            assert made.code == 3, made
            ids[kind] = made.json["artefact_id"]
            assert acme("decide", *PERSON, ids[kind], "accept", "--reason", "tried it").code == 0
            continue
        assert made.code == 0, made
        ids[kind] = made.json["id"]
    return ids
