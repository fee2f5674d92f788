"""The pinned core: the few claims that every recall shows, kept by a person; as verbs, and as a plain Markdown file.

A pin is bound to the scope its claim lies in, follows that claim (what fell is not shown, pinned or not), and is recorded
like any decision. The file is edited and read back: an edited line is proposed anew, through the gate, and takes the old
one's place in the core, and in its slot where that holds one value; a line that is gone is unpinned; a line that is new is proposed and pinned.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from tkg.errors import Conflict, NotFound, NotPermitted, RequestError, TooLarge
from tkg.memory import writing
from tkg.memory.caller import Caller
from tkg.memory.changing import person, supersede
from tkg.memory.pins import AXIS, pins
from tkg.memory.proposal import Proposal
from tkg.memory.reading import judge_at
from tkg.memory.tenant import Tenant
from tkg.memory.visible import visible_claim
from tkg.model.base import Value
from tkg.model.evidence import Evidence
from tkg.model.verdict import Outcome, StatusChange, Verdict
from tkg.recall.judge import Standing, Window
from tkg.recall.model import RecallItem
from tkg.recall.render import item_line, line_tokens
from tkg.recall.search import shown_item

_LINE: Final = re.compile(r"\s*[-*+]\s+(?P<said>.*?)\s*(?:<!--\s*(?P<id>clm_[0-9a-z]+)\s*-->)?\s*")
_COMMENT: Final = re.compile(r"\s*<!--.*-->\s*")
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
#: longest file, in characters
_LONGEST: Final = 1 << 20
_HELP: Final = "<!-- One line, one claim. Edit what stands after the colon, add a line, or take one away; then: tkg core --read FILE -->"


class CoreItem(Value):
    """One pinned claim; `state` is "active" where recall shows it, else why it does not."""

    id: str
    scope: str
    subject: str | None
    predicate: str | None
    object: str | None
    negative: bool
    state: str
    tokens: int


class Core(Value):
    """What is pinned for a scope, the narrowest scope first, then in the order it was pinned."""

    scope: str
    items: tuple[CoreItem, ...]
    tokens: int
    most_items: int
    most_tokens: int

    @property
    def markdown(self) -> str:
        """The file: what lies in this very scope, one line per claim."""
        lines = [f"- {core_line(one)} <!-- {one.id} -->" for one in self.items if one.scope == self.scope]
        return "\n".join((f"# Pinned memory of {self.scope}", "", _HELP, "", *lines, ""))


class CoreImport(Value):
    """What reading a core back did: ids that were pinned and unpinned, and the gate's verdict on each new or edited line."""

    pinned: tuple[str, ...]
    unpinned: tuple[str, ...]
    kept: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


class Line(NamedTuple):
    """One line of a file."""

    number: int
    said: str
    id: str | None


def _escaped(text: str, special: str) -> str:
    found = []
    for place, one in enumerate(text):
        edge = one == " " and place in (0, len(text) - 1)
        if one in special or edge or unicodedata.category(one) in _HIDDEN:
            found.append(f"\\u{ord(one):04x}" if ord(one) <= 0xFFFF else f"\\U{ord(one):08x}")
        else:
            found.append(one)
    return "".join(found)


def core_line(item: CoreItem) -> str:
    """Return a claim as a line of the file says it: `subject · predicate: value`."""
    value = _escaped(item.object or "", "\\<")
    if not item.negative and value.startswith("not "):
        value = "\\u006eot " + value[4:]
    said = f"{_escaped(item.subject or '', chr(92) + '<·:')} · {_escaped(item.predicate or '', chr(92) + '<·:')}: "
    return said + ("not " if item.negative else "") + value


def read_line(said: str) -> tuple[str, str, str, bool] | None:
    """Return subject, predicate, object and whether it is denied; None where the line says no claim."""
    subject, dot, rest = said.partition(" · ")
    predicate, colon, value = rest.partition(":")
    value = value.strip()
    negative = value.startswith("not ")
    if negative:
        value = value[4:].strip()
    if not (dot and colon and subject.strip() and predicate.strip() and value):
        return None
    return _plain(subject.strip()), _plain(predicate.strip()), _plain(value), negative


def _plain(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        point = int(found[1] or found[2], 16)
        return chr(point) if point <= 0x10FFFF else found[0]

    return _ESCAPE.sub(one, text)


def read_markdown(text: str) -> list[Line]:
    """Read a file.

    Raises:
        RequestError: a line that is neither a claim, a heading, a comment nor empty; the message names its number.
    """
    if len(text) > _LONGEST:
        raise TooLarge(f"a core is at most {_LONGEST} characters; nothing was changed")
    found: list[Line] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = line.rstrip("\r")
        if not line.strip() or line.startswith("#") or _COMMENT.fullmatch(line):
            continue
        match = _LINE.fullmatch(line)
        if match is None or read_line(match["said"]) is None:
            raise RequestError(
                f"line {number} is no `- subject · predicate: value`, no heading and no comment; nothing was changed"
            )
        found.append(Line(number, match["said"], match["id"]))
    ids = [one.id for one in found if one.id is not None]
    if len(ids) > len(set(ids)):
        raise RequestError("one id stands in two lines; take it away from the new one. Nothing was changed")
    return found


# -- what is pinned


def core(tenant: Tenant, caller: Caller) -> Core:
    """See `Handle.core`."""
    policy, now, latest = tenant.policies.read, tenant.now(), tenant.ledger.head.seq
    asked = judge_at(tenant, caller, Window(now, now + 1, now), latest, latest)
    items: list[CoreItem] = []
    used = 0
    for standing in asked.all(pins(tenant, tenant.visible(caller.scope))):
        cost = _cost(tenant, shown_item(asked, standing, 0.0))
        state = "active" if standing.eligible else standing.state
        if state == "active":
            fits = sum(one.state == "active" for one in items) < policy.core_items and used + cost <= policy.core_tokens
            state, used = ("active", used + cost) if fits else ("budget", used)
        items.append(_core_item(standing, state, cost))
    return Core(
        scope=caller.scope.path,
        items=tuple(items),
        tokens=used,
        most_items=policy.core_items,
        most_tokens=policy.core_tokens,
    )


def _core_item(standing: Standing, state: str, tokens: int) -> CoreItem:
    claim = standing.claim
    assert claim is not None
    return CoreItem(
        id=standing.id,
        scope=standing.scope,
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        negative=standing.negative,
        state=state,
        tokens=tokens,
    )


def _cost(tenant: Tenant, item: RecallItem) -> int:
    return line_tokens(item_line(item), tenant.count_tokens)


# -- changing it


def pin(tenant: Tenant, caller: Caller, claim_id: str) -> Core:
    """See `Handle.pin`."""
    person(caller, "pinning")
    _pinnable(tenant, caller, claim_id)
    before = core(tenant, caller)
    if claim_id not in {one.id for one in before.items}:
        now, latest = tenant.now(), tenant.ledger.head.seq
        asked = judge_at(tenant, caller, Window(now, now + 1, now), latest, latest)
        (standing,) = asked.all([claim_id])
        _check_room(before, len(before.items) + 1, before.tokens + _cost(tenant, shown_item(asked, standing, 0.0)))
        tenant.commit("pin", caller.scope.path, [_change(tenant, caller, claim_id, "pinned")])
    return core(tenant, caller)


def unpin(tenant: Tenant, caller: Caller, claim_id: str) -> Core:
    """See `Handle.unpin`."""
    person(caller, "unpinning")
    if claim_id not in pins(tenant, (caller.scope.path,)):
        raise NotFound("no such claim is pinned in this scope; `core` lists what is")
    tenant.commit("unpin", caller.scope.path, [_change(tenant, caller, claim_id, "unpinned")])
    return core(tenant, caller)


def _pinnable(tenant: Tenant, caller: Caller, claim_id: str) -> None:
    claim = visible_claim(tenant, caller, claim_id)
    if claim.claim.scope != caller.scope.path:
        raise NotPermitted("a claim is pinned in the scope it lies in, for everybody who reads there; open that scope")
    if not tenant.book.live(claim_id):
        raise Conflict("only a claim that stands can be pinned; decide or release it first")


def _check_room(before: Core, items: int, tokens: int) -> None:
    """Refuse what would not fit; what may be pinned more than before may not exceed the caps."""
    if items > before.most_items and items > len(before.items):
        raise TooLarge(f"the core holds at most {before.most_items} claims; unpin one first")
    if tokens > before.most_tokens and tokens > before.tokens:
        raise TooLarge(f"the core holds at most {before.most_tokens} tokens; unpin something first")


def _change(tenant: Tenant, caller: Caller, claim_id: str, value: str) -> StatusChange:
    return StatusChange(
        id=tenant.ids.new("sta"), target=claim_id, axis=AXIS, value=value, code=AXIS, actor=caller.principal
    )


def read_core(tenant: Tenant, caller: Caller, text: str) -> CoreImport:
    """See `Handle.read_core`."""
    person(caller, "editing the core")
    if not isinstance(text, str):
        raise RequestError("a core is text: what `core().markdown` returned, edited")
    lines = read_markdown(text)
    before = core(tenant, caller)
    own = {one.id: one for one in before.items if one.scope == caller.scope.path}
    for line in lines:
        if line.id is not None and line.id not in own:
            try:
                _pinnable(tenant, caller, line.id)
            except (NotFound, Conflict, NotPermitted) as error:
                raise RequestError(f"line {line.number}: {error}. Nothing was changed") from None
    said = {one.id: core_line(one) for one in own.values()}
    edited = [one for one in lines if one.id is None or (one.id in said and one.said != said[one.id])]
    proposals = [(line, _proposal(caller, line)) for line in edited]
    named = {one.id for one in lines}
    gone = [one for one in own if one not in named]
    fresh = [one.id for one in lines if one.id is not None and one.id not in own]
    others = len(before.items) - len(own)
    stays = sum(one.tokens for one in before.items if one.state == "active" and one.id not in gone)
    added = sum(_cost(tenant, _expected(tenant, caller, one)) for line, one in proposals if line.id is None)
    _check_room(before, others + len(lines), stays + added)
    changes = [*(_change(tenant, caller, one, "unpinned") for one in gone)]
    changes += [_change(tenant, caller, one, "pinned") for one in fresh]
    if changes:
        tenant.commit("pin", caller.scope.path, changes)
    pinned, unpinned, verdicts = list(fresh), list(gone), []
    for line, proposal in proposals:
        verdict = writing.propose(tenant, caller, proposal)
        verdicts.append(verdict)
        new = verdict.claim_id
        if verdict.outcome not in (Outcome.ACCEPTED, Outcome.REINFORCED) or new is None or new == line.id:
            continue
        moved = [_change(tenant, caller, new, "pinned")]
        if line.id is not None:
            moved.append(_change(tenant, caller, line.id, "unpinned"))
            unpinned.append(line.id)
            _replace(tenant, caller, line.id, new)
        pinned.append(new)
        tenant.commit("pin", caller.scope.path, moved)
    kept = tuple(one for one in own if one not in unpinned)
    return CoreImport(pinned=tuple(pinned), unpinned=tuple(unpinned), kept=kept, verdicts=tuple(verdicts))


def _replace(tenant: Tenant, caller: Caller, old: str, new: str) -> None:
    """Let an edited line take the old one's place, where both say something of one slot and the gate left both standing."""
    loser, winner = tenant.graph.claim(old), tenant.graph.claim(new)
    if loser is None or winner is None or loser.claim.slot_id != winner.claim.slot_id:
        return
    now, latest = tenant.now(), tenant.ledger.head.seq
    (standing,) = judge_at(tenant, caller, Window(now, now + 1, now), latest, latest).all([old])
    if not standing.eligible:  # the gate let the new one take its place already
        return
    try:
        supersede(tenant, caller, old, new, "edited in the pinned core")
    except Conflict:  # they share no time: both hold, each in its own
        return


def _proposal(caller: Caller, line: Line) -> Proposal:
    read = read_line(line.said)
    assert read is not None
    subject, predicate, value, negative = read
    try:
        return Proposal.read(
            subject=subject,
            predicate=predicate,
            object=value,
            polarity="negative" if negative else "positive",
            evidence=Evidence(uri=f"core:{caller.scope.path}", locator=f"line={line.number}", quote=line.said),
        )
    except RequestError as error:
        raise RequestError(f"line {line.number}: {error}. Nothing was changed", code=error.code) from None


def _expected(tenant: Tenant, caller: Caller, proposal: Proposal) -> RecallItem:
    """Return a new line as recall would show it, to count it before it is written."""
    return RecallItem(
        id="clm_" + "0" * 26,
        kind="claim",
        scope=caller.scope.path,
        channel=str(caller.channel),
        text="",
        observed_at=tenant.now(),
        valid_from=tenant.now(),
        subject=proposal.subject,
        predicate=proposal.predicate,
        object=proposal.object,
        uri=f"core:{caller.scope.path}",
        locator="line=000",
        pinned=True,
    )
