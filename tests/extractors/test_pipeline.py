"""The pipeline is found on this machine, checked against its hashes, and never downloaded."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tkg.errors import NotFound
from tkg.extractors import pipeline


def _pinned_root() -> Path:
    root = pipeline._package_root(pipeline.PINNED)
    assert root is not None
    return root


def test_the_pinned_pipeline_has_its_known_weights() -> None:
    assert pipeline.pinned_faults(_pinned_root()) == []


def test_changed_weights_are_named_and_the_blank_pipeline_reads_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "model"
    shutil.copytree(_pinned_root(), root)
    with (root / "parser" / "model").open("r+b") as file:
        file.seek(100)
        file.write(b"\x00")
    assert pipeline.pinned_faults(root) == ["parser/model"]
    monkeypatch.setattr(pipeline, "OFFICIAL", ())
    monkeypatch.setattr(pipeline, "_package_root", lambda package: root)
    pipeline.resolve.cache_clear()
    try:
        with pytest.warns(UserWarning, match=r"differs from its known hashes \(parser/model\)"):
            found = pipeline.resolve()
        assert (found.name, found.parses) == ("blank", False)
    finally:
        pipeline.resolve.cache_clear()


def test_without_any_pipeline_the_loss_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_package_root", lambda package: None)
    pipeline.resolve.cache_clear()
    try:
        with pytest.warns(UserWarning, match="no English spaCy pipeline is installed.*pip install"):
            assert not pipeline.resolve().parses
    finally:
        pipeline.resolve.cache_clear()


def test_an_official_pipeline_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    root = _pinned_root()
    monkeypatch.setattr(pipeline, "_package_root", lambda package: root if package == "en_core_web_sm" else None)
    pipeline.resolve.cache_clear()
    try:
        assert pipeline.resolve().name == "en_core_web_sm"
    finally:
        pipeline.resolve.cache_clear()


def test_a_named_pipeline_must_be_there() -> None:
    with pytest.raises(NotFound, match="no spaCy pipeline 'en_core_web_xx'"):
        pipeline.resolve("en_core_web_xx")
    assert pipeline.resolve(str(_pinned_root())).parses


@pytest.mark.parametrize(
    "name",
    [
        "ap-southeast-2",
        "node-17",
        "new_checkout",
        "v2.3.1",
        "db-stage-2.internal",
        "/etc/app/conf.yaml",
        "https://docs.example.org/a?b=1",
        "ops@example.org",
        "TKG-1042",
        "a.b.c",
        "10.0.4.7",
    ],
)
def test_identifiers_stay_whole(name: str) -> None:
    doc = pipeline.resolve().nlp.make_doc(f"The job uses {name}.")
    assert name in [token.text for token in doc]


def test_importing_the_extractors_loads_no_spacy() -> None:
    code = "import tkg.extractors, sys; print('spacy' in sys.modules, 'dateparser' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_what_was_read_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_LEMMAS", 50)
    found = pipeline.resolve()
    lemmas = found.nlp.get_pipe("lemmatizer").cache
    with found.reading():
        found.nlp("Ada walks to the harbour.")
    known = len(found.nlp.vocab.strings)
    for number in range(20):
        with found.reading():
            text = " ".join(f"wharfs{number}x{place} loaded{number}y{place}" for place in range(20))
            assert len(found.nlp(text)) == 40
        assert len(lemmas) <= 50
    assert len(found.nlp.vocab.strings) - known < 20  # and not the 800 words
