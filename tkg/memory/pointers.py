"""Where to look: what memory keeps of live state instead of a value that is wrong the moment it changes."""

from __future__ import annotations

from tkg.gate import Judgement
from tkg.memory.tenant import Tenant
from tkg.model.artefact import Artefact
from tkg.model.document import Candidate
from tkg.model.entry import Record
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.text import match_form

#: code of the refusal that leaves a pointer
LOOK_IT_UP = "look_it_up"


def look_up(subject: str, predicate: Predicate) -> str | None:
    """Return where the live state of a subject is asked for, as one readable phrase; None where nothing is live."""
    if not predicate.live:
        return None
    places = [predicate.tool or ", ".join(predicate.system_of_record)]
    if predicate.query is not None:
        places.append(predicate.query.replace("{subject}", subject))
    return ": ".join(place for place in places if place) or "its own system"


def pointer(
    tenant: Tenant, candidate: Candidate, predicate: Predicate, label: Channel, judged: Judgement
) -> list[Record]:
    """Return the record that a refused value leaves: subject, predicate, tool and query, never the value.

    One for each subject and predicate of a scope, and only where being live was all that was wrong.
    """
    wrong = {one.code for one in judged.checks if one.outcome in ("reject", "hold", "quarantine")}
    if wrong != {LOOK_IT_UP}:
        return []
    place = look_up(candidate.subject, predicate)
    names = (match_form(candidate.subject), match_form(candidate.predicate))
    identifier = tenant.names.request("art", "pointer", candidate.scope, *names)
    if place is None or tenant.graph.artefact(identifier) is not None:
        return []
    meta = {"subject": candidate.subject, "predicate": candidate.predicate}
    meta |= {key: value for key, value in (("tool", predicate.tool), ("query", predicate.query)) if value is not None}
    return [
        Artefact(
            id=identifier,
            scope=candidate.scope,
            kind="pointer",
            label=label,
            observed_at=tenant.now(),
            content=f"{candidate.subject} · {candidate.predicate}: look it up with {place}",
            meta=meta,
        )
    ]
