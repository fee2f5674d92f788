"""Sources fetched again: five states, and what rests on a source that no longer says it waits."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

import tkg
from tkg.clock import ManualClock
from tkg.errors import NotPermitted, RequestError
from tkg.memory.fetching import Limits, fetch
from tkg.memory.store import Memory

TEXT = "# Guide\n\nDeploys need two approvals.\nReports go to the queue.\n"
QUOTE = "Deploys need two approvals."


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, tzinfo=UTC), timedelta(microseconds=1))


@pytest.fixture
def memory(clock: ManualClock) -> Iterator[Memory]:
    with tkg.open(None, engine="memory", clock=clock) as opened:
        yield opened


def claim(memory: Memory, uri: str = "guide.md", *, subject: str = "deploys", **evidence: str) -> tuple[str, str]:
    told = memory.scope("acme", channel="human_stated", principal="ana", session="s").propose(
        subject=subject, predicate="need", object="two approvals", evidence=tkg.Evidence(uri=uri, **evidence)
    )
    assert told.claim_id is not None and told.evidence_id is not None
    return told.claim_id, told.evidence_id


def state(memory: Memory, identifier: str) -> str:
    return memory.scope("acme").explain(identifier).state


def states(memory: Memory, root: Path, **more: object) -> list[str]:
    return [one.state for one in memory.reverify("acme", roots=[root], **more).items]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "locator", "expected"),
    [
        (TEXT, None, "fresh"),
        (TEXT, "line=3", "fresh"),
        (TEXT, "chars=9-36", "fresh"),
        ("\n" * 90 + TEXT, "line=3", "moved"),
        (TEXT.replace("Deploys need", "Deploys  need"), None, "moved"),
        (TEXT.replace("two", "three"), None, "changed"),
        ("", "line=3", "changed"),
        (None, None, "gone"),
    ],
)
def test_what_a_file_says_now(
    memory: Memory, tmp_path: Path, text: str | None, locator: str | None, expected: str
) -> None:
    node, evidence = claim(memory, quote=QUOTE, **({} if locator is None else {"locator": locator}))
    if text is not None:
        (tmp_path / "guide.md").write_text(text)
    assert states(memory, tmp_path) == [expected]
    assert state(memory, node) == ("suspended" if expected in ("changed", "gone") else "active")
    last = memory.tenant("acme").book.last(evidence, "verified")
    assert last is not None and last.value == expected


def test_what_rests_on_it_alone_waits_and_comes_back(memory: Memory, tmp_path: Path) -> None:
    place = tmp_path / "guide.md"
    place.write_text(TEXT)
    alone, _ = claim(memory, quote=QUOTE)
    both, _ = claim(memory, subject="releases", quote=QUOTE)
    again, _ = claim(memory, "wiki.md", subject="releases", quote="Releases need two approvals.")
    assert again == both
    (tmp_path / "wiki.md").write_text("Releases need two approvals.")
    acme = memory.scope("acme", channel="agent_inferred", principal="agent", session="w")
    summary = acme.derive("summary", "Two approvals.", from_=[alone])
    assert set(states(memory, tmp_path)) == {"fresh"}
    place.write_text("Rewritten.")
    report = memory.reverify("acme", roots=[tmp_path])
    assert report.counts == {"changed": 2, "fresh": 1}
    assert [state(memory, one) for one in (alone, both, summary.id)] == ["suspended", "active", "suspended"]
    assert {alone, summary.id} <= {one for item in report.items for one in item.suspended}
    assert acme.value("deploys", "need").kind == "none" and acme.value("releases", "need").values == ("two approvals",)
    assert [one.id for one in acme.recall("deploys approvals").items if one.id == alone] == []
    place.write_text(TEXT)  # put back
    assert set(states(memory, tmp_path)) == {"fresh"}
    assert [state(memory, one) for one in (alone, both, summary.id)] == ["active", "active", "active"]
    assert memory.verify().ok


def test_a_persons_quarantine_is_not_lifted_by_a_fetch(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(TEXT)
    node, evidence = claim(memory, quote=QUOTE)
    memory.scope("acme", channel="human_verified", principal="olga").quarantine(evidence=evidence, reason="doubt")
    assert states(memory, tmp_path) == [] and state(memory, node) == "quarantined"


def test_unreachable_says_nothing(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.md").write_text(TEXT)
    (tmp_path / "in" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "in" / "folder.md").mkdir()
    uris = [
        "../secret.md",
        str(tmp_path / "secret.md"),
        "link.md",
        "folder.md",
        "https://example.com/x",
        "s3://bucket/x",
        "mail:77",
    ]
    nodes = [claim(memory, uri, subject=f"thing {number}", quote=QUOTE)[0] for number, uri in enumerate(uris)]
    report = memory.reverify("acme", roots=[tmp_path / "in"])
    assert {one.uri: one.state for one in report.items} == dict.fromkeys(uris, "unreachable")
    assert {state(memory, one) for one in nodes} == {"active"}
    (tmp_path / "in" / "big.md").write_bytes(b"x" * 100)
    assert fetch("big.md", Limits(roots=(tmp_path / "in",), bytes=99)).state == "unreachable"
    assert fetch("big.md", Limits(roots=(tmp_path / "in",), bytes=100)).text == "x" * 100


def test_a_digest_stands_for_a_quote(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    claim(memory, "a.txt", version=hashlib.sha256(TEXT.encode()).hexdigest())
    claim(memory, "b.txt", subject="others", version="4")
    report = memory.reverify("acme", roots=[tmp_path])
    assert report.counts == {"fresh": 1} and report.without == 1
    (tmp_path / "a.txt").write_text(TEXT + ".")
    assert states(memory, tmp_path) == ["changed"]


def test_a_time_to_live_counts_from_the_last_look(memory: Memory, tmp_path: Path, clock: ManualClock) -> None:
    (tmp_path / "guide.md").write_text(TEXT)
    node, _ = claim(memory, quote=QUOTE)
    clock.advance(timedelta(days=364))
    assert state(memory, node) == "active"
    assert states(memory, tmp_path) == ["fresh"]
    clock.advance(timedelta(days=300))
    assert state(memory, node) == "active"
    clock.advance(timedelta(days=100))
    assert state(memory, node) == "unverified"


def test_budgets_and_repeats(memory: Memory, tmp_path: Path, clock: ManualClock) -> None:
    for number in range(5):
        (tmp_path / f"{number}.md").write_text(TEXT)
        claim(memory, f"{number}.md", subject=f"thing {number}", quote=QUOTE)
    first = memory.reverify("acme", roots=[tmp_path], most=2)
    assert len(first.items) == 2 and first.left == 3
    second = memory.reverify("acme", roots=[tmp_path], most=3)
    assert not {one.evidence for one in first.items} & {one.evidence for one in second.items}
    before = memory.tenant("acme").ledger.head.seq
    assert states(memory, tmp_path) == ["fresh"] * 5
    assert memory.tenant("acme").ledger.head.seq == before, "the same answer within a day is not recorded again"
    clock.advance(timedelta(days=2))
    assert all(one.recorded for one in memory.reverify("acme", roots=[tmp_path]).items)
    assert memory.reverify("acme", roots=[tmp_path], seconds=1e-9).left == 5
    for wrong in ({"most": 0}, {"seconds": 0}):
        with pytest.raises(RequestError):
            memory.reverify("acme", roots=[tmp_path], **wrong)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_is_read_as_of_its_head(memory: Memory, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(tmp_path / "repo"), *who, *words], check=True, capture_output=True)

    (tmp_path / "repo" / "docs").mkdir(parents=True)
    git("init", "-q")
    (tmp_path / "repo" / "docs" / "guide.md").write_text(TEXT)
    git("add", "-A")
    git("commit", "-qm", "one")
    node, _ = claim(memory, "git:repo//docs/guide.md", quote=QUOTE)
    claim(memory, "git:repo//docs/other.md", subject="others", quote=QUOTE)
    claim(memory, "git:elsewhere//x.md", subject="more", quote=QUOTE)
    assert sorted(states(memory, tmp_path)) == ["fresh", "gone", "gone"]
    (tmp_path / "repo" / "docs" / "guide.md").write_text("not committed")
    assert "fresh" in states(memory, tmp_path)
    git("commit", "-qam", "two")
    assert "changed" in states(memory, tmp_path) and state(memory, node) == "suspended"
    assert fetch("git:repo//--help", Limits(roots=(tmp_path,))).text is None


@contextmanager
def served() -> Iterator[int]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            match self.path:
                case "/guide":
                    self._say(200, TEXT)
                case "/away":
                    self.send_response(302)
                    self.send_header("Location", "http://localhost/guide")
                    self.end_headers()
                case "/broken":
                    self._say(500, "")
                case _:
                    self._say(404, "")

        def _say(self, code: int, text: str) -> None:
            self.send_response(code)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_http_asks_named_hosts_only() -> None:
    with served() as port:
        limits = Limits(hosts=("127.0.0.1",), patience=5)
        at = f"http://127.0.0.1:{port}"
        assert fetch(f"{at}/guide#part", limits).text == TEXT
        assert fetch(f"{at}/nothing", limits).state == "gone"
        assert fetch(f"{at}/broken", limits).state == "unreachable"
        assert fetch(f"{at}/away", limits).state == "unreachable"
        assert fetch(f"{at}/guide", Limits()).why == "a host that was not named"
        assert fetch(f"{at}/guide", limits._replace(bytes=10)).why == "larger than the limit"
    assert fetch(f"{at}/guide", limits).state == "unreachable"


def test_a_store_that_is_only_read_records_nothing(tmp_path: Path) -> None:
    with tkg.open(tmp_path / "m", engine="memory") as memory:
        claim(memory, quote=QUOTE)
    with tkg.open(tmp_path / "m", engine="memory", read_only=True) as memory, pytest.raises(NotPermitted):
        memory.reverify("acme")


def test_maintenance_fetches_again_in_its_scope_and_budget_and_a_dry_run_records_nothing(
    memory: Memory, clock: ManualClock, tmp_path: Path
) -> None:
    good, _ = claim(memory, "good.md", subject="a", quote=QUOTE)
    bad, _ = claim(memory, "bad.md", subject="b", quote=QUOTE)
    late, _ = claim(memory, "late.md", subject="c", quote=QUOTE)
    guest = memory.scope("acme", "guest", channel="human_stated", principal="ana", session="s")
    private = guest.propose(
        subject="d", predicate="need", object="rest", evidence=tkg.Evidence(uri="private.md", quote=QUOTE)
    ).claim_id
    assert private is not None
    (tmp_path / "good.md").write_text(TEXT)
    for name in ("bad.md", "late.md", "private.md"):
        (tmp_path / name).write_text("Deploys need nobody.\n")
    handle = memory.scope("acme", channel="human_stated", principal="ana")
    alone = guest.maintain(roots=[tmp_path]).evidence  # a user's handle: what is the user's, not what is the tenant's
    assert alone is not None and [one.uri for one in alone.items] == ["private.md"] and alone.left == 0
    head = memory.tenant("acme").ledger.head.seq
    assert handle.maintain().evidence is None and handle.maintain(dry_run=False).evidence is None  # nowhere to ask
    plan = handle.maintain(roots=[tmp_path], documents=2).evidence
    assert plan is not None and [(one.state, one.recorded) for one in plan.items] == [
        ("fresh", False),
        ("changed", False),
    ]
    assert plan.items[1].suspended == (bad,) and plan.left == 2
    assert memory.tenant("acme").ledger.head.seq == head and state(memory, bad) == "active"
    done = handle.maintain(dry_run=False, roots=[tmp_path], documents=2).evidence
    assert done is not None and [one.recorded for one in done.items] == [True, True] and done.left == 2
    assert [state(memory, one) for one in (good, bad, late)] == ["active", "suspended", "active"]
    again = handle.maintain(dry_run=False, roots=[tmp_path], documents=1).evidence  # goes on with what was not reached
    assert again is not None and [one.uri for one in again.items] == ["late.md"]
    assert state(memory, late) == "suspended"
    assert guest.explain(private).state == "active"  # next in turn
    with pytest.raises(RequestError):
        handle.maintain(roots=[tmp_path], documents=0)
    with pytest.raises(NotPermitted):
        memory.scope("acme", channel="agent_inferred", principal="bot").maintain(dry_run=False, roots=[tmp_path])
