"""Running many cases on several stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec

from tkg.conform.cases import Case
from tkg.conform.runner import STORES, Result, run_case
from tkg.conform.worker import Worker
from tkg.errors import RequestError


def default_stores() -> tuple[str, ...]:
    """Return the stores whose engines are installed, the reference first."""
    return tuple(name for name, engine in STORES.items() if engine == "memory" or find_spec(engine) is not None)


def run(
    cases: Iterable[Case],
    stores: Sequence[str] | None = None,
    *,
    classes: Sequence[str] = (),
    ids: Sequence[str] = (),
) -> Iterator[Result]:
    """Run cases, store by store for each, yielding results as they come.

    Args:
        cases: from `load`.
        stores: names in `STORES`; default: all whose engines are installed.
        classes: only cases of these classes (empty: all).
        ids: only cases with these ids (empty: all).

    Raises:
        RequestError: an unknown store, or an id or class that no case has.
    """
    cases = list(cases)
    chosen = default_stores() if stores is None else tuple(stores)
    if unknown := [name for name in chosen if name not in STORES]:
        raise RequestError(f"unknown store {unknown[0]}; known: {', '.join(STORES)}")
    for wanted, known, what in ((ids, {c.id for c in cases}, "id"), (classes, {c.kind for c in cases}, "class")):
        if missing := [one for one in wanted if one not in known]:
            raise RequestError(f"no case has the {what} {missing[0]}")
    # each engine in a process of its own: kuzu and ladybug cannot be loaded side by side
    workers = {store: Worker(store) for store in chosen if STORES[store] != "memory"}
    try:
        for case in cases:
            if (classes and case.kind not in classes) or (ids and case.id not in ids):
                continue
            for worker in workers.values():
                worker.hand(case)
            for store in chosen:
                yield workers[store].take(case) if store in workers else run_case(case, store)
    finally:
        for worker in workers.values():
            worker.close()
