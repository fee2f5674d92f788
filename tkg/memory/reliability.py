"""Which sources agree with the others: an estimate for a person who has to choose between sides. Nothing is changed by it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from tkg.belief.order import backs, standing
from tkg.belief.reliability import Estimate, estimate
from tkg.errors import RequestError
from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.base import Value as Frozen
from tkg.model.claim import Claim, Polarity
from tkg.model.time import Instant, When

_PAGE: Final = 1_000


class SourceTrust(Frozen):
    """How one origin fares: who it is, of how many slots it speaks, in how many others differ, and the estimated trust.

    `agrees` counts the disputed slots in which its value is the favoured one.
    """

    principal: str | None
    uris: tuple[str, ...]
    slots: int
    disputed: int
    agrees: int
    trust: float


class Favoured(Frozen):
    """A slot in which sources differ: the value that the estimate favours (None: none), and every value with its score."""

    subject: str
    predicate: str
    value: str | None
    scores: tuple[tuple[str, float], ...]
    claims: tuple[str, ...]


class Reliability(Frozen):
    """Trust in each origin, the least trusted first, and what it would favour where origins differ."""

    sources: tuple[SourceTrust, ...]
    favoured: tuple[Favoured, ...]
    slots: int
    rounds: int


class _Votes:
    """What each origin says last of each slot, at one instant."""

    def __init__(self) -> None:
        self.votes: dict[str, dict[str, str]] = defaultdict(dict)
        self.said: dict[tuple[str, str], Claim] = {}
        self.claims: dict[str, set[str]] = defaultdict(set)
        self.uris: dict[str, set[str]] = defaultdict(set)
        self.names: dict[str, str | None] = {}
        self._latest: dict[tuple[str, str], tuple[Instant, int]] = {}

    def take(self, claim: Claim, value: str, origin: str, said_at: tuple[Instant, int]) -> None:
        """Note that an origin said a value; only its latest counts."""
        self.said.setdefault((claim.slot_id, value), claim)
        self.claims[claim.slot_id].add(claim.id)
        if said_at > self._latest.get((claim.slot_id, origin), (said_at[0] - 1, 0)):
            self._latest[claim.slot_id, origin] = said_at
            self.votes[claim.slot_id][origin] = value


def _claims(tenant: Tenant, predicate: str) -> Iterator[str]:
    after = ""
    while page := tenant.graph.claims_of(predicate, after, _PAGE):
        yield from page
        after = page[-1]


def _collect(tenant: Tenant, caller: Caller, predicates: Sequence[str], instant: Instant) -> _Votes:
    found = _Votes()
    for predicate in predicates:
        for one in _claims(tenant, predicate):
            view = tenant.graph.claim(one)
            if view is None or view.claim.polarity is Polarity.NEGATIVE or not reaches(caller, view.claim.scope):
                continue
            stands = standing(view, tenant.book)
            value = view.claim.object_norm
            if stands is None or not stands.live or value is None or not view.claim.interval.holds(instant):
                continue
            for backer in view.backers:
                if not backs(backer, tenant.book):
                    continue
                made = backer.justification
                for origin in made.origins:
                    found.take(view.claim, value, origin, (made.observed_at, backer.seq))
                _name(tenant, found, made.requires)
    return found


def _name(tenant: Tenant, found: _Votes, requires: Sequence[str]) -> None:
    for one in requires:
        view = tenant.graph.evidence(one)
        if view is not None:
            found.uris[view.evidence.origin].update([] if view.source.uri is None else [view.source.uri])
            found.names.setdefault(view.evidence.origin, view.evidence.principal)


def reliability(tenant: Tenant, caller: Caller, predicate: str | None, valid_at: When) -> Reliability:
    """See `Handle.audit_sources`."""
    registry = tenant.registry()
    if predicate is None:
        counted = [name for name, _ in tenant.graph.predicates() if registry.get(name).limit == 1]
    elif registry.get(predicate).limit == 1:
        counted = [predicate]
    else:
        raise RequestError('sources are compared where a slot holds one value: declare cardinality = "one" first')
    found = _collect(tenant, caller, counted, tenant.instant_of(valid_at))
    made = estimate(found.votes)
    disputed = {slot: set(said.values()) for slot, said in found.votes.items() if len(set(said.values())) > 1}
    best = {slot: made.favoured(slot, dict.fromkeys(values)) for slot, values in disputed.items()}
    favoured = [_favoured(found, made, slot, best[slot]) for slot in sorted(disputed)]
    return Reliability(
        sources=tuple(_sources(found, made, best)),
        favoured=tuple(sorted(favoured, key=lambda one: (one.subject, one.predicate))),
        slots=len(found.votes),
        rounds=made.rounds,
    )


def _favoured(found: _Votes, made: Estimate, slot: str, best: str | None) -> Favoured:
    values = sorted(set(found.votes[slot].values()), key=lambda value: (-made.weight[slot, value], value))
    shown = {value: found.said[slot, value].object or "" for value in values}
    claim = found.said[slot, values[0]]
    return Favoured(
        subject=claim.subject or "",
        predicate=claim.predicate or "",
        value=None if best is None else shown[best],
        scores=tuple((shown[value], round(made.belief[slot, value], 6)) for value in values),
        claims=tuple(sorted(found.claims[slot])),
    )


def _sources(found: _Votes, made: Estimate, best: dict[str, str | None]) -> Iterator[SourceTrust]:
    spoke, differs, agrees = Counter[str](), Counter[str](), Counter[str]()
    for slot, said in found.votes.items():
        for origin, value in said.items():
            spoke[origin] += 1
            differs[origin] += slot in best
            agrees[origin] += slot in best and best[slot] == value
    for origin in sorted(made.trust, key=lambda one: (made.trust[one], one)):
        yield SourceTrust(
            principal=found.names.get(origin),
            uris=tuple(sorted(found.uris[origin]))[:3],
            slots=spoke[origin],
            disputed=differs[origin],
            agrees=agrees[origin],
            trust=round(made.trust[origin], 6),
        )
