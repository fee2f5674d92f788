"""What may be shown: each candidate judged once, by belief's definitions, before any score is looked at.

For claims the answer of the whole slot decides (`tkg.belief.validity`), read once per recall however many of its claims
were found. Nothing here weighs relevance; it only says "may be shown" or a reason why not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from tkg.belief.book import Book
from tkg.belief.compare import Same
from tkg.belief.confidence import LADDER
from tkg.belief.order import backs, standing
from tkg.belief.runs import Runs, runs
from tkg.belief.state import lapsed
from tkg.belief.suspension import Slot
from tkg.belief.table import denied_since
from tkg.belief.validity import Answer, Layers, effective
from tkg.graph.port import Graph
from tkg.ids import kind_of
from tkg.model.artefact import Artefact
from tkg.model.claim import Claim, Polarity
from tkg.model.policy import Policies
from tkg.model.predicate import Predicate, Registry
from tkg.model.scope import Channel, Scope
from tkg.model.time import Instant
from tkg.model.view import ArtefactView, SlotClaim
from tkg.recall.render import claim_text
from tkg.text import match_form


class Window(NamedTuple):
    """The valid time asked about, `[start, end)`; `point` is the instant that answers are worded for.

    `phrase` is the date as the question wrote it: a claim that holds and names that date in its own words answers too.
    """

    start: Instant
    end: Instant
    point: Instant
    phrase: str = ""

    @property
    def instant(self) -> bool:
        """Whether one instant is asked about."""
        return self.end - self.start == 1


class SourceShown(NamedTuple):
    """Where an item can be fetched again."""

    uri: str | None = None
    version: str | None = None
    locator: str | None = None
    speaker: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """One judged candidate.

    `state` is what it is called; `eligible` whether it may be shown. `rivals` are claims it is in conflict with.
    """

    id: str
    kind: str
    scope: str
    state: str
    eligible: bool
    text: str
    channel: Channel
    confidence: float
    origins: frozenset[str]
    observed_at: Instant
    evidence_id: str | None = None
    claim: Claim | None = None
    rivals: tuple[str, ...] = ()
    note: str | None = None
    speaker: str | None = None
    #: a skill whose last told run failed
    flagged: bool = False
    seq: int = 0

    @property
    def key(self) -> str:
        """Subject and predicate, for a note."""
        return "" if self.claim is None else f"{self.claim.subject or '?'} · {self.claim.predicate or '?'}"

    @property
    def value(self) -> str:
        """The object of a claim."""
        return "?" if self.claim is None else self.claim.object or "?"

    @property
    def negative(self) -> bool:
        """Whether the claim denies its value."""
        return self.claim is not None and self.claim.polarity is Polarity.NEGATIVE


class Laid(Protocol):
    """What the judge asks of the reader of slots."""

    @property
    def same(self) -> Same | None:
        """Which entities are one."""
        ...

    @property
    def registry(self) -> Registry:
        """The declarations of the transaction asked about."""
        ...

    def foreign(self, scope: str, subject: str, predicate: str) -> list[SlotClaim]:
        """What is laid into a slot from other slots."""
        ...


class _Slot(NamedTuple):
    views: dict[str, SlotClaim]
    predicate: Predicate
    layers: Layers
    answer: Answer


class Judge:
    """Judges candidates for one recall: one window of valid time, one transaction.

    Args:
        graph: the tenant's graph.
        book: all status changes.
        policies: predicates, and how long each class stays usable.
        scope: the reader's scope.
        window: the valid time asked about.
        as_of: only what was written up to this transaction counts.
        slot_of: the slot's id for (scope path, subject, predicate); with it a narrower scope shadows a wider one.
        slots: what other slots say of the same, the names of one entity, and the declarations of that transaction.
        visible: the scopes that count, the narrowest first (default: the reader's own and its tenant's).
    """

    def __init__(
        self,
        graph: Graph,
        book: Book,
        policies: Policies,
        scope: Scope,
        window: Window,
        as_of: int,
        slot_of: Callable[[str, str, str], str] | None = None,
        slots: Laid | None = None,
        visible: Sequence[str] | None = None,
    ) -> None:
        self._graph = graph
        self._book = book
        self._policies = policies
        self._visible = tuple(scope.visible if visible is None else visible)
        self._window = window
        self._as_of = as_of
        self._slot_of = slot_of
        self._laid = slots
        self._same = None if slots is None else slots.same
        self._registry = policies.write.registry if slots is None else slots.registry
        self._declared: dict[str, Predicate] = {}
        self._slots: dict[str, _Slot] = {}
        self._raw: dict[str, list[SlotClaim]] = {}
        self._views: dict[str, SlotClaim] = {}
        self._sources: dict[str, SourceShown] = {}
        self._lapsed: Callable[[int], int] | None = None
        self._skills: list[ArtefactView] | None = None

    def expire(self, written_by: Callable[[int], int]) -> None:
        """Let time to live count: only for questions about now, where "still true?" is what matters.

        Args:
            written_by: the newest transaction that is at least so many microseconds old.
        """
        self._lapsed = written_by

    def something_waits(self) -> bool:
        """Return whether any node of the tenant is suspended, so that looking for it is worth a search."""
        return bool(self._book.targets("support", "suspended", self._as_of))

    # -- judging

    def all(self, identifiers: Iterable[str]) -> list[Standing]:
        """Judge candidates, in order; ids that name nothing that recall shows are skipped."""
        found = (self._one(identifier) for identifier in identifiers)
        return [each for each in found if each is not None]

    def read_slot(self, slot_id: str) -> None:
        """Read a whole slot, so that its claims need not be looked up one by one."""
        self._claims_of(slot_id)

    def _one(self, identifier: str) -> Standing | None:
        found = self._stored(identifier)
        last = self._book.last(identifier, "storage", self._as_of)
        if found is not None and last is not None and last.value == "archived":
            return replace(found, state="archived", eligible=False)
        return found

    def _stored(self, identifier: str) -> Standing | None:
        if kind_of(identifier) == "claim":
            # most candidates lie in slots that were read for others
            view = self._views.get(identifier) or self._graph.claim(identifier)
            return None if view is None else self._claim(view)
        artefact = self._graph.artefact(identifier)
        return None if artefact is None else self._artefact(artefact)

    def _claim(self, view: SlotClaim) -> Standing:
        claim = view.claim
        live = [b.justification for b in view.backers if backs(b, self._book, self._as_of)]
        best = max(
            live or [b.justification for b in view.backers],
            key=lambda j: (j.system_of_record, j.channel.rank, j.observed_at, j.id),
            default=None,
        )
        state, rivals = self._claim_state(view)
        eligible = state in ("active", "conflict", "past")
        if state == "conflict" and "high" in (claim.consequence, self._predicate(claim).consequence):
            eligible = False
        return Standing(
            id=claim.id,
            kind="claim",
            scope=claim.scope,
            state="superseded" if state == "past" else state,
            eligible=eligible and claim.object is not None,
            text=claim_text(claim.subject, claim.predicate, claim.object, claim.polarity is Polarity.NEGATIVE),
            channel=Channel.EXTERNAL if best is None else best.channel,
            confidence=max((LADDER[j.channel] for j in live), default=LADDER[Channel.EXTERNAL]),
            origins=frozenset(origin for j in live for origin in j.origins),
            observed_at=claim.interval.from_lo if best is None else best.observed_at,
            evidence_id=best.requires[0] if best is not None and best.kind == "evidence" and best.requires else None,
            claim=claim,
            rivals=rivals,
            note=self._note(view, rivals) if state == "conflict" and rivals else None,
            seq=view.seq,
        )

    def _note(self, view: SlotClaim, rivals: tuple[str, ...]) -> str:
        """Return what a conflict is about; who denies his own words is told apart."""
        views = self._slot(view.claim).views
        own = [one for one in rivals if one in views and denied_since(views[one], view)]
        denied = f"; its own source has denied it since, in {', '.join(own)}" if own else ""
        return f"in conflict with {', '.join(rivals)}{denied}"

    def _claim_state(self, view: SlotClaim) -> tuple[str, tuple[str, ...]]:
        """Return the state of a claim (a `Reason`, or active, conflict, past) and what it is in conflict with."""
        claim, book, as_of = view.claim, self._book, self._as_of
        if view.seq > as_of:
            return "not_known_then", ()
        if (status := book.status(claim.id, as_of)) != "active":
            return status, ()
        stands = standing(view, book, as_of)
        if stands is None or not stands.live:
            needed = {one for b in view.backers if b.seq <= as_of for one in b.justification.requires}
            waits = any(book.status(one, as_of) in ("quarantined", "held") for one in needed)
            return ("quarantined" if waits else "revoked"), ()
        if self._unverified(view):
            return "unverified", ()
        slot = self._slot(claim)
        return self._at_instant(view, slot) if self._window.instant else self._in_range(view, slot)

    def _at_instant(self, view: SlotClaim, slot: _Slot) -> tuple[str, tuple[str, ...]]:
        claim, answer = view.claim, slot.answer
        if claim.id in answer.suspended or (answer.kind == "suspended" and claim.id in answer.claims):
            return "suspended", ()
        if claim.id in answer.claims:
            if answer.kind == "conflict":
                return "conflict", tuple(one for one in answer.contested or answer.claims if one != claim.id)
            return "active", ()
        if claim.interval.holds(self._window.point) is False:
            return "not_valid_then", ()
        if claim.polarity is Polarity.NEGATIVE:
            return ("active" if self._maximal(claim.id, slot) else "superseded"), ()
        if claim.id in answer.contested:
            return "conflict", tuple(one for one in answer.contested if one != claim.id)
        return ("refined" if self._maximal(claim.id, slot) else "superseded"), ()

    def _maximal(self, claim_id: str, slot: _Slot) -> bool:
        for order in slot.layers.orders:
            point = order.at(self._window.point)
            if any(order.standings[i].claim.id == claim_id for i in (*point.maximal, *point.possible)):
                return True
        return False

    def _in_range(self, view: SlotClaim, slot: _Slot) -> tuple[str, tuple[str, ...]]:
        """A claim counts for a range when it was the answer at some instant of it."""
        window = self._window
        state, rivals = self._at_instant(view, slot)
        spans = effective(view, self._raw[view.claim.slot_id], slot.predicate, self._book, self._as_of, same=self._same)
        if any(start < window.end and window.start < end for start, end in spans):
            return (state, rivals) if state in ("active", "conflict", "suspended") else ("past", ())
        if state == "active" and window.phrase and match_form(window.phrase) in match_form(_words(view.claim)):
            return state, rivals
        return ("not_valid_then" if state in ("active", "conflict") else state), ()

    def _unverified(self, view: SlotClaim) -> bool:
        """Whether the claim's time to live has run out; only asked of questions about now."""
        if self._lapsed is None:
            return False
        days = self._policies.forget.ttl_days
        return lapsed(view, self._predicate(view.claim), self._book, days, self._lapsed, self._as_of)

    def _artefact(self, view: ArtefactView) -> Standing:
        artefact, book, as_of = view.artefact, self._book, self._as_of
        backers = self._graph.justifications(artefact.id)
        told = runs(book, artefact.id, as_of) if artefact.kind == "skill" else Runs()
        requires = backers[0].justification.requires if backers else ()
        status, support = book.status(artefact.id, as_of), book.support(artefact.id, as_of)
        state = "active"
        if view.seq > as_of:
            state = "not_known_then"
        elif status != "active":
            state = status
        elif support != "supported":
            state = "suspended" if support == "suspended" else "revoked"
        elif artefact.content is None:
            state = "erased"
        elif told.failures >= self._policies.read.skill_failures:
            state = "failing"
        elif artefact.kind == "skill" and self._replaced(view):
            state = "superseded"
        return Standing(
            id=artefact.id,
            kind=artefact.kind,
            scope=artefact.scope,
            state=state,
            eligible=state == "active",
            text=artefact.content or "",
            channel=artefact.label,
            confidence=_proven(LADDER[artefact.label], told),
            origins=frozenset(origin for b in backers for origin in b.justification.origins),
            observed_at=artefact.observed_at,
            evidence_id=next((one for one in requires if kind_of(one) == "evidence"), None),
            speaker=(artefact.meta or {}).get("speaker"),
            note=f"failed {told.failures} time(s) since it was last verified" if told.failures else None,
            flagged=told.failures > 0,
            seq=view.seq,
        )

    def _replaced(self, view: ArtefactView) -> bool:
        """Return whether another version of a skill stands in its place, as in the folder of skills."""
        own = view.artefact
        if self._skills is None:
            found = (self._graph.artefact(one) for one in self._graph.skills())
            self._skills = [one for one in found if one is not None and one.artefact.content is not None]
        return any(
            one.artefact.scope == own.scope
            and skill_name(one.artefact) == skill_name(own)
            and one.seq <= self._as_of
            and (one.artefact.label.rank, one.seq) > (own.label.rank, view.seq)
            and self._book.live(one.artefact.id, self._as_of)
            for one in self._skills
        )

    # -- slots

    def _predicate(self, claim: Claim) -> Predicate:
        name = claim.predicate or "erased"
        if name not in self._declared:
            self._declared[name] = self._registry.get(name)
        return self._declared[name]

    def _claims_of(self, slot_id: str) -> list[SlotClaim]:
        if slot_id not in self._raw:
            self._raw[slot_id] = self._graph.slot(slot_id)
            self._views.update((view.claim.id, view) for view in self._raw[slot_id])
        return self._raw[slot_id]

    def _slot(self, claim: Claim) -> _Slot:
        if claim.slot_id in self._slots:
            return self._slots[claim.slot_id]
        predicate = self._predicate(claim)
        ids, paths = [claim.slot_id], [claim.scope]
        # only where one value must win can another scope's claim hide this one
        if self._slot_of is not None and predicate.limit is not None and claim.subject and claim.predicate:
            ids = [self._slot_of(path, claim.subject, claim.predicate) for path in self._visible]
            paths = list(self._visible)
            if claim.slot_id not in ids:
                ids, paths = [claim.slot_id], [claim.scope]
        views = [self._lay(slot_id, path, claim) for slot_id, path in zip(ids, paths, strict=True)]
        layers = Layers(views, predicate, self._book, self._as_of, self._lookup, self._same)
        slot = _Slot({v.claim.id: v for some in views for v in some}, predicate, layers, layers.at(self._window.point))
        for slot_id in ids:
            self._slots[slot_id] = slot
        return slot

    def _lay(self, slot_id: str, path: str, claim: Claim) -> list[SlotClaim]:
        """Return a slot with what other slots say of the same; from here on that is the slot."""
        own = self._claims_of(slot_id)
        if self._laid is None or claim.subject is None or claim.predicate is None:
            return own
        known = {view.claim.id for view in own}
        others = [v for v in self._laid.foreign(path, claim.subject, claim.predicate) if v.claim.id not in known]
        if others:
            self._raw[slot_id] = sorted((*own, *others), key=lambda view: (view.seq, view.claim.id))
        return self._raw[slot_id]

    def _lookup(self, claim_id: str) -> Slot | None:
        view = self._graph.claim(claim_id)
        return None if view is None else Slot(self._claims_of(view.claim.slot_id), self._predicate(view.claim))

    # -- for what is shown

    def span(self, found: Standing) -> tuple[Instant | None, Instant | None]:
        """Return the stretch of time a claim is the answer for, around the point asked about."""
        if found.claim is None:
            return None, None
        claim, slot = found.claim, self._slot(found.claim)
        whole = (claim.interval.valid_from, claim.interval.valid_to)
        view = slot.views.get(claim.id)
        if view is None or len(slot.views) == 1:
            return whole
        spans = effective(
            view, self._claims_of(claim.slot_id), slot.predicate, self._book, self._as_of, same=self._same
        )
        point = self._window.point
        near = [one for one in spans if one[0] <= point < one[1]]
        near += [one for one in spans if one[0] < self._window.end and self._window.start < one[1]]
        return near[0] if near else whole

    def shown_state(self, found: Standing) -> str:
        """Return the state to print: `stale` for a text some of whose claims have been replaced since."""
        if found.kind not in ("summary", "skill") or found.state != "active":
            return found.state
        if found.flagged:
            return "flagged"
        backers = self._graph.justifications(found.id)
        used = [one for b in backers for one in b.justification.requires if kind_of(one) == "claim"]
        return (
            "stale"
            if any(each is not None and each.state == "superseded" for each in map(self._stored, used))
            else "active"
        )

    def source(self, found: Standing) -> SourceShown:
        """Return where an item can be fetched again, and who said it."""
        if found.id in self._sources:
            return self._sources[found.id]
        speaker = turn = None
        if found.claim is None:
            view = self._graph.artefact(found.id)
            meta = (view.artefact.meta if view is not None else None) or {}
            speaker, turn = meta.get("speaker"), meta.get("turn")
        evidence = None if found.evidence_id is None else self._graph.evidence(found.evidence_id)
        shown = SourceShown(locator=turn, speaker=speaker)
        if evidence is not None:
            own = evidence.evidence
            shown = SourceShown(evidence.source.uri, own.version, own.locator or turn, speaker, own.quote)
        self._sources[found.id] = shown
        return shown


def _proven(confidence: float, told: Runs) -> float:
    """Return what a skill weighs after its runs: half for each failure in a row; verified, at least as a tool's word."""
    if told.verified:
        confidence = max(confidence, LADDER[Channel.TRUSTED_TOOL])
    return float(confidence * 0.5**told.failures)


def skill_name(skill: Artefact) -> str:
    """Return the name a skill goes by: versions of one skill share it."""
    return match_form((skill.meta or {}).get("name") or skill.id)


def _words(claim: Claim) -> str:
    return " ".join(part for part in (claim.subject, claim.predicate, claim.object) if part)
