"""Texts through the facade: what an extractor found becomes proposals, and one odd sentence spoils nothing else."""

from __future__ import annotations

from tests.memory.build import Stage


def test_an_end_in_the_past_is_kept_and_spoils_nothing_else() -> None:
    stage = Stage()
    verdicts = stage.by("ana").remember("Until June 2025 the archive was kept in Oslo. The ledger runs on Redis.")
    assert len(verdicts) == 3, verdicts
    assert stage.holds("archive", "kept_in", valid_at="2025-05-01") == ("Oslo",)
    assert stage.holds("archive", "kept_in", valid_at="2025-07-02") == ()
    assert stage.holds("ledger", "runs_on") == ("Redis",)
