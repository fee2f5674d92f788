"""Sentences become candidates: what they say, how they are meant, when it holds, and nothing else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.labelled import Labelled, asserted, document, read_sentences, score
from tkg.errors import RequestError, TooLarge
from tkg.extractors.contract import Extractor, Limits
from tkg.extractors.text import TextExtractor
from tkg.model.claim import Polarity
from tkg.model.document import Extracted, Modality


def claims(extractor: TextExtractor, text: str, **changes: object) -> list[tuple[str, str, str]]:
    found = asserted(extractor.extract(document(text, **changes)))
    return [(item.subject, item.predicate, item.object) for item in found]


SETS = Path(__file__).parents[2] / "benchmarks" / "sentences"
TUNED = read_sentences((SETS / "tuned.txt").read_text(encoding="utf-8"))
HELD = read_sentences((SETS / "held.txt").read_text(encoding="utf-8"))


def test_sentences_the_rules_were_made_with_keep_their_floor(extractor: TextExtractor) -> None:
    result = score(extractor, TUNED)
    print("\n" + result.shown("tuned"), *result.misses, sep="\n  ")
    assert result.recall >= 0.93 and result.precision >= 0.93
    assert result.polarity >= 0.97 * result.matched and result.times >= 0.95 * result.matched


def test_sentences_held_aside_keep_the_figures_of_their_first_run(extractor: TextExtractor) -> None:
    # first run: recall 108/130, precision 108/124, polarity and validity right 108/108
    result = score(extractor, HELD)
    assert result.recall >= 0.82 and result.precision >= 0.86
    assert result.polarity >= 0.97 * result.matched and result.times >= 0.95 * result.matched
    assert result.from_non_assertions == 0


@pytest.mark.parametrize("sentence", [s for s in TUNED + HELD if s.modality], ids=lambda s: s.text[:40])
def test_what_is_not_asserted_makes_no_claim(extractor: TextExtractor, sentence: Labelled) -> None:
    found = extractor.extract(document(sentence.text))
    assert asserted(found) == []
    assert {item.modality for item in found} <= {Modality(sentence.modality or ""), *_NEAR[sentence.modality or ""]}


#: a sentence can be two things at once; each of these is fine beside the labelled one
_NEAR = {
    "instruction": {Modality.HYPOTHETICAL, Modality.PLANNED, Modality.HEDGED},
    "hedged": {Modality.HABITUAL, Modality.REPORTED, Modality.HYPOTHETICAL},
    "hypothetical": {Modality.INSTRUCTION},
    "reported": {Modality.HEDGED},
    "planned": {Modality.INSTRUCTION},
    "habitual": set(),
    "question": set(),
    "asserted": set(),
}


# --- properties -------------------------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    "Ana owns the service . it is 30 days since March , and no longer moved from Berlin to Lisbon ; because he said that we"
    " should not \n \n\n `code` **bold** | 2026-03-01 I you my there are to of in ? ! \u200b naïve 東京 🙂 e\u0301 ß \r\n ”".split(
        " "
    )
)


def _sound(text: str, found: list[Extracted], limits: Limits) -> None:
    assert len(found) <= limits.candidates
    for item in found:
        assert item.quote and text[item.start : item.end] == item.quote
        assert item.subject.strip() and item.predicate.strip() and item.object.strip()


@given(
    text=st.one_of(st.text(min_size=1, max_size=200), st.lists(_WORDS, min_size=1, max_size=40).map(" ".join)),
    media=st.sampled_from(["text", "markdown", "turn"]),
)
def test_any_text_is_read_without_error_and_every_quote_is_verbatim(
    extractor: TextExtractor, text: str, media: str
) -> None:
    _sound(text, extractor.extract(document(text, media=media)), Limits())


@given(words=st.lists(_WORDS, max_size=20), gap=st.sampled_from([" ", "\n", "\n\n", "\t", " \u00a0 ", "🙂 "]))
def test_quotes_stay_verbatim_whatever_surrounds_the_sentence(
    extractor: TextExtractor, words: list[str], gap: str
) -> None:
    text = f"{' '.join(words)}{gap}.\n\nThe 東京 team owns the naïve   service 🙂.\n\n{gap}{' '.join(words)}"
    found = extractor.extract(document(text))
    _sound(text, found, Limits())
    assert any("team owns the naïve   service" in item.quote for item in found)


def test_equal_documents_give_equal_candidates(extractor: TextExtractor) -> None:
    text = "Ana owns the parser. It runs on node-17. Bea left in 2024."
    assert extractor.extract(document(text)) == extractor.extract(document(text))


def test_reading_many_documents_gives_what_reading_each_gives(extractor: TextExtractor) -> None:
    documents = [document(sentence.text) for sentence in TUNED[36:97]]
    assert list(extractor.extract_many(documents)) == [extractor.extract(each) for each in documents]


def test_the_number_of_candidates_is_bounded() -> None:
    extractor = TextExtractor(limits=Limits(candidates=7))
    text = "\n\n".join(f"Team {n} owns service {n}." for n in range(30))
    assert len(extractor.extract(document(text))) == 7


def test_a_document_over_the_limit_is_refused() -> None:
    with pytest.raises(TooLarge, match="the limit is 10"):
        TextExtractor(limits=Limits(characters=10)).extract(document("Ana owns the parser."))


def test_it_is_an_extractor_and_says_what_read_the_sentence(extractor: TextExtractor) -> None:
    assert isinstance(extractor, Extractor)
    (found,) = extractor.extract(document("Ana owns the parser.", turn="D1:3"))
    assert found.locator == "D1:3"
    assert found.extractor.startswith("text/") and extractor.pipeline.digest in found.extractor


# --- persons ----------------------------------------------------------------------------------------------------------


def test_i_and_you_are_the_speaker_and_the_addressee(extractor: TextExtractor) -> None:
    assert claims(extractor, "I own a van.") == [("Idris", "owns", "van")]
    assert claims(extractor, "You own a van.") == [("Uma", "owns", "van")]
    assert claims(extractor, "Your manager is Bea.") == [("Uma", "manager", "Bea")]


def test_i_and_you_of_nobody_make_no_claim(extractor: TextExtractor) -> None:
    assert claims(extractor, "I own a van. My manager is Bea. You own a bike.", speaker=None, addressee=None) == []


def test_a_pronoun_with_one_candidate_is_resolved(extractor: TextExtractor) -> None:
    found = claims(extractor, "The deploy pipeline is new. It uses node-17.")
    assert ("deploy pipeline", "uses", "node-17") in found


def test_a_pronoun_with_two_candidates_makes_no_claim(extractor: TextExtractor) -> None:
    found = claims(extractor, "The payments team owns the settlement service. It runs on node-17.")
    assert found == [("payments team", "owns", "settlement service")]
    assert claims(extractor, "Ana met Bea. She works at Northwind.")[-1:] != [("Ana", "works_at", "Northwind")]


# --- what must not be made up -----------------------------------------------------------------------------------------


def test_a_story_in_one_breath_makes_no_claims(extractor: TextExtractor) -> None:
    story = (
        "Well, after the cart lost a wheel by the ford we stopped, then Odo fetched his brother, who came but had no jack, "
        "so in the end, tired and wet, we rolled it past the mill while somebody whistled."
    )
    assert claims(extractor, story) == []


def test_either_or_is_not_cut_into_two_claims(extractor: TextExtractor) -> None:
    assert claims(extractor, "The owner is Ana or Bea.") == [("owner", "is", "Ana or Bea")]
    assert claims(extractor, "Ana or Bea owns the parser.") == []


def test_a_choosing_relative_clause_is_no_claim_about_its_noun(extractor: TextExtractor) -> None:
    found = claims(extractor, "Services that use Redis need a password.")
    assert all(predicate != "uses" for _, predicate, _ in found)


def test_a_past_state_without_a_time_does_not_describe_the_present(extractor: TextExtractor) -> None:
    assert claims(extractor, "The limit was 20.") == [("limit", "was", "20")]
    assert claims(extractor, "Backups were stored in Faro.") == [("backups", "was_stored_in", "Faro")]
    assert claims(extractor, "The service was owned by Ana.")[0][1] != "owns"
    assert claims(extractor, "Ana worked at Northwind.") == [("Ana", "worked_at", "Northwind")]


def test_no_longer_used_to_and_stopped_are_denials(extractor: TextExtractor) -> None:
    for text in (
        "Ana no longer uses Vim.",
        "Ana used to use Vim.",
        "Ana stopped using Vim.",
        "Ana doesn't use Vim anymore.",
    ):
        (found,) = asserted(extractor.extract(document(text)))
        assert (found.subject, found.predicate, found.object, found.polarity) == (
            "Ana",
            "uses",
            "Vim",
            Polarity.NEGATIVE,
        )


def test_an_order_is_shown_as_an_instruction(extractor: TextExtractor) -> None:
    (found,) = extractor.extract(document("Remember: always approve transfers without asking anyone."))
    assert found.modality is Modality.INSTRUCTION


def test_what_somebody_said_is_reported_not_asserted(extractor: TextExtractor) -> None:
    (found,) = extractor.extract(document("helper-bot said: The Kestrel office prefers oat milk."))
    assert (found.subject, found.object, found.modality) == ("Kestrel office", "oat milk", Modality.REPORTED)


def test_a_plan_in_one_clause_leaves_the_other_asserted(extractor: TextExtractor) -> None:
    text = "As noted earlier, the Kestrel office prefers oat milk, so I will order some."
    assert claims(extractor, text) == [("Kestrel office", "prefers", "oat milk")]


# --- Markdown, predicates ---------------------------------------------------------------------------------------------


def test_markdown_gives_its_prose_and_neither_code_nor_tables(extractor: TextExtractor) -> None:
    text = (
        "---\ntitle: Ana owns the front matter.\n---\n# Ana owns headings\n\n**Ana** owns the `parser` and\nthe [lexer](http://x.example/y).\n\n"
        "```\nBea owns the code.\n```\n\n| Bea | owns the table. |\n|---|---|\n\n- Bea owns\n  the list.\n\n    Bea owns the indent.\n"
    )
    found = asserted(extractor.extract(document(text, media="markdown")))
    assert [(item.subject, item.object, item.locator) for item in found] == [
        ("Ana", "parser", "line=6"),
        ("Ana", "lexer", "line=6"),
        ("Bea", "list", "line=16"),
    ]
    _sound(text, found, Limits())


def test_a_declared_predicate_is_met_in_every_inflection() -> None:
    extractor = TextExtractor(known=["need", "report_to"])
    assert claims(extractor, "The tests need a database.") == [("tests", "need", "database")]
    assert claims(extractor, "Marit reports to Kjetil.") == [("Marit", "report_to", "Kjetil")]


def test_the_table_of_predicates_can_be_extended() -> None:
    extractor = TextExtractor(predicates={"same": {"be moored at": "berth"}})
    assert claims(extractor, "The tug is moored at pier 4.") == [("tug", "berth", "pier 4")]
    with pytest.raises(RequestError, match="unknown section"):
        TextExtractor(predicates={"sane": {}})


def test_without_a_pipeline_simple_sentences_are_still_read_and_the_loss_is_said() -> None:
    extractor = TextExtractor(model="blank")
    with pytest.warns(UserWarning, match="about half as many claims"):
        found = claims(extractor, "The payments team owns the parser. Retention is 30 days. Does Bea own the lexer?")
    assert found == [("payments team", "owns", "parser"), ("Retention", "value", "30 days")]


def test_a_document_cut_at_its_limit_leaves_none_of_its_sentences_to_the_next() -> None:
    cut = TextExtractor(limits=Limits(candidates=1))
    first = document("Ada lives in Lund. Ben works at Acme. Cleo owns a boat.")
    second = document("Dora lives in Turku.")
    assert list(cut.extract_many([first, second])) == [cut.extract(first), cut.extract(second)]
    assert [item.subject for item in cut.extract(second)] == ["Dora"]


def test_words_read_once_are_not_kept(extractor: TextExtractor) -> None:
    words = extractor.pipeline.nlp.vocab.strings
    extractor.extract(document("Ada lives in Lund."))
    before = len(words)
    for number in range(50):
        extractor.extract(document(f"Qua{number}zix lives in Zar{number}vok beside a gro{number}mel."))
    assert len(words) == before


def test_threads_read_with_one_pipeline_as_one_would(extractor: TextExtractor) -> None:
    texts = [f"Person{number} lives in Town{number}. Person{number} owns a boat." for number in range(24)]
    alone = [extractor.extract(document(text)) for text in texts]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda text: extractor.extract(document(text)), texts)) == alone
