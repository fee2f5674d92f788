"""Small makers of claims, backers and books for the tests of belief."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tkg.belief.book import Book
from tkg.belief.normalise import normalise
from tkg.model.claim import Claim, Justification, Polarity
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import FOREVER, Interval, parse_when
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer, SlotClaim
from tkg.text import match_form

ONE = Predicate(name="lives_in", cardinality="one")
MANY = Predicate(name="drinks")


def when(text: str) -> int:
    """Return the first instant of a date."""
    return parse_when(text).start


def span(start: int, end: int = FOREVER, *, start_hi: int | None = None, end_lo: int | None = None) -> Interval:
    """Return an interval of plain numbers, certain unless inner bounds are given."""
    return Interval(
        from_lo=start,
        from_hi=start if start_hi is None else start_hi,
        to_lo=end if end_lo is None else end_lo,
        to_hi=end,
        edtf="x/y",
    )


def backer(
    head: str,
    seq: int,
    *,
    origin: str | tuple[str, ...] = "ana",
    channel: Channel = Channel.HUMAN_STATED,
    observed: int | None = None,
    record: bool = False,
    requires: Sequence[str] | None = None,
    kind: str = "evidence",
    name: str | None = None,
) -> Backer:
    """Return a justification; by default one piece of evidence of a person."""
    made = name or f"j{seq}-{head}"
    return Backer(
        Justification.build(
            id=made,
            head=head,
            requires=tuple(requires) if requires is not None else (f"e{seq}-{head}",),
            kind=kind,
            channel=channel,
            system_of_record=record,
            origins=(origin,) if isinstance(origin, str) else origin,
            observed_at=seq if observed is None else observed,
        ),
        seq,
    )


def claim(
    name: str,
    value: str,
    interval: Interval,
    seq: int,
    *,
    predicate: Predicate = ONE,
    negative: bool = False,
    depends_on: Sequence[str] = (),
    backers: Iterable[Backer] | None = None,
    scope: str = "acme",
    erased: bool = False,
    **who: Any,
) -> SlotClaim:
    """Return a claim backed by one piece of evidence, or by the `backers` given."""
    norm = normalise(value, predicate)
    made = Claim(
        id=name,
        scope=scope,
        slot_id=f"slot-{scope}-{predicate.name}",
        subject_id="ent-subject",
        object_id=f"ent-{match_form(value)}",
        object_type=norm.type,
        polarity=Polarity.NEGATIVE if negative else Polarity.POSITIVE,
        interval=interval,
        depends_on=tuple(depends_on),
        consequence=predicate.consequence,
        subject="subject",
        predicate=predicate.name,
        object=None if erased else value,
        object_norm=None if erased else norm.norm,
    )
    return SlotClaim(made, seq, tuple(backers) if backers is not None else (backer(name, seq, **who),))


def evidence_of(view: SlotClaim) -> str:
    """Return the evidence of a claim's first backer."""
    return view.backers[0].justification.requires[0]


def change(target: str, value: str, seq: int, axis: Any = "status") -> tuple[StatusChange, int]:
    """Return one status change."""
    return StatusChange(id=f"s{seq}-{axis}-{target}", target=target, axis=axis, value=value), seq


def book(*changes: tuple[StatusChange, int]) -> Book:
    """Return a book of these changes."""
    return Book(sorted(changes, key=lambda item: item[1]))
