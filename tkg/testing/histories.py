"""Whole valid histories: entries that refer only to what is there, in the shapes the facade writes and in odd ones.

`Histories` takes its choices from a function, so that one generator serves Hypothesis (which then shrinks) and a plain
seeded run. Records are made of a few names, so that slots fill, sources are shared and derivations meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tkg.ids import SeededIds, chain_hash, keyed
from tkg.model.artefact import Artefact, Retrieval
from tkg.model.claim import Claim, Conflict, Justification, Polarity, Refinement, Supersession
from tkg.model.entry import Entry, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.scope import Channel
from tkg.model.time import BEGINNING, FOREVER, Interval
from tkg.model.verdict import CheckResult, Note, Outcome, StatusChange, Verdict

T = TypeVar("T")

#: a number from 0 up to, not including, the argument
Choose = Callable[[int], int]

_KEY = b"k" * 32
_TEXTS = (
    "",
    "plain",
    'O\'Hara; "quoted" \\ back',
    "naïve café",
    "漢字 🙂",
    "x" * 300,
    "line\nbreak\ttab",
    "$id {curly}",
)
_INSTANTS = (BEGINNING, -1, 0, 1, 1_600_000_000_000_000, 1_700_000_000_000_000, FOREVER - 1)


class Histories:
    """Grows one tenant's history, entry by entry.

    Args:
        choose: where choices come from.
        tenant: names the scope.
        names: how many subjects, objects, predicates, sources, sessions and principals there are.
    """

    def __init__(self, choose: Choose, *, tenant: str = "acme", names: int = 4) -> None:
        self._choose = choose
        self._ids = SeededIds(choose(1 << 16))
        self._names = names
        self._tenant = tenant
        self.entries: list[Entry] = []
        self.claims: list[Claim] = []
        self.evidence: list[StoredEvidence] = []
        self.artefacts: list[Artefact] = []
        self.sources: list[str] = []
        #: ids of another tenant's claims, evidence and artefacts
        self.foreign = [self._ids.new(kind) for kind in ("clm", "evd", "art", "src")]
        #: ids worth asking about
        self.asked: dict[str, list[str]] = {}

    def nodes(self) -> list[str]:
        """Return the ids of all claims, evidence and artefacts so far."""
        claims, evidence = [one.id for one in self.claims], [one.id for one in self.evidence]
        return claims + evidence + [one.id for one in self.artefacts]

    # -- choices
    def _maybe(self, of: int = 2) -> bool:
        return self._choose(of) == 0

    def _pick(self, options: Sequence[T]) -> T:
        return options[self._choose(len(options))]

    def _some(self, options: Sequence[T], most: int) -> list[T]:
        return [self._pick(options) for _ in range(self._choose(most + 1))] if options else []

    def _named(self, kind: str) -> str:
        made = keyed(kind, _KEY, str(self._choose(self._names)))
        self.asked.setdefault(kind, []).append(made)
        return made

    def _new(self, kind: str) -> str:
        made = self._ids.new(kind)
        self.asked.setdefault(kind, []).append(made)
        return made

    def _text(self) -> str | None:
        """A text, or None as after an erasure."""
        return None if self._maybe(6) else self._pick(_TEXTS)

    @property
    def _scope(self) -> str:
        return self._pick((self._tenant, f"{self._tenant}/ana"))

    # -- entries
    def grow(self, entries: int) -> list[Entry]:
        """Add this many entries and return them."""
        return [self.entry() for _ in range(entries)]

    def entry(self) -> Entry:
        """Add one entry and return it."""
        make = self._pick(
            (
                self._propose,
                self._propose,
                self._propose,
                self._reinforce,
                self._derive,
                self._derive,
                self._relate,
                self._read,
                self._read,
                self._change,
                self._refuse,
                self._several,
            )
        )
        return self._append(make())

    def _append(self, records: list[Record]) -> Entry:
        seq = len(self.entries) + 1
        prev = self.entries[-1].hash if self.entries else ""
        entry = Entry(
            seq=seq,
            tx_time=1_700_000_000_000_000 + seq,
            op="test",
            scope=self._tenant,
            records=tuple(records),
            prev=prev,
            hash=chain_hash(f"{prev}{seq}{self._tenant}"),
        )
        self.entries.append(entry)
        return entry

    # -- records
    def _source(self) -> list[Record]:
        """Sources: sometimes new, sometimes repeated as it is, sometimes not mentioned again."""
        made = self._named("src")
        if made in self.sources and self._maybe():
            return []
        self.sources.append(made)
        return [Source(id=made, uri=f"file-{made[-3:]}.md", owner=self._text())]

    def _evidence(self, made: list[Record]) -> StoredEvidence:
        if not self.sources:
            made += self._source()
        made += self._source()
        session = None if self._maybe(4) else self._named("ses")
        evidence = StoredEvidence(
            id=self._new("evd"),
            scope=self._scope,
            source_id=self._pick(self.sources),
            channel=self._pick(tuple(Channel)),
            system_of_record=self._maybe(4),
            origin=self._named("org"),
            principal_id=self._named("prn"),
            session_id=session,
            observed_at=self._pick(_INSTANTS),
            copy_of=self._pick((*self.sources, self.foreign[3])) if self._maybe(4) else None,
            version=self._text(),
            quote=self._text(),
            locator=self._text(),
            principal=self._text(),
            session=self._text(),
        )
        made.append(evidence)
        return evidence

    def _interval(self) -> Interval:
        start, end = self._pick(_INSTANTS[:-1]), self._pick((*_INSTANTS[1:], FOREVER))
        if start >= end:
            start, end = end - 1, max(end, start)
        return Interval(from_lo=start, from_hi=start, to_lo=end, to_hi=end, edtf=self._pick(_TEXTS))

    def _claim(self) -> Claim:
        subject, predicate = self._named("ent"), self._choose(2)
        slot_id = keyed("slt", _KEY, subject, str(predicate))
        self.asked.setdefault("slt", []).append(slot_id)
        known = [claim.id for claim in self.claims]
        value, name = self._choose(3), None if self._maybe(6) else _TEXTS[predicate]
        if name is not None:
            self.asked.setdefault("predicate", []).append(name)
        return Claim(
            id=self._new("clm"),
            scope=self._scope,
            slot_id=slot_id,
            subject_id=subject,
            object_id=self._named("ent"),
            object_type=self._pick(("text", "number")),
            polarity=Polarity.NEGATIVE if self._maybe(5) else Polarity.POSITIVE,
            interval=self._interval(),
            consequence=self._pick(("low", "high")),
            depends_on=tuple(self._some((*known, self.foreign[0]), 2)) if self._maybe(3) else (),
            subject=self._text(),
            predicate=name,
            object=self._text(),
            object_norm=None if self._maybe(6) else f"value {value}",
        )

    def _backing(self, claim: Claim, evidence: StoredEvidence) -> Justification:
        return Justification(
            id=self._new("jst"),
            head=claim.id,
            requires=(evidence.id,),
            channel=evidence.channel,
            system_of_record=evidence.system_of_record,
            origins=(evidence.origin,),
            observed_at=evidence.observed_at,
            slot_id=None if self._maybe(6) else claim.slot_id,
        )

    def _verdict(self, claim: Claim | None, evidence: StoredEvidence | None) -> Verdict:
        checks = (CheckResult(check="shape", outcome="note", reason=self._pick(_TEXTS)),)
        return Verdict(
            id=self._new("vrd"),
            scope=self._scope,
            outcome=self._pick(tuple(Outcome)),
            code="ok",
            claim_id=None if claim is None else claim.id,
            evidence_id=None if evidence is None else evidence.id,
            candidate=self._named("dgs"),
            digest=self._pick(("", "abc")),
            checks=None if self._maybe(6) else checks,
            principal=self._text(),
        )

    # -- operations
    def _propose(self) -> list[Record]:
        made: list[Record] = []
        evidence, claim = self._evidence(made), self._claim()
        made += [claim, self._backing(claim, evidence)]
        if not self._maybe(6):
            made.append(self._verdict(claim, evidence))
        self.claims.append(claim)
        self.evidence.append(evidence)
        if self._maybe(4):
            made.append(self._between(claim, self._pick(self.claims)))
        if self._maybe(4):
            made.append(self._status(self._pick((claim.id, evidence.id))))
        return made

    def _reinforce(self) -> list[Record]:
        if not self.claims:
            return self._propose()
        made: list[Record] = []
        evidence, claim = self._evidence(made), self._pick(self.claims)
        self.evidence.append(evidence)
        return [*made, self._backing(claim, evidence), self._verdict(claim, evidence)]

    def _several(self) -> list[Record]:
        return [record for _ in range(self._choose(4)) for record in self._propose()]

    def _derive(self) -> list[Record]:
        """An artefact, or a claim, or one more reason for a claim, from anything there is: cycles come about."""
        nodes = self.nodes()
        requires = tuple(self._some((*nodes, *self.foreign[:3]), 4))
        made: list[Record] = []
        slot_id: str | None = None
        if self._maybe():
            artefact = Artefact(
                id=self._new("art"),
                scope=self._scope,
                kind=self._pick(("episode", "summary", "skill", "action", "answer")),
                label=self._pick(tuple(Channel)),
                observed_at=self._pick(_INSTANTS),
                session_id=None if self._maybe() else self._named("ses"),
                version=1 + self._choose(3),
                content=self._text(),
                meta=None if self._maybe() else {"name": self._pick(_TEXTS)},
            )
            self.artefacts.append(artefact)
            made.append(artefact)
            head = artefact.id
        else:
            old = bool(self.claims) and self._maybe()
            claim = self._pick(self.claims) if old else self._claim()
            if not old:
                self.claims.append(claim)
                made.append(claim)
            head, slot_id = claim.id, claim.slot_id
        made.append(
            Justification(
                id=self._new("jst"),
                head=head,
                requires=requires,
                kind="derivation",
                channel=self._pick(tuple(Channel)),
                origins=(self._named("org"),),
                observed_at=self._pick(_INSTANTS),
                slot_id=slot_id,
            )
        )
        return made

    def _between(self, left: Claim, right: Claim) -> Record:
        if left.id == right.id or self._maybe(3):
            return Note(id=self._new("opn"), about="nothing", body=self._text())
        kind = self._choose(3)
        if kind == 0:
            portion = self._interval()
            return Supersession(
                id=self._new("sup"),
                winner=left.id,
                loser=right.id,
                portion_from=portion.from_lo,
                portion_to=portion.to_hi,
                rule="row-7",
            )
        if kind == 1:
            overlap = self._interval()
            return Conflict(
                id=self._new("cfl"),
                left=left.id,
                right=right.id,
                overlap_from=overlap.from_lo,
                overlap_to=overlap.to_hi,
                certainty=self._pick(("definite", "possible")),
            )
        return Refinement(id=self._new("ref"), finer=left.id, coarser=right.id)

    def _relate(self) -> list[Record]:
        if not self.claims:
            return []
        return [self._between(self._pick(self.claims), self._pick(self.claims)) for _ in range(1 + self._choose(3))]

    def _read(self) -> list[Record]:
        nodes = self.nodes()
        shown = tuple(self._some((*nodes, *self.foreign[:3]), 6))
        return [
            Retrieval(
                id=self._new("ret"),
                scope=self._scope,
                session_id=None if self._maybe(3) else self._named("ses"),
                principal_id=self._named("prn"),
                valid_at=self._pick(_INSTANTS),
                as_of=len(self.entries),
                k=5,
                shown=shown,
                left_out=tuple((node, "floor") for node in self._some(nodes, 2)),
                query=self._text(),
            )
        ]

    def _change(self) -> list[Record]:
        nodes = self.nodes()
        made: list[Record] = []
        for _ in range(1 + self._choose(3)):
            made.append(self._status(self._pick((*nodes, self._tenant, self.foreign[0]))))
        return made

    def _status(self, target: str) -> StatusChange:
        self.asked.setdefault("target", []).append(target)
        return StatusChange(
            id=self._new("sta"),
            target=target,
            axis=self._pick(("status", "support", "action", "freeze", "verified", "review")),
            value=self._pick(("active", "revoked", "supported")),
            code=self._pick(("", "revoke")),
            reason=self._text(),
            actor=self._text(),
        )

    def _refuse(self) -> list[Record]:
        return [self._verdict(None, None), Note(id=self._new("opn"), about="policy", body=self._text())]
