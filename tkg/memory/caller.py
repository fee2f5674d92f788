"""Who is calling: scope, channel, principal and session, all fixed when the handle was made."""

from __future__ import annotations

from dataclasses import dataclass

from tkg.errors import NotPermitted
from tkg.model.scope import GLOBAL, Channel, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """The identity behind a call; never an argument a model can set."""

    scope: Scope
    channel: Channel | None
    principal: str | None
    session: str | None

    def speaking(self) -> tuple[Channel, str]:
        """Return channel and principal of a call that writes.

        Raises:
            NotPermitted: the handle only reads.
        """
        if self.channel is None or self.principal is None:
            raise NotPermitted("this handle only reads; open one with memory.scope(tenant=…, channel=…, principal=…)")
        return self.channel, self.principal

    def stating(self) -> tuple[Channel, str]:
        """Return channel and principal of a call that says or keeps something new, where that is possible.

        Raises:
            NotPermitted: the handle only reads, or is the global tenant's.
        """
        if self.scope.tenant == GLOBAL:
            raise NotPermitted(
                "the global tenant is written only by a promotion: propose it in a tenant, and promote it from there "
                "(`tkg promote --to global`)"
            )
        return self.speaking()
