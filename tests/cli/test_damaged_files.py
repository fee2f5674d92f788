"""Every format, every kind of damage, in one folder beside files that are right: one clear line each, the rest goes on."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import SYSTEM, WHO, Acme
from tests.extractors.test_pages import bomb, locked_pdf, pdf, word
from tkg.extractors import formats

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

#: name -> what such a file holds when it is right, and the format that has to be named
FACT = "The audit team owns the archive."
TURN = {"role": "user", "content": FACT, "timestamp": "2026-03-01T09:00:00Z"}
SLACK = {"type": "message", "user": "U1", "ts": "1772355600.000100", "text": FACT}
ANTHROPIC = {"messages": [{"role": "user", "content": [{"type": "text", "text": FACT}]}]}
LOCOMO = [
    {
        "sample_id": "t",
        "conversation": {
            "speaker_a": "Mira",
            "speaker_b": "Tom",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Mira", "dia_id": "D1:1", "text": FACT}],
        },
    }
]
GOOD: dict[str, bytes] = {
    "a.md": f"# Notes\n\n{FACT}\n".encode(),
    "a.txt": f"{FACT}\n".encode(),
    "a.rst": f"{FACT}\n".encode(),
    "a.log": f"{FACT}\n".encode(),
    "a.html": f"<h1>Notes</h1><p>{FACT}</p>".encode(),
    "a.pdf": pdf(FACT),
    "a.docx": word(),
    "a.yaml": b"owner: audit team\n",
    "a.json": b'{"owner": "audit team"}',
    "a.toml": b'owner = "audit team"\n',
    "a.ini": b"[archive]\nowner = audit team\n",
    "app.env": b"OWNER=audit\n",
    "a.jsonl": json.dumps(TURN).encode() + b"\n",
    "openai.json": json.dumps([TURN]).encode(),
    "anthropic.json": json.dumps(ANTHROPIC).encode(),
    "slack.json": json.dumps([SLACK]).encode(),
    "whatsapp.txt": f"[2026-03-01, 09:00:00] Ana: {FACT}\n[2026-03-01, 09:01:00] Ben: Thanks\n".encode(),
}
#: damage -> how it is done to a right file; None where that cannot be done to the format
Damage = Callable[[str, bytes], bytes | None]


def _encoded(name: str, raw: bytes) -> bytes | None:
    """Save a text in another encoding, with a letter that shows it."""
    if name.endswith((".pdf", ".docx", ".html")):  # they say their encoding themselves
        return None
    return raw.replace(b"audit", "aüdit".encode("latin-1")).replace(b"Ana", "Aña".encode("latin-1"))


def _truncated(name: str, raw: bytes) -> bytes | None:
    """Cut a file where a reader notices."""
    cut = {".json": -2, ".jsonl": -4, ".pdf": 300, ".docx": 2000, ".toml": -3}
    at = cut.get(Path(name).suffix)
    if name.endswith(".yaml"):
        return b'owner: "audit te'
    if name.endswith(".ini"):
        return b"[archive\nowner = audit team\n"
    if name.endswith(".env"):
        return b"OWNER\n"
    return None if at is None else raw[:at]


def _malformed(name: str, raw: bytes) -> bytes | None:
    """Write what is not of the form."""
    forms = {
        ".yaml": b"owner: [audit\n: team",
        ".json": b"{owner audit}",
        ".toml": b"owner == 3",
        ".ini": b"owner audit team\n",
        ".env": b"no sign here\n",
        ".jsonl": b"{not json}\n",
        ".pdf": b"%PDF-1.4\nnothing",
        ".docx": b"PK\x03\x04rest",
    }
    return forms.get(Path(name).suffix)


def _huge(name: str, raw: bytes) -> bytes | None:
    if name.endswith(".jsonl"):
        return raw.replace(b"The", b"The " + b"very " * 20_000)
    return raw + b"\n" * 70_000


def _locked(name: str, raw: bytes) -> bytes | None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 500
    return {".pdf": locked_pdf(), ".docx": ole}.get(Path(name).suffix)


DAMAGES: dict[str, Damage] = {
    "empty": lambda name, raw: b"",
    "blank": lambda name, raw: None if name.endswith((".pdf", ".docx")) else b" \n\t\n",
    "binary": lambda name, raw: b"\x00\x01\x02\xff" + bytes(range(256)) * 4,
    "encoded": _encoded,
    "truncated": _truncated,
    "malformed": _malformed,
    "huge": _huge,
    "locked": _locked,
    "bomb": lambda name, raw: bomb() if name.endswith(".docx") else None,
}


@pytest.fixture(autouse=True)
def _smaller_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MAX_FILE", 64 * 1024)
    monkeypatch.setattr(formats, "MAX_LINE", 64 * 1024)


def test_the_control_every_right_file_is_read(acme: Acme, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, raw in GOOD.items():
        (folder / name).write_bytes(raw)
    result = acme("ingest", *WHO, folder, "--json")
    assert (result.code, result.json["failed"], result.err) == (0, 0, ""), result
    assert result.json["documents"] == len(GOOD) + 1, "the WhatsApp export holds two messages"


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_damaged_file_is_one_line_and_the_rest_goes_on(damage: str, acme: Acme, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    wrong = [name for name, raw in GOOD.items() if (_made := DAMAGES[damage](name, raw)) is not None]
    for name in wrong:
        (folder / name).write_bytes(DAMAGES[damage](name, GOOD[name]) or b"")
    (folder / "z-last.md").write_bytes(b"# Last\n\nThe night shift owns the gateway.\n")
    result = acme("ingest", *WHO, folder, "--json")
    lines = result.err.splitlines()
    assert result.code == 1, result
    for name in wrong:
        about = [line for line in lines if line.startswith((f"{name}:", f"{name} "))]
        assert len(about) == 1 and len(about[0]) > len(name) + 15, (name, about, lines)
        assert "Traceback" not in about[0] and "Unexpected" not in about[0]
    assert len(lines) == len(wrong) == result.json["failed"]
    assert (result.json["documents"], result.json["episodes"]) == (1, 1)
    assert acme("value", "night shift", "owns", "--json").json["value"] == "gateway", "what comes after is read"
    for name in wrong[:3]:
        alone = acme("ingest", *WHO, folder / name)
        assert alone.code == 2, (name, alone)


@pytest.mark.parametrize(
    ("raw", "says"),
    [(b"", "no text"), (b"[]", ""), (b'{"a": 1}', ""), (b"[[[", ""), (json.dumps(LOCOMO).encode()[:-9], ""), (b"\0\1", "binary")],
)  # fmt: skip
def test_a_damaged_long_conversation_is_one_line(raw: bytes, says: str, acme: Acme, tmp_path: Path) -> None:
    good, bad = tmp_path / "a.json", tmp_path / "b.json"
    good.write_text(json.dumps(LOCOMO), "utf-8")
    bad.write_bytes(raw)
    result = acme("ingest", *WHO, "--format", "locomo", bad, good, "--json")
    assert (result.code, result.json["episodes"], result.json["failed"]) == (1, 1, 1), result
    assert len(result.err.splitlines()) == 1 and says in result.err


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet"])
@pytest.mark.parametrize("damage", ["empty", "binary", "truncated", "encoded", "other"])
def test_a_damaged_table_is_one_line_and_the_next_is_read(name: str, damage: str, acme: Acme, tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text('[[claims]]\nsubject = "{name}"\npredicate = "lives_in"\nobject = "{city}"\n', "utf-8")
    sign = "\t" if name.endswith(".tsv") else ","
    right = f"name{sign}city\nAna{sign}Porto\n".encode()
    if name.endswith(".parquet"):
        out = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table({"name": ["Ana"], "city": ["Porto"]}), out)
        right = out.getvalue()
    raw = {
        "empty": b"",
        "binary": b"\x00\x01\x02\xff" * 50,
        "truncated": right[:40] if name.endswith(".parquet") else f'name{sign}city\nAna{sign}"Por'.encode(),
        "encoded": right if name.endswith(".parquet") else f"name{sign}city\nÅna{sign}Porto\n".encode("latin-1"),
        "other": f"who{sign}where\nAna{sign}Porto\n".encode(),
    }[damage]
    bad, good = tmp_path / name, tmp_path / "good.csv"
    bad.write_bytes(raw)
    good.write_text("name,city\nBea,Braga\n", "utf-8")
    result = acme("ingest", *SYSTEM, bad, good, "--mapping", mapping, "--observed-at", "2026-04-01", "--json")
    if raw == right:  # there is no wrong encoding of a Parquet file
        assert result.code == 0
    else:
        assert (result.code, result.json["failed"]) == (1, 1), result
        assert len(result.err.splitlines()) == 1 and name in result.err
    assert acme("value", "Bea", "lives_in", "--json").json["value"] == "Braga"


def test_what_is_no_file_and_what_may_not_be_read_is_one_line(acme: Acme, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.md").write_text(f"{FACT}\n", "utf-8")
    os.mkfifo(folder / "b.md")
    (folder / "c.md").symlink_to(folder / "nowhere.md")
    (folder / "d.md").mkdir()
    result = acme("ingest", *WHO, folder, "--json")
    assert result.json["episodes"] == 1 and result.code in (0, 1)
    assert len(result.err.splitlines()) == result.json["failed"]
    pipe = acme("ingest", *WHO, folder / "b.md")
    assert pipe.code == 2 and "not a regular file" in pipe.err
