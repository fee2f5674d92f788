"""The gate's books, read from the ledger: the funnel, rates by source and class, the review queue, samples and their marks.

Every figure is counted from recorded decisions when it is asked for; nothing is kept beside the ledger.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from tkg.errors import NotFound, RequestError
from tkg.gate.accounts import SEMANTIC, Loss, Recorded, Stage, funnel, loss, rejudge, wilson
from tkg.ids import canonical, digest, kind_of
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.inspecting import label_of_claim
from tkg.memory.labelling import Labels, Precision, precision_of
from tkg.memory.reviewing import queue
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.memory.visible import reaches
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.base import Value
from tkg.model.claim import Claim, Conflict
from tkg.model.entry import Entry
from tkg.model.evidence import StoredEvidence
from tkg.model.policy import WritePolicy
from tkg.model.scope import Channel
from tkg.model.time import Instant, iso
from tkg.model.verdict import Note, Outcome, StatusChange, Verdict
from tkg.recall.render import estimate_tokens

#: what a note of a mark is about
MARK = "audit-mark"
_WAITS = (Outcome.HELD, Outcome.QUARANTINED)
_STANDS = (Outcome.ACCEPTED, Outcome.REINFORCED)
_MICRO = 1_000_000


class Share(Value):
    """A share with its 95 % interval (Wilson)."""

    hits: int
    n: int

    @property
    def rate(self) -> float | None:
        """`hits / n`; None where nothing was counted."""
        return self.hits / self.n if self.n else None

    def shown(self) -> dict[str, Any]:
        """Return the share as JSON."""
        low, high = wilson(self.hits, self.n)
        return {"hits": self.hits, "n": self.n, "rate": self.rate, "low": low, "high": high}


class QueueFigures(Value):
    """The review queue and what it costs.

    `seconds_per_review` is the median of reviews that were timed; `by_source` which sources cause the most, `grown` how
    many came in less how many were settled in the last seven days; `alarm` says in words what is too much, if anything.
    """

    length: int
    oldest_seconds: int
    median_seconds: int
    seconds_per_review: float | None
    reviews: int
    grown: int
    by_source: tuple[tuple[str, int], ...]
    alarm: str = ""


class GateFigures(Value):
    """What the gate did; see `Handle.gate_figures`."""

    candidates: int
    runs: int
    funnel: tuple[Stage, ...]
    outcomes: Mapping[str, int]
    accepted_by_class: Mapping[str, Share]
    writes_per_hundred_runs: tuple[tuple[str, str, float], ...]
    conflicts: Share
    queue: QueueFigures
    false_accepts: Share
    false_rejects: Share
    poison_exposure: int
    rediscovered: int
    since: str | None = None
    until: str | None = None
    #: accepted in the window and withdrawn since: what was accepted wrongly, as far as it was found out
    withdrawn_accepts: Share
    #: reads that showed something that was withdrawn later, of all reads
    poisoned_reads: Share
    #: how often a refused candidate was found again in another run, per hundred runs
    rediscovered_per_hundred_runs: float | None
    writes_by_class_per_hundred_runs: Mapping[str, float]
    #: k -> precision@k of the reads in the window that people labelled, as `Handle.precision` tells it of all
    precision_at: Mapping[str, Precision]
    #: tokens of what a read showed, without the frame around it; None without reads
    tokens_per_request: float | None
    tokens_p95: int | None
    #: erased nodes of which no content is left, of all erased nodes
    deletions_complete: Share


class Sampled(Value):
    """One decision drawn for an audit. Of what was refused no word is kept: the source says what it was."""

    verdict: str
    at: str | None
    kind: str
    outcome: str
    code: str
    stage: str
    channel: str
    source: str | None
    principal: str | None
    session: str | None
    claim: str | None = None
    says: str | None = None
    reasons: tuple[str, ...] = ()
    marked: bool | None = None


class Window(NamedTuple):
    """A stretch of transaction time, half-open; None is an open side."""

    since: Instant | None = None
    until: Instant | None = None

    def __contains__(self, at: object) -> bool:
        """Return whether an instant lies inside."""
        return (
            isinstance(at, int) and (self.since is None or at >= self.since) and (self.until is None or at < self.until)
        )


@dataclass
class Books:
    """Everything the figures need, read in one pass over the ledger."""

    decisions: list[Recorded]
    verdicts: dict[str, Verdict]
    marks: dict[str, bool]
    timed: list[float]
    settled: list[int]
    sources: dict[str, str]
    principals: dict[str, str | None]
    withdrawn: dict[str, int]
    shown: list[tuple[int, str]]
    clashes: set[str]
    #: read -> its transaction and what it showed
    reads: dict[str, tuple[int, tuple[str, ...]]]
    labels: Labels
    erased: set[str]
    #: nodes whose content is (still) there
    content: set[str]
    window: Window

    @classmethod
    def read(
        cls,
        tenant: Tenant,
        caller: Caller,
        *,
        window: Window | None = None,
        also: Callable[[Entry], None] = lambda _: None,
    ) -> Books:
        """Read what the caller reaches.

        Args:
            tenant: the open tenant.
            caller: who asks.
            window: decisions, reviews and reads outside it are left out; what became of them counts whenever it was.
            also: is handed each entry as well.
        """
        books = cls([], {}, {}, [], [], {}, {}, {}, [], set(), {}, Labels(), set(), set(), window or Window())
        for entry in tenant.ledger.read_since(0):
            if reaches(caller, entry.scope):
                books._take(entry)
                also(entry)
        return books

    def _take(self, entry: Entry) -> None:
        inside = entry.tx_time in self.window
        for record in entry.records:
            match record:
                case Verdict() if record.channel is not None:
                    self.verdicts[record.id] = record
                    if inside:
                        self.decisions.append(recorded(record, entry))
                case Note():
                    self._note(record, entry.tx_time)
                case StatusChange():
                    self._change(record, entry.seq)
                case Retrieval() if inside:
                    self.shown += [(entry.seq, one) for one in record.shown]
                    self.reads[record.id] = (entry.seq, record.shown)
                case Conflict():
                    self.clashes |= {record.left, record.right}
                case Claim() | Artefact() | StoredEvidence():
                    self._store(record)
                case _ if record.record == "source" and record.uri is not None:
                    self.sources[record.id] = record.uri

    def _note(self, note: Note, at: Instant) -> None:
        if note.about == MARK and note.body is not None:
            found = json.loads(note.body)
            self.marks[found["verdict"]] = bool(found["right"])
        elif note.about == "review" and note.body is not None and at in self.window:
            self.settled.append(at)
            spent = json.loads(note.body).get("milliseconds")
            if spent is not None:
                self.timed.append(spent / 1000)
        self.labels.take(note)

    def _change(self, record: StatusChange, seq: int) -> None:
        match record.axis, record.value:
            case ("status", "revoked" | "rejected") | ("support", "unsupported"):
                self.withdrawn.setdefault(record.target, seq)
            case ("status", "active") | ("support", "supported"):
                self.withdrawn.pop(record.target, None)
            case "status", "erased":
                self.erased.add(record.target)
            case _:
                pass

    def _store(self, record: Claim | Artefact | StoredEvidence) -> None:
        match record:
            case Claim():
                kept = record.object
            case Artefact():
                kept = record.content
            case StoredEvidence():
                kept = record.quote or record.principal
        if kept is not None:
            self.content.add(record.id)

    def right(self) -> dict[str, bool]:
        """Return candidate -> whether it should be believed: by marks, by revocation, by what was believed later."""
        found: dict[str, bool] = {}
        for one in self.decisions:
            if one.outcome in _STANDS and one.about is not None:
                found[one.candidate] = one.about not in self.withdrawn
        for verdict, correct in self.marks.items():
            if (made := self.verdicts.get(verdict)) is not None:
                found[made.candidate] = correct is (made.outcome in _STANDS)
        return found


def recorded(verdict: Verdict, entry: Entry) -> Recorded:
    """Return a verdict as the accounts see it."""
    return Recorded(
        id=verdict.id,
        candidate=verdict.candidate,
        kind=verdict.kind,
        outcome=verdict.outcome,
        code=verdict.code,
        stage=verdict.stage,
        channel=verdict.channel or Channel.EXTERNAL,
        consequence=verdict.consequence,
        confidence=verdict.confidence,
        checks=verdict.checks or (),
        at=entry.tx_time,
        seq=entry.seq,
        scope=verdict.scope,
        session=verdict.session,
        source_id=verdict.source_id,
        predicate_id=verdict.predicate_id,
        about=verdict.about,
    )


def gate_figures(tenant: Tenant, caller: Caller, window: Window) -> GateFigures:
    """See `Handle.gate_figures`."""
    books = Books.read(tenant, caller, window=window)
    made = books.decisions
    claims = [one for one in made if one.kind in SEMANTIC]
    runs = len({one.session for one in made if one.session is not None})
    written = [one for one in claims if one.outcome in _STANDS]
    return GateFigures(
        candidates=len(made),
        runs=runs,
        funnel=funnel(made),
        outcomes=dict(sorted(Counter(one.outcome.value for one in made).items())),
        accepted_by_class={
            channel.value: Share(hits=sum(one.channel is channel for one in written), n=n)
            for channel in Channel
            if (n := sum(one.channel is channel for one in claims))
        },
        writes_per_hundred_runs=_rates(books, made, runs),
        conflicts=Share(hits=sum(one.about in books.clashes for one in written), n=len(written)),
        queue=queue_figures(tenant, caller, books),
        false_accepts=_marked(books, made, accepted=True),
        false_rejects=_marked(books, made, accepted=False),
        poison_exposure=sum(books.withdrawn.get(one, 0) > seq for seq, one in books.shown),
        rediscovered=_rediscovered(claims),
        **_of_reads(tenant, books),
        since=iso(window.since),
        until=iso(window.until),
        withdrawn_accepts=Share(hits=sum(one.about in books.withdrawn for one in written), n=len(written)),
        rediscovered_per_hundred_runs=_rediscovered(claims) * 100 / runs if runs else None,
        writes_by_class_per_hundred_runs={
            channel.value: n * 100 / runs if runs else float(n)
            for channel in Channel
            if (n := sum(one.channel is channel for one in written))
        },
        deletions_complete=Share(hits=len(books.erased - books.content), n=len(books.erased)),
    )


#: first so many items of a read
_FIRST = (1, 3, 5)


def _of_reads(tenant: Tenant, books: Books) -> dict[str, Any]:
    """Return the figures of reads: poison among them, precision of what was shown first, tokens."""
    showed = {read: shown for read, (_, shown) in books.reads.items()}
    poisoned = sum(any(books.withdrawn.get(one, 0) > seq for one in shown) for seq, shown in books.reads.values())
    words = _words_of(tenant, {one for shown in showed.values() for one in shown})
    tokens = sorted(sum(words.get(one, 0) for one in shown) for shown in showed.values())
    return {
        "poisoned_reads": Share(hits=poisoned, n=len(books.reads)),
        "precision_at": {str(k): precision_of(showed, books.labels, k) for k in _FIRST},
        "tokens_per_request": sum(tokens) / len(tokens) if tokens else None,
        "tokens_p95": tokens[max(0, -(-len(tokens) * 95 // 100) - 1)] if tokens else None,
    }


def _words_of(tenant: Tenant, nodes: set[str]) -> dict[str, int]:
    """Return the tokens of the words of what was shown, as the store counts them."""
    count = tenant.count_tokens or estimate_tokens
    claims = tenant.graph.claims([one for one in nodes if kind_of(one) == "claim"])
    found = {one: count(label_of_claim(claim)) for one, claim in claims.items()}
    for one in nodes - set(found):
        text = tenant.graph.artefact(one)
        if text is not None and text.artefact.content is not None:
            found[one] = count(text.artefact.content)
    return found


def _rates(books: Books, made: Iterable[Recorded], runs: int) -> tuple[tuple[str, str, float], ...]:
    """Return (source, kind, writes per hundred runs), the busiest first; without sessions the plain counts."""
    counted = Counter(
        (books.sources.get(one.source_id or "", one.source_id or "(none)"), one.kind)
        for one in made
        if one.outcome in _STANDS
    )
    return tuple((source, kind, n * 100 / runs if runs else float(n)) for (source, kind), n in counted.most_common(20))


def _marked(books: Books, made: Iterable[Recorded], *, accepted: bool) -> Share:
    """Return how many of the marked decisions of one side were wrong."""
    marks = [
        books.marks[one.id]
        for one in made
        if one.id in books.marks and (one.outcome in _STANDS if accepted else one.outcome is Outcome.REJECTED)
    ]
    return Share(hits=sum(not right for right in marks), n=len(marks))


def _rediscovered(claims: Iterable[Recorded]) -> int:
    """Return how often something refused was found again in another run: look-ups that a memory would have saved."""
    refused: dict[str, str | None] = {}
    again = 0
    for one in claims:
        if one.candidate in refused and one.session != refused[one.candidate]:
            again += 1
        if one.outcome is Outcome.REJECTED and one.stage not in ("never_store", "scope_and_channel"):
            refused.setdefault(one.candidate, one.session)
        elif one.outcome in _STANDS:
            refused.pop(one.candidate, None)
    return again


def queue_figures(tenant: Tenant, caller: Caller, books: Books) -> QueueFigures:
    """Return the length, the ages and the cost of the review queue, and whether it is too long."""
    policy, now = tenant.policies.write, tenant.now()
    waiting = {identifier for _, identifier in queue(tenant, caller)}
    by_id = {one.about: one for one in books.decisions if one.about in waiting}
    ages = sorted(max(0, (now - one.at) // _MICRO) for one in by_id.values())
    sources = Counter(books.sources.get(one.source_id or "", "(none)") for one in by_id.values())
    week = now - 7 * 86_400 * _MICRO
    came = sum(one.outcome in _WAITS and one.at > week for one in books.decisions)
    alarms = []
    if len(waiting) >= policy.review_alarm:
        alarms.append(f"{len(waiting)} wait, {policy.review_alarm} are too many")
    if ages and ages[-1] >= policy.review_alarm_days * 86_400:
        alarms.append(f"the oldest waits {ages[-1] // 86_400} days, {policy.review_alarm_days} are too long")
    if alarms and sources:
        alarms.append(f"most come from {sources.most_common(1)[0][0]}")
    return QueueFigures(
        length=len(waiting),
        oldest_seconds=ages[-1] if ages else 0,
        median_seconds=int(median(ages)) if ages else 0,
        seconds_per_review=median(books.timed) if books.timed else None,
        reviews=len(books.settled),
        grown=came - sum(at > week for at in books.settled),
        by_source=tuple(sources.most_common(10)),
        alarm="; ".join(alarms),
    )


# -- samples


def sample(tenant: Tenant, caller: Caller, which: str, size: int, seed: int) -> list[Sampled]:
    """See `Handle.audit_sample`."""
    if which not in ("rejected", "accepted") or size < 1:
        raise RequestError("a sample is of rejected or accepted decisions, one or more")
    return drawn(tenant, Books.read(tenant, caller), which, size, seed)


def drawn(tenant: Tenant, books: Books, which: str, size: int, seed: int) -> list[Sampled]:
    """Draw decisions of one side, "rejected" or "accepted", from the books."""
    wanted = (Outcome.REJECTED,) if which == "rejected" else _STANDS
    pool = [one for one in books.decisions if one.kind in SEMANTIC and one.outcome in wanted]
    # by lot: a digest knows nothing of its text
    chosen = sorted(pool, key=lambda one: digest(f"{seed}:{one.id}"))[:size]
    return [_sampled(tenant, books, one) for one in sorted(chosen, key=lambda one: one.seq)]


def _sampled(tenant: Tenant, books: Books, one: Recorded) -> Sampled:
    verdict = books.verdicts[one.id]
    claim = None if one.about is None else tenant.graph.claim(one.about)
    said = None if claim is None else claim.claim
    return Sampled(
        verdict=one.id,
        at=iso(one.at),
        kind=one.kind,
        outcome=one.outcome.value,
        code=one.code,
        stage=one.stage,
        channel=one.channel.value,
        source=books.sources.get(one.source_id or ""),
        principal=verdict.principal,
        session=one.session,
        claim=one.about,
        says=None if said is None or said.subject is None else f"{said.subject} · {said.predicate}: {said.object}",
        reasons=tuple(check.reason for check in one.checks if check.outcome not in ("pass", "note")),
        marked=books.marks.get(one.id),
    )


def mark(tenant: Tenant, caller: Caller, verdict_id: str, right: bool, reason: str) -> None:
    """See `Handle.audit_mark`."""
    principal = person(caller, "a mark")
    if kind_of(verdict_id) in ("claim", "artefact"):  # the decision that let it in
        let_in = [one.id for one, _ in tenant.graph.verdicts(verdict_id) if one.channel is not None]
        verdict_id = let_in[0] if let_in else verdict_id
    found = tenant.graph.verdict(verdict_id)
    if found is None or not reaches(caller, found[0].scope):
        raise NotFound("no such verdict in this scope; `audit sample` and `review` tell their ids")
    body = {"verdict": verdict_id, "right": right, "reason": told(reason, "reason") if reason else ""}
    note = Note(id=tenant.ids.new("nte"), about=MARK, body=canonical(body), actor=principal)
    tenant.commit("audit", found[0].scope, [note])


# -- policies


def compare(tenant: Tenant, caller: Caller, policies: Mapping[str, WritePolicy]) -> dict[str, Loss]:
    """See `Handle.compare_policies`."""
    books = Books.read(tenant, caller)
    right = books.right()
    return {name: price(tenant, books.decisions, right, policy) for name, policy in policies.items()}


def price(tenant: Tenant, made: Iterable[Recorded], right: Mapping[str, bool], policy: WritePolicy) -> Loss:
    """Return what the recorded candidates would have cost under a policy."""
    declared = {tenant.names.predicate(name): one for name, one in policy.registry.predicates.items()}
    steering = {tenant.names.predicate(name) for name in policy.steering}
    fresh, lost = [], 0
    for one in made:
        key = one.predicate_id or ""
        again = rejudge(one, policy, declared.get(key), steering=key in steering)
        if again is None:
            lost += 1
        else:
            fresh.append(again)
    return loss(fresh, right, policy.weights).model_copy(update={"uncomparable": lost})
