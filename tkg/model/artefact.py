"""Artefacts (episodes, summaries, skills, actions, answers) and reads."""

from __future__ import annotations

from typing import ClassVar, Literal

from tkg.model.base import Value
from tkg.model.display import Parts
from tkg.model.scope import Channel
from tkg.model.time import Instant, iso

ArtefactKind = Literal["episode", "summary", "skill", "action", "answer", "pointer"]


class Artefact(Value):
    """A text with exactly one all-of justification: everything that was in its context when it was written.

    `label` is the minimum class over that context; alternatives never improve it. `meta` holds what the kind needs
    (turn id and speaker of an episode, name of a skill, tool and arguments of an action) as plain strings. A pointer says
    where live state is looked up, and never what it was; it rests on nothing.
    """

    record: Literal["artefact"] = "artefact"
    sealed: ClassVar[frozenset[str]] = frozenset({"content", "meta"})
    id: str
    scope: str
    kind: ArtefactKind
    label: Channel
    observed_at: Instant
    session_id: str | None = None
    version: int = 1
    content: str | None = None
    meta: dict[str, str] | None = None

    def _heading_(self) -> str:
        return self.kind.capitalize()

    def _display_(self) -> Parts:
        return {
            "id": self.id,
            "scope": self.scope,
            "says": self.content,
            "class": self.label.value,
            "at": iso(self.observed_at),
            "version": self.version,
            "meta": self.meta,
        }


class Retrieval(Value):
    """One read: what was asked, at which times, what was shown, what was left out and why."""

    record: Literal["retrieval"] = "retrieval"
    sealed: ClassVar[frozenset[str]] = frozenset({"query", "principal", "session"})
    id: str
    scope: str
    session_id: str | None = None
    principal_id: str
    valid_at: Instant
    as_of: int
    k: int
    shown: tuple[str, ...]
    #: (id, reason code) of what was found and not shown
    left_out: tuple[tuple[str, str], ...] = ()
    policy: str = "default"
    query: str | None = None
    principal: str | None = None
    session: str | None = None

    def _heading_(self) -> str:
        return "Read"

    def _display_(self) -> Parts:
        return {
            "id": self.id,
            "scope": self.scope,
            "asked": self.query,
            "by": self.principal,
            "session": self.session,
            "valid at": iso(self.valid_at),
            "as of": f"tx:{self.as_of}",
            "shown": self.shown,
            "left out": tuple(f"{one} ({why})" for one, why in self.left_out),
        }
