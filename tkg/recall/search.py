"""Recall, whole: filters before any score, then candidates, ranking, share, budget and the block.

Only ports and values come in; the facade opens the tenant, calls `recall` under its lock and records the outcome before
it hands it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, Literal

from tkg.graph.port import Graph
from tkg.index.port import Index
from tkg.index.vectors import VectorIndex
from tkg.model.policy import ReadPolicy
from tkg.model.time import BEGINNING, FOREVER, Instant
from tkg.recall.candidates import PER_PLACE, Gatherer, Pool
from tkg.recall.intent import read_intent
from tkg.recall.judge import Judge, Standing, Window
from tkg.recall.model import Abstention, Intent, RecallItem, RecallNote, RecallOutcome, RecallRequest
from tkg.recall.rank import Ranked, fuse, order, put_before, recency, select
from tkg.recall.render import (
    abstention_line,
    frame_tokens,
    item_line,
    line_tokens,
    note_line,
    render_text,
)
from tkg.recall.revision import replaced
from tkg.recall.words import content_words
from tkg.text import match_form

#: a turn and what was read from it: twice as alike as two texts of the same words, since one place is enough for both
_SAME_TURN: Final = 2.0
#: best matching texts that are looked at for stated changes
_TEXTS: Final = 20
#: superseded claims whose turns are put after those of the claims in their place
_SUPERSEDED: Final = 8
#: most notes, and their most share of the token budget
_NOTES: Final = 3
_NOTE_SHARE: Final = 0.25

#: reasons that mean: there was something, but it must not be used
_WITHDRAWN: Final = frozenset({"revoked", "quarantined", "held", "rejected", "erased", "unverified", "cancelled"})
_RESOLVE: Final = {
    "no_match": "nothing stored bears on this; ask a person or a source, then propose what it says",
    "below_floor": "what was found fits too badly; ask more exactly",
    "only_suspended": "what it depends on is in doubt; release or replace that, or verify this anew",
    "conflict": "standing sources disagree; let a person decide or verify one of them",
    "not_supported": "what was stored about this no longer stands; look at why_not for each id in the trace",
}


def resolve_times(request: RecallRequest, seq_at: Callable[[Instant], int]) -> tuple[Intent, Window, int]:
    """Return the intent, the window of valid time asked about, and the transaction believed up to.

    The caller's own `valid_at` and `as_of` win over what the question says.
    """
    intent = read_intent(request.query, request.now)
    as_of = request.as_of
    if request.valid_at is not None:
        intent = Intent(rule="valid_at", start=request.valid_at, end=request.valid_at + 1)
    elif as_of is not None:
        intent = Intent(rule="as_of")
    elif intent.belief_at is not None:
        as_of = seq_at(intent.belief_at)
    point = request.now if intent.start is None else intent.start
    if intent.mode == "ever":
        window = Window(BEGINNING, FOREVER, request.now)
    elif intent.mode == "range":
        window = Window(point, intent.end or FOREVER, request.now, intent.phrase)
    else:
        window = Window(point, point + 1, point)
    return intent, window, request.latest if as_of is None else min(as_of, request.latest)


def recall(
    request: RecallRequest,
    *,
    graph: Graph,
    index: Index,
    judge: Callable[[Window, int], Judge],
    policy: ReadPolicy,
    nonce: str,
    seq_at: Callable[[Instant], int],
    vectors: VectorIndex | None = None,
) -> RecallOutcome:
    """Answer one question from memory.

    Args:
        request: the question, the scopes it may see, times and limits.
        graph: the tenant's graph, for neighbours.
        index: the tenant's text index.
        judge: makes the judge of claims and artefacts for a window of valid time and a transaction.
        policy: weights, floor, shares and the class a reader requires.
        nonce: 8 to 64 of `0-9a-z` for the fence, new for each call.
        seq_at: the newest transaction written up to a wall time ("what did we believe on …").
        vectors: finds by meaning; None where nobody asked for it.

    Returns:
        Items, notes, what was left out and why, and the rendered block: the same for the same inputs, byte by byte.
    """
    intent, window, as_of = resolve_times(request, seq_at)
    asked = judge(window, as_of)
    present = as_of >= request.latest
    if intent.rule == "now":
        asked.expire(cache(lambda age: seq_at(request.now - age)))
    known = None if present else as_of
    gather = Gatherer(request, index, graph, asked, Pool(), known, vectors, policy.least_similarity)
    pool = gather.everything()
    if present and (not pool.text or asked.something_waits()):
        _look_for_fallen(request, index, asked, pool)
    core = _core(request, policy, asked, pool)
    items = _choose(request, policy, asked, pool, intent, core)
    return _finish(request, policy, pool, (core, items), (intent, window, as_of), nonce)


def _core(request: RecallRequest, policy: ReadPolicy, asked: Judge, pool: Pool) -> list[RecallItem]:
    """Return the pinned claims that may be shown, within the caps of the core; why one is not shown is in the trace."""
    core: list[RecallItem] = []
    left = policy.core_tokens
    for standing in asked.all(request.pinned):
        if standing.scope not in request.visible:
            continue
        item = replace(shown_item(asked, standing, 0.0), pinned=True)
        cost = line_tokens(item_line(item), request.count_tokens)
        if not standing.eligible:
            pool.left_out.setdefault(standing.id, standing.state)
        elif standing.channel.rank < policy.least_channel.rank:
            pool.left_out[standing.id] = "label"
        elif len(core) >= policy.core_items or cost > left:
            pool.left_out[standing.id] = "budget"
        else:
            core.append(_remarked(item, request))
            left -= cost
    return core


def _look_for_fallen(request: RecallRequest, index: Index, asked: Judge, pool: Pool) -> None:
    """See what no longer stands: to say "suspended, previously …" and why there is no answer."""
    limit = request.k * PER_PLACE
    hits = index.search(request.query, scopes=request.visible, kinds=request.kinds, limit=limit, as_of=request.latest)
    for standing in asked.all(hit.id for hit in hits if hit.id not in pool.standing):
        if standing.scope in request.visible:
            pool.take(standing)


def _ranked(pool: Pool, request: RecallRequest, policy: ReadPolicy, intent: Intent) -> Iterable[Ranked]:
    places = fuse(pool.lists())
    for identifier, found in places.items():
        standing = pool.standing[identifier]
        if standing.channel.rank < policy.least_channel.rank:
            pool.left_out[identifier] = "label"
            continue
        weight = standing.confidence
        if standing.kind == "episode" and intent.present:
            weight *= recency(standing.observed_at, request.now, policy)
        yield Ranked(identifier, found, pool.strength[identifier], weight, standing.origins, standing.kind == "episode")


def _choose(
    request: RecallRequest, policy: ReadPolicy, asked: Judge, pool: Pool, intent: Intent, core: Sequence[RecallItem]
) -> list[RecallItem]:
    """Choose the items; a text that says no more than the claims made from it gives its place to the next.

    What is in the core takes no place of its own.
    """
    pinned = {item.id for item in core}
    ranked = order(one for one in _ranked(pool, request, policy, intent) if one.id not in pinned)
    changed = _replaced(request, asked, pool) if intent.mode == "at" else []
    ranked = put_before(ranked, changed)
    while True:
        selection = select(ranked, k=request.k, policy=policy, alike=lambda one, other: _alike(asked, pool, one, other))
        standings = [pool.standing[one.id] for one, _ in selection.chosen]
        quotes = [
            match_form(quote) for each in standings if each.claim is not None if (quote := asked.source(each).quote)
        ]
        repeated = {each.id for each in standings if each.kind == "episode" and _said(match_form(each.text), quotes)}
        if not repeated:
            break
        pool.left_out.update(dict.fromkeys(sorted(repeated), "duplicate"))
        ranked = [pair for pair in ranked if pair[0].id not in repeated]
    for identifier, reason in selection.left_out:
        pool.left_out.setdefault(identifier, reason)
    # diversity may have put an earlier text before the later one again
    chosen = put_before(selection.chosen, changed)
    return [_remarked(shown_item(asked, pool.standing[one.id], value), request) for one, value in chosen]


def _remarked(item: RecallItem, request: RecallRequest) -> RecallItem:
    """Return the item with what its source said just now."""
    said = [one for one in (item.note, request.remarks.get(item.id)) if one is not None]
    return replace(item, note="; ".join(said) or None)


def _replaced(request: RecallRequest, asked: Judge, pool: Pool) -> list[tuple[str, str]]:
    """Return pairs of found candidates of which the second takes the first's place.

    Texts are compared with texts; what was read from them on the question's words goes with them.
    """
    found = [pool.standing[one] for one in dict.fromkeys((*pool.text[:_TEXTS], *pool.slots[:_TEXTS]))]
    texts = [one for one in found if one.kind == "episode"]
    if not texts:
        return []
    words = content_words(request.query)
    turns = {turn: one.id for one in texts if (turn := _turn(asked, one)) is not None}
    read_from: dict[str, list[str]] = {}
    for one in found:
        if (
            one.claim is not None
            and words & content_words(one.text)
            and (turn := _turn(asked, one))
            and (text := turns.get(turn))
        ):
            read_from.setdefault(text, []).append(one.id)
    behind: list[tuple[str, str]] = []
    fallen = [one for one in pool.standing.values() if one.state == "superseded" and one.claim is not None]
    for old in fallen[:_SUPERSEDED]:
        for new in found:
            if new.claim is not None and old.claim is not None and new.claim.slot_id == old.claim.slot_id:
                earlier, later = (turns.get(_turn(asked, one) or (None, "")) for one in (old, new))
                if earlier is not None and later is not None and earlier != later:
                    behind.append((earlier, later))
    pairs = replaced(texts, words, behind)
    said = {one.id: [one.id, *read_from.get(one.id, ())] for one in texts}
    return [(one, other) for earlier, later in pairs for one in said[earlier] for other in said[later]]


def _turn(asked: Judge, standing: Standing) -> tuple[str | None, str] | None:
    """Return the place in a conversation that a candidate comes from; None where its source names no place."""
    at = asked.source(standing)
    return None if at.locator is None else (at.uri, at.locator)


def _alike(asked: Judge, pool: Pool, one: str, other: str) -> float:
    """Return how far two candidates say the same, from 0 to 1: the same turn, or texts of the same words.

    Two claims are never alike: values of one slot are different answers, and the sides of a conflict belong together.
    """
    first, second = pool.standing[one], pool.standing[other]
    if first.claim is not None and second.claim is not None:
        return 0.0
    turn = _turn(asked, first)
    if turn is not None and turn == _turn(asked, second):
        return _SAME_TURN
    if first.claim is not None or second.claim is not None:
        return 0.0
    words, others = content_words(first.text), content_words(second.text)
    return len(words & others) / max(len(words | others), 1)


def _said(text: str, quotes: list[str]) -> bool:
    """Return whether the quotes behind the shown claims cover a text but for an eighth of it."""
    left = text
    for quote in quotes:
        left = left.replace(quote, "")
    return len(left) * 8 <= len(text)


def shown_item(asked: Judge, standing: Standing, value: float) -> RecallItem:
    """Return a judged candidate as an item."""
    source = asked.source(standing)
    claim = standing.claim
    item = RecallItem(
        id=standing.id,
        kind=standing.kind,
        scope=standing.scope,
        channel=str(standing.channel),
        text=standing.text,
        observed_at=standing.observed_at,
        uri=source.uri,
        version=source.version,
        locator=source.locator,
        score=value,
        state=asked.shown_state(standing),
        note=standing.note,
    )
    if claim is None:
        return replace(item, subject=source.speaker)
    valid_from, valid_to = asked.span(standing)
    return replace(
        item,
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        negative=standing.negative,
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _notes(pool: Pool, request: RecallRequest) -> list[RecallNote]:
    """Return what must be said although it is no answer: what sources deny, disputes of high consequence, what waits."""
    notes = [
        RecallNote(one, "verify", pool.standing[one].key, said)
        for one, said in request.remarks.items()
        if one in pool.standing and not pool.standing[one].eligible
    ]
    told: set[str] = set()
    for identifier in pool.disputed:
        if identifier in told:
            continue
        standing = pool.standing[identifier]
        told.update((identifier, *standing.rivals))
        values = sorted({standing.value, *(pool.standing[r].value for r in standing.rivals if r in pool.standing)})
        notes.append(RecallNote(identifier, "conflict", standing.key, "in conflict: " + " against ".join(values)))
    for identifier in pool.suspended:
        standing = pool.standing[identifier]
        notes.append(RecallNote(identifier, "suspended", standing.key, f"suspended, previously {standing.value}"))
    return notes


def _abstention(pool: Pool, items: list[RecallItem]) -> Abstention | None:
    reasons = set(pool.left_out.values())
    code: Literal["no_match", "below_floor", "only_suspended", "conflict", "not_supported"]
    if pool.disputed:
        code = "conflict"
    elif items:
        return None
    elif pool.suspended:
        code = "only_suspended"
    elif reasons & {"floor", "label", "budget"}:
        code = "below_floor"
    elif reasons & _WITHDRAWN:
        code = "not_supported"
    else:
        code = "no_match"
    return Abstention(code, _RESOLVE[code])


def _fitted(
    items: Sequence[RecallItem], left: int, pool: Pool, count: Callable[[str], int] | None
) -> tuple[list[RecallItem], list[str], int]:
    """Return the items that fit into so many tokens, their lines, and the tokens left."""
    shown: list[RecallItem] = []
    lines: list[str] = []
    for item in items:
        line = item_line(item)
        if (cost := line_tokens(line, count)) <= left:
            shown.append(item)
            lines.append(line)
            left -= cost
        else:
            pool.left_out[item.id] = "budget"
    return shown, lines, left


def _finish(
    request: RecallRequest,
    policy: ReadPolicy,
    pool: Pool,
    chosen: tuple[list[RecallItem], list[RecallItem]],
    times: tuple[Intent, Window, int],
    nonce: str,
) -> RecallOutcome:
    """Fit the core, notes and items into the budget, each whole or not at all, and render."""
    core, items = chosen
    count = request.count_tokens
    left = request.token_budget - frame_tokens(nonce, count)
    pinned, lines, left = _fitted(core, left, pool, count)
    note_left = min(left, int(request.token_budget * _NOTE_SHARE))
    notes: list[RecallNote] = []
    for note in _notes(pool, request)[:_NOTES]:
        line = note_line(note)
        if (cost := line_tokens(line, count)) <= note_left:
            notes.append(note)
            lines.append(line)
            note_left -= cost
            left -= cost
    shown, more, left = _fitted(items, left, pool, count)
    lines += more
    # what is pinned is an answer only where the question found it, too
    abstained = _abstention(pool, [*shown, *(item for item in pinned if item.id in pool.strength)])
    shown = [*pinned, *shown]
    if abstained is not None and (cost := line_tokens(line := abstention_line(abstained), count)) <= left:
        lines.append(line)
        left -= cost
    tokens = request.token_budget - left
    intent, window, as_of = times
    return RecallOutcome(
        items=tuple(shown),
        notes=tuple(notes),
        left_out=tuple(pool.left_out.items()),
        abstained=abstained,
        intent=intent,
        valid_at=window.point,
        as_of=as_of,
        tokens=tokens,
        token_budget=request.token_budget,
        text=render_text(lines, records=len(shown), tokens=tokens, token_budget=request.token_budget, nonce=nonce),
        scores={item.id: item.score for item in shown},
        found_by={item.id: pool.found_by(item.id) for item in shown},
        vectors=pool.meaning,
    )
