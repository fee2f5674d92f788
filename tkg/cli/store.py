"""`init`: the store itself."""

from __future__ import annotations

from typing import Annotated, Final

import typer

import tkg
from tkg.cli.command import Command
from tkg.cli.opening import check_path
from tkg.cli.options import Engine, EngineChoice, Json, Store
from tkg.cli.screen import print_json, print_line


def init(
    store: Store,
    tenant: Annotated[
        list[str] | None, typer.Option("--tenant", metavar="ID", help="Also create this tenant; may be repeated.")
    ] = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Make a store, and tenants in it.

    An existing store is left as it is; a tenant that exists stays as it is. Policies and predicates are read from
    tkg.toml in the store's directory, where there is one.
    """
    with tkg.open(check_path(store), engine=engine) as memory:
        for one in tenant or ():
            memory.create_tenant(one)
        tenants = memory.tenants()
    if json:
        print_json("tkg.init/1", {"store": str(store), "tenants": tenants})
    else:
        print_line(f"Store ready: {store} (tenants: {', '.join(tenants) or 'none yet'})")


COMMANDS: Final = (Command("init", init, "tkg init --store ./memory --tenant acme"),)
