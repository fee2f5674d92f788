"""The pinned core: shown whatever is asked, within its caps, only as long as it stands, and edited as a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tkg
from tests.memory.build import Stage
from tkg.errors import Conflict, NotFound, NotPermitted, RequestError, TooLarge
from tkg.memory.core import CoreItem, core_line, read_line, read_markdown
from tkg.recall.render import parse_block

ONE = {"destination": {"cardinality": "one"}}


def core_ids(stage: Stage, question: str = "zebra?", user: str | None = None) -> list[str]:
    return [item.id for item in stage.by("ana", user=user).recall(question).items if item.pinned]


def test_a_pinned_claim_is_shown_whatever_is_asked() -> None:
    stage = Stage()
    claim = stage.says("ana", "reports", "destination", "the queue")
    ana = stage.by("ana")
    assert not ana.recall("zebra?").items  # the control
    assert [one.id for one in ana.pin(claim).items] == [claim]
    found = ana.recall("zebra?")
    assert [item.id for item in found.items] == [claim] and found.items[0].pinned
    assert found.trace.abstained is not None and found.trace.abstained.code == "no_match"  # it is no answer
    (record,) = parse_block(found.text).items
    assert record.fields["pinned"] is True and found.trace.shown == (claim,)
    assert ana.exposure(claim)
    again = ana.recall("where do reports go?")
    assert [item.id for item in again.items] == [claim] and again.trace.abstained is None
    ana.unpin(claim)
    assert not ana.recall("zebra?").items
    before = stage.memory.tenant("acme").ledger.head.seq - 2
    assert core_ids(stage) == [] and ana.recall("zebra?", as_of=before).items[0].id == claim


def test_what_fell_is_not_shown_and_comes_back_when_it_stands() -> None:
    stage = Stage(ONE)
    claim = stage.says("ana", "reports", "destination", "the queue")
    stage.by("ana").pin(claim)
    boss = stage.by("boss", "human_verified")
    boss.quarantine(claim=claim, reason="look")
    assert core_ids(stage) == [] and boss.core().items[0].state != "active"
    boss.release(claim=claim, reason="fine")
    assert core_ids(stage) == [claim]
    stage.says("ana", "reports", "destination", "the desk")
    assert core_ids(stage) == [] and boss.core().items[0].state == "superseded"


def test_caps_hold_in_items_and_tokens() -> None:
    stage = Stage()
    ana = stage.by("ana")
    claims = [stage.says("ana", f"thing{n}", "place", f"room {n}") for n in range(11)]
    for one in claims[:4]:
        ana.pin(one)
    with pytest.raises(TooLarge, match="400 tokens"):
        for one in claims[4:]:
            ana.pin(one)
    pinned = len(ana.core().items)
    assert 4 <= pinned < 11 and ana.core().tokens <= 400
    policies = tkg.Policies(read=tkg.ReadPolicy(core_items=2))
    stage.memory.tenant("acme").policies = policies  # a policy that was lowered: the oldest pins stay
    found = ana.recall("zebra?")
    assert [item.id for item in found.items] == claims[:2]
    assert dict(found.trace.left_out)[claims[2]] == "budget"
    with pytest.raises(TooLarge, match="at most 2 claims"):
        ana.pin(claims[10])


def test_the_core_counts_in_the_token_budget() -> None:
    stage = Stage()
    claim = stage.says("ana", "reports", "destination", "the queue")
    stage.by("ana").pin(claim)
    found = stage.by("ana").recall("zebra?", token_budget=40)
    assert found.items == () and dict(found.trace.left_out)[claim] == "budget" and found.trace.tokens <= 40


def test_who_may_pin_what() -> None:
    stage = Stage()
    claim = stage.says("ana", "reports", "destination", "the queue")
    own = stage.says("ben", "ben", "likes", "tea", user="ben")
    for channel in ("agent_inferred", "trusted_tool", "external"):
        with pytest.raises(NotPermitted):
            stage.by("x", channel).pin(claim)
        with pytest.raises(NotPermitted):
            stage.by("x", channel).read_core("")
    with pytest.raises(NotPermitted, match="scope it lies in"):
        stage.by("ben", user="ben").pin(claim)
    with pytest.raises(NotFound):
        stage.by("ana", user="ana").pin(own)
    with pytest.raises(NotFound):
        stage.by("ana").unpin(claim)
    stage.by("ben", user="ben").pin(own)
    assert core_ids(stage, user="ben") == [own] and core_ids(stage, user="ana") == [] and core_ids(stage) == []
    stage.by("ana").pin(claim)
    assert core_ids(stage, user="ben") == [own, claim]  # the narrowest scope first
    stage.revoke(claim=claim)
    with pytest.raises(Conflict):
        stage.by("ana").pin(claim)


def test_the_file_is_edited_and_taken_back_through_the_gate() -> None:
    stage = Stage(ONE)
    ana = stage.by("ana")
    kept = stage.says("ana", "ana", "likes", "tea")
    gone = stage.says("ana", "ana", "owns", "a bike")
    old = stage.says("ana", "reports", "destination", "the queue")
    free = stage.says("ana", "ana", "reads", "poems")
    for one in (kept, gone, old, free):
        ana.pin(one)
    text = ana.core().markdown
    assert ana.read_core(text).verdicts == () and ana.core().markdown == text  # nothing changes nothing
    lines = [line for line in text.splitlines() if gone not in line]
    lines = [line.replace("the queue", "the desk").replace("poems", "novels") for line in lines]
    taken = ana.read_core("\r\n".join([*lines, "* ben · speaks: not Latin", ""]))
    assert [one.outcome for one in taken.verdicts] == ["accepted"] * 3
    assert set(taken.unpinned) == {gone, old, free} and taken.kept == (kept,)
    said = {(one.subject, one.predicate, one.object, one.negative) for one in ana.core().items if one.state == "active"}
    assert said == {
        ("ana", "likes", "tea", False),
        ("reports", "destination", "the desk", False),
        ("ana", "reads", "novels", False),
        ("ben", "speaks", "Latin", True),
    }
    assert ana.value("reports", "destination").value == "the desk"
    assert ana.value("ana", "reads").values == ("poems", "novels")  # undeclared: it may have many values
    assert ana.explain(taken.pinned[0]).state == "active"


def test_what_the_gate_refuses_is_not_pinned_and_the_old_line_stays() -> None:
    stage = Stage(ONE)
    ana = stage.by("ana")
    old = stage.says("ana", "reports", "destination", "the queue")
    ana.pin(old)
    key = "AKIA" + "IOSFODNN7" + "EXAMPLE"
    taken = ana.read_core(ana.core().markdown.replace("the queue", f"aws_secret_access_key {key}"))
    assert [one.outcome for one in taken.verdicts] == ["rejected"] and taken.pinned == ()
    assert core_ids(stage) == [old]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reports go to the desk", "line 1"),
        ("# Title\n\n- reports: the desk", "line 3"),
        ("- reports · destination:", "line 1"),
        ("- a · b: c <!-- clm_00000000000000000000000000 -->", "line 1"),
        ("- a · b: c <!-- ID -->\n- a · b: d <!-- ID -->", "two lines"),
        ("- a · " + "b" * 5000 + ": c", "line 1"),
    ],
)
def test_a_file_that_cannot_be_read_changes_nothing(text: str, said: str) -> None:
    stage = Stage()
    ana = stage.by("ana")
    claim = stage.says("ana", "reports", "destination", "the queue")
    ana.pin(claim)
    before = stage.memory.tenant("acme").ledger.head.seq
    with pytest.raises(RequestError, match=said):
        ana.read_core(text.replace("ID", claim))
    assert stage.memory.tenant("acme").ledger.head.seq == before and core_ids(stage) == [claim]


def test_a_file_over_the_caps_changes_nothing() -> None:
    stage = Stage()
    ana = stage.by("ana")
    stage.says("ana", "x", "y", "z")
    before = stage.memory.tenant("acme").ledger.head.seq
    for lines in (["- a · b: c"] * 11, ["- a · b: " + "c" * 2000]):
        with pytest.raises(TooLarge):
            ana.read_core("\n".join(lines))
    assert stage.memory.tenant("acme").ledger.head.seq == before


def test_another_users_claims_are_not_pinned_by_guessing_their_ids() -> None:
    stage = Stage()
    secret = stage.says("ben", "ben", "likes", "tea", user="ben")
    with pytest.raises(RequestError, match="line 1") as told:
        stage.by("ana", user="ana").read_core(f"- ben · likes: tea <!-- {secret} -->")
    assert "tea" not in str(told.value)


NAMES = st.text(min_size=1, max_size=30).filter(lambda text: text.strip() and "\x00" not in text)


@given(NAMES, NAMES, NAMES, st.booleans())
def test_a_line_says_exactly_its_claim(subject: str, predicate: str, value: str, negative: bool) -> None:
    subject, predicate, value = (one.strip() for one in (subject, predicate, value))
    item = CoreItem(
        id="clm_1", scope="acme", subject=subject, predicate=predicate, object=value, negative=negative,
        state="active", tokens=1,
    )  # fmt: skip
    line = core_line(item)
    assert len(line.splitlines()) == 1 and read_line(line) == (subject, predicate, value, negative)
    (read,) = read_markdown(f"# Title\n\n- {line} <!-- clm_1 -->\n")
    assert (read.said, read.id) == (line, "clm_1")
