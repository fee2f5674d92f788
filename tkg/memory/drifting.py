"""`audit drift`: how writing changes, from the ledger; what stands out is recorded as an alarm."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from tkg.gate.accounts import SEMANTIC, Recorded
from tkg.gate.drift import cusum, divergence, ewma, per_unit
from tkg.ids import canonical
from tkg.memory.accounting import Books
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.base import Value
from tkg.model.claim import Claim, Supersession
from tkg.model.policy import DriftPolicy
from tkg.model.scope import Channel
from tkg.model.time import iso
from tkg.model.verdict import Note, Outcome

ALARM = "drift-alarm"
_HOUR = 3_600 * 1_000_000
_WRITTEN = (Outcome.ACCEPTED, Outcome.REINFORCED, Outcome.HELD, Outcome.QUARANTINED)
_ANCHORS = (Channel.HUMAN_VERIFIED.rank, Channel.SYSTEM_OF_RECORD.rank)
_LOW = Channel.AGENT_INFERRED.rank


class Alarm(Value):
    """One thing that stands out: what, where, since when, and the figure that crossed its limit."""

    kind: str
    about: str
    figure: float
    limit: float
    since: str | None
    says: str


class Anchored(Value):
    """One key (subject and predicate) that changed: how often since somebody vouched for it, and how far it moved.

    `distance` counts the values it took since the last one of class human_verified or system_of_record, whose id is
    `anchor` (None where nobody ever vouched); `displacement` is how far a number lies from that one, as a share of it.
    """

    about: str
    scope: str
    distance: int
    anchor: str | None
    displacement: float | None = None


class Drift(Value):
    """What was looked at, and what stood out. `recorded` is the transaction that wrote new alarms down.

    `anchors` tells of every key that changed, the farthest from its anchor first.
    """

    streams: int
    writes: int
    slots: int
    alarms: tuple[Alarm, ...]
    anchors: tuple[Anchored, ...] = ()
    recorded: int | None = None


def drift(tenant: Tenant, caller: Caller, *, record: bool) -> Drift:
    """See `Handle.audit_drift`."""
    policy, books = tenant.policies.write.drift, Books.read(tenant, caller)
    writes = [one for one in books.decisions if one.kind in SEMANTIC and one.outcome in _WRITTEN]
    slots = _slots(tenant, caller)
    anchored = _anchored(tenant, slots)
    alarms = [
        *_bursts(tenant, policy, books, writes),
        *_shares(policy, books, writes),
        *_mix(tenant, policy, writes),
        *_anchors(policy, anchored),
        *young(tenant, policy, books),
    ]
    streams = len({(one.source_id, one.predicate_id) for one in writes})
    made = None
    if record and (fresh := _fresh(tenant, alarms)):
        notes = [
            Note(id=tenant.ids.new("nte"), about=ALARM, body=canonical(_body(one)), actor=caller.principal)
            for one in fresh
        ]
        made = tenant.commit("alarm", caller.scope.path, notes).seq
    return Drift(
        streams=streams,
        writes=len(writes),
        slots=len(slots),
        alarms=tuple(alarms),
        anchors=tuple(anchored),
        recorded=made,
    )


def _body(alarm: Alarm) -> dict[str, str]:
    return {"kind": alarm.kind, "about": alarm.about, "since": alarm.since or "", "says": alarm.says}


def _fresh(tenant: Tenant, alarms: list[Alarm]) -> list[Alarm]:
    """Return the alarms that are not written down yet."""
    known = set()
    for entry in tenant.ledger.read_since(0):
        for record in entry.records if entry.op == "alarm" else ():
            if isinstance(record, Note) and record.about == ALARM and record.body is not None:
                found = json.loads(record.body)
                known.add((found["kind"], found["about"], found["since"]))
    return [one for one in alarms if (one.kind, one.about, one.since or "") not in known]


# -- how fast


def _bursts(tenant: Tenant, policy: DriftPolicy, books: Books, writes: list[Recorded]) -> Iterator[Alarm]:
    """Yield the streams (source, predicate) that write faster than they used to."""
    streams: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in writes:
        streams[one.source_id or "", one.predicate_id or ""].append(one.at)
    now = tenant.now()
    start = now - policy.watch_hours * _HOUR
    names = {tenant.names.predicate(name): name for name in tenant.policies.write.registry.predicates}
    for (source, predicate), times in sorted(streams.items()):
        before = [at for at in times if at < start]
        hours = (start - min(before)) / _HOUR if before else 0.0
        rate = max(policy.least_rate, len(before) / hours if hours >= policy.least_history_hours else 0.0)
        crossed = cusum(per_unit(times, start=start, end=now + 1, unit=_HOUR), rate, limit=policy.limit)
        if crossed is not None:
            where = f"{books.sources.get(source, 'unknown source')} · {names.get(predicate, predicate)}"
            yield Alarm(
                kind="burst",
                about=where,
                figure=round(crossed.score, 3),
                limit=policy.limit,
                since=iso(start + crossed.since * _HOUR),
                says=f"{where} writes faster than its usual {rate:.2f} an hour",
            )


def _shares(policy: DriftPolicy, books: Books, writes: list[Recorded]) -> Iterator[Alarm]:
    """Yield the shares (inferred or worse; conflicting; held) that rose above their control limit."""
    half = len(writes) // 2
    if half < policy.least_writes:
        return
    for name, flags in (
        ("inferred", [one.channel.rank <= _LOW for one in writes]),
        ("conflicting", [one.about in books.clashes for one in writes]),
        ("held", [one.outcome in (Outcome.HELD, Outcome.QUARANTINED) for one in writes]),
    ):
        usual = sum(flags[:half]) / half
        found = ewma(flags[half:], usual)
        if found is not None:
            yield Alarm(
                kind="share",
                about=name,
                figure=round(found, 4),
                limit=round(usual, 4),
                since=iso(writes[half].at),
                says=f"the share of {name} writes rose from {usual:.1%} to {found:.1%}",
            )


def _mix(tenant: Tenant, policy: DriftPolicy, writes: list[Recorded]) -> Iterator[Alarm]:
    """Yield whether the last week writes other predicates, or from other classes, than the eight weeks before."""
    week = 168 * _HOUR
    last = tenant.now() - week
    before = Counter((w.predicate_id, w.channel) for w in writes if last - 8 * week <= w.at < last)
    after = Counter((w.predicate_id, w.channel) for w in writes if w.at >= last)
    if min(before.total(), after.total()) >= policy.least_writes:
        found = divergence(before, after)
        if found > policy.divergence:
            yield Alarm(
                kind="mix",
                about="predicates and classes",
                figure=round(found, 4),
                limit=policy.divergence,
                since=iso(last),
                says="the last week writes other predicates or from other classes than the weeks before",
            )


# -- how far


def _slots(tenant: Tenant, caller: Caller) -> dict[str, list[str]]:
    """Return the claims of each slot in which one has superseded another, in order of transaction."""
    order: dict[str, list[str]] = defaultdict(list)
    moved: set[str] = set()
    slot_of: dict[str, str] = {}
    for entry in tenant.ledger.read_since(0):
        if not reaches(caller, entry.scope):
            continue
        for record in entry.records:
            if isinstance(record, Claim):
                slot_of[record.id] = record.slot_id
                order[record.slot_id].append(record.id)
            elif isinstance(record, Supersession) and record.winner in slot_of:
                moved.add(slot_of[record.winner])
    return {slot: order[slot] for slot in sorted(moved)}


def _anchored(tenant: Tenant, slots: dict[str, list[str]]) -> list[Anchored]:
    """Return how far each slot that changed lies from what was last vouched for, the farthest first."""
    found = []
    for claims in slots.values():
        since, anchor, last = 0, None, None
        for identifier in claims:
            view = tenant.graph.claim(identifier)
            if view is None or not tenant.book.live(identifier):
                continue
            last = view.claim
            best = max((b.justification.channel.rank for b in view.backers), default=0)
            since = 0 if best in _ANCHORS else since + 1
            anchor = last if best in _ANCHORS else anchor
        if last is None:
            continue
        moved = None if anchor is None else _displacement(anchor.object, last.object)
        found.append(
            Anchored(
                about=f"{last.subject} · {last.predicate}",
                scope=last.scope,
                distance=since,
                anchor=None if anchor is None else anchor.id,
                displacement=None if moved is None else round(moved, 4),
            )
        )
    return sorted(found, key=lambda one: (-one.distance, -(one.displacement or 0.0), one.about))


def _anchors(policy: DriftPolicy, anchored: list[Anchored]) -> Iterator[Alarm]:
    """Yield the slots that moved too often, or too far, since somebody verified them."""
    for one in anchored:
        if one.distance > policy.anchor_distance:
            yield Alarm(
                kind="anchor",
                about=one.about,
                figure=float(one.distance),
                limit=float(policy.anchor_distance),
                since=None,
                says=f"{one.about} changed {one.distance} times since a person or a system of record vouched for it",
            )
        if one.displacement is not None and one.displacement > policy.displacement:
            yield Alarm(
                kind="displacement",
                about=one.about,
                figure=one.displacement,
                limit=policy.displacement,
                since=None,
                says=f"{one.about} lies {one.displacement:.0%} from the value that was last vouched for",
            )


def _displacement(anchor: str | None, value: str | None) -> float | None:
    """Return how far a number has moved from its anchor, as a share of it; None where they are no numbers."""
    try:
        one, other = Decimal(anchor or ""), Decimal(value or "")
    except InvalidOperation:
        return None
    if not one.is_finite() or not other.is_finite() or one == 0:
        return None
    return float(abs(other - one) / abs(one))


# -- how often shown


def young(tenant: Tenant, policy: DriftPolicy, books: Books) -> Iterator[Alarm]:
    """Yield what is young, of low class, and already among the most shown: how a graft looks."""
    counted = Counter(one for _, one in books.shown)
    by_id = {one.about: one for one in books.decisions if one.about is not None}
    start = tenant.now() - policy.young_hours * _HOUR
    for identifier, reads in counted.most_common(policy.most_shown):
        one = by_id.get(identifier)
        if one is None or one.at < start or one.channel.rank > _LOW or reads < policy.least_reads:
            continue
        yield Alarm(
            kind="young",
            about=identifier,
            figure=float(reads),
            limit=float(policy.least_reads),
            since=iso(one.at),
            says=f"{identifier} is younger than {policy.young_hours} hours, of class {one.channel.value}, "
            f"and was shown {reads} times",
        )
