"""Evidence from the options of a command."""

from __future__ import annotations

from tkg.errors import RequestError
from tkg.model.evidence import Evidence


def evidence_of(
    uri: str | None,
    version: str | None = None,
    quote: str | None = None,
    locator: str | None = None,
    owner: str | None = None,
    copy_of: str | None = None,
) -> Evidence | None:
    """Return what was given as evidence, or None when nothing was.

    Raises:
        RequestError: details without `--uri`.
    """
    if uri is not None:
        return Evidence.build(uri=uri, version=version, quote=quote, locator=locator, owner=owner, copy_of=copy_of)
    if any(one is not None for one in (version, quote, locator, owner, copy_of)):
        raise RequestError("evidence needs --uri: the file, URL or message it can be fetched from again")
    return None
