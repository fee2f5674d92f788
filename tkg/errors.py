"""Errors by what the caller can do: fix the request, ask for permission, or repair the store.

Every error of tkg is a `TkgError` with a stable `code` (listed in `CODES`) and the exit code the command
line answers with. Messages never contain refused content or secrets: they name the field, the limit and
the next step.
"""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, int]] = {
    # 2: the request is wrong; change it
    "invalid_scope": 2,
    "scope_required": 2,
    "invalid_time": 2,
    "invalid_interval": 2,
    "invalid_text": 2,
    "invalid_predicate": 2,
    "invalid_request": 2,
    "too_large": 2,
    "not_found": 2,
    "unsupported": 2,
    "model_mismatch": 2,
    # 2: a language model that was asked to read a text gave nothing that can be used
    "model_refused": 2,
    "model_answer": 2,
    "model_unavailable": 2,
    "model_rate_limited": 2,
    # 3: the request is well formed and policy says no
    "rejected": 3,
    "held": 3,
    "frozen": 3,
    "not_permitted": 3,
    "legal_hold": 3,
    "conflict": 3,
    # 4: the store is busy or needs repair
    "busy": 4,
    "damaged": 4,
    "newer_format": 4,
    "disk_full": 4,
    "embedder_failed": 4,
}


class TkgError(Exception):
    """Root of all errors of tkg.

    Args:
        message: one sentence that says what happened and what to do.
        code: one of `CODES`.
    """

    code: str = "damaged"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        if self.code not in CODES:
            raise AssertionError(f"unknown error code {self.code!r}")

    @property
    def exit_code(self) -> int:
        """Exit code of the command line for this error (2, 3 or 4)."""
        return CODES[self.code]


class RequestError(TkgError):
    """The request is wrong: change it and try again (exit 2)."""

    code = "invalid_request"


class ScopeRequired(RequestError):
    """A read or write without a scope; scopes are never defaulted."""

    code = "scope_required"


class InvalidScope(RequestError):
    """A tenant or user id outside `[a-z0-9][a-z0-9-]{0,62}`."""

    code = "invalid_scope"


class InvalidTime(RequestError):
    """A time that cannot be read, or a clock time without a zone."""

    code = "invalid_time"


class InvalidInterval(RequestError):
    """An interval that is empty or ends before it starts."""

    code = "invalid_interval"


class InvalidText(RequestError):
    """Text with a lone surrogate, a NUL, or nothing in it."""

    code = "invalid_text"


class InvalidPredicate(RequestError):
    """A missing or malformed predicate or predicate declaration."""

    code = "invalid_predicate"


class TooLarge(RequestError):
    """A field over its size limit."""

    code = "too_large"


class NotFound(RequestError):
    """No such tenant, id or file."""

    code = "not_found"


#: where ids are told; the end of every sentence that says that there is no such one
IDS: Final = "`recall`, `show SUBJECT` and `review` tell ids"


class Unsupported(RequestError):
    """The engine, format or platform cannot do this; the message names the extra or the alternative."""

    code = "unsupported"


class ModelMismatch(RequestError):
    """The stored vectors were made by another model; vectors of two models are never compared."""

    code = "model_mismatch"


class ModelError(RequestError):
    """A language model gave nothing that can be used; nothing was written. Repeat the request, or use the rules."""

    code = "model_answer"


class ModelRefused(ModelError):
    """The model declined to read this text; others may still work."""

    code = "model_refused"


class ModelAnswer(ModelError):
    """The model's answer is not of the form that was asked for, also not the second time; others may still work."""

    code = "model_answer"


class ModelUnavailable(ModelError):
    """The model's server cannot be reached, failed, or does not accept the request; no other text would work."""

    code = "model_unavailable"


class ModelRateLimited(ModelUnavailable):
    """The model's server asks to wait, also after the client has waited; go on later."""

    code = "model_rate_limited"


class PolicyError(TkgError):
    """Policy says no (exit 3)."""

    code = "not_permitted"


class Rejected(PolicyError):
    """The write gate refused the candidate."""

    code = "rejected"


class Held(PolicyError):
    """The candidate waits for a person."""

    code = "held"


class Frozen(PolicyError):
    """The scope, subject or predicate is frozen."""

    code = "frozen"


class NotPermitted(PolicyError):
    """The channel or principal may not do this."""

    code = "not_permitted"


class LegalHold(PolicyError):
    """The content is under legal hold."""

    code = "legal_hold"


class Conflict(PolicyError):
    """The state changed since the caller looked: an expected digest or state did not match."""

    code = "conflict"


class StoreError(TkgError):
    """The store is busy or needs repair (exit 4)."""

    code = "damaged"


class Busy(StoreError):
    """Another process owns the tenant; the message names its process id."""

    code = "busy"


class Damaged(StoreError):
    """Integrity check failed; the message names the file and the command that repairs it."""

    code = "damaged"


class NewerFormat(StoreError):
    """The store was written by a newer version of tkg."""

    code = "newer_format"


class DiskFull(StoreError):
    """No space left; nothing was acknowledged."""

    code = "disk_full"


class EmbedderFailed(StoreError):
    """The embedder cannot be reached or answers nonsense; recall goes on without it and says so."""

    code = "embedder_failed"
