"""A service that speaks the embeddings protocol of OpenAI (`POST …/embeddings`): local servers do, too."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from tkg.embedding.common import MOST_CHARACTERS, unit
from tkg.errors import EmbedderFailed, RequestError
from tkg.index.port import Vectors

#: texts of one request, and most bytes of its answer
_BATCH: Final = 64
_ANSWER: Final = 64 * 2**20


class _NoRedirect(HTTPRedirectHandler):
    """A key sent to one host must not follow to another."""

    def redirect_request(self, *_: Any) -> None:
        return None


class EndpointEmbedder:
    """Vectors from a service.

    What is stored is sent there, so choose one that may see it.

    Args:
        url: base of the service, such as `http://127.0.0.1:8080/v1`; http or https.
        model: the model's name there.
        key: sent as `Authorization: Bearer`; never shown.
        seconds: longest wait for one answer.

    Raises:
        RequestError: no address of a service, or a key that cannot be sent.
    """

    def __init__(self, url: str, model: str, *, key: str | None = None, seconds: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise RequestError("url is the base of a service, such as http://127.0.0.1:8080/v1, without user or query")
        if key is not None and not key.isprintable():
            raise RequestError("the key holds characters that cannot be sent")
        self._url = url.rstrip("/") + "/embeddings"
        self._model, self._key, self._seconds = model, key, seconds
        self._opener = build_opener(_NoRedirect)
        self._dimension: int | None = None

    @property
    def model_id(self) -> str:
        """The model's name at the service; what the service changes behind the name cannot be seen from here."""
        return f"endpoint-{self._model}"

    @property
    def dimension(self) -> int:
        """Numbers per vector; the service is asked once.

        Raises:
            EmbedderFailed: it does not answer.
        """
        if self._dimension is None:
            self._asked(["dimension"])
            assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, of length one.

        Raises:
            EmbedderFailed: the service cannot be reached, refuses, or answers something else.
        """
        cut = [one[:MOST_CHARACTERS] or " " for one in texts]
        rows = [row for start in range(0, len(cut), _BATCH) for row in self._asked(cut[start : start + _BATCH])]
        return unit(np.array(rows, dtype=np.float32).reshape(len(cut), self.dimension))

    def _asked(self, texts: list[str]) -> list[list[float]]:
        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        headers = {"Content-Type": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            with self._opener.open(Request(self._url, body, headers), timeout=self._seconds) as answer:
                said = answer.read(_ANSWER)
        except HTTPError as error:
            error.close()
            raise EmbedderFailed(f"the embedding service answered {error.code}; see its log") from None
        except (URLError, OSError, http.client.HTTPException) as error:
            raise EmbedderFailed(f"the embedding service cannot be reached ({type(error).__name__})") from None
        try:
            found = {int(one["index"]): [float(x) for x in one["embedding"]] for one in json.loads(said)["data"]}
            rows = [found[place] for place in range(len(texts))]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise EmbedderFailed("the embedding service answered something that is no list of vectors") from None
        length = self._dimension or len(rows[0])
        if length == 0 or any(len(row) != length or not np.isfinite(row).all() for row in rows):
            raise EmbedderFailed("the embedding service answered vectors of another length, or without numbers")
        self._dimension = length
        return rows
