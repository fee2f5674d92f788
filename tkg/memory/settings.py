"""Reading `tkg.toml`: the three policies in one file."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tkg.errors import RequestError
from tkg.model.policy import ForgetPolicy, Policies, ReadPolicy, WritePolicy
from tkg.model.predicate import Registry


def read_policies(path: Path | None) -> Policies:
    """Read the policies of a store.

    The file has the tables `[write]`, `[read]`, `[forget]` (fields of the policy objects) and `[predicates.NAME]`.

    Args:
        path: `tkg.toml`, or None; a missing file gives the defaults.

    Raises:
        RequestError: not TOML, or an unknown table or field; the message names it.
    """
    if path is None or not path.exists():
        return Policies()
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{path.name} cannot be read: {error}") from None
    unknown = set(text) - {"write", "read", "forget", "predicates"}
    if unknown:
        raise RequestError(f"{path.name}: unknown table {min(unknown)}; use write, read, forget or predicates")
    registry = Registry.of(text.get("predicates", {}))
    return Policies(
        write=WritePolicy.build(registry=registry, **text.get("write", {})),
        read=ReadPolicy.build(**text.get("read", {})),
        forget=ForgetPolicy.build(**text.get("forget", {})),
    )
