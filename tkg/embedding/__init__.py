"""Texts to vectors: one small protocol (`tkg.index.port.Embedder`) and what implements it. None is used by default.

The extra `embed` brings two models that need no network and no graphics card: `MiniLmEmbedder` reads sentences,
`StaticEmbedder` words, a hundred times as fast. `OnnxEmbedder` (extra `onnx`) and `SentenceEmbedder` run a model from a
folder; `EndpointEmbedder` asks a service. Nothing here downloads anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tkg.embedding.endpoint import EndpointEmbedder
from tkg.embedding.onnx import MiniLmEmbedder, OnnxEmbedder
from tkg.embedding.prefixed import PrefixedEmbedder
from tkg.embedding.sentences import SentenceEmbedder
from tkg.embedding.static import StaticEmbedder
from tkg.errors import RequestError
from tkg.index.port import Embedder

__all__ = [
    "Embedder",
    "EndpointEmbedder",
    "MiniLmEmbedder",
    "OnnxEmbedder",
    "PrefixedEmbedder",
    "SentenceEmbedder",
    "StaticEmbedder",
    "from_settings",
]

_PREFIXES: Final = frozenset({"query_prefix", "passage_prefix"})
#: kind -> its settings
_SETTINGS: Final = {
    "minilm": frozenset[str](),
    "static": frozenset({"folder"}),
    "onnx": _PREFIXES | {"folder"},
    "sentences": _PREFIXES | {"folder"},
    "endpoint": _PREFIXES | {"url", "model", "key_file", "seconds"},
}


def from_settings(settings: Mapping[str, Any], beside: Path) -> Embedder:
    """Return the embedder that the table `[embedding]` of `tkg.toml` describes.

    Args:
        settings: `kind` ("minilm", "static", "onnx", "sentences", "endpoint"), and by kind `folder`, or `url`, `model`,
            `key_file` (a file that holds the key) and `seconds`; `query_prefix` and `passage_prefix` for models that
            want them (see `PrefixedEmbedder`).
        beside: the folder that paths are seen from.

    Raises:
        RequestError: an unknown kind or setting, or one that is missing.
        Unsupported: a package is missing; the message names the extra.
    """
    kind, given = settings.get("kind"), {key: value for key, value in settings.items() if key != "kind"}
    if kind not in _SETTINGS:
        raise RequestError(f"embedding: kind is one of {', '.join(_SETTINGS)}")
    if unknown := sorted(set(given) - _SETTINGS[kind]):
        has = ", ".join(sorted(_SETTINGS[kind])) or "none"
        raise RequestError(f"embedding: {kind} has no setting {unknown[0]}; it has {has}")
    for key, value in given.items():
        if key == "seconds":
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise RequestError("embedding: seconds is a number above 0")
        elif not isinstance(value, str) or not value.strip() or "\x00" in value:
            raise RequestError(f"embedding: {key} is a text")
    found = _made(kind, given, beside)
    query, passage = given.get("query_prefix", ""), given.get("passage_prefix", "")
    return PrefixedEmbedder(found, query=query, passage=passage) if query or passage else found


def _made(kind: str, given: Mapping[str, Any], beside: Path) -> Embedder:
    if kind == "endpoint":
        if missing := sorted({"url", "model"} - set(given)):
            raise RequestError(f"embedding: endpoint needs {missing[0]}")
        secret = None if "key_file" not in given else _key(beside / given["key_file"])
        return EndpointEmbedder(given["url"], given["model"], key=secret, seconds=float(given.get("seconds", 30.0)))
    if kind == "minilm":
        return MiniLmEmbedder()
    folder = None if "folder" not in given else beside / given["folder"]
    if kind == "static":
        return StaticEmbedder(folder)
    if folder is None:
        raise RequestError(f"embedding: {kind} needs the folder of a model")
    return OnnxEmbedder(folder) if kind == "onnx" else SentenceEmbedder(folder)


def _key(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise RequestError(f"embedding: the key_file {path} cannot be read") from None
