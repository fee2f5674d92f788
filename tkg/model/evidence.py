"""Sources and evidence: who said it, where it can be fetched again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import ValidationError, field_validator

from tkg.model.base import Value, refusal
from tkg.model.scope import Channel
from tkg.model.time import Instant
from tkg.text import MAX_NAME, MAX_TEXT, clean


class Evidence(Value):
    """What a caller offers as evidence: enough to fetch it again.

    Args:
        uri: file, URL, message id or `config.yaml#/pointer`.
        version: document version, commit or digest.
        quote: the words relied on, verbatim.
        locator: page, line, `chars=10-42` or a JSON pointer.
        owner: who answers for the source.
        copy_of: uri this one was copied from; a copy never counts beside its original.
        extractor: what read the quote out of the text: name, version, model and its digest.
    """

    uri: str
    version: str | None = None
    quote: str | None = None
    locator: str | None = None
    owner: str | None = None
    copy_of: str | None = None
    extractor: str | None = None

    if not TYPE_CHECKING:

        def __init__(self, **fields: object) -> None:
            """Make it, or raise `RequestError`: pydantic's own error would repeat what was given."""
            try:
                super().__init__(**fields)
            except ValidationError as error:
                raise refusal(type(self), error) from None

    @field_validator("uri", "version", "locator", "owner", "copy_of", "extractor", mode="before")
    @classmethod
    def _name(cls, value: Any) -> str | None:
        return None if value is None else clean(value, "evidence", limit=MAX_NAME)

    @field_validator("quote", mode="before")
    @classmethod
    def _quote(cls, value: Any) -> str | None:
        return None if value is None else clean(value, "quote", limit=MAX_TEXT)


class Source(Value):
    """A document, system or conversation that evidence comes from; one node per uri and tenant."""

    record: Literal["source"] = "source"
    sealed: ClassVar[frozenset[str]] = frozenset({"uri", "owner"})
    id: str
    uri: str | None
    owner: str | None = None


class StoredEvidence(Value):
    """One piece of evidence as the ledger keeps it. Base of support: it stands until its status says otherwise.

    `channel` is its class, fixed at the write; `origin` the root it counts as in corroboration (a keyed digest of
    principal, channel and upstream document); `system_of_record` whether its source is the declared one for the
    predicate and scope it was written for.
    """

    record: Literal["evidence"] = "evidence"
    sealed: ClassVar[frozenset[str]] = frozenset({"version", "quote", "locator", "principal", "session", "extractor"})
    id: str
    scope: str
    source_id: str
    channel: Channel
    system_of_record: bool = False
    origin: str
    principal_id: str
    session_id: str | None = None
    observed_at: Instant
    #: id of the source this evidence was copied from
    copy_of: str | None = None
    version: str | None = None
    quote: str | None = None
    locator: str | None = None
    principal: str | None = None
    session: str | None = None
    #: what read the quote out of the text; None for what was stated as a claim
    extractor: str | None = None
