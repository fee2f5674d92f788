"""`skills`: the skills of a scope, and where those that stand lie as files."""

from __future__ import annotations

from typing import Final

from tkg.cli.command import Command
from tkg.cli.opening import reading
from tkg.cli.options import Engine, EngineChoice, Json, Store, Tenant, User
from tkg.cli.screen import print_json, print_line, print_table


def skills(
    store: Store, tenant: Tenant, user: User = None, engine: EngineChoice = Engine.AUTO, json: Json = False
) -> None:
    """List the skills of a scope: whether each stands, its class, and the folder its SKILL.md lies in.

    `skills = "FOLDER"` at the top of tkg.toml keeps such a folder. A skill whose support dies leaves it in the same
    operation, and comes back when it stands again.
    """
    with reading(store, engine) as memory:
        found = memory.scope(tenant, user).skills()
    if json:
        print_json("tkg.skills/1", {"count": len(found), "items": [one.model_dump(mode="json") for one in found]})
    elif not found:
        print_line("There are no skills.")
    else:
        rows = [(one.name, one.id, "stands" if one.live else "does not stand", one.label, one.path) for one in found]
        print_table(["skill", "id", "state", "class", "folder"], rows, whole=(1,))


COMMANDS: Final = (Command("skills", skills, "tkg skills --store ./memory --tenant acme"),)
