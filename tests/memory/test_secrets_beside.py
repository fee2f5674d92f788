"""No secret comes in beside a claim: in no field that is kept, no trace, no error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tkg
from tkg.conform import scan
from tkg.errors import Rejected
from tkg.memory.handle import Handle

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
Act = Callable[[tkg.Memory, str, Any], object]


def who(memory: tkg.Memory, channel: str = "human_verified", **more: str) -> Handle:
    return memory.scope("moor", channel=channel, **({"principal": "keeper"} | more))


def says(**evidence: str) -> Act:
    def act(memory: tkg.Memory, text: str, ids: Any) -> object:
        shown = tkg.Evidence(**{"uri": "page", **{name: f"{value}{text}" for name, value in evidence.items()}})
        return who(memory).propose(subject="quay", predicate="colour", object="grey", evidence=shown)

    return act


ACTS: dict[str, Act] = {
    **{f"evidence {one}": says(**{one: "see "}) for one in ("uri", "version", "quote", "locator", "owner", "copy_of")},
    "speaker": lambda m, s, i: who(m).remember("The quay is grey.", speaker=s),
    "turn": lambda m, s, i: who(m).remember("The quay is grey.", turn=s),
    "uri of a text": lambda m, s, i: who(m).remember(
        "The quay is grey.", evidence=tkg.Evidence(uri=f"http://a/?t={s}")
    ),
    "principal": lambda m, s, i: who(m, principal=s).propose(subject="q", predicate="p", object="grey"),
    "session": lambda m, s, i: who(m, session=s).propose(subject="q", predicate="p", object="grey"),
    "query": lambda m, s, i: who(m, "agent_inferred").recall(f"is {s} grey?"),
    "key of meta": lambda m, s, i: who(m).derive("summary", "grey", from_=[i], meta={s: "y"}),
    "value of meta": lambda m, s, i: who(m).derive("summary", "grey", from_=[i], meta={"name": s}),
    "quarantine": lambda m, s, i: who(m).quarantine(claim=i, reason=f"because {s}"),
    "revoke": lambda m, s, i: who(m).revoke(who(m).plan_revoke(claim=i), reason=f"because {s}"),
    "freeze": lambda m, s, i: who(m).freeze(subject="quay", reason=f"because {s}"),
    "hold": lambda m, s, i: who(m).hold(subject="quay", reason=f"because {s}"),
    "verify": lambda m, s, i: who(m).verify(i, evidence=tkg.Evidence(uri="call", quote=f"said {s}")),
    "forget": lambda m, s, i: who(m).forget(claim=i, reason=f"because {s}"),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
def test_a_secret_beside_a_claim_is_never_kept(tmp_path: Path, act: Act) -> None:
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        memory.create_tenant("moor")
        known = who(memory, principal="other").propose(subject="ferry", predicate="colour", object="red").claim_id
        try:
            act(memory, SECRET, known)
        except Rejected as refused:
            assert SECRET not in str(refused)
        assert SECRET not in "".join(memory.scope("moor").export())
        act(memory, "plain words", known)  # the control: without the secret it is done
    assert scan.find(tmp_path, SECRET) == []


def test_the_search_would_find_it(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(SECRET, "utf-8")
    assert scan.find(tmp_path, SECRET)


@pytest.mark.parametrize(
    "name",
    ["9b2e7f0c4d5a4f7e8a1b2c3d4e5f6071", "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12", "chars=10-42", "keeper@moor.example",
     "0b8f3f6e-7c1d-4a52-9e0f-3a5f0c2b7d11", "session 2026-03-01T09:00:00Z", "v1.2.3+build.5", "msg-1700000123"],
)  # fmt: skip
def test_plain_versions_sessions_and_names_pass(name: str) -> None:
    with tkg.open(None, engine="memory") as memory:
        memory.create_tenant("moor")
        shown = tkg.Evidence(uri="page", version=name, locator=name, owner=name)
        made = who(memory, principal=name, session=name).propose(
            subject="quay", predicate="colour", object="grey", evidence=shown
        )
        assert made.claim_id is not None
