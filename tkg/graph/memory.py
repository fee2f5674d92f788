"""The reference graph: plain dicts, small and obvious.

It answers every question by definition and is what `tkg.graph.projection` is compared with. It is also a real store
for tests and for tenants that live in memory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import combinations
from typing import TypeVar

from tkg.errors import Damaged
from tkg.graph.port import KINDS
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.claim import Claim, Conflict, Justification, Polarity, Refinement, Supersession
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.verdict import Note, StatusChange, Verdict
from tkg.model.view import ArtefactView, Backer, EvidenceView, Reach, RetrievalView, SlotClaim
from tkg.text import match_form

T = TypeVar("T", Supersession, Conflict, Refinement, Verdict, StatusChange)


class MemoryGraph:
    """`tkg.graph.port.Graph` in plain dicts: `id -> (record, transaction)` and lists of ids."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._applied = 0
        self._closed = False
        self._records: dict[str, tuple[Record, int]] = {}
        #: ids that are a node without a record -> the kind of their first mention
        self._named: dict[str, str] = {}
        #: (relation, id) -> ids of the records that are in that relation to it, in order of transaction
        self._links: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.apply(entries)

    # -- writing
    @property
    def applied(self) -> int:
        """Sequence number of the last entry applied."""
        return self._applied

    def apply(self, entries: Iterable[Entry]) -> None:
        """Apply entries in order; each whole or not at all; those already applied are skipped."""
        if self._closed:
            raise Damaged("the graph is closed; open it again")
        for entry in entries:
            if entry.seq <= self._applied:
                continue
            fresh = self._check(entry)
            for record in fresh:
                self._records[record.id] = (record, entry.seq)
            links = [(*link, record.id) for record in fresh for link in _relations(record)]
            for relation, target, record_id in links:
                self._links[relation, target].append(record_id)
            for outside in (False, True):  # what may be another tenant's is looked for last
                for relation, target, _ in links:
                    kind = _NAMES.get(relation)
                    if kind is not None and (kind == "outside") is outside and target not in self._records:
                        self._named.setdefault(target, kind)
            self._applied = entry.seq

    def _check(self, entry: Entry) -> list[Record]:
        """Return the records of an entry that make nodes, or refuse the entry before anything changed."""
        if entry.seq != self._applied + 1:
            raise Damaged(f"entry {entry.seq} does not follow {self._applied}; rebuild the graph")
        fresh: dict[str, Record] = {}
        for record in entry.records:
            if isinstance(record, Note):
                continue
            if record.id not in self._records and record.id not in fresh:
                fresh[record.id] = record
            elif not isinstance(record, Source):
                raise Damaged(f"entry {entry.seq} repeats the id {record.id}; run `tkg verify`")
        for record in fresh.values():
            for needed, kinds in _needs(record):
                found = fresh.get(needed) or self._records.get(needed, (None,))[0]
                if not isinstance(found, kinds):
                    raise Damaged(f"entry {entry.seq} refers to {needed}, which is not there; run `tkg verify`")
        return list(fresh.values())

    def compare(self, source: Callable[[int], Iterable[Entry]]) -> list[str]:
        """Return how the graph differs from the ledger up to the entry it has applied; empty where it agrees."""
        other = MemoryGraph(entry for entry in source(0) if entry.seq <= self._applied)
        wrong = []
        for name, mine, its in (
            ("records", self._records, other._records),
            ("names", self._named, other._named),
            ("links", {key: ids for key, ids in self._links.items() if ids}, dict(other._links)),
        ):
            if mine != its:
                wrong.append(f"{name}: not those of the ledger")
        return wrong

    def close(self) -> None:
        """Let go of everything."""
        self._closed = True
        self._records.clear()
        self._links.clear()

    # -- reading: helpers
    def _all(self, kind: type[T], relations: Iterable[str], target: str) -> list[tuple[T, int]]:
        ids = dict.fromkeys(i for relation in relations for i in self._links.get((relation, target), ()))
        found = [(record, seq) for record, seq in map(self._records.__getitem__, ids) if isinstance(record, kind)]
        return sorted(found, key=lambda pair: (pair[1], pair[0].id))

    def _ids(self, relations: Iterable[str], target: str) -> list[str]:
        ids = dict.fromkeys(i for relation in relations for i in self._links.get((relation, target), ()))
        return sorted(ids, key=lambda i: (self._records[i][1], i))

    def _slot_claim(self, claim_id: str) -> SlotClaim:
        claim, seq = self._records[claim_id]
        assert isinstance(claim, Claim)
        return SlotClaim(claim, seq, tuple(self.justifications(claim_id)))

    # -- claims
    def slot(self, slot_id: str) -> list[SlotClaim]:
        """All claims of one slot, whatever their state."""
        return [self._slot_claim(claim_id) for claim_id in self._ids(["in_slot"], slot_id)]

    def claim(self, claim_id: str) -> SlotClaim | None:
        """One claim with its justifications."""
        return self._slot_claim(claim_id) if isinstance(self._record(claim_id), Claim) else None

    def claims(self, claim_ids: Collection[str]) -> dict[str, Claim]:
        """Several claims by id, without what backs them."""
        records = (self._records.get(one, (None, 0))[0] for one in claim_ids)
        return {record.id: record for record in records if isinstance(record, Claim)}

    def shared_slots(self) -> set[str]:
        """Ids of slots that hold more than one claim."""
        counted = Counter(record.slot_id for record, _ in self._records.values() if isinstance(record, Claim))
        return {slot for slot, claims in counted.items() if claims > 1}

    def mentions(self, entity_id: str, limit: int) -> list[str]:
        """Ids of the newest `limit` claims about this entity, newest first."""
        return self._ids(["subject", "object"], entity_id)[::-1][:limit]

    def dependents(self, claim_id: str) -> list[str]:
        """Ids of claims that name this one in `depends_on`."""
        return self._ids(["depends_on"], claim_id)

    def dependencies(self) -> list[tuple[str, str]]:
        """Every (claim, claim it depends on)."""
        claims = (record for record, _ in self._records.values() if isinstance(record, Claim))
        return sorted({(claim.id, other) for claim in claims for other in claim.depends_on})

    def supersessions(self, claim_id: str) -> list[tuple[Supersession, int]]:
        """Supersession edges in which the claim wins or loses."""
        return self._all(Supersession, ["winner", "loser"], claim_id)

    def conflicts(self, claim_id: str | None = None) -> list[tuple[Conflict, int]]:
        """Recorded conflicts of a claim, or all."""
        if claim_id is not None:
            return self._all(Conflict, ["left", "right"], claim_id)
        found = [(record, seq) for record, seq in self._records.values() if isinstance(record, Conflict)]
        return sorted(found, key=lambda pair: (pair[1], pair[0].id))

    def refinements(self, claim_id: str) -> list[tuple[Refinement, int]]:
        """Refinement edges in which the claim is the finer or the coarser."""
        return self._all(Refinement, ["finer", "coarser"], claim_id)

    def clashes(self, after: str = "", limit: int = 1000) -> list[tuple[str, str]]:
        """Pairs of positive claims of one slot that may overlap and differ; see the port."""
        slots: dict[str, list[Claim]] = defaultdict(list)
        for record, _ in self._records.values():
            if isinstance(record, Claim) and record.polarity is Polarity.POSITIVE and record.object_norm is not None:
                slots[record.slot_id].append(record)
        pairs = sorted(
            (a.id, b.id)
            for claims in slots.values()
            for a, b in combinations(sorted(claims, key=lambda one: one.id), 2)
            if after < a.id and a.object_norm != b.object_norm
            and a.interval.from_lo < b.interval.to_hi and b.interval.from_lo < a.interval.to_hi
        )  # fmt: skip
        last = pairs[limit - 1][0] if 0 < limit < len(pairs) else None
        return [pair for place, pair in enumerate(pairs) if place < limit or pair[0] == last]

    def skills(self) -> list[str]:
        """Ids of the skills."""
        found = [(seq, key) for key, (record, seq) in self._records.items() if _is_skill(record)]
        return [key for _, key in sorted(found)]

    # -- predicates
    def _claims(self) -> Iterator[Claim]:
        """Yield every claim, by id."""
        for _, (record, _) in sorted(self._records.items()):
            if isinstance(record, Claim):
                yield record

    def predicates(self) -> list[tuple[str, int]]:
        """Each predicate with the number of its claims."""
        return sorted(Counter(form for c in self._claims() if (form := _form(c)) is not None).items())

    def claims_of(self, predicate: str, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of the claims of a predicate, a page."""
        return [c.id for c in self._claims() if _form(c) == predicate and c.id > after][:limit]

    def views_of(self, predicate: str, after: str = "", limit: int = 1000) -> list[SlotClaim]:
        """The claims of a predicate with what backs them, a page."""
        return [self._slot_claim(one) for one in self.claims_of(predicate, after, limit)]

    def holders(self, object_id: str, predicate: str) -> list[str]:
        """Ids of the claims of a predicate with this object."""
        found = ((i, self._record(i)) for i in self._ids(["object"], object_id))
        return [i for i, record in found if isinstance(record, Claim) and _form(record) == predicate]

    def rival_slots(self, predicate: str, after: str = "", limit: int = 1000) -> dict[str, list[SlotClaim]]:
        """The slots of a predicate with several claims, a page."""
        held = Counter(c.slot_id for c in self._claims() if _form(c) == predicate)
        page = sorted(slot for slot, n in held.items() if n > 1 and slot > after)[:limit]
        return {slot: self.slot(slot) for slot in page}

    def denied_slots(self, after: str = "", limit: int = 1000) -> list[str]:
        """Ids of the slots in which something is denied, a page."""
        denied = {c.slot_id for c in self._claims() if c.polarity is Polarity.NEGATIVE}
        return sorted(slot for slot in denied if slot > after)[:limit]

    def shared_objects(
        self, predicate: str, after: tuple[str, str] = ("", ""), limit: int = 1000
    ) -> list[tuple[str, str]]:
        """Pairs of claims of a predicate with one object and different subjects, a page."""
        held: dict[str, list[Claim]] = defaultdict(list)
        for claim in self._claims():
            if _form(claim) == predicate:
                held[claim.object_id].append(claim)
        pairs = [
            (a.id, b.id)
            for together in held.values()
            for a in together
            for b in together
            if a.id < b.id and a.subject_id != b.subject_id
        ]
        return sorted(pair for pair in pairs if pair > after)[:limit]

    def same_subject(
        self, predicate: str, other: str, after: tuple[str, str] = ("", ""), limit: int = 1000
    ) -> list[tuple[str, str]]:
        """Pairs of claims of two predicates about one subject, a page."""
        others: dict[str, list[str]] = defaultdict(list)
        for claim in self._claims():
            if _form(claim) == other:
                others[claim.subject_id].append(claim.id)
        found = [c for c in self._claims() if _form(c) == predicate]
        pairs = [(c.id, one) for c in found for one in others.get(c.subject_id, ()) if one != c.id]
        return sorted(pair for pair in pairs if pair > after)[:limit]

    # -- support
    def justification(self, justification_id: str) -> Backer | None:
        """One justification."""
        record, seq = self._records.get(justification_id, (None, 0))
        return Backer(record, seq) if isinstance(record, Justification) else None

    def justifications(self, head: str) -> list[Backer]:
        """All justifications of a claim or artefact."""
        found = (self.justification(i) for i in self._ids(["head"], head))
        return [backer for backer in found if backer is not None]

    def cone(self, node_id: str) -> list[Backer]:
        """Every justification of the node and of every node derived from it."""
        nodes = [node_id, *(reach.id for reach in self.descendants(node_id))]
        found = [backer for node in nodes for backer in self.justifications(node)]
        return sorted(found, key=lambda backer: (backer.seq, backer.justification.id))

    def basis(self, node_id: str) -> list[Backer]:
        """Every justification of the node and of everything that it rests on."""
        nodes = [node_id, *(reach.id for reach in self.ancestors(node_id))]
        found = [backer for node in nodes for backer in self.justifications(node)]
        return sorted(found, key=lambda backer: (backer.seq, backer.justification.id))

    def ancestors(self, node_id: str) -> list[Reach]:
        """What a node rests on, nearest first."""
        return _reach(
            node_id, lambda node: [r for backer in self.justifications(node) for r in backer.justification.requires]
        )

    def descendants(self, node_id: str) -> list[Reach]:
        """What grew from a node, nearest first."""

        def heads(node: str) -> list[str]:
            found = (self.justification(i) for i in self._ids(["requires"], node))
            return [backer.justification.head for backer in found if backer is not None]

        return _reach(node_id, heads)

    # -- evidence, artefacts, reads
    def _record(self, record_id: str) -> Record | None:
        return self._records[record_id][0] if record_id in self._records else None

    def evidence(self, evidence_id: str) -> EvidenceView | None:
        """One piece of evidence with its source."""
        record, seq = self._records.get(evidence_id, (None, 0))
        if not isinstance(record, StoredEvidence):
            return None
        source = self._record(record.source_id)
        assert isinstance(source, Source)
        return EvidenceView(record, source, seq)

    def source(self, source_id: str) -> Source | None:
        """One source."""
        record = self._record(source_id)
        return record if isinstance(record, Source) else None

    def evidence_from(self, owner_id: str) -> list[str]:
        """Ids of evidence from a source, session or principal."""
        ids = self._ids(["from_source", "in_session", "by"], owner_id)
        return [i for i in ids if isinstance(self._record(i), StoredEvidence)]

    def copies(self, source_id: str) -> list[str]:
        """Ids of evidence that says it was copied from this source."""
        return self._ids(["copy_of"], source_id)

    def artefact(self, artefact_id: str) -> ArtefactView | None:
        """One artefact."""
        record, seq = self._records.get(artefact_id, (None, 0))
        return ArtefactView(record, seq) if isinstance(record, Artefact) else None

    def retrieval(self, retrieval_id: str) -> RetrievalView | None:
        """One read."""
        record, seq = self._records.get(retrieval_id, (None, 0))
        return RetrievalView(record, seq) if isinstance(record, Retrieval) else None

    def exposures(self, node_id: str) -> list[RetrievalView]:
        """Reads that showed a node."""
        found = (self.retrieval(i) for i in self._ids(["showed"], node_id))
        return [view for view in found if view is not None]

    def exposed_ancestors(self, node_id: str) -> list[tuple[str, RetrievalView]]:
        """Reads that showed something the node rests on."""
        return self._exposed(self.ancestors(node_id))

    def exposed_descendants(self, node_id: str) -> list[tuple[str, RetrievalView]]:
        """Reads that showed something that grew from the node."""
        return self._exposed(self.descendants(node_id))

    def _exposed(self, nodes: list[Reach]) -> list[tuple[str, RetrievalView]]:
        found = [(reach.id, view) for reach in nodes for view in self.exposures(reach.id)]
        return sorted(found, key=lambda pair: (pair[1].seq, pair[1].retrieval.id, pair[0]))

    def session_reads(self, session_id: str) -> list[RetrievalView]:
        """Reads made in a session."""
        found = (self.retrieval(i) for i in self._ids(["in_session"], session_id))
        return [view for view in found if view is not None]

    def session_artefacts(self, session_id: str) -> list[str]:
        """Ids of artefacts written in a session."""
        return [i for i in self._ids(["in_session"], session_id) if isinstance(self._record(i), Artefact)]

    # -- decisions
    def verdict(self, verdict_id: str) -> tuple[Verdict, int] | None:
        """One verdict."""
        record, seq = self._records.get(verdict_id, (None, 0))
        return (record, seq) if isinstance(record, Verdict) else None

    def verdicts(self, about: str) -> list[tuple[Verdict, int]]:
        """Verdicts about a claim or artefact."""
        return self._all(Verdict, ["about"], about)

    def changes(self, target: str | None = None) -> Iterator[tuple[StatusChange, int]]:
        """Status changes of one target, or of all."""
        if target is not None:
            return iter(self._all(StatusChange, ["target"], target))
        found = [(record, seq) for record, seq in self._records.values() if isinstance(record, StatusChange)]
        return iter(sorted(found, key=lambda pair: (pair[1], pair[0].id)))

    def changed(self, after: int, upto: int) -> list[str]:
        """Ids of what some transactions wrote or changed; see the port."""
        found: set[str] = set()
        for record, seq in self._records.values():
            if after < seq <= upto:
                match record:
                    case Claim() | Artefact() | StoredEvidence():
                        found.add(record.id)
                    case Justification():
                        found.add(record.head)
                    case StatusChange():
                        found.add(record.target)
        return sorted(found)

    def identifiers(self, prefix: str, after: str, limit: int) -> list[str]:
        """Ids that begin with a prefix; see the port."""
        kinds = (Claim, Artefact, StoredEvidence, Retrieval)
        named = (key for key, (record, _) in self._records.items() if isinstance(record, kinds))
        return sorted(key for key in named if key.startswith(prefix) and key > after)[:limit]

    def counts(self) -> dict[str, int]:
        """Number of nodes and edges by kind, in alphabetical order."""
        found: Counter[str] = Counter(record.record for record, _ in self._records.values())
        found.update(self._named.values())
        return {kind: found[kind] for kind in KINDS}


def _is_skill(record: Record) -> bool:
    return isinstance(record, Artefact) and record.kind == "skill"


def _form(claim: Claim) -> str | None:
    """The form in which a claim's predicate is compared; None for an erased claim."""
    return None if claim.predicate is None else match_form(claim.predicate)


#: relations whose target becomes a node at its first mention, and the kind of node; what is outside is another
#: tenant's (what is global is read, shown and relied on everywhere)
_NAMES = {
    "in_slot": "slot",
    "subject": "entity",
    "object": "entity",
    "in_session": "session",
    "by": "principal",
    "from_source": "place",
    "copy_of": "place",
    "target": "target",
    "requires": "outside",
    "showed": "outside",
    "depends_on": "outside",
    "about": "outside",
}


def _relations(record: Record) -> Iterator[tuple[str, str]]:
    """Yield (relation, id of the other end) for every edge a record stands for."""
    match record:
        case Claim():
            yield from (("in_slot", record.slot_id), ("subject", record.subject_id), ("object", record.object_id))
            yield from (("depends_on", other) for other in dict.fromkeys(record.depends_on))
        case Justification():
            yield "head", record.head
            yield from (("requires", other) for other in dict.fromkeys(record.requires))
        case StoredEvidence():
            yield from (("from_source", record.source_id), ("by", record.principal_id))
            yield from (("in_session", other) for other in (record.session_id,) if other is not None)
            yield from (("copy_of", other) for other in (record.copy_of,) if other is not None)
        case Artefact():
            yield from (("in_session", other) for other in (record.session_id,) if other is not None)
        case Retrieval():
            yield "by", record.principal_id
            yield from (("in_session", other) for other in (record.session_id,) if other is not None)
            yield from (("showed", other) for other in dict.fromkeys(record.shown))
        case Supersession():
            yield from (("winner", record.winner), ("loser", record.loser))
        case Conflict():
            yield from (("left", record.left), ("right", record.right))
        case Refinement():
            yield from (("finer", record.finer), ("coarser", record.coarser))
        case Verdict():
            yield from (("about", other) for other in (record.about,) if other is not None)
        case StatusChange():
            yield "target", record.target


def _needs(record: Record) -> Iterator[tuple[str, tuple[type, ...]]]:
    """Yield (id, kinds) of what must be in this graph before, or come in the same entry as, the record."""
    match record:
        case StoredEvidence():
            yield record.source_id, (Source,)
        case Justification():
            yield record.head, (Claim, Artefact)
        case Supersession():
            yield from ((record.winner, (Claim,)), (record.loser, (Claim,)))
        case Conflict():
            yield from ((record.left, (Claim,)), (record.right, (Claim,)))
        case Refinement():
            yield from ((record.finer, (Claim,)), (record.coarser, (Claim,)))


def _reach(start: str, step: Callable[[str], list[str]]) -> list[Reach]:
    """Return everything `step` leads to from `start`, breadth first, at its least depth; never the start itself."""
    depths, frontier = {start: 0}, [start]
    while frontier:
        following = [other for node in frontier for other in step(node)]
        depth = depths[frontier[0]] + 1
        frontier = list(dict.fromkeys(other for other in following if other not in depths))
        depths.update(dict.fromkeys(frontier, depth))
    return sorted((Reach(node, depth) for node, depth in depths.items() if depth), key=lambda r: (r.depth, r.id))
