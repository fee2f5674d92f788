"""Wrong input: one clear sentence on stderr, the right exit code, nothing written, never a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import WHO, Acme, Run, digests

CLAIM = ("--subject", "deploys", "--predicate", "needs", "--object", "two approvals")


def with_(**changes: str) -> tuple[str, ...]:
    """The claim with some of its options changed or added."""
    fields = dict(zip(CLAIM[::2], CLAIM[1::2], strict=True)) | {
        f"--{name.replace('_', '-')}": v for name, v in changes.items()
    }
    return tuple(word for pair in fields.items() for word in pair)


TABLE: dict[str, tuple[tuple[str, ...], str]] = {
    "no predicate": (("--subject", "deploys", "--object", "two approvals"), "--predicate"),
    "empty predicate": (with_(predicate=" "), "predicate"),
    "empty subject": (with_(subject=""), "subject"),
    "ends before it starts": (with_(valid_from="2026-03-02", valid_to="2026-03-01"), "interval"),
    "ends where it starts": (with_(valid_from="2026-03-01T00:00:00Z", valid_to="2026-03-01T00:00:00Z"), "interval"),
    "no zone": (with_(valid_from="2026-03-01T09:00:00"), "zone"),
    "no date": (with_(valid_from="soonish"), "time"),
    "no day like it": (with_(valid_from="2026-02-30"), "time"),
    "two megabytes": (with_(object="x" * 2_000_000), "longer than"),
    "long subject": (with_(subject="x" * 3_000), "longer than"),
    "lone surrogate": (with_(object="two \ud800 approvals"), "surrogate"),
    "NUL": (with_(object="two\x00approvals"), "NUL"),
    "NUL in the principal": ((*with_(), "--principal", "a\x00b"), "NUL"),
    "unknown option": ((*CLAIM, "--colour", "blue"), "--colour"),
    "unknown polarity": (with_(polarity="maybe"), "maybe"),
    "evidence without a place": (with_(quote="words"), "--uri"),
    "unknown dependency": (with_(depends_on="clm_" + "0" * 26), "no such"),
    "NUL in the uri": (with_(uri="a\x00b"), "NUL"),
}


@pytest.mark.parametrize("case", TABLE)
def test_a_wrong_claim_is_refused_and_nothing_is_written(acme: Acme, case: str) -> None:
    words, hint = TABLE[case]
    before = acme.bytes()
    assert before
    result = acme("propose", *WHO, *words)
    assert (result.code, result.out) == (2, ""), result
    assert hint.lower() in result.err.lower()
    assert result.err.count("\n") == 1 and result.err.endswith("\n") and "Traceback" not in result.err
    assert len(result.err) < 400
    assert acme.bytes() == before


@pytest.mark.parametrize("case", TABLE)
def test_a_wrong_claim_makes_no_store(run: Run, tmp_path: Path, case: str) -> None:
    words, _ = TABLE[case]
    result = run("propose", "--store", tmp_path / "new", "--tenant", "acme", "--engine", "memory", *WHO, *words)
    assert result.code == 2
    assert not (tmp_path / "new").exists()


def test_the_probe_sees_a_write(acme: Acme) -> None:
    before = acme.bytes()
    assert acme("propose", *WHO, *CLAIM).code == 0
    assert acme.bytes() != before


@pytest.mark.parametrize(
    "tenant", ["", "../up", "Acme", "a b", "acmé", "acme\x00", "acme/user", "-acme", "con", "a" * 64, "\u202eacme"]
)
@pytest.mark.parametrize("command", ["propose", "recall", "export", "ingest"])
def test_an_odd_tenant_is_refused_at_the_door(run: Run, tmp_path: Path, command: str, tenant: str) -> None:
    words = {"propose": (*WHO, *CLAIM), "recall": ("what?",), "export": (), "ingest": (*WHO, str(tmp_path))}[command]
    if command in ("recall", "export"):
        run("init", "--store", tmp_path / "store")
    result = run(command, "--store", tmp_path / "store", "--tenant", tenant, "--engine", "memory", *words)
    assert result.code == 2 and result.out == "" and result.err.count("\n") == 1
    assert digests(tmp_path) == {}


@pytest.mark.parametrize("missing", ["--store", "--tenant", "--channel", "--principal"])
def test_who_and_where_have_no_default(run: Run, tmp_path: Path, missing: str) -> None:
    options = {
        "--store": str(tmp_path / "s"), "--tenant": "acme", "--channel": "human_stated", "--principal": "ana"
    }  # fmt: skip
    del options[missing]
    result = run("propose", *(word for pair in options.items() for word in pair), *CLAIM)
    assert result.code == 2 and missing in result.err and result.err.count("\n") == 1


def test_the_environment_may_name_the_store(run: Run, acme: Acme, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TKG_STORE", str(acme.store))
    result = run("export", "--tenant", "acme", "--engine", "memory")
    assert result.code == 0


def test_a_store_that_is_not_there(run: Run, tmp_path: Path) -> None:
    for command, *words in (["recall", "what?"], ["lineage", "clm_1"], ["export"], ["contradictions"], ["review"]):
        result = run(command, "--store", tmp_path / "none", "--tenant", "acme", *words)
        assert result.code == 2 and "tkg init" in result.err
    assert not (tmp_path / "none").exists()


def test_a_tenant_that_was_never_created(acme: Acme) -> None:
    result = acme.run("recall", "--store", acme.store, "--tenant", "acme-corp", "--engine", "memory", "what?")
    assert result.code == 2 and "no such tenant" in result.err


def test_a_file_in_place_of_the_store(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "file" / "store"):
        for command, words in (("init", ()), ("propose", ("--tenant", "acme", *WHO, *CLAIM))):
            result = run(command, "--store", place, *words)
            assert result.code == 2 and result.err.count("\n") == 1, result
    assert (tmp_path / "file").read_text() == "x"


def test_a_folder_with_other_things_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    result = run("init", "--store", tmp_path)
    assert result.code == 2 and sorted(one.name for one in tmp_path.iterdir()) == ["mine.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root ignores permissions")
def test_a_folder_without_permission(run: Run, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    result = run("init", "--store", tmp_path / "locked" / "store")
    assert result.code == 2 and "permission" in result.err


def test_a_store_of_a_newer_version(acme: Acme) -> None:
    (acme.store / "store.json").write_text(json.dumps({"format": 999}))
    before = acme.bytes()
    for command, words in (("recall", ("what?",)), ("propose", (*WHO, *CLAIM)), ("export", ())):
        result = acme(command, *words)
        assert result.code == 4 and "upgrade" in result.err.lower() and result.err.count("\n") == 1
    assert acme.bytes() == before


def test_a_damaged_marker(acme: Acme) -> None:
    (acme.store / "store.json").write_text("not json")
    assert acme("export").code == 4


@pytest.mark.parametrize(
    "text", ["[write]\nunknown = 1\n", "[colours]\n", "not toml", '[predicates.x]\ncardinality = "few"\n']
)
def test_a_bad_policy_file(acme: Acme, text: str) -> None:
    (acme.store / "tkg.toml").write_text(text)
    result = acme("export")
    assert result.code == 2 and result.err.count("\n") == 1


def test_an_unknown_id(acme: Acme) -> None:
    for command in ("show", "explain", "lineage", "exposure"):
        for identifier in ("clm_" + "0" * 26, "nonsense", "", "\x1b[31m", "art_" + "z" * 26):
            result = acme(command, identifier)
            assert result.code == 2 and result.out == "" and result.err.count("\n") == 1, (command, identifier, result)


@pytest.mark.parametrize("as_of", ["tx:", "tx:x", "tx:-1", "soon", "2026-13", "2026-03-01T09:00:00"])
def test_an_unreadable_as_of(acme: Acme, as_of: str) -> None:
    assert acme("value", "a", "b", f"--as-of={as_of}").code == 2


def test_an_unexpected_error_is_one_sentence(acme: Acme, monkeypatch: pytest.MonkeyPatch) -> None:
    def burst(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret \x1b[31m text")

    monkeypatch.setattr("tkg.open", burst)
    result = acme("export")
    assert result.code == 4 and result.err.count("\n") == 1 and "secret" not in result.err
    shown = acme.run("--debug", "export", "--store", acme.store, "--tenant", "acme")
    assert shown.code == 4 and "Traceback" in shown.err
