"""Random operations with random records, as strategies. Ids are given out by the test that uses them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tkg.ids import Ids
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Draft, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.scope import Channel
from tkg.model.time import BEGINNING, FOREVER, Interval
from tkg.model.verdict import CheckResult, Note, Outcome, StatusChange, Verdict

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
maybe = st.none() | texts
instants = st.integers(BEGINNING, FOREVER - 2)
scopes = st.sampled_from(["acme", "acme/ana", "acme/ben"])
channels = st.sampled_from(list(Channel))
names = st.sampled_from(["clm_a", "evd_b", "art_c"])

Make = Callable[[Ids], Record]


def _of(record: str, prefix: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Make]:
    models = {
        "source": Source,
        "evidence": StoredEvidence,
        "claim": Claim,
        "justification": Justification,
        "artefact": Artefact,
        "retrieval": Retrieval,
        "verdict": Verdict,
        "status": StatusChange,
        "note": Note,
    }
    return st.fixed_dictionaries(fields).map(lambda values: lambda ids: models[record](id=ids.new(prefix), **values))


_intervals = st.tuples(instants, instants).map(
    lambda two: Interval(from_lo=min(two), from_hi=min(two), to_lo=max(two) + 1, to_hi=max(two) + 1)
)
_checks = st.none() | st.lists(st.builds(CheckResult, check=texts, outcome=st.just("pass"), reason=texts), max_size=2)

records: st.SearchStrategy[Make] = st.one_of(
    _of("source", "src", uri=maybe, owner=maybe),
    _of(
        "evidence",
        "evd",
        scope=scopes,
        source_id=st.just("src_x"),
        channel=channels,
        origin=st.just("org_x"),
        principal_id=st.just("prn_x"),
        observed_at=instants,
        quote=maybe,
        principal=maybe,
    ),
    _of(
        "claim",
        "clm",
        scope=scopes,
        slot_id=st.just("slt_x"),
        subject_id=st.just("ent_x"),
        object_id=st.just("ent_y"),
        interval=_intervals,
        depends_on=st.lists(names, max_size=2).map(tuple),
        subject=maybe,
        predicate=maybe,
        object=maybe,
        object_norm=maybe,
    ),
    _of(
        "justification",
        "jst",
        head=names,
        requires=st.lists(names, max_size=3).map(tuple),
        channel=channels,
        origins=st.just(("org_x",)),
        observed_at=instants,
    ),
    _of(
        "artefact",
        "art",
        scope=scopes,
        kind=st.sampled_from(["episode", "summary", "skill", "action", "answer"]),
        label=channels,
        observed_at=instants,
        content=maybe,
        meta=st.none() | st.dictionaries(texts, texts, max_size=3),
    ),
    _of(
        "retrieval",
        "ret",
        scope=scopes,
        principal_id=st.just("prn_x"),
        valid_at=instants,
        as_of=st.integers(0, 2**60),
        k=st.integers(0, 50),
        shown=st.lists(names, max_size=2).map(tuple),
        left_out=st.lists(st.tuples(names, texts), max_size=2).map(tuple),
        query=maybe,
    ),
    _of(
        "verdict",
        "vrd",
        scope=scopes,
        outcome=st.sampled_from(list(Outcome)),
        code=texts,
        candidate=texts,
        checks=_checks.map(lambda checks: None if checks is None else tuple(checks)),
    ),
    _of("status", "sta", target=names, axis=st.just("status"), value=texts, reason=maybe, actor=maybe),
    _of("note", "pol", about=texts, body=maybe, actor=maybe),
)

_makers = st.tuples(texts, scopes, st.lists(records, max_size=5))


def _draft(maker: tuple[str, str, list[Make]], ids: Ids) -> Draft:
    op, scope, made = maker
    return Draft(op=op, scope=scope, records=tuple(make(ids) for make in made))


#: one append: drafts once ids are given
appends: st.SearchStrategy[Callable[[Ids], list[Draft]]] = st.lists(_makers, max_size=3).map(
    lambda makers: lambda ids: [_draft(maker, ids) for maker in makers]
)
