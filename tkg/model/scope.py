"""Scope, channel and handle identity: who is asking and what they may see."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, Self

from pydantic import model_validator

from tkg.errors import InvalidScope, ScopeRequired
from tkg.model.base import Value

_SEGMENT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
#: names a file system or this package keeps for itself
_RESERVED: Final = frozenset({"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))})
#: the tenant that every tenant reads and only a promotion by a person writes
GLOBAL: Final = "global"


class Channel(StrEnum):
    """How a statement reached the gate; fixes its class. Set by the embedding program, never by text or a model."""

    SYSTEM_OF_RECORD = "system_of_record"
    HUMAN_VERIFIED = "human_verified"
    HUMAN_STATED = "human_stated"
    TRUSTED_TOOL = "trusted_tool"
    AGENT_INFERRED = "agent_inferred"
    EXTERNAL = "external"

    @property
    def rank(self) -> int:
        """Integrity: 5 for system_of_record down to 0 for external."""
        return _RANKS[self]


_RANKS: Final = {channel: 5 - place for place, channel in enumerate(Channel)}


def check_segment(value: object, what: str) -> str:
    """Return a tenant or user id, or refuse it.

    Raises:
        ScopeRequired: missing or empty.
        InvalidScope: outside `[a-z0-9][a-z0-9-]{0,62}` or a reserved device name.
    """
    if value is None or value == "" or value == [] or value == [""]:
        raise ScopeRequired(f"a {what} is required; open a handle with memory.scope(tenant=…)")
    if not isinstance(value, str) or not _SEGMENT.fullmatch(value) or value in _RESERVED:
        raise InvalidScope(
            f"the {what} id must be 1 to 63 characters of a-z, 0-9 and '-', starting with a letter or digit"
        )
    return value


class Scope(Value):
    """`tenant` or `tenant/user`. Compared segment by segment, never as the beginning of a string."""

    tenant: str
    user: str | None = None

    @model_validator(mode="after")
    def _checked(self) -> Self:
        check_segment(self.tenant, "tenant")
        if self.user is not None:
            check_segment(self.user, "user")
        return self

    @classmethod
    def parse(cls, path: object) -> Scope:
        """Read `tenant[/user]`.

        Raises:
            ScopeRequired: nothing was given.
            InvalidScope: not of that form.
        """
        if not isinstance(path, str) or not path:
            check_segment(path if not isinstance(path, str) else "", "tenant")
            raise InvalidScope("a scope is text of the form tenant or tenant/user")
        tenant, slash, user = path.partition("/")
        if slash and not user:
            raise InvalidScope("the scope ends in '/'; write tenant or tenant/user")
        return cls(tenant=check_segment(tenant, "tenant"), user=check_segment(user, "user") if slash else None)

    @property
    def path(self) -> str:
        """`tenant` or `tenant/user`."""
        return self.tenant if self.user is None else f"{self.tenant}/{self.user}"

    @property
    def visible(self) -> tuple[str, ...]:
        """Paths a reader in this scope sees, the narrowest first."""
        return (self.tenant,) if self.user is None else (self.path, self.tenant)

    def __str__(self) -> str:
        return self.path
