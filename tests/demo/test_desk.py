"""A desk: the same ids and times every time, files of its story, and nothing left behind."""

from __future__ import annotations

import pytest

from tkg.demo import Desk
from tkg.errors import NotFound, RequestError


def told() -> list[str]:
    desk = Desk("mailbox", at="2025-09-01T08:00Z", engine="memory")
    verdicts = desk.ingest("../day-00/reconciliation-guide.md", principal="guide-loader", version="3")
    desk.on("2025-09-02")
    answer = desk.handle("agent_inferred", "agent", "s").recall("Where do exception reports go?")
    place = desk.memory.path
    desk.close()
    assert place is not None and not place.exists()
    assert answer.trace.valid_at == 1_756_771_200_000_000
    return [*(one.id for one in verdicts), *(one.id for one in answer.items), answer.text]


def test_it_is_the_same_every_time() -> None:
    first, second = told(), told()
    assert first == second and "regional settlement mailbox" in first[-1]


def test_it_says_what_it_does_not_have() -> None:
    for name in ("no-such-story", ""):
        with pytest.raises(NotFound):
            Desk(name, at="2025-09-01", engine="memory")
    desk = Desk("rivals", at="2026-02-01", engine="memory")
    for call in (lambda: desk.ingest("none.md", principal="x"), lambda: desk.lines("none.jsonl")):
        with pytest.raises(NotFound):
            call()
    desk.on("2026-02-02")
    with pytest.raises(RequestError, match="does not go back"):
        desk.on("2026-02-01")
    assert [one["who"] for one in desk.lines("notes.jsonl")] == ["ana", "ana", "ben", "ben"]
    desk.close()


def test_its_settings_are_those_of_the_story() -> None:
    strict, loose = (
        Desk("cutoff", at="2026-01-12", engine="memory", settings=one) for one in ("tkg.toml", "loose.toml")
    )
    declared = [desk.memory.policies.write.registry.get("cutoff").consequence for desk in (strict, loose)]
    assert declared == ["high", "low"]
    strict.close()
    loose.close()
