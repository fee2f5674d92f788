"""Extractors by name: those of tkg, and those that other packages bring as entry points of the group `tkg.extractors`.

An entry point names something to call with settings (keywords) that returns an extractor; a class will do. The names of
tkg's own extractors cannot be taken by others. Nothing of another package is imported before it is asked for by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from tkg.errors import NotFound, RequestError, TkgError, Unsupported
from tkg.extractors.contract import Extractor

GROUP: Final = "tkg.extractors"


def _rules(**settings: Any) -> Extractor:
    from tkg.extractors import Rules

    if unknown := sorted(set(settings) - {"model"}):
        raise RequestError(f"the extractor rules has no setting {unknown[0]!r}; it has model, a spaCy pipeline")
    return Rules(model=settings.get("model"))


def _llm(**settings: Any) -> Extractor:
    from tkg.extractors.llm import from_settings

    return from_settings(**settings)


_OWN: Final[dict[str, Callable[..., Extractor]]] = {"rules": _rules, "llm": _llm}


def extractor_names() -> list[str]:
    """Return the names there are: tkg's own first, then those of other packages in order."""
    return [*_OWN, *sorted({one.name for one in entry_points(group=GROUP)} - set(_OWN))]


def extractor_named(name: str, **settings: Any) -> Extractor:
    """Return a new extractor.

    Args:
        name: one of `extractor_names`.
        settings: what it is made with.

    Raises:
        NotFound: no package brings one of that name.
        RequestError: it does not take these settings.
        Unsupported: its package cannot be imported, or what it brings is no extractor.
    """
    if name in _OWN:
        return _OWN[name](**settings)
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        raise NotFound(f"no extractor {name!r}; there are: {', '.join(extractor_names())}")
    made = _made(found, name, settings)
    missing = [one for one in ("name", "version", "extract") if not hasattr(made, one)]
    if missing or not callable(getattr(made, "extract", None)):
        what = f"has no {missing[0]}" if missing else "cannot extract"
        raise Unsupported(f"what {name!r} brings is no extractor: it {what}; see tkg.testing.ExtractorContract")
    return made  # type: ignore[no-any-return]


def _made(found: Iterable[EntryPoint], name: str, settings: dict[str, Any]) -> Any:
    try:
        make = next(iter(found)).load()
    except Exception as error:  # noqa: BLE001 - the code of another package
        raise Unsupported(f"the extractor {name!r} cannot be imported ({type(error).__name__})") from None
    try:
        return make(**settings)
    except TkgError:
        raise
    except TypeError:
        raise RequestError(f"the extractor {name!r} does not take these settings") from None
    except Exception as error:  # noqa: BLE001
        raise Unsupported(f"the extractor {name!r} cannot be made ({type(error).__name__})") from None
