"""`audit`: what a person should look at, from one pass over the ledger: what is shown most and how it is known, and what is weak.

Nothing is sampled where it can be counted; lists are cut to their first items and say how many there are. What an audit
cannot see is counted too: texts that were written without a trace of what they were made from.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from tkg.belief.order import backs
from tkg.belief.origin import independent
from tkg.belief.state import lapsed
from tkg.memory import drifting
from tkg.memory.accounting import Books, QueueFigures, Sampled, drawn, queue_figures
from tkg.memory.answers import EvidenceShown
from tkg.memory.caller import Caller
from tkg.memory.fetching import fetchable
from tkg.memory.inspecting import label_of_claim, shown_evidence
from tkg.memory.moments import written_at
from tkg.memory.states import state_of
from tkg.memory.tenant import Tenant
from tkg.memory.visible import owns
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.base import Value as Frozen
from tkg.model.claim import Claim, Justification, Supersession
from tkg.model.entry import Entry
from tkg.model.evidence import StoredEvidence
from tkg.model.scope import GLOBAL, Channel
from tkg.model.time import iso
from tkg.model.view import Backer, SlotClaim
from tkg.text import match_form

#: claims looked at because they are shown most, and decisions drawn of what was refused
MOST_SHOWN: Final = 20
#: shortest quote, in characters, that two sources do not share by chance
_WORDS: Final = 40
_MADE: Final = frozenset({"summary", "skill", "action", "answer"})
_LOW: Final = Channel.AGENT_INFERRED.rank


class Examined(Frozen):
    """One of the most shown claims, and how it is known: a sentence, the evidence, and what is weak about it."""

    id: str
    says: str
    state: str
    scope: str
    reads: int
    how: str
    evidence: tuple[EvidenceShown, ...]
    independent_origins: int
    verified: str | None
    weak: tuple[str, ...] = ()
    marked: bool | None = None


class Weak(Frozen):
    """One thing that was found, and why it is here."""

    id: str
    says: str
    why: str


class Section(Frozen):
    """What was looked for, how many there are (of `of`), and the first of them; `person` when somebody has to look."""

    name: str
    title: str
    count: int
    of: int
    person: bool
    items: tuple[Weak, ...]


class Audit(Frozen):
    """The result of an audit; `needs` are the sentences that call for a person, none when all is well."""

    at: str | None
    scope: str
    transactions: int
    claims: int
    standing: int
    most_shown: tuple[Examined, ...]
    sections: tuple[Section, ...]
    queue: QueueFigures
    rejected: tuple[Sampled, ...]
    needs: tuple[str, ...]


@dataclass
class _Held:
    """What the ledger holds of one scope and those below it, as far as an audit needs it."""

    claims: dict[str, tuple[Claim, int]] = field(default_factory=dict)
    evidence: dict[str, StoredEvidence] = field(default_factory=dict)
    backers: dict[str, list[Backer]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[str, Artefact] = field(default_factory=dict)
    winners: dict[str, list[Supersession]] = field(default_factory=lambda: defaultdict(list))
    #: keyed sessions that read or wrote in a user's scope -> that scope
    private: dict[str, str] = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """Take one entry in."""
        for record in entry.records:
            match record:
                case Claim():
                    self.claims[record.id] = (record, entry.seq)
                case StoredEvidence():
                    self.evidence[record.id] = record
                    self._session(record.session_id, record.scope)
                case Justification():
                    self.backers[record.head].append(Backer(record, entry.seq))
                case Artefact():
                    self.texts[record.id] = record
                case Supersession():
                    self.winners[record.loser].append(record)
                case Retrieval():
                    self._session(record.session_id, record.scope)
                case _:
                    pass

    def _session(self, session: str | None, scope: str) -> None:
        if session is not None and "/" in scope:
            self.private[session] = scope


class _Audit:
    """One audit."""

    def __init__(self, tenant: Tenant, caller: Caller) -> None:
        self._tenant, self._caller, self._held = tenant, caller, _Held()
        self.books = Books.read(tenant, caller, also=self._held.take)
        self._written_by = cache(tenant.written_by)
        self.support = cache(self._support)
        now = tenant.now()
        book = tenant.book
        cut = {
            loser
            for loser, many in self._held.winners.items()
            if any(one.portion_from <= now < one.portion_to and book.live(one.winner) for one in many)
        }
        self.standing = {
            one: pair
            for one, pair in self._held.claims.items()
            if one not in cut
            and book.live(one)
            and pair[0].object is not None
            and (pair[0].scope != GLOBAL or owns(caller, GLOBAL))
        }

    @property
    def held(self) -> _Held:
        """What was read."""
        return self._held

    def _support(self, claim: str) -> list[StoredEvidence]:
        """Return the standing evidence directly behind a claim."""
        book = self._tenant.book
        needed = (n for b in self._held.backers.get(claim, ()) if backs(b, book) for n in b.justification.requires)
        return [self._held.evidence[one] for one in dict.fromkeys(needed) if one in self._held.evidence]

    def says(self, claim: Claim) -> str:
        """Return a claim as a line."""
        return label_of_claim(claim)

    # -- what is weak about a claim; each returns why, or an empty text

    def unfetchable(self, claim: Claim) -> str:
        """Without evidence that can be fetched again."""
        places = [self.books.sources.get(one.source_id) for one in self.support(claim.id)]
        if any(fetchable(uri) for uri in places if uri is not None):
            return ""
        named = sorted({uri for uri in places if uri is not None})
        return f"rests on {', '.join(named[:3])}, which nothing can fetch" if named else "rests on derivation alone"

    def broad(self, claim: Claim) -> str:
        """Read by more than its evidence speaks for."""
        if "/" in claim.scope:
            return ""
        found = self.support(claim.id)
        who = "everybody" if claim.scope == GLOBAL else "the whole tenant"
        if found and max(one.channel.rank for one in found) <= _LOW:
            return f"{who} reads it, and only {found[0].channel.value} said it"
        sessions = {one.session_id for one in found}
        if found and None not in sessions and len(sessions) == 1:
            scope = self._held.private.get(next(iter(sessions)) or "")
            if scope is not None and max(one.channel.rank for one in found) < Channel.HUMAN_VERIFIED.rank:
                return f"{who} reads it, and one work session of {scope} alone said it"
        return ""

    def lapsed(self, claim: Claim) -> str:
        """Past the time for which it counts unverified."""
        tenant = self._tenant
        view = SlotClaim(claim, self._held.claims[claim.id][1], tuple(self._held.backers.get(claim.id, ())))
        declared = tenant.registry().get(claim.predicate or "erased")
        if not lapsed(view, declared, tenant.book, tenant.policies.forget.ttl_days, self._written_by):
            return ""
        return "its time without verification is over; `tkg confirm` or `tkg verify --evidence` renews it"

    def weak(self, claim: Claim) -> tuple[str, ...]:
        """Return everything that is weak about a claim."""
        return tuple(why for why in (self.unfetchable(claim), self.broad(claim), self.lapsed(claim)) if why)


def examine(tenant: Tenant, caller: Caller, *, most: int, sample: int, seed: int) -> Audit:
    """See `Handle.audit`."""
    audit = _Audit(tenant, caller)
    queue = queue_figures(tenant, caller, audit.books)
    sections = tuple(_sections(tenant, audit, most))
    shown = tuple(_most_shown(tenant, audit))
    needs = [f"{one.count:,} of {one.of:,}: {one.title}" for one in sections if one.person and one.count]
    needs += [f"{len(one.weak)} weak point(s) in what is shown most: {one.says}" for one in shown if one.weak]
    if queue.length:
        needs.append(f"{queue.length} wait for a decision: `tkg review`")
    if queue.alarm:
        needs.append(f"the review queue is too long: {queue.alarm}")
    return Audit(
        at=iso(tenant.now()),
        scope=caller.scope.path,
        transactions=tenant.ledger.head.seq,
        claims=len(audit.held.claims),
        standing=len(audit.standing),
        most_shown=shown,
        sections=sections,
        queue=queue,
        rejected=tuple(drawn(tenant, audit.books, "rejected", sample, seed)),
        needs=tuple(needs),
    )


def _most_shown(tenant: Tenant, audit: _Audit) -> Iterator[Examined]:
    counted = Counter(one for _, one in audit.books.shown if one in audit.held.claims)
    most = sorted(counted, key=lambda one: (-counted[one], one))[:MOST_SHOWN]
    checked = {one: _verified(tenant, one) for one in most}
    times = written_at(tenant, (seq for seq in checked.values() if seq))
    marks = {
        found.about: audit.books.marks[one] for one, found in audit.books.verdicts.items() if one in audit.books.marks
    }
    for one in most:
        claim, _ = audit.held.claims[one]
        evidence = shown_evidence(tenant, [each.id for each in audit.support(one)])
        origins = independent(audit.held.backers.get(one, ()), tenant.book)
        verified = times.get(checked[one] or 0)
        yield Examined(
            id=one,
            says=audit.says(claim),
            state=state_of(tenant, one).state,
            scope=claim.scope,
            reads=counted[one],
            how=how_known(evidence, origins, verified),
            evidence=evidence,
            independent_origins=origins,
            verified=verified,
            weak=audit.weak(claim) if one in audit.standing else (),
            marked=marks.get(one),
        )


def _verified(tenant: Tenant, claim: str) -> int | None:
    found = [seq for seq, one in tenant.book.history(claim) if one.axis == "verified" and one.value == "fresh"]
    return max(found, default=None)


def how_known(evidence: Iterable[EvidenceShown], origins: int, verified: str | None) -> str:
    """Answer "how do we know this?" in a sentence: who said it where and when, how many independently, since verified."""
    parts = []
    for one in evidence:
        place = ", ".join(p for p in (one.uri, f"version {one.version}" if one.version else "", one.locator) if p)
        who = f"{one.principal or 'somebody'} ({one.channel})"
        copied = f", copied from {one.copy_of}" if one.copy_of else ""
        parts.append(
            f"{who} said so in {place or 'a place that was erased'} on {(one.observed_at or '?')[:10]}{copied}"
        )
    if not parts:
        parts.append("it was derived, and no evidence of its own stands")
    since = f"verified on {verified[:10]}" if verified is not None else "never verified since"
    return f"{'; '.join(parts)}. Independent origins: {origins}; {since}."


def _sections(tenant: Tenant, audit: _Audit, most: int) -> Iterator[Section]:
    standing = [claim for claim, _ in audit.standing.values()]
    for name, title, find in (
        ("no_evidence", "claims without evidence that can be fetched again", audit.unfetchable),
        ("over_broad", "claims read more widely than their evidence speaks for", audit.broad),
        ("unverified", "claims not verified for longer than their class counts", audit.lapsed),
    ):
        found = [(claim, why) for claim in standing if (why := find(claim))]
        items = tuple(Weak(id=one.id, says=audit.says(one), why=why) for one, why in found[:most])
        yield Section(name=name, title=title, count=len(found), of=len(standing), person=True, items=items)
    alarms = list(drifting.young(tenant, tenant.policies.write.drift, audit.books))
    yield Section(
        name="young",
        title="young claims of a low class that are already shown often",
        count=len(alarms),
        of=len(standing),
        person=True,
        items=tuple(Weak(id=one.about, says=_named(audit, one.about), why=one.says) for one in alarms[:most]),
    )
    yield from _blind(tenant, audit, most)
    yield _copied(tenant, audit, most)


def _named(audit: _Audit, identifier: str) -> str:
    if identifier in audit.held.claims:
        return audit.says(audit.held.claims[identifier][0])
    text = audit.held.texts.get(identifier)
    return "" if text is None else _short(text.content)


def _short(text: str | None) -> str:
    line = " ".join((text or "(erased)").split())
    return line if len(line) <= 120 else f"{line[:119]}…"


def _blind(tenant: Tenant, audit: _Audit, most: int) -> Iterator[Section]:
    """Yield the blind spots: texts without any derivation edge, and those whose session nobody recorded."""
    made = [one for one in audit.held.texts.values() if one.kind in _MADE and tenant.book.live(one.id)]
    bare = [one for one in made if not any(b.justification.requires for b in audit.held.backers.get(one.id, ()))]
    loose = [one for one in made if one.session_id is None and one not in bare]
    for name, title, found, why, person in (
        (
            "no_edges",
            "texts without derivation edges: no revocation reaches them",
            bare,
            "nothing says what it was made from",
            True,
        ),
        (
            "no_session",
            "texts written outside a work session",
            loose,
            "only what they named counts, not what was seen",
            False,
        ),
    ):
        items = tuple(Weak(id=one.id, says=f"{one.kind}: {_short(one.content)}", why=why) for one in found[:most])
        yield Section(name=name, title=title, count=len(found), of=len(made), person=person, items=items)


def _copied(tenant: Tenant, audit: _Audit, most: int) -> Section:
    """Return evidence that says it is a copy, and sources that hold the same words as another."""
    sources = audit.books.sources
    live = [one for one in audit.held.evidence.values() if tenant.book.live(one.id)]
    found = [(one, f"copied from {sources.get(one.copy_of, one.copy_of)}") for one in live if one.copy_of is not None]
    first: dict[str, StoredEvidence] = {}
    for one in live:
        words = match_form(one.quote or "")
        if one.copy_of is not None or len(words) < _WORDS:
            continue
        earlier = first.setdefault(words, one)
        if earlier.source_id != one.source_id:
            found.append((one, f"the same words as in {sources.get(earlier.source_id, '(erased)')}"))
    items = tuple(Weak(id=one.id, says=sources.get(one.source_id) or "(erased)", why=why) for one, why in found[:most])
    title = "evidence that is a copy, or says the same words as another source"
    return Section(name="copied", title=title, count=len(found), of=len(live), person=False, items=items)
