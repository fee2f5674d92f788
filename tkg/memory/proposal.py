"""A request to `propose`, checked for form before a tenant is opened, so that bad input touches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tkg.errors import RequestError
from tkg.model.claim import Polarity
from tkg.model.document import Modality
from tkg.model.evidence import Evidence
from tkg.model.predicate import check_predicate
from tkg.model.time import Interval, When, parse_observed
from tkg.text import MAX_NAME, clean, names_in, safe_text


@dataclass(frozen=True, slots=True)
class Proposal:
    """The fields of a proposal in their checked form."""

    subject: str
    predicate: str
    object: str
    polarity: Polarity
    valid_from: When
    valid_to: When
    observed_at: When
    evidence: Evidence | None
    depends_on: tuple[str, ...]
    modality: Modality
    idempotency_key: str | None
    expected_digest: str | None
    #: whether somebody said when it was observed; a request that says nothing is observed when it is written
    dated: bool = True

    @classmethod
    def from_mapping(cls, fields: Any) -> Proposal:
        """Check a proposal given as a mapping of its fields.

        Raises:
            RequestError: it is no mapping with the names of fields.
        """
        if not isinstance(fields, Mapping) or not all(isinstance(name, str) for name in fields):
            raise RequestError("a claim takes a mapping with subject, predicate, object; see Handle.propose")
        return cls.read(**fields)

    @classmethod
    def read(cls, **fields: Any) -> Proposal:
        """Check the fields of a proposal; see `Handle.propose` for them and the errors."""
        unknown = set(fields) - (set(cls.__dataclass_fields__) - {"dated"})
        if unknown:
            name = safe_text(min(unknown, key=str)[:40], one_line=True)
            raise RequestError(f"unknown field '{name}'; see Handle.propose for the fields of a claim")
        evidence = fields.get("evidence")
        if evidence is not None and not isinstance(evidence, Evidence):
            raise RequestError("evidence must be a tkg.Evidence(uri=…)")
        said = fields.get("polarity", "positive"), fields.get("modality", "asserted")
        try:
            # what is no text is not asked for: the enumeration's error would print it
            named = [one if isinstance(one, str) else "" for one in said]
            polarity, modality = Polarity(named[0]), Modality(named[1])
        except ValueError:
            raise RequestError(
                "polarity is positive or negative, modality asserted, hedged, planned, reported, …"
            ) from None
        key, expected = fields.get("idempotency_key"), fields.get("expected_digest")
        proposal = cls(
            subject=clean(fields.get("subject", ""), "subject", limit=MAX_NAME).strip(),
            predicate=check_predicate(fields.get("predicate")),
            object=clean(fields.get("object", ""), "object").strip(),
            polarity=polarity,
            valid_from=fields.get("valid_from"),
            valid_to=fields.get("valid_to"),
            observed_at=fields.get("observed_at"),
            evidence=evidence,
            depends_on=names_in(fields.get("depends_on", ()), "depends_on"),
            modality=modality,
            idempotency_key=None if key is None else clean(key, "idempotency_key", limit=MAX_NAME),
            expected_digest=None if expected is None else clean(expected, "expected_digest", limit=MAX_NAME),
            dated=fields.get("observed_at") is not None,
        )
        if proposal.observed_at is not None:
            parse_observed(proposal.observed_at)
        # without a start the interval begins at `observed_at`, which is not known yet: then only the end is read
        start = ".." if proposal.valid_from is None else proposal.valid_from
        Interval.make(start, proposal.valid_to, default_from=0)
        return proposal
