"""Idempotency keys: a request repeated with its key finds the first answer, and a key is of one request only."""

from __future__ import annotations

from typing import Final

from tkg.memory.caller import Caller
from tkg.memory.tenant import Tenant
from tkg.memory.told import told
from tkg.model.verdict import Verdict
from tkg.text import MAX_NAME

OTHER_REQUEST: Final = "this idempotency key was used for another request; use a new key for a new request"


def request_id(tenant: Tenant, caller: Caller, verb: str, key: str, kind: str = "vrd") -> str:
    """Return the id of the answer to a request: its scope, its principal and its verb make keys their own.

    Raises:
        InvalidText, TooLarge: the key is no text, or too long. Rejected: it holds what is never stored.
    """
    _, principal = caller.speaking()
    return tenant.names.request(kind, caller.scope.path, principal, verb, told(key, "idempotency_key", limit=MAX_NAME))


def same_request(before: Verdict, candidate: str) -> bool:
    """Return whether an earlier verdict was on the same content, by its keyed digest."""
    return before.candidate == candidate
