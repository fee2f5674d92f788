"""Reading `tkg.toml`: the three policies in one file."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from tkg.embedding import from_settings
from tkg.errors import RequestError, TkgError
from tkg.index.port import Embedder
from tkg.model.policy import ForgetPolicy, Policies, ReadPolicy, WritePolicy
from tkg.model.predicate import Registry
from tkg.text import match_form


def read_policies(path: Path | None) -> Policies:
    """Read the policies of a store.

    The file has `skills` (see `read_skills`), a list `shipped` (names of sets of declarations that come with tkg) and the tables `[embedding]` (see `tkg.embedding`), `[write]`, `[read]`, `[forget]` (fields of the policy objects) and `[predicates.NAME]`.

    Args:
        path: `tkg.toml`, or None; a missing file gives the defaults.

    Raises:
        RequestError: not TOML, or an unknown table or field; the message names it.
    """
    if path is None or not path.exists():
        return Policies()
    text = _read(path)
    unknown = set(text) - {"write", "read", "forget", "predicates", "shipped", "skills", "embedding"}
    if unknown:
        raise RequestError(
            f"{path.name}: unknown entry {min(unknown)}; use shipped, skills, embedding, write, read, forget or predicates"
        )
    registry = Registry.of(_declared(path.name, text))
    return Policies(
        write=WritePolicy.build(registry=registry, **text.get("write", {})),
        read=ReadPolicy.build(**text.get("read", {})),
        forget=ForgetPolicy.build(**text.get("forget", {})),
    )


def read_skills(path: Path | None) -> Path | None:
    """Return the folder for skills that a `tkg.toml` names with `skills = "…"`, seen from the file; None for none.

    Raises:
        RequestError: not TOML, or not text.
    """
    if path is None or not path.exists():
        return None
    folder = _read(path).get("skills")
    if folder is None:
        return None
    if not isinstance(folder, str) or not folder.strip() or "\x00" in folder:
        raise RequestError(f'{path.name}: skills names a folder, such as skills = "skills"')
    return path.parent / folder


def read_embedder(path: Path | None) -> Embedder | None:
    """Return the embedder that the table `[embedding]` of a `tkg.toml` describes; None for none.

    Raises:
        RequestError: not TOML, or an unknown kind or setting.
        Unsupported: a package is missing; the message names the extra.
    """
    if path is None or not path.exists():
        return None
    settings = _read(path).get("embedding")
    if settings is None:
        return None
    if not isinstance(settings, dict):
        raise RequestError(f'{path.name}: embedding is a table, such as [embedding] with kind = "static"')
    return from_settings(settings, path.parent)


def named_embedder(path: Path | None) -> tuple[Embedder | None, str]:
    """Return the embedder that a `tkg.toml` names, or none and why it cannot be had; "" where it names none."""
    try:
        return read_embedder(path), ""
    except TkgError as error:
        return None, str(error)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{path.name} cannot be read: {error}") from None


@cache
def shipped() -> dict[str, Registry]:
    """Return the sets of declarations that come with tkg, by name."""
    text = tomllib.loads(files("tkg.memory").joinpath("shipped.toml").read_text("utf-8"))
    return {name: Registry.of(tables) for name, tables in text.items()}


def _declared(file: str, text: dict[str, Any]) -> dict[str, Any]:
    """Return the declarations of a file: those of the sets it takes, then its own, which replace them.

    Raises:
        RequestError: there is no such set.
    """
    wanted = text.get("shipped", [])
    own: dict[str, Any] = text.get("predicates", {})
    if not isinstance(wanted, list) or not all(isinstance(name, str) for name in wanted):
        raise RequestError(f'{file}: shipped is a list of names, such as shipped = ["people"]')
    if unknown := sorted(set(wanted) - set(shipped())):
        raise RequestError(f"{file}: there is no set {unknown[0]!r}; choose from {', '.join(sorted(shipped()))}")
    forms = {match_form(name) for name in own}
    found = {name: one for part in wanted for name, one in shipped()[part].predicates.items()}
    taken = {
        name: one.model_dump(exclude_defaults=True, exclude={"name"})
        for name, one in found.items()
        if match_form(name) not in forms
    }
    return taken | own
