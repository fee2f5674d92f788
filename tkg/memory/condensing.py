"""Episodes that leave recall, compressed into one summary for each session: what was said, in its own words.

A summary is a choice of sentences, not a new text: nothing in it was said by nobody. It rests on every episode it was made
from, so revocation and erasure reach it, carries the least class among them, and passes the gate like any other text.
`unarchive` takes it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from tkg.errors import Conflict, NotPermitted
from tkg.memory.answers import Condensed
from tkg.memory.caller import Caller
from tkg.memory.deriving import Basis, origins_of
from tkg.memory.exposure import least
from tkg.memory.tenant import Tenant
from tkg.memory.texts import held, judge_written, verdict_on
from tkg.memory.told import told
from tkg.memory.visible import owns, visible_node
from tkg.model.artefact import Artefact
from tkg.model.entry import Record
from tkg.model.scope import Channel
from tkg.model.verdict import Outcome, StatusChange
from tkg.text import match_form

#: what a summary of this room says of itself
_MADE_BY: Final = {"made_by": "maintenance"}
#: characters of a summary, and of one turn in it
_LONGEST: Final = 1_200
_TURN: Final = 160
_MAY: Final = frozenset({Channel.SYSTEM_OF_RECORD, Channel.HUMAN_VERIFIED, Channel.HUMAN_STATED})


class Group(NamedTuple):
    """Episodes of one session that leave together, in the order written."""

    episodes: tuple[Artefact, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """What the summary rests on."""
        return tuple(one.id for one in self.episodes)


def groups(tenant: Tenant, caller: Caller, leaving: Sequence[str], fewest: int | None = None) -> Iterator[Group]:
    """Yield the episodes among those that leave which are to be compressed; only of the caller's own scope.

    `fewest` of one session make a summary (default: the forget policy's number; where it has none, nothing is compressed).

    A summary of what a user said would be read by others if it lay in the tenant's scope.
    """
    if fewest is None:
        fewest = tenant.policies.forget.summarise_from
    if fewest is None:
        return
    found: dict[str, list[Artefact]] = {}
    for one in leaving:
        view = tenant.graph.artefact(one)
        if view is None or view.artefact.kind != "episode" or view.artefact.scope != caller.scope.path:
            continue
        if view.artefact.session_id is not None and view.artefact.content and tenant.book.live(one):
            found.setdefault(view.artefact.session_id, []).append(view.artefact)
    for episodes in found.values():
        fresh = [one for one in episodes if not _summarised(tenant, one.id)]
        if len(fresh) >= max(fewest, 2):
            yield Group(tuple(fresh))


def _summarised(tenant: Tenant, episode: str) -> bool:
    """Return whether a summary of this room that is in use, or waits for a person, rests on an episode."""
    for reach in tenant.graph.descendants(episode):
        if reach.depth == 1 and _is_summary(tenant, reach.id) and not archived(tenant, reach.id):
            return tenant.book.status(reach.id) in ("active", "held")
    return False


def _is_summary(tenant: Tenant, node: str) -> bool:
    view = tenant.graph.artefact(node)
    return (
        view is not None and view.artefact.kind == "summary" and (view.artefact.meta or {}).items() >= _MADE_BY.items()
    )


def archived(tenant: Tenant, node: str) -> bool:
    """Return whether a node left recall by the forget policy."""
    last = tenant.book.last(node, "storage")
    return last is not None and last.value == "archived"


def gist(episodes: Sequence[Artefact]) -> str:
    """Return the first sentences of those turns that say most of what the others are about, in the order said.

    A word counts as often as turns hold it, and once it is in the summary no more: turns that repeat bring nothing.
    """
    lines = [(one.meta or {}).get("speaker", "") + ": " + _first(one.content or "") for one in episodes]
    lines = [line.removeprefix(": ") for line in lines]
    words = [frozenset(word for word in match_form(line).split() if len(word) > 3) for line in lines]
    weight = Counter(word for some in words for word in some)
    left, chosen, size = set(range(len(lines))), list[int](), 0
    covered = set[str]()
    while left:
        best = max(left, key=lambda n: (sum(weight[word] for word in words[n] - covered) / (len(lines[n]) + 20), -n))
        left.discard(best)
        if words[best] <= covered or size + len(lines[best]) > _LONGEST:
            continue
        chosen.append(best)
        covered |= words[best]
        size += len(lines[best]) + 1
    return "\n".join(lines[n] for n in sorted(chosen))


def _first(text: str) -> str:
    """Return the first sentence of a turn, whole where it is short."""
    line = " ".join(text.split())
    for end in (". ", "! ", "? "):
        head, found, _ = line.partition(end)
        line = head + end.strip() if found else line
    return line if len(line) <= _TURN else line[:_TURN].rsplit(" ", 1)[0] + " …"


def tell(tenant: Tenant, group: Group) -> Condensed:
    """Return what a group will become."""
    return Condensed(sources=group.ids, content=gist(group.episodes), label=str(_label(group)))


def _label(group: Group) -> Channel:
    return least(Channel.AGENT_INFERRED, *(one.label for one in group.episodes))


def condense(tenant: Tenant, caller: Caller, group: Group) -> Condensed:
    """Write the summary of a group, as the gate lets it; a refused one leaves its verdict and no text."""
    found, label = tell(tenant, group), _label(group)
    texts = (found.content, *_MADE_BY, *_MADE_BY.values())
    judged = judge_written(tenant, caller, texts, "summary", label)
    made = Artefact.build(
        id=tenant.ids.new("art"),
        scope=caller.scope.path,
        kind="summary",
        label=label,
        observed_at=tenant.now(),
        content=found.content,
        meta=dict(_MADE_BY),
    )
    refused = judged.outcome is Outcome.REJECTED
    verdict = verdict_on(
        caller,
        judged,
        verdict_id=tenant.ids.new("vrd"),
        candidate=tenant.names.digest("summary", found.content),
        kind="summary",
        label=label,
        artefact_id=None if refused else made.id,
    )
    records: list[Record] = [verdict]
    if not refused:
        basis = Basis((group.ids,), label, origins_of(tenant, group.ids))
        records = [made, *basis.justifications(tenant, made.id, None, made.observed_at), verdict]
    if judged.outcome is Outcome.HELD:
        records.append(held(tenant, made.id, judged.code))
    tenant.commit("condense", caller.scope.path, records)
    outcome = str(judged.outcome.value)
    return found.model_copy(update={"id": None if refused else made.id, "outcome": outcome})


def unarchive(tenant: Tenant, caller: Caller, identifier: str, reason: str) -> tuple[str, ...]:
    """Bring back what the forget policy took out of recall; see `Handle.unarchive`."""
    channel, principal = caller.speaking()
    if channel not in _MAY:
        raise NotPermitted("bringing something back takes a person or a system of record")
    why = told(reason, "reason")
    scope = visible_node(tenant, caller, identifier)
    if not owns(caller, scope):
        raise NotPermitted("it belongs to the whole tenant; a handle without a user may bring it back")
    if _is_summary(tenant, identifier) and not archived(tenant, identifier):
        (backer, *_) = tenant.graph.justifications(identifier)
        back = [one for one in backer.justification.requires if archived(tenant, one)]
        out: Collection[str] = (identifier,)
    else:
        back, out = [identifier] if archived(tenant, identifier) else [], ()
    if not back:
        raise Conflict("it is in recall: nothing to bring back")
    changes = [("restored", one) for one in back] + [("archived", one) for one in out]
    tenant.commit(
        "unarchive",
        scope,
        [
            StatusChange(
                id=tenant.ids.new("sta"),
                target=one,
                axis="storage",
                value=value,
                code="unarchive",
                reason=why,
                actor=principal,
            )
            for value, one in changes
        ],
    )
    return tuple(back)
