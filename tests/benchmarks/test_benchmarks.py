"""The benchmarks run, on small stores: what they print is checked, how fast anything is, is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import carb, recall, timing, write
from benchmarks.__main__ import main
from benchmarks.catalogue import BENCHMARKS, Benchmark
from benchmarks.corpus import facts, proposals, questions
from benchmarks.labelled import read_sentences
from benchmarks.stores import TENANT, build, made, open_store

FIELDS = {"name", "n", "figures", "baselines", "seconds", "peak_mb", "versions"}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "_SIZES", (60,))
    monkeypatch.setattr(write, "_SAMPLES", 4)
    monkeypatch.setattr(recall, "_SIZES", (40, 120))
    monkeypatch.setattr(recall, "_SAMPLES", 4)


def test_without_a_name_they_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in BENCHMARKS)


@pytest.mark.slow
def test_several_run_in_one_call_and_give_one_line_each(
    small: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["write", "recall", "--json", "--engine", "kuzu", "--stores", str(tmp_path)]) == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["claims-120", "claims-40", "claims-60"]
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["name"], second["name"]) == ("write", "recall")
    assert set(first) >= FIELDS
    assert set(second) >= FIELDS
    assert first["n"] == 8
    assert first["figures"]["kuzu_file_60_gated_p50_ms"] > 0 and first["baselines"]["kuzu_file_60_bare_p50_ms"] > 0
    assert second["figures"]["kuzu_growth"] > 0
    assert second["figures"]["kuzu_120_recall_p95_ms"] >= second["figures"]["kuzu_120_recall_p50_ms"]
    assert second["baselines"]["kuzu_120_bare_p50_ms"] > 0
    assert second["figures"]["kuzu_120_items"] > 0


def test_a_kept_store_is_used_again_and_half_a_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "claims-40.part").mkdir()
    store = made(tmp_path, 40)
    (store / "mark").touch()
    assert made(tmp_path, 40) == store and (store / "mark").exists()
    assert not (tmp_path / "claims-40.part").exists()


def test_one_without_its_data_says_so_and_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(BENCHMARKS, "other", Benchmark("other", "nothing", "nowhere", needs=("set/file.json",)))
    assert main(["other", "--data", str(tmp_path), "--json"]) == 0
    shown = capsys.readouterr()
    assert "skipped" in shown.err
    assert "set/file.json" in json.loads(shown.out)["skipped"]
    assert main(["other", "--data", str(tmp_path)]) == 0
    assert "skipped" in capsys.readouterr().out


def test_an_unknown_name_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["nothing"])
    assert caught.value.code == 2
    assert "no benchmark" in capsys.readouterr().err


def test_the_corpus_is_the_same_every_time() -> None:
    known = facts(50)
    assert known == facts(50)
    assert known != facts(50, seed=8)
    assert questions(known, 10) == questions(known, 10)
    assert proposals(known, 10) == proposals(known, 10)


def test_a_store_made_in_bulk_answers(tmp_path: Path) -> None:
    known = build(tmp_path / "store", 80)
    with open_store(tmp_path / "store", "memory", in_file=False) as memory:
        handle = memory.scope(tenant=TENANT)
        found = handle.recall(f"{known[-1].subject} {known[-1].predicate}").items
    assert known[-1].subject in {item.subject for item in found}
    assert {(item.subject, item.predicate, item.object) for item in found} <= {fact[:3] for fact in known}


def test_percentiles_are_nearest_ranks() -> None:
    values = [float(value) for value in range(1, 101)]
    assert (timing.p50(values), timing.p95(values), timing.percentile(values, 1.0)) == (50.0, 95.0, 100.0)
    assert (timing.p50([7.0]), timing.p95([7.0])) == (7.0, 7.0)


def test_a_stage_counts_without_the_stages_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    class Work:
        def outer(self) -> None:
            self.inner()

        def inner(self) -> None:
            now[0] += 2.0

    now = [0.0]
    monkeypatch.setattr(timing, "perf_counter", lambda: now[0])
    stages, work = timing.Stages(), Work()
    stages.watch(work, "outer", "outer")
    stages.watch(Work, "inner", "inner")
    with stages.call():
        work.outer()
        now[0] += 1.0
    stages.restore()
    assert stages.medians() == {"inner": 2000.0, "other": 1000.0, "outer": 0.0}
    assert "outer" not in vars(work)
    work.inner()
    assert stages.totals == [3000.0]


def test_dates_in_words_are_scored_against_what_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "time"
    (folder / "recognizers_en").mkdir(parents=True)
    (folder / "edtf").mkdir()

    def case(text: str, **value: str) -> dict[str, object]:
        return {
            "Context": {"ReferenceDateTime": "2016-11-07T00:00:00"},
            "Results": [{"Text": text, "Value": {"FutureResolution": value, "PastResolution": value}}],
        }

    dates = [case("the 21st", date="2016-11-21"), case("tomorrow", date="2016-11-09")]
    ranges = [case("from 3 to 9 May 2016", startDate="2016-05-03", endDate="2016-05-09")]
    (folder / "recognizers_en/DateParser.json").write_text(json.dumps(dates), "utf-8")
    (folder / "recognizers_en/DatePeriodParser.json").write_text(json.dumps(ranges), "utf-8")
    days = {"text": "this week", "ref": "2013-02-12T04:30:00", "gold": [["2013-02-11T00:00:00", "2013-02-18T00:00:00"]]}
    clock = {"text": "3pm", "ref": "2013-02-12T04:30:00", "gold": [["2013-02-12T15:00:00", "2013-02-12T16:00:00"]]}
    (folder / "duckling_half.json").write_text(json.dumps([days, clock]), "utf-8")
    (folder / "edtf/python-edtf_examples.json").write_text(
        json.dumps({"EXAMPLES": [["2008-12", ["2008-12-01", "2008-12-31"]], ["199X", ["1990-01-01", "1999-01-01"]]]}),
        "utf-8",
    )
    lists = {"invalid_edtf_dates": ["1960-06-31"], "invalid_edtf_intervals": []}
    (folder / "edtf/edtf-validate_lists.json").write_text(json.dumps(lists), "utf-8")
    assert main(["when", "--data", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == 4
    figures = found["figures"]
    assert figures["recognizers_date_exact"] == 0.5, "a wrong answer in the data is a miss"
    assert (figures["recognizers_range_exact"], figures["recognizers_range_lenient"]) == (0, 1)
    assert figures["duckling_days_exact"] == 1
    assert figures["edtf"] == pytest.approx(2 / 3, abs=1e-3)
    assert any("199X" in one for one in found["missed"])


def test_open_triples_are_scored_by_the_words_they_share(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("Ana owns the depot .\towns\tAna\tthe depot\nAna owns the depot .\tis of\tdepot\tAna\n", "utf-8")
    gold = carb.read_gold(path)
    exact = carb.Triple(("owns",), (("Ana",), ("the", "depot")))
    assert carb.score(gold, {"Ana owns the depot .": [exact]}) == (1.0, 0.5, pytest.approx(2 / 3))
    longer = carb.Triple(("owns",), (("Ana",), ("the", "depot", "since", "May")))
    precision, recall, _ = carb.score(gold, {"Ana owns the depot .": [longer]})
    assert (precision, recall) == (pytest.approx(4 / 6), 0.5)
    assert carb.score(gold, {"Ana owns the depot .": [exact, exact]})[0] == 0.5, "each reference is taken once"
    assert carb.score(gold, {}) == (0.0, 0.0, 0.0)


def test_labelled_sentences_are_read_with_their_alternatives_and_periods() -> None:
    first, second = read_sentences(
        "A is B since May. => - A | is | B / A | value | B @2026-05.. ; C | d | E\nWhy? => ! question\n"
    )
    assert first.claims[0].forms == (("A", "is", "B"), ("A", "value", "B"))
    assert (first.claims[0].negative, first.claims[0].valid_from, first.claims[0].valid_to) == (True, "2026-05", None)
    assert (len(first.claims), second.claims, second.modality) == (2, (), "question")


def test_carbs_rules_of_be_said_and_single_arguments() -> None:
    said = carb.Triple(("said",), (("Ana",), ("it", "rains")))
    turned = carb.Triple(("said",), (("it", "rains"), ("Ana",)))
    assert carb.pair(said, turned) == (1.0, 1.0)
    assert carb.pair(carb.Triple(("sang",), said.arguments), carb.Triple(("sang",), turned.arguments)) == (0.25, 0.25)
    capital = (("Oslo",), ("the", "capital"))
    assert carb.pair(carb.Triple(("was",), capital), carb.Triple(("be",), capital)) == (1.0, 1.0)
    assert carb.pair(carb.Triple(("was",), capital), carb.Triple(("is",), capital)) == (0.0, 0.0)
    alone = carb.Triple(("is", "ill"), (("Ben",),))
    assert carb.pair(alone, carb.Triple(("is",), (("Ben",), ("ill",)))) == (1.0, pytest.approx(2 / 3))
    other = carb.Triple(("owns",), (("Cleo",), ("the", "depot")))
    assert carb.pair(carb.Triple(("owns",), (("Ana",), ("the", "depot"))), other) == (0.75, 0.75)
