"""What an erasure reaches: the nodes whose content goes, by derivation and exposure, and the records that repeat it.

Nothing is found by likeness. A name is compared whole; texts are followed by what they were made from, by the session
they were written in, and by the request that read them. What merely mentions a name is listed for a person to look at.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tkg.ids import kind_of
from tkg.ledger.port import Ledger
from tkg.memory.replan import consequences
from tkg.memory.residue import strings
from tkg.memory.sessions import same_session
from tkg.memory.tenant import Tenant
from tkg.text import match_form

#: kinds of records that become "erased" themselves; of all others only the content goes
NODES: Final = ("claim", "evidence", "artefact")
#: notes whose body names the nodes they are about
_ON_NODES: Final = ("review", "audit-mark")
#: a sentence this short may stand in two documents by chance
_SENTENCE: Final = 12


@dataclass(slots=True)
class Closure:
    """Everything one erasure takes."""

    #: ids of claims, evidence and artefacts in the order found
    nodes: dict[str, None] = field(default_factory=dict)
    #: ids of other records whose content goes and which still count: verdicts, reads, reasons, sources, shared evidence
    blanked: dict[str, None] = field(default_factory=dict)
    #: ids of records that name the subject in their text and are not reached; for a person to decide
    mentions: list[str] = field(default_factory=list)
    #: entities that go as a whole: what was decided about them (freezes, holds) goes with its reasons
    entities: frozenset[str] = frozenset()
    #: sources of evidence among the nodes, whether or not other evidence of theirs remains
    every_source: frozenset[str] = frozenset()
    #: sources none of whose evidence remains
    sources: list[str] = field(default_factory=list)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self.nodes or identifier in self.blanked

    @property
    def ids(self) -> list[str]:
        """All records whose content goes."""
        return [*self.nodes, *self.blanked]


def records(ledger: Ledger) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Yield (transaction, scope, record without its sealed fields) of a whole ledger."""
    for row in ledger.rows():
        entry = json.loads(row.body)
        for record in entry["records"]:
            yield row.seq, entry["scope"], record


class Episodes:
    """Which claims and evidence came from which episode: requests to `remember` name their verdicts after each other."""

    def __init__(self, tenant: Tenant) -> None:
        verdicts: dict[str, tuple[str | None, str | None]] = {}
        texts: list[tuple[str, str]] = []
        for _, _, record in records(tenant.ledger):
            if record["record"] == "verdict":
                verdicts[record["id"]] = (record["claim_id"], record["evidence_id"])
                if record["artefact_id"] is not None:
                    texts.append((record["id"], record["artefact_id"]))
        #: claim -> episodes whose text says it
        self.of_claim: dict[str, list[str]] = {}
        #: episode -> evidence that was cut from its text
        self.evidence: dict[str, list[str]] = {}
        for verdict, artefact in texts:
            number = 0
            while found := verdicts.get(tenant.names.request("vrd", "extracted", verdict, str(number))):
                claim, evidence = found
                if claim is not None:
                    self.of_claim.setdefault(claim, []).append(artefact)
                if evidence is not None:
                    self.evidence.setdefault(artefact, []).append(evidence)
                number += 1


def close_over(
    tenant: Tenant,
    roots: Iterable[str],
    *,
    mine: Callable[[str], bool],
    names: Sequence[str] = (),
    mentions: bool = False,
) -> Closure:
    """Return what has to go with some nodes.

    Args:
        tenant: the open tenant.
        roots: claims, evidence and artefacts.
        mine: whether what lies in a scope may be taken for its words alone: what others wrote is theirs to erase.
        names: names whose every mention is looked for.
        mentions: take what mentions a name as well, instead of listing it.
    """
    found = Closure(entities=frozenset(tenant.names.entity(name) for name in names))
    scopes = {record["id"]: scope for _, scope, record in records(tenant.ledger)} if names else {}
    episodes = Episodes(tenant)
    start = list(roots)
    for one in start:
        start += [each for each in episodes.evidence.get(one, ()) if each not in start]
    wanted = [match_form(name) for name in names]
    named = _naming(tenant.ledger, wanted) if wanted else {}
    named = {one: kind for one, kind in named.items() if mine(scopes.get(one, ""))}
    if mentions:
        start += [one for one in named if kind_of(one) in ("claim", "artefact")]
    _spread(tenant, found, start, episodes)
    _blank(tenant, found, mine)
    for one, kind in named.items():
        if one in found:
            continue
        if mentions or kind == "retrieval":
            found.blanked[one] = None
        else:
            found.mentions.append(one)
    return found


def _spread(tenant: Tenant, found: Closure, start: Iterable[str], episodes: Episodes) -> None:
    """Follow derivation and exposure until nothing is added."""
    ahead = list(dict.fromkeys(start))
    while ahead:
        fresh = [one for one in ahead if one not in found.nodes]
        found.nodes.update(dict.fromkeys(fresh))
        ahead = []
        for one in fresh:
            ahead += episodes.of_claim.get(one, ())
            ahead += _said_in_support(tenant, found, one)
            ahead += _written_after(tenant, one)
            ahead += _made_from(tenant, found, one)
        ahead = [one for one in ahead if one not in found.nodes]  # what is there already must not end the search
        if not ahead and fresh:
            changes = {one: "erased" for one in found.nodes if tenant.book.status(one) != "erased"}
            ahead = [one for one in consequences(tenant, changes).fallen if one not in found.nodes]
            ahead += [one for one in found.blanked if _supports_nothing_else(tenant, found, one)]


def _said_in_support(tenant: Tenant, found: Closure, node: str) -> Iterator[str]:
    """Yield the evidence that supports nothing but what goes; evidence shared with others keeps its place."""
    for backer in tenant.graph.justifications(node):
        for needed in backer.justification.requires:
            if kind_of(needed) != "evidence" or needed in found.nodes:
                continue
            if _supports_nothing_else(tenant, found, needed):
                yield needed
            else:
                found.blanked[needed] = None


def _made_from(tenant: Tenant, found: Closure, node: str) -> Iterator[str]:
    """Yield the texts made from a node, and the claims that rest on nothing but what goes, whether or not they stand.

    What was rejected, revoked or is held has its content still; support says nothing of it, so it is asked for here.
    """
    for reach in tenant.graph.descendants(node):
        if reach.depth != 1 or reach.id in found.nodes or tenant.book.status(reach.id) == "erased":
            continue
        backers = tenant.graph.justifications(reach.id)
        if backers and all(
            any(needed in found.nodes for needed in backer.justification.requires) for backer in backers
        ):
            yield reach.id


def _supports_nothing_else(tenant: Tenant, found: Closure, evidence: str) -> bool:
    return all(reach.id in found.nodes for reach in tenant.graph.descendants(evidence) if reach.depth == 1)


def _written_after(tenant: Tenant, node: str) -> Iterator[str]:
    """Yield the texts that a session wrote after it was shown the node."""
    for view in tenant.graph.exposures(node):
        session = view.retrieval.session_id
        if session is None:
            continue
        for one in tenant.graph.session_artefacts(session):
            written = tenant.graph.artefact(one)
            if written is None or not same_session(view.retrieval.scope, written.artefact.scope):
                continue
            if written.seq > view.seq and written.artefact.kind != "episode":
                yield one


def _blank(tenant: Tenant, found: Closure, mine: Callable[[str], bool]) -> None:
    """Add the records that repeat content of the nodes: verdicts, reads that showed them, reasons, their sources."""
    kept: set[str] = set()
    gone: dict[str, None] = {}
    source_of: dict[str, str] = {}
    others = set[str]()
    for _, scope, record in records(tenant.ledger):
        one = record["id"]
        if record["record"] == "evidence":
            source_of[one] = record["source_id"]
            if one in found.nodes:
                gone[record["source_id"]] = None
            else:
                kept.add(record["source_id"])
                others |= set() if mine(scope) else {one}
        elif (
            any(each in found.nodes for each in _about(record))
            or any(each in found for each in _noted(tenant.ledger, record))
            or (mine(scope) and _decides(tenant, found, scope, record))
        ):
            found.blanked[one] = None
    found.every_source = frozenset(gone)
    found.sources = [one for one in gone if one not in kept]
    found.blanked.update(dict.fromkeys(found.sources))
    for one in _same_words(tenant, found, source_of):
        if one not in others:
            found.blanked[one] = None
    for one in found.nodes:
        found.blanked.pop(one, None)


def _about(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a record repeats content of."""
    match record["record"]:
        case "verdict":
            return (record["claim_id"], record["evidence_id"], record["artefact_id"])
        case "retrieval":
            return (*record["shown"], *(left for left, _ in record["left_out"]))
        case "status":
            return (record["target"],)
        case "supersession":
            return (record["winner"], record["loser"])
        case _:
            return ()


def _noted(ledger: Ledger, record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids in a note on a review or an audit: who decided about what, and why."""
    if record["record"] != "note" or record["about"] not in _ON_NODES or "commitment" not in record:
        return
    body = json.loads(ledger.content(record["commitment"]) or "{}").get("body")
    if body is not None:
        yield from strings(body)


def _decides(tenant: Tenant, found: Closure, scope: str, record: Mapping[str, Any]) -> bool:
    """Return whether a record is a decision of a scope (a freeze, a hold) about something that goes as a whole."""
    return record["record"] == "status" and any(
        record["target"] == tenant.names.within(scope, each) for each in found.entities
    )


def _same_words(tenant: Tenant, found: Closure, source_of: Mapping[str, str]) -> Iterator[str]:
    """Yield remaining evidence that quotes the very sentence of evidence that goes: one sentence, two claims.

    Only of the same source: what another document says in the same words is its own.
    """
    quotes: set[tuple[str, str]] = set()
    others: list[tuple[str, tuple[str, str]]] = []
    for one, text in tenant.ledger.sealed():
        if kind_of(one) == "evidence":
            quote = json.loads(text)["quote"]
            if quote is not None and len(quote) >= _SENTENCE:
                said = (source_of.get(one, ""), match_form(quote))
                if one in found.nodes:
                    quotes.add(said)
                elif one not in found.blanked:
                    others.append((one, said))
    yield from (one for one, said in others if said in quotes)


def _naming(ledger: Ledger, names: list[str]) -> dict[str, str]:
    """Return the records whose text holds one of the names as whole words, with their kinds."""
    found: dict[str, str] = {}
    for one, text in ledger.sealed():
        # the short way for what is plainly in one form already; the long one takes half a millisecond a page
        held = text.lower() if text.isascii() else match_form("\n".join(strings(text)))
        if any(holds(held, name) for name in names):
            found[one] = kind_of(one) or ""
    return found


def holds(text: str, name: str) -> bool:
    """Return whether a text holds a name as whole words; both in their match form."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        start = text.find(name, start + 1)
    return False
