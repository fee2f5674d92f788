"""A model of sentence-transformers, loaded from a folder; the package is the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tkg.embedding.common import MOST_CHARACTERS, digest_of, package, unit
from tkg.errors import RequestError
from tkg.index.port import Vectors


class SentenceEmbedder:
    """What `SentenceTransformer(folder).encode` says.

    Args:
        folder: a model saved by sentence-transformers; nothing is downloaded.

    Raises:
        Unsupported: sentence-transformers is not installed.
        RequestError: the folder holds no such model.
    """

    def __init__(self, folder: Path) -> None:
        library = package("sentence_transformers", "sentence-transformers")
        if not folder.is_dir():
            raise RequestError(f"{folder} is no folder; name the folder of a model")
        try:
            self._model: Any = library.SentenceTransformer(str(folder), local_files_only=True)
        except Exception as error:  # noqa: BLE001 - the library raises types of its own
            raise RequestError(f"the model in {folder} cannot be read ({type(error).__name__})") from None
        self._dimension = int(self._model.get_sentence_embedding_dimension())
        files = sorted(one for one in folder.rglob("*") if one.suffix in (".safetensors", ".bin", ".json"))
        self._model_id = f"sentences-{self._dimension}-{digest_of(files)}"

    @property
    def model_id(self) -> str:
        """Name of the model, with a digest of its files."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, of length one."""
        return unit(self._model.encode([one[:MOST_CHARACTERS] for one in texts], show_progress_bar=False))
