"""`tkg.open`: opens a store, or makes one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tkg.clock import Clock
from tkg.extractors.contract import Extractor
from tkg.ids import Ids
from tkg.index.port import Embedder
from tkg.memory.at_use import Verifier
from tkg.memory.store import Memory
from tkg.model.policy import Policies


def open_memory(
    path: str | os.PathLike[str] | None,
    *,
    clock: Clock | None = None,
    ids: Ids | None = None,
    engine: str = "auto",
    policies: Policies | None = None,
    read_only: bool = False,
    graph_file_above: int = 2_000,
    count_tokens: Callable[[str], int] | None = None,
    verifiers: Sequence[Verifier] = (),
    skills: str | os.PathLike[str] | None = None,
    embedder: Embedder | None = None,
    extractor: Extractor | None = None,
) -> Memory:
    """Open a store, creating the directory at the first use.

    Args:
        path: the store's directory; None keeps everything in memory.
        clock: what tells the time (default: the machine's).
        ids: what makes ids (default: random).
        engine: "auto" (ladybug where installed, else kuzu), "kuzu", "ladybug", or "memory" (plain Python, the reference).
        policies: the three policies; default: `tkg.toml` in the directory, else sound defaults.
        read_only: read the ledger beside a running owner; nothing is recorded, so `recall` is refused.
        graph_file_above: number of ledger entries above which a tenant's graph lives in a file, which opens at once. Up to it the
            graph is made in memory at each opening, at about a millisecond an entry, and takes no place on disk.
        count_tokens: counts what `token_budget` bounds; default: an estimate from the bytes.
        verifiers: ask the sources of claims of high consequence when recall shows them; see `tkg.memory.at_use`.
        skills: folder in which the skills that stand lie as `SKILL.md` (default: what `tkg.toml` names, or none).
        embedder: finds by meaning as well; see `tkg.embedding` (default: what `tkg.toml` names, or none).
        extractor: what reads texts for `remember` (default: the rules); see `tkg.extractors.extractor_named`.

    Raises:
        NewerFormat: written by a newer tkg.
        RequestError: the path cannot be a store.
    """
    return Memory(
        path,
        clock=clock,
        ids=ids,
        engine=engine,
        policies=policies,
        read_only=read_only,
        graph_file_above=graph_file_above,
        count_tokens=count_tokens,
        verifiers=verifiers,
        skills=skills,
        embedder=embedder,
        extractor=extractor,
    )
