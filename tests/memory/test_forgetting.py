"""Erasing: what goes, what stays, what keeps it gone, and what the receipt says."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import tkg
from tests.engines import ENGINES, engine_or_skip
from tkg.clock import ManualClock
from tkg.conform import scan
from tkg.errors import Damaged, RequestError, TkgError
from tkg.ids import SeededIds
from tkg.ledger.heads import Signer, signer_of
from tkg.ledger.proof import Proof
from tkg.ledger.sqlite import SqliteLedger
from tkg.memory import erasing, receipts
from tkg.memory.directory import folder_name
from tkg.memory.residue import Residue, Samples

pytestmark = pytest.mark.engine
START = datetime(2026, 3, 1, tzinfo=UTC)
PERSON: dict[str, Any] = {"channel": "human_stated", "principal": "cook"}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


class Kitchen:
    """A store on disk with two people in it."""

    def __init__(self, root: Path, engine: str = "memory") -> None:
        self.root, self.engine, self.clock, self.ids = root, engine, ManualClock(START), SeededIds(5)
        self.memory = self.open()
        self.ada = self.say("Ada Venn", "allergic_to", "lupin-CANARY-4471", "note:kitchen")
        self.rolf = self.say("Rolf Teague", "allergic_to", "sesame-KEPT-9920", "note:kitchen")

    def open(self) -> tkg.Memory:
        return tkg.open(self.root, clock=self.clock, ids=self.ids, engine=self.engine)

    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.open()

    def handle(self, user: str | None = None, **who: Any) -> Any:
        return self.memory.scope("moor", user, **(who or PERSON))

    def say(self, subject: str, predicate: str, value: str, uri: str, user: str | None = None, **fields: Any) -> str:
        evidence = tkg.Evidence(uri=uri, quote=f"{subject} {predicate} {value}")
        verdict = self.handle(user).propose(
            subject=subject, predicate=predicate, object=value, evidence=evidence, **fields
        )
        assert verdict.claim_id is not None
        return str(verdict.claim_id)

    def found(self, text: str) -> list[str]:
        return scan.find(self.root, text)

    def state(self, identifier: str, user: str | None = None) -> str:
        return str(self.handle(user).explain(identifier).state)


@pytest.fixture
def kitchen(tmp_path: Path, engine: str) -> Iterator[Kitchen]:
    made = Kitchen(tmp_path / "store", engine)
    yield made
    made.memory.close()


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[Kitchen]:
    made = Kitchen(tmp_path / "store")
    yield made
    made.memory.close()


# -- what goes and what stays


def test_a_subject_goes_with_what_was_made_from_it(kitchen: Kitchen) -> None:
    village = kitchen.say("Ada Venn", "lives_in", "village-CANARY-8034", "form/2", user="ada")
    crew = kitchen.say("night crew", "led_by", "Ada Venn", "rota")
    reader = kitchen.handle("ada", channel="agent_inferred", principal="bot", session="s-1")
    shown = reader.recall("what is Ada Venn allergic to and where does she live")
    assert {kitchen.ada, village} <= {item.id for item in shown.items}
    summary = reader.derive("summary", "Ada avoids lupin-CANARY-4471.", used=shown)
    skill = reader.derive("skill", "Ask village-CANARY-8034 first.", from_=[summary.id])
    action = reader.derive("action", "Order without lupin-CANARY-4471", from_=[kitchen.ada])
    assert kitchen.found("CANARY-4471") and kitchen.found("CANARY-8034")
    done = kitchen.handle().forget(subject="Ada Venn", reason="request of the person")
    held = str(skill.artefact_id)
    gone = {kitchen.ada, village, crew, summary.id, held, action.id}
    assert gone <= {one.id for one in done.plan.erases}
    for one in gone:
        assert kitchen.state(one, "ada" if one in (village, summary.id, held, action.id) else None) == "erased"
    for word in ("CANARY-4471", "CANARY-8034", "Ada Venn"):
        assert kitchen.found(word) == []
    assert kitchen.found("KEPT-9920")
    assert kitchen.handle().value("Rolf Teague", "allergic_to").value == "sesame-KEPT-9920"
    assert [one.principal for one in done.notify] == ["bot"]
    kitchen.reopen()
    kitchen.memory.rebuild("moor")
    assert kitchen.state(kitchen.ada) == "erased"
    assert kitchen.handle().value("Ada Venn", "allergic_to").kind == "none"
    assert all(one.holds for one in kitchen.handle().verify_receipt(done.receipt))


def test_an_erased_correction_leaves_its_cut_and_takes_who_decided(kitchen: Kitchen) -> None:
    """The edge between two claims is no node of the graph; its content goes like that of any record."""
    first = kitchen.say("Ada Venn", "home", "Ystad", "chat/1", valid_from="2026-01")
    second = kitchen.say("Ada Venn", "home", "Kvarnby-CANARY", "chat/2", valid_from="2026-02")
    edge = kitchen.handle(channel="human_verified", principal="decider-CANARY").supersede(first, second, reason="moved")
    assert kitchen.found("decider-CANARY")
    kitchen.handle().forget(claim=second, reason="asked")
    assert kitchen.found("Kvarnby-CANARY") == []
    assert kitchen.found("decider-CANARY") == []
    shown = kitchen.handle().explain(second)
    assert [one.decided_by for one in shown.edges if one.edge == "supersedes"] == ["(erased)"] and edge
    assert kitchen.handle().explain(first).evidence


def test_a_source_goes_and_what_another_source_says_stays(kitchen: Kitchen) -> None:
    alone = kitchen.say("boiler 4", "inspected_every", "26 weeks-CANARY", "manual.md")
    shared = kitchen.say("boiler 4", "built_in", "1987", "manual.md")
    assert kitchen.say("boiler 4", "built_in", "1987", "plate.txt") == shared
    plan = kitchen.handle().plan_forget(source="manual.md")
    assert [one.id for one in plan.survives] == [shared]
    done = kitchen.handle().forget(plan, source="manual.md", reason="wrong boiler")
    assert kitchen.state(alone) == "erased" and kitchen.state(shared) == "active"
    assert kitchen.found("26 weeks-CANARY") == kitchen.found("manual.md") == []
    assert [one.uri for one in kitchen.handle().explain(shared).evidence if one.status == "active"] == ["plate.txt"]
    # the same source may speak again, and is named again
    kitchen.clock.advance(timedelta(days=1))
    again = kitchen.say("boiler 4", "painted", "green", "manual.md")
    assert [one.uri for one in kitchen.handle().explain(again).evidence] == ["manual.md"]
    assert again in {one.id for one in kitchen.handle().plan_forget(source="manual.md").erases}
    assert all(one.holds for one in kitchen.handle().verify_receipt(done.receipt))


def test_a_sentence_about_two_people_goes_whole_and_leaves_the_other_claim(kitchen: Kitchen) -> None:
    text = "Bo Lind is allergic to mustard. Una Marsh is allergic to celery."
    verdicts = kitchen.handle().remember(text, evidence=tkg.Evidence(uri="note:2"))
    claims = [one.claim_id for one in verdicts if one.claim_id]
    assert len(claims) == 2
    kitchen.handle().forget(subject="Bo Lind", reason="asked")
    assert [kitchen.state(one) for one in claims] == ["erased", "active"]
    assert kitchen.state(verdicts[0].artefact_id or "") == "erased"
    assert kitchen.found("mustard") == [] and kitchen.found("celery")


def test_an_episode_goes_with_the_claims_read_from_it(kitchen: Kitchen) -> None:
    verdicts = kitchen.handle().remember("Bo Lind is allergic to mustard.", evidence=tkg.Evidence(uri="note:2"))
    kitchen.handle().forget(artefact=verdicts[0].artefact_id, reason="asked")
    assert kitchen.state(verdicts[1].claim_id or "") == "erased"
    assert kitchen.found("mustard") == []


def test_what_only_names_the_subject_is_listed_and_goes_when_asked(plain: Kitchen) -> None:
    other = plain.say("menu", "changed_for", "the guest", "note:9")
    plain.handle().verify(other, evidence=tkg.Evidence(uri="call", quote="Ada Venn asked for it"))
    plan = plain.handle().plan_forget(subject="Ada Venn")
    assert len(plan.mentions) == 1
    plain.handle().forget(plan, subject="Ada Venn", reason="asked")
    assert plain.found("Ada Venn asked")
    more = plain.handle().plan_forget
    with pytest.raises(tkg.TkgError, match="erased already"):
        more(subject="Ada Venn")
    dora = plain.say("Dora Pike", "eats", "soup", "note:3")
    plain.say("menu", "mentions", "x", "note:4")
    plain.handle().remember("We sang for Dora Pike yesterday", evidence=tkg.Evidence(uri="chat"))
    plain.handle().forget(subject="Dora Pike", mentions=True, reason="asked")
    assert plain.state(dora) == "erased" and plain.found("Dora Pike") == []


@pytest.mark.parametrize(
    "wanted",
    [
        {"subject": "Ada"},
        {"subject": "Ada Ven"},
        {"source": "note"},
        {"session": "s"},
        {"claim": "lupin"},
        {"principal": "coo"},
    ],
)
def test_a_likeness_erases_nothing(plain: Kitchen, wanted: dict[str, str]) -> None:
    with pytest.raises(tkg.TkgError) as caught:
        plain.handle().forget(**wanted, reason="asked")
    assert caught.value.code == "not_found"
    assert plain.found("CANARY-4471") and plain.state(plain.ada) == "active"


@pytest.mark.parametrize("wanted", [{}, {"subject": "Ada Venn", "source": "note:kitchen"}])
def test_nothing_or_two_things_at_once_are_refused(plain: Kitchen, wanted: dict[str, str]) -> None:
    with pytest.raises(tkg.TkgError) as caught:
        plain.handle().forget(**wanted, reason="asked")
    assert caught.value.code == "invalid_request"


def test_who_may_erase(plain: Kitchen) -> None:
    own = plain.say("Ada Venn", "sleeps_at", "nine", "form/3", user="ada")
    with pytest.raises(tkg.TkgError) as caught:
        plain.handle(channel="agent_inferred", principal="bot").forget(subject="Ada Venn", reason="asked")
    assert caught.value.code == "not_permitted"
    with pytest.raises(tkg.TkgError) as caught:
        plain.handle("ada").forget(claim=plain.ada, reason="asked")
    assert caught.value.code == "not_permitted"
    with pytest.raises(tkg.TkgError) as caught:
        plain.handle("bo").forget(claim=own, reason="asked")
    assert caught.value.code == "not_found"
    done = plain.handle("ada").forget(subject="Ada Venn", reason="asked")
    assert {one.id for one in done.plan.erases if one.kind == "claim"} == {own}
    assert plain.state(plain.ada) == "active"


def test_a_whole_scope(kitchen: Kitchen) -> None:
    kitchen.say("Ada Venn", "lives_in", "village-CANARY-8034", "form/2", user="ada")
    kitchen.handle("ada").forget(scope=True, reason="left")
    assert kitchen.found("CANARY-8034") == [] and kitchen.found("CANARY-4471")
    kitchen.handle().forget(scope=True, reason="contract ended")
    for word in ("CANARY-4471", "KEPT-9920", "note:kitchen", "allergic_to"):
        assert kitchen.found(word) == []


# -- legal hold


@pytest.mark.parametrize(
    "on",
    [{"subject": "Ada Venn"}, {"source": "note:kitchen"}, {"principal": "cook"}, {}, {"id": "claim"}],
)
def test_a_legal_hold_refuses_with_its_reason(plain: Kitchen, on: dict[str, str]) -> None:
    on = {"id": plain.ada} if on == {"id": "claim"} else on
    plain.handle(channel="human_verified", principal="counsel").hold(**on, reason="case 2026-17")
    assert plain.ada in {one.id for one in plain.handle().plan_forget(subject="Ada Venn").held}
    before = plain.memory.tenant("moor").ledger.head
    with pytest.raises(tkg.TkgError, match="case 2026-17") as caught:
        plain.handle().forget(subject="Ada Venn", reason="asked")
    assert caught.value.code == "legal_hold"
    assert plain.memory.tenant("moor").ledger.head == before and plain.found("CANARY-4471")
    plain.reopen()
    plain.handle(channel="human_verified", principal="counsel").lift(**on, reason="settled")
    plain.handle().forget(subject="Ada Venn", reason="asked")
    assert plain.found("CANARY-4471") == []


def test_a_hold_on_something_else_refuses_nothing(plain: Kitchen) -> None:
    plain.handle(channel="human_verified", principal="counsel").hold(subject="Rolf Teague", reason="case 3")
    with pytest.raises(tkg.TkgError, match="already"):
        plain.handle(channel="human_verified", principal="counsel").hold(subject="Rolf Teague", reason="case 3")
    plain.handle().forget(claim=plain.ada, reason="asked")
    assert plain.state(plain.ada) == "erased"


# -- what keeps it gone


def test_older_evidence_does_not_bring_it_back_and_a_later_statement_does(kitchen: Kitchen) -> None:
    kitchen.clock.advance(timedelta(days=9))
    kitchen.handle().forget(claim=kitchen.ada, reason="asked")
    kitchen.memory.rebuild("moor")
    kitchen.clock.advance(timedelta(days=1))
    old = {"subject": "ada  venn", "predicate": "allergic_to", "object": "Lupin-CANARY-4471"}
    tool = kitchen.handle(channel="trusted_tool", principal="importer")
    for handle, observed in ((tool, "2026-03-02"), (tool, None), (kitchen.handle(), "2026-03-02")):
        verdict = handle.propose(**old, observed_at=observed, evidence=tkg.Evidence(uri="export.csv"))
        assert (verdict.outcome, verdict.code) == ("rejected", "tombstone")
    assert (
        tool.propose(
            **(old | {"object": "celery"}), observed_at="2026-03-02", evidence=tkg.Evidence(uri="export.csv")
        ).outcome
        == "accepted"
    )
    assert kitchen.found("CANARY-4471") == []
    assert kitchen.handle().propose(**old).outcome == "accepted"


def test_a_subject_stays_gone_whatever_an_old_document_says_of_it(plain: Kitchen) -> None:
    plain.clock.advance(timedelta(days=9))
    plain.handle().forget(subject="Ada Venn", reason="asked")
    plain.clock.advance(timedelta(days=1))
    tool = plain.handle(channel="trusted_tool", principal="importer")
    said = tkg.Evidence(uri="minutes.md")
    for text in ("Ada Venn lives in Kvarnby.", "We talked to Ada Venn's brother about the boat."):
        verdicts = tool.remember(text, evidence=said, observed_at="2026-03-02T08:00:00Z")
        assert [(one.outcome, one.code) for one in verdicts] == [("rejected", "tombstone")]
    assert plain.found("Ada Venn") == []
    assert tool.remember("Rolf Teague lives in Kvarnby.", evidence=said)[0].outcome == "accepted"
    assert plain.handle().remember("Ada Venn lives in Ystad.")[0].outcome == "accepted"


def test_the_same_text_again_is_refused_and_not_answered_from_before(plain: Kitchen) -> None:
    text, said = "Bo Lind is allergic to mustard.", tkg.Evidence(uri="note:2")
    tool = plain.handle(channel="trusted_tool", principal="importer")
    fields = {"evidence": said, "observed_at": "2026-03-01T08:00:00Z"}
    plain.clock.advance(timedelta(days=2))
    first = tool.remember(text, **fields)
    plain.handle().forget(artefact=first[0].artefact_id, reason="asked")
    for _ in range(2):
        assert [(one.outcome, one.code) for one in tool.remember(text, **fields)] == [("rejected", "tombstone")]
    assert plain.found("mustard") == []


def test_an_agent_cannot_conclude_it_again(plain: Kitchen) -> None:
    plain.clock.advance(timedelta(days=2))
    plain.handle().forget(claim=plain.ada, reason="asked")
    bot = plain.handle(channel="agent_inferred", principal="bot", session="s-2")
    fields = {"subject": "Ada Venn", "predicate": "allergic_to", "object": "lupin-CANARY-4471"}
    verdict = bot.derive("claim", fields, from_=[plain.rolf])
    assert (verdict.outcome, verdict.code) == ("rejected", "tombstone")
    other = bot.derive("claim", fields | {"object": "milk"}, from_=[plain.rolf])
    assert other.code != "tombstone"


def test_a_question_that_names_it_is_not_kept(plain: Kitchen) -> None:
    plain.handle().forget(subject="Ada Venn", reason="asked")
    for query in ("what about Ada Venn?", "who said (lupin-CANARY-4471)"):
        read = plain.handle().recall(query)
        assert plain.handle().explain(read.id).content is None
    kept = plain.handle().recall("what about Rolf Teague?")
    assert plain.handle().explain(kept.id).content == "what about Rolf Teague?"
    assert plain.found("CANARY-4471") == plain.found("Ada Venn") == []


# -- receipts


def test_the_receipt_holds_no_name_and_every_change_to_it_is_found(kitchen: Kitchen) -> None:
    receipt = kitchen.handle().forget(subject="Ada Venn", reason="request of 3 May").receipt
    text = json.dumps(receipt)
    for word in ("Ada", "lupin", "note:kitchen", "cook", "3 May"):
        assert word not in text
    assert receipt["scan"]["found_before"] > 0 and receipt["scan"]["hits"] == 0
    assert receipt["survivors"]["unchanged"] is True
    assert {one["store"]: one["after_count"] for one in receipt["per_store"]} == {"ledger": 0, "graph": 0, "index": 0}
    assert receipt["not_covered"]
    handle = kitchen.handle()
    assert all(one.holds for one in handle.verify_receipt(receipt))
    assert handle.receipt(receipt["receipt_id"]) == receipt
    assert [one.holds for one in handle.verify_receipt(receipt, texts=["lupin-CANARY-4471", "sesame-KEPT"])][-2:] == [
        True,
        False,
    ]
    for key, value in receipt.items():
        changed = receipt | {key: [value, 1]}
        if key == "receipt_id":
            with pytest.raises(RequestError, match="no receipt"):
                handle.verify_receipt(changed)
            continue
        assert not all(one.holds for one in handle.verify_receipt(changed)), key


def test_somebody_without_the_store_can_check_a_receipt(plain: Kitchen) -> None:
    receipt = plain.handle().forget(subject="Ada Venn", reason="request of 3 May").receipt
    log = receipt["log"]
    signed = {name: value for name, value in receipt.items() if name != "mac"}
    assert signer_of(signed) == receipt["key"] == plain.memory.head("moor").key
    assert signer_of(signed | {"completed_at": "2020-01-01T00:00:00Z"}) is None
    proof = Proof(
        seq=log["seq"], leaf=log["leaf"], size=log["size"], root=log["root"], inclusion=tuple(log["inclusion"])
    )
    assert proof.holds() and log["size"] >= log["seq"] > 1 and log["inclusion"]
    assert not proof.model_copy(update={"seq": log["seq"] - 1}).holds()
    plain.say("Mo Dunn", "allergic_to", "nothing", "note:later")  # the tree grows, and the receipt still holds
    checks = {one.what: one.holds for one in plain.handle().verify_receipt(receipt)}
    assert checks["signature"] and checks["proof"] and checks["root"] and all(checks.values())


def test_what_does_not_hold_of_a_receipt_is_named(plain: Kitchen) -> None:
    handle = plain.handle()
    receipt = handle.forget(subject="Ada Venn", reason="request of 3 May").receipt

    def failed(changed: dict[str, Any]) -> set[str]:
        return {one.what for one in handle.verify_receipt(changed) if not one.holds}

    other = Signer(bytes(32)).signed({name: value for name, value in receipt.items() if name not in ("mac", "key")})
    tenant = plain.memory.tenant("moor")
    assert failed(receipt) == set()
    assert "signature" in failed(receipts.seal(tenant, other))  # signed, by another key
    assert "signature" in failed(receipts.seal(tenant, receipt | {"key": None, "signature": None}))
    (plain.root / "head.key").write_text("no key\n")
    with pytest.raises(Damaged):  # before anything is erased
        handle.forget(claim=plain.rolf, reason="asked")
    assert plain.state(plain.rolf) == "active"


def test_a_store_that_got_the_content_back_fails_its_receipt(plain: Kitchen) -> None:
    plain.memory.close()
    kept = (plain.root / "tenants" / folder_name("moor") / "ledger.sqlite").read_bytes()
    plain.memory = plain.open()
    receipt = plain.handle().forget(claim=plain.ada, reason="asked").receipt
    plain.memory.close()
    (plain.root / "tenants" / folder_name("moor") / "ledger.sqlite").write_bytes(kept)
    for left in (plain.root / "tenants" / folder_name("moor")).glob("ledger.sqlite-*"):
        left.unlink()
    plain.memory = plain.open()
    assert not all(one.holds for one in plain.handle().verify_receipt(receipt))


# -- crashes


class Dead(BaseException):
    """The process ends here."""


def test_leftovers_that_hold_it_are_destroyed(plain: Kitchen) -> None:
    folder = plain.root / "tenants" / folder_name("moor")
    (folder / "graph.old.tmp").write_bytes("lupin-CANARY-4471".encode("utf-16-le"))
    (folder / "half.jsonl").write_text("…lupin-CANARY-4471…", encoding="utf-8")
    (folder / "harmless.txt").write_text("sesame", encoding="utf-8")
    assert len(plain.found("lupin-CANARY-4471")) >= 3
    receipt = plain.handle().forget(claim=plain.ada, reason="asked").receipt
    assert plain.found("lupin-CANARY-4471") == [] and (folder / "harmless.txt").exists()
    assert receipt["copies_destroyed"] == 1


@pytest.mark.parametrize("where", ["append", "remove_content", "compact", "destroy", "scan", "unmark"])
def test_an_interrupted_erasure_is_done_or_not_begun(
    kitchen: Kitchen, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object, **__: object) -> None:
        raise Dead

    with monkeypatch.context() as patch:
        if where in ("append", "remove_content", "compact"):
            patch.setattr(SqliteLedger, where, dies)
        else:
            name = {"destroy": "destroy_projections", "scan": "_receipt", "unmark": "unmark"}[where]
            patch.setattr(erasing, name, dies)
        with pytest.raises(Dead):
            kitchen.handle().forget(claim=kitchen.ada, reason="asked")
        kitchen.memory.close()
    kitchen.memory = kitchen.open()
    if where == "append":
        assert kitchen.state(kitchen.ada) == "active" and kitchen.found("CANARY-4471")
        kitchen.handle().forget(claim=kitchen.ada, reason="asked")
    assert kitchen.state(kitchen.ada) == "erased" and kitchen.found("CANARY-4471") == []
    assert not list(kitchen.root.rglob(erasing.MARKER))
    tenant = kitchen.memory.tenant("moor")
    assert erasing.unfinished(tenant.ledger) == [] and tenant.ledger.verify() == []
    assert kitchen.handle().value("Rolf Teague", "allergic_to").value == "sesame-KEPT-9920"


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.EIO, "damaged"), (errno.ENOSPC, "disk_full"), (errno.EROFS, "invalid_request"), (errno.EMFILE, "busy")],
)
@pytest.mark.parametrize("where", ["write_whole", "prepare", "overwrite", "after", "sync_folder"])
def test_a_disk_that_fails_under_an_erasure_is_an_error_with_a_code(
    plain: Kitchen, where: str, number: int, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = [0]

    def fails(*given: Any) -> Any:
        if where == "after" and not scans[0]:
            scans[0] += 1  # the scan before the entry gets through
            return Residue(0, 0, ())
        raise OSError(number, "as injected", str(plain.root))

    with monkeypatch.context() as patch:
        if where in ("prepare", "after"):
            patch.setattr(Samples, "scan", fails)
        else:
            patch.setattr(erasing, where, fails)
        if where == "sync_folder":  # all is done by then: a mark that stays is looked at once more, and that is all
            plain.handle().forget(claim=plain.ada, reason="asked")
        else:
            with pytest.raises(TkgError) as caught:
                plain.handle().forget(claim=plain.ada, reason="asked")
            assert caught.value.code == code and "CANARY" not in str(caught.value)
            assert ("acknowledged and out of every read" in str(caught.value)) == (where in ("overwrite", "after"))
    if where in ("write_whole", "prepare"):
        assert plain.state(plain.ada) == "active" and plain.found("CANARY-4471")
        return
    assert plain.state(plain.ada) == "erased"  # opened anew, which finished it
    assert plain.found("CANARY-4471") == [] and not list(plain.root.rglob(erasing.MARKER))
    assert erasing.unfinished(plain.memory.tenant("moor").ledger) == []


def test_a_session_that_read_what_it_wrote_goes_with_its_claims(plain: Kitchen) -> None:
    writer = plain.handle(channel="human_stated", principal="cook", session="shift 7")
    evidence = tkg.Evidence(uri="note:shift", quote="Una Marsh avoids celery CANARY-6631")
    said = writer.propose(subject="Una Marsh", predicate="avoids", object="celery CANARY-6631", evidence=evidence)
    writer.remember("Blue herring, again!", evidence=tkg.Evidence(uri="note:shift"))
    bot = plain.handle(channel="agent_inferred", principal="bot", session="shift 7")
    bot.recall("blue herring Una Marsh avoids")  # shows a text of the session, after which the summary is written
    bot.derive("summary", "Una avoids celery CANARY-6631.", from_=[str(said.claim_id)])
    assert plain.found("CANARY-6631")
    done = plain.handle().forget(session="shift 7", reason="asked")
    assert said.claim_id in [one.id for one in done.plan.erases]
    assert plain.found("CANARY-6631") == [] and plain.state(plain.rolf) == "active"


def test_a_shared_sentence_goes_in_its_source_and_stays_in_another(plain: Kitchen) -> None:
    words = "Bo and Una share the locker phrase CANARY-5521"
    ids = []
    for subject, uri in (("Bo Lind", "form"), ("Una Marsh", "form"), ("Una Marsh", "letter")):
        evidence = tkg.Evidence(uri=uri, quote=words)
        verdict = plain.handle().propose(subject=subject, predicate="shares", object=f"locker {uri}", evidence=evidence)
        ids.append(str(verdict.claim_id))
    plain.handle().forget(subject="Bo Lind", reason="asked")
    shown = [[one.quote for one in plain.handle().explain(claim).evidence] for claim in ids]
    assert shown == [[None], [None], [words]]
    assert [plain.state(one) for one in ids] == ["erased", "active", "active"]


def test_what_is_no_plan_is_refused_and_a_plan_alone_is_told_what_is_missing(tmp_path: Path) -> None:
    kitchen = Kitchen(tmp_path)
    plan = kitchen.handle().plan_forget(subject="Ada Venn")
    with pytest.raises(tkg.TkgError, match=r"forget\(plan, subject="):
        kitchen.handle().forget(plan, reason="request")
    with pytest.raises(tkg.TkgError, match="plan_forget"):
        kitchen.handle().forget(kitchen.ada, subject="Ada Venn", reason="request")
    with pytest.raises(tkg.TkgError, match="plan_revoke"):
        kitchen.handle().revoke(kitchen.ada, reason="moved")
    assert kitchen.handle().explain(kitchen.ada).state == "active"
    kitchen.handle().forget(plan, subject="Ada Venn", reason="request")
    assert kitchen.handle().explain(kitchen.ada).state == "erased"
    kitchen.memory.close()


@pytest.mark.parametrize("status", ["rejected", "revoked"])
def test_what_no_longer_stands_goes_with_what_it_rests_on(kitchen: Kitchen, status: str) -> None:
    """Content is content: a skill that was rejected and a claim that was revoked are erased with their source."""
    olga = kitchen.handle(channel="human_verified", principal="olga")
    if status == "rejected":
        bot = kitchen.handle(channel="agent_inferred", principal="bot")
        left = bot.derive("skill", "Never lupin-CANARY-4471", from_=[kitchen.ada], meta={"name": "lupin"}).artefact_id
        olga.decide(left, "reject", reason="no")
    else:
        left = kitchen.say("Bo Hall", "allergic_to", "rye-CANARY-7", "note:bo")
        olga.revoke(olga.plan_revoke(claim=left), reason="wrong")
    what = {"claim": kitchen.ada} if status == "rejected" else {"source": "note:bo"}
    done = olga.forget(**what, reason="request 9")
    assert olga.explain(left).state == "erased"
    words = ["lupin-CANARY-4471" if status == "rejected" else "rye-CANARY-7", "olga"][:1]
    assert all(check.holds for check in olga.verify_receipt(done.receipt, texts=words))
