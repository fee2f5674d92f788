"""What an erasure leaves besides: its reason, and how the past reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import tkg
from tkg.errors import RequestError


@pytest.mark.parametrize("reason", ["Ada Venn asked", "asked by ADA\u00a0VENN, in person", "her allergy to lupinseed"])
def test_a_reason_that_keeps_what_is_erased_is_refused(tmp_path: Path, reason: str) -> None:
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        memory.create_tenant("moor")
        clerk = memory.scope("moor", channel="human_stated", principal="clerk 9")
        clerk.propose(subject="Ada Venn", predicate="allergy", object="lupinseed")
        handle = memory.scope("moor", channel="human_verified", principal="keeper")
        before = [*handle.export()]
        with pytest.raises(RequestError) as caught:
            handle.forget(subject="Ada Venn", reason=reason)
        assert "Venn" not in str(caught.value) and "lupin" not in str(caught.value)
        assert [*handle.export()] == before  # nothing was erased
        done = handle.forget(subject="Ada Venn", reason="request 17 of 3 March")  # the control
        assert done.receipt["scan"]["hits"] == 0


def test_what_held_before_an_erasure_is_told_as_erased() -> None:
    with tkg.open(None, engine="memory") as memory:
        memory.create_tenant("moor")
        handle = memory.scope("moor", channel="human_verified", principal="keeper")
        made = handle.propose(subject="Ada Venn", predicate="allergy", object="lupinseed")
        seq = handle.explain(made.claim_id or "").written_seq
        assert handle.value("Ada Venn", "allergy", as_of=seq).values == ("lupinseed",)
        handle.forget(subject="Ada Venn", reason="request 17")
        past = handle.value("Ada Venn", "allergy", as_of=seq)
        assert (past.kind, past.value, past.values, past.reason) == ("none", None, (), "erased")
        (told,) = handle.timeline("Ada Venn", "allergy", as_of=seq)
        assert told.answer.reason == "erased" and told.answer.values == ()
