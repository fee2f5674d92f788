"""What an erasure leaves so that it stays done: keyed ids without content, and the questions asked of them.

A tombstone is a status change on the axis `tombstone`. It says when something was erased; evidence from before may not
bring it back, whatever episode, import or summary it comes from. Without the tenant's key it names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from tkg.ids import digest
from tkg.memory.caller import Caller
from tkg.memory.names import Names
from tkg.model.claim import Claim
from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.model.verdict import StatusChange
from tkg.text import match_form

if TYPE_CHECKING:
    from tkg.memory.tenant import Tenant

#: channels whose undated statement is a new one; what others bring without a date may be an old copy
_NEW_WORDS: Final = frozenset({Channel.SYSTEM_OF_RECORD, Channel.HUMAN_VERIFIED, Channel.HUMAN_STATED})
#: words of a name that is still looked for in running text
_LONGEST: Final = 12
_WORD: Final = re.compile(r"\S+")
#: what may stand around a name in running text
_EDGES: Final = "\"'`´‘’“”«»()[]{}<>.,;:!?…*_"


class Stone(NamedTuple):
    """One tombstone before it is written: its keyed id, and how many words the name has (0: it is no name)."""

    target: str
    words: int = 0


def for_claim(names: Names, path: str, subject_id: str, predicate: str, object_id: str) -> Stone:
    """Return the tombstone of one statement."""
    return Stone(names.tombstone("claim", path, subject_id, names.predicate(predicate), object_id))


def for_subject(names: Names, path: str, entity_id: str) -> Stone:
    """Return the tombstone of everything about a subject."""
    return Stone(names.tombstone("subject", path, entity_id))


def for_source(names: Names, path: str, source_id: str) -> Stone:
    """Return the tombstone of everything a source said, in all its versions."""
    return Stone(names.tombstone("source", path, source_id))


def for_text(names: Names, path: str, text: str) -> Stone:
    """Return the tombstone of an episode's text."""
    return Stone(names.tombstone("text", path, names.digest(digest(text))))


def for_name(names: Names, name: str) -> Stone:
    """Return the tombstone of a name or value that no remaining claim uses; texts kept later leave it out."""
    return Stone(names.tombstone("name", names.entity(name)), len(match_form(name).split()))


class Tombstones:
    """All tombstones of a tenant: few, so they are kept in memory beside the book."""

    def __init__(self, changes: Iterable[tuple[StatusChange, int]] = ()) -> None:
        self._since: dict[str, int] = {}
        self._lengths: set[int] = set()
        for change, seq in changes:
            self.note(change, seq)

    def note(self, change: StatusChange, seq: int) -> None:
        """Take in one change of any axis."""
        if change.axis == "tombstone":
            self._since[change.target] = seq
            words = int(change.code or 0)
            if words:
                self._lengths.add(words)

    def since(self, stones: Iterable[Stone]) -> int | None:
        """Return the newest transaction in which one of these was erased; None when none was."""
        return max((seq for one in stones if (seq := self._since.get(one.target)) is not None), default=None)

    def named_in(self, names: Names, text: str) -> Iterator[str]:
        """Yield the parts of a text that are names or values which were erased."""
        if not self._lengths:
            return
        words = _WORD.findall(text)
        for length in sorted(self._lengths):
            for start in range(len(words) - length + 1):
                for part in _readings(words[start : start + length]):
                    if self._since.get(for_name(names, part).target) is not None:
                        yield part


def _readings(words: list[str]) -> Iterator[str]:
    """Yield a run of words as it stands and without punctuation around it or a genitive at its end."""
    whole = " ".join(words)
    bare = whole.strip(_EDGES)
    yield whole
    if bare and bare != whole:
        yield bare
    for ending in ("'s", "’s"):
        if bare.endswith(ending):
            yield bare.removesuffix(ending)


def changes(stones: Iterable[Stone], new_id: Iterable[str]) -> Iterator[StatusChange]:
    """Yield the records of tombstones; names longer than a text is searched for count as no names."""
    for stone, identifier in zip(dict.fromkeys(stones), new_id, strict=False):
        code = str(stone.words) if 0 < stone.words <= _LONGEST else ""
        yield StatusChange(id=identifier, target=stone.target, axis="tombstone", value="erased", code=code)


def erased_before(tenant: Tenant, caller: Caller, claim: Claim, *, uri: str | None, observed: Instant | None) -> bool:
    """Return whether a statement, its subject or its source was erased after the evidence for it was made.

    Args:
        tenant: the open tenant.
        caller: who speaks.
        claim: the statement.
        uri: its source; None for what is derived.
        observed: when the source said so; None when nobody said.
    """
    names, stones = tenant.names, list[Stone]()
    for path in tenant.visible(caller.scope):
        stones += [
            for_claim(names, path, claim.subject_id, claim.predicate or "", claim.object_id),
            for_subject(names, path, claim.subject_id),
            for_subject(names, path, claim.object_id),
        ]
        if uri is not None:
            stones.append(for_source(names, path, names.source(uri)))
    return is_older(tenant, caller, stones, observed)


def is_older(tenant: Tenant, caller: Caller, stones: Iterable[Stone], observed: Instant | None) -> bool:
    """Return whether evidence of a time is older than the erasure of any of these."""
    since = tenant.tombstones.since(stones)
    if since is None:
        return False
    if observed is None:
        return caller.channel not in _NEW_WORDS
    return tenant.ledger.seq_at(observed) < since
