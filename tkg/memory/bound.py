"""What every part of the public face is bound to: a store and a caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tkg.errors import NotPermitted
from tkg.memory.caller import Caller
from tkg.memory.replicating import announce
from tkg.memory.tenant import Tenant
from tkg.model.scope import GLOBAL, Channel, Scope

if TYPE_CHECKING:
    from tkg.memory.store import Memory


class Bound:
    """A store and who is calling; each verb works on the open tenant under its lock."""

    def __init__(
        self, memory: Memory, scope: Scope, channel: Channel | None, principal: str | None, session: str | None
    ) -> None:
        self._memory = memory
        self._caller = Caller(scope, channel, principal, session)

    @property
    def scope(self) -> Scope:
        """The scope this handle is bound to."""
        return self._caller.scope

    @property
    def caller(self) -> Caller:
        """Who is calling; for the rooms of this package."""
        return self._caller

    @contextmanager
    def _reading(self) -> Iterator[Tenant]:
        with self._memory.using(self.scope.tenant) as tenant:
            yield tenant

    @contextmanager
    def _writing(self) -> Iterator[Tenant]:
        if self._memory.read_only:
            raise NotPermitted("the store was opened read-only; open it without read_only to write")
        with self._reading() as tenant:
            yield tenant
        if self.scope.tenant == GLOBAL:
            announce(self._memory)
