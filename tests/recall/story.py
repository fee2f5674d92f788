"""Small hand-built histories: claims, texts, and what happened to them, on the reference ledger and graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tkg.belief.book import Book
from tkg.clock import ManualClock
from tkg.graph.memory import MemoryGraph
from tkg.ids import SeededIds
from tkg.index.memory import MemoryIndex
from tkg.index.port import Beside, Hit, Named
from tkg.ledger.memory import MemoryLedger
from tkg.memory.names import Names
from tkg.model.artefact import Artefact
from tkg.model.claim import Claim, Justification, Polarity
from tkg.model.entry import Draft, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.policy import Policies, ReadPolicy, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.scope import Channel, Scope
from tkg.model.time import Interval, parse_when
from tkg.model.verdict import StatusChange
from tkg.recall.judge import Judge, Window
from tkg.recall.model import RecallOutcome, RecallRequest
from tkg.recall.search import recall
from tkg.text import match_form


class WordIndex:
    """An index in ten lines: score is the number of shared words; everything written is found, whatever its state."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.asked: list[int] = []

    @property
    def applied(self) -> int:
        return self._story.ledger.head.seq

    def apply(self, entries: object) -> None:
        return None

    def search(
        self, query: str, *, scopes: Sequence[str], kinds: Sequence[str], limit: int, as_of: int | None = None
    ) -> list[Hit]:
        self.asked.append(limit)
        words = set(re.findall(r"\w+", match_form(query)))
        hits = []
        for identifier, (kind, scope, text, seq) in self._story.texts.items():
            shared = words & set(re.findall(r"[^\W_]+", match_form(text)))
            known = self._story.book.live(identifier) if as_of is None else seq <= as_of
            if shared and scope in scopes and kind in kinds and known:
                hits.append(Hit(identifier, float(len(shared))))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]

    def named(self, query: str, *, scopes: Sequence[str], limit: int, as_of: int | None = None) -> list[Named]:
        return self._names().named(query, scopes=scopes, limit=limit, as_of=as_of)

    def beside(self, ids: Iterable[str], *, scopes: Sequence[str], as_of: int | None = None) -> dict[str, Beside]:
        return self._names().beside(ids, scopes=scopes, as_of=as_of)

    def _names(self) -> MemoryIndex:
        return MemoryIndex(self._story.ledger.read_since(0))

    def close(self) -> None:
        return None


@dataclass
class Story:
    """Writes without a gate: the records a facade would make."""

    predicates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    read: ReadPolicy = field(default_factory=ReadPolicy)
    texts: dict[str, tuple[str, str, str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clock = ManualClock(datetime(2026, 1, 1, 9, tzinfo=UTC))
        self.ids = SeededIds(7)
        self.ledger = MemoryLedger("fen", self.clock, self.ids)
        self.graph = MemoryGraph()
        self.book = Book()
        self.names = Names(self.ledger.key)
        self.policies = Policies(read=self.read, write=WritePolicy(registry=Registry.of(self.predicates)))
        self.index = WordIndex(self)

    def at(self, moment: str) -> Story:
        self.clock.set(datetime.fromisoformat(moment).replace(tzinfo=UTC))
        return self

    def _commit(self, *records: Record) -> int:
        fresh = tuple(r for r in records if not isinstance(r, Source) or self.graph.source(r.id) is None)
        (entry,) = self.ledger.append([Draft(op="write", scope="fen", records=fresh)])
        self.graph.apply([entry])
        for record in entry.records:
            if isinstance(record, StatusChange):
                self.book.note(record, entry.seq)
        return entry.seq

    def _evidence(self, scope: str, channel: str, who: str, uri: str) -> tuple[Source, StoredEvidence]:
        source = Source(id=self.names.source(uri), uri=uri)
        return source, StoredEvidence(
            id=self.ids.new("evd"),
            scope=scope,
            source_id=source.id,
            channel=Channel(channel),
            origin=self.names.origin(who),
            principal_id=self.names.principal(who),
            observed_at=self.now,
            locator="p. 1",
        )

    @property
    def now(self) -> int:
        return parse_when(self.clock.now()).start

    def _backer(self, head: str, evidence: StoredEvidence, slot_id: str | None) -> Justification:
        return Justification(
            id=self.ids.new("jst"),
            head=head,
            requires=(evidence.id,),
            channel=evidence.channel,
            origins=(evidence.origin,),
            observed_at=self.now,
            slot_id=slot_id,
        )

    def claim(
        self,
        subject: str,
        predicate: str,
        value: str,
        *,
        who: str = "ana",
        channel: str = "human_stated",
        valid: tuple[str | None, str | None] = (None, None),
        scope: str = "fen",
        uri: str = "note:1",
        negative: bool = False,
        depends_on: tuple[str, ...] = (),
        quote: str | None = None,
        locator: str = "p. 1",
    ) -> str:
        source, evidence = self._evidence(scope, channel, who, uri)
        evidence = evidence.model_copy(update={"quote": quote, "locator": locator})
        claim = Claim(
            id=self.ids.new("clm"),
            scope=scope,
            slot_id=self.names.slot(scope, subject, predicate),
            subject_id=self.names.entity(subject),
            object_id=self.names.entity(value),
            polarity=Polarity.NEGATIVE if negative else Polarity.POSITIVE,
            interval=Interval.make(*valid, default_from=self.now),
            depends_on=depends_on,
            subject=subject,
            predicate=predicate,
            object=value,
            object_norm=match_form(value),
        )
        seq = self._commit(source, evidence, claim, self._backer(claim.id, evidence, claim.slot_id))
        self.texts[claim.id] = ("claim", scope, f"{subject} {predicate} {value}", seq)
        return claim.id

    def episode(self, text: str, *, who: str = "ana", channel: str = "human_stated", scope: str = "fen") -> str:
        source, evidence = self._evidence(scope, channel, who, f"chat:{len(self.texts)}")
        return self._artefact("episode", text, (evidence.id,), channel, (evidence.origin,), scope, (source, evidence))

    def turn(
        self, text: str, locator: str, *, session: str | None = None, speaker: str = "ana", scope: str = "fen"
    ) -> str:
        """Record what somebody said at a place of a conversation."""
        source, evidence = self._evidence(scope, "human_stated", "ana", "chat:1")
        evidence = evidence.model_copy(update={"locator": locator})
        meta = {"speaker": speaker, "turn": locator}
        before = (source, evidence)
        return self._artefact(
            "episode", text, (evidence.id,), "human_stated", (evidence.origin,), scope, before, session, meta
        )

    def summary(self, text: str, *used: str, scope: str = "fen") -> str:
        origins = tuple(
            sorted({o for one in used for b in self.graph.justifications(one) for o in b.justification.origins})
        )
        return self._artefact("summary", text, used, "agent_inferred", origins, scope, ())

    def _artefact(
        self,
        kind: Any,
        text: str,
        used: tuple[str, ...],
        channel: str,
        origins: tuple[str, ...],
        scope: str,
        before: tuple[Record, ...],
        session: str | None = None,
        meta: dict[str, str] | None = None,
    ) -> str:
        made = Artefact(
            id=self.ids.new("art"),
            scope=scope,
            kind=kind,
            label=Channel(channel),
            observed_at=self.now,
            session_id=session,
            content=text,
            meta=meta,
        )
        backer = Justification(
            id=self.ids.new("jst"),
            head=made.id,
            requires=used,
            kind="evidence" if kind == "episode" else "derivation",
            channel=made.label,
            origins=origins,
            observed_at=self.now,
        )
        seq = self._commit(*before, made, backer)
        self.texts[made.id] = (kind, scope, text, seq)
        return made.id

    def change(self, target: str, value: str, axis: Any = "status") -> int:
        return self._commit(StatusChange(id=self.ids.new("sta"), target=target, axis=axis, value=value))

    def evidence_of(self, claim_id: str) -> str:
        return self.graph.justifications(claim_id)[0].justification.requires[0]

    def ask(
        self,
        query: str,
        *,
        k: int = 5,
        budget: int = 4000,
        scope: str = "fen",
        valid_at: str | None = None,
        as_of: int | None = None,
        nonce: str = "k3v9w2m4",
    ) -> RecallOutcome:
        reader = Scope.parse(scope)
        request = RecallRequest(
            query=query,
            visible=reader.visible,
            now=self.now,
            k=k,
            token_budget=budget,
            latest=self.ledger.head.seq,
            valid_at=None if valid_at is None else parse_when(valid_at).start,
            as_of=as_of,
        )

        def judge(window: Window, known: int) -> Judge:
            return Judge(self.graph, self.book, self.policies, reader, window, known, self.names.slot)

        return recall(
            request,
            graph=self.graph,
            index=self.index,
            judge=judge,
            policy=self.read,
            nonce=nonce,
            seq_at=self.ledger.seq_at,
        )


def ids(outcome: RecallOutcome) -> list[str]:
    return [item.id for item in outcome.items]
