"""Every extractor of tkg keeps the contract, and so does one of another package, found by its name."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.memory.build import Stage
from tkg.errors import NotFound, RequestError, Unsupported
from tkg.extractors import Extractor, Rules, extractor_named, extractor_names
from tkg.extractors.llm import ModelExtractor, Request
from tkg.extractors.text import TextExtractor
from tkg.model.document import Document, Extracted
from tkg.testing import ExtractorContract

RULES = TextExtractor()


class TestRules(ExtractorContract):
    model = RULES.pipeline.name

    def make(self) -> Extractor:
        return Rules()


class TestText(ExtractorContract):
    model = RULES.pipeline.name

    def make(self) -> Extractor:
        return TextExtractor()


def gullible(request: Request) -> dict[str, Any]:
    """A model that takes every "X verbs Y" for a fact, and always adds one it made up."""
    told = [
        {
            "subject": found[1], "predicate": found[2], "object": found[3], "negated": False, "basis": "stated",
            "quote": found[0], "source_turn": one["id"], "expiry": None,
        }
        for one in json.loads(request.text)["turns"]
        for found in re.finditer(r"(\w+) (\w+s|use|own|to) ((?:the )?\w+)", one["text"])
    ]  # fmt: skip
    made_up = {**told[0], "quote": "Mallory owns the bank.", "object": "the bank"} if told else None
    return {"facts": [*([made_up] if made_up else []), *told][:10]}


class TestModel(ExtractorContract):
    model = "gullible"

    def make(self) -> Extractor:
        return ModelExtractor(gullible, model="gullible", rules=RULES)


class Broken:
    """Quotes what is not there."""

    name, version = "broken", "1"

    def extract(self, document: Document) -> list[Extracted]:
        return [
            Extracted(
                subject="Mallory", predicate="owns", object="the bank", observed_at=document.observed_at,
                quote="Mallory owns the bank.", start=0, end=22, locator="t", extractor="broken/1",
            )
        ]  # fmt: skip


def test_the_contract_catches_an_extractor_that_makes_things_up() -> None:
    class Suite(ExtractorContract):
        def make(self) -> Extractor:
            return Broken()

    suite = Suite()
    tests = [name for name in dir(suite) if name.startswith("test_")]
    failed = []
    for name in tests:
        try:
            getattr(suite, name)()
        except AssertionError:
            failed.append(name)
    assert "test_every_quote_is_the_documents_text_at_its_offsets" in failed
    assert "test_questions_hypotheses_and_orders_are_not_asserted" in failed
    assert "test_nothing_comes_of_nothing" in failed and len(tests) >= 12


def test_what_an_extractor_makes_up_never_reaches_the_gate() -> None:
    stage = Stage()
    verdicts = stage.by("ana").remember("Ben owns a bank account.", extractor=Broken())
    assert [one.kind for one in verdicts] == ["episode"]
    assert stage.holds("Mallory", "owns") == ()
    assert len(stage.by("ana").remember("Ben owns the ledger.")) == 2, "the positive control"


# -- by name


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package that brings extractors."""
    (tmp_path / "acme_extract.py").write_text(
        dedent('''\
        """Finds "colour: blue" lines."""
        from tkg.model.document import Extracted

        class Colours:
            name, version = "acme-colours", "3"

            def __init__(self, key="colour"):
                self.key = key

            def extract(self, document):
                mark = f"{self.key}: "
                found = []
                at = document.text.find(mark)
                while at >= 0:
                    end = document.text.find("\\n", at)
                    end = len(document.text) if end < 0 else end
                    value = document.text[at + len(mark):end]
                    if value:
                        found.append(Extracted(
                            subject="house", predicate=self.key, object=value, observed_at=document.observed_at,
                            quote=document.text[at:end], start=at, end=end, locator="line=1",
                            extractor="acme-colours/3"))
                    at = document.text.find(mark, end)
                return found

        NOTHING = dict
        '''),
        "utf-8",
    )
    info = tmp_path / "acme_extract-3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-extract\nVersion: 3\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[tkg.extractors]\ncolours = acme_extract:Colours\nnothing = acme_extract:NOTHING\n"
        "gone = acme_extract:Gone\nrules = acme_extract:Colours\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_extract", raising=False)
    return tmp_path


def test_a_third_partys_extractor_is_found_by_its_name_and_its_claims_say_so(package: Path) -> None:
    assert extractor_names() == ["rules", "llm", "colours", "gone", "nothing"]
    stage = Stage()
    verdicts = stage.by("ana").remember("colour: blue\nThe cat sleeps.", extractor=extractor_named("colours"))
    assert stage.holds("house", "colour") == ("blue",)
    shown = stage.memory.scope("acme").explain(verdicts[1].claim_id or "")
    assert [one.extractor for one in shown.evidence] == ["acme-colours/3"]
    assert extractor_named("colours", key="price").extract(
        Document(text="price: 4", uri="u", observed_at=0)
    )[0].object == "4"  # fmt: skip


def test_tkgs_own_names_cannot_be_taken(package: Path) -> None:
    assert isinstance(extractor_named("rules"), Rules)


@pytest.mark.parametrize(
    ("name", "settings", "error", "says"),
    [
        ("colors", {}, NotFound, "there are: rules, llm, colours"),
        ("gone", {}, Unsupported, "cannot be imported"),
        ("nothing", {}, Unsupported, "has no name"),
        ("colours", {"size": "4"}, RequestError, "does not take"),
        ("rules", {"size": "4"}, RequestError, "no setting 'size'"),
    ],
)
def test_what_is_no_extractor_is_said(
    package: Path, name: str, settings: dict[str, str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=re.escape(says)):
        extractor_named(name, **settings)


def test_the_stores_own_extractor_reads_what_names_none(package: Path) -> None:
    stage = Stage(extractor=extractor_named("colours"))
    stage.by("ana").remember("colour: blue")
    stage.by("ana").remember("owner: Ben\n", media="yaml")
    assert stage.holds("house", "colour") == ("blue",)


def test_what_a_model_concludes_counts_as_an_agents_word_and_what_is_stated_as_the_speakers() -> None:
    told = {
        "negated": False, "source_turn": "0", "expiry": None, "quote": "Ben uses Vim and Ana writes the reports",
    }  # fmt: skip
    model = ModelExtractor(
        lambda _: {
            "facts": [
                {"subject": "Ben", "predicate": "uses", "object": "Vim", "basis": "stated", **told},
                {"subject": "Ana", "predicate": "likes", "object": "reports", "basis": "inferred", **told},
            ]
        },
        model="fixed",
        rules=RULES,
    )
    stage = Stage()
    verdicts = stage.by("ana").remember("Ben uses Vim and Ana writes the reports.", extractor=model)
    assert [one.channel for one in verdicts] == ["human_stated", "human_stated", "agent_inferred"]
    shown = stage.memory.scope("acme").explain(verdicts[1].claim_id or "")
    assert [one.extractor for one in shown.evidence] == [f"llm/{model.version}"]


def test_a_model_that_fails_leaves_nothing_and_the_same_call_works_later() -> None:
    answers: list[Any] = ["no JSON", "again none", {"facts": []}]
    model = ModelExtractor(lambda _: answers.pop(0), model="flaky", rules=RULES)
    stage = Stage()
    stage.by("ana").remember("Hello there, the first one.")
    before = stage.memory.tenant("acme").ledger.head
    with pytest.raises(Exception, match="is no JSON"):
        stage.by("ana").remember("Ben uses Vim.", extractor=model)
    assert stage.memory.tenant("acme").ledger.head == before
    assert stage.by("ana").remember("Ben uses Vim.", extractor=model)[0].artefact_id is not None
