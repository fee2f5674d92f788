"""Texts through the facade: what an extractor found becomes proposals, and one odd sentence spoils nothing else."""

from __future__ import annotations

from tests.memory.build import Stage


def test_an_end_in_the_past_is_kept_and_spoils_nothing_else() -> None:
    stage = Stage()
    verdicts = stage.by("ana").remember("Until June 2025 the archive was kept in Oslo. The ledger runs on Redis.")
    assert len(verdicts) == 3, verdicts
    assert stage.holds("archive", "stored_in", valid_at="2025-05-01") == ("Oslo",)
    assert stage.holds("archive", "stored_in", valid_at="2025-07-02") == ()
    assert stage.holds("ledger", "runs_on") == ("Redis",)


def test_a_long_session_is_not_read_again_for_every_turn() -> None:
    """What a turn reads does not grow with the turns before it (a tool's words count as shown to the session)."""
    stage = Stage()
    tool = stage.by("tool", "external", session="day")
    stage.by("ana").remember("Good morning, everybody.")
    graph = stage.memory.tenant("acme").graph
    calls: list[int] = []
    reads = 0

    def counted(name: str) -> None:
        read = getattr(graph, name)

        def counting(*args: object, **more: object) -> object:
            nonlocal reads
            reads += 1
            return read(*args, **more)

        setattr(graph, name, counting)

    for name in ("artefact", "evidence", "claim", "source", "slot", "verdict"):
        counted(name)
    for number in range(30):
        reads = 0
        verdicts = tool.remember(f"The archive {number} is hosted in Oslo.")
        assert len(verdicts) == 2 and verdicts[1].channel == "external"
        calls.append(reads)
    assert max(calls[20:]) <= max(calls[5:10]) + 2, calls
