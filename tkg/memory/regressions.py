"""Reads that showed what was later revoked, as acceptance cases: the same mistake is tested for from then on.

Each case tells the story again in a store of its own: what was shown is proposed by the same classes of sources, the question
is asked, the claim that proved false is revoked, and the question is asked once more. What has been erased is left out, and
so is a read of which nothing can be told any more. The cases hold what people wrote: keep them like the store itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.visible import reaches
from tkg.model.artefact import Retrieval
from tkg.model.claim import Claim, Justification
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.time import FOREVER, Instant, iso


@dataclass
class _Written:
    """What the ledger holds, by id."""

    claims: dict[str, tuple[Claim, Instant]] = field(default_factory=dict)
    evidence: dict[str, StoredEvidence] = field(default_factory=dict)
    uris: dict[str, str | None] = field(default_factory=dict)
    backed: dict[str, str] = field(default_factory=dict)
    reads: list[tuple[Retrieval, Instant]] = field(default_factory=list)


def _written(tenant: Tenant) -> _Written:
    found = _Written()
    for entry in tenant.ledger.read_since(0):
        for record in entry.records:
            if isinstance(record, Claim):
                found.claims[record.id] = (record, entry.tx_time)
            elif isinstance(record, StoredEvidence):
                found.evidence[record.id] = record
            elif isinstance(record, Source):
                found.uris[record.id] = record.uri
            elif isinstance(record, Justification) and record.kind == "evidence":
                found.backed.setdefault(record.head, record.requires[0])
            elif isinstance(record, Retrieval):
                found.reads.append((record, entry.tx_time))
    return found


def regressions(tenant: Tenant, caller: Caller, of: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Return one case for each question that was answered with a claim that has been revoked since.

    The newest read of each question counts. The form is that of `tkg conform`.

    Args:
        tenant: the open tenant.
        caller: who asks.
        of: only reads that showed one of these (default: all).
    """
    written = _written(tenant)
    cases: dict[tuple[str, str], dict[str, Any]] = {}
    for read, moment in written.reads:
        if read.query is None or not reaches(caller, read.scope):
            continue
        if of is not None and not any(one in of for one in read.shown):
            continue
        steps = list(_steps(tenant, written, read))
        wrong = [step["claim"]["as"] for step, bad in steps if bad]
        if wrong:
            cases[(read.scope, read.query)] = _case(tenant, read, moment, [step for step, _ in steps], wrong)
    return [cases[key] for key in sorted(cases)]


def as_yaml(cases: list[dict[str, Any]]) -> str:
    """Return cases as the text of a case file."""
    text: str = yaml.safe_dump(cases, sort_keys=False, allow_unicode=False, width=100)
    return f"# Reads that showed what was revoked later; run them with `tkg conform`.\n{text}"


def _steps(tenant: Tenant, written: _Written, read: Retrieval) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the proposal of each shown claim that can still be told, oldest first, and whether it was revoked."""
    told = [(written.claims[one][1], one) for one in read.shown if one in written.claims]
    for number, (moment, one) in enumerate(sorted(told), 1):
        claim = written.claims[one][0]
        evidence = written.evidence.get(written.backed.get(one, ""))
        if claim.object is None or evidence is None:
            continue
        uri = written.uris.get(evidence.source_id)
        status = tenant.book.status(one)
        revoked = status == "revoked" or (status == "active" and tenant.book.support(one) == "unsupported")
        valid_to = None if claim.interval.valid_to >= FOREVER else iso(claim.interval.valid_to)
        yield (
            {
                "at": iso(moment),
                "claim": {
                    "as": f"c{number}",
                    "scope": claim.scope,
                    "channel": str(evidence.channel),
                    "principal": evidence.principal or "somebody",
                    "subject": claim.subject,
                    "predicate": claim.predicate,
                    "object": claim.object,
                    "polarity": str(claim.polarity),
                    "valid": [iso(claim.interval.valid_from), valid_to],
                    "observed_at": iso(evidence.observed_at),
                    "evidence": {"uri": uri or f"said:{evidence.principal or 'somebody'}"},
                },
            },
            revoked,
        )


def _case(
    tenant: Tenant, read: Retrieval, moment: Instant, steps: list[dict[str, Any]], wrong: list[str]
) -> dict[str, Any]:
    registry = tenant.policies.write.registry
    names = {step["claim"]["predicate"] for step in steps}
    single = {name: {"cardinality": "one"} for name in sorted(names) if registry.get(name).limit == 1}
    asked = {"scope": read.scope, "query": read.query, "k": read.k}
    revoked = [{"revoke": {"target": one, "scope": read.scope, "reason": "revoked there"}} for one in wrong]
    return {
        "id": f"regression-{read.id.replace('_', '-')}",
        "class": "recall",
        "clock": steps[0]["at"],
        **({"predicates": single} if single else {}),
        "steps": [
            *steps,
            {"at": iso(moment), "recall": {"as": "before", **asked}},
            *revoked,
            {"recall": {"as": "after", **asked}},
        ],
        "expect": [{"of": "after", "excludes": wrong}],
        "control": [{"of": "before", "returns": wrong}],
        "why": "A read showed this before it was revoked; it must not be shown again.",
    }
