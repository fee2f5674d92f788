"""Vectors as a projection: what is found, in which scopes, after which changes, of which model, in which files."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.errors import Damaged, EmbedderFailed, ModelMismatch
from tkg.index.documents import documents
from tkg.index.port import Vectors
from tkg.index.vectors import VectorIndex
from tkg.model.entry import Entry
from tkg.testing.index import KINDS, artefact, claim, entry, status

DIMENSION = 70  # no multiple of a word's bits


class Hashed:
    """One vector per text, from its words: equal words, equal vector; it counts what it is given."""

    def __init__(self, name: str = "hashed", dimension: int = DIMENSION) -> None:
        self.model_id, self.dimension, self.seen = name, dimension, 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen += len(texts)
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            for word in text.split():
                seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
                found[place] += np.random.default_rng(seed).standard_normal(self.dimension)
        return found


class Ledger:
    """Entries that a test appends to."""

    def __init__(self, *entries: Entry) -> None:
        self.entries = list(entries)

    def __call__(self, seq: int) -> Iterator[Entry]:
        yield from self.entries[seq:]

    @property
    def head(self) -> int:
        return len(self.entries)

    def add(self, *records: object) -> None:
        self.entries.append(entry(self.head + 1, *records))  # type: ignore[arg-type]


def found(
    index: VectorIndex,
    query: str,
    scopes: Sequence[str] = ("acme",),
    kinds: Sequence[str] = KINDS,
    as_of: int | None = None,
    limit: int = 20,
) -> list[str]:
    return [hit.id for hit in index.search(query, scopes=scopes, kinds=kinds, limit=limit, as_of=as_of)]


def brought_up(ledger: Ledger, path: Path | None = None, **options: int) -> VectorIndex:
    index = VectorIndex(path, Hashed(), ledger, **options)
    index.bring_up(ledger.head)
    return index


def test_nearest_first_and_only_whole_scopes_and_kinds() -> None:
    ledger = Ledger()
    for number, path in enumerate(("acme", "acme/ana", "acme/ana-b", "acme-corp")):
        ledger.add(claim(f"clm_{number}", "blue", "whale", "here", path))
    ledger.add(claim("clm_near", "blue", "whale", "there"), artefact("art_1", "blue whale here"))
    with closing(brought_up(ledger)) as index:
        assert found(index, "blue whale here")[0] in ("clm_0", "art_1")
        assert set(found(index, "blue whale here")) == {"clm_0", "clm_near", "art_1"}
        assert found(index, "blue whale here", scopes=["acme/ana"]) == ["clm_1"]
        assert found(index, "blue whale here", kinds=["episode"]) == ["art_1"]
        for scopes in ([], ["acme/an"], ["acme/"], ["acme%"], ["ACME"]):
            assert found(index, "blue whale here", scopes=scopes) == []
        assert found(index, "blue whale here", kinds=[]) == []


def test_what_fell_is_not_found_but_as_of_its_day_and_comes_back() -> None:
    ledger = Ledger()
    ledger.add(claim("clm_1", "blue", "whale", "here"))
    with closing(brought_up(ledger)) as index:
        ledger.add(status("clm_1", "status", "revoked"))
        index.bring_up(ledger.head)
        assert found(index, "blue whale") == [] and found(index, "blue whale", as_of=1) == ["clm_1"]
        assert found(index, "blue whale", as_of=0) == []
        ledger.add(status("clm_1", "status", "active"))
        index.bring_up(ledger.head)
        assert found(index, "blue whale") == ["clm_1"]


def test_what_is_there_is_not_embedded_again(tmp_path: Path) -> None:
    ledger = Ledger()
    for number in range(5):
        ledger.add(claim(f"clm_{number}", f"thing{number}", "lies", "there"))
    brought_up(ledger, tmp_path / "v").close()
    ledger.add(claim("clm_new", "thing5", "lies", "there"))
    embedder = Hashed()
    with closing(VectorIndex(tmp_path / "v", embedder, ledger)) as index:
        index.bring_up(ledger.head)
        assert embedder.seen == 1 and len(index) == 6 and index.applied == 6
        assert found(index, "thing5")[0] == "clm_new" and found(index, "thing2")[0] == "clm_2"


def test_another_model_is_refused_and_takes_nothing_away(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.add(claim("clm_1", "blue", "whale", "here"))
    brought_up(ledger, tmp_path / "v").close()
    for other in (Hashed("other"), Hashed(dimension=64)):
        with pytest.raises(ModelMismatch, match="tkg rebuild") as told:
            VectorIndex(tmp_path / "v", other, ledger).bring_up(ledger.head)
        assert told.value.code == "model_mismatch" and told.value.exit_code == 2
    embedder = Hashed()
    with closing(VectorIndex(tmp_path / "v", embedder, ledger)) as index:
        index.bring_up(ledger.head)
        assert embedder.seen == 0 and len(index) == 1


@pytest.mark.parametrize("how", ["bytes", "ahead", "other ledger", "link"])
def test_a_file_that_is_not_this_ledgers_is_made_anew(tmp_path: Path, how: str) -> None:
    ledger, path = Ledger(), tmp_path / "v"
    ledger.add(claim("clm_1", "blue", "whale", "here"))
    ledger.add(claim("clm_2", "red", "fox", "here"))
    brought_up(ledger, path).close()
    if how == "bytes":
        path.write_bytes(b"SQLite format 3\x00" + bytes(5000))
    elif how == "ahead":
        ledger.entries.pop()
    elif how == "other ledger":
        ledger.entries[1] = entry(2, claim("clm_3", "red", "fox", "there")).model_copy(update={"hash": "f" * 64})
    else:
        path.rename(tmp_path / "w")
        path.symlink_to(tmp_path / "w")
    with closing(VectorIndex(path, Hashed(), ledger)) as index:
        index.bring_up(ledger.head)
        assert len(index) == ledger.head and found(index, "blue whale")[0] == "clm_1"
        assert not path.is_symlink()


def test_erased_vectors_are_in_no_byte_of_the_file(tmp_path: Path) -> None:
    ledger, path = Ledger(), tmp_path / "v"
    for number in range(40):
        ledger.add(claim(f"clm_{number}", f"thing{number}", "lies", "there"))
    index = brought_up(ledger, path)
    held = Hashed().embed(["thing7 lies there"])
    canary = (held / np.linalg.norm(held)).astype("<f2").tobytes()

    def bytes_of_files() -> bytes:
        return b"".join(one.read_bytes() for one in sorted(tmp_path.iterdir()))

    index.close()
    assert canary in bytes_of_files() and b"clm_7claim" in bytes_of_files()  # the control
    ledger.add(status("clm_7", "status", "erased"))
    index.bring_up(ledger.head)
    assert "clm_7" not in found(index, "thing7 lies there", as_of=99, limit=99)
    index.close()
    assert canary not in bytes_of_files() and b"clm_7claim" not in bytes_of_files()
    index.bring_up(ledger.head)
    assert len(index) == 39
    index.close()


def turn(name: str, text: str, session: str, path: str = "acme") -> object:
    return artefact(name, text).model_copy(update={"session_id": session, "scope": path})


def cosine_of(index: VectorIndex, name: str, query: str, scopes: Sequence[str] = ("acme", "acme/ana")) -> float:
    return next(
        hit.cosine for hit in index.search(query, scopes=scopes, kinds=KINDS, limit=99, as_of=99) if hit.id == name
    )


@pytest.mark.parametrize("kept", [True, False], ids=["file", "memory"])
def test_a_turn_is_embedded_with_the_two_before_it_of_its_session_and_scope(tmp_path: Path, kept: bool) -> None:
    ledger = Ledger()
    ledger.add(turn("art_1", "green frog", "ses_1"), turn("art_2", "blue whale", "ses_1"))
    ledger.add(turn("art_3", "red fox", "ses_1", "acme/ana"), turn("art_4", "swims", "ses_2"))
    ledger.add(turn("art_5", "runs", "ses_1"))
    path = tmp_path / "v" if kept else None
    index = VectorIndex(path, Hashed(), ledger)
    for head in range(1, ledger.head + 1):  # each by itself: what was said before is read from the ledger
        index._entries = Ledger(*ledger.entries[:head])
        index.bring_up(head)
        if kept:
            index.close()
    index.bring_up(ledger.head)
    with closing(index), closing(brought_up(ledger)) as at_once:
        for one in (index, at_once):
            said = {name: next(d.said for e in ledger.entries for d in documents(e) if d.id == name) for name in ("art_1", "art_2", "art_5")}  # fmt: skip
            assert cosine_of(one, "art_5", " ".join(said.values())) == pytest.approx(1, abs=2e-3)
            assert cosine_of(one, "art_2", f"{said['art_1']} {said['art_2']}") == pytest.approx(1, abs=2e-3)
            assert cosine_of(one, "art_3", "user red fox") == cosine_of(at_once, "art_3", "user red fox")
            assert abs(cosine_of(one, "art_3", "whale")) < 0.5 and abs(cosine_of(one, "art_4", "whale")) < 0.5


def test_of_long_turns_before_a_turn_only_the_end_is_embedded() -> None:
    ledger, seen = Ledger(), []

    class Seeing(Hashed):
        def embed(self, texts: Sequence[str]) -> Vectors:
            seen.extend(texts)
            return super().embed(texts)

    ledger.add(turn("art_1", "green " * 500 + "frog", "ses_1"), turn("art_2", "blue whale", "ses_1"))
    with closing(VectorIndex(None, Seeing(), ledger)) as index:
        index.bring_up(ledger.head)
    assert len(seen[1]) < 700 and "frog" in seen[1] and seen[1].endswith("blue whale")


def test_what_was_said_in_an_erased_turn_leaves_the_vectors_of_the_turns_after_it(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.add(turn("art_1", "green frog", "ses_1"), turn("art_2", "blue whale", "ses_1"))
    ledger.add(claim("clm_1", "red", "fox", "here"))
    for path in (tmp_path / "v", None):
        with closing(VectorIndex(path, Hashed(), ledger)) as index:
            index.bring_up(ledger.head)
            with_it = cosine_of(index, "art_2", "green frog")
            assert with_it > 0.4  # the control
            then = Ledger(*ledger.entries)
            then.add(status("art_1", "status", "erased"))
            index._entries = then
            index.bring_up(then.head)
            assert len(index) == 2 and cosine_of(index, "art_2", "green frog") < with_it - 0.3
            assert index.applied == then.head and found(index, "red fox")[0] == "clm_1"


class Failing(Hashed):
    """Fails after so many texts."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.left -= len(texts)
        if self.left < 0:
            raise RuntimeError("a secret of the service")
        return super().embed(texts)


def test_what_was_embedded_before_a_failure_stays(tmp_path: Path) -> None:
    ledger = Ledger()
    for number in range(600):
        ledger.add(claim(f"clm_{number}", f"thing{number}", "lies", "there"))
    index = VectorIndex(tmp_path / "v", Failing(300), ledger)
    with pytest.raises(EmbedderFailed, match="RuntimeError") as told:
        index.bring_up(ledger.head)
    assert "secret" not in str(told.value)
    index.close()
    embedder = Hashed()
    with closing(VectorIndex(tmp_path / "v", embedder, ledger)) as index:
        index.bring_up(ledger.head)
        assert 0 < embedder.seen < 600 and len(index) == 600


@pytest.mark.parametrize("answer", [np.zeros((1, 3)), np.full((1, DIMENSION), np.nan), np.zeros((2, DIMENSION))])
def test_an_answer_of_another_shape_or_without_numbers_is_a_failure(answer: Vectors) -> None:
    embedder = Hashed()
    embedder.embed = lambda texts: answer  # type: ignore[method-assign]
    ledger = Ledger()
    ledger.add(claim("clm_1", "blue", "whale", "here"))
    with pytest.raises(EmbedderFailed):
        VectorIndex(None, embedder, ledger).bring_up(1)


def test_a_closed_or_damaged_file_is_told(tmp_path: Path) -> None:
    ledger = Ledger()
    ledger.add(claim("clm_1", "blue", "whale", "here"))
    index = brought_up(ledger, tmp_path / "v")
    with closing(sqlite3.connect(tmp_path / "v")) as editor:
        editor.execute("DROP TABLE documents")
    with pytest.raises(Damaged, match="tkg rebuild"):
        found(index, "blue")
    index.close()


WORDS = ("blue", "whale", "red", "fox", "green", "frog", "swims", "runs")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
PATHS = ("acme", "acme/ana", "beta")


@given(
    st.lists(st.tuples(TEXTS, st.sampled_from(PATHS), st.sampled_from(["", "revoked", "erased"])), max_size=25),
    TEXTS,
    st.sets(st.sampled_from(PATHS)),
    st.integers(1, 10),
    st.booleans(),
)
def test_agrees_with_looking_at_everything(
    rows: list[tuple[str, str, str]], query: str, scopes: set[str], limit: int, past: bool
) -> None:
    """The reference: every standing text of the visible scopes, by its cosine."""
    ledger, embedder = Ledger(), Hashed()
    for number, (text, path, then) in enumerate(rows):
        ledger.add(artefact(f"art_{number:02}", text).model_copy(update={"scope": path}))
        if then:
            ledger.add(status(f"art_{number:02}", "status", then))
    asked = embedder.embed([query])[0]
    expected = []
    for number, (_, path, then) in enumerate(rows):
        if path in scopes and then != "erased" and (past or then != "revoked"):
            written = next(one for e in ledger.entries for one in documents(e) if one.id == f"art_{number:02}")
            vector = embedder.embed([written.said or written.text])[0]
            near = float(vector @ asked / np.linalg.norm(vector) / np.linalg.norm(asked))
            expected.append((-near, written.id))
    with closing(brought_up(ledger, rescored=1_024)) as index:
        hits = index.search(query, scopes=sorted(scopes), kinds=KINDS, limit=limit, as_of=ledger.head if past else None)
    worst = sorted(expected)[:limit]
    assert len(hits) == len(worst)
    for hit, (near, _) in zip(hits, worst, strict=True):
        assert hit.cosine == hit.context == pytest.approx(-near, abs=2e-3)
    assert [hit.lead for hit in hits] == sorted((hit.lead for hit in hits), reverse=True)


def test_a_turn_shares_in_the_meaning_of_the_turns_beside_it_in_its_session_only() -> None:
    ledger = Ledger()
    ledger.add(turn("art_1", "green frog", "ses_1"), turn("art_2", "blue whale swims", "ses_1"))
    ledger.add(
        turn("art_3", "yes indeed", "ses_1"), turn("art_4", "no matter", "ses_2"), artefact("art_5", "red fox runs")
    )
    with closing(brought_up(ledger)) as index:
        hits = {hit.id: hit for hit in index.search("blue whale swims", scopes=["acme"], kinds=KINDS, limit=9)}
        assert set(list(hits)[:2]) == {"art_2", "art_3"}  # the third is embedded with the second
        for one in ("art_1", "art_3"):
            assert hits[one].context >= hits["art_2"].cosine and hits[one].lead > hits["art_4"].lead
        assert hits["art_4"].context == hits["art_4"].cosine and hits["art_5"].context == hits["art_5"].cosine
        ledger.add(turn("art_6", "nothing more", "ses_1"))
        index.bring_up(ledger.head)
        alone = {hit.id: hit for hit in index.search("yes indeed", scopes=["acme"], kinds=KINDS, limit=9)}
        assert (
            alone["art_3"].context == alone["art_6"].cosine > alone["art_3"].cosine
        )  # also across two runs of `bring_up`


def test_signs_choose_what_is_compared_in_full() -> None:
    """Of many rows the nearest ones are among those whose signs agree; counted against comparing all."""
    ledger = Ledger()
    draw = np.random.default_rng(7)
    texts = [" ".join(draw.choice(WORDS, size=3)) + f" item{number}" for number in range(400)]
    ledger.add(*(artefact(f"art_{number:03}", text) for number, text in enumerate(texts)))
    with closing(brought_up(ledger, rescored=100)) as few, closing(brought_up(ledger)) as all_of_them:
        same = sum(len(set(found(few, text, limit=5)) & set(found(all_of_them, text, limit=5))) for text in texts[:50])
        assert same >= 0.9 * 250
        assert found(few, texts[3], limit=5) == found(few, texts[3], limit=5)


def test_a_question_is_embedded_as_a_question() -> None:
    class Asked(Hashed):
        questions: list[str] = []

        def embed_questions(self, texts: Sequence[str]) -> Vectors:
            self.questions += texts
            return self.embed(texts)

    ledger, embedder = Ledger(), Asked()
    ledger.add(claim("clm_1", "blue", "whale", "here"))
    index = VectorIndex(None, embedder, ledger)
    index.bring_up(ledger.head)
    assert not embedder.questions and embedder.seen == 1
    assert found(index, "blue whale") == ["clm_1"] and embedder.questions == ["blue whale"]
