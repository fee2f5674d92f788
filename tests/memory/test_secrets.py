"""A secret in whatever field of whatever verb: it is refused, and no byte of it stays in a file, log, trace or error."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tkg
from tkg.conform import scan
from tkg.errors import TkgError
from tkg.model.evidence import Evidence

#: one of each kind that a caller may paste by mistake; made for this test, with right check digits where there are any
SECRETS = {
    "token": "ghp_" + "Zk3Qv8Lm1Xc7Bn5Wq9Rt2Yp6Hd4Jf0Gs8Aa2",
    "key": "AKIA" + "Q7M2X9R4T6W8Z1C3",
    "card": "4539 1488 0343 6467",
    "password": "the password is Tr0ub4dor&3xyz",
}
ORDINARY = "a plain remark about dock fourteen"

Do = Callable[[Any, str], Any]


def _evidence(**fields: str) -> Evidence:
    return Evidence.build(**{"uri": "note.md", **fields})


def _propose(handle: Any, **fields: Any) -> Any:
    plain = {"subject": "dock", "predicate": "owner", "object": "Ana", "evidence": _evidence()}
    return handle.propose(**{**plain, **fields})


def _claim(handle: Any) -> str:
    return str(_propose(handle, subject="gate", object="Bea").claim_id)


FIELDS: dict[str, Do] = {
    "propose.subject": lambda h, s: _propose(h, subject=s),
    "propose.object": lambda h, s: _propose(h, object=s),
    "propose.uri": lambda h, s: _propose(h, evidence=_evidence(uri=s)),
    "propose.version": lambda h, s: _propose(h, evidence=_evidence(version=s)),
    "propose.locator": lambda h, s: _propose(h, evidence=_evidence(locator=s)),
    "propose.quote": lambda h, s: _propose(h, evidence=_evidence(quote=s)),
    "propose.owner": lambda h, s: _propose(h, evidence=_evidence(owner=s)),
    "propose.copy_of": lambda h, s: _propose(h, evidence=_evidence(copy_of=s)),
    "propose.valid_from": lambda h, s: _propose(h, valid_from=s),
    "propose.depends_on": lambda h, s: _propose(h, depends_on=[s]),
    "propose.modality": lambda h, s: _propose(h, modality=s),
    "propose.idempotency_key": lambda h, s: _propose(h, idempotency_key=s),
    "propose.expected_digest": lambda h, s: _propose(h, expected_digest=s),
    "propose.predicate": lambda h, s: _propose(h, predicate=s),
    "remember.text": lambda h, s: h.remember(f"Noted: {s}.", evidence=_evidence()),
    "remember.turn": lambda h, s: h.remember("The dock is wet.", evidence=_evidence(), turn=s),
    "remember.speaker": lambda h, s: h.remember("The dock is wet.", evidence=_evidence(), speaker=s),
    "remember.uri": lambda h, s: h.remember("The dock is wet.", evidence=_evidence(uri=s)),
    "derive.content": lambda h, s: h.derive("summary", f"In short: {s}.", from_=[_claim(h)]),
    "derive.meta": lambda h, s: h.derive("skill", "Open the gate.", from_=[_claim(h)], meta={"name": s}),
    "derive.from": lambda h, s: h.derive("summary", "In short.", from_=[s]),
    "recall.query": lambda h, s: h.recall(f"what about {s}?"),
    "value.subject": lambda h, s: h.value(s, "owner"),
    "revoke.reason": lambda h, s: h.revoke(h.plan_revoke(claim=_claim(h)), reason=s),
    "revoke.claim": lambda h, s: h.plan_revoke(claim=s),
    "quarantine.reason": lambda h, s: h.quarantine(claim=_claim(h), reason=s),
    "freeze.reason": lambda h, s: h.freeze(subject="dock", reason=s),
    "freeze.subject": lambda h, s: h.freeze(subject=s, reason="a test"),
    "explain.id": lambda h, s: h.explain(s),
    "lineage.id": lambda h, s: h.lineage(s),
}


def _scoped(memory: Any, **fields: str) -> Any:
    return memory.scope("acme", **{"channel": "human_stated", "principal": "ana", "session": "desk", **fields})


@pytest.mark.parametrize("field", FIELDS)
def test_no_byte_of_a_secret_stays(field: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    said: list[str] = []
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        memory.create_tenant("acme")
        handle = _scoped(memory)
        for secret in SECRETS.values():
            try:
                answer = FIELDS[field](handle, secret)
            except TkgError as error:
                said.append(f"{error!r} {error}")
            else:
                if "recall" not in field and "value" not in field:  # what was asked may be answered to the asker
                    said.append(repr(answer))
    for name, secret in SECRETS.items():
        assert scan.find(tmp_path, secret) == [], name
        assert secret not in caplog.text and not any(secret in one for one in said), name


@pytest.mark.parametrize("field", ["principal", "session", "user"])
def test_a_secret_is_no_name_of_a_caller(field: str, tmp_path: Path) -> None:
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        memory.create_tenant("acme")
        for secret in SECRETS.values():
            try:
                _propose(_scoped(memory, **{field: secret}))
            except TkgError as error:
                assert secret not in str(error)
    for name, secret in SECRETS.items():
        assert scan.find(tmp_path, secret) == [], name


@pytest.mark.parametrize(
    "field", ["propose.object", "propose.quote", "remember.text", "derive.content", "revoke.reason"]
)
def test_ordinary_words_are_found_by_the_same_search(field: str, tmp_path: Path) -> None:
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        memory.create_tenant("acme")
        FIELDS[field](_scoped(memory), ORDINARY)
    assert scan.find(tmp_path, ORDINARY) != []
