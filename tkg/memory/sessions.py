"""What each work session was shown or told from outside: what derivation edges and labels come from.

The read trace says what memory showed; evidence of class external that was recorded in the session says what else stood
before its agent (a page, a mail, a tool's echo of either).

Rebuilt from the graph at the first question about a session, then kept up to date as entries are committed.
"""

from __future__ import annotations

from typing import NamedTuple

from tkg.graph.port import Graph
from tkg.model.artefact import Retrieval
from tkg.model.entry import Entry
from tkg.model.evidence import StoredEvidence
from tkg.model.scope import Channel

_HUMAN = (Channel.HUMAN_STATED, Channel.HUMAN_VERIFIED)


class Shown(NamedTuple):
    """One id a session was shown or told, and the transaction of it."""

    id: str
    seq: int


class Sessions:
    """Exposure of sessions, and their last human turns."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._shown: dict[str, list[Shown]] = {}
        self._human: dict[str, int] = {}

    def note(self, entry: Entry) -> None:
        """Take in a committed entry (only for sessions already asked about)."""
        for record in entry.records:
            if isinstance(record, Retrieval) and record.session_id in self._shown:
                self._shown[record.session_id] += [Shown(shown, entry.seq) for shown in record.shown]
            elif isinstance(record, StoredEvidence) and record.session_id in self._shown:
                if record.channel in _HUMAN:
                    self._human[record.session_id] = entry.seq
                elif record.channel is Channel.EXTERNAL:
                    self._shown[record.session_id].append(Shown(record.id, entry.seq))

    def shown(self, session_id: str, *, since_human_turn: bool) -> list[Shown]:
        """Return what a session was shown or told from outside, oldest first; optionally only since its last human turn."""
        if session_id not in self._shown:
            self._load(session_id)
        after = self._human.get(session_id, 0) if since_human_turn else 0
        return [shown for shown in self._shown[session_id] if shown.seq > after]

    def _load(self, session_id: str) -> None:
        shown = [
            Shown(shown, view.seq) for view in self._graph.session_reads(session_id) for shown in view.retrieval.shown
        ]
        turns = [self._graph.evidence(one) for one in self._graph.evidence_from(session_id)]
        heard = [view for view in turns if view is not None]
        shown += [Shown(view.evidence.id, view.seq) for view in heard if view.evidence.channel is Channel.EXTERNAL]
        self._shown[session_id] = sorted(shown, key=lambda one: one.seq)
        human = [view.seq for view in heard if view.evidence.channel in _HUMAN]
        if human:
            self._human[session_id] = max(human)
