"""Random stores written through the facade, and what their ledgers say, read record by record."""

from __future__ import annotations

import random
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import tkg
from tests.memory.twins import POLICIES
from tkg.belief.book import Book
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.claim import Claim, Justification
from tkg.model.evidence import StoredEvidence
from tkg.model.verdict import StatusChange
from tkg.model.view import Backer

TENANT = "acme"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
SLOTS = tuple((subject, predicate) for subject in ("Ana Reed", "crane 5") for predicate in ("city", "skill", "status"))
OBJECTS = {"city": ("Lisbon", "Berlin", "Porto"), "skill": ("welding", "rigging"), "status": ("open", "closed")}
TIMES = (None, "2026-01", "2026-02-01", "2026-03-10T00:00:00Z", "2026-05")
SPEAKERS = (
    ("human_stated", "ana", "s-1"),
    ("human_verified", "olga", None),
    ("trusted_tool", "loader", "s-2"),
    ("agent_inferred", "bot", "s-1"),
    ("external", "web", "s-3"),
)


class Story:
    """A store that grows step by step; every step is one call of a handle, refused or not."""

    def __init__(self, rng: random.Random, engine: str = "memory", path: Path | None = None) -> None:
        self.rng = rng
        self.memory = tkg.open(
            path, clock=ManualClock(NOW), ids=SeededIds(3), engine=engine, policies=POLICIES, graph_file_above=10**6
        )
        self.nodes: list[str] = []
        self.memory.create_tenant(TENANT)
        self.seen = self.handle("human_stated", "olga")

    def handle(self, channel: str, principal: str, session: str | None = None, user: str | None = None) -> Handle:
        return self.memory.scope(TENANT, user, channel=channel, principal=principal, session=session)

    def step(self) -> None:
        """Do one thing at random; what the store refuses is refused."""
        do = self.rng.choice(
            [self.propose, self.propose, self.propose, self.derive, self.derive, self.recall, self.change, self.decide]
        )
        try:
            do()
        except tkg.TkgError:
            return

    def _speaker(self) -> Handle:
        return self.handle(*self.rng.choice(SPEAKERS), user=self.rng.choice((None, None, None, "ana")))

    def propose(self) -> None:
        subject, predicate = self.rng.choice(SLOTS)
        claims = [one for one in self.nodes if one.startswith("clm")]
        verdict = self._speaker().propose(
            subject=subject,
            predicate=predicate,
            object=self.rng.choice(OBJECTS[predicate]),
            polarity=self.rng.choice(("positive", "positive", "positive", "negative")),
            valid_from=self.rng.choice(TIMES),
            valid_to=self.rng.choice((None, None, "2026-04")),
            evidence=tkg.Evidence(uri=self.rng.choice(("mail/1", "wiki/2", "people.yaml")), quote="so it says"),
            depends_on=(self.rng.choice(claims),) if claims and self.rng.random() < 0.3 else (),
        )
        self._keep((verdict.claim_id, verdict.evidence_id))

    def _keep(self, ids: Iterable[str | None]) -> None:
        self.nodes += (one for one in ids if one is not None and one not in self.nodes)

    def derive(self) -> None:
        from_ = self.rng.sample(self.nodes, min(len(self.nodes), self.rng.randrange(1, 4))) if self.nodes else []
        kind = self.rng.choice(("summary", "skill", "action", "claim"))
        content: object = f"{kind} of {len(self.nodes)}"
        if kind == "claim":
            subject, predicate = self.rng.choice(SLOTS)
            content = {"subject": subject, "predicate": predicate, "object": self.rng.choice(OBJECTS[predicate])}
        made = self._speaker().derive(kind, content, from_=from_)  # type: ignore[arg-type]
        self._keep((made.id,) if isinstance(made, Artefact) else (made.claim_id,))

    def recall(self) -> None:
        self._speaker().recall(self.rng.choice(("city of Ana Reed", "crane 5 skill status", "summary")))

    def change(self) -> None:
        if not self.nodes:
            return
        node = self.rng.choice(self.nodes)
        target = {"evidence" if node.startswith("evd") else "claim": node}
        do = self.rng.choice(("revoke", "quarantine", "release"))
        if do == "revoke":
            self.seen.revoke(self.seen.plan_revoke(**target), reason="it was wrong")
        else:
            getattr(self.seen, do)(**target, reason="under review")

    def decide(self) -> None:
        claims = [one for one in self.nodes if one.startswith("clm")]
        do = self.rng.choice(("verify", "supersede", "accept"))
        if do == "verify" and claims:
            self.seen.verify(self.rng.choice(claims))
        elif do == "supersede" and len(claims) > 1:
            self.seen.supersede(*self.rng.sample(claims, 2), reason="newer")
        elif claims:
            self.seen.decide(self.rng.choice(claims), "accept")


class Facts:
    """Everything a ledger says, as plain lists: what the answers are compared with."""

    def __init__(self, memory: tkg.Memory) -> None:
        self.records = [
            (record, entry.seq) for entry in memory.tenant(TENANT).ledger.read_since(0) for record in entry.records
        ]
        self.claims = {r.id: (r, seq) for r, seq in self.records if isinstance(r, Claim)}
        self.artefacts = {r.id: (r, seq) for r, seq in self.records if isinstance(r, Artefact)}
        self.evidence = {r.id: (r, seq) for r, seq in self.records if isinstance(r, StoredEvidence)}
        self.reads = {r.id: (r, seq) for r, seq in self.records if isinstance(r, Retrieval)}
        self.backers = [Backer(r, seq) for r, seq in self.records if isinstance(r, Justification)]
        self.depends = {name: claim.depends_on for name, (claim, _) in self.claims.items() if claim.depends_on}
        #: only what people and the gate decided; what cascades recorded is for the oracles to find out
        self.base = Book((r, s) for r, s in self.records if isinstance(r, StatusChange) and r.axis == "status")
        self.nodes = [*self.claims, *self.artefacts, *self.evidence]

    def below(self, node: str) -> set[str]:
        """Return what a node directly rests on or depends on."""
        found = {n for b in self.backers if b.justification.head == node for n in b.justification.requires}
        return found | set(self.depends.get(node, ()))

    def above(self, node: str) -> set[str]:
        """Return what directly rests on a node or depends on it."""
        found = {b.justification.head for b in self.backers if node in b.justification.requires}
        return found | {head for head, needs in self.depends.items() if node in needs}

    def reach(self, node: str, step: object) -> dict[str, int]:
        """Return everything reached by `below` or `above`, with the number of steps; the node itself at 0."""
        depths, frontier = {node: 0}, [node]
        while frontier:
            following = {n for each in frontier for n in step(each) if n not in depths}  # type: ignore[operator]
            depths.update(dict.fromkeys(following, depths[frontier[0]] + 1))
            frontier = sorted(following)
        return depths

    def shown(self, nodes: Iterable[str]) -> dict[str, set[str]]:
        """Return the reads that showed some nodes, and which of them."""
        wanted = set(nodes)
        found = {name: wanted & set(read.shown) for name, (read, _) in self.reads.items()}
        return {name: some for name, some in found.items() if some}
