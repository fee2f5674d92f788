"""`predicates`: what is declared about predicates, what comes with tkg, and what could be declared."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

from tkg.belief.mining import Suggestion, as_toml
from tkg.cli.command import Command
from tkg.cli.opening import reading
from tkg.cli.options import AsOf, Engine, EngineChoice, Json, Store, Tenant, User, transaction
from tkg.cli.screen import print_json, print_line, print_table
from tkg.memory.predicates import DeclaredPredicate
from tkg.memory.settings import shipped


class What(StrEnum):
    """What is listed."""

    DECLARED = "list"
    SUGGEST = "suggest"
    SHIPPED = "shipped"


def predicates(
    store: Store,
    tenant: Tenant,
    what: Annotated[
        What, typer.Argument(metavar="[list|suggest|shipped]", help="Declared, worth declaring, or shipped.")
    ] = What.DECLARED,
    user: User = None,
    as_of: AsOf = None,
    least_support: Annotated[
        int, typer.Option("--least-support", min=1, help="Suggest: fewest cases that say something.")
    ] = 5,
    least_confidence: Annotated[
        float, typer.Option("--least-confidence", min=0.01, max=1.0, help="Suggest: least share of cases that agree.")
    ] = 0.95,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """List the declared predicates, mine suggestions from what is stored, or show the sets that come with tkg.

    A suggestion takes effect only when a person writes it into tkg.toml; the next opening records it in the ledger, and
    a replay of an earlier day still reads by the declarations of that day. With suggest exit 1 when there is something.
    """
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        if what is What.SUGGEST:
            found = handle.suggest_predicates(least_support=least_support, least_confidence=least_confidence)
            _suggested(found, json)
            return 1 if found else 0
        listed = handle.predicates(as_of=transaction(as_of)) if what is What.DECLARED else _shipped()
    if json:
        print_json("tkg.predicates/1", {"count": len(listed), "items": [one.model_dump(mode="json") for one in listed]})
    elif not listed:
        print_line("No predicate is declared, and there are no claims.")
    else:
        print_table(["predicate", "declared", "since", "claims"], [_row(one) for one in listed], whole=(0,))
    return 0


def _shipped() -> list[DeclaredPredicate]:
    return [
        DeclaredPredicate(
            name=f"{part}.{name}",
            declared=True,
            keys=one.model_dump(mode="json", exclude_defaults=True, exclude={"name"}),
        )
        for part, registry in shipped().items()
        for name, one in registry.predicates.items()
    ]


def _row(one: DeclaredPredicate) -> tuple[str, str, str, str]:
    keys = ", ".join(f"{key}: {_told(value)}" for key, value in one.keys.items())
    return (
        one.name,
        keys if one.declared else "no (many values)",
        f"tx:{one.since}" if one.since else "",
        str(one.claims),
    )


def _told(value: object) -> str:
    """Return a setting as a person would write it: no brackets, no True."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _suggested(found: list[Suggestion], json: bool) -> None:
    if json:
        items = [{**one._asdict(), "confidence": round(one.confidence, 6)} for one in found]
        print_json("tkg.predicates.suggest/1", {"count": len(found), "items": items, "toml": as_toml(found)})
    elif not found:
        print_line("Nothing that is stored speaks for a declaration.")
    else:
        rows = [
            (
                f"{one.predicate}: {one.key} = {one.value}",
                f"{one.holds} of {one.support}",
                "; ".join(one.examples),
                "; ".join(one.against),
            )
            for one in found
        ]
        print_table(["suggestion", "holds in", "for example", "but"], rows)
        print_line("Written into tkg.toml, this declares them:")
        print_line(as_toml(found))


COMMANDS: Final = (
    Command("predicates", predicates, "tkg predicates suggest --store ./memory --tenant acme --least-support 10"),
)
