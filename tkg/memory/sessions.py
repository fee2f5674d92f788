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
    """One id a session was shown or told, the transaction of it, and the scope it happened in."""

    id: str
    seq: int
    scope: str


def same_session(one: str, other: str) -> bool:
    """Return whether a session name means one session in two scopes: two users may both say "default"."""
    return one == other or "/" not in one or "/" not in other


class Sessions:
    """Exposure of sessions, and their last human turns."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._shown: dict[str, list[Shown]] = {}
        self._human: dict[str, dict[str, int]] = {}

    def note(self, entry: Entry) -> None:
        """Take in a committed entry (only for sessions already asked about)."""
        for record in entry.records:
            if isinstance(record, Retrieval) and record.session_id in self._shown:
                self._shown[record.session_id] += [Shown(shown, entry.seq, record.scope) for shown in record.shown]
            elif isinstance(record, StoredEvidence) and record.session_id in self._shown:
                if record.channel in _HUMAN:
                    self._human.setdefault(record.session_id, {})[record.scope] = entry.seq
                elif record.channel is Channel.EXTERNAL:
                    self._shown[record.session_id].append(Shown(record.id, entry.seq, record.scope))

    def shown(self, session_id: str, scope: str, *, since_human_turn: bool) -> list[Shown]:
        """Return what a session was shown or told from outside, oldest first; optionally only since its last human turn.

        Args:
            session_id: keyed id of the session's name.
            scope: whose session of that name: that of another user is another session.
            since_human_turn: only what came after the last words of a person in it.
        """
        if session_id not in self._shown:
            self._load(session_id)
        after = 0
        if since_human_turn:
            turns = self._human.get(session_id, {}).items()
            after = max((seq for path, seq in turns if same_session(path, scope)), default=0)
        return [one for one in self._shown[session_id] if one.seq > after and same_session(one.scope, scope)]

    def _load(self, session_id: str) -> None:
        shown = [
            Shown(shown, view.seq, view.retrieval.scope)
            for view in self._graph.session_reads(session_id)
            for shown in view.retrieval.shown
        ]
        turns = [self._graph.evidence(one) for one in self._graph.evidence_from(session_id)]
        heard = [(view.evidence, view.seq) for view in turns if view is not None]
        shown += [Shown(one.id, seq, one.scope) for one, seq in heard if one.channel is Channel.EXTERNAL]
        self._shown[session_id] = sorted(shown, key=lambda one: one.seq)
        for one, seq in sorted(heard, key=lambda each: each[1]):
            if one.channel in _HUMAN:
                self._human.setdefault(session_id, {})[one.scope] = seq
