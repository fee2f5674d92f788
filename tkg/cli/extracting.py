"""The options that choose what reads texts."""

from __future__ import annotations

from typing import Annotated

import typer

from tkg.cli.screen import complain
from tkg.errors import RequestError
from tkg.extractors import Extractor, extractor_named

ExtractorName = Annotated[
    str | None,
    typer.Option(
        "--extractor",
        metavar="NAME",
        help="What reads the texts: rules (the default, offline), llm (a model, tkg[llm]), or one that a package brings.",
    ),
]
ExtractorOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--extractor-option",
        metavar="KEY=VALUE",
        help="A setting of the extractor; llm: model (required), base_url, timeout, retries, seed. Keep the key in"
        " OPENAI_API_KEY.",
    ),
]


def chosen(name: str | None, options: list[str] | None) -> Extractor | None:
    """Return the extractor that was asked for; None is the rules.

    Raises:
        RequestError: options without an extractor, or one that is no KEY=VALUE. NotFound, Unsupported: no such extractor.
    """
    settings: dict[str, str] = {}
    for one in options or ():
        key, sign, value = one.partition("=")
        if not sign or not key.isidentifier():
            raise RequestError("--extractor-option takes KEY=VALUE, such as model=NAME")
        settings[key] = value
    if name is None:
        if settings:
            raise RequestError("--extractor-option needs --extractor NAME")
        return None
    if name == "rules" and not settings:
        return None  # as the store reads anyway, with the declared predicates
    return extractor_named(name, **settings)


def tell_dropped(extractor: Extractor | None) -> None:
    """Say how many facts of a model were left out, and why."""
    for reason, number in sorted(getattr(extractor, "dropped", {}).items()):
        complain(f"{number} facts of the model were left out: {reason}")
