"""The two memories the gullible agent runs on: tkg, and one that stores all and asks nothing.

Both take the same calls, so that an attack is written once. Where the naive memory falls to it and tkg does not, the
difference is what tkg does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol, Self

import tkg
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.model.scope import Channel
from tkg.model.verdict import Verdict

TENANT = "acme"
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
#: what an agent acts by, and what the world declares of it
REGISTRY = tkg.Registry.of(
    {
        "payee": {"cardinality": "one", "consequence": "high"},
        "price": {"cardinality": "one", "consequence": "high", "system_of_record": "prices.yaml"},
        "opening_day": {"cardinality": "one"},
    }
)


@dataclass(frozen=True)
class Voice:
    """Who speaks, through what, for whom: set by the program around the agent."""

    channel: Channel
    principal: str
    session: str
    user: str | None = None


@dataclass(frozen=True)
class Seen:
    """One thing recall showed."""

    id: str
    text: str
    owner: str | None = None
    predicate: str | None = None
    value: str | None = None


@dataclass
class Read:
    """One answer of recall, with whatever the memory needs to know what was used."""

    seen: list[Seen]
    block: str
    token: object = None


class Memory(Protocol):
    """What an agent needs of a memory."""

    def hear(self, voice: Voice, text: str, uri: str) -> str | None:
        """Store a text; return its id, or None where it was refused."""

    def note(self, voice: Voice, subject: str, predicate: str, value: str, uri: str, quote: str = "") -> str | None:
        """Store a claim; return its id, or None where it was refused."""

    def write(self, voice: Voice, kind: str, text: str, read: Read) -> str | None:
        """Store a summary or skill made from what was read; return its id, or None where it was refused."""

    def recall(self, voice: Voice, query: str) -> Read:
        """Read."""

    def act(self, voice: Voice, tool: str, target: str, read: Read) -> bool:
        """Queue an action made from what was read and let it go; return whether it went."""

    def revoke(self, *, source: str | None = None, session: str | None = None, principal: str | None = None) -> None:
        """Take back all that came from a source, a session or a principal."""

    def stands(self, identifier: str) -> bool:
        """Return whether what was stored is still believed or used."""


@dataclass
class Naive:
    """Stores all, shows what shares words, newest first; lets every action go; revoking removes what was named."""

    kept: list[tuple[Seen, Voice, str]] = field(default_factory=list)

    def _keep(self, seen: Seen, voice: Voice, uri: str) -> str:
        self.kept.append((seen, voice, uri))
        return seen.id

    def hear(self, voice: Voice, text: str, uri: str) -> str:
        return self._keep(Seen(f"n{len(self.kept)}", text, voice.user), voice, uri)

    def note(self, voice: Voice, subject: str, predicate: str, value: str, uri: str, quote: str = "") -> str:
        text = f"{subject} {predicate} {value}"
        return self._keep(Seen(f"n{len(self.kept)}", text, voice.user, predicate, value), voice, uri)

    def write(self, voice: Voice, kind: str, text: str, read: Read) -> str:
        return self._keep(Seen(f"n{len(self.kept)}", text, voice.user), voice, f"{kind}:{len(self.kept)}")

    def recall(self, voice: Voice, query: str) -> Read:
        asked = _words(query)
        ranked = sorted(
            enumerate(self.kept), key=lambda one: (-len(asked & _words(one[1][0].text)), -one[0])
        )  # newest first
        seen = [kept[0] for _, kept in ranked[:5] if asked & _words(kept[0].text)]
        return Read(seen, "\n".join(one.text for one in seen))

    def act(self, voice: Voice, tool: str, target: str, read: Read) -> bool:
        return True

    def revoke(self, *, source: str | None = None, session: str | None = None, principal: str | None = None) -> None:
        def named(voice: Voice, uri: str) -> bool:
            return uri == source

        self.kept = [one for one in self.kept if not named(one[1], one[2])]

    def stands(self, identifier: str) -> bool:
        return any(seen.id == identifier for seen, _, _ in self.kept)


class Guarded:
    """tkg, with claims from outside let in by the policy: what is shown here is not that all of them wait."""

    def __init__(self, *, text_rules: bool, engine: str = "memory") -> None:
        self.clock = ManualClock(START, timedelta(milliseconds=1))
        write = tkg.WritePolicy(text_rules=text_rules, held_channels=(), registry=REGISTRY)
        self.memory = tkg.open(
            None, clock=self.clock, ids=SeededIds(5), engine=engine, policies=tkg.Policies(write=write)
        )
        self.memory.create_tenant(TENANT)
        self.operator = self.memory.scope(
            tenant=TENANT, channel=Channel.HUMAN_VERIFIED, principal="operator", session="desk"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.memory.close()

    def handle(self, voice: Voice) -> Handle:
        """Return the handle the program around the agent would make."""
        return self.memory.scope(
            tenant=TENANT, user=voice.user, channel=voice.channel, principal=voice.principal, session=voice.session
        )

    def hear(self, voice: Voice, text: str, uri: str) -> str | None:
        first, *_ = self.handle(voice).remember(text, evidence=tkg.Evidence(uri=uri), media="turn", turn=uri[-40:])
        return first.artefact_id

    def note(self, voice: Voice, subject: str, predicate: str, value: str, uri: str, quote: str = "") -> str | None:
        verdict = self.handle(voice).propose(
            subject=subject,
            predicate=predicate,
            object=value,
            evidence=tkg.Evidence(uri=uri, quote=quote or f"{subject} {predicate} {value}"),
        )
        return verdict.claim_id

    def write(self, voice: Voice, kind: str, text: str, read: Read) -> str | None:
        try:
            made = self.handle(voice).derive(kind, text, used=read.token)
        except tkg.TkgError:
            return None
        return made.artefact_id if isinstance(made, Verdict) else made.id

    def recall(self, voice: Voice, query: str) -> Read:
        result = self.handle(voice).recall(query)
        seen = [
            Seen(
                one.id,
                one.text,
                one.scope.partition("/")[2] or None,
                one.predicate,
                None if one.negative else one.object,
            )
            for one in result.items
        ]
        return Read(seen, result.text, result)

    def act(self, voice: Voice, tool: str, target: str, read: Read) -> bool:
        runner = self.memory.scope(
            tenant=TENANT, user=voice.user, channel=Channel.TRUSTED_TOOL, principal="runner", session=voice.session
        )
        try:
            made = self.handle(voice).derive(
                "action", f"{tool} {target}", used=read.token, meta={"tool": tool, "target": target}
            )
            identifier = made.artefact_id if isinstance(made, Verdict) else made.id
            runner.dispatch(identifier or "")
        except tkg.TkgError:
            return False
        return True

    def revoke(self, *, source: str | None = None, session: str | None = None, principal: str | None = None) -> None:
        plan = self.operator.plan_revoke(source=source, session=session, principal=principal)
        self.operator.revoke(plan, reason="an attack")

    def stands(self, identifier: str) -> bool:
        return self.operator.explain(identifier).state in ("active", "stale", "unverified")


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.casefold()))


def ids(found: Sequence[str | None]) -> list[str]:
    """Return those that were stored."""
    return [one for one in found if one is not None]
