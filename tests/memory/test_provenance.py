"""An export as PROV-JSON: read back by the library, it says what the ledger says."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.errors import NotFound, Unsupported
from tkg.ids import SeededIds
from tkg.memory.store import Memory

model = pytest.importorskip("prov.model")


@pytest.fixture
def memory() -> Iterator[Memory]:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(milliseconds=1))
    with tkg.open(None, engine="memory", clock=clock, ids=SeededIds(4)) as opened:
        yield opened


def told(memory: Memory) -> tuple[Any, dict[str, str]]:
    """Write two claims of which one is taken back, a summary and a read; return the handle and the ids."""
    ada = memory.scope("acme", channel="human_stated", principal="ana", session="s1")
    words = tkg.Evidence(uri="letter.md", quote="Ada lives in Rome")
    rome = ada.propose(subject="Ada", predicate="home", object="Rome", evidence=words)
    pet = ada.propose(subject="Ada", predicate="pet", object="a “cat”/x:y", evidence=tkg.Evidence(uri="chat"))
    ada.propose(subject="Bo", predicate="home", object="Oslo", evidence=tkg.Evidence(uri="other.md"))
    read = ada.recall("Ada home")
    summary = ada.derive("summary", "Ada lives in Rome.", from_=[rome.claim_id])
    ada.revoke(ada.plan_revoke(claim=pet.claim_id), reason="a joke")
    ids = {"rome": rome.claim_id, "evidence": rome.evidence_id, "pet": pet.claim_id}
    return ada, {**{name: str(one) for name, one in ids.items()}, "summary": summary.id, "read": read.id}


def relations(document: Any, kind: str, *ends: str) -> set[tuple[str, ...]]:
    """Return the ends of every relation of a kind, as local names."""
    found = set()
    for record in document.get_records(getattr(model, kind)):
        ends_of = {str(name): str(value).removeprefix("tkg:") for name, value in record.formal_attributes}
        found.add(tuple(ends_of[f"prov:{end}"] for end in ends))
    return found


def test_derivation_attribution_and_invalidation_are_the_ledgers(memory: Memory) -> None:
    handle, ids = told(memory)
    text = handle.export_prov(subject="Ada")
    document = model.ProvDocument.deserialize(content=text, format="json")
    derived = relations(document, "ProvDerivation", "generatedEntity", "usedEntity")
    assert {(ids["rome"], ids["evidence"]), (ids["summary"], ids["rome"])} <= derived
    (source,) = [used for head, used in derived if head == ids["evidence"]]
    uris = {str(one.identifier).removeprefix("tkg:"): one.get_attribute("tkg:uri") for one in document.get_records()}
    assert uris[source] == {"letter.md"}
    (person,) = [one for one in document.get_records(model.ProvAgent) if one.label == "ana"]
    assert (ids["evidence"], person.identifier.localpart) in relations(document, "ProvAttribution", "entity", "agent")
    assert [gone for gone, _ in relations(document, "ProvInvalidation", "entity", "activity")] == [ids["pet"]]
    assert (ids["read"], ids["rome"]) in relations(document, "ProvUsage", "activity", "entity")
    made = {entity: activity for entity, activity in relations(document, "ProvGeneration", "entity", "activity")}
    assert made[ids["rome"]] == "tx-1" and "Oslo" not in text and "Oslo" in handle.export_prov()


def test_every_record_and_every_field_of_the_export_is_in_it_and_the_bytes_are_the_same(memory: Memory) -> None:
    handle, _ = told(memory)
    lines = [json.loads(line) for line in handle.export()][1:]
    text = handle.export_prov()
    assert text == handle.export_prov() and len(lines) > 15
    document = model.ProvDocument.deserialize(content=text, format="json")
    assert document == model.ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    shown: dict[str, set[str]] = {}
    for record in document.get_records():
        if record.identifier is not None:
            name = record.identifier.localpart.partition(".")[0]
            values = {str(value) for key, value in record.extra_attributes if str(key).startswith("tkg:")}
            shown[name] = shown.get(name, set()) | values
    for line in lines:
        texts = {
            str(value)
            for key, value in line.items()
            if isinstance(value, str) and key not in ("id", "tx_time", "op", "under")
        }
        assert texts <= shown[line["id"]], line


def test_without_the_library_it_says_what_to_install(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    handle, _ = told(memory)
    with pytest.raises(NotFound):
        handle.export_prov(subject="Nobody")
    monkeypatch.setitem(sys.modules, "prov.model", None)
    with pytest.raises(Unsupported, match=r"pip install 'tkg\[prov\]'"):
        handle.export_prov()
