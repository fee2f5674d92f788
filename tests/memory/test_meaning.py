"""Recall by meaning, through the facade: what it adds, whom it shows it to, and what becomes of the vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import tkg
from tests.memory.build import Stage
from tkg.errors import EmbedderFailed, ModelMismatch, RequestError
from tkg.index.port import Vectors

#: words of one meaning
MEANINGS = (("car", "automobile", "vehicle"), ("physician", "doctor"), ("canary", "bird"))


class Toy:
    """Counts meanings; words without one count a little by their letters."""

    def __init__(self, name: str = "toy") -> None:
        self.model_id, self.dimension, self.fails = name, 8, False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise EmbedderFailed("the service sleeps")
        found = np.zeros((len(texts), 8), dtype=np.float32)
        for place, text in enumerate(texts):
            for word in text.lower().replace("?", "").split():
                for at, meaning in enumerate(MEANINGS):
                    found[place, at] += word in meaning
                found[place, 3 + sum(map(ord, word)) % 5] += 0.05
        return found


def told(stage: Stage) -> str:
    return stage.says("ana", "ben", "drives", "a green automobile")


def files(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file())


def test_a_question_in_other_words_finds_the_claim_and_the_trace_says_how() -> None:
    with_it, without = Stage(embedder=Toy()), Stage()
    claim = told(with_it)
    found = with_it.by("ana").recall("which vehicle?")
    assert [item.id for item in found.items] == [claim] and found.trace.found_by == {claim: ("vectors",)}
    assert found.trace.vectors == "toy"
    told(without)
    assert not without.by("ana").recall("which vehicle?").items  # the control
    assert without.by("ana").recall("what does ben drive?").trace.vectors is None


def test_found_by_words_and_meaning_counts_twice() -> None:
    with_it, without = Stage(embedder=Toy()), Stage()
    told(with_it), told(without)
    (one,), (other,) = (stage.by("ana").recall("green automobile").items for stage in (with_it, without))
    assert one.id == other.id and one.score > other.score


def test_other_scopes_and_what_fell_stay_out() -> None:
    stage = Stage(embedder=Toy())
    stage.memory.scope("other", channel="human_stated", principal="eve").propose(
        subject="eve", predicate="drives", object="a stolen automobile"
    )
    secret = stage.memory.scope("acme", "ana", channel="human_stated", principal="ana").propose(
        subject="ana", predicate="drives", object="a secret automobile"
    )
    claim = told(stage)
    assert [item.id for item in stage.by("ben").recall("vehicle").items] == [claim]
    assert [item.id for item in stage.by("ben", user="ben").recall("vehicle").items] == [claim]
    own = stage.by("ana", user="ana").recall("vehicle")
    assert {item.id for item in own.items} == {claim, secret.claim_id}  # the control
    boss = stage.by("boss", "human_verified")
    before = stage.memory.tenant("acme").ledger.head.seq
    boss.revoke(boss.plan_revoke(claim=claim), reason="sold")
    assert not stage.by("ben").recall("vehicle").items
    assert [item.id for item in stage.by("ben").recall("vehicle", as_of=before).items] == [claim]


def test_an_embedder_that_fails_takes_only_itself_away() -> None:
    embedder = Toy()
    stage = Stage(embedder=embedder)
    claim = told(stage)
    embedder.fails = True
    found = stage.by("ana").recall("which automobile does ben drive?")
    assert [item.id for item in found.items] == [claim] and found.trace.vectors == "unavailable: the service sleeps"
    embedder.fails = False
    assert stage.by("ana").recall("which vehicle?").items
    embedder.fails = True  # now the vectors are there, and the question has none
    assert stage.by("ana").recall("which automobile?").trace.vectors == "unavailable: the service sleeps"


def test_models_are_not_mixed_and_rebuilding_makes_the_vectors_anew(tmp_path: Path) -> None:
    stage = Stage(path=tmp_path / "store", embedder=Toy())
    claim = told(stage)
    assert stage.by("ana").recall("vehicle").items
    stage.options["embedder"] = Toy("newer")
    stage.reopen()
    with pytest.raises(ModelMismatch, match="toy") as refused:
        stage.by("ana").recall("vehicle")
    assert refused.value.code == "model_mismatch"
    stage.memory.rebuild("acme")
    found = stage.by("ana").recall("vehicle")
    assert [item.id for item in found.items] == [claim] and found.trace.vectors == "newer"
    del stage.options["embedder"]
    stage.reopen()  # without one, the vectors that lie there are of no account
    assert not stage.by("ana").recall("vehicle").items and stage.by("ana").recall("automobile").items
    stage.memory.close()


def test_vectors_are_erased_with_their_text(tmp_path: Path) -> None:
    """Canaries: the vector of each erased text is in the files before, and in none of them after."""
    stage = Stage(path=tmp_path / "store", embedder=Toy())
    kept = told(stage)
    gone = {stage.says("eve", f"person{n}", "keeps", f"canary number{n} here{n}") for n in range(20)}
    assert {item.id for item in stage.by("ana").recall("which bird?", k=20).items} & gone
    rows = _rows(tmp_path)
    stage.memory.close()
    before = files(tmp_path)
    assert all(rows[one] in before and one.encode() in before for one in gone)  # the control
    stage.memory = stage._open()
    done = stage.by("keeper", "human_verified").forget(principal="eve", reason="asked")
    assert done.receipt["scan"]["hits"] == 0
    assert not stage.by("ana").recall("which bird?").items
    assert [item.id for item in stage.by("ana").recall("which vehicle?").items] == [kept]  # by new vectors
    stage.memory.close()
    after = b"".join(one.read_bytes() for one in tmp_path.rglob("vectors.sqlite*"))
    assert rows[kept] in after and not any(rows[one] in after or one.encode() in after for one in gone)


def _rows(path: Path) -> dict[str, bytes]:
    (file,) = path.rglob("vectors.sqlite")
    with closing(sqlite3.connect(file)) as reader:
        return dict(reader.execute("SELECT id, vector FROM documents"))


@pytest.mark.parametrize(("kind", "needs"), [("static", "safetensors"), ("minilm", "onnxruntime")])
def test_tkg_toml_names_the_embedder(tmp_path: Path, kind: str, needs: str) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip(needs)
    (tmp_path / "tkg.toml").write_text(f'[embedding]\nkind = "{kind}"\n')
    with tkg.open(tmp_path, engine="memory") as memory:
        handle = memory.scope("acme", channel="human_stated", principal="ana")
        handle.propose(subject="ben", predicate="drives", object="a green automobile")
        found = handle.recall("what vehicle?")
        assert found.items and found.trace.found_by[found.items[0].id] == ("vectors",)
        assert str(found.trace.vectors).startswith(f"{kind}-")
    (tmp_path / "tkg.toml").write_text("embedding = 3\n")
    with pytest.raises(RequestError, match="embedding is a table"):
        tkg.open(tmp_path, engine="memory")


def test_verify_and_doctor_look_at_the_vectors_and_a_rebuild_repairs_them(tmp_path: Path) -> None:
    def codes() -> set[str]:
        return {one.code for one in stage.memory.verify().findings}

    def told() -> tuple[str, str]:
        (one,) = (check for check in stage.memory.doctor() if check.code == "vectors")
        return one.status, one.detail

    stage = Stage(path=tmp_path / "store", embedder=Toy())
    stage.says("ana", "ben", "drives", "a green automobile")
    assert stage.memory.verify().tenants[0].vectors == "none" and told() == ("ok", "none")
    assert stage.by("ana").recall("vehicle").items
    assert stage.memory.verify().tenants[0].vectors == "file" and not codes()
    assert told()[1].startswith("made by toy")
    (file,) = tmp_path.rglob("vectors.sqlite")

    for change, code in (
        ("UPDATE documents SET vector = zeroblob(length(vector))", "vectors_differ"),
        ("DELETE FROM state", "vectors_unreadable"),
    ):
        stage.memory.close()
        with closing(sqlite3.connect(file)) as writer:
            writer.execute(change)
            writer.commit()
        with tkg.open(tmp_path / "store", engine="memory", read_only=True) as beside:  # nobody has the tenant open
            (found,) = (one for one in beside.verify().findings if one.code == code)
            assert "tkg rebuild" in found.remedy and "automobile" not in found.detail
        stage.memory = stage._open()
        if code == "vectors_unreadable":
            assert told()[0] == "warning"
        assert code in codes()
        stage.memory.rebuild("acme")
        assert not codes() and told()[0] == "ok" and stage.by("ana").recall("vehicle").items

    stage.options["embedder"] = Toy("newer")
    stage.reopen()
    (found,) = stage.memory.verify().findings
    assert found.code == "vectors_model" and "made by toy" in found.detail and "newer" in found.detail
    stage.memory.rebuild("acme")
    assert not codes()
    stage.memory.close()
