"""`verify`: whatever is changed is found, named by its code, and what is well is not called damaged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import tkg
from tests.engines import CYPHER, engine_or_skip
from tests.memory.test_meaning import Toy
from tkg.errors import NotFound, NotPermitted, RequestError
from tkg.ids import canonical, chain_hash
from tkg.ledger.heads import append_witness, read_kept
from tkg.memory.checking import REMEDIES, Report
from tkg.memory.directory import folder_name
from tkg.memory.store import Memory


def fill(path: Path, *, count: int = 12, **options: object) -> Path:
    """Make a store with a tenant and return the tenant's folder."""
    with tkg.open(path, **{"engine": "memory", **options}) as memory:  # type: ignore[arg-type]
        write(memory, 0, count)
    return path / "tenants" / folder_name("acme")


def write(memory: Memory, start: int, count: int) -> None:
    acme = memory.scope("acme", channel="human_stated", principal="ana", session="s1")
    for number in range(start, start + count):
        acme.propose(
            subject=f"pump {number}", predicate="pressure", object=f"{number} bar", evidence=tkg.Evidence(uri="log")
        )
    read = acme.recall("pump 3")
    acme.derive("summary", "Pumps are under pressure.", used=read)
    claim = acme.propose(subject="pump x", predicate="colour", object="red", evidence=tkg.Evidence(uri="log")).claim_id
    assert claim is not None
    acme.revoke(acme.plan_revoke(claim=claim), reason="wrong pump")


def verify(path: Path, **options: object) -> Report:
    with tkg.open(path, engine="memory", read_only=True) as memory:
        return memory.verify(**options)  # type: ignore[arg-type]


def codes(report: Report) -> set[str]:
    return {one.code for one in report.findings}


def edit(path: Path, statement: str, values: tuple[object, ...] = ()) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_a_whole_store_has_no_findings_open_or_closed(tmp_path: Path) -> None:
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        write(memory, 0, 5)
        report = memory.verify()
        assert report.ok and report.findings == () and report.tenants[0].graph == "memory"
        beside = verify(tmp_path / "m")
        assert beside.ok and codes(beside) == {"in_use"} and beside.tenants[0].graph == "skipped"
    report = verify(tmp_path / "m")
    assert report.ok and report.findings == ()
    (one,) = report.tenants
    assert (one.tenant, one.entries, one.heads, one.index) == ("acme", 9, 1, "file")
    with tkg.open(None, engine="memory") as memory:
        write(memory, 0, 3)
        assert memory.verify().ok
    with pytest.raises(NotFound):
        verify(tmp_path / "m", tenant="other")


def _rehash(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection:
        prev = ""
        for seq, body in connection.execute("SELECT seq, body FROM entries ORDER BY seq").fetchall():
            fields = json.loads(body)
            fields["prev"] = prev
            fields["op"] = "forged" if seq == 2 else fields["op"]
            text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            prev = chain_hash(text)
            connection.execute("UPDATE entries SET body = ?, hash = ? WHERE seq = ?", (text, prev, seq))
        connection.commit()


def _head(folder: Path, change: Callable[[dict[str, object]], None]) -> None:
    place = folder / "head.json"
    kept = json.loads(place.read_text())
    change(kept["head"])
    place.write_text(canonical(kept) + "\n")  # written otherwise, it is no head of ours


def _flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def _blank(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(bytes(4096))


def _cut(folder: Path) -> None:
    edit(folder / "ledger.sqlite", "DELETE FROM content WHERE place >= 14 * 1048576")
    edit(folder / "ledger.sqlite", "DELETE FROM entries WHERE seq >= 14")


def _lose(folder: Path) -> None:
    (folder / "ledger.sqlite").rename(folder / "ledger.sqlite-wal")


def _newer(folder: Path) -> None:
    edit(folder / "ledger.sqlite", "PRAGMA user_version = 99")
    edit(folder / "ledger.sqlite", "UPDATE meta SET value = '99' WHERE name = 'format'")


_OTHER_KEY = """
UPDATE meta SET value = substr(value, 1, 8) || CASE substr(value, 9, 1) WHEN '0' THEN '1' ELSE '0' END || substr(value, 10)
WHERE name = 'key'
"""

DAMAGE: list[tuple[str, Callable[[Path], object]]] = [
    ("ledger_missing", lambda f: (f / "ledger.sqlite").unlink()),
    ("ledger_file", _lose),
    ("ledger_file", lambda f: (f / "ledger.sqlite").write_bytes(b"no database at all " * 300)),
    ("ledger_structure", lambda f: _blank(f / "ledger.sqlite", 3)),
    ("ledger_meta", lambda f: edit(f / "ledger.sqlite", "UPDATE meta SET value = 'globex' WHERE name = 'tenant'")),
    ("ledger_gap", lambda f: edit(f / "ledger.sqlite", "DELETE FROM entries WHERE seq = 4")),
    ("ledger_entry", lambda f: edit(f / "ledger.sqlite", "UPDATE entries SET body = body || ' ' WHERE seq = 4")),
    ("ledger_content", lambda f: edit(f / "ledger.sqlite", "DELETE FROM entries WHERE seq = 16")),
    ("ledger_structure", lambda f: edit(f / "ledger.sqlite", "DROP INDEX content_commitment")),
    ("ledger_bytes", lambda f: _flip(f / "ledger.sqlite", 27)),  # the file change counter: SQLite does not mind
    ("ledger_meta", lambda f: edit(f / "ledger.sqlite", "PRAGMA user_version = 99")),
    ("newer_format", _newer),
    ("ledger_cut", _cut),
    ("head_file", lambda f: (f / "head.json").write_text("{")),
    ("head_signature", lambda f: _head(f, lambda head: head.update(tx_time=1))),
    ("head_root", _rehash),
    ("index_differs", lambda f: edit(f / "index.sqlite", "UPDATE documents SET marks = 1 WHERE number = 2")),
    ("index_differs", lambda f: edit(f / "index.sqlite", "DELETE FROM terms WHERE term = 'pump'")),
    ("index_differs", lambda f: edit(f / "index.sqlite", "INSERT INTO found (rowid, tokens) VALUES (2, '1zgold')")),
    ("index_unreadable", lambda f: (f / "index.sqlite").write_bytes(b"x" * 5000)),
]


def test_a_changed_key_is_named(tmp_path: Path) -> None:
    """Ids are made with it, so with another one every name leads nowhere."""
    folder = fill(tmp_path / "m")
    (folder / "ledger.sqlite.seal").unlink()
    edit(folder / "ledger.sqlite", _OTHER_KEY)
    report = verify(tmp_path / "m")
    assert codes(report) - {"not_compared"} == {"ledger_meta"}
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        assert memory.scope("acme").value("pump 3", "pressure").kind == "none"  # what it would answer
        assert "ledger_meta" in codes(memory.verify())


@pytest.mark.parametrize(("code", "spoil"), DAMAGE, ids=[f"{code}-{n}" for n, (code, _) in enumerate(DAMAGE)])
def test_each_damage_has_its_code_and_a_remedy(tmp_path: Path, code: str, spoil: Callable[[Path], object]) -> None:
    folder = fill(tmp_path / "m")
    spoil(folder)
    report = verify(tmp_path / "m")
    assert code in codes(report) and not report.ok
    told = next(one for one in report.findings if one.code == code)
    assert told.remedy == REMEDIES[code] and told.tenant == "acme" and "pressure" not in told.detail


def test_a_rewritten_history_is_found_by_a_head_kept_elsewhere(tmp_path: Path) -> None:
    folder, elsewhere = fill(tmp_path / "m"), tmp_path / "heads.jsonl"
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        append_witness(elsewhere, memory.head("acme"))
        write(memory, 20, 3)
    report = verify(tmp_path / "m", witness=elsewhere)
    assert report.ok and codes(report) == set()  # the head beside the ledger covers the rest
    (folder / "head.json").unlink()
    assert codes(verify(tmp_path / "m", witness=elsewhere)) == {"unwitnessed_tail"}
    _rehash(folder)  # whoever can write the file can make a chain that fits …
    (folder / "ledger.sqlite.seal").unlink()
    (folder / "index.sqlite").unlink()
    assert verify(tmp_path / "m").ok
    assert "witness_root" in codes(verify(tmp_path / "m", witness=elsewhere))  # … but not the head that lies elsewhere


def test_witness_codes(tmp_path: Path) -> None:
    folder, elsewhere = fill(tmp_path / "m"), tmp_path / "heads.jsonl"
    kept = read_kept(folder / "head.json")
    assert kept is not None and kept.head.signed_by() == kept.head.key
    append_witness(elsewhere, kept.head.model_copy(update={"tx_time": 5}))
    assert "witness_signature" in codes(verify(tmp_path / "m", witness=elsewhere))
    other = fill(tmp_path / "other")
    stranger = read_kept(other / "head.json")
    assert stranger is not None
    elsewhere.write_text("")
    append_witness(elsewhere, stranger.head)
    assert "witness_key" in codes(verify(tmp_path / "m", witness=elsewhere))
    elsewhere.write_text("")
    append_witness(elsewhere, kept.head)
    _cut(folder)
    assert "witness_cut" in codes(verify(tmp_path / "m", witness=elsewhere))
    elsewhere.write_text("not a head\n")
    with pytest.raises(RequestError, match="line 1"):
        verify(tmp_path / "m", witness=elsewhere)
    with pytest.raises(NotFound):
        verify(tmp_path / "m", witness=tmp_path / "nowhere")


def test_closing_does_not_sign_away_a_lost_end(tmp_path: Path) -> None:
    folder = fill(tmp_path / "m")
    before = (folder / "head.json").read_bytes()
    _cut(folder)
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        memory.scope("acme").value("pump 1", "pressure")
    assert (folder / "head.json").read_bytes() == before
    assert "ledger_cut" in codes(verify(tmp_path / "m"))


def test_a_key_that_is_gone_is_told(tmp_path: Path) -> None:
    fill(tmp_path / "m")
    (tmp_path / "m" / "head.key").unlink()
    assert "head_signature" in codes(verify(tmp_path / "m"))


def test_proofs_are_of_the_ledger_and_hold(tmp_path: Path) -> None:
    fill(tmp_path / "m")
    with tkg.open(tmp_path / "m", engine="memory", read_only=True) as memory:
        made = memory.prove("acme", 3, size=9, since=4)
        assert made.holds() and len(made.inclusion) == 4
        assert not made.model_copy(update={"leaf": made.root}).holds()
        assert not made.model_copy(update={"since_root": made.root}).holds()
        for wrong in ({"seq": 0}, {"seq": 99}, {"seq": 3, "size": 2}, {"seq": 1, "since": 99}):
            with pytest.raises(RequestError):
                memory.prove("acme", **wrong)
        with pytest.raises(NotPermitted):
            memory.head("acme")


@pytest.mark.engine
@pytest.mark.parametrize("how", ["byte", "row", "cut", "stale", "foreign"])
def test_a_graph_file_that_is_not_the_ledgers_is_found_and_made_anew(tmp_path: Path, how: str) -> None:
    engine = engine_or_skip(CYPHER)
    folder = fill(tmp_path / "m", engine=engine, graph_file_above=-1)
    with tkg.open(tmp_path / "m", engine=engine, read_only=True) as memory:
        for _ in range(2):  # looking does not change the file
            report = memory.verify()
            assert report.ok and report.findings == () and report.tenants[0].graph == "file"
    graph = folder / "graph"
    if how == "byte":
        _flip(graph, graph.stat().st_size // 2)
    elif how == "cut":
        graph.write_bytes(graph.read_bytes()[:-4096])
    else:
        other = fill(tmp_path / "other", count=2, engine=engine, graph_file_above=-1)
        graph.write_bytes((other / "graph").read_bytes())
        if how == "foreign":
            (folder / "graph.seal").write_bytes((other / "graph.seal").read_bytes())
        if how == "row":
            (folder / "graph.seal").unlink()
    with tkg.open(tmp_path / "m", engine=engine, read_only=True) as memory:
        found = codes(memory.verify())
        assert found == ({"graph_differs"} if how in ("row", "foreign") else {"graph_bytes"})
    with tkg.open(tmp_path / "m", engine=engine, graph_file_above=-1) as memory:
        assert memory.scope("acme").value("pump 3", "pressure").values == ("3 bar",)
        assert len(memory.notices) == 1 and "made anew" in memory.notices[0]
        assert memory.verify().ok
    with tkg.open(tmp_path / "m", engine=engine, read_only=True) as memory:
        assert memory.verify().findings == ()


def test_changed_vectors_are_named_and_made_anew(tmp_path: Path) -> None:
    with tkg.open(tmp_path / "m", engine="memory", embedder=Toy()) as memory:
        write(memory, 0, 12)
        report = memory.verify()
        assert report.findings == () and report.tenants[0].vectors == "file"
    path = tmp_path / "m" / "tenants" / folder_name("acme") / "vectors.sqlite"
    report = verify(tmp_path / "m")
    assert report.findings == () and report.tenants[0].vectors == "file"
    edit(path, "UPDATE documents SET vector = zeroblob(length(vector)) WHERE number = 2")
    (found,) = verify(tmp_path / "m").findings
    assert (found.code, found.severity) == ("vectors_differ", "error") and "tkg rebuild" in found.remedy
    with tkg.open(tmp_path / "m", engine="memory", embedder=Toy()) as memory:
        memory.scope("acme").recall("pump 3")
        assert codes(memory.verify()) == {"vectors_differ"}
        memory.rebuild("acme")
        assert memory.verify().findings == ()
    path.write_bytes(b"x" * 5000)
    assert codes(verify(tmp_path / "m")) == {"vectors_unreadable"}
